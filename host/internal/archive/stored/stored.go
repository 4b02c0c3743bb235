// Package stored reads calculations from ledgers, exported ledgers, snapshots and batch results.
// [Read] passes each [Calculation] and each [Gap] to a [Reader], one after the other. So it needs
// little memory for any number of calculations. It does not judge the calculations.
package stored

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/slipstick/slipstick/conformance/compare"
	"github.com/slipstick/slipstick/host/internal/archive/ledger"
	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/host/internal/queue/shards"
	"github.com/slipstick/slipstick/host/internal/tables/table"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
)

// Release names the release that computed a calculation, as the file names it. All fields but the
// first two can be "".
type Release struct {
	Capability, Version string
	Digest              string // of the manifest
	Engine              string // digest of the engine
	Platform            string
	Form                table.Form // of the stored results
}

// Calculation is a stored calculation.
type Calculation struct {
	Name    string // place: SEGMENT/LEAF in a ledger, FILE:LINE, FILE:ROW, or the id of a snapshot
	Release Release
	Hashed  bool // the file has only the hash of the inputs, not the inputs
	Bytes   int  // approximate size of the calculation

	// Either typed values,
	inputs  value.Values
	outcome record.Outcome
	// or the record as it was exported,
	exported *record.View
	// or JSON objects,
	sent, answered []byte
	// or a row of a table.
	table *table.Answers
	row   string
}

// Values returns the inputs and the outcome as typed values of the release with the Spec. The
// results have the form in which they were stored. The error names the values that do not match the
// Spec, or is as from [table.Answers.Read].
func (c *Calculation) Values(spec *sdk.Spec) (inputs value.Values, o record.Outcome, err error) {
	if c.table != nil {
		return c.table.Read(c.row)
	}
	if v := c.exported; v != nil {
		inputs, err = record.ReadValues(spec.Inputs, v.Inputs)
		if err != nil {
			return nil, o, fmt.Errorf("inputs: %w", err)
		}
		o.Code, o.Field = v.Code, v.Field
		if o.Code == "" {
			o.Result, err = record.ReadValues(spec.Outputs, v.Result)
			if err != nil {
				err = fmt.Errorf("result: %w", err)
			}
		}
		return inputs, o, err
	}
	if c.answered == nil {
		switch {
		case len(c.inputs) != len(spec.Inputs):
			return nil, o, fmt.Errorf("it has %d inputs, and the release %d", len(c.inputs), len(spec.Inputs))
		case c.outcome.Code == "" && len(c.outcome.Result) != len(spec.Outputs):
			return nil, o, fmt.Errorf("it has %d results, and the release %d", len(c.outcome.Result), len(spec.Outputs))
		}
		return c.inputs, c.outcome, nil
	}
	object, err := strictjson.ParseObject(c.sent)
	if err != nil {
		return nil, o, fmt.Errorf("inputs: %w", err)
	}
	inputs, _, err = request.Read(spec, object)
	if err != nil {
		return nil, o, fmt.Errorf("inputs: %w", err)
	}
	object, err = strictjson.ParseObject(c.answered)
	if err != nil {
		return nil, o, fmt.Errorf("result: %w", err)
	}
	o.Result, err = compare.ReadResult(spec.Outputs, object)
	return inputs, o, err
}

// Gap is a part of a target that cannot be read, or calculations that were never stored.
type Gap struct {
	Name  string
	Count uint64 // number of calculations; 0 if it is unknown
	Err   error
}

// Reasons of gaps.
var (
	ErrLost     = errors.New("the ledger lost these records")
	ErrUnnamed  = errors.New("rows of a batch that is recorded as a whole: replay its answers")
	ErrRefusal  = errors.New("an answer that refuses does not repeat its inputs: replay the ledger")
	ErrNoAnswer = errors.New("no whole answer: ask for output=attributed")
	ErrShard    = errors.New("the shard is not computed")
	ErrRow      = errors.New("the row is too long, or not written as it must be")
)

