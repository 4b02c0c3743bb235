package batch_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"go.uber.org/goleak"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/versions"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type cube struct {
	Side  float64 `name:"side" alias:"a" unit:"m" range:"(0,)"`
	Shape string  `name:"shape" enum:"cube,ball" default:"cube"`
}

type space struct {
	Volume float64 `name:"volume" unit:"m3"`
}

// cubes runs engines in this process, by capability and version.
type cubes struct {
	engines map[string]sdk.Engine

	mu    sync.Mutex
	calls []int                     // rows of each batch
	delay func(rows []value.Values) // before a batch is answered; nil: none
	fail  error                     // of every batch
}

func (c *cubes) Calculate(ctx context.Context, _ time.Duration, r *registry.Release, in value.Values) (sdk.Outcome, error) {
	return c.engines[r.Capability+r.Version].Calculate(ctx, in)
}

func (c *cubes) Draw(ctx context.Context, _ time.Duration, r *registry.Release, plot string, in value.Values) (*sdk.Figure, error) {
	return c.engines[r.Capability+r.Version].(sdk.Plotter).Draw(ctx, plot, in)
}

func (c *cubes) CalculateBatch(ctx context.Context, limit time.Duration, r *registry.Release, rows []value.Values) ([]response.Result, error) {
	c.mu.Lock()
	c.calls = append(c.calls, len(rows))
	c.mu.Unlock()
	if c.delay != nil {
		c.delay(rows)
	}
	if c.fail != nil {
		return nil, c.fail
	}
	results := make([]response.Result, len(rows))
	for i, row := range rows {
		results[i].Outcome, results[i].Err = c.Calculate(ctx, limit, r, row)
	}
	return results, nil
}

// largest returns the size of the largest batch so far.
func (c *cubes) largest() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Max(append(c.calls, 0))
}

// newCubes publishes two versions of a capability, and another capability.
func newCubes() (*calc.Service, *cubes) {
	c := &cubes{engines: map[string]sdk.Engine{}}
	release := func(capability, version, tool string, factor float64) *registry.Release {
		engine := sdk.New(sdk.Spec{
			Capability: capability, Version: version, Tool: tool, Group: "geometry", Title: "Volume", Summary: "Volume.",
		}, func(_ context.Context, in cube) (space, error) {
			return space{factor * in.Side * in.Side * in.Side}, nil
		})
		c.engines[capability+version] = engine
		return &registry.Release{Capability: capability, Version: version, Spec: engine.Spec(), EngineDigest: "sha256:" + capability + version}
	}
	catalog := catalog.New([]registry.Capability{
		{ID: "test.a.ball", Current: "1.0.0", Releases: []*registry.Release{release("test.a.ball", "1.0.0", "ball", 0.5)}},
		{ID: "test.a.cube", Current: "2.0.0", Releases: []*registry.Release{
			release("test.a.cube", "2.0.0", "cube", 1), release("test.a.cube", "1.0.0", "cube", 2),
		}},
	})
	return calc.New(catalog, c, &calc.Options{BaseURL: "https://calc.example.org", Timeout: 2 * time.Second}), c
}

// alone returns the answer to a line sent as a single request.
func alone(s *calc.Service, line string, pins ...versions.Pin) string {
	body, err := calc.ReadObject([]byte(line))
	if err != nil {
		return string(problem.Of(err).AppendJSON(nil, s.BaseURL()))
	}
	req, err := calc.ReadRequest("", body)
	if err != nil {
		return string(problem.Of(err).AppendJSON(nil, s.BaseURL()))
	}
	req.Pins = append(req.Pins, pins...)
	answer, err := s.Calculate(context.Background(), req)
	if err != nil {
		return string(problem.Of(err).AppendJSON(nil, s.BaseURL()))
	}
	return string(answer.AppendJSON(nil))
}

