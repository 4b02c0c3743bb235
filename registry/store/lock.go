//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/slipstick/slipstick/registry/regular"
)

// lockPoll is the interval at which a waiting publisher tries again.
const lockPoll = 5 * time.Millisecond

// lock waits until no other process has the lock file of that name. The kernel releases the
// lock of a process that dies.
func (s *Store) lock(ctx context.Context, name string) (unlock func(), err error) {
	root, err := regular.Root(s.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.OpenFile(name, os.O_CREATE|os.O_RDWR|syscall.O_NONBLOCK, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock the registry: %w", err)
	}
	for {
		err := ctx.Err()
		if err == nil {
			err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		}
		switch {
		case err == nil:
			return func() { f.Close() }, nil
		case !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR):
			f.Close()
			return nil, fmt.Errorf("wait for the lock of the registry (%s in %s): %w", name, s.dir, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(lockPoll):
		}
	}
}
