// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// heavy is a source of some megabytes of debug information; %d makes its names unique.
const heavy = `
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>
namespace part%[1]d {
int run(const std::string &text) {
	std::regex word("([a-z]+)-(%[1]d|[0-9]+)");
	std::map<std::string, std::vector<int>> found;
	std::unordered_map<int, std::shared_ptr<std::string>> kept;
	for (std::sregex_iterator i(text.begin(), text.end(), word), end; i != end; ++i) {
		found[(*i)[1]].push_back(std::stoi((*i)[2]));
		kept[%[1]d] = std::make_shared<std::string>(i->str());
	}
	std::ostringstream out;
	for (auto &[name, numbers] : found) {
		std::sort(numbers.begin(), numbers.end(), std::greater<>());
		out << name << ':' << numbers.front() << '\n';
	}
	std::cout << out.str();
	return static_cast<int>(found.size() + kept.size());
}
} // namespace part%[1]d
`

// buildHeavy links parts of the heavy source to a program.
func buildHeavy(b *testing.B, parts int) string {
	b.Helper()
	dir := b.TempDir()
	main, sum := "#include <string>\n", "0"
	args := []string{"-g", "-O1", "-std=c++17", "-o", filepath.Join(dir, "program"), filepath.Join(dir, "main.cc")}
	for i := range parts {
		name := filepath.Join(dir, fmt.Sprintf("part%d.cc", i))
		require.NoError(b, os.WriteFile(name, fmt.Appendf(nil, heavy, i), 0o600))
		main += fmt.Sprintf("namespace part%d { int run(const std::string &); }\n", i)
		sum += fmt.Sprintf(" + part%d::run(argv[0])", i)
		args = append(args, name)
	}
	main += "int main(int, char **argv) { return " + sum + "; }\n"
	require.NoError(b, os.WriteFile(filepath.Join(dir, "main.cc"), []byte(main), 0o600))
	out, err := exec.Command("g++", args...).CombinedOutput()
	if err != nil {
		b.Skipf("%v: %s", err, out)
	}
	return filepath.Join(dir, "program")
}

func BenchmarkTable(b *testing.B) {
	goTool, err := exec.LookPath("go")
	require.NoError(b, err)
	ourselves := filepath.Join(b.TempDir(), "ebpf-rca")
	out, err := exec.Command(goTool, "build", "-buildvcs=false", "-o", ourselves, "github.com/os2026/ebpf-rca/cmd/ebpf-rca").CombinedOutput()
	require.NoError(b, err, string(out))
	for name, path := range map[string]string{"go": ourselves, "c++": buildHeavy(b, 13)} {
		b.Run(name, func(b *testing.B) { benchmark(b, path) })
	}
}

func benchmark(b *testing.B, path string) {
	f, err := os.Open(path)
	require.NoError(b, err)
	defer f.Close()
	info, err := f.Stat()
	require.NoError(b, err)
	pcs := addresses(functions(b, path), 2000)
	main := pcs[len(pcs)/2]

	b.Run("first", func(b *testing.B) {
		var table *Table
		for b.Loop() {
			table, err = Read(f, info.Size())
			require.NoError(b, err)
			table.At(main)
		}
		b.ReportMetric(float64(info.Size()), "file-bytes")
		b.ReportMetric(float64(table.Bytes()), "kept-bytes")
	})
	b.Run("all", func(b *testing.B) {
		var before, after runtime.MemStats
		for b.Loop() {
			runtime.GC()
			runtime.ReadMemStats(&before)
			table, err := Read(f, info.Size())
			require.NoError(b, err)
			for _, pc := range pcs {
				table.At(pc)
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(table.Bytes()), "kept-bytes")
			b.ReportMetric(float64(after.HeapAlloc)-float64(before.HeapAlloc), "heap-bytes")
			b.ReportMetric(float64(fileSteps-table.work.file), "steps")
			runtime.KeepAlive(table)
		}
	})
	b.Run("again", func(b *testing.B) {
		table, err := Read(f, info.Size())
		require.NoError(b, err)
		for _, pc := range pcs {
			table.At(pc)
		}
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			table.At(pcs[i%len(pcs)])
		}
	})
}