// lines are valid and invalid calculations of every kind.
var lines = []string{
	`{"id":"cube","inputs":{"side":2}}`,
	`{"id":"ball","inputs":{"a":{"value":200,"unit":"cm"}}}`,
	`{"id":"test.a.cube","inputs":{"side":2},"calculation_version":"1.0.0"}`,
	`{"tool":"cube","capability_id":"test.a.cube","inputs":{"side":3,"calculation_version":"2.0.0"}}`,
	` { "id" : "cube" , "inputs" : { "side" : 2e0 , "shape" : "ball" } } ` + "\r",
	`{"id":"cube","inputs":{"side":2},"calculation_version":"9.0.0"}`,
	`{"id":"cube","inputs":{"side":2,"calculation_version":"1.0.0"},"calculation_version":"2.0.0"}`,
	`{"id":"cube","inputs":{"side":2},"calculation_version":7}`,
	`{"id":"cube","tool":"ball","inputs":{"side":2}}`,
	`{"id":"cubes","inputs":{"side":2}}`,
	`{"id":"cube","inputs":{"side":0}}`,
	`{"id":"cube","inputs":{"side":"2"}}`,
	`{"id":"cube","inputs":{"side":1e-400}}`,
	`{"id":"cube","inputs":{"side":1e200}}`,
	`{"id":"cube","inputs":{"side":1,"sidd":1,"shape":"cone"}}`,
	`{"id":"cube","inputs":[]}`,
	`{"inputs":{"side":2}}`,
	`{"side":2}`,
	`{}`,
	`[]`,
	`null`,
	`{"id":"cube","inputs":{"side":2}`,
	`{"id":"cube","inputs":{"side":2}} {}`,
	`{"id":"cube","inputs":{"side":2,"s\u0069de":2}}`,
	"{\"id\":\"cube\xff\",\"inputs\":{}}",
	"\ufeff{}",
	`{"id":"cube","inputs":{"side":2},` + strings.Repeat(" ", 64<<10) + `"tool":"cube"}`,
	`{"id":"cube","inputs":{"side":2` + strings.Repeat(" ", 64<<10-32) + `}}`,
	strings.Repeat("x", 300<<10),
}

