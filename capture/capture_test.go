// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"
	"testing/quick"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

// packed is a capture as a file.
func packed(t testing.TB, c Capture) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Write(&b, c))
	return b.Bytes()
}

func roundTrip(t testing.TB, c Capture) Capture {
	t.Helper()
	back, err := Read(bytes.NewReader(packed(t, c)))
	require.NoError(t, err)
	return back
}

// filled sets every field below v to something that is not zero, each to another, and
// makes every list as long as the second argument says.
func filled(t *testing.T, v reflect.Value, length int, serial *int64) {
	*serial++
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			require.True(t, v.Type().Field(i).IsExported(), "%v.%s cannot be carried", v.Type(), v.Type().Field(i).Name)
			filled(t, v.Field(i), length, serial)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), length, length))
		for i := range length {
			filled(t, v.Index(i), length, serial)
		}
	case reflect.String:
		v.SetString(string(rune('a'+*serial%26)) + string(rune(*serial)))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(*serial)
	case reflect.Uint64:
		v.SetUint(uint64(*serial) | 1<<63)
	case reflect.Uint8:
		v.SetUint(uint64(1 + *serial%255))
	case reflect.Float64:
		v.SetFloat(1 / float64(*serial))
	default:
		t.Fatalf("a %v is not filled", v.Type())
	}
}

// A field that is added to a trace and forgotten here comes back as zero.
func TestEveryFieldIsCarried(t *testing.T) {
	for length := range 4 {
		var want Capture
		var serial int64
		filled(t, reflect.ValueOf(&want).Elem(), length, &serial)
		require.Equal(t, want, roundTrip(t, want))
	}
}

func TestRoundTripOfAnything(t *testing.T) {
	same := func(c Capture) bool { return reflect.DeepEqual(c, roundTrip(t, c)) }
	require.NoError(t, quick.Check(same, &quick.Config{MaxCount: 50}))
}

func TestNilIsNotEmpty(t *testing.T) {
	assert.Equal(t, Capture{}, roundTrip(t, Capture{}))
	empty := Capture{Notes: []string{}, Trace: contention.Trace{
		Threads: []contention.Thread{}, Waits: []contention.Wait{}, Preemptions: []contention.Preemption{},
		Samples: []contention.Sample{}, Stacks: []contention.Stack{}, Exits: []contention.Exit{},
	}}
	assert.Equal(t, empty, roundTrip(t, empty))
	stacks := Capture{Trace: contention.Trace{Stacks: []contention.Stack{nil, {}, {{}}, nil}}}
	assert.Equal(t, stacks, roundTrip(t, stacks))
}

func TestRoundTripOfManySections(t *testing.T) {
	for _, n := range []int{rowsPerSection - 1, rowsPerSection, rowsPerSection + 1, 5*rowsPerSection + 7} {
		c := manyWaits(n)
		assert.True(t, reflect.DeepEqual(c, roundTrip(t, c)), "%d waits", n)
	}
}

// manyWaits is a capture with n waits of 50 threads for 20 locks, and half as many samples.
func manyWaits(n int) Capture {
	random := rand.New(rand.NewPCG(1, 2))
	some := func(n int) time.Duration { return time.Duration(random.IntN(n)) }
	thread := func() contention.ThreadID { return contention.ThreadID{TID: 10 + random.IntN(50), Start: time.Second} }
	c := Capture{Target: Target{PID: 7, Comm: "x"}, Kernel: "6.18.0"}
	at := 100 * time.Second
	for i := range n {
		at += some(20_000)
		w := contention.Wait{
			Thread: thread(), Begin: at, Woken: at + some(1e6), Stack: contention.StackID(random.IntN(9)),
			Resource: contention.Resource{Kind: contention.Mutex, Address: contention.Address(random.IntN(20)), PID: 7},
			Waker:    contention.Waker{Kind: contention.WokenByThread, Thread: thread(), SameObject: true},
		}
		w.Ran = w.Woken + some(1e4)
		c.Trace.Waits = append(c.Trace.Waits, w)
		if i%2 == 0 {
			c.Trace.Samples = append(c.Trace.Samples, contention.Sample{Thread: thread(), At: at, Stack: 1})
		}
	}
	c.Trace.Window = contention.Window{Begin: 100 * time.Second, End: at}
	return c
}
