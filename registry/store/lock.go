package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
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
	f, err := create(root, name)
	if errors.Is(err, fs.ErrExist) {
		f, err = root.OpenFile(name, os.O_RDWR|regular.WithoutWaiting, 0)
	}
	if err != nil {
		return nil, fmt.Errorf("lock the registry: %w", err)
	}
	for {
		locked, err := false, ctx.Err()
		if err == nil {
			locked, err = regular.TryLock(f)
		}
		switch {
		case locked:
			return func() { f.Close() }, nil
		case err != nil:
			f.Close()
			return nil, fmt.Errorf("wait for the lock of the registry (%s in %s): %w", name, s.dir, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(lockPoll):
		}
	}
}
