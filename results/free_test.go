// SPDX-License-Identifier: Apache-2.0

package results

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFreeNames(t *testing.T) {
	s, err := Create(filepath.Join(t.TempDir(), "run"), onePlan(t, 1), Env{}, StoreOptions{})
	require.NoError(t, err)
	defer s.Close()
	for attempt, want := range []string{"ledgers/7.json.zst", "ledgers/7.2.json.zst", "ledgers/7.3.json.zst"} {
		name, err := s.Free("ledgers/7.json.zst")
		require.NoError(t, err)
		require.NoError(t, s.PutFile(name, fmt.Append(nil, attempt)))
		assert.Equal(t, want, name)
	}
	for attempt, name := range []string{"ledgers/7.json.zst", "ledgers/7.2.json.zst", "ledgers/7.3.json.zst"} {
		data, err := ReadFile(s.Dir(), name)
		require.NoError(t, err)
		assert.Equal(t, fmt.Sprint(attempt), string(data))
	}
}