func batchOf(t *testing.T, s *calc.Service, in io.Reader, o *batch.Options) string {
	t.Helper()
	var out bytes.Buffer
	if err := batch.Run(t.Context(), s, batch.NewLines(in, ""), batch.FullLine(s.BaseURL()), &out, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Every line gets a byte-identical answer to a single request, in order.
func TestBatchIsEachAlone(t *testing.T) {
	s, engines := newCubes()
	var in, want strings.Builder
	for i := range 3000 {
		line := lines[i*i%(len(lines)-3)] // without the long ones
		in.WriteString(line + "\n")
		want.WriteString(alone(s, line))
		if i%7 == 0 {
			in.WriteString([]string{"\n", "\r\n", " \t \n"}[i%3])
		}
	}
	if got := batchOf(t, s, strings.NewReader(in.String()), nil); got != want.String() {
		t.Errorf("differs at %s", firstDifference(got, want.String()))
	}
	if engines.largest() < 50 {
		t.Errorf("rows went to the engines %d at a time", engines.largest())
	}
	small := strings.Join(lines, "\n") // without a line end after the last line
	want.Reset()
	for _, line := range lines {
		want.WriteString(alone(s, line))
	}
	for name, r := range map[string]io.Reader{
		"whole": strings.NewReader(small), "halves": iotest.HalfReader(strings.NewReader(small)), "bytes": iotest.OneByteReader(strings.NewReader(small)),
		"data with the end": iotest.DataErrReader(strings.NewReader(small)),
	} {
		if got := batchOf(t, s, r, nil); got != want.String() {
			t.Errorf("%s: differs at %s", name, firstDifference(got, want.String()))
		}
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d:\n%.500s\nwant\n%.500s", i, g[i], w[i])
		}
	}
	return fmt.Sprintf("the end: %d lines, want %d", len(g), len(w))
}

func TestBatchOfNothing(t *testing.T) {
	s, _ := newCubes()
	for _, in := range []string{"", "\n", " \r\n\n\t"} {
		if got := batchOf(t, s, strings.NewReader(in), nil); got != "" {
			t.Errorf("%q is answered by %s", in, got)
		}
	}
}

// Pins of the request apply to each line, and lean answers contain only the result.
func TestBatchPinsAndLean(t *testing.T) {
	s, _ := newCubes()
	pins := []versions.Pin{{Place: versions.InHeader, Name: "Service-Spec-Version", Value: "1.0.0"}}
	var out bytes.Buffer
	in := batch.NewLines(strings.NewReader(strings.Join(lines[:4], "\n")), "")
	if err := batch.Run(t.Context(), s, in, batch.LeanLine(s.BaseURL()), &out, &batch.Options{Pins: pins}); err != nil {
		t.Fatal(err)
	}
	want := `{"result":{"volume":16}}` + "\n" + `{"result":{"volume":4}}` + "\n" + `{"result":{"volume":16}}` + "\n" + alone(s, lines[3], pins...)
	if out.String() != want {
		t.Errorf("differs at %s", firstDifference(out.String(), want))
	}
}

// Lines that name no capability use the capability of the request.
func TestBatchDefaultID(t *testing.T) {
	s, _ := newCubes()
	var out bytes.Buffer
	in := batch.NewLines(strings.NewReader(`{"side":2}`+"\n"+`{"inputs":{"side":2},"id":"ball"}`+"\n"+`{"inputs":{"side":2}}`), "cube")
	if err := batch.Run(t.Context(), s, in, batch.LeanLine(s.BaseURL()), &out, nil); err != nil {
		t.Fatal(err)
	}
	if want := `{"result":{"volume":8}}` + "\n" + `{"result":{"volume":4}}` + "\n" + `{"result":{"volume":8}}` + "\n"; out.String() != want {
		t.Errorf("%s\nwant %s", out.String(), want)
	}
}

// The order of answers does not depend on the duration of the windows.
func TestBatchOrder(t *testing.T) {
	s, engines := newCubes()
	var batches atomic.Int64
	engines.delay = func([]value.Values) { time.Sleep(time.Duration(batches.Add(1)%4) * time.Millisecond) }
	var in, want strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&in, `{"id":"%s","inputs":{"side":%d}}`+"\n", []string{"cube", "ball"}[i/10%2], i+1)
		fmt.Fprintf(&want, `{"result":{"volume":%s}}`+"\n", value.AppendNumber(nil, []float64{1, .5}[i/10%2]*float64(i+1)*float64(i+1)*float64(i+1)))
	}
	var out bytes.Buffer
	if err := batch.Run(t.Context(), s, batch.NewLines(strings.NewReader(in.String()), ""), batch.LeanLine(s.BaseURL()), &out, nil); err != nil {
		t.Fatal(err)
	}
	if out.String() != want.String() {
		t.Errorf("differs at %s", firstDifference(out.String(), want.String()))
	}
}

// A client that waits after each line gets the answer before it sends the next line.
func TestBatchConversation(t *testing.T) {
	s, _ := newCubes()
	in, say := io.Pipe()
	hear, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- batch.Run(t.Context(), s, batch.NewLines(in, ""), batch.LeanLine(s.BaseURL()), out, nil)
	}()
	answers := bufio.NewScanner(hear)
	for i := 1; i < 50; i++ {
		fmt.Fprintf(say, `{"id":"cube","inputs":{"side":%d}}`+"\n", i)
		if !answers.Scan() || answers.Text() != fmt.Sprintf(`{"result":{"volume":%d}}`, i*i*i) {
			t.Fatalf("%d: %s", i, answers.Text())
		}
	}
	say.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// endless returns the same line on each read.
type endless struct {
	line string
	read atomic.Int64
}

func (e *endless) Read(p []byte) (int, error) {
	n := 0
	for ; n+len(e.line) <= len(p); n += len(e.line) {
		copy(p[n:], e.line)
	}
	e.read.Add(int64(n))
	return n, nil
}

// closing is a writer that waits for permission to write.
type closing struct {
	gate    chan struct{}
	written atomic.Int64
}

func (c *closing) Write(p []byte) (int, error) {
	<-c.gate
	c.written.Add(int64(len(p)))
	return len(p), nil
}

