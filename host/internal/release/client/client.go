// Package client generates clients that call exactly the versions in a lock file. [Write] returns the
// source of a client, in one file, with a typed function for each version. The function has the pin of
// the version and the digests of its engines. The file needs only the standard library of its language.
package client

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/format"
	"go/token"
	"path/filepath"
	"sync"
	"text/template"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/lockfile"
)

// Language is the programming language of a client.
type Language string

// The languages of clients.
const (
	Go         Language = "go"
	TypeScript Language = "ts"
	Python     Language = "python"
)

// files are the file names of clients.
var files = map[Language]string{Go: "calculations.go", TypeScript: "calculations.ts", Python: "calculations.py"}

// Source is the input from which [Write] generates a client.
type Source struct {
	Generator  string // the generating program, with its version
	Lock       *lockfile.File
	LockDigest string                // digest of the lock file
	Published  []registry.Capability // at least the locked versions
	Dir        string                // directory of the client; the last element is the name of a Go package
}

// Client is the source of a client.
type Client struct {
	Path      string // path of its file
	Text      []byte
	Functions int // number of versions that it can call
}

// ErrMismatch means that the published versions differ from the locked versions.
var ErrMismatch = errors.New("the published versions differ from the lock file")

// ErrPackage means that the name of a directory cannot be the name of a Go package.
var ErrPackage = errors.New("not a name for a Go package")

// Write returns the client in a language. Equal sources produce equal bytes. The error is [ErrMismatch], with
// the differences, or [ErrPackage].
func Write(l Language, s *Source) (*Client, error) {
	dir, err := filepath.Abs(s.Dir)
	if err != nil {
		return nil, err
	}
	if l == Go {
		if name := filepath.Base(dir); !token.IsIdentifier(name) || name == "main" {
			return nil, fmt.Errorf("%w: %q; choose a directory with a valid name, such as calculations", ErrPackage, name)
		}
	}
	releases, err := published(s.Lock, s.Published)
	if err != nil {
		return nil, err
	}
	m := newModel(l, s, filepath.Base(dir), releases)
	var text bytes.Buffer
	if err := templates().ExecuteTemplate(&text, files[l]+".tmpl", m); err != nil {
		return nil, err
	}
	c := &Client{Path: filepath.Join(s.Dir, files[l]), Text: text.Bytes(), Functions: len(m.Functions)}
	if l == Go {
		c.Text, err = format.Source(c.Text)
		if err != nil {
			return nil, err
		}
	}
	return c, nil
}

// published returns the releases of the locked engines. It omits tables, which have no engine.
func published(lock *lockfile.File, list []registry.Capability) (map[*lockfile.Release]*registry.Release, error) {
	var errs []error
	for _, d := range lock.Missing(list) {
		errs = append(errs, errors.New(d.String()))
	}
	for _, d := range lock.Withdrawn(list) {
		if d.Lifecycle.State == evidence.Revoked {
			errs = append(errs, errors.New(d.String()))
		}
	}
	if len(errs) > 0 {
		return nil, fmt.Errorf("%w: %w", ErrMismatch, errors.Join(errs...))
	}
	found := map[[2]string]*registry.Release{}
	for _, c := range list {
		for _, r := range c.Releases {
			found[[2]string{c.ID, r.Version}] = r
		}
	}
	releases := map[*lockfile.Release]*registry.Release{}
	for i := range lock.Releases {
		l := &lock.Releases[i]
		if r := found[[2]string{l.Capability, l.Version}]; r.Table == nil {
			releases[l] = r
		}
	}
	return releases, nil
}

//go:embed templates
var sources embed.FS

// templates are parsed at the first use, because most commands write no client.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(helpers).ParseFS(sources, "templates/*.tmpl"))
})
