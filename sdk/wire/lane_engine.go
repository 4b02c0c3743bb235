package wire

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"time"

	"google.golang.org/grpc/metadata"

	"github.com/slipstick/slipstick/sdk"
)

// laneServer is the engine's end of the lane.
//
// Calls are computed where they are read, which saves a goroutine and a wake-up each.
// Behind every reader that begins to compute stands another goroutine, which the
// scheduler runs only when the first waits for something, has had its slice of time, or
// is done, and which reads on unless it is done.
type laneServer struct {
	engine sdk.Engine
	spec   sdk.Spec
	out    frameWriter

	reading sync.Mutex // held by the goroutine that reads
	in      *bufio.Reader

	mu       sync.Mutex          // guards what follows
	current  *running            // what the reader computes
	followed bool                // another goroutine stands behind the reader
	long     map[uint64]*running // calls that have handed the reading over
}

// running is a call that is being computed.
type running struct {
	callContext
	id     uint64
	handed bool // somebody else reads now
}

// offeredLane returns the lane that the host offers, nil if it offers none.
func offeredLane() (net.Conn, error) {
	offered := os.Getenv(laneVariable)
	if offered == "" {
		return nil, nil
	}
	fd, err := strconv.ParseUint(offered, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("%s=%q is no descriptor", laneVariable, offered)
	}
	file := os.NewFile(uintptr(fd), "lane")
	defer file.Close()
	conn, err := net.FileConn(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", laneVariable, err)
	}
	return conn, nil
}

func newLaneServer(engine sdk.Engine, conn net.Conn) *laneServer {
	s := &laneServer{engine: engine, spec: engine.Spec(), in: bufio.NewReaderSize(conn, readBuffer), long: map[uint64]*running{}}
	s.out.conn = conn
	return s
}

// serve reads and computes until the lane ends, or until a call took long and another
// goroutine reads instead.
func (s *laneServer) serve() {
	for {
		job, more, err := s.next()
		if err != nil {
			s.out.conn.Close()
			return
		}
		handed := false
		if job != nil {
			handed = s.run(job)
		}
		if handed || !more { // the outcomes of frames that came together leave together
			_ = s.out.flush()
		}
		if handed {
			return
		}
	}
}

// job computes one frame's answer and appends its message.
type job struct {
	*running
	answer byte // kind of the frame that answers it
	frame  func(b []byte) []byte
}

// next reads one frame. More says that another stands ready behind it. Frames that ask
// for no computing are dealt with here.
func (s *laneServer) next() (j *job, more bool, err error) {
	s.reading.Lock()
	defer s.reading.Unlock()
	kind, body, err := readFrame(s.in)
	if err != nil {
		return nil, false, err
	}
	switch kind {
	case frameCall:
		j, err = s.readCall(body)
	case frameBatch:
		j, err = s.readBatch(body)
	case framePing:
		id, bad := decodeID(body)
		s.out.queueFrame(framePong, func(b []byte) []byte { return appendUint(b, callID, id) })
		err = bad
	case frameLeave:
		id, bad := decodeID(body)
		s.leave(id)
		err = bad
	default: // of a later contract
	}
	return j, frameReady(s.in), err
}

func (s *laneServer) readCall(body []byte) (*job, error) {
	c, err := decodeCall(body, len(s.spec.Inputs))
	if err != nil {
		return nil, err
	}
	r := newRunning(c.id, c.timeout, c.trace)
	return &job{r, frameOutcome, func(b []byte) []byte {
		o, err := s.engine.Calculate(r, c.inputs)
		return appendOutcome(b, c.id, &o, err)
	}}, nil
}

func newRunning(id uint64, timeout time.Duration, trace string) *running {
	r := &running{id: id}
	r.Context = context.Background()
	if trace != "" {
		r.Context = metadata.NewIncomingContext(r.Context, metadata.Pairs("traceparent", trace))
	}
	if timeout > 0 {
		r.deadline = time.Now().Add(timeout)
	}
	return r
}

// run computes the job and queues its answer. It reports whether somebody else reads
// now.
func (s *laneServer) run(j *job) (handed bool) {
	s.mu.Lock()
	s.current = j.running
	follow := !s.followed
	s.followed = true
	s.mu.Unlock()
	if follow {
		go s.follow()
	}
	message := bodies.Get().(*[]byte)
	*message = j.frame((*message)[:0])
	s.mu.Lock()
	if handed = j.handed; handed {
		delete(s.long, j.id)
	} else {
		s.current = nil
	}
	s.mu.Unlock()
	j.end(context.Canceled)
	s.out.queueFrame(j.answer, func(b []byte) []byte { return append(b, *message...) })
	putBody(message)
	return handed
}

// follow reads on if the reader still computes.
func (s *laneServer) follow() {
	s.mu.Lock()
	s.followed = false
	r := s.current
	if r != nil {
		r.handed, s.long[r.id], s.current = true, r, nil
	}
	s.mu.Unlock()
	if r != nil {
		_ = s.out.flush() // what the reader has kept back
		s.serve()
	}
}

// leave cancels a call whose caller has gone. One that is short is over by now.
func (s *laneServer) leave(id uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.long[id]; r != nil {
		r.end(context.Canceled)
	}
}
