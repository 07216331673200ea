// SPDX-License-Identifier: Apache-2.0

package results

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// Owner is to whom the files of a folder are given. A nil Owner leaves them with
// whoever runs the process.
type Owner struct {
	UID, GID int
}

// OwnerFromEnv returns the user behind sudo, who should own what was made on
// their behalf, and nil if there is none.
func OwnerFromEnv(getenv func(string) string) *Owner {
	uid, errUID := strconv.ParseUint(getenv("SUDO_UID"), 10, 31)
	gid, errGID := strconv.ParseUint(getenv("SUDO_GID"), 10, 31)
	if errUID != nil || errGID != nil {
		return nil
	}
	return &Owner{UID: int(uid), GID: int(gid)}
}

// give hands over an open file.
func (o *Owner) give(f *os.File) error {
	if o == nil {
		return nil
	}
	return f.Chown(o.UID, o.GID)
}

// mkdirAll makes dir and the folders above it, and hands over those that it made
// and no others.
func (o *Owner) mkdirAll(dir string) error {
	dir = filepath.Clean(dir)
	if info, err := os.Stat(dir); err == nil {
		if !info.IsDir() {
			return fmt.Errorf("%s is not a folder", dir)
		}
		return nil
	}
	if parent := filepath.Dir(dir); parent != dir {
		if err := o.mkdirAll(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		if os.IsExist(err) {
			return nil
		}
		return err
	}
	if o == nil {
		return nil
	}
	return os.Lchown(dir, o.UID, o.GID)
}
