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

// hierarchy is a directory of cgroups in which this server can make others. Version 1 has a
// hierarchy per controller, version 2 has one; a system may have both.
type hierarchy struct {
	dir         string
	unified     bool
	controllers []string // the ones in the list controllers
	settings    []value
	undo        []func() // undo the changes to the server's own group
	refused     []string // controllers that exist and could not be turned on
}

// value is a text to write into a file of a new group.
type value struct {
	file, text string
	optional   bool // not every kernel has it
}

func (h *hierarchy) path(name string) string { return filepath.Join(h.dir, name) }

// make makes a group with its settings.
func (h *hierarchy) make(dir string) error {
	err := unix.Mkdir(dir, 0o755)
	if errors.Is(err, unix.EEXIST) && unix.Rmdir(dir) == nil { // of a server of the same name, and empty
		err = unix.Mkdir(dir, 0o755)
	}
	if err != nil {
		return &os.PathError{Op: "mkdir", Path: dir, Err: err}
	}
	for _, s := range h.settings {
		if err := setting(dir, s.file, s.text); err != nil && !s.optional {
			_ = unix.Rmdir(dir)
			return err
		}
	}
	return nil
}

// setLowPriority gives a group the smallest share of the CPU.
func (h *hierarchy) setLowPriority(dir string) error {
	switch {
	case !slices.Contains(h.controllers, "cpu"):
		return nil
	case h.unified:
		return setting(dir, "cpu.weight", "1")
	}
	return setting(dir, "cpu.shares", "2")
}

// close restores the server's own group.
func (h *hierarchy) close() {
	for _, undo := range slices.Backward(h.undo) {
		undo()
	}
	h.undo = nil
}

// settings returns the settings of a group in the hierarchy.
func settings(h *hierarchy, l Limits) []value {
	memory, tasks := strconv.FormatInt(l.Memory, 10), strconv.Itoa(l.Tasks)
	weight := min(max(1, l.CPUShares*100/1024), 10000)
	all := map[string][]value{
		"memory": {
			{file: "memory.limit_in_bytes", text: memory},
			{file: "memory.memsw.limit_in_bytes", text: memory, optional: true},
		},
		"pids": {{file: "pids.max", text: tasks}},
		"cpu":  {{file: "cpu.shares", text: strconv.Itoa(l.CPUShares)}},
	}
	if h.unified {
		all["memory"] = []value{
			{file: "memory.max", text: memory},
			{file: "memory.swap.max", text: "0", optional: true},
			{file: "memory.oom.group", text: "1", optional: true},
		}
		all["cpu"] = []value{{file: "cpu.weight", text: strconv.Itoa(weight)}}
	}
	var out []value
	for _, c := range h.controllers {
		out = append(out, all[c]...)
	}
	if h.unified { // unused statistics would cost time at every wake-up
		out = append(out, value{file: "cgroup.pressure", text: "0", optional: true})
	}
	return out
}

// hierarchies returns the groups of this process. Engines have their limits in addition to the
// limits of the server. It records in why the reasons for which controllers cannot be used.
func hierarchies(name string, why causes) []*hierarchy {
	var out []*hierarchy
	for _, m := range cgroupMounts() {
		if !m.visible() {
			continue
		}
		why.offered()
		if m.unified {
			if h := openUnified(m, name, controllers); len(h.controllers) > 0 {
				out = append(out, h)
			} else {
				why.refused(h.dir, h.refused)
				h.close()
			}
		} else if slices.ContainsFunc(controllers, m.has) {
			h := &hierarchy{dir: m.own}
			for _, c := range controllers {
				if m.has(c) {
					h.controllers = append(h.controllers, c)
				}
			}
			out = append(out, h)
		}
	}
	return out
}

// cgroupMount is a mounted hierarchy.
type cgroupMount struct {
	top     string // where it is mounted
	own     string // directory of the group of this process
	unified bool
	options []string // among them the controllers
}

// visible reports whether the mount is visible at its path: containers can mount other file systems
// over it.
func (m cgroupMount) visible() bool {
	var system unix.Statfs_t
	err := unix.Statfs(m.own, &system)
	return err == nil && (system.Type == unix.CGROUP_SUPER_MAGIC || system.Type == unix.CGROUP2_SUPER_MAGIC)
}

func (m cgroupMount) has(controller string) bool { return slices.Contains(m.options, controller) }

// cgroupMounts reads the mounts of cgroups and the groups of this process from the kernel.
func cgroupMounts() []cgroupMount {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil
	}
	mine, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil
	}
	return parseMounts(string(mounts), string(mine))
}

// parseMounts combines /proc/self/mountinfo and /proc/self/cgroup.
func parseMounts(mounts, mine string) []cgroupMount {
	var out []cgroupMount
	for line := range strings.Lines(mounts) {
		before, after, _ := strings.Cut(strings.TrimSpace(line), " - ")
		place, kind := strings.Fields(before), strings.Fields(after)
		if len(place) < 5 || len(kind) < 3 || kind[0] != "cgroup" && kind[0] != "cgroup2" {
			continue
		}
		m := cgroupMount{top: place[4], unified: kind[0] == "cgroup2", options: strings.Split(kind[2], ",")}
		path, ok := ownPath(m, mine)
		if !ok {
			continue
		}
		root := place[3] // the part of the hierarchy that is mounted
		if below, ok := strings.CutPrefix(path, strings.TrimSuffix(root, "/")); ok {
			m.own = filepath.Join(m.top, below)
			out = append(out, m)
		}
	}
	return out
}

// ownPath is the path of this process's group in the hierarchy.
func ownPath(m cgroupMount, mine string) (string, bool) {
	for line := range strings.Lines(mine) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		if m.unified && fields[0] == "0" || !m.unified && fields[1] != "" && m.has(strings.Split(fields[1], ",")[0]) {
			return fields[2], true
		}
	}
	return "", false
}
