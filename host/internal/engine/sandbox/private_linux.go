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
// entries, and another error if that cannot be determined. Comparing names is not enough,
// because symbolic links and bind mounts give a file further names. So checkPrivate compares
// devices and inodes, and the positions on the file systems behind the mounts.
func checkPrivate(entries []shim.Entry, private []Private) error {
	entries = slices.DeleteFunc(slices.Clone(entries), func(e shim.Entry) bool { return e.Kind != shim.Tree && e.Kind != shim.File })
	if len(entries) == 0 || len(private) == 0 {
		return nil
	}
	mounts, err := readMounts()
	if err != nil {
		return fmt.Errorf("look for the host's own files in what the release wants to read: %w", err)
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

// guard keeps what is private out of what engines see.
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

// maxSecrets bounds how many files of a secret directory are looked at.
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
			return nil // removed meanwhile
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
			return nil // removed meanwhile
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

// inode identifies a file, by whatever name it is found.
type inode struct{ device, number uint64 }

func idOf(s *unix.Stat_t) inode { return inode{uint64(s.Dev), s.Ino} }

// spot is where a file or directory lies, or would lie.
type spot struct {
	path    string  // without symbolic links
	missing bool    // it is not there yet
	id      inode   // of the file, zero if it is missing
	above   []inode // of the directories that it lies in
	device  string  // of the file system, as the mount table names it
	place   string  // below the root of that file system, whatever is mounted where
}

// relation is how what is shown lies to something private, "" if apart.
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

// unescape undoes what the kernel does to the names in its tables.
var unescape = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`, `\043`, "#")

// locate finds where the path leads. What is missing lies where it would be made.
func (m mounts) locate(path string) (spot, error) {
	rest := ""
	for range maxSteps {
		s, err := m.look(path)
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
		if target, err := os.Readlink(path); err == nil { // to nowhere, yet
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

// maxSteps bounds the way to the nearest directory that exists.
const maxSteps = 256

// look finds where something lies that is there.
func (m mounts) look(path string) (spot, error) {
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
		return spot{}, fmt.Errorf("the kernel does not tell on which mount %s lies (Linux 5.8 does): %w", path, err)
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

// below lists what is mounted below the directory, which is shown with it. Of what is
// hidden behind another mount, only the place is known.
func (m mounts) below(top spot) []spot {
	var list []spot
	for _, on := range m {
		if on.point == top.path || !within(on.point, top.path) {
			continue
		}
		s := spot{path: on.point, device: on.device, place: on.root}
		if seen, err := m.look(on.point); err == nil && seen.device == on.device && seen.place == on.root {
			s = seen
		}
		list = append(list, s)
	}
	return list
}
