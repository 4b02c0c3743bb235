package main

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/tools/bench/internal/server"
	"github.com/slipstick/slipstick/host/tools/bench/internal/wrk"
)

func TestPick(t *testing.T) {
	for _, tt := range []struct {
		only  []string
		quick bool
		want  string
	}{
		{nil, false, "unique1 unique8 unique64 unique256 repeated1 repeated8 repeated64 repeated256 flagship1 flagship64 limits64 ledgerunique64 ledgerrepeated64 gzipunique64 gziprepeated64 traces64 spread50 spread200 documents50 documents200 batch files start cold growth profile"},
		{nil, true, "unique1 unique64 repeated64 flagship1 flagship64 limits64 ledgerunique64 ledgerrepeated64 gzipunique64 gziprepeated64 traces64 spread50 spread200 documents50 documents200 batch start cold profile"},
		{[]string{"spread", "unique64"}, true, "unique64 spread50 spread200"},
		{[]string{"unique8"}, false, "unique8"},
		{[]string{"setup"}, false, "setup"},
	} {
		picked, err := pick(tt.only, tt.quick)
		var names []string
		for _, s := range picked {
			names = append(names, s.name)
		}
		if got := strings.Join(names, " "); err != nil || got != tt.want {
			t.Errorf("pick(%v, %v) = %s, %v, want %s", tt.only, tt.quick, got, err, tt.want)
		}
	}
	for _, wrong := range []string{"unique6", "everything", ""} {
		if _, err := pick([]string{"batch", wrong}, false); err == nil {
			t.Errorf("--only %q is not an error", wrong)
		}
	}
}

// measured returns results in which Slipstick answers so many requests for each 100 of
// json, in every round.
func measured(ours float64) *results {
	t := &table{Section: "unique64", Entries: []*entry{{Contestant: standard}, {Contestant: slipstick}}}
	for _, speed := range []float64{1, .5, 1} {
		t.Entries[0].add(wrk.Sample{Requests: 1, Rate: 100 * speed}, server.Cost{})
		t.Entries[1].add(wrk.Sample{Requests: 100, Rate: ours * speed}, server.Cost{Own: time.Millisecond, OwnWaits: 200, Objects: 1000, Bytes: 4e5})
	}
	t.settle()
	return &results{Loads: []*table{t}}
}

func TestJudge(t *testing.T) {
	goal := goal{"new numbers", false, 1, "", rate("unique64", slipstick, standard)}
	for ours, want := range map[float64]string{100: met, 99: missed} {
		r := measured(ours)
		v := goal.judge(r)
		r.Goals = []verdict{v}
		var markdown strings.Builder
		r.printMarkdown(&markdown)
		if row := fmt.Sprintf("| new numbers | >= 1.00 | %.2f |", ours/100); !strings.Contains(markdown.String(), row) {
			t.Errorf("no row %s in\n%s", row, markdown.String())
		}
		if v.Outcome != want || math.Abs(v.Measured-ours/100) > 1e-9 || !strings.HasSuffix(v.String(), want) {
			t.Errorf("%v of 100: %v, want %s", ours, v, want)
		}
		goal.figure = rate("unique64", slipstick, tuned)
		if v := goal.judge(r); v.Outcome != notMeasured {
			t.Errorf("what was not measured: %v", v)
		}
		goal.figure = rate("unique64", slipstick, standard)
	}
	goal.name, goal.atMost, goal.wanted = "p99", true, 2
	goal.figure = func(*results) (float64, bool) { return 2.1, true }
	if v := goal.judge(new(results)); v.Outcome != missed {
		t.Errorf("2.1 of at most 2: %v", v)
	}
}

