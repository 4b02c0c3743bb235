//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package store

import (
	"context"
	"errors"
)

// lock returns an error: without flock two publishers would not exclude each other.
func (s *Store) lock(context.Context, string) (unlock func(), err error) {
	return nil, errors.New("publishing needs flock, which this system does not have: publish from Linux or macOS")
}
