package sandbox_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/slipstick/slipstick/host/internal/engine/enginetest"
	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
)

// roles are the functions of this binary when a test starts it.
var roles = map[string]func() error{
	"host": playHost, "restless host": playRestlessHost, "contained host": playContainedHost, "refused host": playRefusedHost,
	"mounted host": playMountedHost,
	"bombed host":  playBombedHost,
}

// markVar is in the environment of every process that a played server starts.
const markVar = "SANDBOX_TEST_MARK"

// playHost starts engines, prints their process ids and waits to be killed.
func playHost() error {
	return asHost(func(launch func() (*process.Process, error)) error {
		for range 3 {
			p, err := launch()
			if err != nil {
				return err
			}
			fmt.Println(p.PID())
		}
		fmt.Println("ready")
		select {}
	})
}

// playRestlessHost starts engines all the time, several at once.
func playRestlessHost() error {
	return asHost(func(launch func() (*process.Process, error)) error {
		var wg sync.WaitGroup
		fmt.Println("ready")
		for range 4 {
			wg.Go(func() {
				for {
					p, err := launch()
					if err != nil {
						fmt.Fprintln(os.Stderr, err)
						os.Exit(1)
					}
					p.Close()
				}
			})
		}
		wg.Wait()
		return nil
	})
}

// playContainedHost is root of a container that has one user only.
func playContainedHost() error {
	return asHost(func(launch func() (*process.Process, error)) error {
		p, err := launch()
		if err != nil {
			return err
		}
		defer p.Close()
		r, err := call(context.Background(), p, "nothing", struct{}{})
		fmt.Printf("ready %+v\n", r)
		return err
	})
}

// playRefusedHost may make no namespaces, and prints the error.
func playRefusedHost() error {
	if err := os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0); err != nil {
		return err
	}
	if j, err := sandbox.New(nil); !errors.Is(err, sandbox.ErrUnavailable) {
		return fmt.Errorf("%v, %w, want ErrUnavailable", j, err)
	} else {
		fmt.Println(err)
	}
	return nil
}

func asHost(do func(launch func() (*process.Process, error)) error) error {
	evilPath = os.Getenv(evilVar)
	program, err := evilProgram()
	if err != nil {
		return err
	}
	j, err := sandbox.New(nil)
	if err != nil {
		return err
	}
	return do(func() (*process.Process, error) {
		return process.Launch(context.Background(), program, &process.Options{
			Dir: os.Getenv("TMPDIR"), Confiner: j, StartTimeout: patience, Env: []string{markVar + "=" + os.Getenv(markVar)},
		})
	})
}

// playedHost is another server, until it is killed.
type playedHost struct {
	cmd  *exec.Cmd
	pids []string // of its engines
	mark string
}

func newHost(t *testing.T, role string) *playedHost {
	t.Helper()
	h := &playedHost{cmd: exec.Command("/proc/self/exe"), mark: filepath.Base(enginetest.ShortDir(t))}
	h.cmd.Env = []string{roleVar + "=" + role, evilVar + "=" + evilPath, markVar + "=" + h.mark, "TMPDIR=" + enginetest.ShortDir(t)}
	h.cmd.Stderr = os.Stderr
	out, err := h.cmd.StdoutPipe()
	if err == nil {
		err = h.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.kill() })
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if lines.Text() == "ready" {
			return h
		}
		h.pids = append(h.pids, lines.Text())
	}
	t.Fatalf("the %s ended", role)
	return nil
}

func (h *playedHost) kill() {
	_ = h.cmd.Process.Kill()
	_ = h.cmd.Wait()
}

// ended waits until the process has ended.
func ended(pid string) error {
	n, err := strconv.Atoi(pid)
	if err != nil {
		return err
	}
	fd, err := unix.PidfdOpen(n, 0)
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 5000)
		if n == 1 || err != nil && err != unix.EINTR {
			return err
		}
		if n == 0 && err == nil {
			return fmt.Errorf("process %s survived", pid)
		}
	}
}

// marked finds processes by their environment.
func marked(mark string) []string {
	var pids []string
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if environ, err := os.ReadFile("/proc/" + e.Name() + "/environ"); err == nil && bytes.Contains(environ, []byte(markVar+"="+mark)) {
			pids = append(pids, e.Name())
		}
	}
	return pids
}