// A batch stops reading while its answers are not read. A cancelled batch ends.
func TestBatchBackPressureAndCancellation(t *testing.T) {
	s, _ := newCubes()
	in := &endless{line: `{"id":"cube","inputs":{"side":2}}` + "\n"}
	out := &closing{gate: make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		done <- batch.Run(ctx, s, batch.NewLines(in, ""), batch.FullLine(s.BaseURL()), out, &batch.Options{Interrupt: func() {}})
	}()
	still(t, &in.read)
	if read := in.read.Load(); read == 0 || read > 4<<20 {
		t.Errorf("%d bytes were read before any answer was taken", read)
	}
	before := in.read.Load()
	for range 8 {
		out.gate <- struct{}{}
	}
	still(t, &in.read)
	if in.read.Load() == before {
		t.Error("nothing was read after answers were taken")
	}
	cancel()
	close(out.gate)
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// still waits until the number stops changing.
func still(t *testing.T, n *atomic.Int64) {
	t.Helper()
	for last := int64(-1); last != n.Load(); {
		last = n.Load()
		time.Sleep(100 * time.Millisecond)
	}
}

// A client that disconnects ends the batch, even while the batch waits for a line.
func TestBatchInterrupt(t *testing.T) {
	s, _ := newCubes()
	in, say := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- batch.Run(ctx, s, batch.NewLines(in, ""), batch.LeanLine(s.BaseURL()), io.Discard, &batch.Options{Interrupt: func() { in.Close() }})
	}()
	fmt.Fprintln(say, lines[0])
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

var errTest = errors.New("test")

// Rows that were read before the input failed are answered, and the failure is returned.
func TestBatchInputFails(t *testing.T) {
	s, _ := newCubes()
	var out bytes.Buffer
	in := io.MultiReader(strings.NewReader(lines[0]+"\n"+lines[1]+"\n"+lines[2]), iotest.ErrReader(errTest))
	err := batch.Run(t.Context(), s, batch.NewLines(in, ""), batch.LeanLine(s.BaseURL()), &out, nil)
	if !errors.Is(err, errTest) || strings.Count(out.String(), "\n") != 2 {
		t.Errorf("%v after %s", err, out.String())
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errTest }

func TestBatchOutputFails(t *testing.T) {
	s, _ := newCubes()
	in := &endless{line: lines[0] + "\n"}
	if err := batch.Run(t.Context(), s, batch.NewLines(in, ""), batch.LeanLine(s.BaseURL()), failingWriter{}, &batch.Options{Interrupt: func() {}}); !errors.Is(err, errTest) {
		t.Error(err)
	}
}

// 200,000 lines take no more memory than a few windows of them.
func TestBatchMemory(t *testing.T) {
	s, _ := newCubes()
	const rows = 200_000
	line := `{"id":"cube","inputs":{"side":2}}` + "\n"
	in := io.LimitReader(&endless{line: line}, int64(rows*len(line)))
	var peak, answered uint64
	err := batch.Run(t.Context(), s, batch.NewLines(in, ""), batch.LeanLine(s.BaseURL()), io.Discard, &batch.Options{Observe: func(tally batch.Tally) {
		answered += uint64(tally.Succeeded)
		if answered%16 == 0 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
		}
	}})
	if err != nil || answered != rows {
		t.Errorf("%d rows, %v", answered, err)
	}
	if peak == 0 || peak > 32<<20 {
		t.Errorf("the heap grew to %d bytes", peak)
	}
}

// A line without an end is not kept in memory.
func TestBatchLineWithoutEnd(t *testing.T) {
	s, _ := newCubes()
	const size = 1 << 20
	in := io.MultiReader(io.LimitReader(&endless{line: "x"}, size), strings.NewReader("\n"+lines[0]+"\n"))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := batchOf(t, s, in, nil)
	runtime.ReadMemStats(&after)
	if want := string(problem.TooLarge().AppendJSON(nil, s.BaseURL())) + alone(s, lines[0]); got != want {
		t.Errorf("differs at %s", firstDifference(got, want))
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 8<<20 {
		t.Errorf("%d bytes were allocated", took)
	}
}

// A line that is much too long ends the batch. The batch does not search for its end.
func TestBatchEndlessLine(t *testing.T) {
	s, _ := newCubes()
	const size = 200 << 20
	in := &io.LimitedReader{R: io.MultiReader(strings.NewReader(lines[0]+"\n"), &endless{line: "x"}), N: size}
	var out bytes.Buffer
	err := batch.Run(t.Context(), s, batch.NewLines(in, ""), batch.FullLine(s.BaseURL()), &out, nil)
	if problem.Of(err).Code != problem.CodePayloadTooLarge || out.String() != alone(s, lines[0]) {
		t.Errorf("%v: %s", err, out.String())
	}
	if read := size - in.N; read > 2<<20 {
		t.Errorf("%d bytes were read", read)
	}
}

// Each MiB counts as a call, as a thousand lines do. A MiB without lines ends the batch if the call is
// not admitted.
func TestBatchBytesAreCalls(t *testing.T) {
	s, _ := newCubes()
	long := `{"id":"cube","inputs":{"side":2}` + strings.Repeat(" ", 60<<10) + "}\n" // 17.06 in a MiB
	for _, tt := range []struct {
		name  string
		in    io.Reader
		leave int // number of calls that are admitted
		asked int
		code  string // of the error
		rows  int    // that were computed
	}{
		{"long lines", strings.NewReader(strings.Repeat(long, 68)), 9, 3, "", 68},
		{"one MiB", strings.NewReader(strings.Repeat(long, 17)), 0, 0, "", 17},
		{"long lines without leave", strings.NewReader(strings.Repeat(long, 68)), 1, 3, "", 34},
		{"blank lines", strings.NewReader(strings.Repeat(" \n", 4<<20)), 100, 7, "", 0},
		{"blank lines without leave", io.LimitReader(&endless{line: " \n"}, 1<<40), 5, 6, problem.CodeRateLimited, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked, computed := 0, 0
			o := &batch.Options{
				Admit: func() *problem.Problem {
					asked++
					if asked > tt.leave {
						return problem.RateLimited(2, 30)
					}
					return nil
				},
				Observe: func(t batch.Tally) { computed += t.Succeeded },
			}
			err := batch.Run(t.Context(), s, batch.NewLines(tt.in, ""), batch.LeanLine(s.BaseURL()), io.Discard, o)
			code := ""
			if err != nil {
				code = problem.Of(err).Code
			}
			// Reads have any size, so a line can count for one MiB or the next.
			if max(asked-tt.asked, tt.asked-asked) > 1 || max(computed-tt.rows, tt.rows-computed) > 4 || code != tt.code {
				t.Errorf("asked %d times, want %d; %d rows computed, want %d; %q, want %q", asked, tt.asked, computed, tt.rows, code, tt.code)
			}
		})
	}
}

// The memory of rows is acquired before they are computed, and released however the batch ends.
func TestBatchMemoryIsHeld(t *testing.T) {
	s, _ := newCubes()
	var held, most, taken atomic.Int64
	o := &batch.Options{
		Acquire: func(_ context.Context, bytes int64) (int64, error) {
			taken.Add(bytes)
			most.Store(max(most.Load(), held.Add(bytes)))
			return bytes, nil
		},
		Release:   func(bytes int64) { held.Add(-bytes) },
		Interrupt: func() {}, // so that the batch returns after its reader
	}
	const rows = 30_000
	many := strings.Repeat(lines[0]+"\n", rows)
	if err := batch.Run(t.Context(), s, batch.NewLines(strings.NewReader(many), ""), batch.FullLine(s.BaseURL()), io.Discard, o); err != nil {
		t.Fatal(err)
	}
	if held.Load() != 0 || taken.Load() < rows<<10 || most.Load() == taken.Load() {
		t.Errorf("%d bytes taken, %d at most, %d not given back", taken.Load(), most.Load(), held.Load())
	}
	if err := batch.Run(t.Context(), s, batch.NewLines(strings.NewReader(many), ""), batch.FullLine(s.BaseURL()), failingWriter{}, o); err == nil || held.Load() != 0 {
		t.Errorf("a writer that fails: %v, %d bytes not given back", err, held.Load())
	}
	refused := errors.New("no memory")
	o.Acquire = func(ctx context.Context, _ int64) (int64, error) { <-ctx.Done(); return 0, refused }
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := batch.Run(ctx, s, batch.NewLines(strings.NewReader(many), ""), batch.FullLine(s.BaseURL()), io.Discard, o); !errors.Is(err, context.Canceled) || held.Load() != 0 {
		t.Errorf("a context that ends: %v", err)
	}
}

// A thousand lines count as a call. Lines of a refused call get a problem, and later calls may be
// admitted again.
func TestBatchAdmission(t *testing.T) {
	s, _ := newCubes()
	refusals := []*problem.Problem{nil, problem.RateLimited(2, 30), problem.RateLimited(2, 20), nil}
	asked := 0
	var tally batch.Tally
	o := &batch.Options{
		Admit:   func() *problem.Problem { asked++; return refusals[asked-1] },
		Observe: func(t batch.Tally) { tally.Succeeded += t.Succeeded; tally.Limited += t.Limited },
	}
	var out bytes.Buffer
	in := batch.NewLines(strings.NewReader(strings.Repeat(lines[0]+"\n", 4500)), "")
	if err := batch.Run(t.Context(), s, in, batch.LeanLine(s.BaseURL()), &out, o); err != nil {
		t.Fatal(err)
	}
	if asked != 4 || tally.Succeeded != 2500 || tally.Limited != 2000 {
		t.Errorf("asked %d times, %+v", asked, tally)
	}
	for i, line := range strings.SplitAfter(out.String(), "\n")[:4500] {
		want := `{"result":{"volume":8}}` + "\n"
		if i >= 2000 && i < 4000 {
			want = string(refusals[i/1000-1].AppendJSON(nil, s.BaseURL()))
		}
		if line != want {
			t.Fatalf("line %d: %s", i, line)
		}
	}
}

// Rows for a slow engine are sent in small pieces, so that each has as much time as a single request.
// Their answers are written as they are computed.
func TestBatchPace(t *testing.T) {
	s, engines := newCubes()
	engines.delay = func(rows []value.Values) { time.Sleep(time.Duration(len(rows)) * 20 * time.Millisecond) }
	start := time.Now()
	var first time.Duration
	o := &batch.Options{Observe: func(batch.Tally) {
		if first == 0 {
			first = time.Since(start)
		}
	}}
	in := batch.NewLines(strings.NewReader(strings.Repeat(lines[0]+"\n", 100)), "")
	if err := batch.Run(t.Context(), s, in, batch.LeanLine(s.BaseURL()), io.Discard, o); err != nil {
		t.Fatal(err)
	}
	if engines.largest() > 16 {
		t.Errorf("%d rows at once, of 20 ms each", engines.largest())
	}
	if first > time.Since(start)/2 {
		t.Errorf("the first answer came after %s of %s", first, time.Since(start))
	}
	engines.delay = nil
	if err := batch.Run(t.Context(), s, batch.NewLines(strings.NewReader(strings.Repeat(lines[0]+"\n", 5000)), ""), batch.LeanLine(s.BaseURL()), io.Discard, nil); err != nil {
		t.Fatal(err)
	}
	if engines.largest() < 500 {
		t.Errorf("%d rows at once at most, after it had become fast", engines.largest())
	}
}

// eager is a writer that expects data in each call.
type eager struct{ strings.Builder }

func (e *eager) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, errTest
	}
	return e.Builder.Write(p)
}

