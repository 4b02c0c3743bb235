package source

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/slipstick/slipstick/host/internal/platform/fetch"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/hostkeys"
	"github.com/slipstick/slipstick/registry/regular"
	"github.com/slipstick/slipstick/registry/remote"
)

// ReadHostKeys reads public keys of hosts: those in a file, at the address of a host or a
// document, or in a registry, which is reached as the Place says.
func ReadHostKeys(ctx context.Context, at string, reach Place) ([]hostkeys.File, error) {
	address := strings.HasPrefix(at, "https://") || strings.HasPrefix(at, "http://")
	info, err := os.Stat(at)
	switch {
	case address:
		if _, path, _ := strings.Cut(strings.TrimSuffix(at, "/"), "://"); !strings.Contains(path, "/") {
			at = strings.TrimSuffix(at, "/") + hostkeys.WellKnown
		}
		data, err := fetch.Get(ctx, at, &fetch.Options{Limit: hostkeys.MaxDocument, Authentic: true})
		return []hostkeys.File{{Name: at, Data: data}}, err
	case remote.IsAddress(at), err == nil && info.IsDir():
		reach.Registry = at
		there, err := reach.keyKeeper()
		if err != nil {
			return nil, err
		}
		files, err := there.HostKeys(ctx)
		if err == nil && len(files) == 0 {
			err = &SettingError{fmt.Errorf("the registry %s has no keys of hosts: slipstick keys export --to puts them there", at)}
		}
		return files, err
	}
	data, err := regular.Read(at, hostkeys.MaxDocument)
	if err != nil {
		return nil, &SettingError{fmt.Errorf("read the keys of a host: %w", err)}
	}
	return []hostkeys.File{{Name: at, Data: data}}, nil
}

// keyKeeper is a registry that has public keys of hosts.
type keyKeeper interface {
	HostKeys(ctx context.Context) ([]hostkeys.File, error)
	PutHostKeys(ctx context.Context, f hostkeys.File) error
}

func (p *Place) keyKeeper() (keyKeeper, error) {
	if remote.IsAddress(p.Registry) {
		return p.remote(false)
	}
	if err := mustExist(p.Registry); err != nil {
		return nil, err
	}
	return registry.Open(p.Registry, nil)
}

// A KeysLostError says that public keys would be lost by which somebody may verify snapshots.
type KeysLostError struct {
	Name string
	IDs  []string // of the keys; none if what is there cannot be read
}

func (e *KeysLostError) Error() string {
	if len(e.IDs) == 0 {
		return fmt.Sprintf("the registry has something else under the name %s: choose another --name, or --replace it", e.Name)
	}
	return fmt.Sprintf("the registry has keys under the name %s that are not among these: %s. If they are those of another host, choose another --name; if they must not count any more, --replace them",
		e.Name, strings.Join(e.IDs, ", "))
}

// PutHostKeys keeps public keys in the registry. In place of others it keeps them only if all of
// those are among them, or if it shall replace them.
func (p *Place) PutHostKeys(ctx context.Context, name string, d *hostkeys.Document, replace bool) error {
	if err := hostkeys.CheckName(name); err != nil {
		return &SettingError{err}
	}
	there, err := p.keyKeeper()
	if err != nil {
		return err
	}
	former, err := there.HostKeys(ctx)
	if err != nil {
		return err
	}
	for _, f := range former {
		if f.Name != name || replace {
			continue
		}
		old, err := hostkeys.Parse(f.Data)
		if err != nil {
			return &KeysLostError{Name: name}
		}
		if missing := d.Missing(old); len(missing) > 0 {
			return &KeysLostError{Name: name, IDs: missing}
		}
	}
	data, err := d.JSON()
	if err != nil {
		return err
	}
	return there.PutHostKeys(ctx, hostkeys.File{Name: name, Data: data})
}
