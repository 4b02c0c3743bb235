// Package shards answers which part of a large batch is computed on its own, under which name its
// answers stand, and which parts are there. The parts of one plan have the same bytes whoever
// computes them, so it does no harm if one is computed twice.
package shards

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/host/internal/tables/table"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/documents"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/versions"
)

// MaxShards is how many shards a plan has at most.
const MaxShards = 100_000

// planForm is the form of plans, and shardForm that of manifests.
const (
	planForm  = "slipstick-plan/1"
	shardForm = "slipstick-shard/1"
)

// Plan is everything that the bytes of the answers depend on.
type Plan struct {
	Form   string `json:"form" validate:"eq=slipstick-plan/1"`
	Input  Input  `json:"input"`
	Shards int    `json:"shards" validate:"min=1,max=100000"`

	Capability string `json:"capability" validate:"required,maxbytes=200"`
	Release
	Tables []Table `json:"tables,omitempty" validate:"max=1000,dive"` // whose figures rows may name

	Output Output `json:"output"`

	measured os.FileInfo // of the file whose digest was made here; nil if that was done elsewhere
}

// Input is the file of the rows.
type Input struct {
	Digest string       `json:"digest" validate:"digest"`
	Bytes  int64        `json:"bytes" validate:"min=0"`
	Rows   int64        `json:"rows" validate:"min=0"`
	Format table.Format `json:"format" validate:"rows"`
	Marks  *table.Marks `json:"marks,omitempty"` // of a table that shows its own
}

// Release is a published version, and the digest of its manifest in the registry.
type Release struct {
	Version string `json:"version" validate:"required,maxbytes=200"`
	Digest  string `json:"release" validate:"digest"`
}

// Table is a published table, and its versions.
type Table struct {
	ID       string    `json:"id" validate:"required,maxbytes=200"`
	Current  string    `json:"current" validate:"maxbytes=200"`
	Releases []Release `json:"releases" validate:"max=10000,dive"`
}

// Output says how the answers are written.
type Output struct {
	Format  table.Format   `json:"format" validate:"answers"`
	Decimal typed.Decimals `json:"decimal,omitempty" validate:"omitempty,oneof=point comma file"`
	Units   []string       `json:"units,omitempty" validate:"max=1000,dive,maxbytes=1000"`
	Tags    []string       `json:"tags,omitempty" validate:"max=1000,dive,maxbytes=1000"`
}

// Result is the format of answers to NDJSON: the result of each row, or what is wrong with it. Full
// answers are no output of shards, for they tell how the release stood when they were made.
const Result table.Format = "result"

// CanWrite reports whether answers in the format can be those of shards.
func CanWrite(f table.Format) bool { return f == Result || isTable(f) }

func isTable(f table.Format) bool { return f.IsTable() && f != table.Table }

// Job is what somebody wants computed.
type Job struct {
	File   string
	Format table.Format
	ID     string // capability or tool
	Pins   []versions.Pin
	Shards int
	Output Output
}

// batch is the batch of all rows of the job.
func (j *Job) batch() *table.Batch {
	return &table.Batch{From: j.File, Format: j.Format, ID: j.ID, Pins: j.Pins, Table: table.Options{Decimals: j.Output.Decimal, Units: j.Output.Units, Tags: j.Output.Tags}}
}

// NewPlan resolves a job. If a plan is known, the new one has its version where the job has no pin,
// and what it has measured if the file is the same: only what the job asks for can differ.
func NewPlan(ctx context.Context, catalog *catalog.Catalog, job Job, known *Plan) (*Plan, error) {
	if job.Shards < 1 || job.Shards > MaxShards {
		return nil, fmt.Errorf("%d shards: from 1 to %d can be had", job.Shards, MaxShards)
	}
	p := &Plan{Form: planForm, Shards: job.Shards, Output: job.Output}
	pins := job.Pins
	if known != nil && len(pins) == 0 {
		pins = exactly(known.Version)
	}
	entry, release, err := catalog.Release(job.ID, pins)
	if err != nil {
		return nil, problem.Of(err)
	}
	if len(pins) == 0 && isTable(job.Format) { // whose first row can pin it
		release, err = job.batch().Release(catalog)
		if err != nil {
			return nil, err
		}
	}
	p.Capability, p.Release = entry.ID, Release{release.Version, release.Digest}
	if known != nil && known.Release == p.Release {
		p.Tables = known.Tables
	} else {
		p.Tables = tablesOf(catalog, &release.Spec, pins)
	}
	return p, p.measure(ctx, catalog, job, known)
}

