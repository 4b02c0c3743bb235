package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// serverWeight is the server's share of the CPU; an engine has 100.
const serverWeight = "1000"

// openUnified prepares the unified hierarchy. There, a group that has processes cannot share memory
// or CPU among the groups below it. So the server must not be in the group in which the groups of
// its engines are made. Either its manager has put it one level below the delegated group, or it is
// alone in its group and moves one level down.
func openUnified(m cgroupMount, name string, wanted []string) *hierarchy {
	h := &hierarchy{dir: m.own, unified: true}
	if above := filepath.Dir(m.own); m.own != m.top && delegated(above) {
		h.dir = above
		_ = setting(m.own, "cpu.weight", serverWeight)
	}
	h.enable(wanted)
	if len(h.controllers) == 0 && h.dir == m.own && alone(m.own) && h.moveDown(name) {
		h.enable(wanted)
		_ = setting(h.path(name+leaf), "cpu.weight", serverWeight)
	}
	return h
}

// delegated reports whether systemd has delegated the group to this process.
func delegated(dir string) bool {
	for _, name := range []string{"user.delegate", "trusted.delegate"} {
		value := make([]byte, 8)
		if n, err := unix.Getxattr(dir, name, value); err == nil && string(value[:n]) == "1" {
			return true
		}
	}
	return false
}

// alone reports whether this process is the only one in the group.
func alone(dir string) bool {
	members, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
	return err == nil && strings.TrimSpace(string(members)) == strconv.Itoa(os.Getpid())
}

// enable turns on controllers for groups below the directory.
func (h *hierarchy) enable(wanted []string) {
	for _, c := range wanted {
		if slices.Contains(words(h.dir, "cgroup.subtree_control"), c) {
			h.controllers = append(h.controllers, c)
		} else if setting(h.dir, "cgroup.subtree_control", "+"+c) == nil {
			h.controllers = append(h.controllers, c)
			h.undo = append(h.undo, func() { _ = setting(h.dir, "cgroup.subtree_control", "-"+c) })
		} else if slices.Contains(words(h.dir, "cgroup.controllers"), c) {
			h.refused = append(h.refused, c)
		}
	}
}

// leaf is the suffix of the name of the group that a server makes for itself.
const leaf = ".host"

// moveDown moves this process one group down, and reports whether that succeeded.
func (h *hierarchy) moveDown(name string) bool {
	dir := h.path(name + leaf)
	if unix.Mkdir(dir, 0o755) != nil {
		return false
	}
	if err := setting(dir, "cgroup.procs", "0"); err != nil {
		_ = unix.Rmdir(dir)
		return false
	}
	h.undo = append(h.undo, func() {
		_ = errors.Join(setting(h.dir, "cgroup.procs", "0"), unix.Rmdir(dir))
	})
	return true
}

func words(dir, file string) []string {
	b, _ := os.ReadFile(filepath.Join(dir, file))
	return strings.Fields(string(b))
}
