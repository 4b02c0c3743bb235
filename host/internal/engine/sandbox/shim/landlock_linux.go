package shim

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The access rights of an engine to files, as Landlock names them.
const (
	readFile  = unix.LANDLOCK_ACCESS_FS_READ_FILE
	writeFile = readFile | unix.LANDLOCK_ACCESS_FS_WRITE_FILE
	runFile   = readFile | unix.LANDLOCK_ACCESS_FS_EXECUTE
	readTree  = readFile | unix.LANDLOCK_ACCESS_FS_READ_DIR
	runTree   = readTree | runFile
	ownTree   = readTree | writeFile | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_REFER |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
		unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR
)

// handled returns the access rights that Landlock of the version can forbid. Landlock forbids a
// handled right unless a rule allows it.
func handled(version int) unix.LandlockRulesetAttr {
	var a unix.LandlockRulesetAttr
	for _, from := range []struct {
		version int
		adds    unix.LandlockRulesetAttr
	}{
		{1, unix.LandlockRulesetAttr{Handled_access_fs: 1<<13 - 1}},
		{2, unix.LandlockRulesetAttr{Handled_access_fs: unix.LANDLOCK_ACCESS_FS_REFER}},
		{3, unix.LandlockRulesetAttr{Handled_access_fs: unix.LANDLOCK_ACCESS_FS_TRUNCATE}},
		{4, unix.LandlockRulesetAttr{Handled_access_net: unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP}},
		{5, unix.LandlockRulesetAttr{Handled_access_fs: unix.LANDLOCK_ACCESS_FS_IOCTL_DEV}},
		{6, unix.LandlockRulesetAttr{Scoped: unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL}},
	} {
		if version >= from.version {
			a.Handled_access_fs |= from.adds.Handled_access_fs
			a.Handled_access_net |= from.adds.Handled_access_net
			a.Scoped |= from.adds.Scoped
		}
	}
	return a
}

// restrictFiles is a second barrier after the mount namespace: even if an engine found another
// file, it could not open it.
func (p *process) restrictFiles() error {
	if p.Landlock == 0 {
		return nil
	}
	attr := handled(p.Landlock)
	ruleset, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return refused("landlock_create_ruleset", "ruleset", errno)
	}
	for path, access := range p.rules() {
		if err := allow(ruleset, path, access&attr.Handled_access_fs); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	if err := allowBeneath(ruleset, p.Program, runFile&attr.Handled_access_fs); err != nil && !errors.Is(err, unix.EBADFD) { // in memory no rule is needed
		return fmt.Errorf("the program: %w", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0, 0); errno != 0 {
		return refused("landlock_restrict_self", "restrict this thread", errno)
	}
	return nil
}

// rules returns the access rights of the engine, by path.
func (p *process) rules() map[string]uint64 {
	rules := map[string]uint64{Home: ownTree}
	for _, e := range p.System {
		switch e.Kind {
		case Tree:
			rules[e.Path] = runTree
		case File:
			rules[e.Path] = runFile
		}
	}
	if len(p.System) > 0 {
		rules["/proc"] = readTree
		for _, path := range devices {
			rules[path] = writeFile
		}
	}
	return rules
}

func allow(ruleset uintptr, path string, access uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return allowBeneath(ruleset, fd, access)
}

// allowBeneath allows the access to an open file, or to the content of an open directory.
func allowBeneath(ruleset uintptr, fd int, access uint64) error {
	beneath := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, ruleset, unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&beneath)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
