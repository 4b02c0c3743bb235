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

// hostWeight is the host's share of the processor where an engine has 100.
const hostWeight = "1000"

// openUnified prepares the unified hierarchy. There a group cannot both hold processes
// and share out memory or processor among the groups below it, so the host must not
// sit where the groups of its engines are made: either its manager has put it one
// below the place that it delegates, or it is alone in its group and steps down.
func openUnified(m cgroupMount, name string, wanted []string) *hierarchy {
	h := &hierarchy{dir: m.own, unified: true}
	if above := filepath.Dir(m.own); m.own != m.top && delegated(above) {
		h.dir = above
		_ = setting(m.own, "cpu.weight", hostWeight)
	}
	h.enable(wanted)
	if len(h.controllers) == 0 && h.dir == m.own && alone(m.own) && h.stepDown(name) {
		h.enable(wanted)
		_ = setting(h.path(name+leaf), "cpu.weight", hostWeight)
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

// leaf ends the name of the group that a host makes for itself.
const leaf = ".host"

// stepDown moves this process one group down, and reports whether that succeeded.
func (h *hierarchy) stepDown(name string) bool {
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