// Reader receives the calculations and gaps in order. [Read] ends at the first error of a method.
type Reader interface {
	Calculation(c *Calculation) error
	Gap(Gap) error
	// Progress receives the number of bytes that were read, and the number of all bytes.
	Progress(done, all int64)
}

// Options are options of [Read]. The zero value is usable if there are no tables.
type Options struct {
	Data    string           // data directory with the snapshots of short ids
	Of      *table.Origin    // of tables that do not name the release that computed them
	Catalog *catalog.Catalog // contains the releases that computed tables
}

// InputError reports an error in a target of the command line.
type InputError struct {
	Target string
	Err    error
}

func (e *InputError) Error() string { return e.Target + ": " + e.Err.Error() }

// Unwrap returns the error in the target.
func (e *InputError) Unwrap() error { return e.Err }

var errNoData = errors.New("this is not a file, a directory or the id of a snapshot (cx_...)")

// Read reads the targets in order. A target is one of:
//
//   - the directory of a ledger
//   - the data directory of a server with its snapshots
//   - a snapshot, as a file or an id
//   - a file of batch results (NDJSON, CSV, Parquet or Arrow)
//   - a file of exported records (NDJSON, Parquet or Arrow)
//   - a directory of such files
//
// The error is an [*InputError], an error of the reader, or the error of the context.
func Read(ctx context.Context, targets []string, to Reader, o *Options) error {
	r := &reading{ctx: ctx, to: to}
	if o != nil {
		r.options = *o
	}
	for _, t := range targets {
		r.all += sizeOf(t)
	}
	for _, t := range targets {
		if err := r.target(t); err != nil {
			return err
		}
	}
	return nil
}

type reading struct {
	ctx       context.Context
	to        Reader
	options   Options
	done, all int64
}

// sizeOf returns the approximate number of bytes to read.
func sizeOf(target string) (size int64) {
	if info, err := os.Stat(filepath.Join(target, snapshot.FileName)); err == nil {
		return info.Size()
	}
	_ = filepath.WalkDir(target, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // Read reports later what cannot be read
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		return nil
	})
	return size
}

func (r *reading) target(target string) error {
	info, err := os.Stat(target)
	switch {
	case err == nil && info.IsDir():
		err = r.dir(target)
	case err == nil:
		err = r.file(target, r.options.Of)
	case strings.HasPrefix(target, "cx_"):
		err = r.id(target)
	default:
		err = &InputError{target, errNoData}
	}
	return err
}

// layoutFile is in each OCI image layout, such as a capability of a registry.
const layoutFile = "oci-layout"

