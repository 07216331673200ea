module github.com/os2026/ebpf-rca

go 1.26
