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

// groupName returns the prefix of the names of this server's groups. It has the PID namespace of
// the server, the process id, and the start time of the process. The id alone could belong to
// another process later.
func groupName() string {
	pid := os.Getpid()
	return fmt.Sprintf("slipstick-%d-%d-%d", processSpace(), pid, startTime(pid))
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

// Sweep removes the cgroups that ended servers did not remove. Their engines ended with them; a
// group that contains a process stays. Groups of servers in other PID namespaces stay too. Sweep
// cannot see whether these servers run, and a group is empty for a short time before its engine
// starts.
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
		if err != nil || strconv.FormatUint(startTime(pid), 10) == id[3] {
			continue
		}
		_ = unix.Rmdir(filepath.Join(dir, e.Name()))
	}
}

// startTime returns the start time of the process, in ticks since the machine was started; 0 if
// there is no such process.
func startTime(pid int) uint64 {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	name := bytes.LastIndexByte(stat, ')') // which may contain any bytes
	fields := strings.Fields(string(stat[name+1:]))
	const starttime = 22 - 3 // the third field comes after the name
	if len(fields) <= starttime {
		return 0
	}
	ticks, _ := strconv.ParseUint(fields[starttime], 10, 64)
	return ticks
}
