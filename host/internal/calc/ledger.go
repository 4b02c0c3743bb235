package calc

import (
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"runtime"
	"slices"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// Ledger keeps records of answers. Nobody waits for it.
type Ledger interface {
	// Record takes a record, and returns the zero Receipt if it is lost. It does not keep the
	// values of the record.
	Record(record.Record) Receipt
}

// Receipt names a record. The zero Receipt names none.
type Receipt = record.Receipt

type callKey struct{}

// WithCall returns a context of which the ledger knows the id of the call.
func WithCall(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, callKey{}, id)
}

func callOf(ctx context.Context) string {
	id, _ := ctx.Value(callKey{}).(string)
	return id
}

// recorded returns the release as records name it.
func recorded(r *Release) *record.Release {
	return record.NewRelease(record.Release{
		Capability: r.Capability, Version: r.Version, Digest: r.Digest, Engine: r.EngineDigest, Platform: runtime.GOOS + "/" + runtime.GOARCH,
	})
}

// record records the outcome of a request, if there is a ledger.
func (s *Service) record(ctx context.Context, common *common, req *Request, resolved *resolvedRequest, kept *computed, hit bool) Receipt {
	if s.options.Ledger == nil {
		return Receipt{}
	}
	call := req.Call
	if call == "" {
		call = callOf(ctx)
	}
	at := req.Received // to ask for the time again would cost as much as half of the rest
	if at.IsZero() {
		at = time.Now()
	}
	return s.options.Ledger.Record(record.Record{
		Kind: record.Answer, Time: at, Request: call, Kept: hit, Release: common.recorded,
		Inputs: resolved.inputs, Outcome: outcomeOf(kept.outcome.Result, kept.rejection),
	})
}

func outcomeOf(result value.Values, rejection *sdk.Error) record.Outcome {
	if rejection != nil {
		return record.Outcome{Code: rejection.Code, Field: rejection.Field}
	}
	return record.Outcome{Result: result}
}

// rowRecords are the records of the rows of one batch, in their order. The zero value makes none.
type rowRecords struct {
	ledger   Ledger // may be nil
	call     string
	catalog  *Catalog
	terms    record.Terms
	rows     uint64
	text     hash.Hash // nil: there is no record of the whole
	outcomes hash.Hash
	missed   []record.Span
	releases []*Release
	tables   []*Release
	scratch  []byte
}

func (s *Service) newRowRecords(ctx context.Context) (n rowRecords) {
	n.catalog = s.Catalog()
	if n.ledger = s.options.Ledger; n.ledger != nil {
		n.call = callOf(ctx)
		n.make()
	}
	return n
}

// make makes a record of the whole batch.
func (n *rowRecords) make() { n.text, n.outcomes = sha256.New(), sha256.New() }

// add adds rows whose answers were written.
func (n *rowRecords) add(j *job, from, to int) {
	if n.text == nil {
		return
	}
	n.scratch = n.scratch[:0]
	for i := from; i < to; i++ {
		n.scratch = append(append(n.scratch, j.rowText(i)...), '\n')
	}
	n.text.Write(n.scratch)
	n.scratch = n.scratch[:0]
	for i := from; i < to; i++ {
		switch t := &j.tasks[i]; {
		case t.problem != nil:
			n.outcome(nil, t.problem)
		default:
			g := &j.groups[t.group]
			result := &g.results[t.index]
			if n.computed(g.release, result); t.presets != nil {
				n.from(t.presets)
			}
		}
	}
	n.outcomes.Write(n.scratch)
}

// computed adds the outcome of the next row, which was sent to an engine.
func (n *rowRecords) computed(r *Release, result *response.Result) {
	if result.Err == nil {
		n.by(r)
		n.outcome(result.Outcome.Result, nil)
		return
	}
	p := ProblemOf(result.Err)
	if p.Rejected {
		n.by(r)
	}
	n.outcome(nil, p)
}

// outcome adds the outcome of the next row. What is no outcome of the row itself is missed.
func (n *rowRecords) outcome(result value.Values, p *Problem) {
	row, last := n.rows, len(n.missed)-1
	n.rows++
	switch {
	case len(n.missed) == record.MaxMissed || p.passing() && last >= 0 && n.missed[last].First+n.missed[last].Count == row:
		n.missed[last].Count = n.rows - n.missed[last].First
	case p.passing():
		n.missed = append(n.missed, record.Span{First: row, Count: 1})
	case p != nil:
		n.scratch = record.AppendOutcome(n.scratch, record.Outcome{Code: p.Code, Field: p.Field})
	default:
		n.scratch = record.AppendOutcome(n.scratch, record.Outcome{Result: result})
	}
}

