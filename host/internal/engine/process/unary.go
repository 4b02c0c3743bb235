package process

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// maxUsual is the size, in bytes, that an answer by gRPC may have at first. The server must acquire
// memory for the largest allowed message before the call, because gRPC reads a message as a whole.
// If an answer turns out to be larger, the call is made again, and may then take the memory of the
// largest possible answer.
const maxUsual = 64 << 10

// Bounds on what gRPC itself buffers for one engine, in bytes. Few calls are under way at a
// time, and an engine sends no headers except a status.
const (
	grpcWindow  = 64 << 10
	grpcHeaders = 16 << 10
)

// call makes a call by gRPC and passes the answer to read. The bytes are valid until read returns.
// Most is the largest size of the answer in bytes. The error wraps ErrLost, ErrContract or ErrBusy,
// or read returned it.
func (p *Process) call(ctx context.Context, method string, request contract.Message, most int, read func([]byte) error) error {
	size := most
	if !p.large.Load() {
		size = min(most, maxUsual)
	}
	err := p.callWithin(ctx, method, request, size, read)
	if status.Code(err) == codes.ResourceExhausted && size < most {
		p.large.Store(true)
		err = p.callWithin(ctx, method, request, most, read)
	}
	return err
}

func (p *Process) callWithin(ctx context.Context, method string, request contract.Message, most int, read func([]byte) error) error {
	if err := p.connected(ctx); err != nil {
		return err
	}
	taken := 2 * int64(most) // gRPC has the message in pieces, and a copy in one piece
	if err := p.answers.share.acquireMessage(ctx, taken); err != nil {
		return err
	}
	defer p.answers.share.releaseMessage(taken)
	in := &contract.Incoming{Read: read}
	if err := p.invoke(ctx, method, request, most, in); err != nil {
		return callError(ctx, err)
	}
	return in.Err
}

// connected waits for the gRPC connection of a process that answers on its stream already.
func (p *Process) connected(ctx context.Context) error {
	select {
	case <-p.introduced:
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ErrLost, ctx.Err())
	}
	if p.fault != nil {
		return fmt.Errorf("%w: %w", ErrLost, p.fault)
	}
	return nil
}

// invoke sends a request and receives an answer of at most the given size in bytes. It acquires no
// memory.
func (p *Process) invoke(ctx context.Context, method string, request contract.Message, most int, in *contract.Incoming) error {
	return p.conn.Invoke(ctx, "/"+contract.Service+"/"+method, request, in,
		grpc.ForceCodecV2(contract.Codec{}), grpc.MaxCallRecvMsgSize(most))
}

// callError returns a gRPC error as one that wraps ErrLost or ErrContract.
func callError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %w", ErrLost, ctx.Err())
	}
	switch status.Code(err) {
	case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled:
		return fmt.Errorf("%w: %w", ErrLost, err)
	}
	return fmt.Errorf("%w: %w", ErrContract, &shortError{err})
}

// describe asks the engine for its Spec and its features, and for its vectors if they are needed.
func (p *Process) describe(ctx context.Context, withoutVectors bool) (d contract.Description, err error) {
	in := &contract.Incoming{Read: func(b []byte) (err error) {
		d, err = contract.DecodeDescription(b)
		return err
	}}
	err = p.invoke(ctx, contract.Describe, contract.AppendDescribeRequest(nil, withoutVectors), contract.MaxAnswer, in)
	if err == nil {
		err = in.Err
	}
	if err != nil {
		return d, fmt.Errorf("describe: %w", err)
	}
	return d, nil
}

// calculateUnary is CalculateWithin by gRPC.
func (p *Process) calculateUnary(ctx context.Context, limit time.Duration, in value.Values) (o sdk.Outcome, err error) {
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	c := contract.Call{ID: p.lastID.Add(1), Timeout: timeLeft(ctx, 0), Request: requestOf(ctx, p.requestID), Inputs: in}
	if parent := traceparent(ctx); parent != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "traceparent", parent)
	}
	err = p.call(ctx, contract.Calculate, contract.AppendCall(nil, &c), p.needs.Call(in), func(b []byte) error {
		err := contract.CheckID(b, c.ID)
		if err == nil {
			o, err = p.answers.outcome(ctx, b)
		}
		return err
	})
	if err != nil {
		return sdk.Outcome{}, err
	}
	return o, nil
}

var _ sdk.Plotter = (*Process)(nil)

// Draw implements [sdk.Plotter]. Draw returns a plot that has been checked.
func (p *Process) Draw(ctx context.Context, plot string, in value.Values) (f *sdk.Figure, err error) {
	c := contract.Call{ID: p.lastID.Add(1), Timeout: timeLeft(ctx, 0), Request: requestOf(ctx, p.requestID), Inputs: in}
	err = p.call(ctx, contract.Draw, contract.AppendDrawRequest(nil, plot, &c), contract.MaxAnswer, func(b []byte) error {
		err := contract.CheckID(b, c.ID)
		if err == nil {
			f, err = p.answers.drawing(b)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}