func TestTable(t *testing.T) {
	var out strings.Builder
	measured(150).Loads[0].print(&out)
	for _, want := range []string{"unique64", "json                      100     1.00", "slipstick                 150     1.50", " 10.0 +  0.0   2.00 + 0.00      10.0    4.0"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestShares(t *testing.T) {
	const traces = `File: slipstick
Duration: 2.18s, Total samples = 1s (50%)
-----------+-------------------------------------------------------
     600ms   internal/runtime/syscall/linux.Syscall6
             internal/poll.(*FD).Write
             github.com/slipstick/slipstick/host/internal/engine/process.(*stream).send (inline)
             net/http.(*conn).serve
-----------+-------------------------------------------------------
     0.20s   runtime.scanObject
             runtime.gcBgMarkWorker
-----------+-------------------------------------------------------
     100ms   runtime.findRunnable
             runtime.mcall
-----------+-------------------------------------------------------
     100ms   strconv.ParseFloat
             github.com/slipstick/slipstick/sdk/strictjson.Parse
             github.com/slipstick/slipstick/host/internal/http/api.(*server).answer
-----------+-------------------------------------------------------
`
	got, err := shares([]byte(traces))
	var text strings.Builder
	for _, s := range got {
		fmt.Fprintf(&text, "%s %.0f %.0f; ", s.Group, s.Caused, s.Itself)
	}
	want := "engine lane 60 0; garbage collection 20 20; JSON scanning and inputs 10 0; goroutines and channels 10 10; system calls 0 60; numbers, texts and lists 0 10; "
	if err != nil || text.String() != want {
		t.Errorf("shares = %s, %v\nwant %s", text.String(), err, want)
	}
	if _, err := shares([]byte("no such file")); err == nil {
		t.Error("no traces, and no error")
	}
}

func TestGroupOf(t *testing.T) {
	for function, want := range map[string]string{
		"internal/runtime/syscall/linux.Syscall6": systemCalls,
		"runtime.futex":         systemCalls,
		"runtime.mallocgc":      "memory",
		"runtime.memmove":       "memory",
		"runtime.scanObject":    collection,
		"runtime.(*mspan).init": collection,
		"runtime.findRunnable":  goroutines,
		"runtime.mapaccess2":    "maps and hashes",
		"strconv.ParseFloat":    "numbers, texts and lists",
		"net/http.Header.Set":   "net/http",
		"net.(*conn).Write":     "network",
		"github.com/slipstick/slipstick/host/internal/engine/process.(*stream).send": "engine lane",
		"github.com/slipstick/slipstick/host/internal/engine/pool.(*supervisor).try": "engine lane",
		"google.golang.org/grpc/internal/transport.(*loopyWriter).run":               "engine lane",
		"github.com/slipstick/slipstick/sdk.(*Success).AppendJSON":                   "answers",
		"github.com/slipstick/slipstick/host/internal/calc.(*Catalog).Find":          "service",
		"github.com/prometheus/client_golang/prometheus.(*counter).Inc":              "metrics and traces",
		"somewhere.else": other,
	} {
		if got, _ := groupOf(function); got != want {
			t.Errorf("%s is in %q, want %q", function, got, want)
		}
	}
}

func TestCountRunning(t *testing.T) {
	for version, want := range map[string]int{"": 3, "1.0.1000": 1} {
		var count runningCount
		each := count.of(version)
		each(`slipstick_engine_processes{capability="bench.spread.n000",version="1.0.1000"}`, "1")
		each(`slipstick_engine_processes{capability="bench.spread.n000",version="1.0.1001"}`, "2")
		each(`slipstick_engine_processes{capability="bench.spread.n001",version="1.0.1000"}`, "0")
		each(`slipstick_http_requests_total{version="1.0.1000"}`, "1")
		if count.processes != want {
			t.Errorf("version %q: %d, want %d", version, count.processes, want)
		}
	}
}

func TestBusySeconds(t *testing.T) {
	const stat = "cpu  1000 200 300 99999 88 7 66 50 0 0\ncpu0 1 1 1 1\n"
	if got := busySeconds(stat); got != 15.5 {
		t.Errorf("busySeconds = %v, want 15.5", got)
	}
	if got := busySeconds(""); got != 0 {
		t.Errorf("busySeconds of nothing = %v", got)
	}
}

// A wrong command line has a different exit code from a failed measurement. --help is neither.
func TestCommandLine(t *testing.T) {
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--help"}, exitOK, "unique64"},
		{[]string{"--only", "everything"}, exitMisuse, "--only everything"},
		{[]string{"--rounds", "-1"}, exitMisuse, "--rounds"},
		{[]string{"--slow"}, exitMisuse, "unknown flag --slow"},
		{[]string{"--contestant", "quick", "--answer", "internal/contestant/testdata/answer.json"}, exitFailed, "quick"},
	} {
		var out, err strings.Builder
		if code := run(t.Context(), tt.args, streams{&out, &err}); code != tt.code || !strings.Contains(out.String()+err.String(), tt.want) {
			t.Errorf("%v: exit code %d, %s%s", tt.args, code, out.String(), err.String())
		}
	}
}
