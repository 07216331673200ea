// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

const sampleCapacity = 4

// The offsets of what the tests break, as ledger.h lays it out.
const (
	headerSize   = 40
	resourceSize = 48
	threadSize   = 104
	entrySize    = 24

	atThreads   = 8
	atResources = 12
	atCapacity  = 16
	atStop      = 32
	atResource0 = headerSize
	atThread0   = headerSize + 2*resourceSize
	atThread1   = atThread0 + threadSize
	atEntry0    = atThread1 + threadSize
	atEnd       = atEntry0 + 2*sampleCapacity*entrySize
)

func sample() *Ledger {
	return &Ledger{
		Go: 1000, Stop: 9000,
		Resources: []Resource{
			{Resource: contention.Resource{Kind: contention.Mutex, Address: 0x1000, PID: 7}},
			{Resource: contention.Resource{Kind: contention.Pipe, Inode: 42}, OneWay: true},
		},
		Threads: []Thread{
			{
				Thread: contention.Thread{PID: 7, TID: 8, Start: 120 * time.Millisecond}, Culprit: true,
				Operations: 5, Acquisitions: 6, Switches: 7, RunDelay: 8,
				Entries: []Entry{{Holding, 1500, 2500, 0}, {Working, 3000, 0, 1}},
			},
			{
				Thread: contention.Thread{PID: 7, TID: 9, Start: 130 * time.Millisecond}, WouldBeCulprit: true, Decoy: "most wakeups",
				Entries: []Entry{{Waiting, 1600, 2500, 0}},
			},
		},
	}
}

func encode(t testing.TB, l *Ledger) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Write(&b, l, sampleCapacity))
	return b.Bytes()
}

func TestLayoutIsThatOfTheHeaderFile(t *testing.T) {
	assert.Equal(t, headerSize, binary.Size(rawHeader{}))
	assert.Equal(t, resourceSize, binary.Size(rawResource{}))
	assert.Equal(t, threadSize, binary.Size(rawThread{}))
	assert.Equal(t, entrySize, binary.Size(rawEntry{}))
}

func TestReadGivesBackWhatWasWritten(t *testing.T) {
	data := encode(t, sample())
	require.Len(t, data, atEnd)
	// A seeker, as a file is, and a plain reader that trickles.
	for name, r := range map[string]io.Reader{
		"file":   io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data))),
		"stream": iotest.OneByteReader(bytes.NewReader(data)),
	} {
		got, err := Read(r)
		require.NoError(t, err, name)
		assert.Equal(t, sample(), got, name)
	}
}

func TestReadRefuses(t *testing.T) {
	u32 := func(at int, v uint32) func([]byte) []byte {
		return func(b []byte) []byte { binary.LittleEndian.PutUint32(b[at:], v); return b }
	}
	u64 := func(at int, v uint64) func([]byte) []byte {
		return func(b []byte) []byte { binary.LittleEndian.PutUint64(b[at:], v); return b }
	}
	cut := func(n int) func([]byte) []byte { return func(b []byte) []byte { return b[:n] } }
	for name, test := range map[string]struct {
		damage func([]byte) []byte
		want   string
	}{
		"empty":                {cut(0), "read header: malformed ledger: truncated"},
		"torn header":          {cut(headerSize - 1), "truncated"},
		"torn resources":       {cut(atThread0 - 1), "read resources: malformed ledger: truncated"},
		"torn threads":         {cut(atEntry0 - 1), "read threads: malformed ledger: truncated"},
		"torn entries":         {cut(atEntry0 + entrySize + 1), "thread 0: read entries: malformed ledger: truncated"},
		"magic":                {func(b []byte) []byte { b[0] = 'X'; return b }, "magic \"XCALEDG1\""},
		"never written":        {func(b []byte) []byte { return make([]byte, len(b)) }, "magic"},
		"no threads":           {u32(atThreads, 0), "0 threads"},
		"too many threads":     {u32(atThreads, 1<<31), "threads, not 1 to"},
		"too many resources":   {u32(atResources, 257), "257 resources"},
		"huge capacity":        {u64(atCapacity, 1<<40), "room for"},
		"window reversed":      {u64(atStop, 999), "window from 1000 to 999"},
		"window out of range":  {u64(atStop, 1<<63), "window out of range"},
		"resource of no kind":  {func(b []byte) []byte { clear(b[atResource0 : atResource0+24]); return b }, "resource 0"},
		"kind not text":        {func(b []byte) []byte { b[atResource0] = 7; return b }, "resource 0"},
		"no such rule":         {u32(atResource0+44, 3), "resource 0: malformed ledger: rule 3"},
		"no tid":               {u32(atThread0+4, 0), "thread 0: malformed ledger: pid 7, tid 0"},
		"start out of range":   {u64(atThread0+8, 1<<63), "start"},
		"entries past room":    {u64(atThread0+48, sampleCapacity+1), "thread 0: malformed ledger: 5 entries in room for 4"},
		"run delay backwards":  {u64(atThread0+88, 99), "run delay went from 99 to 8"},
		"same thread twice":    {func(b []byte) []byte { copy(b[atThread1:], b[atThread0:atThread0+16]); return b }, "tid 8 twice"},
		"entry of no kind":     {u32(atEntry0+16, 0), "thread 0: entry 0: malformed ledger: kind 0"},
		"entry without object": {u32(atEntry0+20, 2), "resource 2 of 2"},
		"entry reversed":       {u64(atEntry0+8, 1499), "reversed, from 1500 to 1499"},
		"entry not begun":      {u64(atEntry0, 0), "from 0 to 2500"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read(bytes.NewReader(test.damage(encode(t, sample()))))
			require.ErrorIs(t, err, ErrFormat)
			assert.ErrorContains(t, err, test.want)
		})
	}
}

