package sandbox_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/slipstick/slipstick/host/internal/engine/enginetest"
	"github.com/slipstick/slipstick/host/internal/engine/pool"
	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
	"github.com/slipstick/slipstick/host/internal/platform/memory"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// bombKinds are the bombs of the evil engine, see its bombs_linux.go.
var bombKinds = []string{
	"results", "inputs", "assumptions", "warnings", "texts", "formulas", "list", "absent", "lists", "record", "deep",
	"rejection", "failure", // the kinds up to here can be sent by gRPC
	"answers", "groups", "foreign", "rejections", "faults", "dictionary", "indexes", "numbers", "columns",
}

// unaryBombs is how many of them the SDK sends by gRPC.
const unaryBombs = 13

const (
	bombedMemory  = 512 << 20
	bombedCallers = 64
	bombedRounds  = 4
	bombedRows    = 64
	groupVar      = "SANDBOX_TEST_GROUP"
)

// Answers that grow when they are decoded affect only their engine. A server whose group has 512
// MiB survives, and another capability answers every call in the meantime.
func TestBombs(t *testing.T) {
	newSandbox(t, nil)
	group, err := sandbox.MemoryGroup(fmt.Sprintf("slipstick-test-bombs-%d", os.Getpid()), bombedMemory)
	if err != nil {
		t.Skipf("no cgroup here limits memory: %v", err)
	}
	t.Cleanup(func() { removeGroup(t, group) })
	host := "/proc/self/exe"
	if _, err := exec.LookPath("go"); err == nil { // a container has no compiler, and its tests no race detector
		host = filepath.Join(enginetest.ShortDir(t), "host")
		compile := exec.CommandContext(t.Context(), "go", "test", "-c", "-trimpath", "-ldflags=-w", "-o", host, ".")
		compile.Env = append(os.Environ(), "CGO_ENABLED=0") // and without the race detector: its shadow memory exceeds every limit
		if out, err := compile.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, host)
	cmd.Env = []string{roleVar + "=bombed host", evilVar + "=" + evilPath, groupVar + "=" + group, "TMPDIR=" + enginetest.ShortDir(t)}
	out, err := cmd.CombinedOutput()
	t.Logf("%speak of the group %d MiB of %d", out, readNumber(group, "memory.max_usage_in_bytes", "memory.peak")>>20, bombedMemory>>20)
	if err != nil {
		t.Error(err)
	}
}

func removeGroup(t *testing.T, dir string) {
	t.Helper()
	for late := time.Now().Add(patience); time.Now().Before(late); { // its last process may still be ending
		children, _ := filepath.Glob(filepath.Join(dir, "*", "tasks"))
		for _, c := range children {
			_ = unix.Rmdir(filepath.Dir(c))
		}
		if err := unix.Rmdir(dir); err == nil || errors.Is(err, unix.ENOENT) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%s is still in use", dir)
}

// readNumber reads the first of the files that exists.
func readNumber(dir string, files ...string) int64 {
	for _, file := range files {
		if b, err := os.ReadFile(filepath.Join(dir, file)); err == nil {
			n, _ := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
			return n
		}
	}
	return 0
}

// playBombedHost is a server in a group with little memory. Its callers ask for bombs.
func playBombedHost() error {
	if err := os.WriteFile(filepath.Join(os.Getenv(groupVar), "cgroup.procs"), []byte("0"), 0); err != nil {
		return err
	}
	debug.SetGCPercent(400) // as a server does
	limit, err := memory.Limit()
	if err != nil || limit != bombedMemory/2 {
		return fmt.Errorf("memory is limited to %d: %w", limit, err)
	}
	j, err := sandbox.New(&sandbox.Options{Limits: sandbox.Limits{Memory: 128 << 20}})
	if err != nil {
		return err
	}
	executable, err := os.ReadFile(os.Getenv(evilVar))
	if err != nil {
		return err
	}
	spec, err := describe(executable, j)
	if err != nil {
		return err
	}
	var total tally
	for _, unary := range []bool{false, true} {
		kinds := bombKinds
		if unary {
			kinds = bombKinds[:unaryBombs]
		}
		p, err := pool.New(&pool.Options{Confiner: j, Unary: unary, StartRate: 1000, Dir: os.Getenv("TMPDIR")})
		if err != nil {
			return err
		}
		total.add(bombard(p, programOf(executable, spec), programOf(append(executable[:len(executable):len(executable)], '\n'), spec), kinds))
		p.Close()
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	peak, _, _ := strings.Cut(after, "\n")
	fmt.Printf("asked for %d bombs, %d refused; other capability: %d calls, %d failed; peak of the host %s\n",
		total.bombs, total.refused, total.others, total.failed, strings.TrimSpace(peak))
	if total.failed > 0 || total.others == 0 || total.refused == 0 {
		return fmt.Errorf("the other capability was harmed: %v", total.failure)
	}
	return j.Close()
}

// describe starts the program once, for its Spec.
func describe(executable []byte, j *sandbox.Sandbox) (*sdk.Spec, error) {
	program, err := process.NewProgram(executable)
	if err != nil {
		return nil, err
	}
	defer program.Close()
	p, err := process.Launch(context.Background(), program, &process.Options{Dir: os.Getenv("TMPDIR"), Confiner: j, StartTimeout: patience})
	if err != nil {
		return nil, err
	}
	defer p.Close()
	spec := p.Spec()
	return &spec, nil
}

func programOf(executable []byte, spec *sdk.Spec) *registry.Release {
	sum := sha256.Sum256(executable)
	return registry.Unpublished(*spec, "sha256:"+hex.EncodeToString(sum[:]), func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(executable)), nil })
}

