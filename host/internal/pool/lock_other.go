//go:build !unix

package pool

import "os"

// lockFile always fails for an existing file: this system has no flock, so no directory is
// ever regarded as abandoned.
func lockFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
}
