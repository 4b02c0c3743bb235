package sandbox_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
)

// F5, F11, H8, H9: whatever a confined engine announces, the server connects only to a socket of
// that engine. The error has the reason for the failed start.
func TestHandshakes(t *testing.T) {
	j := newSandbox(t, nil)
	x := newTargets(t)
	for mode, want := range map[string]string{
		"announce=1|1|tcp|" + x.TCP + "|grpc|":                              "must be a unix socket",
		"announce=1|1|unix|" + x.Unix + "|grpc|":                            "must be in its own directory",
		"announce=1|1|unix|HOME/../" + x.Unix + "|grpc|":                    "must be in its own directory",
		"announce=1|1|unix|/run/docker.sock|grpc|":                          "no such file",
		"announce=1|1|unix|/run/.|grpc|":                                    "must be in its own directory",
		"announce=1|1|unix|/run/..|grpc|":                                   "must be in its own directory",
		"announce=1|1|unix|/run/|grpc|":                                     "must be in its own directory",
		"announce=1|1|unix||grpc|":                                          "must be in its own directory",
		"announce=1|1|unix|" + x.Abstract + "|grpc|":                        "must be in its own directory",
		"announce=1|1|unix|/run/" + strings.Repeat("x", 3000) + "|grpc|":    "xxx",
		"announce=1|1|unix|HOME/s|grpc|" + strings.Repeat("x", 5000):        "no such file",
		"announce=1|99|unix|HOME/s|grpc|":                                   "incompatible API version",
		"announce=Welcome to my engine!":                                    "Welcome",
		"announce=1|1|unix|HOME/x\x01\x1b[2J|grpc|":                         "no such file",
		"announce=level=ERROR msg=forged|1|unix|/run/docker.sock|grpc|more": "level=ERROR",
		"line":           "xxx",
		"binary":         "parsing core protocol version",
		"file":           "it is not a socket",
		"below":          "must be in its own directory",
		"link=" + x.Unix: "it is not a socket",
		"log":            "host compromised",
	} {
		t.Run(mode[:min(len(mode), 40)], func(t *testing.T) {
			_, err := start(t, j, "EVIL="+mode)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error = %v, want one with %q", err, want)
			} else if len(err.Error()) > 6000 || strings.ContainsAny(err.Error(), "\x1b\x00") {
				t.Errorf("the error is not fit for a log: %q", err)
			}
		})
	}
	if harm := x.harm(t); len(harm) > 0 {
		t.Error(strings.Join(harm, "; "))
	}
}

// F11: a socket that becomes a link after the server has checked it leads nowhere.
func TestSocketBecomesLink(t *testing.T) {
	j := newSandbox(t, nil)
	x := newTargets(t)
	for range 20 {
		if _, err := start(t, j, "EVIL=swap="+x.Unix, "GOMAXPROCS=2"); err == nil {
			t.Fatal("an engine that only listens described itself")
		}
	}
	if harm := x.harm(t); len(harm) > 0 {
		t.Error(strings.Join(harm, "; "))
	}
}

// Without a sandbox the server follows the engine's link: the tests above can fail.
func TestLinkWithoutSandbox(t *testing.T) {
	x := newTargets(t)
	if _, err := start(t, nil, "EVIL=link="+x.Unix); err == nil {
		t.Error("no error")
	}
	if harm := x.harm(t); len(harm) == 0 {
		t.Error("the server did not follow the link")
	}
}

// A failed start and an ended engine leave neither descriptors nor cgroups.
func TestLeavesNothing(t *testing.T) {
	mustStart(t, nil).Close() // what is opened once, stays
	before := descriptors(t)
	name := fmt.Sprintf("leaves-nothing-%d", os.Getpid())
	j, err := sandbox.New(&sandbox.Options{Name: name})
	if err != nil {
		t.Skip(err)
	}
	for range 3 {
		mustStart(t, j).Close()
		if _, err := start(t, j, "EVIL=file"); err == nil {
			t.Error("no error")
		}
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	if left := groupsNamed(t, name); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
	for what, n := range descriptors(t) { // descriptors of earlier tests may have been closed in the meantime
		if n > before[what] {
			t.Errorf("%d more descriptors of %s are open", n-before[what], what)
		}
	}
}

// descriptors counts the open descriptors by their files.
func descriptors(t *testing.T) map[string]int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	open := map[string]int{}
	for _, e := range entries {
		if what, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil { // not the descriptor of the directory itself
			open[what]++
		}
	}
	return open
}

// groupsNamed finds cgroups anywhere.
func groupsNamed(t *testing.T, prefix string) []string {
	t.Helper()
	var found []string
	filepath.WalkDir("/sys/fs/cgroup", func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), prefix) {
			found = append(found, path)
		}
		return nil
	})
	return found
}
