// Package shards divides a large batch into shards that are computed independently. A [Plan] defines
// the shards and their file names, a [Worker] computes them into a directory, and [Verify] checks the
// directory. Every worker writes the same bytes for a shard, so it is harmless to compute one twice.
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

// MaxShards is the maximum number of shards of a plan.
const MaxShards = 100_000

// planForm is the form of plans, and shardForm is the form of manifests.
const (
	planForm  = "slipstick-plan/1"
	shardForm = "slipstick-shard/1"
)

// Plan contains everything that determines the bytes of the answers.
type Plan struct {
	Form   string `json:"form" validate:"eq=slipstick-plan/1"`
	Input  Input  `json:"input"`
	Shards int    `json:"shards" validate:"min=1,max=100000"`

	Capability string `json:"capability" validate:"required,maxbytes=200"`
	Release
	Tables []Table `json:"tables,omitempty" validate:"max=1000,dive"` // tables with values that rows can name

	Output Output `json:"output"`

	measured os.FileInfo // the file when this process computed its digest; nil if another process did
}

// Input is the file of the rows.
type Input struct {
	Digest string       `json:"digest" validate:"digest"`
	Bytes  int64        `json:"bytes" validate:"min=0"`
	Rows   int64        `json:"rows" validate:"min=0"`
	Format table.Format `json:"format" validate:"rows"`
	Marks  *table.Marks `json:"marks,omitempty"` // the marks that the rows of a table show
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

// Output describes the format of the answers.
type Output struct {
	Format  table.Format   `json:"format" validate:"answers"`
	Decimal typed.Decimals `json:"decimal,omitempty" validate:"omitempty,oneof=point comma file"`
	Units   []string       `json:"units,omitempty" validate:"max=1000,dive,maxbytes=1000"`
	Tags    []string       `json:"tags,omitempty" validate:"max=1000,dive,maxbytes=1000"`
}

// Result is the format of answers to NDJSON: the result of each row, or its error. Shards do not write
// full answers, because these contain the status of the release at the time of the calculation.
const Result table.Format = "result"

// CanWrite reports whether shards can write answers in the format.
func CanWrite(f table.Format) bool { return f == Result || isTable(f) }

func isTable(f table.Format) bool { return f.IsTable() && f != table.Table }

// Job describes the calculation from which [NewPlan] makes a plan.
type Job struct {
	File   string
	Format table.Format
	ID     string // capability or tool id
	Pins   []versions.Pin
	Shards int
	Output Output
}

// batch returns the batch of all rows of the job.
func (j *Job) batch() *table.Batch {
	return &table.Batch{From: j.File, Format: j.Format, ID: j.ID, Pins: j.Pins, Table: table.Options{Decimals: j.Output.Decimal, Units: j.Output.Units, Tags: j.Output.Tags}}
}

// NewPlan resolves a job into a plan. If a plan is known, the new one takes its version, unless the job has
// a pin. It also takes its row count if the file is the same. So only the settings of the job can differ.
func NewPlan(ctx context.Context, catalog *catalog.Catalog, job Job, known *Plan) (*Plan, error) {
	if job.Shards < 1 || job.Shards > MaxShards {
		return nil, fmt.Errorf("%d shards: a plan has between 1 and %d", job.Shards, MaxShards)
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
	if len(pins) == 0 && isTable(job.Format) { // the first row can pin the version
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

// measure fills in the input of the plan: size, digest and number of rows of the file.
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

// tablesOf returns the published tables that provide values for the inputs. If the pins name a date,
// Current is the version that was current on that date.
func tablesOf(published *catalog.Catalog, spec *sdk.Spec, pins []versions.Pin) (list []Table) {
	then := published.TablesFor(spec, pins)
	for _, id := range catalog.TablesOf(spec) {
		e, err := published.Table(id)
		if err != nil {
			continue // every worker rejects a row that names it
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

// catalog returns a catalog with the releases of the plan only, all of them active. So the answers
// depend neither on later releases nor on today's status of a release.
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

// only returns the capability with these releases only, and checks their digests.
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

// batch returns the batch of all rows of a file.
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

// Rows returns the rows of a shard. The first shard is 1. The sizes of shards differ by one row at most.
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

// Name returns the file name of a shard's answers.
func (p *Plan) Name(shard int) string {
	ending := "." + string(p.Output.Format)
	if p.Output.Format == Result {
		ending = ".ndjson"
	}
	return p.stem(shard) + ending
}

// ManifestName returns the file name of a shard's manifest.
func (p *Plan) ManifestName(shard int) string { return p.stem(shard) + ".json" }

// stem returns the file name of a shard without its extension. The first 12 digits of each digest
// distinguish the batches of practice.
func (p *Plan) stem(shard int) string {
	return fmt.Sprintf("%s-%s-%05d-of-%05d", short(p.Input.Digest), short(p.Release.Digest), shard, p.Shards)
}

func short(digest string) string { return strings.TrimPrefix(digest, "sha256:")[:12] }

// JSON returns the document of the plan. Equal plans have the same bytes.
func (p *Plan) JSON() []byte { return document(p) }

// Digest returns the digest of the plan.
func (p *Plan) Digest() string { return fmt.Sprintf("sha256:%x", sha256.Sum256(p.JSON())) }

func document(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		panic(err) // impossible: the types of this package have no values that JSON cannot represent
	}
	return b.Bytes()
}

// ReadPlan reads the document of a plan.
func ReadPlan(text []byte) (*Plan, error) {
	p := new(Plan)
	return p, read(text, p)
}

// form validates plans and manifests.
var form = documents.New(map[string]documents.Rule{
	"digest": func(text, _ string) bool {
		hex, ok := strings.CutPrefix(text, "sha256:")
		return ok && len(hex) == 64 && strings.Trim(hex, "0123456789abcdef") == ""
	},
	"rows":    func(text, _ string) bool { return table.Format(text) == table.NDJSON || isTable(table.Format(text)) },
	"answers": func(text, _ string) bool { return CanWrite(table.Format(text)) },
})

// read reads a plan or a manifest. It refuses a text that differs from the canonical document, so that a
// plan has only one digest.
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

// DiffersError reports a difference from a plan.
type DiffersError struct{ What, Plan, Here string }

// Rows is the What of a [DiffersError] about the file of the rows. Plan and Here are the two digests.
const Rows = "input"

func (e *DiffersError) Error() string {
	if e.Here == "" {
		return fmt.Sprintf("the plan has the %s %s, which is not here", e.What, e.Plan)
	}
	return fmt.Sprintf("the plan has another %s: %s; here it is %s", e.What, e.Plan, e.Here)
}

// Compare returns a [*DiffersError] about the first difference between the plans, or nil.
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