// Lines of alternating slow engines are written as soon as all lines before them are.
func TestBatchSlowTurns(t *testing.T) {
	s, engines := newCubes()
	engines.delay = func(rows []value.Values) { time.Sleep(time.Duration(len(rows)) * 110 * time.Millisecond) }
	var out eager
	writes := 0
	o := &batch.Options{Observe: func(batch.Tally) { writes++ }}
	in := batch.NewLines(strings.NewReader(strings.Repeat(lines[0]+"\n"+lines[1]+"\n", 3)), "")
	if err := batch.Run(t.Context(), s, in, batch.LeanLine(s.BaseURL()), &out, o); err != nil {
		t.Fatal(err)
	}
	if want := strings.Repeat(`{"result":{"volume":8}}`+"\n"+`{"result":{"volume":4}}`+"\n", 3); out.String() != want || writes != 4 {
		t.Errorf("%d writes of %s", writes, out.String())
	}
}

// If a batch of an engine fails, its lines fail, and no others.
func TestBatchEnginesFail(t *testing.T) {
	s, engines := newCubes()
	engines.fail = problem.Unavailable("test.a.cube", "2.0.0", errors.New("secret"))
	var tally batch.Tally
	got := batchOf(t, s, strings.NewReader(lines[0]+"\n{}\n"+lines[0]+"\n"), &batch.Options{Observe: func(t batch.Tally) {
		tally.Failed, tally.Rejected, tally.Failure = tally.Failed+t.Failed, tally.Rejected+t.Rejected, t.Failure
	}})
	if strings.Count(got, `"code":"ENGINE_UNAVAILABLE"`) != 2 || strings.Contains(got, "secret") || tally.Failed != 2 || tally.Rejected != 1 || tally.Failure == nil {
		t.Errorf("%s\n%+v", got, tally)
	}
}

