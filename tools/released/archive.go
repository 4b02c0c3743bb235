package released

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/dirhash"

	"github.com/slipstick/slipstick/host/internal/platform/durable"
)

// Archive is the archived source of one module: files with paths from the root of the repository.
type Archive struct {
	Name string // module and hash of the content, so that different content has a different name
	data []byte
}

// hash returns the hash of files. It equals the hash of a Go module with these files.
func hash(files []string, open func(name string) (io.ReadCloser, error)) (string, error) {
	return dirhash.Hash1(files, open)
}

// nameOf returns the name of an archive of a module with the hash.
func nameOf(module, hash string) (string, error) {
	sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(hash, "h1:"))
	if err != nil || len(sum) < 8 {
		return "", fmt.Errorf("%q is not a hash", hash)
	}
	return fmt.Sprintf("%s-%x", module, sum[:8]), nil
}

// pack creates the archive of files of a module.
func pack(root fs.FS, module string, files []string) (*Archive, error) {
	files = slices.Clone(files)
	slices.Sort(files)
	files = slices.Compact(files)
	sum, err := hash(files, func(name string) (io.ReadCloser, error) { return root.Open(name) })
	if err != nil {
		return nil, err
	}
	name, err := nameOf(module, sum)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, file := range files {
		data, err := fs.ReadFile(root, file)
		if err != nil {
			return nil, err
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: file, Method: zip.Deflate}) // without a time
		if err == nil {
			_, err = w.Write(data)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	if out.Len() > maxArchive {
		return nil, fmt.Errorf("the archive %s would have %d bytes, more than the %d that are read", name, out.Len(), maxArchive)
	}
	return &Archive{name, out.Bytes()}, nil
}

// Unpack writes the files of an archive below a directory. It refuses content that does not match the
// name of the archive.
func (a *Archive) Unpack(dir string) error {
	err := a.unpackInto(dir)
	if err != nil {
		return fmt.Errorf("archive %s: %w", a.Name, err)
	}
	return nil
}

func (a *Archive) unpackInto(dir string) error {
	z, err := zip.NewReader(bytes.NewReader(a.data), int64(len(a.data)))
	if err != nil {
		return err
	}
	module, _, _ := strings.Cut(a.Name, "-")
	var files []string
	size := uint64(0)
	for _, f := range z.File {
		size += f.UncompressedSize64
		if len(files) == maxFiles || f.UncompressedSize64 > maxUnpacked || size > maxUnpacked {
			return fmt.Errorf("it has more than %d files or %d bytes", maxFiles, maxUnpacked)
		}
		if !f.Mode().IsRegular() || !fs.ValidPath(f.Name) || !strings.HasPrefix(f.Name, module+"/") || strings.Contains(f.Name, `\`) {
			return fmt.Errorf("%.200q is not a file of %s", f.Name, module)
		}
		files = append(files, f.Name)
	}
	sum, err := hash(files, func(name string) (io.ReadCloser, error) { return z.Open(name) })
	if err != nil {
		return err
	}
	if name, err := nameOf(module, sum); err != nil || name != a.Name {
		return errors.New("its content does not match its name: restore it from Git")
	}
	return os.CopyFS(dir, z) // it overwrites no file, and writes none outside the directory
}

// readArchive reads a stored archive.
func (r Repository) readArchive(name string) (*Archive, error) {
	data, err := readFile(r.archive(name), maxArchive)
	if err != nil {
		return nil, err
	}
	return &Archive{name, data}, nil
}

// Keep stores an archive unless it exists already.
func (r Repository) Keep(a *Archive) error {
	if _, err := os.Stat(r.archive(a.Name)); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(r.archive(a.Name)), 0o755); err != nil {
		return err
	}
	return durable.Replace(r.archive(a.Name), 0o644, durable.Bytes(a.data))
}

// Sweep removes the archives that no release needs.
func (r Repository) Sweep(list []Release) error {
	all, err := filepath.Glob(r.archive("*"))
	if err != nil {
		return err
	}
	for _, file := range all {
		name := strings.TrimSuffix(filepath.Base(file), ".zip")
		if slices.ContainsFunc(list, func(r Release) bool { return r.Archive == name || r.SDK == name }) {
			continue
		}
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	return nil
}

// Unpack writes the source of a release into an empty directory, with the paths of a checkout.
func (r Repository) Unpack(release *Release, dir string) error {
	for _, name := range []string{release.SDK, release.Archive} {
		a, err := r.readArchive(name)
		if err == nil {
			err = a.Unpack(dir)
		}
		if err != nil {
			return fmt.Errorf("source of %s %s: %w", release.Capability, release.Version, err)
		}
	}
	return nil
}

// UnpackTree writes the engines of the work tree into an empty directory, next to the SDK of a
// release.
func (r Repository) UnpackTree(release *Release, dir string) error {
	kit, err := r.readArchive(release.SDK)
	if err == nil {
		err = kit.Unpack(dir)
	}
	if err != nil {
		return err
	}
	return os.CopyFS(filepath.Join(dir, pluginsDir), os.DirFS(r.path(pluginsDir)))
}

// readFile reads a file of at most limit bytes.
func readFile(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s has more than the %d bytes that are read", name, limit)
	}
	return data, err
}
