//go:build linux

package process_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/slipstick/slipstick/host/internal/engine/enginetest"
	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/enginefile"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/wire"
)

// The test binary plays the engine when this is set.
const modeVar = "SLIPSTICK_TEST_MODE"

func TestMain(m *testing.M) {
	if mode := os.Getenv(modeVar); mode != "" {
		playEngine(mode)
		return
	}
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/slipstick/slipstick/host/internal/engine/process.runStarts"))
}

type layer struct {
	Thickness    float64  `name:"thickness" unit:"m"`
	Conductivity *float64 `name:"conductivity" unit:"W/(m K)"`
}

type input struct {
	X      float64      `name:"x" unit:"m" range:"[0,)"`
	Y      *float64     `name:"y"`
	Mode   string       `name:"mode" enum:"echo,env,stdin,pid,fail,panic,huge,wait,spin,flood,compute,log,log long,log hostile,log flood" default:"echo"`
	Exact  *sdk.Decimal `name:"exact"`
	Flag   *bool        `name:"flag"`
	Layers *[]layer     `name:"layers"`
}

type output struct {
	X    float64 `name:"x" unit:"m"`
	Text string  `name:"text"`
}

func testEngine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "test.process.echo", Version: "1.2.3", Tool: "echo", Group: "test",
		Title: "Echo", Summary: "Says what it got.",
		Formulas: []sdk.Formula{{ID: "first", Expression: "x"}, {ID: "second", Expression: "x"}},
		Errors:   []string{"X_TOO_ODD"}, Warnings: []string{"ODD"},
	}, func(ctx context.Context, in input) (output, error) {
		out := output{X: in.X}
		switch in.Mode {
		case "env":
			out.Text = strings.Join(os.Environ(), "\n")
		case "stdin":
			b, err := io.ReadAll(os.Stdin)
			out.Text = fmt.Sprintf("%d bytes, %v", len(b), err)
		case "pid":
			out.Text = fmt.Sprint(os.Getpid())
		case "fail":
			return out, errors.New("the disk is on fire")
		case "panic":
			panic("oops")
		case "huge":
			out.Text = strings.Repeat("x", 2<<20)
		case "wait":
			<-ctx.Done()
			return out, ctx.Err()
		case "compute":
			for ctx.Err() == nil {
			}
		case "spin":
			select {}
		case "flood":
			// Past go-plugin's replacement of os.Stdout, straight to the pipe.
			_, err := syscall.Write(1, bytes.Repeat([]byte("x"), 200<<10))
			out.Text = fmt.Sprint(err)
		}
		logIn(ctx, &in)
		if in.X == 13 {
			return out, sdk.Reject("X_TOO_ODD", "x", "no %v", in.X).Suggest("Send another.")
		}
		if in.X == 7 {
			sdk.Warn(ctx, sdk.Warning{Code: "ODD", Severity: sdk.Info, Detail: "seven", Suggestion: "six"})
			sdk.Assume(ctx, "luck")
			sdk.UseFormula(ctx, "second")
		}
		return out, nil
	})
}

// playEngine is the engine process of the mode.
func playEngine(mode string) {
	switch mode {
	case "engine":
		wire.Serve(testEngine(), []byte(`[{"id":"V1"}]`))
	case "mute":
		time.Sleep(time.Hour) // select {} would be a deadlock, which Go reports
	case "exit":
		fmt.Fprintln(os.Stderr, "no licence found")
		syscall.Exit(3) // at once, where os.Exit lets the race detector wait a second
	case "junk":
		fmt.Println("Welcome to my engine!")
		select {}
	case "long":
		fmt.Print(strings.Repeat("x", 100<<10))
		select {}
	case "tcp":
		fmt.Println("1|1|tcp|127.0.0.1:9|grpc|")
		select {}
	case "elsewhere":
		fmt.Println("1|1|unix|/tmp/other.sock|grpc|")
		select {}
	case "oldprotocol":
		fmt.Println("1|99|unix|" + os.Getenv("PLUGIN_UNIX_SOCKET_DIR") + "/s|grpc|")
		select {}
	case "stream of nonsense", "stream of large frames", "stream that ends", "stream of other kinds":
		stream, _ := takeStream()
		go abuse(stream, strings.TrimPrefix(mode, "stream "))
		wire.Serve(testEngine(), nil)
	case "stream of duplicates":
		go duplicate(takeStream())
		wire.Serve(testEngine(), nil)
	case "text":
		text, err := enginefile.Own()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(4)
		}
		wire.Serve(testEngine(), text.Document)
	case "grandchild":
		child := exec.Command("/proc/self/exe")
		child.Env = []string{modeVar + "=mute"}
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // outside the process group
		if err := child.Start(); err != nil {
			os.Exit(4)
		}
		fmt.Fprintln(os.Stderr, "grandchild", child.Process.Pid)
		wire.Serve(testEngine(), fmt.Appendf(nil, "%d", child.Process.Pid))
	}
}

