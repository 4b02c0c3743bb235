package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// controllers are the kinds of cgroup that bound an engine.
var controllers = []string{"memory", "pids", "cpu"}

// groups makes a cgroup for every process in every hierarchy that can be used. No engine needs a
// cgroup: the process has resource limits too.
type groups struct {
	name        string
	hierarchies []*hierarchy
	lacking     []Gap

	mu   sync.Mutex
	left []string // could not be removed yet
}

// groupCount numbers the groups of this process, whose sandboxes may share a name.
var groupCount atomic.Int64

// newName is a name that no group of this process has.
func (g *groups) newName() string { return g.name + "." + strconv.FormatInt(groupCount.Add(1), 10) }

// openGroups finds out where groups can be made.
func openGroups(name string, l Limits) *groups {
	g := &groups{name: name}
	why := causes{}
	for _, h := range hierarchies(name, why) {
		h.settings = settings(h, l)
		if err := g.try(h); err != nil {
			why.refused(h.dir, h.controllers)
			h.close()
			continue
		}
		g.hierarchies = append(g.hierarchies, h)
		for _, c := range h.controllers {
			why[c] = usable
		}
	}
	g.lacking = why.gaps("")
	return g
}

// protections are the purposes of the controllers.
var protections = map[string]Protection{"memory": MemoryLimit, "pids": TaskLimit, "cpu": CPUShares}

// causes are the reasons why controllers cannot be used, by name. A controller is absent if there
// are no cgroups.
type causes map[string]Cause

// usable is the cause of a controller that can be used.
const usable Cause = "usable"

// refused notes that groups with these controllers cannot be made in the directory. The error does
// not show the reason: a user who may not write gets EACCES from a read-only mount too.
func (w causes) refused(dir string, controllers []string) {
	cause := NotDelegated
	var system unix.Statfs_t
	if err := unix.Statfs(dir, &system); err == nil && system.Flags&unix.ST_RDONLY != 0 {
		cause = ReadOnly
	}
	for _, c := range controllers {
		if w[c] != usable {
			w[c] = cause
		}
	}
}

// offered notes that there are cgroups, which need not have the controllers.
func (w causes) offered() {
	for _, c := range controllers {
		if w[c] == "" {
			w[c] = NotOffered
		}
	}
}

// gaps are the limits that are absent.
func (w causes) gaps(detail string) []Gap {
	var out []Gap
	for _, c := range controllers {
		if w[c] != usable {
			out = append(out, Gap{Protection: protections[c], Cause: cmp.Or(w[c], NotMounted), Detail: detail})
		}
	}
	return out
}

// try makes a group and removes it.
func (g *groups) try(h *hierarchy) error {
	dir := h.path(g.newName())
	if err := h.make(dir); err != nil {
		return err
	}
	return unix.Rmdir(dir)
}

// without returns g for a system on which processes cannot join their groups.
func (g *groups) without(err error) *groups {
	why := causes{}
	for _, c := range controllers {
		why[c] = NotUsable
	}
	return &groups{lacking: why.gaps(err.Error())}
}

// nice is the scheduling priority of engines without a cpu controller, and of engines with low
// priority everywhere.
func (g *groups) nice(lowPriority bool) int {
	if lowPriority {
		return 19 // a seventh of the share that nice 10 gives
	}
	for _, h := range g.hierarchies {
		if slices.Contains(h.controllers, "cpu") {
			return 0
		}
	}
	return 10 // a tenth of an ordinary task
}

// group is the cgroups of one process.
type group struct {
	all     *groups
	dirs    []string
	tasks   []string // files by which a thread joins
	startIn *os.File // group in which the process is started, nil for none
}

// add makes the groups of a process.
func (g *groups) add(lowPriority bool) (*group, error) {
	name, one := g.newName(), &group{all: g}
	for _, h := range g.hierarchies {
		if err := one.join(h, h.path(name), lowPriority); err != nil {
			one.remove()
			return nil, fmt.Errorf("make a cgroup: %w", err)
		}
	}
	return one, nil
}

// join makes the process's group in the hierarchy. A process is started in its group of the unified
// hierarchy. In other hierarchies its one thread joins the group. Both are quick, unlike moving a
// process.
func (g *group) join(h *hierarchy, dir string, lowPriority bool) error {
	if err := h.make(dir); err != nil {
		return err
	}
	g.dirs = append(g.dirs, dir)
	if lowPriority {
		if err := h.setLowPriority(dir); err != nil {
			return err
		}
	}
	if !h.unified {
		g.tasks = append(g.tasks, filepath.Join(dir, "tasks"))
		return nil
	}
	var err error
	g.startIn, err = os.Open(dir)
	return err
}

// closeStart closes the files that are only needed for the start.
func (g *group) closeStart() {
	if g != nil && g.startIn != nil {
		g.startIn.Close()
	}
}

// remove ends all processes in the groups and removes the groups. A group can be busy for a short
// time after its last process. Then it is removed together with a later group.
func (g *group) remove() {
	if g == nil {
		return
	}
	g.closeStart()
	for _, dir := range g.dirs {
		_ = setting(dir, "cgroup.kill", "1") // only in the unified hierarchy
	}
	g.all.mu.Lock()
	defer g.all.mu.Unlock()
	g.all.left = removeAll(append(g.all.left, g.dirs...))
}

// removeAll removes the directories and returns the busy ones.
func removeAll(dirs []string) []string {
	return slices.DeleteFunc(dirs, func(dir string) bool { return !errors.Is(unix.Rmdir(dir), unix.EBUSY) })
}

// How long close waits for groups that are busy.
const (
	closePause = 5 * time.Millisecond
	closeTries = 200
)

// close removes the groups that are left.
func (g *groups) close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for try := 0; len(g.left) > 0; try++ {
		g.left = removeAll(g.left)
		if len(g.left) == 0 {
			break
		}
		if try == closeTries {
			return fmt.Errorf("cgroups of engines are still in use: %s", strings.Join(g.left, ", "))
		}
		time.Sleep(closePause)
	}
	for _, h := range g.hierarchies {
		h.close()
	}
	return nil
}

// setting writes a file of a group.
func setting(dir, file, value string) error {
	f, err := os.OpenFile(filepath.Join(dir, file), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	return errors.Join(err, f.Close())
}
