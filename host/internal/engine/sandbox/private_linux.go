package sandbox

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/slipstick/slipstick/host/internal/engine/sandbox/shim"
)

// checkPrivate returns a PrivateError if something private could be read through one of the
// entries, and another error if that cannot be determined. Comparing names is not enough, because
// symbolic links and bind mounts give a file further names. So checkPrivate compares devices and
// inodes, and the paths on the file systems that are mounted.
func checkPrivate(entries []shim.Entry, private []Private) error {
	entries = slices.DeleteFunc(slices.Clone(entries), func(e shim.Entry) bool { return e.Kind != shim.Tree && e.Kind != shim.File })
	if len(entries) == 0 || len(private) == 0 {
		return nil
	}
	mounts, err := readMounts()
	if err != nil {
		return fmt.Errorf("look for the server's own files in the paths that the release wants to read: %w", err)
	}
	g := guard{mounts: mounts}
	for _, p := range private {
		at, err := mounts.locate(p.Path)
		if err != nil {
			return fmt.Errorf("find the %s %s, which engines may not read: %w", p.Name, p.Path, err)
		}
		g.private = append(g.private, located{p, at})
	}
	for _, e := range entries {
		if err := g.check(e); err != nil {
			return err
		}
	}
	return nil
}

// guard keeps private files out of the paths that engines see.
type guard struct {
	mounts  mounts
	private []located
}

type located struct {
	Private
	at spot
}

// check compares the entry, and every mount that is shown with it, with everything private.
func (g *guard) check(e shim.Entry) error {
	top, err := g.mounts.locate(e.Path)
	if err != nil {
		return fmt.Errorf("the release wants to read %s: %w", e.Path, err)
	}
	for _, shown := range append([]spot{top}, g.mounts.below(top)...) {
		for _, p := range g.private {
			if relation := shown.relation(&p.at); relation != "" {
				return &PrivateError{Asked: shown.path, Relation: relation, Private: p.Private}
			}
			if !p.Secret || shown.device != p.at.device && shown.id.device != p.at.id.device {
				continue // a hard link stays on its file system
			}
			if file, err := g.linked(&p); err != nil {
				return fmt.Errorf("look for hard links to the %s: %w", p.Name, err)
			} else if file != "" {
				return &PrivateError{Asked: shown.path, Relation: MayLinkTo, Private: p.Private, At: file}
			}
		}
	}
	return nil
}

// maxSecrets bounds the number of files of a secret directory that are checked.
const maxSecrets = 10_000

// linked returns a secret file that has a second name, or "" if there is none. It ignores
// files in a secret directory that are private but not secret.
func (g *guard) linked(p *located) (string, error) {
	if p.at.missing {
		return "", nil
	}
	found, looked := "", 0
	err := filepath.WalkDir(p.at.path, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed in the meantime
		}
		if err != nil {
			return err
		}
		looked++
		if looked > maxSecrets {
			return fmt.Errorf("%s holds more than %d files", p.at.path, maxSecrets)
		}
		var stat unix.Stat_t
		if err := unix.Lstat(path, &stat); err != nil {
			return nil // removed in the meantime
		}
		if e.IsDir() && slices.ContainsFunc(g.private, func(o located) bool { return !o.Secret && !o.at.missing && o.at.id == idOf(&stat) }) {
			return fs.SkipDir
		}
		if stat.Mode&unix.S_IFMT == unix.S_IFREG && stat.Nlink > 1 {
			found = path
			return fs.SkipAll
		}
		return nil
	})
	return found, err
}

// inode identifies a file, independently of its names.
type inode struct{ device, number uint64 }

func idOf(s *unix.Stat_t) inode { return inode{uint64(s.Dev), s.Ino} }

// spot is the location of a file or directory that exists, or that could be made.
type spot struct {
	path    string  // without symbolic links
	missing bool    // it does not exist yet
	id      inode   // of the file, zero if it is missing
	above   []inode // of its parent directories
	device  string  // of the file system, as the mount table names it
	place   string  // path from the root of that file system, independently of mounts
}

