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

// TestMain lets the test binary run as a recorder. The recorder is a separate process, which strace
// can kill during a system call.
func TestMain(m *testing.M) {
	if dir := os.Getenv("SLIPSTICK_TEST_LEDGER"); dir != "" {
		os.Exit(recorder(dir))
	}
	os.Exit(m.Run())
}

const (
	rounds    = 12
	eachRound = 25

	// startMarker is a file that a recorder opens when it starts. System calls before that are made by
	// the runtime.
	startMarker = "/slipstick-ledger-starts"
)

// recorder adds records in rounds. After each round it prints the number of records on the disk.
// Segments end within rounds.
func recorder(dir string) int {
	_, _ = os.Open(startMarker)
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

// traced are the system calls that change files on this platform.
const traced = "openat,mkdirat,pwrite64,fsync,ftruncate,flock,unlinkat,close"

// traces runs a recorder with a fault, and returns the number of records that it reported on the
// disk.
func traces(t *testing.T, dir, fault string) (durable, code int, log string) {
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
		durable, err = strconv.Atoi(s.Text())
		if err != nil {
			t.Fatalf("the recorder printed %q", s.Text())
		}
	}
	data, err := os.ReadFile(out)
	must(t, err)
	return durable, cmd.ProcessState.ExitCode(), string(data)
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

// point is the nth call of a system call in its thread.
type point struct {
	call string
	n    int
}

var callLine = regexp.MustCompile(`^(\d+) +([a-z0-9]+)\(`)

// points returns the system calls of a recorder after its start.
func points(log string) (list []point) {
	counts, started := map[string]int{}, false
	for line := range strings.Lines(log) {
		m := callLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		key := m[1] + m[2]
		counts[key]++
		if p := (point{m[2], counts[key]}); started && !slices.Contains(list, p) {
			list = append(list, p)
		}
		started = started || strings.Contains(line, startMarker)
	}
	return list
}

// A server that is killed at any system call of its ledger loses only the records that were not on
// the disk. There is no half record and no fault in the chain, and the next server records the
// loss.
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
		durable, code := 0, 0
		for try := 0; try < 5 && code >= 0; try++ {
			dir = t.TempDir()
			durable, code, _ = traces(t, dir, fmt.Sprintf("%s:signal=SIGKILL:when=%d", all[i].call, all[i].n))
		}
		tried++
		if code < 0 {
			kills++
		}
		// The next server.
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
		if n-1 < durable {
			t.Errorf("%v: %d records are there, and %d were on the disk", all[i], n-1, durable)
		}
		if whole := n-1 == rounds*eachRound; !whole {
			lost++
			if report.Killed == 0 && n > 1 {
				t.Errorf("%v: %d records are there, and the loss is not recorded", all[i], n-1)
			}
		}
	}
	if kills < tried/2 {
		t.Errorf("only %d of %d were killed", kills, tried)
	}
	t.Logf("killed at %d of %d points, records were lost after %d, and each loss was recorded", kills, len(all), lost)
}

// failedLast reports whether the last call of a name had a fault. Then it was not tried again.
func failedLast(log, call string) bool {
	at := strings.LastIndex(log, call)
	line, _, _ := strings.Cut(log[max(at, 0):], "\n")
	return strings.Contains(line, "INJECTED")
}

// A temporary failure of the disk loses no records, as long as the queue is not full.
func TestDiskFailsForAWhile(t *testing.T) {
	needStrace(t)
	for _, fault := range []string{"pwrite64:error=ENOSPC:when=3..5", "fsync:error=EIO:when=4..6"} {
		dir := t.TempDir()
		durable, code, log := traces(t, dir, fault)
		if !strings.Contains(log, "INJECTED") {
			t.Errorf("%s: the fault did not occur:\n%s", fault, log)
		}
		want := 0
		if call, _, _ := strings.Cut(fault, ":"); failedLast(log, call) { // each thread has its own count
			want = 1
			must(t, start(t, dir, options()).Close()) // the next server closes the segment
		}
		report := check(t, dir)
		if code != want || durable != rounds*eachRound || len(report.Findings) > 0 || report.Records != rounds*eachRound || report.Lost > 0 {
			t.Errorf("%s: it ended with %d, and %d records are there, %d lost: %v", fault, code, report.Records, report.Lost, texts(report))
		}
	}
}
