// Package client answers one question: which program calls exactly the versions that somebody
// relies on? It writes the source of a client, in one file: a typed function for each version
// in a lock file, with its pin and the digests of its engine. The file needs nothing but what
// comes with its language.
package client

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/format"
	"go/token"
	"path/filepath"
	"text/template"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/lockfile"
)

// Language is what a client is written in.
type Language string

// The languages.
const (
	Go         Language = "go"
	TypeScript Language = "ts"
	Python     Language = "python"
)

// files are the names of the client's file.
var files = map[Language]string{Go: "calculations.go", TypeScript: "calculations.ts", Python: "calculations.py"}

// Source is what a client is made of.
type Source struct {
	Generator  string // the program that writes the client, with its version
	Lock       *lockfile.File
	LockDigest string                // of the lock file's bytes
	Published  []registry.Capability // at least what is locked
	Dir        string                // where the client will lie; a package of Go has the last word of it as its name
}

// Client is the source of a client.
type Client struct {
	Path      string // of its file
	Text      []byte
	Functions int // versions that it can call
}

// ErrOther says that what is published is not what is locked.
var ErrOther = errors.New("what is published is not what is locked")

// ErrPackage says that a directory cannot hold a package of Go.
var ErrPackage = errors.New("no name for a package of Go")

// Write returns the client. Equal sources give equal bytes. An error is ErrOther, with what is
// different, or ErrPackage.
func Write(l Language, s *Source) (*Client, error) {
	dir, err := filepath.Abs(s.Dir)
	if err != nil {
		return nil, err
	}
	if l == Go {
		if name := filepath.Base(dir); !token.IsIdentifier(name) || name == "main" {
			return nil, fmt.Errorf("%w: %q; choose a directory with one, such as calculations", ErrPackage, name)
		}
	}
	releases, err := published(s.Lock, s.Published)
	if err != nil {
		return nil, err
	}
	m := newModel(l, s, filepath.Base(dir), releases)
	var text bytes.Buffer
	if err := templates.ExecuteTemplate(&text, files[l]+".tmpl", m); err != nil {
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

// published finds the releases of the locked engines. Tables compute nothing and are left out.
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
		return nil, fmt.Errorf("%w: %w", ErrOther, errors.Join(errs...))
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

var templates = template.Must(template.New("").Funcs(helpers).ParseFS(sources, "templates/*.tmpl"))