// relation returns the relation of a shown path to a private path, "" if they are apart.
func (s *spot) relation(private *spot) Relation {
	sameSystem := s.device == private.device
	switch {
	case !private.missing && s.id == private.id, sameSystem && s.place == private.place:
		return Is
	case slices.Contains(private.above, s.id), sameSystem && within(private.place, s.place):
		return Contains
	case !private.missing && slices.Contains(s.above, private.id), sameSystem && within(s.place, private.place):
		return LiesIn
	}
	return ""
}

// mount is a line of the mount table.
type mount struct {
	id     string
	device string // major:minor of the file system
	root   string // the directory of the file system that is mounted
	point  string // where
}

type mounts []mount

// mountTable returns every mount that this process sees.
const mountTable = "/proc/self/mountinfo"

func readMounts() (mounts, error) {
	f, err := os.Open(mountTable)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list mounts
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20) // options can be long
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) < 5 {
			return nil, fmt.Errorf("%s has a line %.200q", mountTable, lines.Text())
		}
		list = append(list, mount{id: words[0], device: words[2], root: unescape.Replace(words[3]), point: unescape.Replace(words[4])})
	}
	return list, lines.Err()
}

// unescape undoes the escapes of the kernel in its tables.
var unescape = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`, `\043`, "#")

// locate returns the spot to which the path leads. A missing file has the spot at which it would be
// made.
func (m mounts) locate(path string) (spot, error) {
	rest := ""
	for range maxSteps {
		s, err := m.find(path)
		if err == nil {
			if rest != "" {
				s.missing, s.above, s.id = true, append(s.above, s.id), inode{}
				s.path, s.place = filepath.Join(s.path, rest), filepath.Join(s.place, rest)
			}
			return s, nil
		}
		if !errors.Is(err, fs.ErrNotExist) || path == "/" {
			return spot{}, err
		}
		if target, err := os.Readlink(path); err == nil { // a link to a file that does not exist yet
			if !filepath.IsAbs(target) {
				target = filepath.Join(filepath.Dir(path), target)
			}
			path = filepath.Clean(target)
			continue
		}
		path, rest = filepath.Dir(path), filepath.Join(filepath.Base(path), rest)
	}
	return spot{}, errors.New("too many symbolic links")
}

// maxSteps bounds the number of steps to the nearest directory that exists.
const maxSteps = 256

// find returns the spot of a file that exists.
func (m mounts) find(path string) (spot, error) {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return spot{}, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return spot{}, err
	}
	var extra unix.Statx_t
	if err := unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_MNT_ID, &extra); err != nil || extra.Mask&unix.STATX_MNT_ID == 0 {
		return spot{}, fmt.Errorf("the kernel does not report the mount of %s (Linux 5.8 does): %w", path, err)
	}
	real, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
	if err != nil {
		return spot{}, err
	}
	i := slices.IndexFunc(m, func(on mount) bool { return on.id == fmt.Sprint(extra.Mnt_id) })
	if i < 0 || !within(real, m[i].point) {
		return spot{}, fmt.Errorf("%s lies on a mount that is not in %s", path, mountTable)
	}
	s := spot{path: real, id: idOf(&stat), device: m[i].device}
	s.place = filepath.Join(m[i].root, strings.TrimPrefix(real, m[i].point))
	for parent := real; parent != "/"; {
		parent = filepath.Dir(parent)
		if err := unix.Stat(parent, &stat); err != nil {
			return spot{}, &fs.PathError{Op: "stat", Path: parent, Err: err}
		}
		s.above = append(s.above, idOf(&stat))
	}
	return s, nil
}

// below lists what is mounted below the directory, which is shown with it. If another mount hides a
// mount, only its place is known.
func (m mounts) below(top spot) []spot {
	var list []spot
	for _, on := range m {
		if on.point == top.path || !within(on.point, top.path) {
			continue
		}
		s := spot{path: on.point, device: on.device, place: on.root}
		if seen, err := m.find(on.point); err == nil && seen.device == on.device && seen.place == on.root {
			s = seen
		}
		list = append(list, s)
	}
	return list
}
