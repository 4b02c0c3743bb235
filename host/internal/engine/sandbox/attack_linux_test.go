package sandbox_test

import (
	"bytes"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/slipstick/slipstick/host/internal/engine/enginetest"
	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
)

// targets are the targets for attacks of an engine.
type targets struct {
	File, Dir, Secret        string
	HostPID                  int
	TCP, UDP, Abstract, Unix string

	contacts []*contacts
	fileText string
}

// contacts are the messages that reached a listener of the server.
type contacts struct {
	network, address string
	heard            chan string
}

const marker = "marker"

// drain returns how many messages arrived before the message of the test.
func (c *contacts) drain(t *testing.T) int {
	t.Helper()
	conn, err := net.Dial(c.network, c.address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte(marker)); err != nil {
		t.Fatal(err)
	}
	if closer, ok := conn.(interface{ CloseWrite() error }); ok {
		closer.CloseWrite()
	}
	for n := 0; ; n++ {
		if text := <-c.heard; text == marker {
			return n
		}
	}
}

// listenFor starts a listener that reports the messages that it receives.
func listenFor(t *testing.T, network, address string) *contacts {
	t.Helper()
	c := &contacts{network: network, heard: make(chan string, 1000)}
	if network == "udp" {
		packets, err := net.ListenPacket(network, address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { packets.Close() })
		c.address = packets.LocalAddr().String()
		go func() {
			b := make([]byte, 100)
			for {
				n, _, err := packets.ReadFrom(b)
				if err != nil {
					return
				}
				c.heard <- string(b[:n])
			}
		}()
		return c
	}
	listener, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	c.address = listener.Addr().String()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			b := make([]byte, 100)
			n, _ := conn.Read(b)
			conn.Close()
			c.heard <- string(b[:n])
		}
	}()
	return c
}

