// Package tree builds trees of files for archives and packages reproducibly. The same files give the same
// bytes, whatever the clock, the umask and the owners of files on disk. See [New] and [Tree.Tar].
package tree

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"
)

// File is one entry. It has the content Data or the content of the file From, or it is a symbolic
// link to Link. Mode can mark it as a directory.
type File struct {
	Mode  fs.FileMode
	Owner int // user and group; 0 is root
	Data  []byte
	From  string
	Link  string
}

// Tree maps slash-separated paths, without a leading slash, to files. Parent directories are added
// automatically. They belong to root, with mode 755.
type Tree struct {
	Time   time.Time // of every entry
	Format Format
	files  map[string]File
}

// Format is the format of the tar archive.
type Format int

// The formats of tar archives.
const (
	PAX    Format = iota // for every other program
	Debian               // for dpkg: GNU's format, with names that start with "./"
)

// New returns an empty tree. All its entries get the time.
func New(at time.Time) *Tree { return &Tree{Time: at.UTC(), files: map[string]File{}} }

// Add adds an entry and its parent directories.
func (t *Tree) Add(name string, f File) {
	name = path.Clean(name)
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if _, there := t.files[dir]; !there {
			t.files[dir] = File{Mode: fs.ModeDir | 0o755}
		}
	}
	t.files[name] = f
}

// Text adds a file that all users may read.
func (t *Tree) Text(name string, data []byte) { t.Add(name, File{Mode: 0o644, Data: data}) }

// AddDir adds all files below a directory on disk. It keeps only the executable bit of their modes. It
// skips files that the filter refuses.
func (t *Tree) AddDir(name, dir string, filter func(base string) bool) error {
	return filepath.WalkDir(dir, func(at string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(dir, at)
		if err != nil {
			return err
		}
		to := path.Join(name, filepath.ToSlash(below))
		info, err := entry.Info()
		switch {
		case err != nil:
			return err
		case info.IsDir():
			t.Add(to, File{Mode: fs.ModeDir | 0o755})
		case !filter(entry.Name()):
		case !info.Mode().IsRegular():
			return fmt.Errorf("%s is neither a file nor a directory", at)
		default:
			t.Add(to, File{Mode: 0o644 | info.Mode()&0o111, From: at})
		}
		return nil
	})
}

// Names returns the paths in order, so that directories come before their entries.
func (t *Tree) Names() []string { return slices.Sorted(maps.Keys(t.files)) }

// Tar writes a tar archive of all entries. A file on disk that is in the tree twice becomes a hard link to its first
// entry, which has the mode of both.
func (t *Tree) Tar(w io.Writer) error {
	archive := tar.NewWriter(w)
	if t.Format == Debian {
		err := archive.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: "./", Mode: 0o755, ModTime: t.Time, Format: tar.FormatGNU})
		if err != nil {
			return err
		}
	}
	links := map[string]string{}
	for _, name := range t.Names() {
		if err := t.tarOne(archive, name, links); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return archive.Close()
}

func (t *Tree) tarOne(archive *tar.Writer, name string, links map[string]string) error {
	f, as, format := t.files[name], name, tar.FormatPAX
	if t.Format == Debian {
		as, format = "./"+name, tar.FormatGNU
	}
	header := &tar.Header{Name: as, Mode: int64(f.Mode.Perm()), Uid: f.Owner, Gid: f.Owner, ModTime: t.Time, Format: format}
	if f.Mode&fs.ModeSticky != 0 {
		header.Mode |= 0o1000
	}
	switch {
	case f.Mode.IsDir():
		header.Typeflag, header.Name = tar.TypeDir, as+"/"
		return archive.WriteHeader(header)
	case f.Link != "":
		header.Typeflag, header.Linkname, header.Mode = tar.TypeSymlink, f.Link, 0o777
		return archive.WriteHeader(header)
	case f.From != "" && links[f.From] != "":
		header.Typeflag, header.Linkname = tar.TypeLink, links[f.From]
		return archive.WriteHeader(header)
	case f.From != "":
		links[f.From] = as
	}
	content, size, err := f.open()
	if err != nil {
		return err
	}
	defer content.Close()
	header.Typeflag, header.Size = tar.TypeReg, size
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	_, err = io.Copy(archive, content)
	return err
}

// Zip writes a zip archive of all entries. It refuses symbolic links, which Windows does not unpack.
func (t *Tree) Zip(w io.Writer) error {
	archive := zip.NewWriter(w)
	for _, name := range t.Names() {
		if err := t.zipOne(archive, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return archive.Close()
}

func (t *Tree) zipOne(archive *zip.Writer, name string) error {
	f := t.files[name]
	if f.Link != "" {
		return errors.ErrUnsupported
	}
	header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: t.Time}
	header.SetMode(f.Mode)
	if f.Mode.IsDir() {
		header.Name, header.Method = name+"/", zip.Store
		_, err := archive.CreateHeader(header)
		return err
	}
	content, _, err := f.open()
	if err != nil {
		return err
	}
	defer content.Close()
	to, err := archive.CreateHeader(header)
	if err == nil {
		_, err = io.Copy(to, content)
	}
	return err
}

func (f *File) open() (io.ReadCloser, int64, error) {
	if f.From == "" {
		return io.NopCloser(bytes.NewReader(f.Data)), int64(len(f.Data)), nil
	}
	file, err := os.Open(f.From)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, 0, err
	}
	return file, info.Size(), nil
}

// Each calls visit with the content of every file, in the order of the names. Directories have none. Again is set for a
// file on disk that an earlier entry has.
func (t *Tree) Each(visit func(name string, content io.Reader, again bool) error) error {
	seen := map[string]bool{}
	for _, name := range t.Names() {
		f := t.files[name]
		if f.Mode.IsDir() || f.Link != "" {
			if err := visit(name, nil, false); err != nil {
				return err
			}
			continue
		}
		content, _, err := f.open()
		if err != nil {
			return err
		}
		err = visit(name, content, seen[f.From])
		content.Close()
		if err != nil {
			return err
		}
		seen[f.From] = f.From != ""
	}
	return nil
}
