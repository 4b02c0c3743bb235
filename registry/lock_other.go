//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package registry

import (
	"context"
	"errors"
)

// lock refuses: without flock two publishers could not be told apart.
func (r *Registry) lock(ctx context.Context) (unlock func(), err error) {
	return r.lockAs(ctx, lockFile)
}

func (r *Registry) lockAs(context.Context, string) (unlock func(), err error) {
	return nil, errors.New("publishing needs flock, which this system does not have: publish from Linux or macOS")
}
