package sandbox_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/engine/enginetest"
	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
)

// lacks reports whether the sandbox lacks the protection.
func lacks(j *sandbox.Sandbox, what sandbox.Protection) bool {
	return slices.ContainsFunc(j.Missing(), func(g sandbox.Gap) bool { return g.Protection == what })
}

// F4, A4: an engine that takes too much dies alone, or gets no more.
func TestEaters(t *testing.T) {
	const memory = 128 << 20 // the tables of all addresses that an engine may have take about as much
	j := newSandbox(t, &sandbox.Options{Limits: sandbox.Limits{Memory: memory}})
	other := mustStart(t, j)
	before := resident(t)
	for _, mode := range []string{"heap", "threads", "tables"} {
		if mode == "tables" && lacks(j, sandbox.MemoryLimit) {
			continue // kernel memory, which only a cgroup counts
		}
		t.Run(mode, func(t *testing.T) {
			p := mustStart(t, j)
			r, err := call(within(t), p, mode, struct{}{})
			if mode == "tables" && err == nil && r.amount <= memory {
				mustCall(t, other, "nothing")
				return
			}
			if !errors.Is(err, process.ErrLost) || errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("%+v, %v, want ErrLost", r, err)
			}
			<-p.Exited()
			mustCall(t, other, "nothing")
		})
	}
	if grown := resident(t) - before; grown > 64<<20 {
		t.Errorf("the host grew by %d bytes", grown)
	}
}

// resident is how much memory this process holds.
func resident(t *testing.T) int {
	t.Helper()
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(b))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// F4: the file system and the descriptors end.
func TestBounds(t *testing.T) {
	j := newSandbox(t, nil)
	for mode, most := range map[string]int{"disk": 1 << 20, "inodes": 256, "descriptors": 64} {
		if r := mustCall(t, mustStart(t, j), mode); r.amount > most || r.amount < most/4 {
			t.Errorf("%s: %d, want at most %d", mode, r.amount, most)
		}
	}
}

func TestBoundsWithoutSandbox(t *testing.T) {
	for mode, atLeast := range map[string]int{"disk": 64 << 20, "inodes": 2000, "descriptors": 100} {
		if r := mustCall(t, mustStart(t, nil), mode); r.amount < atLeast {
			t.Errorf("%s: %d, want at least %d", mode, r.amount, atLeast)
		}
	}
}

// A12: an engine that spins weighs as much as one task, however many threads it has.
func TestShares(t *testing.T) {
	j := newSandbox(t, nil)
	hog, other := mustStart(t, j), mustStart(t, j)
	background, err := process.Launch(t.Context(), evil(t), &process.Options{Dir: enginetest.ShortDir(t), Confiner: j, StartTimeout: patience, LowPriority: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(background.Close)
	if nice := stat(t, background.PID(), 19); nice != "19" {
		t.Errorf("with low priority: nice %s, want 19", nice)
	}
	ctx, stop := context.WithCancel(within(t))
	spins := make(chan struct{})
	go func() {
		defer close(spins)
		_, _ = call(ctx, hog, "spin", struct{}{})
	}()
	mustCall(t, other, "nothing")
	stop()
	<-spins
	if lacks(j, sandbox.CPUShares) {
		if nice := stat(t, hog.PID(), 19); nice != "10" {
			t.Errorf("nice %s, want 10", nice)
		}
		return
	}
	if shares := setting(t, background.PID(), "cpu", "cpu.shares", "cpu.weight"); shares != "2" && shares != "1" {
		t.Errorf("shares of the CPU with low priority: %s", shares)
	}
	for _, p := range []*process.Process{hog, other} {
		if shares := setting(t, p.PID(), "cpu", "cpu.shares", "cpu.weight"); shares != "1024" && shares != "100" {
			t.Errorf("shares of the processor: %s", shares)
		}
		if tasks := setting(t, p.PID(), "pids", "pids.max", "pids.max"); tasks != "64" {
			t.Errorf("tasks: %s", tasks)
		}
		if memory := setting(t, p.PID(), "memory", "memory.limit_in_bytes", "memory.max"); memory != strconv.Itoa(256<<20) {
			t.Errorf("memory: %s", memory)
		}
	}
}

// stat is a field of /proc/<pid>/stat, as proc(5) counts them.
func stat(t *testing.T, pid string, n int) string {
	t.Helper()
	b, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(b), ") ")
	return strings.Fields(after)[n-3]
}

// setting reads a file of the process's cgroup, in version 1 or 2.
func setting(t *testing.T, pid, controller, file1, file2 string) string {
	t.Helper()
	groups, err := os.ReadFile("/proc/" + pid + "/cgroup")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(groups) {
		fields := strings.SplitN(strings.TrimSpace(string(line)), ":", 3)
		file := file1
		if fields[0] == "0" {
			file = file2
		} else if !slices.Contains(strings.Split(fields[1], ","), controller) {
			continue
		}
		if !strings.Contains(fields[2], "slipstick-") {
			t.Errorf("the process is in the group %s of %s", fields[2], controller)
		}
		for _, top := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/" + controller, "/sys/fs/cgroup/unified"} {
			for _, group := range []string{fields[2], filepath.Base(fields[2])} { // a container sees its own group as the top
				if b, err := os.ReadFile(filepath.Join(top, group, file)); err == nil {
					return strings.TrimSpace(string(b))
				}
			}
		}
	}
	t.Errorf("no group of %s limits %s", pid, controller)
	return ""
}

// H7, A9: a flood on either stream stops neither the engine nor the server.
func TestFlood(t *testing.T) {
	j := newSandbox(t, nil)
	p := mustStart(t, j)
	for _, mode := range []string{"line", "flood", "print", "forged", "nothing"} {
		mustCall(t, p, mode)
	}
}

// Limits that are too small for any engine are refused.
func TestLimits(t *testing.T) {
	for _, l := range []sandbox.Limits{{Memory: 1 << 20}, {Tasks: 1}, {OpenFiles: 2}, {Disk: 1}, {CPUShares: 1}, {Memory: -1}} {
		if j, err := sandbox.New(&sandbox.Options{Limits: l}); err == nil || errors.Is(err, sandbox.ErrUnavailable) {
			t.Errorf("%+v: %v, %v", l, j, err)
		}
	}
	least := sandbox.Limits{Memory: 128 << 20, Tasks: 16, OpenFiles: 16, Disk: 64 << 10, CPUShares: 2}
	mustCall(t, mustStart(t, newSandbox(t, &sandbox.Options{Limits: least})), "nothing")
}
