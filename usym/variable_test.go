// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/image"
)

const variables = `
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
int initialized[8] = {1, 2, 3};
static pthread_mutex_t locks[100];
char large[1 << 20];
const int constant = 7;
__thread int of_thread = 1;
extern char end[];
int main(void)
{
	int on_stack = 0;
	void *heap = malloc(64), *mapped = malloc(1 << 24);
	printf("%p %p %p %p %p %p %p %p %p %p\n", (void *)&table_lock, (void *)&initialized[1], (void *)&locks[2],
	       (void *)(large + (1 << 19)), (void *)&on_stack, heap, mapped, (void *)&of_thread, (void *)&constant, (void *)end);
	fflush(stdout);
	return getchar();
}
`

func TestVariable(t *testing.T) {
	tests := []struct {
		name  string
		flags []string
	}{
		{"position-independent", []string{"-fPIE", "-pie"}},
		{"fixed", []string{"-fno-pie", "-no-pie"}},
		{"static", []string{"-static"}},
		{"static position-independent", []string{"-fPIE", "-static-pie"}},
		{"relocated once", []string{"-Wl,-z,relro,-z,now"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := compile(t, "cc", "c", variables, append([]string{"-O1", "-pthread"}, tt.flags...)...)
			checkVariables(t, exec.Command(path))
		})
	}
	t.Run("without address randomization", func(t *testing.T) {
		// .bss and the heap are then one mapping.
		path := compile(t, "cc", "c", variables, "-O1", "-pthread", "-static")
		setarch, err := exec.LookPath("setarch")
		if err != nil {
			t.Skip("no setarch")
		}
		checkVariables(t, exec.Command(setarch, "-R", path))
	})
	t.Run("symbols in a debug file", func(t *testing.T) {
		path := compile(t, "cc", "c", variables, "-O1", "-pthread")
		tool(t, "objcopy", "--only-keep-debug", path, path+".debug")
		tool(t, "objcopy", "--strip-all", "--add-gnu-debuglink="+path+".debug", path)
		checkVariables(t, exec.Command(path))
	})
}

func checkVariables(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	pid, line := run(t, cmd)
	at := addresses(t, line)
	require.Len(t, at, 10)
	s := New()
	for i, want := range []string{"table_lock+0x0", "initialized+0x4", "locks+0x50", "large+0x80000"} {
		got, ok := s.Variable(pid, at[i])
		assert.True(t, ok, want)
		assert.Equal(t, want, got)
	}
	for i, what := range []string{"stack", "heap", "large allocation", "thread", "constant", "end"} {
		name, ok := s.Variable(pid, at[4+i])
		assert.False(t, ok, "%s: %s", what, name)
		assert.Empty(t, name)
	}
}

func TestVariableOfCPlusPlus(t *testing.T) {
	path := compile(t, "c++", "cc", `
#include <cstdio>
#include <mutex>
namespace app { struct Cache { static std::mutex lock; int x; }; std::mutex Cache::lock; }
int main() { printf("%p\n", (void *)&app::Cache::lock); fflush(stdout); return getchar(); }
`, "-O1", "-pthread")
	pid, line := run(t, exec.Command(path))
	got, ok := New().Variable(pid, addresses(t, line)[0])
	assert.True(t, ok)
	assert.Equal(t, "app::Cache::lock+0x0", got)
}

func TestDataOwner(t *testing.T) {
	file := image.Mapping{Path: "/a", Inode: 1, Start: 0x1000, End: 0x2000}
	maps := []image.Mapping{
		{Start: 0x500, End: 0x600}, file, {Start: 0x2000, End: 0x3000}, {Start: 0x3000, End: 0x4000, Path: "[heap]"},
		{Start: 0x5000, End: 0x6000, Path: "[stack]"}, {Start: 0x6000, End: 0x7000, Path: "/dev/zero", Inode: 9},
		{Start: 0x7000, End: 0x8000, Path: "socket:[1]", Inode: 3},
	}
	for i, want := range []int{-1, 1, 1, 1, -1, 5, -1} {
		got, ok := dataOwner(maps, i)
		assert.Equal(t, want >= 0, ok, i)
		if ok {
			assert.Equal(t, want, got, i)
		}
	}
}