// odd is an Input with a bug.
type odd struct{ batch.Lines }

func (o *odd) Request(row string, scanner *strictjson.Scanner) (calc.Request, error) {
	if strings.Contains(row, "bug") {
		panic("bug")
	}
	return o.Lines.Request(row, scanner)
}

// A panic on one line fails only this line. A panic elsewhere fails the batch. Neither ends the
// process.
func TestBatchPanics(t *testing.T) {
	s, _ := newCubes()
	var out bytes.Buffer
	in := &odd{*batch.NewLines(strings.NewReader("bug\n"+lines[0]+"\n"), "")}
	if err := batch.Run(t.Context(), s, in, batch.LeanLine(s.BaseURL()), &out, nil); err != nil {
		t.Error(err)
	}
	if got := out.String(); !strings.Contains(got, `"code":"INTERNAL_ERROR"`) || !strings.HasSuffix(got, `{"result":{"volume":8}}`+"\n") {
		t.Errorf("%s", got)
	}
	bug := func([]byte, string, *calc.Answer, *problem.Problem) []byte { panic("bug") }
	if err := batch.Run(t.Context(), s, batch.NewLines(strings.NewReader(lines[0]), ""), bug, io.Discard, nil); err == nil || !strings.Contains(err.Error(), "panic: bug") {
		t.Errorf("a bug in the output: %v", err)
	}
}

