package documents

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/plugins/internal/library"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/text"
	"github.com/slipstick/slipstick/sdk/value"
)

var (
	requests  = flag.Int("requests", 300, "random requests for each capability")
	which     = flag.String("capabilities", "", "regular expression of the capabilities to compare; all of them if it is empty")
	tableFile = flag.String("table", "", "file for the table of results")
)

// TestSame asks each Go engine and its document the same random requests. They give the same bits, codes, fields, warnings
// and number of assumptions. This compares more of them, and writes the table of results:
//
//	go test ./internal/documents -run TestSame -timeout 0 -args -requests 1000000 -table same.md
func TestSame(t *testing.T) {
	if library.Again(t) {
		return
	}
	only := regexp.MustCompile(*which)
	var all []*comparisonOf
	for _, e := range library.Engines {
		document := documentOf(t, e.Dir)
		if only.MatchString(document.Spec().Capability) {
			c := newComparison(t, e, document)
			c.run(t, min(*requests, 100+*requests/1000)) // for its time, the fastest ones are first
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b *comparisonOf) int { return cmp.Compare(a.took, b.took) })
	var rows []string
	for _, c := range all {
		c.run(t, *requests)
		c.report(t)
		rows = append(rows, c.row())
		t.Log(c.row())
		if *tableFile != "" {
			writeTable(t, rows)
		}
	}
}

// writeTable writes the results so far, because more requests can take hours.
func writeTable(t *testing.T, rows []string) {
	content := tableHead + strings.Join(slices.Sorted(slices.Values(rows)), "\n") + "\n"
	err := os.WriteFile(*tableFile, []byte(content), 0o600)
	if err != nil {
		t.Fatal(err)
	}
}

// comparisonOf compares a Go engine with its document.
type comparisonOf struct {
	id             string
	generator      *generator
	engine, byText calculate
	spec           sdk.Spec // of the document
	specOfEngine   sdk.Spec
	took           time.Duration

	requests, results, rejections, numbers, differing, accepted int
	kindOfText                                                  func() string // of the last answer
	differences                                                 map[string]*difference
}

// difference is a kind of difference with its first request.
type difference struct {
	count   int
	example string
}

func newComparison(t *testing.T, e library.Engine, document *text.Engine) *comparisonOf {
	c := &comparisonOf{
		id: document.Spec().Capability, generator: newGenerator(t, e), engine: repeated(e.Engine), byText: document.Repeat(),
		spec: document.Spec(), specOfEngine: e.Spec(), differences: map[string]*difference{},
	}
	spec := &c.specOfEngine
	for i := range max(len(spec.Inputs), len(c.spec.Inputs)) {
		if i >= min(len(spec.Inputs), len(c.spec.Inputs)) {
			t.Fatalf("%s: %d inputs, and %d in the document", c.id, len(spec.Inputs), len(c.spec.Inputs))
		}
		a, b := reading(&spec.Inputs[i]), reading(&c.spec.Inputs[i])
		if a != b {
			t.Errorf("%s: input\n%s\nin the document\n%s", c.id, a, b)
		}
	}
	return c
}

// reading describes what the reader of requests takes from a field.
func reading(f *sdk.Field) string {
	standard, _ := f.DefaultValue()
	text := fmt.Sprintf("%s %v %s %s required %v default %s decimal %v difference %v enum %v aliases %v names %v range %v",
		f.Name, f.Aliases, f.Type, f.Unit, f.Required, written(standard), f.Decimal, f.Difference, f.Enum, f.EnumAliases, f.Names, f.Range)
	if f.Range != nil {
		text += " code " + f.Range.Code
	}
	if f.UnitBy != nil {
		text += fmt.Sprintf(" unit by %+v", *f.UnitBy)
	}
	if f.Items != nil {
		text += " of (" + reading(f.Items) + ")"
	}
	for i := range f.Fields {
		text += " with (" + reading(&f.Fields[i]) + ")"
	}
	return text
}

// run asks the requests that are still missing. Every 50th one is followed by requests at a threshold next to it.
func (c *comparisonOf) run(t *testing.T, n int) {
	start := time.Now()
	for c.requests < n {
		in := c.generator.next()
		c.compare(in)
		if c.requests%50 != 0 {
			continue
		}
		for _, at := range c.generator.thresholds(in, c.kind) {
			c.compare(at)
		}
	}
	c.took = time.Since(start)
	if err := t.Context().Err(); err != nil {
		t.Fatal(err)
	}
}

// kind describes an answer of the Go engine without its numbers.
func (c *comparisonOf) kind(in value.Values) string {
	o, err := c.engine(context.Background(), in)
	return kindOf(o, err)
}

func kindOf(o *sdk.Outcome, err error) string {
	if err != nil {
		return rejectionOf(err)
	}
	kind := warningsOf(o) + " " + strconv.Itoa(len(o.Assumptions))
	for _, v := range o.Result {
		kind += " " + v.Text() + strconv.FormatBool(v.Bool()) + v.Kind().String() + strconv.Itoa(len(v.Items()))
	}
	return kind
}