// by notes that the release has answered a row.
func (n *rowRecords) by(r *Release) { n.releases = withRelease(n.releases, r) }

// from notes the tables that have given numbers of a row.
func (n *rowRecords) from(p *presets) {
	for i := range p.used {
		if r := n.catalog.KnownTable(p.used[i].Table, p.used[i].Version); r != nil {
			n.tables = withRelease(n.tables, r)
		}
	}
}

// withRelease returns the list with the release.
func withRelease(list []*Release, r *Release) []*Release {
	if len(list) > 0 && list[len(list)-1] == r || slices.Contains(list, r) {
		return list
	}
	return append(list, r)
}

// rowOutcome returns the outcome of a row, and whether the release has answered it. A failure is
// not an answer.
func rowOutcome(result value.Values, err error) (o record.Outcome, answered bool) {
	if err == nil {
		return record.Outcome{Result: result}, true
	}
	p := ProblemOf(err)
	return record.Outcome{Code: p.Code, Field: p.Field}, p.Rejected
}

// row records a row, if it has a record of its own: the nth, from 1. It can be called for several
// rows at a time.
func (n *rowRecords) row(r *Release, nth uint64, inputs value.Values, result value.Values, err error) Receipt {
	if n.ledger == nil || nth > record.OwnRows {
		return Receipt{}
	}
	o, answered := rowOutcome(result, err)
	if !answered {
		return Receipt{}
	}
	return n.ledger.Record(record.Record{
		Kind: record.Answer, Time: time.Now(), Request: n.call, Row: nth, Release: n.catalog.common(r).recorded, Inputs: inputs, Outcome: o,
	})
}

// series adds the computed rows of a series.
func (n *rowRecords) series(g *group) {
	if n.text == nil {
		return
	}
	n.scratch = n.scratch[:0]
	for i := range g.results {
		result := &g.results[i]
		n.computed(g.release, result)
		n.row(g.release, n.rows, g.rows[i], result.Outcome.Result, result.Err)
	}
	n.outcomes.Write(n.scratch)
}

// end returns the record of the whole batch, nil if there is none.
func (n *rowRecords) end() *record.Record {
	if n.text == nil {
		return nil
	}
	r := &record.Record{Kind: record.Batch, Time: time.Now(), Request: n.call, Rows: n.rows, Terms: n.terms, Missed: n.missed}
	for _, release := range n.releases {
		r.Releases = append(r.Releases, n.catalog.common(release).recorded)
	}
	for _, table := range n.tables {
		r.Tables = append(r.Tables, recorded(table))
	}
	n.text.Sum(r.Text[:0])
	n.outcomes.Sum(r.Outcomes[:0])
	return r
}

// keep records a batch with more rows than have records of their own.
func (n *rowRecords) keep(whole *record.Record) Receipt {
	if n.ledger == nil || whole == nil || whole.Rows <= record.OwnRows {
		return Receipt{}
	}
	return n.ledger.Record(*whole)
}

// errOtherInputs means that a record is not of the release that it names.
var errOtherInputs = errors.New("the record has another number of inputs than its release")

// Recompute computes with the release from typed inputs, as a record has them, and does not look
// whether that was done before. The error is no rejection: that is an outcome.
func (s *Service) Recompute(ctx context.Context, r *Release, inputs value.Values) (record.Outcome, error) {
	if len(inputs) != len(r.Spec.Inputs) {
		return record.Outcome{}, errOtherInputs
	}
	c, err := s.ask(ctx, r, inputs)
	if err != nil {
		return record.Outcome{}, ProblemOf(err)
	}
	return outcomeOf(c.outcome.Result, c.rejection), nil
}

// Recomputed is the outcome of one of many inputs. Err says why there is none.
type Recomputed struct {
	Outcome record.Outcome
	Err     error
}

// RecomputeAll is Recompute for many inputs, which are sent to the engine as the rows of a batch
// are.
func (s *Service) RecomputeAll(ctx context.Context, r *Release, rows []value.Values) ([]Recomputed, error) {
	g := group{release: r, rows: rows, size: s.current().batchSize(r)}
	for len(g.results) < len(rows) && ctx.Err() == nil {
		s.computeNext(ctx, &g)
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	list := make([]Recomputed, len(rows))
	for i := range g.results {
		result := &g.results[i]
		o, answered := rowOutcome(result.Outcome.Result, result.Err)
		if list[i].Outcome = o; !answered {
			list[i].Err = ProblemOf(result.Err)
		}
	}
	return list, nil
}
