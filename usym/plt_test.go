// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"os/exec"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// caller prints where its PLT has the stub that a call of it goes through: the target
// of the call instruction in a function that does nothing else.
const caller = `
#include <pthread.h>
#include <stdio.h>
#include <string.h>
pthread_mutex_t m;
void *volatile keep;
__attribute__((noinline)) int call_lock(void) { int r = pthread_mutex_lock(&m); __asm__ volatile(""); return r; }
__attribute__((noinline)) int call_flush(void) { int r = fflush(stdout); __asm__ volatile(""); return r; }
static unsigned char *target(void *f)
{
	unsigned char *p = f;
	for (int i = 0; i < 64; i++, p++)
		if (*p == 0xe8) {
			int d;
			memcpy(&d, p + 1, 4);
			return p + 5 + d;
		}
	return 0;
}
int main(void)
{
#ifdef TAKEN
	keep = (void *)pthread_mutex_lock;
#endif
	printf("%p %p\n", (void *)target((void *)call_lock), (void *)target((void *)call_flush));
	call_flush();
	getchar();
	return call_lock();
}
`

func TestStubsOfThePLT(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("only of x86-64")
	}
	tests := []struct {
		name  string
		flags []string
	}{
		{"position-independent", []string{"-fPIE", "-pie"}},
		{"fixed", []string{"-fno-pie", "-no-pie"}},
		{"bound at once", []string{"-Wl,-z,now"}},
		{"bound late", []string{"-Wl,-z,lazy"}},
		{"branch tracking", []string{"-fcf-protection=full", "-Wl,-z,ibtplt"}},
		{"address taken", []string{"-DTAKEN", "-fPIE", "-pie"}}, // .plt.got
		{"stripped", []string{"-s"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := compile(t, "cc", "c", caller, append([]string{"-O1", "-pthread"}, tt.flags...)...)
			pid, line := run(t, exec.Command(path))
			stubs := addresses(t, line)
			require.Len(t, stubs, 2)
			s := New()
			for i, want := range []string{"pthread_mutex_lock@plt", "fflush@plt"} {
				for _, offset := range []uint64{0, 7} {
					frame := s.Frame(Process{PID: pid}, stubs[i]+offset)
					assert.Equal(t, want, frame.Function)
					assert.Equal(t, "program", frame.Module)
				}
			}
		})
	}
}

func TestDecodeStubs(t *testing.T) {
	plt := []byte("\xff\x35\x02\x00\x00\x00\xff\x25\x04\x00\x00\x00\x0f\x1f\x40\x00" + // the first pushes
		"\xff\x25\x10\x00\x00\x00\x68\x00\x00\x00\x00\xe9\xe0\xff\xff\xff" +
		"\xf3\x0f\x1e\xfa\xf2\xff\x25\xf0\xff\xff\xff\x0f\x1f\x44\x00\x00" +
		"\xff\x25")
	assert.Equal(t, []stub{
		{start: 0x1010, size: 16, slot: 0x1016 + 0x10},
		{start: 0x1020, size: 16, slot: 0x102b - 0x10},
	}, decodeStubs(plt, 0x1000, 16))
	assert.Equal(t, []stub{{start: 8, size: 8, slot: 8 + 6 + 1}}, decodeStubs([]byte("\x90\x90\x90\x90\x90\x90\x90\x90\xff\x25\x01\x00\x00\x00\x66\x90"), 0, 8))
}
