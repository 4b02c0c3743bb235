package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// groupName begins the names of this host's groups: the namespace in which its process id
// means something, that id, and when the process began, because the id alone could be that of
// another process by the time somebody looks.
func groupName() string {
	pid := os.Getpid()
	return fmt.Sprintf("slipstick-%d-%d-%d", processSpace(), pid, born(pid))
}

// processSpace is the number of this process's PID namespace; 0 if it is not known.
func processSpace() uint64 {
	var s unix.Stat_t
	if err := unix.Stat("/proc/self/ns/pid", &s); err != nil {
		return 0
	}
	return s.Ino
}

var ownName = regexp.MustCompile(`^slipstick-([0-9]+)-([0-9]+)-([0-9]+)\.`)

// Sweep removes the cgroups of hosts that have ended without doing so. Their engines
// ended with them; a group that holds a process stays. Groups of hosts in other PID
// namespaces stay too: whether these live cannot be seen from here, and a group is empty
// for a moment before its engine starts.
func Sweep() {
	for _, m := range cgroupMounts() {
		for _, dir := range []string{m.own, filepath.Dir(m.own)} {
			if within(dir, m.top) {
				sweep(dir)
			}
		}
	}
}

func sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	space := strconv.FormatUint(processSpace(), 10)
	for _, e := range entries {
		id := ownName.FindStringSubmatch(e.Name())
		if id == nil || id[1] != space {
			continue
		}
		pid, err := strconv.Atoi(id[2])
		if err != nil || strconv.FormatUint(born(pid), 10) == id[3] {
			continue
		}
		_ = unix.Rmdir(filepath.Join(dir, e.Name()))
	}
}

// born is when the process began, in ticks since the machine did; 0 if there is no
// such process.
func born(pid int) uint64 {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	name := bytes.LastIndexByte(stat, ')') // which may hold anything
	fields := strings.Fields(string(stat[name+1:]))
	const starttime = 22 - 3 // the third field comes after the name
	if len(fields) <= starttime {
		return 0
	}
	ticks, _ := strconv.ParseUint(fields[starttime], 10, 64)
	return ticks
}
