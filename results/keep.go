// SPDX-License-Identifier: Apache-2.0

package results

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// Keep writes a file as PutFile does, but over none that is there: what an earlier record
// of the run names stays. It returns the name, which then has the number of the attempt:
// ledgers/7.json.zst, ledgers/7.2.json.zst.
func (s *Store) Keep(name string, data []byte) (string, error) {
	free := name
	for attempt := 2; ; attempt++ {
		_, err := os.Lstat(s.path(free))
		if errors.Is(err, fs.ErrNotExist) {
			return free, s.PutFile(free, data)
		}
		if err != nil {
			return "", fmt.Errorf("write %s: %w", name, err)
		}
		folder, base := path.Split(name)
		stem, extension, _ := strings.Cut(base, ".")
		free = fmt.Sprintf("%s%s.%d.%s", folder, stem, attempt, extension)
	}
}