func TestEachRuleIsReadBack(t *testing.T) {
	for rule, r := range []Resource{{}, {OneWay: true}, {AllLeave: true}} {
		l := sample()
		r.Resource = l.Resources[0].Resource
		l.Resources[0] = r
		data := encode(t, l)
		assert.EqualValues(t, rule, data[atResource0+44], "as ledger.h numbers it")
		got, err := Read(bytes.NewReader(data))
		require.NoError(t, err)
		assert.Equal(t, r, got.Resources[0])
	}
}

func TestReadTellsAReadErrorFromADamagedLedger(t *testing.T) {
	_, err := Read(iotest.ErrReader(io.ErrClosedPipe))
	require.ErrorIs(t, err, io.ErrClosedPipe)
	assert.NotErrorIs(t, err, ErrFormat)
}

func TestACutRunIsReadUpToItsLastStamp(t *testing.T) {
	l := sample()
	l.Stop = 0
	got, err := Read(bytes.NewReader(encode(t, l)))
	require.NoError(t, err)
	assert.False(t, got.Complete())
	assert.Equal(t, contention.Window{Begin: 1000, End: 3000}, got.Window())
}

func TestClip(t *testing.T) {
	w := contention.Window{Begin: 10, End: 20}
	for name, test := range map[string]struct {
		entry  Entry
		want   contention.Window
		inside bool
	}{
		"inside":       {Entry{Begin: 12, End: 15}, contention.Window{Begin: 12, End: 15}, true},
		"across":       {Entry{Begin: 5, End: 25}, w, true},
		"open":         {Entry{Begin: 15}, contention.Window{Begin: 15, End: 20}, true},
		"empty":        {Entry{Begin: 12, End: 12}, contention.Window{Begin: 12, End: 12}, true},
		"before":       {Entry{Begin: 2, End: 10}, contention.Window{Begin: 10, End: 10}, false},
		"after":        {Entry{Begin: 20, End: 30}, contention.Window{Begin: 20, End: 20}, false},
		"opened after": {Entry{Begin: 25}, contention.Window{Begin: 25, End: 20}, false},
	} {
		got, inside := test.entry.Clip(w)
		assert.Equal(t, test.want, got, name)
		assert.Equal(t, test.inside, inside, name)
	}
}

func TestJSONKeepsTheLedger(t *testing.T) {
	data, err := json.Marshal(sample())
	require.NoError(t, err)
	assert.Contains(t, string(data), `"entries":[[2,1500,2500,0],[3,3000,0,1]]`)
	assert.Contains(t, string(data), `{"kind":"pipe","inode":42,"one_way":true}`)
	var got Ledger
	require.NoError(t, json.Unmarshal(data, &got))
	assert.Equal(t, sample(), &got)
}

func FuzzRead(f *testing.F) {
	data := encode(f, sample())
	f.Add(data)
	f.Add(data[:atEntry0])
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		w := l.Window()
		require.LessOrEqual(t, w.Begin, w.End)
		for _, th := range l.Threads {
			for _, e := range th.Entries {
				require.Less(t, e.Resource, len(l.Resources))
				part, inside := e.Clip(w)
				require.True(t, !inside || part.Length() >= 0)
			}
		}
		// A stream is read as a file is.
		again, err := Read(io.MultiReader(bytes.NewReader(data)))
		require.NoError(t, err)
		require.Equal(t, l, again)
	})
}
