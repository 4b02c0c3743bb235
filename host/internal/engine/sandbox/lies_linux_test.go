package sandbox_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/slipstick/slipstick/host/internal/engine/enginetest"
	"github.com/slipstick/slipstick/host/internal/engine/pool"
	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// published is the release of the evil engine, as a registry would have it.
func published(t *testing.T, j *sandbox.Sandbox) *registry.Release {
	t.Helper()
	executable, err := readEvil()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(executable)
	p := mustStart(t, j)
	spec := p.Spec()
	return registry.Unpublished(spec, "sha256:"+hex.EncodeToString(sum[:]), func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(executable)), nil })
}

func newPool(t *testing.T, o pool.Options) *pool.Pool {
	t.Helper()
	o.Dir, o.StartTimeout = enginetest.ShortDir(t), patience
	p, err := pool.New(&o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func values(mode string) value.Values { return value.Values{value.TextOf(mode), value.TextOf("{}")} }

func calculate(t *testing.T, p *pool.Pool, program *registry.Release, in value.Values) (sdk.Outcome, error) {
	t.Helper()
	return p.Calculate(t.Context(), patience, program, in)
}

// recovers requires that a lie does not affect the next caller.
func recovers(t *testing.T, p *pool.Pool, program *registry.Release) {
	t.Helper()
	if _, err := calculate(t, p, program, values("nothing")); err != nil {
		t.Errorf("the next calculation: %v", err)
	}
}

// F6, F8: no lie is returned, neither on the stream nor by gRPC. Each lie gets a new pool, because
// a pool stops calling engines that lie.
func TestLies(t *testing.T) {
	j := newSandbox(t, nil)
	program := published(t, j)
	for _, mode := range []string{"NaN", "infinity", "other inputs", "warnings", "long text", "megabytes", "gigabytes"} {
		for name, unary := range map[string]bool{"lane": false, "gRPC": true} {
			t.Run(mode+" "+name, func(t *testing.T) {
				p := newPool(t, pool.Options{Confiner: j, Unary: unary})
				if o, err := calculate(t, p, program, values(mode)); err == nil {
					t.Errorf("an outcome of %d values, %d warnings, %d assumptions was returned", len(o.Result), len(o.Warnings), len(o.Assumptions))
				}
				recovers(t, p, program)
			})
		}
	}
}

// F6: a caller does not get the answer to the call of another caller.
func TestSwappedAnswers(t *testing.T) {
	p := mustStart(t, newSandbox(t, nil))
	spec := p.Spec()
	var wg sync.WaitGroup
	for _, args := range []string{`{"Dir": "a"}`, `{"Dir": "b"}`} {
		wg.Go(func() {
			in := value.Values{value.TextOf("swap"), value.TextOf(args)}
			o, err := p.Calculate(within(t), in)
			if err != nil || o.Inputs[1].Equal(in[1]) {
				t.Errorf("the question %s got %v, %v: nothing was swapped", args, o.Inputs, err)
			} else if err := spec.CheckOutcome(in, o); err == nil {
				t.Errorf("the question %s got %v", args, o.Inputs)
			}
		})
	}
	wg.Wait()
}

// F6: frames without a call end that process, and nothing else.
func TestScribble(t *testing.T) {
	j := newSandbox(t, nil)
	p := newPool(t, pool.Options{Confiner: j})
	program := published(t, j)
	if o, err := calculate(t, p, program, values("lane")); err == nil && len(o.Result) != 6 {
		t.Errorf("%v", o.Result)
	}
	recovers(t, p, program)

	alone := mustStart(t, j)
	_, _ = call(within(t), alone, "lane", struct{}{})
	select {
	case <-alone.Exited():
	case <-within(t).Done():
		t.Error("the process lives")
	}
}

// F7: an engine that describes itself as another gets no calls.
func TestImpostor(t *testing.T) {
	j := newSandbox(t, nil)
	p := newPool(t, pool.Options{Confiner: j})
	for name, change := range map[string]func(*sdk.Spec){
		"version":    func(s *sdk.Spec) { s.Version = "2.0.0" },
		"capability": func(s *sdk.Spec) { s.Capability = "test.sandbox.good" },
	} {
		program := published(t, j)
		change(&program.Spec)
		if _, err := calculate(t, p, program, values("nothing")); !errors.Is(err, pool.ErrUnavailable) || !strings.Contains(errors.Unwrap(err).Error(), "otherwise than published") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// F12: the text of an engine stays inside one field of one line.
func TestLogInjection(t *testing.T) {
	j := newSandbox(t, nil)
	for name, handler := range map[string]func(*bytes.Buffer) slog.Handler{
		"text": func(b *bytes.Buffer) slog.Handler { return slog.NewTextHandler(b, nil) },
		"json": func(b *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(b, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			var text bytes.Buffer
			log := slog.New(handler(&text))
			p := mustStart(t, j)
			_, failed := call(within(t), p, "fail", struct{}{})
			_, unstarted := start(t, j, "EVIL=log")
			for _, err := range []error{failed, unstarted} {
				if err == nil || !strings.Contains(err.Error(), "host compromised") {
					t.Fatalf("the engine's text is not there: %v", err)
				}
				log.Warn("engine failed", "error", err)
			}
			lines := strings.Split(strings.TrimSpace(text.String()), "\n")
			if len(lines) != 2 || strings.ContainsAny(text.String(), "\x1b\r\u2028") {
				t.Errorf("%d lines:\n%q", len(lines), text.String())
			}
			for _, line := range lines {
				if name == "json" && !json.Valid([]byte(line)) {
					t.Errorf("no JSON: %q", line)
				}
			}
		})
	}
}

// H11: the program that runs is the program that was hashed, and running does not change it,
// neither on disk nor in memory.
func TestProgramIsTheSame(t *testing.T) {
	j := newSandbox(t, nil)
	executable, err := readEvil()
	if err != nil {
		t.Fatal(err)
	}
	for _, program := range []*process.Program{evil(t), newProgram(t, executable)} {
		t.Logf("on disk: %v", program.OnDisk())
		for range 2 {
			p, err := process.Launch(t.Context(), program, &process.Options{Dir: enginetest.ShortDir(t), Confiner: j, StartTimeout: patience})
			if err != nil {
				t.Fatal(err)
			}
			if r, err := call(context.Background(), p, "own directory", newTargets(t)); err != nil || r.succeeded > 0 {
				t.Errorf("%+v, %v", r, err)
			}
			p.Close()
			if err := program.Unchanged(); err != nil {
				t.Error(err)
			}
		}
	}
}
