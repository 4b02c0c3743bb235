package wire

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"time"

	"google.golang.org/grpc/metadata"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/wire/contract"
	"github.com/slipstick/slipstick/sdk/wire/socket"
)

// streamServer is the engine's end of the stream. One goroutine reads, computes and writes,
// one call after the other, so a single call wakes nothing else in the process. If one call
// takes long, the server makes other calls by gRPC. So calls on the stream need not be
// concurrent.
type streamServer struct {
	compute func(context.Context, value.Values) (*sdk.Outcome, error) // see [computing]
	spec    sdk.Spec
	in      *bufio.Reader
	conn    conn
	monitor *monitor
	out     []byte        // answers to frames that arrived together; they are written together
	started time.Time     // when the first of these frames was read
	calls   int           // rows computed since memory was returned
	asked   contract.Call // the present call; its memory is used for the next one

	rows *rowServer // for batches; nil before the first
}

// conn is the engine's end of the socket.
type conn interface {
	io.ReadWriteCloser
	SetReadDeadline(time.Time) error
}

// offeredStream returns the stream that the server offers, or nil if it offers none.
func offeredStream() (conn, error) {
	offered := os.Getenv(contract.StreamVariable)
	if offered == "" {
		return nil, nil
	}
	fd, err := strconv.ParseUint(offered, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("%s=%q is not a descriptor", contract.StreamVariable, offered)
	}
	stream, err := socket.New(int(fd))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", contract.StreamVariable, err)
	}
	return stream, nil
}

func newStreamServer(engine sdk.Engine, stream conn) *streamServer {
	m, spec := &monitor{conn: stream}, engine.Spec()
	return &streamServer{
		compute: computing(engine), spec: spec, asked: contract.Call{Inputs: make(value.Values, 0, len(spec.Inputs))},
		in: bufio.NewReaderSize(m, contract.ReadBuffer), conn: stream, monitor: m,
	}
}

// serve answers calls until the stream ends.
func (s *streamServer) serve() {
	defer s.conn.Close()
	for {
		kind, body, err := readFrame(s.in)
		if err != nil {
			return
		}
		if len(s.out) == 0 {
			s.started = time.Now()
		}
		if err := s.answer(kind, body); err != nil {
			return
		}
		if contract.FrameReady(s.in) && len(s.out) < contract.KeepBuffer && time.Since(s.started) < keepAnswer {
			continue
		}
		if _, err := s.conn.Write(s.out); err != nil {
			return
		}
		s.out = s.out[:0]
		if cap(s.out) > contract.KeepBuffer {
			s.out = nil
		}
	}
}

// readFrame reads one frame. A body that fits the reader's buffer is valid until the next
// read. A larger body gets memory of its own.
func readFrame(r *bufio.Reader) (kind byte, body []byte, err error) {
	kind, n, err := contract.ReadHeader(r)
	if err != nil {
		return kind, nil, err
	}
	if n <= r.Size() {
		body, err = r.Peek(n)
		if err == nil {
			_, _ = r.Discard(n) // cannot fail after Peek; the bytes are valid until the next read
		}
		return kind, body, err
	}
	body = make([]byte, n)
	_, err = io.ReadFull(r, body)
	return kind, body, err
}

// keepAnswer bounds how long an answer waits to be written together with others.
const keepAnswer = 100 * time.Microsecond

// answer appends the answer to one frame. The error means that the server breaks the contract.
func (s *streamServer) answer(kind byte, body []byte) error {
	var err error
	switch kind {
	case contract.FrameCall:
		err = s.call(body)
	case contract.FrameBatch:
		s.batch(body)
	case contract.FramePing:
		var id uint64
		id, err = contract.DecodeID(body)
		s.rest()
		s.out = contract.AppendFrame(s.out, contract.FramePong, func(b []byte) []byte { return contract.AppendID(b, id) })
	default: // of a later contract
	}
	return err
}

func (s *streamServer) call(body []byte) error {
	c := &s.asked
	if err := c.Decode(body, &s.spec); err != nil {
		return err
	}
	s.monitor.keepAwake()
	s.calls++
	ctx := newCallContext(c.Timeout, c.Trace, &c.Request)
	o, err := s.compute(ctx, c.Inputs)
	ctx.end(context.Canceled)
	s.out = contract.AppendFrame(s.out, contract.FrameOutcome, func(b []byte) []byte { return contract.AppendOutcome(b, c.ID, o, err) })
	return nil
}

// computing returns a function that computes as the engine does, and reuses its memory if the
// engine can. The outcome is valid until the next call.
func computing(engine sdk.Engine) func(context.Context, value.Values) (*sdk.Outcome, error) {
	if repeater, ok := engine.(sdk.Repeater); ok {
		return repeater.Repeat()
	}
	return func(ctx context.Context, in value.Values) (*sdk.Outcome, error) {
		o, err := engine.Calculate(ctx, slices.Clone(in)) // the engine may keep its inputs
		return &o, err
	}
}

// newCallContext returns the context of a call on the stream. It uses the id until it ends.
func newCallContext(timeout time.Duration, trace string, request *contract.RequestID) *callContext {
	c := &callContext{Context: context.Background(), request: request}
	if trace != "" {
		c.Context = metadata.NewIncomingContext(c.Context, metadata.Pairs("traceparent", trace))
	}
	if timeout > 0 {
		c.deadline = time.Now().Add(timeout)
	}
	return c
}
