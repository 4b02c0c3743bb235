package rules

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/slipstick/slipstick/conformance/internal/observe"
	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/conformance/vector"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/text"
	"github.com/slipstick/slipstick/sdk/value"
)

const noDocument = "it is not a document"

var ofDocument = report.Subject{Name: "document"}

// written is the document of an engine, bound again by the suite.
type written struct {
	*text.Engine
	requests []request // that reach the engine, without repetitions
	traces   []text.Trace
	cheapest []int          // vectors that the document decides, in ascending order of the time that this takes
	mutants  []mutantResult // nil until used
}

// request is what a document is asked, with its answer.
type request struct {
	sent   value.Values
	answer observe.Answer
}

// document binds the document, once. It returns nil if there is none, or if it has a mistake, which document-same reports.
func (o *evidence) document() *written {
	if !o.bound {
		o.bound = true
		engine, err := text.BindPublished(o.Spec)
		if err == nil {
			o.paper = &written{Engine: engine}
			o.paper.trace(o)
		}
	}
	return o.paper
}

// eachDocument makes a rule of a function that judges the document.
func eachDocument(look func(*evidence, *written, *judgement)) func(*evidence, *judgement) {
	return func(o *evidence, j *judgement) {
		d := o.document()
		if d == nil {
			j.spoiled = true
			return
		}
		look(o, d, j)
	}
}

// trace follows the answers to the vectors.
func (d *written) trace(o *evidence) {
	d.traces = make([]text.Trace, len(o.Answers))
	took := make([]time.Duration, len(o.Answers))
	for i := range o.Answers {
		d.traces[i].Rule = -1
		if a := &o.Answers[i]; a.ByEngine() && len(a.Sent) == len(o.Spec.Inputs) {
			start := time.Now()
			d.traces[i] = d.Trace(a.Sent)
			took[i] = time.Since(start)
			d.cheapest = append(d.cheapest, i)
		}
	}
	slices.SortStableFunc(d.cheapest, func(a, b int) int { return cmp.Compare(took[a], took[b]) })
}

// judgeDocumentSame compares the Spec and the vectors with the Spec and the vectors of the canonical document.
func judgeDocumentSame(o *evidence, j *judgement) {
	source := []byte(o.Spec.Document)
	canonical, err := text.Format("document", source)
	if err != nil {
		j.check(false, ofDocument, err.Error(), "a document without mistakes")
		return
	}
	j.check(bytes.Equal(canonical, source), ofDocument, "a text that slipstick fmt changes", "the canonical text")
	d := o.document()
	if d == nil {
		_, err := text.BindPublished(o.Spec)
		j.check(false, ofDocument, fmt.Sprint(err), "a document without mistakes")
		return
	}
	spec := d.Spec()
	got, want := specText(o.Spec), specText(&spec)
	found, wanted := contrast(got, want)
	j.check(got == want, ofSpec, found, wanted+", as the document has it")
	if d.Document().VectorFile.Text != "" {
		return
	}
	list, err := vector.Parse(d.Vectors())
	same := err == nil && reflect.DeepEqual(list, o.Vectors)
	j.check(same, ofVectors, "other vectors than in the document", "the vectors of the document")
}

