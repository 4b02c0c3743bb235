//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package registry

import (
	"context"
	"errors"
)

// lock refuses: without flock two publishers could not be told apart.
func (r *Registry) lock(context.Context) (unlock func(), err error) {
	return nil, errors.New("publishing needs flock, which this system does not have: publish from Linux or macOS")
}
