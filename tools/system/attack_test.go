package system

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// buildAttackers builds versions of an engine that attacks at its start in the given way. If start is "", the engine
// attacks only when an input requests it.
func buildAttackers(t *testing.T, tool, start string, versions int) (paths []string) {
	t.Helper()
	dir := t.TempDir()
	for i := range versions {
		path := filepath.Join(dir, fmt.Sprintf("%s-%d", tool, i))
		buildEngine(t, path, "hostile", "tool="+tool, "start="+start, fmt.Sprintf("version=1.0.%d", i))
		paths = append(paths, path)
	}
	return paths
}

// executableOf returns the inode of the executable of the process.
func executableOf(pid int) uint64 {
	var stat syscall.Stat_t
	if syscall.Stat(fmt.Sprintf("/proc/%d/exe", pid), &stat) != nil {
		return 0
	}
	return stat.Ino
}

// A capability with versions that attack at their start is called repeatedly. It delays the first start of another
// capability, and the restart of a killed process, by less than a second.
func TestStartsUnderAttack(t *testing.T) {
	if !soaking {
		t.Skip("scripts/soak faults runs it: it measures times")
	}
	for start, versions := range map[string]int{"hang": 24, "burn": 8, "eat": 8, "exit": 8} {
		t.Run(start, func(t *testing.T) { startsUnderAttack(t, start, versions) })
	}
}

func startsUnderAttack(t *testing.T, start string, versions int) {
	registry := filepath.Join(t.TempDir(), "registry")
	does(t, append(append([]string{"publish", "--to", registry}, executables()...), buildAttackers(t, "attack", start, versions)...)...)
	h := startServer(t, "--registry", registry, "--cache", "0")
	h.drain(t)
	all := questions(t, h)[:4] // one question for each version of three capabilities
	client := new(http.Client)
	warm := map[uint64]bool{} // the executables of these versions
	for _, pid := range children(h.cmd.Process.Pid) {
		warm[executableOf(pid)] = true
	}
	if len(warm) != len(all) {
		t.Fatalf("%d programs run, want %d", len(warm), len(all))
	}

	var stop atomic.Bool
	var attacked atomic.Int64
	var attackers sync.WaitGroup
	defer attackers.Wait()
	defer stop.Store(true)
	for i := range versions {
		attackers.Go(func() {
			for !stop.Load() {
				h.post(t, "/api/v1/calc/attack", `{"x":1}`, pinHeader, fmt.Sprintf("1.0.%d", i))
				attacked.Add(1)
				time.Sleep(100 * time.Millisecond)
			}
		})
	}
	fresh := []string{`amps-to-volts {"mode":"ohms","I":1,"R":2}`}
	slowest, asked := time.Duration(0), 0
	for began := time.Now(); time.Since(began) < 40*time.Second; time.Sleep(time.Second) {
		for _, one := range fresh { // the first call of a capability
			tool, body, _ := strings.Cut(one, " ")
			first := time.Now()
			status, answer := h.post(t, "/api/v1/calc/"+tool, body)
			slowest = max(slowest, time.Since(first))
			if status != 200 {
				t.Errorf("first call of %s: %d %s", tool, status, answer)
			}
			asked++
		}
		fresh = nil
		for _, pid := range children(h.cmd.Process.Pid) {
			if warm[executableOf(pid)] {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		for i := range all {
			first := time.Now()
			problem := all[i].ask(t.Context(), client, h.url)
			slowest = max(slowest, time.Since(first))
			if problem != "" {
				t.Errorf("%s after %v: %s", all[i].path, time.Since(began), problem)
			}
			asked++
		}
	}
	t.Logf("%d calls of other capabilities, the slowest took %v; %d attacks", asked, slowest, attacked.Load())
	if slowest > time.Second {
		t.Errorf("a call waited %v", slowest)
	}
	if attacked.Load() < int64(versions) {
		t.Errorf("only %d attacks", attacked.Load())
	}
}

// Attackers send inputs that end processes, each time a different input. Other callers of the same capability keep
// a third of their rate, and none of their calls fails. They make about 330 calls per second, as in the review
// that found the defect. The test also logs the rate of callers that never pause.
func TestInputsUnderAttack(t *testing.T) {
	if !soaking {
		t.Skip("scripts/soak faults runs it: it measures rates")
	}
	registry := filepath.Join(t.TempDir(), "registry")
	does(t, append([]string{"publish", "--to", registry}, buildAttackers(t, "attack", "", 1)...)...)
	h := startServer(t, "--registry", registry, "--cache", "0")
	h.drain(t)
	const good, attackers, long = 4, 24, 20 * time.Second
	var inputs, attacked atomic.Int64
	during := func(pause time.Duration) (answers int64) {
		var all sync.WaitGroup
		var count atomic.Int64
		began := time.Now()
		for range good {
			all.Go(func() {
				for time.Since(began) < long {
					if status, answer := h.post(t, "/api/v1/calc/attack", fmt.Sprintf(`{"x":%d}`, inputs.Add(1))); status != 200 {
						t.Errorf("a good call: %d %s", status, answer)
					}
					count.Add(1)
					time.Sleep(pause)
				}
			})
		}
		all.Wait()
		return count.Load()
	}
	const pause = 12 * time.Millisecond
	calm, busy := during(pause), during(0)
	var stop atomic.Bool
	var all sync.WaitGroup
	for range attackers {
		all.Go(func() {
			for !stop.Load() {
				if status, answer := h.post(t, "/api/v1/calc/attack", fmt.Sprintf(`{"x":%d,"do":"crash"}`, inputs.Add(1))); status == 200 {
					t.Errorf("an attack: %s", answer)
				}
				attacked.Add(1)
			}
		})
	}
	under, busyUnder := during(pause), during(0)
	stop.Store(true)
	all.Wait()
	t.Logf("answers in %v without attackers and with them: %d and %d; without pauses %d and %d; %d attacks", long, calm, under, busy, busyUnder, attacked.Load())
	if 3*under < calm {
		t.Errorf("%d answers, and %d without attackers", under, calm)
	}
	if attacked.Load() < attackers {
		t.Errorf("only %d attacks", attacked.Load())
	}
}
