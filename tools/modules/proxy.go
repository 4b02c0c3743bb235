package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

// pack writes the module in a directory of a repository, at a revision, into a proxy. It
// returns its lines of go.sum. It keeps a version that the proxy already has.
func pack(repository, revision, name string, m module.Version, at time.Time, proxy string) (sums []string, err error) {
	path, err := module.EscapePath(m.Path)
	if err != nil {
		return nil, err
	}
	version, err := module.EscapeVersion(m.Version)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(proxy, filepath.FromSlash(path), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	if err := zip.CreateFromVCS(&packed, m, repository, revision, name); err != nil {
		return nil, err
	}
	text, err := git(repository, nil, "show", revision+":"+name+"/go.mod")
	if err != nil {
		return nil, err
	}
	mod := []byte(text)
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{m.Version, at.UTC()})
	if err != nil {
		return nil, err
	}
	for end, data := range map[string][]byte{".zip": packed.Bytes(), ".mod": mod, ".info": info} {
		if err := add(filepath.Join(dir, version+end), data); err != nil {
			return nil, err
		}
	}
	if err := list(filepath.Join(dir, "list"), m.Version); err != nil {
		return nil, err
	}
	ofZip, err := dirhash.HashZip(filepath.Join(dir, version+".zip"), dirhash.Hash1)
	if err != nil {
		return nil, err
	}
	ofMod, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(mod)), nil })
	if err != nil {
		return nil, err
	}
	return []string{
		fmt.Sprintf("%s %s %s\n", m.Path, m.Version, ofZip),
		fmt.Sprintf("%s %s/go.mod %s\n", m.Path, m.Version, ofMod),
	}, nil
}

// add writes a file that never changes.
func add(path string, data []byte) error {
	there, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return os.WriteFile(path, data, 0o644)
	case err == nil && !bytes.Equal(there, data):
		return fmt.Errorf("%s is there with other bytes: a released version never changes", path)
	}
	return err
}

// list adds a version to the proxy's list of versions.
func list(path, version string) error {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	all := append(strings.Fields(string(text)), version)
	semver.Sort(all)
	return os.WriteFile(path, []byte(strings.Join(slices.Compact(all), "\n")+"\n"), 0o644)
}
