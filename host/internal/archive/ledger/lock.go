package ledger

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/slipstick/slipstick/registry/regular"
)

// lockDir locks the directory against other servers while the file is open.
func lockDir(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	locked, err := regular.TryLock(f)
	if locked {
		return f, nil
	}
	if err == nil {
		err = ErrInUse
	}
	return nil, errors.Join(err, f.Close())
}
