package page

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/verification"
	"github.com/slipstick/slipstick/versions"
)

// snapshotPage is a sheet that will never change.
type snapshotPage struct {
	layout
	Sheet   *sheet
	Systems []option // of units
}

// frozen is what makes a sheet a snapshot.
type frozen struct {
	ID         string
	Address    string // public
	Record     string // public address of the record
	Sum        string // SHA-256 of the record
	Expires    string // "" if it does not
	Live       string // path of the calculator with the same inputs, "" if there is none
	Inputs     string // as JSON
	Calculate  string // public address that calculates anew
	Version    string
	Recomputed bool // the engine has computed it again, with the same result
	Published  bool // the version is still published
	Lifecycle  calc.Lifecycle
}

// record is the record of a snapshot, as package snapshot writes it.
type record struct {
	ID         string          `json:"id"`
	Tool       string          `json:"tool_id"`
	Capability string          `json:"capability_id"`
	Inputs     json.RawMessage `json:"inputs"`
	Version    string          `json:"calculation_version"`
	Result     json.RawMessage `json:"result"`
	CreatedAt  time.Time       `json:"created_at"`
	Engine     string          `json:"engine_digest"`
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
	Steps        []formula.Step      `json:"steps"`
}

// Snapshot returns the page of a snapshot. It always shows what was frozen, whatever has
// happened to the engine since. The query says how to show it, like that of a page.
func (p *Pages) Snapshot(ctx context.Context, snap snapshot.Snapshot, query string) ([]byte, error) {
	var rec record
	var was answered
	if err := json.Unmarshal(snap.Body, &rec); err != nil {
		return nil, fmt.Errorf("record of a snapshot: %w", err)
	}
	if html, err := p.frozenStudy(snap, &rec); html != nil || err != nil {
		return html, err
	}
	if err := json.Unmarshal(rec.Result, &was); err != nil {
		return nil, fmt.Errorf("result of a snapshot: %w", err)
	}
	release := p.published(&rec)
	s := &sheet{Root: p.root, Title: formatName(rec.Tool), Tool: rec.Tool, Version: rec.Version, Trust: trustOf(was.Verification, &report.Report{})}
	spec := &sdk.Spec{}
	if release != nil {
		s, spec = p.baseSheet(release), &release.Spec
		s.Trust.Tier, s.Trust.Claims = was.Verification.Tier, trustOf(was.Verification, &p.described(release).report).Claims
	} else {
		spec.Inputs, spec.Outputs = fieldsOf(was.Inputs), fieldsOf(was.Result)
		nameUnit(spec.Outputs, was.Detail.Unit)
	}
	v, err := readView(spec, query)
	if err != nil {
		return nil, err
	}
	s.Current = ""
	s.Trust.Version, s.Trust.Engine = rec.Version, rec.Engine
	s.Computed, s.Warnings = rec.CreatedAt, warningsInWords(spec, was.Warnings)
	inputs := valuesOf(spec.Inputs, was.Inputs)
	asSent, converted, assumed := sentOf(spec, rec.Inputs, was.Assumptions)
	s.Assumed = allInWords(spec, assumed)
	s.fill(p, newReading(v, spec.At(inputs), converted), inputs, valuesOf(spec.Outputs, was.Result))
	if was.Formula != nil {
		s.Formula = p.frozenFormula(release, &was)
	}
	s.Result = rec.Result
	s.Steps = frozenSteps(was.Steps)
	s.Frozen = p.frozen(&snap, &rec, spec, asSent, v)
	if release != nil {
		s.Frozen.Published, s.Frozen.Lifecycle = true, release.Lifecycle
		s.Linked = p.graphOf(release, s)
		p.recompute(ctx, s, asSent, &rec, &was)
	}
	page := &snapshotPage{layout: p.layout("Snapshot: "+s.Title, s.Brief()+". Frozen with its inputs, its version and its engine.", "/s/"+rec.ID, sheetJS), Sheet: s, Systems: systemsOf(v)}
	page.Font, page.Foot = p.font(s.About.Formulas), s.Foot()
	return execute("snapshot", page)
}

// published returns the release that computed the record, nil if this host does not have it.
func (p *Pages) published(rec *record) *calc.Release {
	e, err := p.service.Catalog().Find(rec.Capability)
	if err != nil {
		return nil
	}
	for _, r := range e.Releases {
		if r.Version == rec.Version && r.EngineDigest == rec.Engine && r.Spec.Tool != "" {
			return r
		}
	}
	return nil
}

func (p *Pages) frozenFormula(release *calc.Release, was *answered) *formulaText {
	if release != nil {
		if i := release.Spec.Formula(was.Formula.ID); i >= 0 {
			return p.formula(release, &release.Spec.Formulas[i])
		}
	}
	return &formulaText{Label: was.Formula.Label, Expression: was.Formula.Expression}
}

func (p *Pages) frozen(snap *snapshot.Snapshot, rec *record, spec *sdk.Spec, inputs strictjson.Value, v *view) *frozen {
	sum := sha256.Sum256(snap.Body)
	f := &frozen{
		ID: rec.ID, Address: p.address("/s/" + rec.ID), Record: p.address("/api/v1/share/" + rec.ID), Sum: hex.EncodeToString(sum[:]),
		Inputs: string(rec.Inputs), Calculate: p.address("/api/v1/calc/" + rec.Tool), Version: rec.Version,
	}
	if !snap.ExpiresAt.IsZero() {
		f.Expires = snap.ExpiresAt.UTC().Format("2 January 2006")
	}
	if spec.Tool != "" {
		if query, ok := queryOf(spec, inputs, v); ok {
			f.Live = p.link("/calc/"+spec.Group+"/"+spec.Tool) + "?" + query
		}
	}
	return f
}

// recompute lets the engine compute again, because records contain no plots, and steps only if
// they were asked for. Both are shown only if the result equals the frozen one.
func (p *Pages) recompute(ctx context.Context, s *sheet, inputs strictjson.Value, rec *record, was *answered) {
	a, err := p.service.Calculate(ctx, calc.Request{ID: rec.Tool, Inputs: inputs, Pins: []versions.Pin{{Place: versions.InSnapshot, Value: rec.Version}}})
	if err != nil || !bytes.Equal(a.Success.AppendResult(nil), was.Result) {
		return // the frozen result does not depend on it
	}
	s.Frozen.Recomputed = true
	s.work(p.steps(a, s.reading))
	query := inputsQuery(a, s.reading.view)
	s.Plots, s.Take = p.draw(ctx, a, s.reading, query), p.takeAlong(a.Release, query)
}
