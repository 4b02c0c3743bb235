package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire/enginepb"
)

// MaxRows bounds one batch.
const MaxRows = 4096

// CalculateBatch computes one outcome per row of inputs; a row holds one Value per
// input of the Spec. Rows cross to an engine that serves the lane as columns. The
// error is that of the whole batch and wraps ErrLost or ErrContract; then no row has
// an answer. The limit is as for CalculateWithin.
func (p *Process) CalculateBatch(ctx context.Context, limit time.Duration, rows []sdk.Values) ([]sdk.Result, error) {
	if len(rows) > MaxRows {
		return nil, fmt.Errorf("batch of %d rows: at most %d", len(rows), MaxRows)
	}
	if p.lane == nil || len(rows) == 0 {
		return p.calculateEach(ctx, limit, rows)
	}
	return p.lane.calculateBatch(ctx, limit, rows)
}

// unaryAtOnce is how many calls of a batch an engine without a lane has at a time.
const unaryAtOnce = 16

// calculateEach makes one call per row.
func (p *Process) calculateEach(ctx context.Context, limit time.Duration, rows []sdk.Values) ([]sdk.Result, error) {
	results := make([]sdk.Result, len(rows))
	turns := make(chan struct{}, unaryAtOnce)
	var wg sync.WaitGroup
	for i, row := range rows {
		turns <- struct{}{}
		wg.Go(func() {
			defer func() { <-turns }()
			results[i].Outcome, results[i].Err = p.CalculateWithin(ctx, limit, row)
		})
	}
	wg.Wait()
	for _, r := range results {
		if errors.Is(r.Err, ErrLost) || errors.Is(r.Err, ErrContract) {
			return nil, r.Err
		}
	}
	return results, nil
}

func (l *lane) calculateBatch(ctx context.Context, limit time.Duration, rows []sdk.Values) ([]sdk.Result, error) {
	batch := &enginepb.Batch{
		TimeoutNanos: int64(timeLeft(ctx, limit)), Rows: uint32(len(rows)), Traceparent: traceparent(ctx),
		Inputs: toColumns(rows, len(l.spec.Inputs)),
	}
	var failed error
	body, err := l.ask(ctx, limit, l.needs.batch(rows), frameBatch, frameBatchOutcome, func(b []byte, id uint64) []byte {
		batch.Id = id
		b, failed = proto.MarshalOptions{}.MarshalAppend(b, batch)
		return b
	})
	if err != nil || failed != nil {
		return nil, cmp.Or(failed, err)
	}
	defer l.putBody(body)
	return l.answers.batch(ctx, body.bytes, rows)
}

// batch appends the answer to a batch, in the engine.
func (s *laneServer) batch(body []byte) error {
	batch := new(enginepb.Batch)
	if err := proto.Unmarshal(body, batch); err != nil {
		return err
	}
	ctx := newCallContext(time.Duration(batch.GetTimeoutNanos()), batch.GetTraceparent())
	o := s.computeBatch(ctx, batch)
	ctx.end(context.Canceled)
	o.Id = batch.GetId()
	message, err := proto.Marshal(o)
	if err != nil {
		message, err = proto.Marshal(&enginepb.BatchOutcome{Id: o.GetId(), Failure: err.Error()})
	}
	s.out = appendFrame(s.out, frameBatchOutcome, func(b []byte) []byte { return append(b, message...) })
	return err
}

func (s *laneServer) computeBatch(ctx context.Context, batch *enginepb.Batch) *enginepb.BatchOutcome {
	n := int(batch.GetRows())
	if n == 0 || n > MaxRows {
		return &enginepb.BatchOutcome{Failure: fmt.Sprintf("a batch of %d rows", n)}
	}
	inputs, err := fromColumns(batch.GetInputs(), n, len(s.spec.Inputs))
	if err != nil {
		return &enginepb.BatchOutcome{Failure: "batch: " + err.Error()}
	}
	reply := new(enginepb.BatchOutcome)
	results, echoes := make([]sdk.Values, n), make([]sdk.Values, n)
	formulas := make([]sdk.Values, n)
	empty := make(sdk.Values, len(s.spec.Outputs))
	for i := range n {
		o, err := s.engine.Calculate(ctx, inputs.row(i))
		if err != nil || len(o.Result) != len(empty) || len(o.Inputs) != inputs.fields {
			reply.Faults = append(reply.Faults, toFault(i, err))
			results[i], echoes[i], formulas[i] = empty, inputs.row(i), sdk.Values{sdk.TextOf("")}
			continue
		}
		results[i], echoes[i], formulas[i] = o.Result, o.Inputs, sdk.Values{sdk.TextOf(o.Formula)}
		if len(o.Assumptions)+len(o.Warnings) > 0 {
			reply.Notes = append(reply.Notes, &enginepb.RowNotes{Row: uint32(i), Assumptions: o.Assumptions, Warnings: toWarnings(o.Warnings)})
		}
	}
	reply.Result = toColumns(results, len(s.spec.Outputs))
	reply.Inputs = changedColumns(echoes, inputs)
	reply.Formula = toColumn(formulas, 0)
	return reply
}

func toFault(row int, err error) *enginepb.RowFault {
	f := &enginepb.RowFault{Row: uint32(row)}
	var rejection *sdk.Error
	switch {
	case errors.As(err, &rejection) && rejection != nil:
		f.Fault = &enginepb.RowFault_Rejection{Rejection: toRejection(rejection)}
	case err != nil:
		f.Fault = &enginepb.RowFault_Failure{Failure: err.Error()}
	default:
		f.Fault = &enginepb.RowFault_Failure{Failure: "the outcome does not have the fields of the spec"}
	}
	return f
}

// changedColumns returns the echoed inputs, where they differ from those sent.
func changedColumns(echoes []sdk.Values, sent table) []*enginepb.Column {
	columns := make([]*enginepb.Column, sent.fields)
	for f := range columns {
		columns[f] = &enginepb.Column{Unchanged: true}
		for i, echo := range echoes {
			if !echo[f].Equal(sent.row(i)[f]) {
				columns[f] = toColumn(echoes, f)
				break
			}
		}
	}
	return columns
}
