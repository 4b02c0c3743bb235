package shim

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// place is the directory in which the file system is built. In a new mount namespace any directory
// can be used; this one always exists.
const place = "/proc"

// openSystem clones the mounts that the engine will see, because another user might not find them.
func (p *process) openSystem() error {
	if err := unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, ""); err != nil {
		return refused("mount", "make mounts private", err)
	}
	p.trees = map[string]int{}
	for _, e := range p.System {
		if e.Kind != Tree && e.Kind != File {
			continue
		}
		if err := p.openTree(e.Path); err != nil {
			return fmt.Errorf("%s: %w", e.Path, err)
		}
		if err := e.check(p.trees[e.Path]); err != nil {
			return fmt.Errorf("%s: %w", e.Path, err)
		}
	}
	if len(p.System) == 0 {
		return nil
	}
	for _, path := range devices {
		if err := p.openTree(path); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// openTree clones the server's mount at the path, with everything mounted below it.
func (p *process) openTree(path string) error {
	tree, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_SYMLINK_NOFOLLOW)
	if err != nil {
		return refused("open_tree", "clone the mount", err)
	}
	p.trees[path] = tree
	return nil
}

// mount replaces the file system that the process sees by a small one in memory.
func (p *process) mount() error {
	size := fmt.Sprintf("mode=755,size=%d,nr_inodes=%d", p.Bytes, p.Files+len(p.System)+fixedFiles)
	if err := unix.Mount("engine", place, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, size); err != nil {
		return refused("mount", "tmpfs", err)
	}
	if err := unix.Chdir(place); err != nil {
		return err
	}
	unix.Umask(0o022)
	for _, e := range p.System {
		if err := p.add(e); err != nil {
			return fmt.Errorf("%s: %w", e.Path, err)
		}
	}
	if len(p.System) > 0 {
		if err := p.addKernel(); err != nil {
			return err
		}
	}
	if err := p.addHome(); err != nil {
		return err
	}
	return becomeRoot()
}

// fixedFiles is the number of files that are made for every engine, or for every engine that sees
// the system.
const fixedFiles = 10

// local turns an absolute path into a path below the place.
func local(path string) string { return "." + path }

// addHome makes the directory of the engine.
func (p *process) addHome() error {
	if err := os.Mkdir(local(Home), 0o700); err != nil {
		return err
	}
	if p.IDs == 0 {
		return nil // it is the engine's already
	}
	return os.Chown(local(Home), p.user(), p.user())
}

func (p *process) add(e Entry) error {
	switch e.Kind {
	case Directory:
		return os.Mkdir(local(e.Path), 0o755)
	case Link:
		return os.Symlink(e.Target, local(e.Path))
	case Tree:
		if err := os.Mkdir(local(e.Path), 0o755); err != nil {
			return err
		}
	case File:
		if err := os.WriteFile(local(e.Path), nil, 0o644); err != nil {
			return err
		}
	}
	return p.attach(e.Path, unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
}

// check refuses to show a file other than the one that the server has checked.
func (e *Entry) check(file int) error {
	var stat unix.Stat_t
	if err := unix.Fstat(file, &stat); err != nil {
		return err
	}
	if uint64(stat.Dev) != e.Device || stat.Ino != e.Inode {
		return errors.New("it was replaced after the server checked it")
	}
	return nil
}

// attach shows the clone of the server's mount at the path.
func (p *process) attach(path string, attributes uint64) error {
	tree := p.trees[path]
	defer unix.Close(tree)
	set := unix.MountAttr{Attr_set: attributes}
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &set); err != nil {
		return refused("mount_setattr", "make the mount read-only", err)
	}
	if err := unix.MoveMount(tree, "", unix.AT_FDCWD, local(path), unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return refused("move_mount", "mount", err)
	}
	return nil
}

// devices are the devices of an engine that sees the system. /dev/zero is not among them: only the
// limit of a cgroup counts the memory of a shared mapping of it.
var devices = []string{"/dev/null", "/dev/random", "/dev/urandom"}

// addKernel adds the files that interpreters expect from a kernel: a /proc of this one process, and
// /dev with the script.
func (p *process) addKernel() error {
	for _, directory := range []string{"./proc", "./dev"} {
		if err := os.Mkdir(directory, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	for _, path := range devices {
		if err := os.WriteFile(local(path), nil, 0o644); err != nil {
			return err
		}
		if err := p.attach(path, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NOEXEC); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	if err := os.Symlink("/proc/self/fd", "./dev/fd"); err != nil {
		return err
	}
	if err := unix.Unshare(unix.CLONE_NEWCGROUP); err != nil { // hides the names of the server's groups
		return refused("unshare", "cgroup namespace", err)
	}
	flags := uintptr(unix.MS_RDONLY | unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC)
	if err := unix.Mount("proc", "./proc", "proc", flags, "subset=pid"); err != nil {
		return refused(MountProc, "mount /proc", err)
	}
	return nil
}

// becomeRoot makes the current directory the root and unmounts the server's root.
func becomeRoot() error {
	if err := unix.PivotRoot(".", "."); err != nil {
		return refused("pivot_root", "make it the root", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return refused("umount2", "unmount the server's root", err)
	}
	return unix.Chdir(Home)
}
