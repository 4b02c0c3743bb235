package server

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Memory is the memory of a server and its child processes, in bytes.
type Memory struct {
	RSS, PSS  int64 // of the server itself
	Processes int   // number of its descendants
	Below     int64 // PSS of the descendants
	BelowAnon int64 // the part of it without a file
}

// Memory reads the memory of the server and its descendants from /proc.
func (s *Server) Memory() (Memory, error) {
	var m Memory
	own, err := rollup(s.cmd.Process.Pid)
	if err != nil {
		return m, err
	}
	m.RSS, m.PSS = kilobytes(own, "Rss:"), kilobytes(own, "Pss:")
	children, err := parents()
	if err != nil {
		return m, err
	}
	for _, pid := range below(children, s.cmd.Process.Pid) {
		theirs, err := rollup(pid)
		if err != nil {
			return m, err
		}
		m.Processes++
		m.Below += kilobytes(theirs, "Pss:")
		m.BelowAnon += kilobytes(theirs, "Pss_Anon:")
	}
	return m, nil
}

// rollup reads the memory sums of a process.
func rollup(pid int) ([]byte, error) {
	return os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
}

// kilobytes returns an entry such as "Pss:   123 kB" in bytes, or 0 if it is missing.
func kilobytes(data []byte, entry string) int64 {
	for line := range bytes.Lines(data) {
		fields := strings.Fields(string(line))
		if len(fields) == 3 && fields[0] == entry && fields[2] == "kB" {
			n, _ := strconv.ParseInt(fields[1], 10, 64)
			return n << 10
		}
	}
	return 0
}

// parents returns the processes of the machine by their parent.
func parents() (map[int][]int, error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	children := map[int][]int{}
	for _, name := range stats {
		data, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		if pid, parent, ok := parseStat(string(data)); ok {
			children[parent] = append(children[parent], pid)
		}
	}
	return children, nil
}

// parseStat parses "pid (name) state parent ..."; the name may contain any characters.
func parseStat(stat string) (pid, parent int, ok bool) {
	first, _, named := strings.Cut(stat, " ")
	rest := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if !named || len(rest) < 2 {
		return 0, 0, false
	}
	pid, err := strconv.Atoi(first)
	if err != nil {
		return 0, 0, false
	}
	parent, err = strconv.Atoi(rest[1])
	return pid, parent, err == nil
}

// below returns the descendants of a process.
func below(children map[int][]int, pid int) []int {
	var all []int
	for _, child := range children[pid] {
		all = append(append(all, child), below(children, child)...)
	}
	return all
}

// Shared returns the memory of unnamed files on the whole machine. Slipstick stores programs in
// such files.
func Shared() int64 {
	data, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	return kilobytes(data, "Shmem:")
}
