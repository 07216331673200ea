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

// Free returns the name of a file that is not there yet, so that what an earlier record of
// the run names stays: that given, or with the number of the attempt in it:
// ledgers/7.json.zst, ledgers/7.2.json.zst.
func (s *Store) Free(name string) (string, error) {
	free := name
	for attempt := 2; ; attempt++ {
		_, err := os.Lstat(s.path(free))
		if errors.Is(err, fs.ErrNotExist) {
			return free, nil
		}
		if err != nil {
			return "", fmt.Errorf("look for %s: %w", name, err)
		}
		folder, base := path.Split(name)
		stem, extension, _ := strings.Cut(base, ".")
		free = fmt.Sprintf("%s%s.%d.%s", folder, stem, attempt, extension)
	}
}