// chopped returns a few bytes at a time.
type chopped struct {
	rest []byte
	step int
}

func (c *chopped) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), c.step)], c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// Lines are the same as if the whole input was split at once, for any sequence of reads.
func FuzzLines(f *testing.F) {
	f.Add([]byte("{}\n\n{\"id\":1}\r\n \nx"), uint16(3), uint16(0))
	f.Add([]byte("y"), uint16(7), uint16(65535))
	f.Add([]byte("\nzz\n"), uint16(30000), uint16(65533))
	f.Fuzz(func(t *testing.T, data []byte, step, long uint16) {
		if len(data) > 0 { // a line of a length that is hard to find by fuzzing
			data = slices.Concat(data, bytes.Repeat(data[:1], int(long)), data)
		}
		var want, got []string
		for line := range bytes.SplitSeq(data, []byte("\n")) {
			if len(line) > 64<<10 {
				want = append(want, problem.CodePayloadTooLarge)
			} else if len(bytes.Trim(line, " \t\r")) > 0 {
				want = append(want, string(line))
			}
		}
		in := batch.NewLines(&chopped{data, 1 + int(step)}, "")
		for {
			var b batch.Chunk
			err := in.Next(&b)
			got = append(got, b.Texts()...)
			if err == io.EOF {
				break
			}
			if err != nil || b.Len() == 0 {
				t.Fatalf("%d rows, %v", b.Len(), err)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%.500q\nwant %.500q", got, want)
		}
	})
}
