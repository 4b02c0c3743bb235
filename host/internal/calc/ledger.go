package calc

import (
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"runtime"
	"slices"
	"time"

	"github.com/slipstick/slipstick/host/internal/record"
	"github.com/slipstick/slipstick/sdk"
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
func (c *Catalog) recorded(r *Release) *record.Release {
	if known, ok := c.records.Load(r); ok {
		return known.(*record.Release)
	}
	made := record.NewRelease(record.Release{
		Capability: r.Capability, Version: r.Version, Digest: r.Digest, Engine: r.EngineDigest, Platform: runtime.GOOS + "/" + runtime.GOARCH,
	})
	known, _ := c.records.LoadOrStore(r, made)
	return known.(*record.Release)
}

// record records the outcome of a request, if there is a ledger.
func (s *Service) record(ctx context.Context, catalog *Catalog, req *Request, resolved *resolvedRequest, kept *computed, hit bool) Receipt {
	if s.options.Ledger == nil {
		return Receipt{}
	}
	call := req.Call
	if call == "" {
		call = callOf(ctx)
	}
	return s.options.Ledger.Record(record.Record{
		Kind: record.Answer, Time: time.Now(), Request: call, Kept: hit, Release: catalog.recorded(resolved.release),
		Inputs: resolved.inputs, Outcome: outcomeOf(kept.outcome.Result, kept.rejection),
	})
}

func outcomeOf(result value.Values, rejection *sdk.Error) record.Outcome {
	if rejection != nil {
		return record.Outcome{Code: rejection.Code, Field: rejection.Field}
	}
	return record.Outcome{Result: result}
}

// recordedRows is how many rows of a batch have records of their own. A batch with more has one
// for all of it, too.
const recordedRows = 1000

// rowRecords are the records of the rows of one batch, in their order. The zero value is of a
// service without a ledger.
type rowRecords struct {
	ledger   Ledger
	call     string
	catalog  *Catalog
	rows     uint64
	text     hash.Hash
	outcomes hash.Hash
	releases []*Release
	scratch  []byte
}

func (s *Service) newRowRecords(ctx context.Context) rowRecords {
	if s.options.Ledger == nil {
		return rowRecords{}
	}
	return rowRecords{ledger: s.options.Ledger, call: callOf(ctx), catalog: s.Catalog(), text: sha256.New(), outcomes: sha256.New()}
}

// add adds rows whose answers were written.
func (n *rowRecords) add(j *job, from, to int) {
	if n.ledger == nil {
		return
	}
	n.scratch = n.scratch[:0]
	for i := from; i < to; i++ {
		n.scratch = append(append(n.scratch, j.rowText(i)...), '\n')
	}
	n.text.Write(n.scratch)
	n.scratch = n.scratch[:0]
	now := time.Now()
	for i := from; i < to; i++ {
		n.rows++
		var o record.Outcome
		switch t := &j.tasks[i]; {
		case t.problem != nil:
			o = record.Outcome{Code: t.problem.Code, Field: t.problem.Field}
		default:
			g := &j.groups[t.group]
			result := &g.results[t.index]
			var answered bool
			if o, answered = n.outcome(result.Outcome.Result, result.Err); answered {
				n.row(g.release, now, g.rows[t.index], o)
			}
		}
		n.scratch = record.AppendOutcome(n.scratch, o)
	}
	n.outcomes.Write(n.scratch)
}

// outcome returns the outcome of a row, and whether the release has answered it. A failure is not
// an answer.
func (n *rowRecords) outcome(result value.Values, err error) (o record.Outcome, answered bool) {
	if err == nil {
		return record.Outcome{Result: result}, true
	}
	p := ProblemOf(err)
	return record.Outcome{Code: p.Code, Field: p.Field}, p.Rejected
}

// row records the row that was counted last.
func (n *rowRecords) row(r *Release, now time.Time, inputs value.Values, o record.Outcome) {
	if len(n.releases) == 0 || n.releases[len(n.releases)-1] != r && !slices.Contains(n.releases, r) {
		n.releases = append(n.releases, r)
	}
	if n.rows <= recordedRows {
		n.ledger.Record(record.Record{
			Kind: record.Answer, Time: now, Request: n.call, Row: n.rows, Release: n.catalog.recorded(r), Inputs: inputs, Outcome: o,
		})
	}
}

// one adds a row of which only the outcome is recorded.
func (n *rowRecords) one(r *Release, inputs value.Values, result value.Values, err error) {
	if n.ledger == nil {
		return
	}
	n.rows++
	if o, answered := n.outcome(result, err); answered {
		n.row(r, time.Now(), inputs, o)
	}
}

// end records a batch with more rows than have records of their own.
func (n *rowRecords) end() {
	if n.ledger == nil || n.rows <= recordedRows {
		return
	}
	r := record.Record{Kind: record.Batch, Time: time.Now(), Request: n.call, Rows: n.rows}
	for _, release := range n.releases {
		r.Releases = append(r.Releases, n.catalog.recorded(release))
	}
	n.text.Sum(r.Text[:0])
	n.outcomes.Sum(r.Outcomes[:0])
	n.ledger.Record(r)
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
