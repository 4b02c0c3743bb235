package trust

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/conformance/vector"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/page/site"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/versions"
)

// evidencePage shows the evidence for the verification record of a release.
type evidencePage struct {
	site.Layout
	Name       string // of the capability
	Capability string
	Path       string // of the calculator
	Trust      Summary
	Report     report.Report
	Vectors    []vectorRow
	Failed     int
	Proofs     []proofRow
	ProofCount *report.ProofCount
	Engines    []engineRow
	Statements []statementRow
	Lifecycle  string
	RebuiltBy  []string // parties that rebuilt the release
}

// engineRow is the engine of one platform.
type engineRow struct{ Platform, Digest string }

// statementRow is one statement about the release.
type statementRow struct {
	What   string
	Detail string
	By     string // who signed it, "" if it is not signed
	When   string
	Counts bool
	Why    string
	Path   string // of a page with more details, "" if there is none
}

// proofRow compares the numbers of one output with the formula.
type proofRow struct {
	Name, Output string
	Verdict      string
	Class        string // ok, bad, or "" for neither
	Compared     int
	Undecided    int
	Reason       string
}

// vectorRow is one reference calculation and its outcome.
type vectorRow struct {
	ID        string
	Inputs    string
	Expected  string
	Tolerance string
	Source    string
	Warnings  []string
	Passed    bool
	Page      string // URL of the page with its inputs, "" if there is none
}

// Evidence returns the page about the checks of a release: the rules, the reference calculations, and their limits.
func (p *Pages) Evidence(r *catalog.Release) ([]byte, error) {
	title := r.Spec.Title
	if title == "" {
		title = r.Capability
	}
	d, err := p.about.Describe(r)
	if err != nil {
		return nil, problem.Unavailable(r.Capability, r.Version, err)
	}
	view := &evidencePage{
		Layout: p.Layout("Evidence: "+title+", version "+r.Version, "Evidence for version "+r.Version+" of "+title+".",
			evidencePath(r.Capability, r.Version), site.Asset{}),
		Name: title, Capability: r.Capability, Path: p.Link(catalog.PagePath(&r.Spec)),
		Trust: p.Of(r), Report: d.Report,
	}
	view.Trust.Evidence = "" // it would link to this page
	for _, platform := range r.Platforms {
		view.Engines = append(view.Engines, engineRow{platform, r.Engines[platform]})
	}
	for i := range r.Evidence {
		row := rowOfEvidence(&r.Evidence[i])
		if r.Evidence[i].Shadow != nil && p.shadow != nil {
			row.Path = view.Path + shadowFile
		}
		view.Statements = append(view.Statements, row)
	}
	view.Lifecycle = string(r.State())
	if r.Lifecycle.Reason != "" {
		view.Lifecycle += ": " + r.Lifecycle.Reason
	}
	view.RebuiltBy = catalog.Rebuilders(r)
	view.ProofCount = d.Report.CountProofs()
	for i := range d.Report.Proofs {
		view.Proofs = append(view.Proofs, rowOfProof(&d.Report.Proofs[i], &r.Spec))
	}
	failed := d.Report.FailedVectors()
	for i := range d.Vectors {
		row := rowOfVector(&d.Vectors[i], r, view.Path)
		row.Passed = !failed[row.ID]
		if !row.Passed {
			view.Failed++
		}
		view.Vectors = append(view.Vectors, row)
	}
	return templates.Execute("evidence", view)
}

