package registry_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slipstick/slipstick/registry"
)

// TestMain makes the test binary a publisher: a process of its own, which strace can kill in
// the middle of a system call.
func TestMain(m *testing.M) {
	if dir := os.Getenv("SLIPSTICK_TEST_PUBLISH"); dir != "" {
		os.Exit(publisher(dir, os.Getenv("SLIPSTICK_TEST_REVISION")))
	}
	if dir := os.Getenv("SLIPSTICK_TEST_READ"); dir != "" {
		os.Exit(reader(dir))
	}
	os.Exit(m.Run())
}

// startFile is a file that a publisher looks up when it starts. Earlier system calls are made by
// the runtime and do not belong to the registry.
const startFile = "/slipstick-publisher-begins"

// publisher publishes beam 1.1.0 from one thread, so that its system calls have the same
// counts every time. Its exit code is 1 if that fails, and 2 if the version has other content.
func publisher(dir, revision string) int {
	runtime.LockOSThread()
	_, _ = os.Open(startFile)
	r, err := registry.Open(dir, nil)
	if err == nil {
		c := candidate(beam, "1.1.0")
		if revision != "" {
			c.Revision = revision
		}
		_, err = r.Publish(context.Background(), c)
	}
	var exists *registry.ExistsError
	switch {
	case errors.As(err, &exists):
		return 2
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// reader reads beam 1.0.0 in all ways that name a capability. Its exit code is 1 if that
// fails.
func reader(dir string) int {
	_, _ = os.Open(startFile)
	ctx := context.Background()
	r, err := registry.Open(dir, nil)
	if err == nil {
		_, err = r.Release(ctx, beam, "1.0.0")
	}
	if err == nil {
		_, _, err = r.FindVersion(ctx, beam, "1.0.0")
	}
	if err == nil {
		_, err = r.Versions(ctx, beam)
	}
	if err == nil {
		_, err = r.Entries(ctx, beam)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// Reading one capability opens only its directory, and does not list the registry.
func TestOneCapabilityOpensOneDirectory(t *testing.T) {
	needStrace(t)
	r, dir := open(t)
	publish(t, r, candidate(beam, "1.0.0"))
	publish(t, r, candidate(cable, "1.0.0"))
	out := filepath.Join(t.TempDir(), "strace")
	cmd := exec.CommandContext(t.Context(), "strace", "-f", "-qq", "-o", out, "-e", "trace=openat,getdents64", os.Args[0])
	cmd.Env = append(os.Environ(), "SLIPSTICK_TEST_READ="+dir)
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("reading under strace: %v: %s", err, output)
	}
	log, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	_, calls, began := strings.Cut(string(log), startFile)
	if !began || !strings.Contains(calls, `"`+beam) {
		t.Fatalf("the capability was not opened:\n%s", log)
	}
	for _, other := range []string{cable, "getdents64"} {
		if strings.Contains(calls, other) {
			t.Errorf("%s is in what was called to read %s:\n%s", other, beam, calls)
		}
	}
}

// traced are the system calls that change files, as Go makes them here.
const traced = "openat,mkdirat,write,fsync,renameat,renameat2,unlinkat,flock,close"

// strace runs a publisher under strace and returns its exit code, or -1 if it was killed.
func strace(t *testing.T, dir string, args ...string) (code int, log string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "strace")
	cmd := exec.CommandContext(t.Context(), "strace", append(append([]string{"-f", "-qq", "-o", out, "-e", "trace=" + traced}, args...), os.Args[0])...)
	cmd.Env = append(os.Environ(), "SLIPSTICK_TEST_PUBLISH="+dir)
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(data)
}

// point is one system call of a publisher: the n-th call of its name in its thread.
type point struct {
	call string
	n    int
}

var callLine = regexp.MustCompile(`^(\d+) +([a-z0-9]+)\(`)

// points counts the system calls of a publish.
func points(t *testing.T, arrange func(*testing.T, *registry.Registry)) []point {
	t.Helper()
	r, dir := open(t)
	arrange(t, r)
	code, log := strace(t, dir)
	if code != 0 {
		t.Fatalf("under strace publishing ends with %d:\n%s", code, log)
	}
	thread, counts := "", map[string]int{}
	_, before, _ := strings.Cut("\n"+log, "\n") // only complete lines
	for line := range strings.Lines(before) {
		if strings.Contains(line, startFile) {
			thread, _, _ = strings.Cut(line, " ")
		}
	}
	if thread == "" {
		t.Fatalf("the publisher did not begin:\n%s", log)
	}
	var list []point
	started := false
	for line := range strings.Lines(log) {
		m := callLine.FindStringSubmatch(line)
		if m == nil || m[1] != thread {
			continue
		}
		counts[m[2]]++
		if started {
			list = append(list, point{m[2], counts[m[2]]})
		}
		started = started || strings.Contains(line, startFile)
	}
	return list
}

// mostIn returns the largest number of calls of this system call in one thread.
func mostIn(log, call string) (most int) {
	counts := map[string]int{}
	for line := range strings.Lines(log) {
		if m := callLine.FindStringSubmatch(line); m != nil && m[2] == call {
			counts[m[1]]++
			most = max(most, counts[m[1]])
		}
	}
	return most
}

// sample returns every seventh point, with another start every day. It returns all points if
// scripts/soak asks for them.
func sample(list []point) []point {
	if os.Getenv("SLIPSTICK_SOAK") != "" {
		return list
	}
	const stride = 7
	var some []point
	for i := time.Now().YearDay() % stride; i < len(list); i += stride {
		some = append(some, list[i])
	}
	return some
}

func needStrace(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it needs strace, and takes long")
	}
	if _, err := exec.LookPath("strace"); err != nil || runtime.GOOS != "linux" {
		t.Skip("strace is not installed; scripts/test installs it")
	}
}

// injected publishes with a fault at every point. It checks that the version is there or not,
// and that it is there after publishing again.
func injected(t *testing.T, fault string, calls []string, outcome func(t *testing.T, p point, code int, there bool)) {
	needStrace(t)
	for _, name := range []string{"empty registry", "earlier version"} {
		t.Run(name, func(t *testing.T) {
			arrange := situations[name]
			all := slices.DeleteFunc(points(t, arrange), func(p point) bool { return !slices.Contains(calls, p.call) })
			if len(all) < 3 {
				t.Fatalf("only %d points: %v", len(all), all)
			}
			tried, there, missing := sample(all), 0, 0
			for _, p := range tried {
				r, dir := open(t)
				arrange(t, r)
				before := versionsOf(capability(t, r, beam))
				code, log := strace(t, dir, "-e", fmt.Sprintf("inject=%s:%s:when=%d", p.call, fault, p.n))
				if code == 0 && !strings.Contains(log, "INJECTED") {
					missing++
					if missing > 2 || mostIn(log, p.call) >= p.n {
						t.Errorf("%v was not reached", p)
					}
					continue // Go's runtime made one call less than in the list of points
				}
				whole := checkWhole(t, r, before)
				if whole {
					there++
				}
				outcome(t, p, code, whole)
				publish(t, r, candidate(beam, "1.1.0"))
				if !checkWhole(t, r, before) {
					t.Errorf("%v: the version is not there after publishing again", p)
				}
				checkNoTraces(t, dir)
			}
			t.Logf("%d of %d points tried, the version was there after %d, half of it after 0", len(tried), len(all), there)
		})
	}
}

// B1: after a publisher is killed at any system call, the version is either complete or
// absent.
func TestKilledAtAnySystemCall(t *testing.T) {
	injected(t, "signal=SIGKILL", strings.Split(traced, ","), func(t *testing.T, p point, code int, _ bool) {
		if code >= 0 {
			t.Errorf("%v: it was not killed, but ended with %d", p, code)
		}
	})
}

// B2: a version is not visible if the disk fails.
func TestDiskFails(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	injected(t, "error=EIO", []string{"fsync"}, notVisible)
}

// B3: a version is not visible if the disk is full, and earlier versions are served.
func TestDiskIsFull(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	injected(t, "error=ENOSPC", []string{"write", "mkdirat", "renameat", "renameat2"}, notVisible)
}

func notVisible(t *testing.T, p point, code int, there bool) {
	if code != 1 || there {
		t.Errorf("%v: it ended with %d, and the version is there: %v", p, code, there)
	}
}

// B5: if many processes publish different content as one version, exactly one succeeds.
func TestParallelPublishingProcesses(t *testing.T) {
	const publishers = 50
	r, dir := open(t)
	publish(t, r, candidate(beam, "1.0.0"))
	var mu sync.Mutex
	codes := map[int]int{}
	output := new(bytes.Buffer)
	var wg sync.WaitGroup
	for i := range publishers {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), "SLIPSTICK_TEST_PUBLISH="+dir, fmt.Sprintf("SLIPSTICK_TEST_REVISION=r%d", i))
		wg.Go(func() {
			out, _ := cmd.CombinedOutput()
			mu.Lock()
			defer mu.Unlock()
			codes[cmd.ProcessState.ExitCode()]++
			output.Write(out)
		})
	}
	wg.Wait()
	if codes[0] != 1 || codes[2] != publishers-1 {
		t.Errorf("exit codes %v, want one 0 and else 2: %s", codes, output)
	}
	if !checkWhole(t, r, []string{"1.0.0"}) {
		t.Error("no winner's version is there")
	}
	checkNoTraces(t, dir)
}