// measure describes the file.
func (p *Plan) measure(ctx context.Context, catalog *catalog.Catalog, job Job, known *Plan) (err error) {
	p.Input.Format = job.Format
	info, err := os.Stat(job.File)
	if err != nil {
		return &table.InputError{Err: err}
	}
	p.Input.Bytes, p.measured = info.Size(), info
	p.Input.Digest, err = build.Digest(job.File)
	if err != nil {
		return &table.InputError{Err: err}
	}
	if known != nil && known.Input.Digest == p.Input.Digest {
		p.Input.Rows, p.Input.Marks = known.Input.Rows, known.Input.Marks
		return nil
	}
	own, err := p.catalog(catalog)
	if err != nil {
		return err
	}
	p.Input.Rows, p.Input.Marks, err = p.batch(job.File).Count(ctx, own)
	return err
}

func exactly(version string) []versions.Pin {
	return []versions.Pin{{Place: versions.InCommand, Name: "plan", Value: version}}
}

// tablesOf returns the published tables of which inputs take figures. Current is their version that was
// current at the time that pins name, if they do.
func tablesOf(published *catalog.Catalog, spec *sdk.Spec, pins []versions.Pin) (list []Table) {
	then := published.TablesFor(spec, pins)
	for _, id := range catalog.TablesOf(spec) {
		e, err := published.Table(id)
		if err != nil {
			continue // a row that names it is rejected by everybody
		}
		t := Table{ID: id, Current: cmp.Or(then[id], e.Current)}
		for _, r := range e.Releases {
			if r.Problem == nil && r.Lifecycle.State != evidence.Revoked {
				t.Releases = append(t.Releases, Release{r.Version, r.Digest})
			}
		}
		list = append(list, t)
	}
	return list
}

// catalog returns what the plan computes with, and nothing else: the answers do not depend on what
// more is published, or on how the release stands today.
func (p *Plan) catalog(from *catalog.Catalog) (*catalog.Catalog, error) {
	entry, err := from.Find(p.Capability)
	if err != nil {
		return nil, problem.Of(err)
	}
	only, err := p.only(entry, p.Version, []Release{p.Release})
	if err != nil {
		return nil, err
	}
	list := []registry.Capability{only}
	for _, t := range p.Tables {
		entry, err := from.Table(t.ID)
		if err != nil {
			return nil, &DiffersError{Plan: t.ID, What: "table"}
		}
		only, err := p.only(entry, t.Current, t.Releases)
		if err != nil {
			return nil, err
		}
		list = append(list, only)
	}
	slices.SortFunc(list, func(a, b registry.Capability) int { return cmp.Compare(a.ID, b.ID) })
	return catalog.New(list), nil
}

func (p *Plan) only(e *catalog.Entry, current string, releases []Release) (registry.Capability, error) {
	c := registry.Capability{ID: e.ID, Tools: e.Tools, Current: current}
	for _, want := range releases {
		r, err := e.Release(exactly(want.Version))
		if err != nil {
			return c, problem.Of(err)
		}
		if r.Digest != want.Digest {
			return c, &DiffersError{"release of " + e.ID + " " + want.Version, want.Digest, r.Digest}
		}
		same := *r
		same.Lifecycle = evidence.Lifecycle{State: evidence.Active}
		c.Releases = append(c.Releases, &same)
	}
	return c, nil
}

// batch is the batch of all rows of a file.
func (p *Plan) batch(file string) table.Batch {
	b := table.Batch{
		From: file, Format: p.Input.Format, As: p.Output.Format, ID: p.Capability, Pins: exactly(p.Version),
		Table: table.Options{Decimals: p.Output.Decimal, Marks: p.Input.Marks, Units: p.Output.Units, Tags: p.Output.Tags},
	}
	if p.Output.Format == Result {
		b.As, b.Lean = "", true
	}
	return b
}

