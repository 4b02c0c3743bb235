package ledger

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/record"
)

// TestMain lets the test binary be a host with a ledger: a process of its own, which strace can
// kill in the middle of a system call.
func TestMain(m *testing.M) {
	if dir := os.Getenv("SLIPSTICK_TEST_LEDGER"); dir != "" {
		os.Exit(recorder(dir))
	}
	os.Exit(m.Run())
}

const (
	rounds    = 12
	eachRound = 25

	// beginsAt is a file that a recorder looks for when it begins: what the runtime does before
	// that is not the ledger's.
	beginsAt = "/slipstick-ledger-begins"
)

// recorder records in rounds, and says after each how many records are on the disk then. Segments
// end within rounds.
func recorder(dir string) int {
	_, _ = os.Open(beginsAt)
	o := options()
	o.segment, o.Sync = 110, 5*time.Millisecond
	l, err := Open(dir, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for round := range rounds {
		for i := range eachRound {
			l.Record(answer(round*eachRound + i))
		}
		l.flushed()
		fmt.Println((round + 1) * eachRound)
	}
	if err := l.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// traced are the system calls that change files, as Go makes them here.
const traced = "openat,mkdirat,pwrite64,fsync,ftruncate,flock,unlinkat,close"

// traces runs a recorder with a fault, and returns how many records it said are on the disk.
func traces(t *testing.T, dir, fault string) (said, code int, log string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "strace")
	args := []string{"-f", "-qq", "-o", out, "-e", "trace=" + traced}
	if fault != "" {
		args = append(args, "-e", "inject="+fault)
	}
	cmd := exec.CommandContext(t.Context(), "strace", append(args, os.Args[0])...)
	cmd.Env = append(os.Environ(), "SLIPSTICK_TEST_LEDGER="+dir, "GOMAXPROCS=1")
	printed, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	for s := bufio.NewScanner(strings.NewReader(string(printed))); s.Scan(); {
		said, err = strconv.Atoi(s.Text())
		if err != nil {
			t.Fatalf("the recorder says %q", s.Text())
		}
	}
	data, err := os.ReadFile(out)
	must(t, err)
	return said, cmd.ProcessState.ExitCode(), string(data)
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

// point is the nth call of a name in its thread.
type point struct {
	call string
	n    int
}

var callLine = regexp.MustCompile(`^(\d+) +([a-z0-9]+)\(`)

// points are the calls of a recorder from its begin on.
func points(log string) (list []point) {
	counts, began := map[string]int{}, false
	for line := range strings.Lines(log) {
		m := callLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		key := m[1] + m[2]
		counts[key]++
		if p := (point{m[2], counts[key]}); began && !slices.Contains(list, p) {
			list = append(list, p)
		}
		began = began || strings.Contains(line, beginsAt)
	}
	return list
}

// A host that is killed at any system call of its ledger loses what was not on the disk, and
// nothing else: no half record, no fault in the chain, and the next host says that something was
// lost.
func TestKilledAtAnySystemCall(t *testing.T) {
	needStrace(t)
	_, _, log := traces(t, t.TempDir(), "")
	all := points(log)
	if len(all) < 20 {
		t.Fatalf("only %d points:\n%s", len(all), log)
	}
	stride := 9
	if os.Getenv("SLIPSTICK_SOAK") != "" {
		stride = 1
	}
	tried, kills, lost := 0, 0, 0
	for i := time.Now().YearDay() % stride; i < len(all); i += stride {
		// strace counts the calls of each thread, and another run can have other threads.
		var dir string
		said, code := 0, 0
		for try := 0; try < 5 && code >= 0; try++ {
			dir = t.TempDir()
			said, code, _ = traces(t, dir, fmt.Sprintf("%s:signal=SIGKILL:when=%d", all[i].call, all[i].n))
		}
		tried++
		if code < 0 {
			kills++
		}
		// The next host.
		l := start(t, dir, options())
		l.Record(answer(0))
		must(t, l.Close())
		report := check(t, dir)
		if len(report.Findings) > 0 {
			t.Errorf("%v: %v", all[i], texts(report))
		}
		n := 0
		must(t, Each(dir, func(_ *Segment, _ uint64, r *record.Record) error {
			if want := answer(n); n < int(report.Records)-1 && !same(r, &want) {
				return fmt.Errorf("record %d is %+v", n, r)
			}
			n++
			return nil
		}))
		if n-1 < said {
			t.Errorf("%v: %d records are there, and %d were on the disk", all[i], n-1, said)
		}
		if whole := n-1 == rounds*eachRound; !whole {
			lost++
			if report.Killed == 0 && n > 1 {
				t.Errorf("%v: %d records are there, and the loss is not told", all[i], n-1)
			}
		}
	}
	if kills < tried/2 {
		t.Errorf("only %d of %d were killed", kills, tried)
	}
	t.Logf("killed at %d of %d points, after %d something was lost and told, half a record was there after 0", kills, len(all), lost)
}

// failedLast reports whether the last call of a name got a fault: then nothing was tried again.
func failedLast(log, call string) bool {
	at := strings.LastIndex(log, call)
	line, _, _ := strings.Cut(log[max(at, 0):], "\n")
	return strings.Contains(line, "INJECTED")
}

// A disk that fails or is full for a while costs nothing, as long as there is room for what waits.
func TestDiskFailsForAWhile(t *testing.T) {
	needStrace(t)
	for _, fault := range []string{"pwrite64:error=ENOSPC:when=3..5", "fsync:error=EIO:when=4..6"} {
		dir := t.TempDir()
		said, code, log := traces(t, dir, fault)
		if !strings.Contains(log, "INJECTED") {
			t.Errorf("%s: it did not happen:\n%s", fault, log)
		}
		report, want := check(t, dir), 0
		if call, _, _ := strings.Cut(fault, ":"); failedLast(log, call) { // each thread has a count of its own
			want = 1
		}
		if code != want || said != rounds*eachRound || len(report.Findings) > 0 || report.Records != rounds*eachRound || report.Lost > 0 {
			t.Errorf("%s: it ended with %d, and %d records are there, %d lost: %v", fault, code, report.Records, report.Lost, texts(report))
		}
	}
}
