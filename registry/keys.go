package registry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/slipstick/slipstick/registry/hostkeys"
	"github.com/slipstick/slipstick/registry/regular"
)

// keysDir has the public keys of servers, a file for each name. The name is hidden, so
// listings of capabilities do not contain it.
const keysDir = ".keys"

// HostKeys returns the public keys of servers in the registry.
func (r *Registry) HostKeys(context.Context) (files []hostkeys.File, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("read the keys of servers in %s: %w", r.store.Dir(), err)
		}
	}()
	dir := filepath.Join(r.store.Dir(), keysDir)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		name, found := strings.CutSuffix(e.Name(), ".json")
		if !found || hostkeys.CheckName(name) != nil {
			continue
		}
		if len(files) == hostkeys.MaxFiles {
			return nil, fmt.Errorf("there are more than %d documents", hostkeys.MaxFiles)
		}
		data, err := regular.Read(filepath.Join(dir, e.Name()), hostkeys.MaxDocument)
		if err != nil {
			return nil, err
		}
		files = append(files, hostkeys.File{Name: name, Data: data})
	}
	return files, nil
}

// PutHostKeys stores the public keys of a server. It replaces the earlier keys with the same
// name.
func (r *Registry) PutHostKeys(ctx context.Context, f hostkeys.File) error {
	if err := hostkeys.CheckName(f.Name); err != nil {
		return err
	}
	w, err := r.store.Lock(ctx)
	if err != nil {
		return err
	}
	defer w.Close()
	return w.Keep(path.Join(keysDir, f.Name+".json"), f.Data)
}
