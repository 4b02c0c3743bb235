package sandbox_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/engine/pool"
	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
	"github.com/slipstick/slipstick/host/internal/platform/telemetry"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk/value"
)

// BenchmarkStart measures the start of an engine, its first answer and its end.
func BenchmarkStart(b *testing.B) {
	j, err := sandbox.New(nil)
	if err != nil {
		b.Skip(err)
	}
	defer j.Close()
	program, err := evilProgram()
	if err != nil {
		b.Fatal(err)
	}
	for name, confiner := range map[string]process.Confiner{"bare": nil, "sandboxed": j} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				p, err := process.Launch(b.Context(), program, &process.Options{Confiner: confiner})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := call(b.Context(), p, "nothing", struct{}{}); err != nil {
					b.Fatal(err)
				}
				p.Close()
			}
		})
	}
}

// BenchmarkFirstAnswer measures the first answer of an engine that does not run. Its program is new
// or kept, or its process was killed just before.
func BenchmarkFirstAnswer(b *testing.B) {
	j, err := sandbox.New(nil)
	if err != nil {
		b.Skip(err)
	}
	defer j.Close()
	executable, err := readEvil()
	if err != nil {
		b.Fatal(err)
	}
	running, err := process.Launch(b.Context(), newProgram(b, executable), &process.Options{Confiner: j})
	if err != nil {
		b.Fatal(err)
	}
	spec := running.Spec()
	running.Close()
	sum := sha256.Sum256(executable)
	program := registry.Unpublished(spec, "sha256:"+hex.EncodeToString(sum[:]), func() (io.ReadCloser, error) { return os.Open(evilPath) })
	for _, way := range []string{"new", "kept", "killed"} {
		b.Run(way, func(b *testing.B) { benchmarkFirst(b, j, way, program) })
	}
}

// endings receives for every process that has ended.
type endings struct {
	*telemetry.Metrics
	ended chan<- struct{}
}

func (e endings) Engine(_, _, event string) {
	if pool.Event(event) == pool.Ended {
		e.ended <- struct{}{}
	}
}

func benchmarkFirst(b *testing.B, j *sandbox.Sandbox, way string, program *registry.Release) {
	b.StopTimer()
	ended := make(chan struct{}, 1000)
	o := &pool.Options{Confiner: j, Programs: os.TempDir(), StartRate: 1000, Metrics: endings{telemetry.NewMetrics(), ended}}
	if way == "kept" {
		o.IdleStop, o.ProbeEvery = time.Millisecond, 3*time.Millisecond
	}
	var p *pool.Pool
	asked := 0
	ask := func() { // until there is an answer: a standby may have been killed too
		for {
			asked++ // other inputs, because inputs that failed twice are refused
			in := value.Values{value.TextOf("nothing"), value.TextOf("{}" + strings.Repeat(" ", asked))}
			if _, err := p.Calculate(b.Context(), 10*time.Second, program, in); err == nil {
				return
			}
		}
	}
	for i := range b.N {
		if i == 0 || way == "new" {
			var err error
			p, err = pool.New(o)
			if err != nil {
				b.Fatal(err)
			}
		}
		if way != "new" {
			ask()
		}
		switch way {
		case "kept":
			<-ended
		case "killed":
			killChildren(b)
		}
		b.StartTimer()
		ask()
		b.StopTimer()
		if way == "new" {
			p.Close()
		} else {
			<-ended
		}
	}
	if way != "new" {
		p.Close()
	}
}

// killChildren kills all processes that this one has started.
func killChildren(b *testing.B) {
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, list := range lists {
		children, _ := os.ReadFile(list)
		for _, child := range strings.Fields(string(children)) {
			pid, err := strconv.Atoi(child)
			if err == nil {
				err = syscall.Kill(pid, syscall.SIGKILL)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