// rowOfEvidence returns the row of one statement about a release.
func rowOfEvidence(e *catalog.Evidence) statementRow {
	row := statementRow{Counts: e.Counts, Why: e.Why}
	if s := e.Signature; s != nil {
		row.By, row.When = cmp.Or(s.Key, "key "+s.KeyID), dayOf(s.Time)
		if len(s.Via) > 0 {
			row.By += ", which replaced " + strings.Join(s.Via, " and ")
		}
	}
	switch {
	case e.Report != nil:
		row.What, row.Detail = "Conformance report", fmt.Sprintf("%d of %d reference calculations", e.Report.Vectors.Passed, e.Report.Vectors.Total)
		if c := e.Report.Proofs; c != nil {
			row.Detail += "; " + c.String()
		}
	case e.Review != nil:
		row.What = "Internal review"
		if e.Review.Kind == catalog.ExpertReview {
			row.What = "Expert review"
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
		row.What, row.Detail = "Status", strings.TrimSuffix(string(e.Lifecycle.State)+": "+e.Lifecycle.Reason, ": ")
		row.When = cmp.Or(row.When, dayOf(e.Lifecycle.Since))
	case e.Lead != nil:
		row.What, row.Detail = "Current", fmt.Sprintf("default version, by statement %d", e.Lead.Sequence)
	case e.Shadow != nil && e.Shadow.Sample == 0:
		row.What, row.Detail = "Shadow comparison", "ended"
		row.When = cmp.Or(row.When, dayOf(e.Shadow.Since))
	case e.Shadow != nil:
		row.What, row.Detail = "Shadow comparison", e.Shadow.Part()+" of the calculations"
		row.When = cmp.Or(row.When, dayOf(e.Shadow.Since))
	case e.Build != nil:
		row.What, row.Detail = "Source", fmt.Sprintf("%s, built by %s", e.Build.Source, cmp.Or(e.Build.Toolchain, "combining a runtime and a document"))
		if e.Kind == "rebuild" {
			row.What, row.Detail = "Rebuilt from source", "byte-identical, from "+row.Detail
		}
		if e.Build.Revision != "" {
			row.Detail += ", commit " + e.Build.Revision
		}
	case e.Kind == "release":
		row.What, row.Detail = "Publisher signature", "exactly this release"
	default:
		row.What = string(e.Kind)
	}
	return row
}

// rowOfProof returns the row of one output in the comparison with the formula.
func rowOfProof(p *report.Proof, spec *sdk.Spec) proofRow {
	row := proofRow{Name: p.Output, Output: p.Output, Compared: p.Compared(), Undecided: p.Undecided, Reason: p.Reason}
	if i := slices.IndexFunc(spec.Outputs, func(f sdk.Field) bool { return f.Name == p.Output }); i >= 0 {
		row.Name = wording.Label(&spec.Outputs[i])
	}
	switch p.Verdict {
	case report.Proved:
		row.Verdict, row.Class = "proved", "ok"
	case report.Declared:
		row.Verdict, row.Class = "within "+wording.Shortest(p.Tolerance)+", as declared", "ok"
	case report.Taken:
		row.Verdict = "not given by the formula"
	case report.Differs:
		row.Verdict, row.Class = "differs", "bad"
	default:
		row.Verdict, row.Class = "not proved", "bad"
	}
	return row
}

// dayOf returns the date of a time, "" if the time is unknown.
func dayOf(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.Format(time.DateOnly)
}

func rowOfVector(v *vector.Vector, r *catalog.Release, page string) vectorRow {
	row := vectorRow{ID: v.ID, Inputs: v.Inputs, Expected: formatJSON(v.Expected), Source: v.Source, Warnings: v.Warnings}
	if !v.Raw {
		row.Inputs = formatJSON(v.Inputs)
		if query, ok := vectorQuery(&r.Spec, v); ok {
			row.Page = page + "?" + query
		}
	}
	switch {
	case v.Rejection != nil:
	case v.RTol == 0 && v.ATol == 0:
		row.Tolerance = "none: bit-identical"
	default:
		var parts []string
		if v.RTol != 0 {
			parts = append(parts, "relative "+wording.Shortest(v.RTol))
		}
		if v.ATol != 0 {
			parts = append(parts, "absolute "+wording.Shortest(v.ATol))
		}
		row.Tolerance = strings.Join(parts, ", ")
	}
	return row
}

// formatJSON returns a JSON object as readable text, one member after the other.
func formatJSON(object string) string {
	var b strings.Builder
	d := json.NewDecoder(strings.NewReader(object))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return object
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return object
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return object
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

// getEvidence answers GET /api/v1/capabilities/{id}/evidence.
func (p *Pages) getEvidence(w http.ResponseWriter, r *http.Request) error {
	_, release, err := web.Find(p.Service.Catalog(), r)
	if err != nil {
		return err
	}
	web.SetRelease(w.Header(), p.Service.BaseURL(), release)
	web.Vary(w.Header(), versions.HeaderName)
	html, err := p.Evidence(release)
	return site.WriteCacheable(w, r, html, err)
}

// vectorQuery returns the query with the inputs of the vector for the page of the Spec, "" if no query can have them.
func vectorQuery(spec *sdk.Spec, v *vector.Vector) (query string, ok bool) {
	inputs, err := strictjson.ParseObject([]byte(v.Inputs))
	if err != nil {
		return "", false
	}
	return address.QueryOf(spec, inputs, new(address.View))
}
