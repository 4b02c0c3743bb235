//go:build linux

package process_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/slipstick/slipstick/host/internal/engine/process"
)

// BenchmarkCalls measures calls that compute nothing: the cost of the way to an engine and back.
// Wall time depends on other processes of the machine. So it also reports, per call, the CPU time
// of the server and of the engines, and how often they had to wait.
func BenchmarkCalls(b *testing.B) {
	for _, c := range []struct {
		name             string
		callers, engines int
	}{
		{"one", 1, 1},
		{"callers64", 64, 1},
		{"engines50", 64, 50},
		{"engines200", 64, 200},
		{"engines50one", 1, 50},
	} {
		b.Run(c.name, func(b *testing.B) { benchmarkCalls(b, c.callers, c.engines) })
	}
}

// benchmarkCalls makes calls of the callers to the engines in turn.
func benchmarkCalls(b *testing.B, callers, engines int) {
	program := program(b)
	running := make([]*process.Process, engines)
	for i := range running {
		p, err := process.Launch(b.Context(), program, &process.Options{
			Dir: b.TempDir(), Env: []string{modeVar + "=engine", "GOMAXPROCS=1"}, StartTimeout: time.Minute,
			RequestID: func(context.Context) string { return "0123456789abcdef-1" },
		})
		if err != nil {
			b.Fatal(err)
		}
		defer p.Close()
		running[i] = p
		for range 10 {
			if _, err := p.Calculate(b.Context(), values(1, "echo")); err != nil {
				b.Fatal(err)
			}
		}
	}
	var asked atomic.Int64
	var group sync.WaitGroup
	before := usageOf(b, running)
	b.ReportAllocs()
	b.ResetTimer()
	for range callers {
		group.Go(func() {
			for n := asked.Add(1); n <= int64(b.N); n = asked.Add(1) {
				x := float64(n%1000 + 20)
				if o, err := running[n%int64(engines)].CalculateWithin(b.Context(), 10*time.Second, values(x, "echo")); err != nil || o.Result[0].Number() != x {
					b.Errorf("%v: %v, %v", x, o.Result, err)
					return
				}
			}
		})
	}
	group.Wait()
	b.StopTimer()
	usageOf(b, running).report(b, before)
}

// usage has the resources that the server and its engines have used so far.
type usage struct {
	host, engines           time.Duration
	hostWaits, enginesWaits int64
}

func (u usage) report(b *testing.B, before usage) {
	n := float64(b.N)
	b.ReportMetric(float64((u.host-before.host).Nanoseconds())/n, "host-ns/op")
	b.ReportMetric(float64((u.engines-before.engines).Nanoseconds())/n, "engine-ns/op")
	b.ReportMetric(float64(u.hostWaits-before.hostWaits)/n, "host-waits/op")
	b.ReportMetric(float64(u.enginesWaits-before.enginesWaits)/n, "engine-waits/op")
}

func usageOf(b *testing.B, engines []*process.Process) (u usage) {
	var own unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &own); err != nil {
		b.Fatal(err)
	}
	u.host, u.hostWaits = time.Duration(own.Utime.Nano()+own.Stime.Nano()), own.Nvcsw
	for _, p := range engines {
		var pid int32
		var time unix.Timespec
		fmt.Sscan(p.PID(), &pid)
		if err := unix.ClockGettime(^pid<<3|2, &time); err != nil { // CPUCLOCK_SCHED of the process
			b.Fatal(err)
		}
		u.engines += timeOf(time)
		u.enginesWaits += waitsOf(b, pid)
	}
	return u
}

func timeOf(t unix.Timespec) time.Duration { return time.Duration(t.Nano()) }

// waitsOf returns how often the threads of a process had nothing to do.
func waitsOf(b *testing.B, pid int32) (waits int64) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	for _, thread := range threads {
		f, err := os.Open(thread)
		if err != nil {
			continue // the thread has ended
		}
		for lines := bufio.NewScanner(f); lines.Scan(); {
			if text, ok := strings.CutPrefix(lines.Text(), "voluntary_ctxt_switches:"); ok {
				var n int64
				fmt.Sscan(text, &n)
				waits += n
			}
		}
		f.Close()
	}
	return waits
}
