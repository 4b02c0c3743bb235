// Package stored answers one question: which calculations were kept, in ledgers, snapshots,
// answers of batches and what was exported of ledgers? It reads them one after the other, whatever their number is, and judges
// nothing.
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

// Release is what is said to have computed a calculation. Everything but the first two may be "".
type Release struct {
	Capability, Version string
	Digest              string // of the manifest
	Engine              string // digest of the engine
	Platform            string
	Form                table.Form // of the results that were kept
}

// Calculation is one that was kept.
type Calculation struct {
	Name    string // where it is: SEGMENT/LEAF of a ledger, FILE:LINE, FILE:ROW, or the id of a snapshot
	Release Release
	Hashed  bool // the inputs were not kept, only their hash
	Bytes   int  // that it takes, about

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

// Values returns inputs and outcome as typed values of the release that computed, results in the form
// that they were kept in. The error says what is not of that release, or is as from
// [table.Answers.Read].
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

// Gap is what was kept and cannot be read, or was never kept.
type Gap struct {
	Name  string
	Count uint64 // of calculations; 0 if nobody knows
	Err   error
}

// Reasons of gaps.
var (
	ErrLost     = errors.New("the ledger says that these records were lost")
	ErrUnnamed  = errors.New("rows of a batch that is recorded as a whole: replay its answers")
	ErrRefusal  = errors.New("an answer that refuses does not repeat its inputs: replay the ledger")
	ErrNoAnswer = errors.New("no whole answer: ask for output=attributed")
	ErrShard    = errors.New("the shard is not computed")
	ErrRow      = errors.New("the row is too long, or not written as it must be")
)

// Reader gets what is read, in order. Its functions may end the reading with an error.
type Reader interface {
	Calculation(c *Calculation) error
	Gap(Gap) error
	// Progress is told how many bytes of how many were read.
	Progress(done, all int64)
}

// Options of Read. The zero value is usable, but for tables.
type Options struct {
	Data    string           // data directory with the snapshots of short ids
	Of      *table.Origin    // of tables that do not say what computed them
	Catalog *catalog.Catalog // with the releases that computed tables
}

// InputError says what is wrong with a target on the command line.
type InputError struct {
	Target string
	Err    error
}

func (e *InputError) Error() string { return e.Target + ": " + e.Err.Error() }

// Unwrap returns what is wrong.
func (e *InputError) Unwrap() error { return e.Err }

var errNoData = errors.New("there is neither such a file or directory nor a snapshot with this id (cx_...)")

// Read reads targets: the directory of a ledger, the data directory of a host with its snapshots,
// files of snapshots, of answers of batches (NDJSON, CSV, Parquet, Arrow) and of records that were
// exported (NDJSON, Parquet, Arrow), directories of such, and ids of snapshots. The error is an [*InputError], or that of the reader or the context.
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

// sizeOf is how many bytes there are to be read, about.
func sizeOf(target string) (size int64) {
	if info, err := os.Stat(filepath.Join(target, snapshot.FileName)); err == nil {
		return info.Size()
	}
	_ = filepath.WalkDir(target, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read is said later
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

// dir reads a ledger, a data directory, or files.
func (r *reading) dir(dir string) error {
	if ledger.In(dir) {
		return r.ledger(dir)
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

// shards reads the answers of the shards of a plan, which says what computed them. That all are there is
// not looked at.
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

// read notes that a file was read.
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

// without tells of a record that is of no single answer: of records that were lost, or of a batch.
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
