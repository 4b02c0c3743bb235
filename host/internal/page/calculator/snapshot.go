package calculator

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/host/internal/archive/share"
	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/page/about"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/page/show"
	"github.com/slipstick/slipstick/host/internal/page/site"
	"github.com/slipstick/slipstick/host/internal/page/trust"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/verification"
	"github.com/slipstick/slipstick/versions"
)

// getSnapshot answers GET /s/{id}. The page also has facts that can change, such as whether its version is still
// published, so caches may keep it only for a minute.
func (p *Pages) getSnapshot(w http.ResponseWriter, r *http.Request) error {
	snap, err := share.Get(r.Context(), p.snapshots, r.PathValue("id"))
	if err != nil {
		return err
	}
	html, err := p.Snapshot(r.Context(), snap, r.URL.RawQuery, site.Speaks(w, r))
	return site.WriteCacheable(w, r, html, err)
}

// snapshotPage is a sheet that never changes.
type snapshotPage struct {
	site.Layout
	Sheet   *sheet
	Systems []wording.Option // of units
}

// answered is the part of a result that a sheet shows (spec 2.1).
type answered struct {
	ID      string                 `json:"id"`
	Inputs  json.RawMessage        `json:"inputs"`
	Result  json.RawMessage        `json:"result"`
	Detail  struct{ Unit *string } `json:"result_detail"`
	Formula *struct {
		ID, Expression, Label string
	} `json:"formula"`
	Assumptions  []string            `json:"assumptions"`
	Warnings     []sdk.Warning       `json:"warnings"`
	Verification verification.Record `json:"verification"`
	Steps        []response.Step     `json:"steps"`
}

// Snapshot returns the page of a snapshot. It always shows the recorded result, also if the engine has changed since. The
// query chooses the view, as on a page.
func (p *Pages) Snapshot(ctx context.Context, snap snapshot.Snapshot, query string, language address.Language) ([]byte, error) {
	var rec about.Record
	var was answered
	if err := json.Unmarshal(snap.Body, &rec); err != nil {
		return nil, fmt.Errorf("record of a snapshot: %w", err)
	}
	if html, err := p.vary.SnapshotStudy(snap, &rec, query, language); html != nil || err != nil {
		return html, err
	}
	if err := json.Unmarshal(rec.Result, &was); err != nil {
		return nil, fmt.Errorf("result of a snapshot: %w", err)
	}
	release := p.about.Published(&rec)
	s := &sheet{Root: p.Root, Title: wording.FormatName(rec.Tool), Tool: rec.Tool, Version: rec.Version, Trust: trust.OfRecord(was.Verification, &report.Report{})}
	spec := &sdk.Spec{}
	if release != nil {
		spec = &release.Spec
	} else {
		spec.Inputs, spec.Outputs = fieldsOf(was.Inputs), fieldsOf(was.Result)
		nameUnit(spec.Outputs, was.Detail.Unit)
	}
	v, err := address.ReadView(spec, query)
	if err != nil {
		return nil, err
	}
	asSent, converted, assumed := sentOf(spec, rec.Inputs, was.Assumptions)
	v.Suit(len(converted.Members) > 0, language)
	texts := map[string]string{} // of the record, in the units of the reader
	if release != nil {
		release = p.about.In(release, v.Units)
		s = p.baseSheet(release, v.Units)
		s.Trust.Tier, s.Trust.Claims = was.Verification.Tier, trust.OfRecord(was.Verification, &p.about.Described(release).Report).Claims
		for i, text := range spec.Assumptions {
			texts[text] = release.Spec.Assumptions[i]
		}
		spec = &release.Spec
	}
	s.Current = ""
	s.Trust.Version, s.Trust.Engine = rec.Version, rec.Engine
	s.Computed = rec.CreatedAt
	inputs := valuesOf(spec.Inputs, was.Inputs)
	outputs := valuesOf(spec.Outputs, was.Result)
	s.fill(show.NewReading(v, spec.At(inputs), converted), inputs, outputs)
	if was.Formula != nil {
		s.Formula = p.recordedFormula(release, &was)
	}
	s.Result = rec.Result
	s.Steps = p.snapshotSteps(was.Steps, spec)
	s.Snapshot = p.about.NewSnapshot(&snap, &rec, spec, asSent, v)
	if release != nil {
		s.Snapshot.Published, s.Snapshot.Lifecycle = true, release.Lifecycle
		s.Checks = p.checks(release, s, outputs)
		s.Linked = p.graphOf(release, s)
		p.recompute(ctx, s, asSent, &rec, &was, texts)
	}
	s.Assumed = wording.AllInWords(spec, replaced(assumed, texts))
	s.Warnings = slices.Concat(wording.WarningsInWords(spec, replacedIn(was.Warnings, texts)), s.Warnings)
	page := &snapshotPage{Layout: p.Layout("Snapshot: "+s.Title, s.Brief()+". Snapshot with inputs, version and engine.", "/s/"+rec.ID, sheetJS), Sheet: s, Systems: v.Systems()}
	page.Font, page.Foot = p.about.Font(s.About.Formulas), s.Foot()
	return templates.Execute("snapshot", page)
}

func (p *Pages) recordedFormula(release *catalog.Release, was *answered) *about.Formula {
	if release != nil {
		if i := release.Spec.Formula(was.Formula.ID); i >= 0 {
			return p.about.Formula(release, &release.Spec.Formulas[i])
		}
	}
	return &about.Formula{Label: was.Formula.Label, Expression: was.Formula.Expression}
}

// replaced returns texts with others in place of some.
func replaced(list []string, by map[string]string) []string {
	list = slices.Clone(list)
	for i, text := range list {
		list[i] = cmp.Or(by[text], text)
	}
	return list
}

// replacedIn returns warnings with other texts in place of some.
func replacedIn(list []sdk.Warning, by map[string]string) []sdk.Warning {
	list = slices.Clone(list)
	for i := range list {
		w := &list[i]
		w.Detail, w.Suggestion = cmp.Or(by[w.Detail], w.Detail), cmp.Or(by[w.Suggestion], w.Suggestion)
	}
	return list
}

// recompute lets the engine compute the plots and the steps. Records contain no plots, and steps only if the client asked for
// them. The page shows the new plots and steps only if the new result equals the recorded one. The texts of its notes are added
// to texts, in the units of the reader.
func (p *Pages) recompute(ctx context.Context, s *sheet, inputs strictjson.Value, rec *about.Record, was *answered, texts map[string]string) {
	a, err := p.Service.Calculate(ctx, calc.Request{ID: rec.Tool, Inputs: inputs, Pins: []versions.Pin{{Place: versions.InSnapshot, Value: rec.Version}}})
	if err != nil || !bytes.Equal(a.Success.AppendResult(nil), was.Result) {
		return // the page shows the recorded result also without them
	}
	s.Snapshot.Recomputed = true
	warnings, assumptions := p.Service.Notes(a, s.reading.Steps())
	for i, of := range a.Success.Outcome.Assumptions {
		texts[of] = assumptions[i]
	}
	for i, of := range a.Success.Outcome.Warnings {
		texts[of.Detail], texts[of.Suggestion] = warnings[i].Detail, warnings[i].Suggestion
	}
	s.work(p.steps(a, s.reading))
	query := inputsQuery(a, s.reading.View.Named())
	s.Plots, s.Take = p.draw(ctx, a, s.reading, query), p.exports(a.Release, query)
}
