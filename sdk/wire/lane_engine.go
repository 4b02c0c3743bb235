package wire

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"time"

	"google.golang.org/grpc/metadata"

	"github.com/slipstick/slipstick/sdk"
)

// laneServer is the engine's end of the lane: one thread that reads, computes and
// writes, in turn, and waits in the system rather than in Go's scheduler. A call that
// comes alone so costs two system calls and no wake-up within the process. When one
// takes long the host makes the others by gRPC meanwhile, so nothing here has to.
type laneServer struct {
	engine sdk.Engine
	spec   sdk.Spec
	in     *bufio.Reader
	file   io.ReadWriteCloser
	out    []byte    // answers to frames that came together leave together
	begun  time.Time // when the first of them did
}

// offeredLane returns the lane that the host offers, nil if it offers none.
func offeredLane() (io.ReadWriteCloser, error) {
	offered := os.Getenv(laneVariable)
	if offered == "" {
		return nil, nil
	}
	fd, err := strconv.ParseUint(offered, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("%s=%q is no descriptor", laneVariable, offered)
	}
	lane, err := blockingFile(int(fd))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", laneVariable, err)
	}
	return lane, nil
}

func newLaneServer(engine sdk.Engine, lane io.ReadWriteCloser) *laneServer {
	return &laneServer{engine: engine, spec: engine.Spec(), in: bufio.NewReaderSize(lane, readBuffer), file: lane}
}

// serve answers until the lane ends.
func (s *laneServer) serve() {
	runtime.LockOSThread()
	defer s.file.Close()
	for {
		kind, body, err := readFrame(s.in)
		if err != nil {
			return
		}
		if len(s.out) == 0 {
			s.begun = time.Now()
		}
		if err := s.answer(kind, body); err != nil {
			return
		}
		if frameReady(s.in) && len(s.out) < keepBuffer && time.Since(s.begun) < keepAnswer {
			continue
		}
		if _, err := s.file.Write(s.out); err != nil {
			return
		}
		if s.out = s.out[:0]; cap(s.out) > keepBuffer {
			s.out = nil
		}
	}
}

// keepAnswer is how long an answer may wait for others to leave with.
const keepAnswer = 100 * time.Microsecond

// answer appends the answer to one frame. An error means that the host does not speak
// the contract.
func (s *laneServer) answer(kind byte, body []byte) error {
	var err error
	switch kind {
	case frameCall:
		err = s.call(body)
	case frameBatch:
		err = s.batch(body)
	case framePing:
		var id uint64
		id, err = decodeID(body)
		s.out = appendFrame(s.out, framePong, func(b []byte) []byte { return appendUint(b, callID, id) })
	default: // of a later contract
	}
	return err
}

func (s *laneServer) call(body []byte) error {
	c, err := decodeCall(body, &s.spec)
	if err != nil {
		return err
	}
	ctx := newCallContext(c.timeout, c.trace)
	o, err := s.engine.Calculate(ctx, c.inputs)
	ctx.end(context.Canceled)
	s.out = appendFrame(s.out, frameOutcome, func(b []byte) []byte { return appendOutcome(b, c.id, &o, err) })
	return nil
}

// newCallContext returns the context of a call that came by the lane.
func newCallContext(timeout time.Duration, trace string) *callContext {
	c := &callContext{Context: context.Background()}
	if trace != "" {
		c.Context = metadata.NewIncomingContext(c.Context, metadata.Pairs("traceparent", trace))
	}
	if timeout > 0 {
		c.deadline = time.Now().Add(timeout)
	}
	return c
}
