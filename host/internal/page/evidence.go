package page

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
)

// evidencePage is what the verification record of a release rests on.
type evidencePage struct {
	layout
	Name       string // of the capability
	Capability string
	Path       string // of the calculator
	Trust      trust
	Report     report
	Vectors    []vectorRow
	Failed     int
	Engines    []engineRow
	Said       []saidRow
	Standing   string
}

// engineRow is the engine of one platform.
type engineRow struct{ Platform, Digest string }

// saidRow is one thing that is said of the release.
type saidRow struct {
	What   string
	Detail string
	By     string // who signed, "" if nobody did
	When   string
	Counts bool
	Why    string
}

// vectorRow is one reference calculation and what became of it.
type vectorRow struct {
	ID        string
	Inputs    string
	Expected  string
	Tolerance string
	Source    string
	Warnings  []string
	Passed    bool
	Page      string // address that repeats it, "" if there is none
}

// Evidence is the page of what was checked of a release: the rules, the reference
// calculations, and what is not claimed.
func (p *Pages) Evidence(r *calc.Release) ([]byte, error) {
	title := r.Spec.Title
	if title == "" {
		title = r.Capability
	}
	d := p.described(r)
	view := &evidencePage{
		layout: p.layout("Evidence: "+title+", version "+r.Version, "What was checked of version "+r.Version+" of "+title+", and what was not.",
			evidencePath(r.Capability, r.Version), asset{}),
		Name: title, Capability: r.Capability, Path: p.link(calc.PagePath(&r.Spec)),
		Trust: p.trust(r), Report: d.report,
	}
	view.Trust.Evidence = "" // this is it
	for _, platform := range r.Platforms {
		view.Engines = append(view.Engines, engineRow{platform, r.Engines[platform]})
	}
	for i := range r.Evidence {
		view.Said = append(view.Said, rowOfEvidence(&r.Evidence[i]))
	}
	if view.Standing = string(r.State()); r.Lifecycle.Reason != "" {
		view.Standing += ": " + r.Lifecycle.Reason
	}
	failed := failedVectors(&d.report)
	for i := range d.vectors {
		row := rowOfVector(&d.vectors[i], r, view.Path)
		row.Passed = !failed[row.ID]
		if !row.Passed {
			view.Failed++
		}
		view.Vectors = append(view.Vectors, row)
	}
	return execute("evidence", view)
}

// rowOfEvidence says one thing that is said of a release in plain words.
func rowOfEvidence(e *calc.Evidence) saidRow {
	row := saidRow{Counts: e.Counts, Why: e.Why}
	if s := e.Signature; s != nil {
		row.By, row.When = cmp.Or(s.Key, "key "+s.KeyID), dayOf(s.Time)
		if len(s.Via) > 0 {
			row.By += ", who took over from " + strings.Join(s.Via, " and ")
		}
	}
	switch {
	case e.Report != nil:
		row.What, row.Detail = "Conformance report", fmt.Sprintf("%d of %d reference calculations", e.Report.Vectors.Passed, e.Report.Vectors.Total)
	case e.Review != nil:
		row.What = "Review in the house"
		if e.Review.Kind == calc.ExpertReview {
			row.What = "Review by an expert"
		}
		row.Detail = strings.Join([]string{e.Review.Reviewer, e.Review.Role, e.Review.Date}, ", ")
		for _, s := range e.Review.Sources {
			row.Detail += "; compared with " + strings.Join(slices.DeleteFunc([]string{s.Reference, s.Edition, s.Where}, func(s string) bool { return s == "" }), ", ")
		}
		if len(e.Review.Sources) == 0 {
			row.Detail += "; sources not compared"
		}
		if e.Review.Notes != "" {
			row.Detail += ". " + e.Review.Notes
		}
	case e.Lifecycle != nil:
		row.What, row.Detail = "Standing", strings.TrimSuffix(string(e.Lifecycle.State)+": "+e.Lifecycle.Reason, ": ")
		row.When = cmp.Or(row.When, dayOf(e.Lifecycle.Since))
	case e.Lead != nil:
		row.What, row.Detail = "Current", fmt.Sprintf("from then on, by statement %d", e.Lead.Sequence)
	case e.Kind == "release":
		row.What, row.Detail = "Publisher's signature", "exactly this release"
	default:
		row.What = string(e.Kind)
	}
	return row
}

// dayOf is the day of a time, "" for one that is not known.
func dayOf(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.Format(time.DateOnly)
}

// failedVectors are the ids of vectors that did not agree: as the report has them, or,
// in reports that do not name them, those that it has findings about.
func failedVectors(r *report) map[string]bool {
	failed := map[string]bool{}
	for _, v := range r.VectorResults {
		if !v.Passed {
			failed[v.ID] = true
		}
	}
	for _, one := range r.Rules {
		for _, f := range one.Findings {
			if subject, ok := strings.CutPrefix(f.Subject, "vector "); ok {
				id, _, _ := strings.Cut(subject, ",")
				failed[id] = true
			}
		}
	}
	return failed
}

func rowOfVector(v *vector, r *calc.Release, page string) vectorRow {
	row := vectorRow{ID: v.ID, Inputs: v.Raw, Expected: sayJSON(v.Expected), Source: v.Source, Warnings: v.Warnings}
	if v.Inputs != nil {
		row.Inputs = sayJSON(v.Inputs)
		if query, ok := vectorQuery(&r.Spec, v); ok {
			row.Page = page + "?" + query
		}
	}
	switch {
	case v.rejects():
	case v.RTol == 0 && v.ATol == 0:
		row.Tolerance = "none: equal to the last bit"
	default:
		var parts []string
		if v.RTol != 0 {
			parts = append(parts, "relative "+shortest(v.RTol))
		}
		if v.ATol != 0 {
			parts = append(parts, "absolute "+shortest(v.ATol))
		}
		row.Tolerance = strings.Join(parts, ", ")
	}
	return row
}

// sayJSON is a JSON object with little punctuation: each member for itself.
func sayJSON(object json.RawMessage) string {
	var b strings.Builder
	d := json.NewDecoder(strings.NewReader(string(object)))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return string(object)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return string(object)
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return string(object)
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		text, _ := name.(string)
		b.WriteString(text + " " + string(value))
	}
	if b.Len() == 0 {
		return "{}"
	}
	return b.String()
}
