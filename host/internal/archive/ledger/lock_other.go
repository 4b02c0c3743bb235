//go:build !unix

package ledger

import (
	"errors"
	"os"
)

// lockDir returns an error: without a lock, two servers could write to one directory.
func lockDir(string) (*os.File, error) {
	return nil, errors.New("a ledger needs flock, which this operating system does not have")
}