// Rows returns the rows of a shard, which are counted from 1: every shard has as many as every other,
// or one more.
func (p *Plan) Rows(shard int) batch.Span {
	k, each, more := uint64(shard-1), uint64(p.Input.Rows)/uint64(p.Shards), uint64(p.Input.Rows)%uint64(p.Shards)
	s := batch.Span{First: k*each + min(k, more), Count: each}
	if k < more {
		s.Count++
	}
	return s
}

func (p *Plan) has(shard int) error {
	if shard < 1 || shard > p.Shards {
		return fmt.Errorf("there is no shard %d of %d", shard, p.Shards)
	}
	return nil
}

// Name returns the name of a shard's answers.
func (p *Plan) Name(shard int) string {
	ending := "." + string(p.Output.Format)
	if p.Output.Format == Result {
		ending = ".ndjson"
	}
	return p.stem(shard) + ending
}

// ManifestName returns the name of a shard's manifest.
func (p *Plan) ManifestName(shard int) string { return p.stem(shard) + ".json" }

// stem has as much of the digests as tells apart what people compute.
func (p *Plan) stem(shard int) string {
	return fmt.Sprintf("%s-%s-%05d-of-%05d", short(p.Input.Digest), short(p.Release.Digest), shard, p.Shards)
}

func short(digest string) string { return strings.TrimPrefix(digest, "sha256:")[:12] }

// JSON returns the plan as it is written, the same bytes for the same plan.
func (p *Plan) JSON() []byte { return document(p) }

// Digest returns the digest of the plan.
func (p *Plan) Digest() string { return fmt.Sprintf("sha256:%x", sha256.Sum256(p.JSON())) }

func document(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		panic(err) // only types of this package, which have no values that JSON lacks
	}
	return b.Bytes()
}

// ReadPlan reads a plan that was written.
func ReadPlan(text []byte) (*Plan, error) {
	p := new(Plan)
	return p, read(text, p)
}

// form checks plans and manifests.
var form = documents.New(map[string]documents.Rule{
	"digest": func(text, _ string) bool {
		hex, ok := strings.CutPrefix(text, "sha256:")
		return ok && len(hex) == 64 && strings.Trim(hex, "0123456789abcdef") == ""
	},
	"rows":    func(text, _ string) bool { return table.Format(text) == table.NDJSON || isTable(table.Format(text)) },
	"answers": func(text, _ string) bool { return CanWrite(table.Format(text)) },
})

// read reads a plan or a manifest. What would be written otherwise is refused, so that there is one
// digest for one plan.
func read(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if err := form.Check(into, func(documents.Finding) error { return nil }); err != nil {
		return err
	}
	if !bytes.Equal(text, document(into)) {
		return errors.New("it is not as it was written")
	}
	return nil
}

// DiffersError reports what differs from a plan.
type DiffersError struct{ What, Plan, Here string }

// Rows is the What of a DiffersError about the file of the rows, whose digests it has.
const Rows = "input"

func (e *DiffersError) Error() string {
	if e.Here == "" {
		return fmt.Sprintf("the plan has the %s %s, which is not here", e.What, e.Plan)
	}
	return fmt.Sprintf("the plan has another %s: %s; here it is %s", e.What, e.Plan, e.Here)
}

// Compare returns an error that names the first thing in which the other plan differs.
func (p *Plan) Compare(other *Plan) error {
	for _, one := range []struct{ what, plan, here string }{
		{Rows, p.Input.Digest, other.Input.Digest},
		{"format of the input", string(p.Input.Format), string(other.Input.Format)},
		{"number of shards", fmt.Sprint(p.Shards), fmt.Sprint(other.Shards)},
		{"capability", p.Capability, other.Capability},
		{"version", p.Version, other.Version},
		{"release", p.Release.Digest, other.Release.Digest},
		{"output format", string(p.Output.Format), string(other.Output.Format)},
		{"decimal mark", string(p.Output.Decimal), string(other.Output.Decimal)},
		{"list of units", strings.Join(p.Output.Units, " "), strings.Join(other.Output.Units, " ")},
		{"list of tags", strings.Join(p.Output.Tags, " "), strings.Join(other.Output.Tags, " ")},
		{"plan", p.Digest(), other.Digest()},
	} {
		if one.plan != one.here {
			return &DiffersError{one.what, cmp.Or(one.plan, "none"), cmp.Or(one.here, "none")}
		}
	}
	return nil
}
