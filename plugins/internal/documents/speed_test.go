package documents

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/slipstick/slipstick/conformance/vector"
	"github.com/slipstick/slipstick/plugins/internal/library"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/text"
	"github.com/slipstick/slipstick/sdk/value"
)

// Goals of each calculation.
const (
	mostTimes       = 3.0 // the time of the Go engine
	mostAllocations = 3.0
	fewestFast      = 64
)

// Each request is measured in turns, and the median counts.
const (
	turns  = 5
	period = time.Millisecond
)

// BenchmarkDocuments compares each document with its Go engine, and prints the table of both.
func BenchmarkDocuments(b *testing.B) {
	if library.Again(b) {
		return
	}
	for b.Loop() {
		compareSpeed(b)
	}
}

// compareSpeed measures all documents once.
func compareSpeed(b *testing.B) {
	fmt.Printf("%-62s %9s %9s %7s %8s %8s %7s\n", "capability", "Go ns", "text ns", "ratio", "Go al.", "text al.", "fast")
	slow, many, fast := 0, 0, 0
	var ratios []float64
	for _, e := range library.Engines {
		document := documentOf(b, e.Dir)
		id := document.Spec().Capability
		c, err := compare(e, document)
		if err != nil {
			b.Fatalf("%s: %v", e.Dir, err)
		}
		mark := ""
		if c.ratio > mostTimes {
			slow++
			mark = " *"
		}
		if c.text.allocations > mostAllocations {
			many++
			mark = " *"
		}
		if c.fast > 0 {
			fast++
		}
		if c.requests == 0 {
			fmt.Printf("%-62s no vector has a result from both\n", id)
			continue
		}
		ratios = append(ratios, c.ratio)
		fmt.Printf("%-62s %9.0f %9.0f %7.2f %8.1f %8.1f %3d/%d%s\n", id, c.engine.time, c.text.time, c.ratio,
			c.engine.allocations, c.text.allocations, c.fast, c.requests, mark)
	}
	slices.Sort(ratios)
	fmt.Printf("%d calculations: median ratio %.2f, %d above %v, %d above %v allocations, %d with a fast path\n",
		len(ratios), ratios[len(ratios)/2], slow, mostTimes, many, mostAllocations, fast)
	if many > 0 || fast < min(fewestFast, len(library.Engines)) {
		b.Error("too many allocations, or too few fast paths")
	}
}

// documentOf returns the document that replaces an engine.
func documentOf(t testing.TB, dir string) *text.Engine {
	file := filepath.Join(library.Plugins, dir+".calc.md")
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	e, err := text.Bind(file, source)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// cost is the cost of one calculation, with the time in ns.
type cost struct{ time, allocations float64 }

// comparison is the cost of both forms.
type comparison struct {
	engine, text   cost
	ratio          float64 // of times
	fast, requests int     // the fast path decides some of the requests
}

// compare measures both forms at the vectors of the Go engine that both answer. The median of the vectors counts, because
// many of them have extreme inputs, which only the exact evaluator decides.
func compare(p library.Engine, document *text.Engine) (c comparison, err error) {
	data, err := os.ReadFile(filepath.Join(library.Plugins, p.Dir, "vectors.json"))
	if err != nil {
		return c, err
	}
	vectors, err := vector.Parse(data)
	if err != nil {
		return c, err
	}
	var ofEngine, ofText []value.Values
	for i := range vectors {
		a, b := read(p.Engine, &vectors[i]), read(document, &vectors[i])
		if a == nil || b == nil {
			continue
		}
		ofEngine, ofText = append(ofEngine, a), append(ofText, b)
		c.requests++
		if document.Fast(b) {
			c.fast++
		}
	}
	if c.requests == 0 {
		return c, nil
	}
	engine, by := repeated(p.Engine), document.Repeat()
	var all [5][]float64
	for i := range ofEngine {
		for k, x := range ratioOf(engine, by, ofEngine[i], ofText[i]) {
			all[k] = append(all[k], x)
		}
	}
	c.ratio = median(all[0])
	c.engine, c.text = cost{median(all[1]), median(all[2])}, cost{median(all[3]), median(all[4])}
	return c, nil
}

type calculate func(context.Context, value.Values) (*sdk.Outcome, error)

// repeated returns what computes one request after the other, as a server does.
func repeated(e sdk.Engine) calculate {
	if r, ok := e.(sdk.Repeater); ok {
		return r.Repeat()
	}
	return func(ctx context.Context, in value.Values) (*sdk.Outcome, error) {
		o, err := e.Calculate(ctx, in)
		return &o, err
	}
}

// ratioOf measures both forms in turns. It returns the ratio of their times, and the time and the allocations of each.
func ratioOf(engine, by calculate, ofEngine, ofText value.Values) [5]float64 {
	var ratios, times, textTimes []float64
	var a, b cost
	for range turns {
		a, b = engine.measure(ofEngine), by.measure(ofText)
		ratios, times, textTimes = append(ratios, b.time/a.time), append(times, a.time), append(textTimes, b.time)
	}
	return [5]float64{median(ratios), median(times), a.allocations, median(textTimes), b.allocations}
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// read returns the inputs of a vector, or nil if an engine gives no result for them.
func read(e sdk.Engine, v *vector.Vector) value.Values {
	spec := e.Spec()
	sent, err := strictjson.ParseObject([]byte(v.Inputs))
	if err != nil {
		return nil
	}
	in, _, err := request.Read(&spec, sent)
	if err != nil {
		return nil
	}
	_, err = e.Calculate(context.Background(), in)
	if err != nil {
		return nil
	}
	return in
}

// measure calculates a request again and again.
func (f calculate) measure(in value.Values) cost {
	var before, after runtime.MemStats
	ctx := context.Background()
	runtime.ReadMemStats(&before)
	n, start := 0, time.Now()
	for time.Since(start) < period {
		for range 10 {
			f(ctx, in) // it has had a result before
		}
		n += 10
	}
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	return cost{float64(took) / float64(n), float64(after.Mallocs-before.Mallocs) / float64(n)}
}