// tally counts the outcomes of the calls.
type tally struct {
	bombs, refused, others, failed int64
	failure                        error
}

func (a *tally) add(b *tally) {
	a.bombs, a.refused, a.others, a.failed = a.bombs+b.bombs, a.refused+b.refused, a.others+b.others, a.failed+b.failed
	a.failure = errors.Join(a.failure, b.failure)
}

// bombard asks the evil program for bombs of the kinds from many callers. At the same time it makes
// ordinary calls of the other program.
func bombard(p *pool.Pool, evil, other *registry.Release, kinds []string) *tally {
	var sum tally
	var stop atomic.Bool
	var neighbours, callers sync.WaitGroup
	for range 2 {
		neighbours.Go(func() {
			for !stop.Load() {
				_, err := p.Calculate(context.Background(), patience, other, values("nothing"))
				atomic.AddInt64(&sum.others, 1)
				if err != nil {
					atomic.AddInt64(&sum.failed, 1)
					sum.failure = err
				}
			}
		})
	}
	for caller := range bombedCallers {
		callers.Go(func() {
			for round := range bombedRounds {
				n := round*bombedCallers + caller
				failed := askForBombs(p, evil, kinds[n%len(kinds)], n)
				atomic.AddInt64(&sum.bombs, 1)
				atomic.AddInt64(&sum.refused, int64(failed))
			}
		})
	}
	callers.Wait()
	stop.Store(true)
	neighbours.Wait()
	return &sum
}

// bombLimit is how long a caller waits for a bomb.
const bombLimit = 2 * time.Second

// askForBombs asks for one bomb, or for rows of bombs, and returns 1 if there was no answer.
func askForBombs(p *pool.Pool, evil *registry.Release, kind string, n int) int {
	// No two callers ask the same: inputs that failed twice are not asked for again.
	in := value.Values{value.TextOf("bomb:" + kind + "bomb:"), value.TextOf(fmt.Sprintf(`{"File": "%d"}`, n))}
	var err error
	if n/2%2 == 0 {
		_, err = p.Calculate(context.Background(), bombLimit, evil, in)
	} else {
		var results []response.Result
		results, err = p.CalculateBatch(context.Background(), bombLimit, evil, slices.Repeat([]value.Values{in}, bombedRows))
		for _, r := range results {
			err = cmp.Or(err, r.Err)
		}
	}
	if err != nil {
		return 1
	}
	return 0
}
