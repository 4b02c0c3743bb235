package pool_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/engine/pool"
	"github.com/slipstick/slipstick/host/internal/engine/process"
)

// After a process ended between calls, the next call needs one start and no second attempt, and the
// executable is not read again.
func TestEnded(t *testing.T) {
	for name, programs := range map[string]string{"disk": t.TempDir(), "memory": ""} {
		t.Run(name, func(t *testing.T) {
			p, _, events := newPoolWith(t, pool.Options{StartRate: 1000, Programs: programs})
			program, reads := self(t)
			const ends = 5
			for n := range ends {
				_ = syscall.Kill(pid(t, p, program), syscall.SIGKILL)
				events.wait(t, pool.Ended, n+1)
				events.wait(t, pool.Started, n+2)
			}
			if starts, retries := events.count(pool.Started), events.count(pool.Retried); starts != ends+1 || retries != 0 {
				t.Errorf("%d starts and %d second attempts, want %d and none", starts, retries, ends+1)
			}
			if n := reads.Load(); programs != "" && diskFor(t, programs) && n != 1 {
				t.Errorf("the executable was read %d times", n)
			}
		})
	}
}

// diskFor reports whether programs can be kept on the disk of the directory.
func diskFor(t *testing.T, dir string) bool {
	t.Helper()
	program, _ := self(t)
	kept, err := process.ReadProgramInto(dir, program.OpenEngine)
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	return kept.OnDisk()
}

// A known engine that describes itself otherwise at a later start gets no calls after a short time.
// If it also does so at the next starts, it gets no calls at all.
func TestOtherLater(t *testing.T) {
	p, _, events := newPoolWith(t, pool.Options{StartRate: 1000})
	program, _ := self(t)
	first := pid(t, p, program)
	other := onceFileOf(t) + otherSpec
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(other)
	_ = syscall.Kill(first, syscall.SIGKILL)
	events.wait(t, pool.Ended, 1)
	_ = p.Start(t.Context(), program, false) // it may answer on its stream before it is found out
	events.wait(t, pool.StartFailed, 1)
	_, err := p.Calculate(t.Context(), patience, program, values(2, "square"))
	if !errors.Is(err, pool.ErrUnavailable) || !strings.Contains(errors.Unwrap(err).Error(), "otherwise than published") {
		t.Errorf("error = %v", err)
	}
	os.Remove(other)
	for late := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) { // it rests after failed starts
		if _, err := p.Calculate(t.Context(), patience, program, values(3, "square")); err == nil {
			break
		} else if time.Now().After(late) {
			t.Fatal(err)
		}
	}
}

// A program on disk that another program has touched is read again, and its process is replaced.
func TestTouchedProgram(t *testing.T) {
	dir := t.TempDir()
	if !diskFor(t, dir) {
		t.Skip("no program can be kept on this disk")
	}
	p, _, events := newPoolWith(t, pool.Options{StartRate: 1000, ProbeEvery: 3 * time.Millisecond, Programs: dir})
	program, reads := self(t)
	before := pid(t, p, program)
	touch(t, dir) // while it runs
	events.wait(t, pool.Ended, 1)
	if after := pid(t, p, program); after == before || reads.Load() != 2 {
		t.Errorf("process %d became %d, and the executable was read %d times", before, after, reads.Load())
	}
}

// touch changes the mode of every unnamed file of the directory.
func touch(t *testing.T, dir string) {
	t.Helper()
	touched := 0
	paths, _ := filepath.Glob("/proc/self/fd/*")
	for _, path := range paths {
		if target, _ := os.Readlink(path); strings.HasPrefix(target, dir) && os.Chmod(path, 0o700) == nil {
			touched++
		}
	}
	if touched == 0 {
		t.Fatal("no file to touch")
	}
}
