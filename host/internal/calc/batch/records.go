package batch

import (
	"context"
	"crypto/sha256"
	"hash"
	"slices"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// rowRecords creates the records of the rows of a batch, in order. The zero value creates none.
type rowRecords struct {
	ledger   calc.Ledger // may be nil
	call     string
	from     *calc.Publication
	terms    record.Terms
	rows     uint64
	text     hash.Hash // nil: there is no record of the whole batch
	outcomes hash.Hash
	missed   []record.Span
	releases []*catalog.Release
	tables   []*catalog.Release
	scratch  []byte
}

func newRowRecords(ctx context.Context, s *calc.Service) (n rowRecords) {
	n.from = s.Published()
	n.ledger = s.Ledger()
	if n.ledger != nil {
		n.call = calc.CallOf(ctx)
		n.make()
	}
	return n
}

// make starts a record of the whole batch.
func (n *rowRecords) make() { n.text, n.outcomes = sha256.New(), sha256.New() }

// add adds rows after their answers were written.
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
			n.computed(g.engine.Release, result)
			if t.presets != nil {
				n.used(t.presets)
			}
		}
	}
	n.outcomes.Write(n.scratch)
}

// computed adds the outcome of the next row, which was sent to an engine.
func (n *rowRecords) computed(r *catalog.Release, result *response.Result) {
	if result.Err == nil {
		n.by(r)
		n.outcome(result.Outcome.Result, nil)
		return
	}
	p := problem.Of(result.Err)
	if p.Rejected {
		n.by(r)
	}
	n.outcome(nil, p)
}

// outcome adds the outcome of the next row. A row without its own outcome counts as missed.
func (n *rowRecords) outcome(result value.Values, p *problem.Problem) {
	row, last := n.rows, len(n.missed)-1
	n.rows++
	switch {
	case len(n.missed) == record.MaxMissed || p.Temporary() && last >= 0 && n.missed[last].First+n.missed[last].Count == row:
		n.missed[last].Count = n.rows - n.missed[last].First
	case p.Temporary():
		n.missed = append(n.missed, record.Span{First: row, Count: 1})
	case p != nil:
		n.scratch = record.AppendOutcome(n.scratch, record.Outcome{Code: p.Code, Field: p.Field})
	default:
		n.scratch = record.AppendOutcome(n.scratch, record.Outcome{Result: result})
	}
}

// by records that the release has answered a row.
func (n *rowRecords) by(r *catalog.Release) { n.releases = withRelease(n.releases, r) }

// used records the tables of the numbers in a row.
func (n *rowRecords) used(p *calc.Presets) {
	for i := range p.Used {
		if r := n.from.Catalog().KnownTable(p.Used[i].Table, p.Used[i].Version); r != nil {
			n.tables = withRelease(n.tables, r)
		}
	}
}

// withRelease returns the list with the release.
func withRelease(list []*catalog.Release, r *catalog.Release) []*catalog.Release {
	if len(list) > 0 && list[len(list)-1] == r || slices.Contains(list, r) {
		return list
	}
	return append(list, r)
}

// row creates the record of the nth row, counted from 1, if the row has its own record. It can be called
// for several rows at a time.
func (n *rowRecords) row(engine *calc.Engine, nth uint64, inputs value.Values, result value.Values, err error) calc.Receipt {
	if n.ledger == nil || nth > record.OwnRows {
		return calc.Receipt{}
	}
	o, answered := calc.RowOutcome(result, err)
	if !answered {
		return calc.Receipt{}
	}
	return n.ledger.Record(record.Record{
		Kind: record.Answer, Time: time.Now(), Request: n.call, Row: nth, Release: engine.Recorded, Inputs: inputs, Outcome: o,
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
		n.computed(g.engine.Release, result)
		n.row(g.engine, n.rows, g.rows[i], result.Outcome.Result, result.Err)
	}
	n.outcomes.Write(n.scratch)
}

// end returns the record of the whole batch, or nil if there is none.
func (n *rowRecords) end() *record.Record {
	if n.text == nil {
		return nil
	}
	r := &record.Record{Kind: record.Batch, Time: time.Now(), Request: n.call, Rows: n.rows, Terms: n.terms, Missed: n.missed}
	for _, release := range n.releases {
		r.Releases = append(r.Releases, n.from.Engine(release).Recorded)
	}
	for _, table := range n.tables {
		r.Tables = append(r.Tables, calc.Recorded(table))
	}
	n.text.Sum(r.Text[:0])
	n.outcomes.Sum(r.Outcomes[:0])
	return r
}

// keep records a batch with more rows than have their own records.
func (n *rowRecords) keep(whole *record.Record) calc.Receipt {
	if n.ledger == nil || whole == nil || whole.Rows <= record.OwnRows {
		return calc.Receipt{}
	}
	return n.ledger.Record(*whole)
}