func newTargets(t *testing.T) *targets {
	t.Helper()
	dir := enginetest.ShortDir(t)
	x := &targets{
		File: filepath.Join(dir, "file"), Secret: "hunter2", HostPID: os.Getpid(), fileText: "the host's",
		Dir: filepath.Join(dir, "engine"),
	}
	t.Setenv("HOST_SECRET", x.Secret)
	if err := os.WriteFile(x.File, []byte(x.fileText), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(x.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	leak, err := unix.Dup(int(open(t, x.File).Fd())) // every child inherits it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(leak) })
	listen := func(network, address string) string {
		c := listenFor(t, network, address)
		x.contacts = append(x.contacts, c)
		return c.address
	}
	x.TCP, x.UDP = listen("tcp", "127.0.0.1:0"), listen("udp", "127.0.0.1:0")
	x.Unix = listen("unix", filepath.Join(x.Dir, "socket"))
	x.Abstract = listen("unix", "@slipstick-test-"+filepath.Base(dir))
	return x
}

func open(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// harm lists the effects of the attacks, as seen from outside.
func (x *targets) harm(t *testing.T) []string {
	t.Helper()
	var harm []string
	for _, c := range x.contacts {
		if c.drain(t) > 0 {
			harm = append(harm, "somebody spoke to "+c.network+" "+c.address)
		}
	}
	if b, err := os.ReadFile(x.File); err != nil || string(b) != x.fileText {
		harm = append(harm, "the host's file was changed")
	}
	for _, dir := range []string{x.Dir, filepath.Dir(x.File)} {
		if _, err := os.Stat(filepath.Join(dir, "planted")); err == nil {
			harm = append(harm, "a file was planted in "+dir)
		}
	}
	return harm
}

// attacks are the modes that count their successes, with how many of them succeed at
// least when nothing confines the engine, as root.
var attacks = map[string]int{
	"files": 15, "environment": 4, "network": 15, "processes": 200, "calls": 60, "execs": 100, "memory": 5, "own directory": 7,
}

// F1, F2, F3, F4, F11: 0 successes.
func TestAttacks(t *testing.T) {
	j := newSandbox(t, nil)
	for mode := range attacks {
		t.Run(mode, func(t *testing.T) {
			x := newTargets(t)
			r, err := call(within(t), mustStart(t, j), mode, x)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d attempts, %d succeeded", r.attempts, r.succeeded)
			if r.succeeded > 0 || r.attempts == 0 {
				t.Errorf("%d of %d attempts succeeded: %s", r.succeeded, r.attempts, r.detail)
			}
			if harm := x.harm(t); len(harm) > 0 {
				t.Error(strings.Join(harm, "; "))
			}
		})
	}
}

// almighty reports whether this process is root with all rights.
func almighty(t *testing.T) bool {
	t.Helper()
	capabilities, err := strconv.ParseUint(field(t, "self", "CapEff"), 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return os.Geteuid() == 0 && capabilities&(1<<unix.CAP_SYS_ADMIN) != 0 && capabilities&(1<<unix.CAP_SYS_PTRACE) != 0 && field(t, "self", "Seccomp") == "0"
}

// The same attacks succeed without a sandbox: the test above can fail.
func TestAttacksWithoutSandbox(t *testing.T) {
	if !almighty(t) {
		t.Skip("the attacks are those that root could make")
	}
	harmed := map[string]bool{"files": true, "network": true}
	for mode, atLeast := range attacks {
		t.Run(mode, func(t *testing.T) {
			x := newTargets(t)
			r, err := call(within(t), mustStart(t, nil), mode, x)
			if err != nil {
				t.Fatal(err)
			}
			if r.succeeded < atLeast {
				t.Errorf("%d of %d attempts succeeded, want at least %d: %s", r.succeeded, r.attempts, atLeast, r.detail)
			}
			if harm := x.harm(t); harmed[mode] && len(harm) < 3 {
				t.Errorf("from outside only this was seen: %v", harm)
			}
		})
	}
}

// F3: a call by the numbers of another machine ends the process.
func TestOtherNumbers(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("only amd64 has other numbers")
	}
	if r, err := call(within(t), mustStart(t, newSandbox(t, nil)), "x32", struct{}{}); !errors.Is(err, process.ErrLost) {
		t.Errorf("%+v, %v, want ErrLost", r, err)
	}
}

// Landlock is a second barrier after the file system: only the engine's directory can be listed.
func TestLandlock(t *testing.T) {
	j := newSandbox(t, nil)
	if lacks(j, sandbox.FileRules) {
		t.Skip("not in this kernel")
	}
	if r := mustCall(t, mustStart(t, j), "top"); r.amount != -1 {
		t.Errorf("%d names seen in /", r.amount)
	}
}

// An engine sees no other engine.
func TestEnginesAreApart(t *testing.T) {
	a, b := mustStart(t, newSandbox(t, nil)), mustStart(t, newSandbox(t, nil))
	x := newTargets(t)
	x.Dir = "/proc/" + a.PID() + "/root/run" // where the server could find it
	r, err := call(within(t), b, "files", x)
	if err != nil || r.succeeded > 0 {
		t.Errorf("%+v, %v", r, err)
	}
	ids := map[string]bool{}
	for _, p := range []*process.Process{a, b} {
		ids[field(t, p.PID(), "Uid")] = true
	}
	if os.Geteuid() == 0 && len(ids) != 2 {
		t.Errorf("users of two engines: %v, want two", ids)
	}
}

// field reads a field of /proc/<pid>/status.
func field(t *testing.T, pid, name string) string {
	t.Helper()
	b, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(b) {
		if value, ok := strings.CutPrefix(string(line), name+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	t.Fatalf("/proc/%s/status has no %s", pid, name)
	return ""
}

// From outside, a confined process has the properties in the package comment.
func TestSeenFromOutside(t *testing.T) {
	p := mustStart(t, newSandbox(t, nil))
	filters, err := strconv.Atoi(field(t, "self", "Seccomp_filters")) // a container may have some
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"CapInh": "0000000000000000", "CapPrm": "0000000000000000", "CapEff": "0000000000000000", "CapBnd": "0000000000000000",
		"CapAmb": "0000000000000000", "NoNewPrivs": "1", "Seccomp": "2", "Seccomp_filters": strconv.Itoa(filters + 1),
	} {
		if got := field(t, p.PID(), name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	for _, namespace := range []string{"pid", "net", "ipc", "mnt", "uts"} {
		own, _ := os.Readlink("/proc/self/ns/" + namespace)
		theirs, err := os.Readlink("/proc/" + p.PID() + "/ns/" + namespace)
		if err != nil || theirs == own {
			t.Errorf("%s namespace %s, %v: the host has %s", namespace, theirs, err, own)
		}
	}
	mounts, err := os.ReadFile("/proc/" + p.PID() + "/mountinfo")
	if n := bytes.Count(mounts, []byte("\n")); err != nil || n != 1 {
		t.Errorf("%d mounts, %v, want one:\n%s", n, err, mounts)
	}
	environ, err := os.ReadFile("/proc/" + p.PID() + "/environ")
	if err != nil || bytes.Contains(environ, []byte("PATH=")) || !bytes.Contains(environ, []byte("TMPDIR=/run\x00")) {
		t.Errorf("environment %q, %v", environ, err)
	}
}
