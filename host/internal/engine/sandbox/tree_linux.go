package sandbox

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/slipstick/slipstick/host/internal/engine/sandbox/shim"
)

// visible returns the entries of the system that an engine sees: the paths, and the links to reach
// them by their usual names. Parents come before their content.
func visible(paths, readable []string) ([]shim.Entry, error) {
	if len(paths) > maxPaths {
		return nil, fmt.Errorf("the release wants to read %d paths: at most %d", len(paths), maxPaths)
	}
	v := view{}
	for _, path := range paths {
		if path == "/" || !filepath.IsAbs(path) || filepath.Clean(path) != path {
			return nil, fmt.Errorf("the release wants to read %.200q: it must be an absolute path, as short as can be", path)
		}
		real, err := v.follow(path)
		if err != nil {
			return nil, fmt.Errorf("the release wants to read %s: %w", path, err)
		}
		for _, p := range []string{path, real} {
			if !slices.ContainsFunc(readable, func(r string) bool { return within(p, r) }) {
				return nil, fmt.Errorf("the release wants to read %s, which is outside of what engines may be shown (%s)", p, strings.Join(readable, ", "))
			}
		}
	}
	if len(paths) == 0 {
		return nil, nil
	}
	v.addUsualLinks()
	return v.entries(), nil
}

// maxPaths bounds the number of paths that a release may declare.
const maxPaths = 32

// view has the entries that an engine will see, by path.
type view map[string]shim.Entry

// usualLinks are links to directories on systems that have everything below /usr. Executables name
// their interpreter by these paths.
var usualLinks = []string{"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}

func (v view) addUsualLinks() {
	for _, path := range usualLinks {
		if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
			continue
		}
		links := view{}
		if real, err := links.follow(path); err == nil && v.shows(real) {
			delete(links, real)
			maps.Copy(v, links)
		}
	}
}

// shows reports whether the path is in a tree that the engine sees.
func (v view) shows(path string) bool {
	for p, e := range v {
		if (e.Kind == shim.Tree || e.Kind == shim.File) && within(path, p) {
			return true
		}
	}
	return false
}

// maxLinks is how many symbolic links a path may lead through.
const maxLinks = 40

// follow adds the file or directory of the path, and every symbolic link on the way to it. It
// returns the path without links.
func (v view) follow(path string) (string, error) {
	for range maxLinks {
		link, err := firstLink(path)
		if err != nil {
			return "", err
		}
		if link == "" {
			return path, v.addReal(path)
		}
		target, err := os.Readlink(link)
		if err != nil {
			return "", err
		}
		v[link] = shim.Entry{Path: link, Kind: shim.Link, Target: target}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(link), target)
		}
		path = filepath.Join(target, strings.TrimPrefix(path, link))
	}
	return "", errors.New("too many symbolic links")
}

// firstLink returns the shortest prefix of the path that is a symbolic link, "" if there is none.
func firstLink(path string) (string, error) {
	for end := 1; end <= len(path); end++ {
		if end < len(path) && path[end] != '/' {
			continue
		}
		info, err := os.Lstat(path[:end])
		if err != nil {
			return "", err
		}
		if info.Mode()&os.ModeSymlink != 0 {
			return path[:end], nil
		}
	}
	return "", nil
}

func (v view) addReal(path string) error {
	var stat unix.Stat_t
	if err := unix.Stat(path, &stat); err != nil {
		return &os.PathError{Op: "stat", Path: path, Err: err}
	}
	e := shim.Entry{Path: path, Device: uint64(stat.Dev), Inode: stat.Ino}
	switch stat.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		e.Kind = shim.Tree
	case unix.S_IFREG:
		e.Kind = shim.File
	default:
		return errors.New("it is neither a directory nor a file")
	}
	v[path] = e
	return nil
}

// entries returns the sorted entries that the shim has to make. It leaves out the content of trees,
// which comes with the tree.
func (v view) entries() []shim.Entry {
	for path := range v {
		for p, e := range v {
			if e.Kind == shim.Tree && p != path && within(path, p) {
				delete(v, path)
			}
		}
	}
	for path := range maps.Clone(v) {
		for parent := filepath.Dir(path); parent != "/"; parent = filepath.Dir(parent) {
			if _, there := v[parent]; !there {
				v[parent] = shim.Entry{Path: parent, Kind: shim.Directory}
			}
		}
	}
	return slices.SortedFunc(maps.Values(v), func(a, b shim.Entry) int { return strings.Compare(a.Path, b.Path) })
}

// within reports whether the path is the directory or a path below it.
func within(path, directory string) bool {
	return path == directory || strings.HasPrefix(path, strings.TrimSuffix(directory, "/")+"/")
}
