package sandbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/slipstick/slipstick/host/internal/engine/enginetest"
	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// The test binary also plays a server that will be killed, and a server of another user.
const (
	roleVar = "SANDBOX_TEST_ROLE"
	evilVar = "SANDBOX_TEST_EVIL" // path of the evil engine, if it is built already
)

var evilPath string

func TestMain(m *testing.M) {
	if role, ok := roles[os.Getenv(roleVar)]; ok {
		if err := role(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	if testing.Short() {
		fmt.Println("the tests of the sandbox build a hostile engine: left out by -short")
		return
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	evilPath = os.Getenv(evilVar)
	if evilPath == "" {
		dir, err := os.MkdirTemp("", "evil")
		if err == nil {
			defer os.RemoveAll(dir)
			err = os.Chmod(dir, 0o755) // for a server of another user
		}
		evilPath = filepath.Join(dir, "evilengine")
		if err == nil {
			err = build(evilPath)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	code := m.Run()
	if err := goleak.Find(goleak.IgnoreAnyFunction("github.com/slipstick/slipstick/host/internal/engine/process.runStarts")); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// build makes the evil engine as engines are made: without the race detector, whose
// shadow memory no limit would allow.
func build(to string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s", "-o", to, "./testdata/evilengine")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the evil engine: %w\n%s", err, out)
	}
	return nil
}

// newSandbox skips the test if engines cannot be confined. For root, that is an error.
func newSandbox(t *testing.T, o *sandbox.Options) *sandbox.Sandbox {
	t.Helper()
	j, err := sandbox.New(o)
	if errors.Is(err, sandbox.ErrUnavailable) && os.Geteuid() != 0 {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	return j
}

func readEvil() ([]byte, error) { return os.ReadFile(evilPath) }

func newProgram(t testing.TB, executable []byte) *process.Program {
	t.Helper()
	p, err := process.NewProgram(executable)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// evilProgram is shared, so that its bytes are read and hashed once. It is on disk if possible, as
// for a server.
var evilProgram = sync.OnceValues(func() (*process.Program, error) {
	return process.ReadProgramInto(os.TempDir(), func() (io.ReadCloser, error) { return os.Open(evilPath) })
})

func evil(t *testing.T) *process.Program {
	t.Helper()
	p, err := evilProgram()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// start launches the evil engine, without a sandbox if confiner is nil.
func start(t *testing.T, confiner process.Confiner, env ...string) (*process.Process, error) {
	t.Helper()
	p, err := process.Launch(t.Context(), evil(t), &process.Options{Dir: enginetest.ShortDir(t), Confiner: confiner, Env: env, StartTimeout: patience})
	if err == nil {
		t.Cleanup(p.Close)
	}
	return p, err
}

func mustStart(t *testing.T, confiner process.Confiner, env ...string) *process.Process {
	t.Helper()
	p, err := start(t, confiner, env...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// result is the evil engine's output.
type result struct {
	attempts, succeeded, amount int
	detail                      string
}

func call(ctx context.Context, e sdk.Engine, mode string, arguments any) (result, error) {
	args, err := json.Marshal(arguments)
	if err != nil {
		return result{}, err
	}
	o, err := e.Calculate(ctx, value.Values{value.TextOf(mode), value.TextOf(string(args))})
	if err != nil {
		return result{}, err
	}
	number := func(i int) int { return int(o.Result[i].Number()) }
	return result{attempts: number(0), succeeded: number(1), amount: number(2), detail: o.Result[3].Text()}, nil
}

func mustCall(t *testing.T, e sdk.Engine, mode string) result {
	t.Helper()
	r, err := call(within(t), e, mode, struct{}{})
	if err != nil {
		t.Fatalf("%s: %v", mode, err)
	}
	return r
}

// patience is how long a test waits for what takes milliseconds on a machine that is not busy.
const patience = 2 * time.Minute

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}