// H4: a killed server leaves no process and no mount. Sweep removes its cgroups, and keeps the
// cgroups of running servers.
func TestHostIsKilled(t *testing.T) {
	j := newSandbox(t, nil)
	mine := mustStart(t, j)
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	h := newHost(t, "host")
	if len(h.pids) != 3 {
		t.Fatalf("engines %v", h.pids)
	}
	h.kill()
	for _, pid := range h.pids {
		if err := ended(pid); err != nil {
			t.Error(err)
		}
	}
	if left := marked(h.mark); len(left) > 0 {
		t.Errorf("processes %v are left", left)
	}
	if after, err := os.ReadFile("/proc/self/mountinfo"); err != nil || !bytes.Equal(mounts, after) {
		t.Errorf("mounts changed, %v:\n%s\n%s", err, mounts, after)
	}
	var space unix.Stat_t
	if err := unix.Stat("/proc/self/ns/pid", &space); err != nil {
		t.Fatal(err)
	}
	dead, living := fmt.Sprintf("slipstick-%d-%d-", space.Ino, h.cmd.Process.Pid), fmt.Sprintf("slipstick-%d-%d-", space.Ino, os.Getpid())
	held := groupsNamed(t, living)
	sandbox.Sweep()
	if left := groupsNamed(t, dead); len(left) > 0 {
		t.Errorf("after Sweep: %v", left)
	}
	if still := groupsNamed(t, living); len(still) != len(held) {
		t.Errorf("Sweep left %v of %v", still, held)
	}
	mustCall(t, mine, "nothing")
}

// H4: if the server is killed during a start, no process survives.
func TestHostIsKilledWhileStarting(t *testing.T) {
	newSandbox(t, nil)
	for range 10 {
		h := newHost(t, "restless host")
		h.kill()
		for pids := marked(h.mark); len(pids) > 0; pids = marked(h.mark) {
			for _, pid := range pids {
				if err := ended(pid); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	sandbox.Sweep()
}

// H3: no process holds the pipes of an engine that was ended.
func TestPipesEnd(t *testing.T) {
	p := mustStart(t, newSandbox(t, nil))
	r, err := call(within(t), p, "processes", struct{ HostPID int }{os.Getpid()})
	if err != nil || r.succeeded > 0 {
		t.Errorf("%+v, %v", r, err)
	}
	p.Close()
	if err := ended(p.PID()); err != nil {
		t.Error(err)
	}
}

// A server that is not root also confines engines, in user namespaces.
func TestAsNobody(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root becomes nobody")
	}
	needInterpreters(t, newSandbox(t, nil))
	dir := enginetest.ShortDir(t)
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.v", "-test.run",
		"^(TestProgramIsTheSame|TestAttacks|TestEnginesAreApart|TestSeenFromOutside|TestHandshakes|TestBounds|TestShares|TestHostIsKilled|TestInterpreters|TestMissing|TestPrivate|TestPrivateLater|TestPrivateMounts)$")
	cmd.Env = []string{evilVar + "=" + evilPath, "TMPDIR=" + dir, "PATH=" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if bytes.Contains(out, []byte("engines cannot be confined")) {
		t.Skipf("unprivileged users may not make namespaces here:\n%s", out)
	}
	if err != nil || bytes.Count(out, []byte("--- PASS")) < 50 || !bytes.Contains(out, []byte("--- PASS: TestPrivateMounts")) {
		t.Errorf("%v\n%s", err, out)
	}
}

// inContainer runs this binary in a user namespace where only root exists.
func inContainer(t *testing.T, role string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
	cmd.Env = []string{roleVar + "=" + role, evilVar + "=" + evilPath, "TMPDIR=" + enginetest.ShortDir(t)}
	one := func(id int) []syscall.SysProcIDMap { return []syscall.SysProcIDMap{{HostID: id, Size: 1}} }
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWUSER, UidMappings: one(os.Geteuid()), GidMappings: one(os.Getegid()),
	}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) {
		t.Skip(err)
	}
	if err != nil {
		t.Errorf("%s: %v\n%s", role, err, out)
	}
	return string(out)
}

// Root of a container without other users confines engines too.
func TestInContainer(t *testing.T) {
	if out := inContainer(t, "contained host"); !strings.Contains(out, "ready") {
		t.Error(out)
	}
}

// If the system refuses, the error quotes it and has the remedy, in one line.
func TestUnavailable(t *testing.T) {
	var settings unix.Statfs_t
	if err := unix.Statfs("/proc/sys", &settings); err != nil || settings.Flags&unix.ST_RDONLY != 0 {
		t.Skipf("this container does not allow changes to settings of the kernel: %v", err)
	}
	out := inContainer(t, "refused host")
	for _, want := range []string{"as root: ", "in a user namespace: ", "run as root on Linux", "user.max_user_namespaces", "--no-sandbox"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in: %s", want, out)
		}
	}
	if strings.Count(out, "\n") != 1 {
		t.Errorf("more than a line: %s", out)
	}
}

// Missing lists the protections that this machine lacks, as sentences for a log.
func TestMissing(t *testing.T) {
	j := newSandbox(t, nil)
	for _, gap := range j.Missing() {
		m := gap.String()
		if len(m) < 40 || strings.ContainsAny(m, "\n") {
			t.Errorf("%q is not a sentence", m)
		}
	}
	if os.Geteuid() == 65534 && !lacks(j, sandbox.MemoryLimit) {
		t.Errorf("the user nobody has cgroups: %q", j.Missing())
	}
}
