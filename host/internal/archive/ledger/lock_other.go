//go:build !unix

package ledger

import (
	"errors"
	"os"
)

// lockDir refuses: two hosts in one directory could not be told apart.
func lockDir(string) (*os.File, error) {
	return nil, errors.New("a ledger needs flock, which this system does not have")
}
