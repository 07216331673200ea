# SPDX-License-Identifier: Apache-2.0

# Under sudo all but the runs and tests themselves is done as the user who called it.
AS_USER := sh scripts/as-user.sh
# sudo resets PATH, so Go is also looked for where it is usually put.
GO := $(shell $(AS_USER) sh scripts/find-go.sh)
CC ?= cc
CLANG ?= clang-19

VERSION := $(shell $(AS_USER) git describe --tags --always --dirty 2>/dev/null || echo unknown)
COMMIT := $(shell $(AS_USER) git rev-parse HEAD 2>/dev/null || echo unknown)
GO_BUILD := $(AS_USER) $(GO) build -buildvcs=false -trimpath \
	-ldflags "-X main.version=$(VERSION) -X main.commit=$(COMMIT)"

# As programs are built, but for tail calls: a function that ends in one is not on the
# stack, where the functions graded must be.
WORKLOAD_CFLAGS := -O2 -g -ffile-prefix-map=$(CURDIR)=. -fno-optimize-sibling-calls -Wall -Wextra -Werror -pthread -std=gnu11 \
	-Iscenarios/workload/lib
WORKLOAD_HEADERS := $(wildcard scenarios/workload/lib/*.h)
WORKLOAD_OBJECTS := $(patsubst scenarios/workload/lib/%.c,bin/objects/%.o,$(wildcard scenarios/workload/lib/*.c))
WORKLOADS := $(patsubst scenarios/workload/%.c,bin/workloads/%,$(wildcard scenarios/workload/*.c))

LOAD_CFLAGS := -O2 -g -ffile-prefix-map=$(CURDIR)=. -Wall -Wextra -Werror -pthread -std=gnu11 -Iharness/load/programs/lib
LOAD_LIB := $(wildcard harness/load/programs/lib/*)
LOADS := $(patsubst harness/load/programs/%.c,bin/load/%,$(wildcard harness/load/programs/*.c))

# Where a run is recorded. More options of `ebpf-rca run`: SCENARIO_FLAGS='--count 10'.
RUN_DIR ?= results/runs/$(shell date -u +%Y%m%dT%H%M%SZ)-$(shell uname -r)-$(shell od -An -N2 -tx2 /dev/urandom | tr -d ' ')
SCENARIO_FLAGS ?=
# On which kernels a matrix is played, and where it is recorded.
KERNELS ?= 5.10 6.1 6.12 6.12-rt 6.16 6.17 6.18 6.19 7.0 7.1 7.2 7.3 7.3-rt
MATRIX_DIR ?= results/runs/$(shell date -u +%Y%m%dT%H%M%SZ)-kernels
MATRIX_FLAGS ?=
TEST_FLAGS ?=
STACKS_TABLE ?= results/runs/stacks.md

# Root must not skip what needs root. Under sudo it keeps a build cache of its own and
# reads the modules that the user has fetched.
ifeq ($(shell id -u),0)
TEST_ENV = REQUIRE_BPF=1
# A result may not come from the cache: it depends on the kernel too.
TEST_FLAGS += -count=1
ifneq ($(SUDO_UID),)
TEST_ENV += GOMODCACHE=$(shell $(AS_USER) $(GO) env GOMODCACHE) HOME=$(shell getent passwd 0 | cut -d : -f 6) \
	env -u GOCACHE -u XDG_CACHE_HOME -u XDG_CONFIG_HOME
endif
endif
# The race detector needs cgo, which needs a C compiler. The commands and guests are tested
# without: what they do goes by the clock, and it slows them tenfold. Both boot guests, one
# after the other.
RACE = $(if $(filter 1,$(shell $(AS_USER) $(GO) env CGO_ENABLED)),-race)

GOLANGCI_LINT := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
ACTIONLINT := github.com/rhysd/actionlint/cmd/actionlint@v1.7.12

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 18

.PHONY: build
build: bin/ebpf-rca $(WORKLOADS) $(LOADS) ## build the command, the workloads and the loads into bin/

.PHONY: bin/ebpf-rca
bin/ebpf-rca: have-go
	@echo "go build $@"
	@$(GO_BUILD) -o $@ ./cmd/ebpf-rca

.SECONDARY: $(WORKLOAD_OBJECTS)
bin/objects/%.o: scenarios/workload/lib/%.c $(WORKLOAD_HEADERS)
	@$(AS_USER) mkdir -p $(@D)
	@$(AS_USER) $(CC) $(WORKLOAD_CFLAGS) -c -o $@ $<

bin/workloads/%: scenarios/workload/%.c $(WORKLOAD_HEADERS) $(WORKLOAD_OBJECTS)
	@$(AS_USER) mkdir -p $(@D)
	@echo "cc $@"
	@$(AS_USER) $(CC) $(WORKLOAD_CFLAGS) -o $@ $< $(WORKLOAD_OBJECTS)

bin/load/%: harness/load/programs/%.c $(LOAD_LIB)
	@$(AS_USER) mkdir -p $(@D)
	@echo "cc $@"
	@$(AS_USER) $(CC) $(LOAD_CFLAGS) -o $@ $< $(filter %.c,$(LOAD_LIB))

.PHONY: have-go
have-go:
	@command -v $(GO) >/dev/null || { echo "make: no Go command found, in PATH or elsewhere: see https://go.dev/doc/install" >&2; exit 1; }

.PHONY: scenarios
scenarios: build ## run the catalogue on this kernel (root); SCENARIO_FLAGS='--count 10'
	@$(AS_USER) mkdir -p $(dir $(RUN_DIR))
	bin/ebpf-rca run --out $(RUN_DIR) $(SCENARIO_FLAGS)

.PHONY: smoke
smoke: override SCENARIO_FLAGS += --smoke
smoke: scenarios ## run the few scenarios that are run on every change (root)

.PHONY: matrix
matrix: build ## run the catalogue on other kernels, in VMs; KERNELS='6.1 7.3', MATRIX_FLAGS='--count 3'
	@$(AS_USER) mkdir -p $(dir $(MATRIX_DIR))
	$(AS_USER) bin/ebpf-rca matrix $(addprefix --kernel ,$(KERNELS)) --out $(MATRIX_DIR) $(MATRIX_FLAGS)

.PHONY: test
test: build ## run every test that this machine allows, the privileged ones if root
	@$(AS_USER) $(GO) list -deps -test ./... >/dev/null
	$(TEST_ENV) $(GO) test $(RACE) $(TEST_FLAGS) $$($(AS_USER) $(GO) list ./... | grep -v -e /cmd/ -e /matrix)
	$(TEST_ENV) $(GO) test -p 1 -timeout 20m $(TEST_FLAGS) ./cmd/... ./matrix/...

.PHONY: bench
bench: build ## run the Go benchmarks
	@$(AS_USER) $(GO) list -deps -test ./... >/dev/null
	$(TEST_ENV) $(GO) test -run '^$$' -bench . -benchmem $(TEST_FLAGS) ./...

# Most of what decides is whether the machine is quiet: a limit far above the usual keeps
# this from failing by chance, and where there is too much noise it decides nothing.
.PHONY: overhead-gate
overhead-gate: build ## fail if the default mode adds more than fifteen times what empty programs add (root)
	bin/ebpf-rca overhead --gate --limit 15 --workload futex-pingpong --observer empty,default --pairs 10 --duration 300ms

.PHONY: stacks
stacks: have-go ## tell how right stacks are, for programs built in many ways (root); STACKS_TABLE=FILE
	$(TEST_ENV) STACKS_TABLE=$(abspath $(STACKS_TABLE)) $(GO) test -v -count=1 -timeout 20m -run '^TestStacksOf' ./cmd/ebpf-rca

.PHONY: generate
generate: have-go ## compile the eBPF programs anew (clang-19, libbpf headers)
	$(AS_USER) $(GO) generate ./bpf
	$(AS_USER) sh -c 'CLANG=$(CLANG) sh bpf/hash.sh >bpf/SOURCES.sha256.new && mv bpf/SOURCES.sha256.new bpf/SOURCES.sha256'

.PHONY: check-generated
check-generated: ## fail if the eBPF objects are older than their sources
	@CLANG=$(CLANG) sh bpf/hash.sh | cmp -s - bpf/SOURCES.sha256 || \
		{ echo "make: the eBPF objects are stale, or another compiler made them: run make generate" >&2; exit 1; }

.PHONY: lint
lint: have-go ## run the linters over the Go code and the workflows
	$(AS_USER) $(GO) run $(GOLANGCI_LINT) run
	$(AS_USER) $(GO) run $(ACTIONLINT) .github/workflows/*.yml examples/github/*.yml

.PHONY: clean
clean: ## remove bin/; results stay
	rm -rf bin