func program(t testing.TB) *process.Program {
	t.Helper()
	p, err := process.NewProgram(enginetest.Program(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// patience is how long a test waits for what must happen: a machine that is busy passes.
const patience = 2 * time.Minute

func launch(t *testing.T, mode string, o process.Options) (*process.Process, error) {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	o.StartTimeout = cmp.Or(o.StartTimeout, patience)
	o.Env = append(o.Env, modeVar+"="+mode)
	p, err := process.Launch(t.Context(), program(t), &o)
	if err == nil {
		t.Cleanup(p.Close)
	}
	return p, err
}

func mustLaunch(t *testing.T) *process.Process {
	t.Helper()
	p, err := launch(t, "engine", process.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func values(x float64, mode string) value.Values {
	return value.Values{value.NumberOf(x), {}, value.TextOf(mode), {}, {}, {}}
}

func TestOutcomesCrossUnchanged(t *testing.T) {
	p, here := mustLaunch(t), testEngine()
	full := value.Values{
		value.NumberOf(7), value.NumberOf(0), value.TextOf("echo"), value.ExactOf("0.10000000000000000000001"), value.BoolOf(false),
		value.ListOf(value.RecordOf(value.NumberOf(0.1), value.Value{}), value.RecordOf(value.NumberOf(0.2), value.NumberOf(5e-324))),
	}
	for name, in := range map[string]value.Values{
		"plain": values(1.5, "echo"), "rich": full, "rejected": values(13, "echo"), "out of range": values(-1, "echo"),
	} {
		t.Run(name, func(t *testing.T) {
			want, wantErr := here.Calculate(t.Context(), in)
			got, gotErr := p.Calculate(t.Context(), in)
			if diff := gocmp.Diff(want, got, gocmp.Comparer(value.Value.Equal)); diff != "" {
				t.Errorf("outcome differs across the process boundary (-here +there):\n%s", diff)
			}
			if diff := gocmp.Diff(wantErr, gotErr); diff != "" {
				t.Errorf("error differs across the process boundary (-here +there):\n%s", diff)
			}
		})
	}
}

func vectorsOf(t *testing.T, p *process.Process) string {
	t.Helper()
	vectors, err := p.Vectors(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return string(vectors)
}

func TestDescribe(t *testing.T) {
	p := mustLaunch(t)
	want, _ := json.Marshal(testEngine().Spec())
	if got, _ := json.Marshal(p.Spec()); !bytes.Equal(got, want) {
		t.Errorf("Spec = %s\nwant %s", got, want)
	}
	if got := vectorsOf(t, p); got != `[{"id":"V1"}]` {
		t.Errorf("Vectors = %s", got)
	}
}

// H5: an engine inherits neither environment nor stdin.
func TestInheritsNothing(t *testing.T) {
	t.Setenv("HOST_SECRET", "hunter2")
	p := mustLaunch(t)
	o, err := p.Calculate(t.Context(), values(1, "env"))
	if err != nil {
		t.Fatal(err)
	}
	if env := o.Result[1].Text(); strings.Contains(env, "hunter2") || !strings.Contains(env, modeVar) {
		t.Errorf("environment of the engine:\n%s", env)
	}
	o, err = p.Calculate(t.Context(), values(1, "stdin"))
	if err != nil || o.Result[1].Text() != "0 bytes, <nil>" {
		t.Errorf("stdin of the engine: %v, %v", o.Result, err)
	}
}

// H6: an answer over 1 MiB is refused, and the process goes on.
func TestHugeAnswer(t *testing.T) {
	p := mustLaunch(t)
	if _, err := p.Calculate(t.Context(), values(1, "huge")); !errors.Is(err, process.ErrContract) {
		t.Errorf("error = %v, want ErrContract", err)
	}
	if _, err := p.Calculate(t.Context(), values(1, "echo")); err != nil {
		t.Errorf("next call: %v", err)
	}
}

// H7: an engine that prints to the handshake pipe neither blocks nor dies.
func TestStdoutFlood(t *testing.T) {
	p := mustLaunch(t)
	for range 3 {
		if o, err := p.Calculate(t.Context(), values(1, "flood")); err != nil || o.Result[1].Text() != "<nil>" {
			t.Fatalf("flood: %v, %v", o.Result, err)
		}
	}
}

func TestEngineFailures(t *testing.T) {
	p := mustLaunch(t)
	for mode, want := range map[string]string{"fail": "the disk is on fire", "panic": "engine panicked: oops"} {
		_, err := p.Calculate(t.Context(), values(1, mode))
		if err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, process.ErrLost) || errors.Is(err, process.ErrContract) {
			t.Errorf("%s: error = %v, want one with %q that is neither lost nor contract", mode, err, want)
		}
	}
}

func TestDeadlines(t *testing.T) {
	p := mustLaunch(t)
	for _, mode := range []string{"wait", "spin"} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		_, err := p.Calculate(ctx, values(1, mode))
		cancel()
		if err == nil {
			t.Errorf("%s: no error after the deadline", mode)
		}
	}
	if _, err := p.Calculate(t.Context(), values(1, "echo")); err != nil {
		t.Errorf("next call: %v", err)
	}
}

// H1, H2: a stopped process fails its health check by our deadline, and Close
// returns.
func TestStoppedProcess(t *testing.T) {
	p := mustLaunch(t)
	if err := p.Healthy(t.Context()); err != nil {
		t.Fatalf("healthy process: %v", err)
	}
	o, err := p.Calculate(t.Context(), values(1, "pid"))
	if err != nil || o.Result[1].Text() != p.PID() {
		t.Fatalf("pid %v, %v, want %s", o.Result, err, p.PID())
	}
	var pid int
	fmt.Sscan(p.PID(), &pid)
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	// Until every thread of it has stopped.
	if err := unix.Waitid(unix.P_PID, pid, nil, unix.WSTOPPED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := p.Healthy(ctx); err == nil {
		t.Error("a stopped process passed its health check")
	}
	p.Close()
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process after Close: %v, want no such process", err)
	}
}

// H3: a grandchild that holds the pipes does not hold up Close.
func TestGrandchildHoldsPipes(t *testing.T) {
	p, err := launch(t, "grandchild", process.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var grandchild int
	fmt.Sscan(vectorsOf(t, p), &grandchild)
	defer syscall.Kill(grandchild, syscall.SIGKILL)
	p.Close()
	if err := syscall.Kill(grandchild, 0); err != nil {
		t.Errorf("the grandchild should have survived to hold the pipes: %v", err)
	}
}

// H12: the error of a call to a process that died is ErrLost, and another process can be launched.
func TestDeadProcess(t *testing.T) {
	p := mustLaunch(t)
	var pid int
	fmt.Sscan(p.PID(), &pid)
	syscall.Kill(pid, syscall.SIGKILL)
	<-p.Exited()
	if _, err := p.Calculate(t.Context(), values(1, "echo")); !errors.Is(err, process.ErrLost) {
		t.Errorf("error = %v, want ErrLost", err)
	}
	p.Close()
	if _, err := mustLaunch(t).Calculate(t.Context(), values(1, "echo")); err != nil {
		t.Errorf("another process: %v", err)
	}
}

// H8, H9, H10 and other processes that are not engines: the start fails in time with the reason. No
// process or file is left.
func TestBadStarts(t *testing.T) {
	for mode, want := range map[string]string{
		"mute":        "no engine after",
		"exit":        `the program is not a Slipstick engine, or it failed: it ended before its handshake; it printed "no licence found"`,
		"junk":        `the program is not a Slipstick engine: its first line is "Welcome to my engine!" and not a handshake`,
		"long":        "xxxxxxx",
		"tcp":         "must be a unix socket",
		"elsewhere":   "must be in its own directory",
		"oldprotocol": "incompatible API version",
	} {
		t.Run(mode, func(t *testing.T) {
			dir := t.TempDir()
			timeout := patience
			if mode == "mute" {
				timeout = time.Second // which it uses up
			}
			_, err := launch(t, mode, process.Options{StartTimeout: timeout, Dir: dir})
			if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 3000 || strings.Contains(err.Error(), "remote plugin") {
				t.Errorf("error = %v, want one with %q", err, want)
			}
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("still there: %v", left)
			}
		})
	}
}

func TestNotExecutable(t *testing.T) {
	dir := t.TempDir()
	p, err := process.NewProgram([]byte("not a program"))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := process.Launch(t.Context(), p, &process.Options{Dir: dir}); err == nil {
		t.Error("no error")
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
}

func TestLaunchCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if p, err := process.Launch(ctx, program(t), &process.Options{Env: []string{modeVar + "=mute"}, Dir: t.TempDir()}); err == nil {
		p.Close()
		t.Error("no error")
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	p, err := launch(t, "engine", process.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
	p.Close()
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
}

func TestConcurrentCalls(t *testing.T) {
	p := mustLaunch(t)
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			x := float64(i + 20)
			if o, err := p.Calculate(t.Context(), values(x, "echo")); err != nil || o.Result[0].Number() != x {
				t.Errorf("%v: %v, %v", x, o.Result, err)
			}
		})
	}
	wg.Wait()
}

// The program that runs is the program that was hashed, because the sealed bytes cannot be written.
func TestProgramIsSealed(t *testing.T) {
	p := program(t)
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc here")
	}
	sealed := false
	for _, e := range entries {
		path := "/proc/self/fd/" + e.Name()
		if target, _ := os.Readlink(path); !strings.Contains(target, "slipstick-engine") {
			continue
		}
		sealed = true
		if f, err := os.OpenFile(path, os.O_WRONLY, 0); err == nil {
			if _, err := f.Write([]byte("x")); err == nil {
				t.Error("the sealed program was overwritten")
			}
			f.Close()
		}
	}
	if !sealed {
		t.Errorf("%s is not kept in memory", p.Digest())
	}
}

// refusing is a sandbox that cannot be made.
type refusing struct{}

func (refusing) Confine(*process.Start) (*process.Confined, error) {
	return nil, errors.New("no namespaces here")
}

// The error of a failed start shows whether the engine or the machine is at fault.
func TestLaunchTellsWhoseFaultItIs(t *testing.T) {
	_, err := launch(t, "engine", process.Options{Confiner: refusing{}})
	if !errors.Is(err, process.ErrMachine) || !strings.Contains(err.Error(), "no namespaces here") {
		t.Errorf("without a sandbox: %v", err)
	}
	p, err := process.NewProgram([]byte("#!/no/such/interpreter\n"))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	_, err = process.Launch(t.Context(), p, &process.Options{Dir: t.TempDir()})
	if err == nil || errors.Is(err, process.ErrMachine) {
		t.Errorf("without its interpreter: %v", err)
	}
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	few := before
	few.Cur = uint64(len(open)) + 1
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	_, err = launch(t, "engine", process.Options{})
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(err, process.ErrMachine) {
		t.Errorf("without file descriptors: %v", err)
	}
}

// A process with LowPriority has the lowest priority, in all its threads.
func TestProcessBehindOthers(t *testing.T) {
	p, err := launch(t, "engine", process.Options{LowPriority: true})
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := os.ReadDir("/proc/" + p.PID() + "/task")
	if err != nil || len(tasks) == 0 {
		t.Fatalf("%d threads, %v", len(tasks), err)
	}
	for _, task := range tasks {
		stat, err := os.ReadFile("/proc/" + p.PID() + "/task/" + task.Name() + "/stat")
		if err != nil {
			continue // the thread has ended
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		if nice := strings.Fields(rest)[16]; nice != "19" {
			t.Errorf("thread %s has nice %s", task.Name(), nice)
		}
	}
}
