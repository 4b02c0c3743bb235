package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/limit"
	"github.com/slipstick/slipstick/host/internal/web"
	"github.com/slipstick/slipstick/sdk/request"
)

// Media types of batches.
const (
	mediaRows  = "application/x-ndjson"
	mediaLines = "application/jsonl"
)

// defaultIdleTimeout is how long a batch waits for the caller to send more.
const defaultIdleTimeout = 30 * time.Second

// postBatch answers POST /api/v1/batch, line by line. It sends answers while the caller
// still sends lines, so the server's time limits for whole requests do not apply: a batch
// may take any time as long as it makes progress.
func (s *server) postBatch(w http.ResponseWriter, r *http.Request) error {
	if err := web.CheckBody(w, r, mediaRows, mediaLines); err != nil {
		return err
	}
	pins, err := web.Pins(r)
	if err != nil {
		return err
	}
	output, err := s.batchOutput(r)
	if err != nil {
		return err
	}
	until := s.options.Batches.Until
	if until != nil && until.Err() != nil {
		return interrupted(1)
	}
	client := s.options.Batches.Clients.Of(r)
	if err := s.beginBatch(client); err != nil {
		return err
	}
	defer s.options.Batches.Places.Release(client, 1)
	t := &transfer{w: w, body: r.Body, control: http.NewResponseController(w), patience: s.options.Batches.IdleTimeout}
	// Where full duplex is not possible, the caller has to send everything first.
	_ = t.control.EnableFullDuplex()
	ctx, interrupt := context.WithCancelCause(r.Context())
	defer interrupt(nil)
	if until != nil {
		defer context.AfterFunc(until, func() { interrupt(errInterrupted) })()
	}
	answered := 0
	err = s.service.Batch(ctx, calc.NewLines(t, ""), output, t, &calc.BatchOptions{
		Pins: pins, Admit: s.admission(r), Interrupt: t.interrupt,
		Observe: func(done calc.Tally) {
			answered += done.Rows()
			s.observeLines(done)
		},
		Acquire: func(ctx context.Context, bytes int64) (int64, error) {
			return s.options.Batches.Rows.Acquire(ctx, client, bytes)
		},
		Release: func(held int64) { s.options.Batches.Rows.Release(client, held) },
	})
	if errors.Is(err, errInterrupted) {
		return s.endInterrupted(t, interrupted(answered+1))
	}
	switch {
	case err == nil:
		t.begin() // an empty batch has an empty answer
		return nil
	case !t.begun && t.cut:
		return web.CutOff("body")
	case !t.begun:
		return err
	}
	s.options.Log.Warn("batch was cut off", "error", err)
	panic(http.ErrAbortHandler) // an aborted connection shows that the answers are incomplete
}

// errInterrupted is why a batch ends that the host has no more time for.
var errInterrupted = errors.New("the host is ending")

// interrupted returns the problem of a batch of which no row from this one on was answered.
func interrupted(row int) *calc.Problem {
	p := calc.BatchInterrupted(row)
	p.Cause = errInterrupted
	return p
}

// endInterrupted ends an answer of which whole lines were written by a line that says where to
// go on. An answer that has not begun is the problem itself.
func (s *server) endInterrupted(t *transfer, p *calc.Problem) error {
	if !t.begun {
		return p
	}
	if _, err := t.Write(p.AppendJSON(nil, s.service.BaseURL())); err != nil {
		panic(http.ErrAbortHandler)
	}
	return &web.Answered{Problem: p}
}

// beginBatch acquires a place for a batch of the client.
func (s *server) beginBatch(client netip.Prefix) error {
	places := s.options.Batches.Places
	switch {
	case places.TryAcquire(client, 1):
		return nil
	case places.ShareTaken(client):
		return calc.TooManyBatches(places.Share())
	}
	return calc.Overloaded("Try again when other batches have ended.", "too many batches are under way")
}

// batchOutput returns the Output that the query parameter output asks for.
func (s *server) batchOutput(r *http.Request) (calc.Output, error) {
	asked := r.URL.Query()["output"]
	output := s.service.FullLine
	for _, name := range asked {
		switch {
		case name != asked[0]:
			return nil, badOutput("output is asked for as %.40q and as %.40q", asked[0], name)
		case name == "result":
			output = s.service.LeanLine
		case name != "full":
			return nil, badOutput("%.40q is no output of a batch", name)
		}
	}
	return output, nil
}

func badOutput(format string, args ...any) error {
	p := calc.NewProblem(request.CodeInvalidMode, "Ask for output=result, or for output=full, which is the default.", format, args...)
	p.Field = "output"
	return p
}

// admission returns a function that counts a further call of the client against its limit.
func (s *server) admission(r *http.Request) func() *calc.Problem {
	return func() *calc.Problem {
		if d := s.options.Batches.Clients.Allow(r, limit.Calc); !d.Allowed {
			return calc.RateLimited(d.Limit, d.RetryAfterSeconds())
		}
		return nil
	}
}

// observeLines passes on the counts of answered lines, and logs internal failures.
func (s *server) observeLines(t calc.Tally) {
	if t.Failure != nil {
		s.options.Log.Error("lines of a batch failed", "lines", t.Failed, "code", t.Failure.Code, "error", t.Failure.Cause)
	}
	if s.options.Batches.Observe != nil {
		s.options.Batches.Observe(t)
	}
}

// transfer reads the lines of a batch and writes its answers. The deadline of reading is
// extended while lines arrive. The connection itself limits how slowly a client may read
// the answers; see [conns.MinRate].
type transfer struct {
	w        http.ResponseWriter
	body     io.Reader
	control  *http.ResponseController
	patience time.Duration

	begun bool // the header was sent
	cut   bool // the body could not be read to its end

	mu   sync.Mutex // guards what follows, and the limit of time of reading
	over bool
}

func (t *transfer) Read(p []byte) (int, error) {
	if !t.extendDeadline() {
		return 0, http.ErrBodyReadAfterClose
	}
	n, err := t.body.Read(p)
	t.cut = err != nil && !errors.Is(err, io.EOF)
	return n, err
}

// extendDeadline extends the deadline of reading by the idle timeout. It returns false if
// the batch has ended, so that there is nothing more to read.
func (t *transfer) extendDeadline() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return false
	}
	_ = t.control.SetReadDeadline(time.Now().Add(t.patience))
	return true
}

// interrupt makes a blocked read return.
func (t *transfer) interrupt() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	_ = t.control.SetReadDeadline(time.Now())
}

// begin sends the header.
func (t *transfer) begin() {
	if t.begun {
		return
	}
	t.begun = true
	h := t.w.Header()
	h.Set("Content-Type", mediaRows)
	h.Set("Cache-Control", "no-store")
	t.w.WriteHeader(http.StatusOK)
}

func (t *transfer) Write(p []byte) (written int, err error) {
	t.begin()
	if written, err = t.w.Write(p); err != nil {
		return written, err
	}
	return written, t.control.Flush()
}
