// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/results"
)

func sent(t testing.TB, messages ...Message) []byte {
	var line bytes.Buffer
	sender, err := NewSender(&line)
	require.NoError(t, err)
	for _, m := range messages {
		require.NoError(t, sender.Send(m))
	}
	return line.Bytes()
}

func TestMessages(t *testing.T) {
	want := []Message{
		{Booted: &Booted{Release: "6.1.0"}},
		{Env: &results.Env{CPUs: 2}},
		{Begin: &results.Run{Index: 3, Scenario: "mutex-hold"}},
		{File: &File{Name: "ledgers/3.json.zst", Data: bytes.Repeat([]byte{0, 1, '\n', 255}, 10000)}},
		{Record: &results.Record{Analyzer: "rca", Verdict: results.Hit}},
		{End: &End{Code: 3, Reason: "why"}},
	}
	wire := sent(t, want...)
	assert.Equal(t, len(want), bytes.Count(wire, []byte("\n")), "a line each")
	r, err := newReceiver(bytes.NewReader(wire))
	require.NoError(t, err)
	for _, m := range want {
		got, err := r.next()
		require.NoError(t, err)
		assert.Equal(t, m, got)
	}
	_, err = r.next()
	assert.ErrorIs(t, err, io.EOF)
}

// Each damage costs the line that it is in, and no other.
func TestDamagedMessages(t *testing.T) {
	first, second := sent(t, Message{Booted: &Booted{Release: "a"}}), sent(t, Message{End: &End{Code: 1}})
	for name, damage := range map[string]func([]byte) []byte{
		"a bit":         func(b []byte) []byte { b[20] ^= 1; return b },
		"checksum":      func(b []byte) []byte { b[0] ^= 1; return b },
		"cut in front":  func(b []byte) []byte { return b[5:] },
		"an empty line": func([]byte) []byte { return []byte("\n") },
		"console text":  func([]byte) []byte { return []byte("[ 1.0] BUG: x\n") },
	} {
		r, err := newReceiver(bytes.NewReader(append(damage(bytes.Clone(first)), second...)))
		require.NoError(t, err)
		_, err = r.next()
		assert.ErrorIs(t, err, errDamaged, name)
		m, err := r.next()
		require.NoError(t, err, name)
		assert.Equal(t, &End{Code: 1}, m.End, name)
	}
	r, err := newReceiver(bytes.NewReader(first[:len(first)-1]))
	require.NoError(t, err)
	_, err = r.next()
	assert.ErrorIs(t, err, errDamaged, "torn at the end")
	_, err = r.next()
	assert.ErrorIs(t, err, io.EOF)
}

func FuzzReceiver(f *testing.F) {
	f.Add(sent(f, Message{Booted: &Booted{Release: "6.1"}}, Message{End: &End{}}))
	f.Add([]byte("00000000 \n"))
	f.Fuzz(func(t *testing.T, wire []byte) {
		r, err := newReceiver(bytes.NewReader(wire))
		require.NoError(t, err)
		for range bytes.Count(wire, []byte("\n")) + 2 {
			if _, err := r.next(); err != nil && !errors.Is(err, errDamaged) {
				require.ErrorIs(t, err, io.EOF)
				return
			}
		}
		t.Error("more messages than lines")
	})
}
