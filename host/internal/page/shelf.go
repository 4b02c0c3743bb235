package page

import (
	"encoding/json"
	"html/template"
	"sync"
	"sync/atomic"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/strictjson"
)

// shelf keeps what is read out of the releases of one catalog for pages.
type shelf struct{ last atomic.Pointer[shelved] }

type shelved struct {
	catalog  *calc.Catalog
	releases sync.Map // *calc.Release to *described
}

// described is what a release says to pages beyond its Spec.
type described struct {
	report  report
	vectors []vector
	example string // query of a page with a result, "" if there is none
}

// described reads the release once for each catalog.
func (p *Pages) described(r *calc.Release) *described {
	catalog := p.service.Catalog()
	s := p.shelf.last.Load()
	if s == nil || s.catalog != catalog {
		s = &shelved{catalog: catalog}
		p.shelf.last.Store(s)
	}
	if d, ok := s.releases.Load(r); ok {
		return d.(*described)
	}
	d := describe(r)
	s.releases.Store(r, d)
	return d
}

func describe(r *calc.Release) *described {
	d := &described{report: readReport(r.Report), vectors: readVectors(r.Vectors)}
	for i := range d.vectors {
		if query, ok := exampleQuery(&r.Spec, &d.vectors[i]); ok && !d.vectors[i].rejects() {
			d.example = query
			break
		}
	}
	return d
}

// exampleQuery is the query of what people would type who read the vector: its numbers as
// they are written there.
func exampleQuery(spec *sdk.Spec, v *vector) (query string, ok bool) {
	inputs, err := strictjson.ParseObject(v.Inputs)
	if err != nil {
		return "", false
	}
	for i := range inputs.Members {
		if at := spec.Input(inputs.Members[i].Name); at >= 0 {
			inputs.Members[i].Value = typed.Exact(&spec.Inputs[at], inputs.Members[i].Value)
		}
	}
	return queryOf(spec, inputs)
}

// vectorQuery is the query that repeats the vector on the page of the Spec, if there is
// one.
func vectorQuery(spec *sdk.Spec, v *vector) (query string, ok bool) {
	inputs, err := strictjson.ParseObject(v.Inputs)
	if err != nil {
		return "", false
	}
	return queryOf(spec, inputs)
}

// report is what a page says of a conformance report.
type report struct {
	Suite        string `json:"suite"`
	Requirements string `json:"requirements"` // the set of rules
	Passed       bool   `json:"passed"`
	Vectors      struct {
		Total  int `json:"total"`
		Passed int `json:"passed"`
	} `json:"vectors"`
	Generated struct {
		Total  int `json:"total"`
		Passed int `json:"passed"`
	} `json:"generated"`
	Rules         []rule `json:"rules"`
	VectorResults []struct {
		ID     string `json:"id"`
		Passed bool   `json:"passed"`
	} `json:"vector_results"`
}

type rule struct {
	ID       string    `json:"id"`
	Rule     string    `json:"rule"`
	Cites    string    `json:"cites"`
	Passed   bool      `json:"passed"`
	Outcome  string    `json:"outcome"` // "" in old reports
	Reason   string    `json:"reason"`  // of an outcome that is neither pass nor fail
	Checks   int       `json:"checks"`
	Findings []finding `json:"findings"`
}

type finding struct {
	Subject string `json:"subject"`
	Found   string `json:"found"`
	Want    string `json:"want"`
}

// Applies reports whether there was anything to judge.
func (r *rule) Applies() bool { return r.Outcome != "not_applicable" }

// RulesPassed counts the rules that the engine kept, of [report.RulesApplied].
func (r *report) RulesPassed() int {
	return r.count(func(one *rule) bool { return one.Applies() && one.Passed })
}

// RulesApplied counts the rules that there was something to judge by.
func (r *report) RulesApplied() int { return r.count((*rule).Applies) }

func (r *report) count(counts func(*rule) bool) int {
	n := 0
	for i := range r.Rules {
		if counts(&r.Rules[i]) {
			n++
		}
	}
	return n
}

// readReport reads a report, of which a page that cannot be read shows nothing. The
// registry has judged it.
func readReport(data []byte) report {
	var r report
	if json.Unmarshal(data, &r) != nil {
		return report{}
	}
	return r
}

// vector is one reference calculation of a release.
type vector struct {
	ID       string          `json:"id"`
	Kind     string          `json:"kind"`
	Inputs   json.RawMessage `json:"inputs"`
	Raw      string          `json:"inputs_raw"` // in place of inputs, legal or not
	Expected json.RawMessage `json:"expected"`
	Warnings []string        `json:"warnings"`
	RTol     float64         `json:"rtol"`
	ATol     float64         `json:"atol"`
	Source   string          `json:"source"`
	Note     string          `json:"note"`
}

// rejects reports whether the vector expects a rejection.
func (v *vector) rejects() bool {
	var expected struct {
		Code string `json:"code"`
	}
	return json.Unmarshal(v.Expected, &expected) == nil && expected.Code != ""
}

func readVectors(data []byte) []vector {
	var list []vector
	if json.Unmarshal(data, &list) != nil {
		return nil
	}
	return list
}

// symbol is the MathML of a symbol, "" if there is none.
func (p *Pages) symbol(latex string) template.HTML {
	if latex == "" || p.options.Formulas == nil {
		return ""
	}
	math, err := p.options.Formulas.MathML(latex, false)
	if err != nil {
		return "" // the name stands beside it
	}
	return math
}