// dir reads a ledger, a data directory, or a directory of files. It skips the layouts of a registry, which can be next to
// the data.
func (r *reading) dir(dir string) error {
	if ledger.In(dir) {
		return r.ledger(dir)
	}
	if _, err := os.Stat(filepath.Join(dir, layoutFile)); err == nil {
		return nil
	}
	if _, err := os.Stat(filepath.Join(dir, snapshot.FileName)); err == nil {
		err := snapshot.NewFile(dir, nil).Each(func(id string, record *snapshot.Record, err error) error {
			return r.snapshot(id, record, err)
		})
		r.read(filepath.Join(dir, snapshot.FileName))
		return err
	}
	plan, err := shards.PlanIn(dir)
	if err != nil {
		return &InputError{dir, err}
	}
	if plan != nil {
		return r.shards(dir, plan)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return &InputError{dir, err}
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir():
			err = r.dir(path)
		case e.Type().IsRegular():
			err = r.file(path, r.options.Of)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// shards reads the results of the shards of a plan. The plan names the release that computed them.
// A missing shard is a gap.
func (r *reading) shards(dir string, plan *shards.Plan) error {
	of := &table.Origin{Capability: plan.Capability, Version: plan.Version, Release: plan.Release.Digest, Decimals: plan.Output.Decimal, Marks: plan.Input.Marks, Tags: plan.Output.Tags, Tables: catalog.Tables{}}
	for _, t := range plan.Tables {
		of.Tables[t.ID] = t.Current
	}
	for shard := 1; shard <= plan.Shards; shard++ {
		path := filepath.Join(dir, plan.Name(shard))
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			if err := r.to.Gap(Gap{Name: path, Err: ErrShard}); err != nil {
				return err
			}
			continue
		}
		part := *of
		part.First = plan.Rows(shard).First
		if err := r.file(path, &part); err != nil {
			return err
		}
	}
	return nil
}

// read adds the size of a file to the progress after it was read.
func (r *reading) read(path string) {
	if info, err := os.Stat(path); err == nil {
		r.done += info.Size()
	}
	r.to.Progress(r.done, r.all)
}

func (r *reading) id(id string) error {
	var record *snapshot.Record
	var err error
	if strings.HasPrefix(id, "cx_e1_") {
		record, err = snapshot.ReadEmbedded(id)
	} else {
		record, err = snapshot.NewFile(r.options.Data, nil).Record(r.ctx, id)
		if errors.Is(err, snapshot.ErrNotFound) || errors.Is(err, snapshot.ErrUnavailable) {
			return &InputError{id, err}
		}
	}
	return r.snapshot(id, record, err)
}

func (r *reading) snapshot(name string, s *snapshot.Record, err error) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if err != nil {
		return r.to.Gap(Gap{Name: name, Count: 1, Err: err})
	}
	answer, err := readAnswer(s.Result)
	if err != nil {
		return r.to.Gap(Gap{Name: name, Count: 1, Err: err})
	}
	return r.to.Calculation(&Calculation{
		Name: name, Release: Release{Capability: s.CapabilityID, Version: s.Version, Engine: s.EngineDigest},
		Bytes: len(s.Inputs) + len(answer.Result), sent: s.Inputs, answered: answer.Result,
	})
}

// without reports a gap for a record without a single result: of lost records, or of a batch.
func (r *reading) without(name string, k record.Kind, lost, rows uint64) error {
	if k == record.Lost {
		return r.to.Gap(Gap{Name: name, Count: lost, Err: ErrLost})
	}
	return r.to.Gap(Gap{Name: name, Count: rows - min(rows, record.OwnRows), Err: ErrUnnamed})
}

func releaseOf(r *record.Release) Release {
	return Release{Capability: r.Capability, Version: r.Version, Digest: r.Digest, Engine: r.Engine, Platform: r.Platform}
}

// ledger reads the records of a ledger.
func (r *reading) ledger(dir string) error {
	const every = 1 << 12 // records
	before := r.done
	var last *ledger.Segment
	segments, err := ledger.Read(dir, func(s *ledger.Segment, leaf uint64, one *record.Record) error {
		if last != s {
			if last != nil {
				before += last.Size
			}
			last = s
		}
		if leaf%every == 0 {
			if err := r.ctx.Err(); err != nil {
				return err
			}
			r.to.Progress(before+s.Size, r.all)
		}
		name, of := s.Place(leaf), one.Release
		if one.Kind != record.Answer {
			return r.without(name, one.Kind, one.Count, one.Rows)
		}
		return r.to.Calculation(&Calculation{
			Name: name, Release: releaseOf(of),
			Hashed: one.Hash != nil, Bytes: 64 * (len(one.Inputs) + len(one.Outcome.Result)), inputs: one.Inputs, outcome: one.Outcome,
		})
	})
	if err != nil {
		return err
	}
	for _, s := range segments {
		r.done += s.Size
		if s.Problem != nil {
			if err := r.to.Gap(Gap{Name: s.Name(), Err: s.Problem}); err != nil {
				return err
			}
		}
	}
	r.to.Progress(r.done, r.all)
	return nil
}