// specText returns a Spec as it is published.
func specText(s *sdk.Spec) string {
	data, err := json.Marshal(s)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// judgeDocumentDecided checks that no request is UNDECIDED.
func judgeDocumentDecided(o *evidence, d *written, j *judgement) {
	for i := range o.Generated.Cases {
		a := &o.Generated.First[i]
		if a.ByEngine() {
			j.check(!isUndecided(a), o.subjectOf(i), "rejected with "+sdk.CodeUndecided, "an answer: state the formula with less cancellation, or reject these inputs")
		}
	}
}

func isUndecided(a *observe.Answer) bool {
	return a.Kind == observe.Rejected && a.Rejection.Code == sdk.CodeUndecided
}

var (
	sourceForm = regexp.MustCompile(`^(book|hand|program): *(.*)$`)
	bookForm   = regexp.MustCompile(`^[^,:]*[^,: ][,:] *[^ ].*$`)
	scriptForm = regexp.MustCompile(`^([A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)*\.[A-Za-z0-9]+)(?:[;,: ].*)?$`)
	ownForm    = regexp.MustCompile(`(?i)\b(as computed|this engine|slipstick)\b`)
)

// judgeDocumentSource checks where the results of a vector are from.
func judgeDocumentSource(o *evidence, i int, j *judgement) {
	v := &o.Vectors[i]
	want := ""
	m := sourceForm.FindStringSubmatch(v.Source)
	switch {
	case m == nil:
		want = "book: and the title and place, hand: and the arithmetic, or program: and the path of a script"
	case ownForm.MatchString(v.Source):
		want = "a source other than this calculation"
	case m[1] == "book" && !bookForm.MatchString(m[2]):
		want = "book: and the title, a comma and the place"
	case m[1] == "hand" && (m[2] == "" || v.Rejection == nil && !strings.ContainsAny(m[2], "0123456789")):
		want = "hand: and the arithmetic"
	case m[1] == "program":
		script := scriptForm.FindStringSubmatch(m[2])
		if script == nil {
			want = "program: and the path of a script from the root of its repository, such as tools/beam.py"
		} else if o.HasScript != nil && !o.HasScript(script[1]) {
			want = "the path of a script in the repository: there is no file " + script[1]
		}
	}
	j.check(want == "", about(v).At("source"), quote(v.Source), want)
}

// judgeDocumentReached checks that a vector reaches each check, each word of an output and each rule between inputs. Rule
// formula-coverage has the cases of the formula.
func judgeDocumentReached(o *evidence, d *written, j *judgement) {
	document := d.Document()
	reached := func(by func(i int) bool) bool {
		for i := range o.Answers {
			if agreed(o, i) && by(i) {
				return true
			}
		}
		return false
	}
	for n := range document.Checks {
		holds := reached(func(i int) bool { return n < len(d.traces[i].Checks) && d.traces[i].Checks[n] == text.True })
		j.check(holds, placeIn(document.Checks[n].Place), "no vector for which this holds: "+document.Checks[n].Phrase.Text, "a vector for which it holds")
	}
	for n := range document.Rules {
		breaks := reached(func(i int) bool { return d.traces[i].Rule == n })
		j.check(breaks, placeIn(document.Rules[n].Place), "no vector that breaks the rule "+document.Rules[n].Text, "a vector that expects its rejection")
	}
	for k := range o.Spec.Outputs {
		f := &o.Spec.Outputs[k]
		for _, word := range f.Enum {
			has := reached(func(i int) bool {
				a := &o.Answers[i]
				_, expects := o.Vectors[i].Result.Member(f.Name)
				return a.Kind == observe.Answered && k < len(a.Outcome.Result) && a.Outcome.Result[k].Text() == word && expects
			})
			j.check(has, ofSpec.At("output "+f.Name), "no vector expects "+word, "a vector with this word, or an output without it")
		}
	}
}

// judgeDocumentChecks checks that the condition of each check is false for a vector, too.
func judgeDocumentChecks(o *evidence, d *written, j *judgement) {
	document := d.Document()
	for n := range document.Checks {
		isFalse := slices.ContainsFunc(d.traces, func(t text.Trace) bool { return n < len(t.Checks) && t.Checks[n] == text.False })
		j.check(isFalse, placeIn(document.Checks[n].Place), "this holds for every vector that reaches it: "+document.Checks[n].Phrase.Text,
			"a vector for which it does not hold")
	}
}

// placeIn returns the subject of a finding about a line of the document.
func placeIn(p text.Place) report.Subject { return ofDocument.At(fmt.Sprintf("line %d", p.Line)) }
