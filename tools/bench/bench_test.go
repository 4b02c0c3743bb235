package main

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/tools/bench/internal/beam"
	"github.com/slipstick/slipstick/host/tools/bench/internal/server"
	"github.com/slipstick/slipstick/host/tools/bench/internal/wrk"
)

func TestPick(t *testing.T) {
	for _, tt := range []struct {
		only         []string
		quick, peers bool
		want         string
	}{
		{nil, false, false, "unique1 unique8 unique64 unique256 repeated1 repeated8 repeated64 repeated256 flagship1 flagship64 limits64 ledgerunique64 ledgerrepeated64 gzipunique64 gziprepeated64 traces64 spread50 spread200 documents50 documents200 batch files start cold growth publish packages profile"},
		{nil, true, false, "unique1 unique64 repeated64 flagship1 flagship64 limits64 ledgerunique64 ledgerrepeated64 gzipunique64 gziprepeated64 traces64 spread50 spread200 documents50 documents200 batch start cold profile"},
		{[]string{"spread", "unique64"}, true, true, "unique64 spread50 spread200"},
		{[]string{"unique8"}, false, false, "unique8"},
		{[]string{"setup"}, false, false, "setup"},
		{[]string{"peers1"}, false, false, "peers1"},
	} {
		picked, err := (&cli{Only: tt.only, Quick: tt.quick, Peers: tt.peers}).pick()
		var names []string
		for _, s := range picked {
			names = append(names, s.name)
		}
		if got := strings.Join(names, " "); err != nil || got != tt.want {
			t.Errorf("pick(%v, %v) = %s, %v, want %s", tt.only, tt.quick, got, err, tt.want)
		}
	}
	for _, wrong := range []string{"unique6", "everything", ""} {
		if _, err := (&cli{Only: []string{"batch", wrong}}).pick(); err == nil {
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
		t.Entries[1].add(wrk.Sample{Requests: 100, Rate: ours * speed}, server.Cost{Own: server.Usage{CPU: time.Millisecond, Waits: 200, Faults: 30}, Below: server.Usage{Faults: 20}, Objects: 1000, Bytes: 4e5})
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
		if row, page := fmt.Sprintf("| new numbers | >= 1.00 | %.2f | %s |", ours/100, want), r.page(); !strings.Contains(page, row) {
			t.Errorf("no row %s in\n%s", row, page)
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
	for _, want := range []string{"unique64", "json                      100     1.00", "slipstick                 150     1.50", " 10.0 +  0.0   2.00 + 0.00    0.50      10.0    4.0"} {
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

// Sections with a measurement in README have 15 rounds, and others 5. Flags change both.
func TestRounds(t *testing.T) {
	for _, tt := range []struct {
		c       cli
		section string
		want    int
	}{
		{cli{}, "flagship1", 15}, {cli{}, "unique8", 5}, {cli{Quick: true}, "flagship1", 3}, {cli{Rounds: 7, Quick: true}, "flagship1", 7},
	} {
		if got := tt.c.roundsOf(section{name: tt.section}); got != tt.want {
			t.Errorf("%s with %+v: %d rounds, want %d", tt.section, tt.c, got, tt.want)
		}
	}
	for _, f := range readmeFigures {
		picked, err := (&cli{Only: []string{f.section}}).pick()
		if err != nil || len(picked) != 1 {
			t.Errorf("a figure in README is of the section %s: %v", f.section, err)
		}
	}
}

// Every kind of section has a text, and every text has a section.
func TestKinds(t *testing.T) {
	found := map[string]bool{}
	for _, s := range sections() {
		found[s.kind()] = true
		if aboutKind(s.kind()) == "" {
			t.Errorf("the section %s has no text", s.name)
		}
	}
	if len(found) != len(kinds) {
		t.Errorf("%d kinds of sections, %d texts", len(found), len(kinds))
	}
}

// A run keeps sections of earlier runs on the same machine, and replaces sections that it measured again.
func TestKeep(t *testing.T) {
	file := filepath.Join(t.TempDir(), resultsFile)
	run := func(speed float64, m machine, sections ...string) *results {
		r := &results{Machine: m}
		for _, name := range sections {
			one := measured(speed).Loads[0]
			one.Section = name
			r.Loads, r.Sections = append(r.Loads, one), append(r.Sections, measuredSection{Name: name, Revision: "one", Others: 0.5})
		}
		if err := r.keep(file); err != nil {
			t.Fatal(err)
		}
		kept, err := readResults(file)
		if err != nil {
			t.Fatal(err)
		}
		return kept
	}
	run(200, machine{Cores: 2}, "unique64", "flagship64")
	kept := run(300, machine{Cores: 2}, "unique64")
	for section, want := range map[string]float64{"unique64": 3, "flagship64": 2} {
		if got, ok := rate(section, slipstick, standard)(kept); !ok || got != want {
			t.Errorf("%s: %v, want %v", section, got, want)
		}
	}
	if page := kept.page(); strings.Count(page, "\n## unique64\n") != 1 || strings.Count(page, "used 50 % of the machine") != 2 || !strings.Contains(page, "| slipstick | 300 | 3.00 |") || !strings.Contains(page, "| slipstick | 200 | 2.00 |") {
		t.Errorf("the page is\n%s", page)
	}
	if kept := run(300, machine{Cores: 4}, "unique64"); len(kept.Sections) != 1 {
		t.Errorf("figures of another machine are kept: %v", kept.Sections)
	}
}

// Measurements replace the earlier ones in README, and the rest of its text is unchanged.
func TestReadme(t *testing.T) {
	const before, after = "# Slipstick\n\n", "\n## Layout\n"
	readme := before + figuresBegin + "| old |\n" + figuresEnd + after
	r := measured(110)
	if _, err := r.intoReadme(readme); err == nil || !strings.Contains(err.Error(), "flagship64") {
		t.Errorf("without a figure: %v", err)
	}
	all := &results{Cold: []*coldStart{{Subject: slipstick, Library: ofEngines.name, Unseen: 78}, {Subject: slipstick, Library: ofDocuments.name, Unseen: 24.4}}}
	for _, section := range []string{"flagship64", "flagship1", "peers64"} {
		one := measured(110).Loads[0]
		one.Section = section
		for i, peer := range []string{goRules, opa} {
			one.Entries = append(one.Entries, &entry{Contestant: peer, Rounds: one.Entries[0].Rounds, PerSecond: float64(i)})
		}
		for _, e := range one.Entries {
			e.Single, e.P99 = true, 100
		}
		all.Loads = append(all.Loads, one)
	}
	got, err := all.intoReadme(readme)
	if err != nil || !strings.HasPrefix(got, before+figuresBegin) || !strings.HasSuffix(got, figuresEnd+after) || strings.Contains(got, "old") {
		t.Fatalf("%v\n%s", err, got)
	}
	for _, want := range []string{" | 1.10 |\n", " | 1.00 |\n", " | 1.10; 1.10 |\n", " | 24 ms |\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if again, err := all.intoReadme(got); err != nil || again != got {
		t.Errorf("a second time: %v\n%s", err, again)
	}
	all.Sections = []measuredSection{{Name: "flagship1", Others: 0.5}}
	if busy, err := all.intoReadme(got); err != nil || strings.Contains(got, "not reliable") || !strings.Contains(busy, "not reliable") {
		t.Errorf("on a busy machine: %v\n%s", err, busy)
	}
	if _, err := all.intoReadme("# Slipstick\n"); err == nil {
		t.Error("README without the lines is not an error")
	}
}

// The page has every measured section with its results and its command.
func TestPage(t *testing.T) {
	r := &results{
		Batch:    &batches{Entries: []*batch{{Contestant: "batch", PerSecond: 123456}}},
		Files:    []*fileBatch{{Contestant: "files", PerSecond: 123456}},
		Starts:   []started{{Subject: "start", Releases: 50}},
		Cold:     []*coldStart{{Subject: "cold", Unseen: 24}},
		Growth:   []*grown{{Subject: "growth", Releases: 10_000}},
		Publish:  []*published{{Subject: "publish", Releases: 10_000}},
		Packages: []*goBenchmark{{Name: "packages", Time: 130}},
		Profile:  []share{{Group: "profile", Itself: 10}},
		SetUps:   []setUp{{Subject: "setup", Serving: 66}},
	}
	for _, s := range sections() {
		r.Sections = append(r.Sections, measuredSection{Name: s.name, Began: time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC), Rounds: 5, Turn: 1})
		if s.kind() != s.name {
			r.Loads = append(r.Loads, &table{Section: s.name, Entries: []*entry{{Contestant: s.name, PerSecond: 59600}}})
		}
	}
	_, page, _ := strings.Cut(r.page(), "## Goals")
	for _, s := range sections() {
		_, part, found := strings.Cut(page, "\n## "+s.name+"\n")
		part, _, _ = strings.Cut(part, "\n## ")
		if !found || !strings.Contains(part, "\n| "+s.name+" | ") || !strings.Contains(part, "Measured on 2026-11-30") || !strings.Contains(part, "`scripts/bench --only="+s.name+"`.") {
			t.Errorf("%s: %s", s.name, part)
		}
	}
	if !strings.Contains(page, "| 59,600 |") || !strings.Contains(page, "| 123,456 |") {
		t.Error("rates have no commas")
	}
}

func TestParseBenchmarks(t *testing.T) {
	const out = `goos: linux
BenchmarkEvaluate/one_load-2   	 1000	 100.0 ns/op	 0 B/op	 0 allocs/op
BenchmarkEvaluate/one_load-2   	 1000	 300.0 ns/op	 0 B/op	 0 allocs/op
BenchmarkEvaluate/one_load-2   	 1000	 200.0 ns/op	 12.5 MB/s	 8 B/op	 2 allocs/op
BenchmarkEvaluate/three-2      	 1000	 5.5 ns/op	 16 B/op	 1 allocs/op
PASS
`
	got := parseBenchmarks(goBenchmark{Name: "Evaluate", Module: "plugins", Package: "./a"}, out)
	if len(got) != 2 || got[0].Name != "Evaluate/one_load" || got[0].Time != 200 || got[0].Objects != 0 || got[1].Time != 5.5 || got[1].Objects != 1 {
		t.Errorf("parseBenchmarks = %+v", got)
	}
	if want := "cd plugins && go test -run '^$' -bench '^BenchmarkEvaluate/three$' -benchmem ./a"; got[1].command() != want {
		t.Errorf("command = %s, want %s", got[1].command(), want)
	}
}

// A peer with a wrong number is refused.
func TestCheckPeer(t *testing.T) {
	var in beam.Input
	if err := json.Unmarshal([]byte(beam.Inputs(samples[0])), &in); err != nil {
		t.Fatal(err)
	}
	out := beam.Middle(in)
	for moment, right := range map[float64]bool{out.Moment: true, out.Moment * (1 + 1e-9): false} {
		peer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_ = json.NewEncoder(w).Encode(map[string]any{"result": map[string]float64{
				"deflection": out.Deflection, "moment": moment, "reaction": out.Reaction, "stress": out.Stress,
			}})
		}))
		if err := checkPeer(t.Context(), &server.Server{URL: peer.URL}); (err == nil) != right {
			t.Errorf("moment %v instead of %v: %v", moment, out.Moment, err)
		}
		peer.Close()
	}
}
