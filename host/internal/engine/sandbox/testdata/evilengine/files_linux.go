package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// files is F1: files of the server or of another engine.
func files(r *report, t *targets) {
	host := fmt.Sprintf("/proc/%d/", t.HostPID)
	for _, path := range []string{
		t.File, "/etc/passwd", "/etc/shadow", "/proc/1/environ", "/proc/self/environ", "/proc/self/mountinfo", "/proc/kcore",
		host + "environ", host + "root" + t.File, host + "cwd/go.mod", "/sys/kernel/notes",
		strings.Repeat("../", 20) + strings.TrimPrefix(t.File, "/"),
	} {
		_, err := readSome(path)
		r.try("read "+path, err)
	}
	for _, path := range []string{"/", "/tmp", "/root", "/etc", "/proc", "/dev", t.Dir, filepath.Dir(t.File), strings.Repeat("../", 20)} {
		entries, err := os.ReadDir(path)
		r.tryBool("list "+path, err == nil && !onlyHome(entries))
	}
	for _, path := range []string{filepath.Join(t.Dir, "planted"), filepath.Join(filepath.Dir(t.File), "planted")} {
		r.try("write "+path, os.WriteFile(path, []byte("x"), 0o600))
	}
	r.try("overwrite "+t.File, os.WriteFile(t.File, []byte("x"), 0o600))
	for fd := range 64 { // left open by the server, beyond the standard ones
		var stat unix.Stat_t
		err := unix.Fstat(fd, &stat)
		kind := stat.Mode & unix.S_IFMT
		r.tryBool(fmt.Sprintf("find descriptor %d open", fd), fd > 2 && err == nil && (kind == unix.S_IFREG || kind == unix.S_IFDIR || kind == unix.S_IFCHR || kind == unix.S_IFBLK))
	}
}

// environment is F1: facts that a server knows and an engine does not.
func environment(r *report, t *targets) {
	for _, v := range os.Environ() {
		r.tryBool("find in the environment "+v, strings.Contains(v, t.Secret))
	}
	name, err := os.Hostname()
	r.tryBool("find the host name", err == nil && name != "engine")
	r.tryBool("be root", os.Getuid() == 0 || os.Geteuid() == 0 || os.Getgid() == 0)
	groups, err := os.Getgroups()
	r.tryBool(fmt.Sprintf("have groups %v", groups), err == nil && len(groups) > 0 && groups[0] != 65534)
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var capabilities [2]unix.CapUserData
	err = unix.Capget(&header, &capabilities[0])
	r.tryBool("have capabilities", err == nil && capabilities != [2]unix.CapUserData{})
	kept, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, unix.CAP_SYS_ADMIN, 0, 0, 0)
	r.tryBool("keep a capability for an exec", err == nil && kept != 0)
	private, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
	r.tryBool("gain privileges by an exec", err != nil || private != 1)
	n, err := os.Stdin.Read(make([]byte, 1))
	r.tryBool("read the server's standard input", n > 0 && err == nil)
}

// readSome does not read without end.
func readSome(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, 4096)
	n, err := f.Read(b)
	return b[:n], err
}

// onlyHome reports whether the directory contains only the engine's own directory.
func onlyHome(entries []os.DirEntry) bool {
	return len(entries) == 0 || len(entries) == 1 && entries[0].Name() == "run"
}

// ownDirectory is F11: attacks in the directory that the engine may write.
func ownDirectory(r *report, t *targets) {
	home := os.Getenv("TMPDIR")
	link := filepath.Join(home, "link")
	_ = os.Symlink(t.File, link)
	_, err := readSome(link)
	r.try("read through a symbolic link", err)
	r.try("write through a symbolic link", os.WriteFile(link, []byte("x"), 0o600))
	r.try("hard-link the host's file", os.Link(t.File, filepath.Join(home, "hard")))
	r.try("rename the server's file", os.Rename(t.File, filepath.Join(home, "mine")))
	_, err = os.OpenFile("/proc/self/exe", os.O_WRONLY, 0)
	r.try("open the own program for writing", err)
	r.try("replace the own program", os.Rename(link, "/proc/self/exe"))
	for fd := range 64 {
		path := fmt.Sprintf("/proc/self/fd/%d", fd)
		if target, _ := os.Readlink(path); strings.Contains(target, "memfd:") {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err == nil {
				_, err = f.Write([]byte("x"))
			}
			r.try("write the program that the server holds", err)
		}
		r.tryBool("change the program that the server holds", unix.Ftruncate(fd, 0) == nil)
	}
	device := filepath.Join(home, "device")
	r.try("make a device", unix.Mknod(device, unix.S_IFCHR|0o600, int(unix.Mkdev(1, 5))))
	program := filepath.Join(home, "program")
	r.try("map an executable file", mapExecutable(program))
	r.try("make a file set-user-id", setID(program))
	r.try("replace the own directory", os.Rename(home, home+"-"))
}

// mapExecutable writes a file and maps it as code.
func mapExecutable(path string) error {
	if err := os.WriteFile(path, make([]byte, 4096), 0o700); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	m, err := unix.Mmap(int(f.Fd()), 0, 4096, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE)
	if err != nil {
		return err
	}
	return unix.Munmap(m)
}

// setID succeeds if an exec of the file would change the user.
func setID(path string) error {
	if err := os.Chmod(path, 0o700|os.ModeSetuid); err != nil {
		return err
	}
	var stat unix.Statfs_t
	if err := unix.Statfs(path, &stat); err != nil {
		return err
	}
	if stat.Flags&unix.ST_NOSUID != 0 {
		return unix.EPERM
	}
	return nil
}
