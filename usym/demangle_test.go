// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDemangled(t *testing.T) {
	for mangled, want := range map[string]string{
		"pthread_mutex_lock":                              "pthread_mutex_lock",
		"main.(*T).lock":                                  "main.(*T).lock",
		"_ZN3app5Cache3getEi":                             "app::Cache::get",
		"_ZN3app3mapIiE3putIcEEvT_":                       "app::map<int>::put<char>",
		"_ZN12_GLOBAL__N_14holdEv":                        "(anonymous namespace)::hold",
		"_ZN3app4hold17h0123456789abcdefE":                "app::hold",
		"_ZN4core3ptr13drop_in_place17h0123456789abcdefE": "core::ptr::drop_in_place",
		"_RNvCs1234_7mycrate3foo":                         "mycrate::foo",
		"_ZNSt6vectorIiSaIiEE9push_backERKi.part.0":       "std::vector<int, std::allocator<int> >::push_back",
		"_Znonsense":                                      "_Znonsense",
		"_R":                                              "_R",
		"_Z":                                              "_Z",
		"_Z" + strings.Repeat("1a", maxDemangled):         "_Z" + strings.Repeat("1a", maxDemangled),
		"_ZZN3app5outerEiENKUlvE_clEv":                    "app::outer()::{lambda()#1}::operator()",
	} {
		assert.Equal(t, want, demangled(mangled))
	}
}

func TestDemanglerKeepsTheSuffixAndABoundedAmount(t *testing.T) {
	var d demangler
	assert.Equal(t, "app::hold@plt", d.name(name{text: "_ZN3app4holdEv", suffix: "@plt"}))
	for range 2 {
		for i := range 4096 {
			mangled := "_ZN3app" + "4096" + strings.Repeat("x", 1000) + string(rune('a'+i%26)) + strings.Repeat("y", i)
			d.text(mangled[:min(len(mangled), 4000)])
		}
	}
	size := 0
	for k, v := range d.known {
		size += len(k) + len(v)
	}
	assert.LessOrEqual(t, size, maxKeptDemangled)
	assert.Equal(t, size, d.bytes)
}

// A name whose parts each stand for two of the part before grows without bound when
// written out.
func TestDemangledIsBounded(t *testing.T) {
	doubling := "_Z1fI1AIS_S_E" // hostile by repetition
	for i := range 60 {
		doubling += "1BIS" + string(rune('0'+i%10)) + "_S" + string(rune('0'+i%10)) + "_E"
	}
	begin := time.Now()
	for _, hostile := range []string{
		doubling + "Evv",
		"_Z" + strings.Repeat("P", 4000) + "i",
		"_Z1f" + strings.Repeat("N", 2000),
		"_ZN" + strings.Repeat("1aI", 1300),
		"_RNvB" + strings.Repeat("_", 4000),
		"_RIC" + strings.Repeat("1aTB0_B0_", 400) + "E",
	} {
		assert.LessOrEqual(t, len(demangled(hostile)), max(maxDemangled, len(hostile)))
	}
	assert.Less(t, time.Since(begin), 10*time.Second)
}

func FuzzDemangle(f *testing.F) {
	f.Add("_ZN3app3mapIiE3putIcEEvT_")
	f.Add("_RNvCs1234_7mycrate3foo")
	f.Add("_ZN3app4hold17h0123456789abcdefE")
	f.Fuzz(func(t *testing.T, mangled string) {
		begin := time.Now()
		text := demangled(mangled)
		require.LessOrEqual(t, len(text), max(maxDemangled, len(mangled)))
		require.True(t, mangled == "" || text != "")
		require.Less(t, time.Since(begin), 5*time.Second)
	})
}
