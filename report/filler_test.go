// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/binary"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/results"
)

// filler makes a value of bytes, each of which has a part in it: any bytes are some value,
// where few are JSON. When they have run out all is zero.
type filler struct{ bytes []byte }

// wordsToFill are values that strings of a record may have, and some that none may.
var wordsToFill = []string{
	"", "</style><script>", `" onload="x`, "rca", "hit", "miss", "false-alarm", "invalid", "unsupported", "lost", "fault", "twin",
	"lock-holder", "external", "deadlock", "mutex", "pipe", "data", "holding-oncpu", "release", "hold_sleeping", "mutex-hold",
}

// deepest bounds how far lists nest.
const deepest = 8

func (f *filler) next() byte {
	if len(f.bytes) == 0 {
		return 0
	}
	b := f.bytes[0]
	f.bytes = f.bytes[1:]
	return b
}

// number is a small one, or any.
func (f *filler) number() uint64 {
	if b := f.next(); b < 0xf0 {
		return uint64(b % 16)
	}
	var all [8]byte
	for i := range all {
		all[i] = f.next()
	}
	return binary.LittleEndian.Uint64(all[:])
}

func (f *filler) fill(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				f.fill(v.Field(i), depth+1)
			}
		}
	case reflect.Slice:
		n := int(f.next() % 4)
		if depth > deepest {
			n = 0
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			f.fill(v.Index(i), depth+1)
		}
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i), depth+1)
		}
	case reflect.Pointer:
		if f.next()%2 == 1 {
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem(), depth+1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.fill(key, depth+1)
		f.fill(value, depth+1)
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString(wordsToFill[int(f.next())%len(wordsToFill)])
	case reflect.Bool:
		v.SetBool(f.next()%2 == 1)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(f.number()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(f.number())
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(int64(f.number())) / 8)
	default:
		panic("cannot fill a " + v.Type().String())
	}
}

func TestFillerReachesAllOfARecord(t *testing.T) {
	var r results.Record
	f := filler{bytes: make([]byte, 1<<16)}
	for i := range f.bytes {
		f.bytes[i] = 3 // an odd number, three items, the fourth word
	}
	f.fill(reflect.ValueOf(&r).Elem(), 0)
	assert.Equal(t, "rca", r.Scenario)
	assert.Len(t, r.Findings, 3)
	assert.Len(t, r.Findings[2].Stacks, 3)
	assert.Len(t, r.Findings[2].Stacks[2].Frames, 3)
	assert.Equal(t, contention.Kind("rca"), r.Findings[2].Chain[2].Resource.Kind)
	assert.EqualValues(t, 3, r.Truth.Culprits[2].TID)
	assert.NotEmpty(t, f.bytes)
}
