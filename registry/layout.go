package registry

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/slipstick/slipstick/registry/store"
	"github.com/slipstick/slipstick/sdk"
)

// MaxEngine is the largest size of an engine binary, in bytes, for publishing and reading.
const MaxEngine = 512 << 20

// layout is the open directory of one capability, with the options of the registry.
type layout struct {
	*store.Layout
	options Options
	files   files
}

// files is a store, or a writer of a store.
type files interface {
	Layout(id string) (*store.Layout, error)
}

// openLayout opens the directory of a capability. It opens no other directory. The error is
// fs.ErrNotExist only if that name does not exist.
func (r *Registry) openLayout(from files, id string) (*layout, error) {
	if strings.HasPrefix(id, ".") || strings.ContainsRune(id, '/') {
		return nil, fs.ErrNotExist // hidden, or elsewhere
	}
	l, err := from.Layout(id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case !sdk.IsCapability(id):
		if err == nil {
			l.Close()
		}
		return nil, fmt.Errorf("the name %q is not a capability id such as thermo.radiation.grey_surface: move it out of the registry", id)
	case err != nil:
		return nil, err
	}
	return &layout{l, r.options, from}, nil
}

// open opens a capability and reads its index.
func (r *Registry) open(id string) (*layout, *store.Index, error) {
	l, err := r.openLayout(r.store, id)
	if err != nil {
		return nil, nil, err
	}
	x, err := l.Index()
	if err != nil {
		l.Close()
		return nil, nil, err
	}
	return l, x, nil
}
