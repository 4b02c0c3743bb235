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

// ReadHostKeys reads public keys of servers. They can be in a file, at the URL of a server or of a
// document, or in a registry. The reach has the options to connect to that registry.
func ReadHostKeys(ctx context.Context, at string, reach Place) ([]hostkeys.File, error) {
	isURL := strings.HasPrefix(at, "https://") || strings.HasPrefix(at, "http://")
	info, err := os.Stat(at)
	switch {
	case isURL:
		if _, path, _ := strings.Cut(strings.TrimSuffix(at, "/"), "://"); !strings.Contains(path, "/") {
			at = strings.TrimSuffix(at, "/") + hostkeys.WellKnown
		}
		data, err := fetch.Get(ctx, at, &fetch.Options{Limit: hostkeys.MaxDocument, Authentic: true})
		return []hostkeys.File{{Name: at, Data: data}}, err
	case remote.IsAddress(at), err == nil && info.IsDir():
		reach.Registry = at
		keys, err := reach.keyStore()
		if err != nil {
			return nil, err
		}
		files, err := keys.HostKeys(ctx)
		if err == nil && len(files) == 0 {
			err = &SettingError{fmt.Errorf("the registry %s has no keys of servers: slipstick keys export --to stores them there", at)}
		}
		return files, err
	}
	data, err := regular.Read(at, hostkeys.MaxDocument)
	if err != nil {
		return nil, &SettingError{fmt.Errorf("read the keys of a server: %w", err)}
	}
	return []hostkeys.File{{Name: at, Data: data}}, nil
}

// keyStore is a registry, in a directory or remote, that stores public keys of servers.
type keyStore interface {
	HostKeys(ctx context.Context) ([]hostkeys.File, error)
	PutHostKeys(ctx context.Context, f hostkeys.File) error
}

func (p *Place) keyStore() (keyStore, error) {
	if remote.IsAddress(p.Registry) {
		return p.remote(false)
	}
	if err := mustExist(p.Registry); err != nil {
		return nil, err
	}
	return registry.Open(p.Registry, nil)
}

// KeysLostError means that the registry would lose public keys that a reader of snapshots can need.
type KeysLostError struct {
	Name string
	IDs  []string // ids of the keys; none if the stored document cannot be read
}

func (e *KeysLostError) Error() string {
	if len(e.IDs) == 0 {
		return fmt.Sprintf("the registry has another document under the name %s: use another --name, or --replace it", e.Name)
	}
	return fmt.Sprintf("the registry has keys under the name %s that are not in this document: %s. If they belong to another server, use another --name; if they are not valid any more, --replace them",
		e.Name, strings.Join(e.IDs, ", "))
}

// PutHostKeys stores public keys in the registry under a name. If the name has keys that the document
// lacks, PutHostKeys replaces them only if replace is set.
func (p *Place) PutHostKeys(ctx context.Context, name string, d *hostkeys.Document, replace bool) error {
	if err := hostkeys.CheckName(name); err != nil {
		return &SettingError{err}
	}
	keys, err := p.keyStore()
	if err != nil {
		return err
	}
	former, err := keys.HostKeys(ctx)
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
	return keys.PutHostKeys(ctx, hostkeys.File{Name: name, Data: data})
}