// compare asks both.
func (c *comparisonOf) compare(in value.Values) {
	c.requests++
	ctx := context.Background()
	want, err := c.engine(ctx, in)
	got, errOfText := c.byText(ctx, in)
	c.kindOfText = func() string { return kindOf(got, errOfText) }
	if err != nil || errOfText != nil {
		c.rejections++
		a, b := "a result", "a result"
		if err != nil {
			a = rejectionOf(err)
		}
		if errOfText != nil {
			b = rejectionOf(errOfText)
		}
		if a != b {
			c.differ(a+" and "+b, math.Inf(1), in, fmt.Sprintf("%v\n    document: %v", err, errOfText))
		}
		return
	}
	c.results++
	before, after := noted(&c.specOfEngine, want), noted(&c.spec, got)
	results, inputs := slices.Clone(want.Result), slices.Clone(want.Inputs) // differences ask the engine again, into the same memory
	for i := range c.spec.Outputs {
		c.values(c.spec.Outputs[i].Name, results[i], got.Result[i], in)
	}
	for i := range c.spec.Inputs {
		if in[i].Kind() == value.Absent {
			c.values("input "+c.spec.Inputs[i].Name, inputs[i], got.Inputs[i], in)
		}
	}
	for i, what := range []string{"formula", "warnings", "assumptions"} {
		if before[i] != after[i] {
			c.differ(what+" "+before[i]+" and "+after[i], math.Inf(1), in, "")
		}
	}
}

// noted returns the formula, the warnings and the number of assumptions of an answer.
func noted(s *sdk.Spec, o *sdk.Outcome) [3]string {
	return [3]string{formulaOf(s, o), warningsOf(o), strconv.Itoa(len(o.Assumptions))}
}

// values reports whether two values are bit-identical.
func (c *comparisonOf) values(what string, a, b value.Value, in value.Values) {
	of, by := a.Items(), b.Items()
	switch {
	case a.Kind() != b.Kind() || len(of) != len(by):
		c.differ(fmt.Sprintf("%s: %v with %d items and %v with %d", what, a.Kind(), len(of), b.Kind(), len(by)), math.Inf(1), in, "")
	case a.Kind() == value.Number:
		c.numbers++
		x, y := a.Number(), b.Number()
		if math.Float64bits(x) != math.Float64bits(y) {
			c.differ(what, math.Abs(x-y)/max(math.Abs(x), math.Abs(y), 1e-300), in, fmt.Sprintf("%v\n    document: %v", x, y))
		}
	case a.Text() != b.Text() || a.Bool() != b.Bool():
		c.differ(what+" "+written(a)+" and "+written(b), math.Inf(1), in, "")
	}
	for i := range of {
		c.values(what, of[i], by[i], in)
	}
}

// differ counts a difference.
func (c *comparisonOf) differ(what string, by float64, in value.Values, detail string) {
	if c.accepts(what, by, in) {
		c.accepted++
		return
	}
	c.differing++
	d := c.differences[what]
	if d == nil {
		d = &difference{}
		c.differences[what] = d
		var list []string
		for i, v := range in {
			if v.Kind() != value.Absent {
				list = append(list, c.spec.Inputs[i].Name+" = "+written(v))
			}
		}
		d.example = strings.Join(list, ", ") + "\n    engine:   " + detail
	}
	d.count++
}

// report names the differences.
func (c *comparisonOf) report(t *testing.T) {
	for what, d := range c.differences {
		t.Errorf("%s: %s, %d times, first at\n    %s", c.id, what, d.count, d.example)
	}
	if c.results == 0 || c.numbers == 0 && c.results > 0 && !slices.ContainsFunc(c.spec.Outputs, func(f sdk.Field) bool { return f.Type == sdk.TypeString }) {
		t.Errorf("%s: %d results with %d numbers: nothing was compared", c.id, c.results, c.numbers)
	}
}

// row returns the row of the table.
func (c *comparisonOf) row() string {
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %d |", c.id, c.requests, c.results, c.rejections, c.numbers, c.differing, c.accepted)
}

// formulaOf returns the id of the formula of an answer.
func formulaOf(s *sdk.Spec, o *sdk.Outcome) string {
	at := s.Formula(o.Formula)
	if at < 0 {
		return ""
	}
	return s.Formulas[at].ID
}

// rejectionOf returns the code and the fields of a rejection.
func rejectionOf(err error) string {
	var e *sdk.Error
	if !errors.As(err, &e) {
		return "a failure"
	}
	text := e.Code + " at " + e.Field
	if e.Code == sdk.CodeMissingRequiredInput || e.Code == sdk.CodeConflictingInputs {
		return text // documents list the inputs of the rule, too
	}
	for _, p := range e.Invalid {
		text += " " + p.Name
	}
	return text
}

// warningsOf returns the codes of warnings with their severities, sorted.
func warningsOf(o *sdk.Outcome) string {
	var codes []string
	for _, w := range o.Warnings {
		codes = append(codes, string(w.Severity)+" "+w.Code)
	}
	slices.Sort(codes)
	return strings.Join(slices.Compact(codes), ", ")
}

// written writes a value.
func written(v value.Value) string {
	switch v.Kind() {
	case value.Number:
		return strconv.FormatFloat(v.Number(), 'g', -1, 64)
	case value.Bool:
		return strconv.FormatBool(v.Bool())
	case value.List, value.Record:
		var items []string
		for _, item := range v.Items() {
			items = append(items, written(item))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case value.Absent:
		return "-"
	}
	return strconv.Quote(v.Text())
}

const tableHead = `# Go engines and documents

Each Go engine and its document answered the same random requests. Results have the same bits, rejections the same codes and
fields. Accepted differences have their reasons in accepted_test.go. The command in plugins:

    go test ./internal/documents -run TestSame -timeout 0 -args -requests 1000000 -table same.md

| capability | requests | results | rejections | numbers | differing | accepted |
| ---------- | -------: | ------: | ---------: | ------: | --------: | -------: |
`
