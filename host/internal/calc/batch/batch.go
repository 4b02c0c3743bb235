// Package batch computes many calculations together. [Run] answers the rows of an [Input] in order. [Rows]
// and [Series] compute rows that are already in memory.
package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/versions"
)

// Input is the source of a batch: one calculation per row.
type Input interface {
	// Next waits for a row. It adds the row to the chunk, and further rows that are
	// available without waiting, until the chunk is full. The error is io.EOF after the
	// last row, or the reason why no more rows can be read. Rows before an error are
	// still answered.
	Next(b *Chunk) error

	// Request reads the calculation in a row. It is called concurrently, with a different scanner in each
	// goroutine. The request is valid until the scanner is used again. Errors are the same as from
	// Calculate.
	Request(row string, scanner *strictjson.Scanner) (calc.Request, error)
}

// Output appends the answer to one row: the problem, or the success if the problem is
// nil. It is called concurrently, and must not retain its arguments.
type Output func(dst []byte, row string, a *calc.Answer, p *problem.Problem) []byte

// Asking is an [Input] with terms for all rows that the rows do not contain.
type Asking interface {
	Input
	Terms() record.Terms // for all rows, in addition to the pins
}

// Options are options of a batch. The zero value is usable.
type Options struct {
	// Pins apply to every row, in addition to the pins in the row.
	Pins []versions.Pin

	// Only are the rows to answer, in the order of the input and disjoint; nil: all. The
	// input is read up to the last of them.
	Only []Span
	// First is the number of the first row of the input, for an input that starts in the middle of a
	// file. Only counts the rows before it too.
	First uint64
	// Reading is called before each chunk of the input is read, with the number of its first row, if
	// there is Only. After an error Run can return before the last call ends.
	Reading func(row uint64)

	// Admit is called when input continues after admittedRows rows, or admittedBytes
	// bytes, since the start or the last call. If it returns a problem, that problem
	// is the answer to all rows until the next call. Input without any rows in that time
	// ends the batch.
	Admit func() *problem.Problem

	// Acquire waits for the memory that rows need, in bytes, and returns how much it
	// reserved. Release returns that memory.
	Acquire func(ctx context.Context, bytes int64) (held int64, err error)
	Release func(held int64)

	// Observe receives the counts of rows after their answers were written, a few hundred rows
	// at a time.
	Observe func(Tally)

	// Whole receives the record of the whole batch, also of a service without a ledger, before
	// Batch returns.
	Whole func(*record.Record)

	// Recorded receives the receipt of the record of the whole batch, the zero Receipt if it has
	// none. It is called before Batch returns.
	Recorded func(calc.Receipt)

	// Interrupt is called when the batch ends early. It makes a blocked call of Next
	// return. Without it, Batch returns while that call is still blocked.
	Interrupt func()
}

// A batch counts as one call for every admittedRows rows or admittedBytes bytes, whichever
// limit it reaches first.
const (
	admittedRows  = 1000
	admittedBytes = 1 << 20
)

// Run answers every row of the input, in order, exactly as Calculate would answer it. It
// writes answers while it reads further rows. A row that fails does not affect the others.
//
// The rows pass through three stages:
//
//	reader:     reads the input in chunks, and waits for the memory that they need
//	dispatcher: joins chunks into a job while all workers are busy
//	workers:    compute the rows of a job by release, and write the answers in order
//
// Each job has a channel that is closed when its answers are written. It also has the channel of
// the previous job, and a worker waits for that channel before it writes. Channels are unbuffered,
// so at most batchWorkers+2 chunks are in memory. While the answers are not read, the input
// is not read either. A row that arrives alone is a separate job and is answered at once.
// When rows arrive faster than they are computed, jobs grow, and the rows of one release
// are sent to its engine together. Results are not stored in the cache, because a large
// batch would evict everything else.
//
// The error is from the context, the input or the writer. Answers written before it are
// complete.
func Run(ctx context.Context, s *calc.Service, in Input, out Output, w io.Writer, o *Options) error {
	b := &batch{service: s, in: in, out: out, w: w}
	_, b.json = in.(*Lines)
	b.table, _ = in.(Table)
	if o != nil {
		b.options = *o
	}
	b.picked = picked{b.options.Only, b.options.First}
	b.records = newRowRecords(ctx, s)
	if b.options.Whole != nil {
		b.records.make()
	}
	b.records.terms = b.terms()
	ctx, b.end = context.WithCancelCause(ctx)
	defer b.end(nil)
	chunks, jobs := make(chan *job), make(chan *job)
	var reader, workers sync.WaitGroup
	reader.Go(func() { b.run(func() error { return b.read(ctx, chunks) }) })
	for range batchWorkers {
		workers.Go(func() { b.run(func() error { return b.answerAll(ctx, jobs) }) })
	}
	dispatch(ctx, chunks, jobs)
	workers.Wait()
	b.report(b.records.end())
	defer b.releaseRest()
	err := context.Cause(ctx)
	if err == nil {
		reader.Wait()
		return b.unread
	}
	if b.options.Interrupt != nil {
		b.options.Interrupt()
		reader.Wait()
	}
	return err
}

// report passes on the record of the whole batch, which is nil if there is none.
func (b *batch) report(whole *record.Record) {
	if b.options.Whole != nil {
		b.options.Whole(whole)
	}
	if receipt := b.records.keep(whole); b.options.Recorded != nil {
		b.options.Recorded(receipt)
	}
}

// terms returns the terms of the request for all rows.
func (b *batch) terms() (t record.Terms) {
	if in, ok := b.in.(Asking); ok {
		t = in.Terms()
	}
	t.Pins = slices.Concat(b.options.Pins, t.Pins)
	return t
}

// batchWorkers is the number of jobs that are answered at a time: one is read, one is computed by
// its engine, and one is written.
const batchWorkers = 3

// batch is the state of one call of Batch.
type batch struct {
	service *calc.Service
	in      Input
	json    bool  // the rows are JSON texts, so that rows of the same form can be detected
	table   Table // the input, if it is a Table
	out     Output
	w       io.Writer
	options Options
	end     context.CancelCauseFunc

	records rowRecords // used only by the worker that may write

	// Only the reader uses these.
	picked  picked           // the rows to answer, if not all
	total   uint64           // number of rows to answer that were read
	rows    int              // rows read since Admit was called
	bytes   int              // bytes read since then
	refusal *problem.Problem // current answer to all rows, nil if they are computed
	empty   bool             // there was no row since the refusal
	unread  error            // the reason why reading stopped, nil at the end of the input

	held atomic.Int64 // bytes of memory acquired for rows that are not answered yet
}

// run runs one stage of the batch, and ends the batch if the stage fails. Each stage runs in
// its own goroutine, so a panic must be recovered here.
func (b *batch) run(part func() error) {
	defer func() {
		if p := recover(); p != nil {
			b.end(fmt.Errorf("batch: panic: %v\n%s", p, debug.Stack()))
		}
	}()
	if err := part(); err != nil {
		b.end(err)
	}
}

// read is the reader. An error of the input does not cancel the batch, so that the rows
// before it are answered.
func (b *batch) read(ctx context.Context, chunks chan<- *job) error {
	defer close(chunks)
	for {
		j := newJob()
		if b.options.Reading != nil {
			b.options.Reading(b.picked.at)
		}
		err := b.in.Next(&j.Chunk)
		if b.options.Only != nil && b.picked.keep(&j.Chunk) && err == nil {
			err = io.EOF
		}
		if refusal := b.admit(&j.Chunk); refusal != nil && err == nil {
			err = refusal
		}
		j.first, b.total = b.total, b.total+uint64(len(j.rows))
		if len(j.rows) == 0 {
			j.recycle()
		} else if !b.send(ctx, chunks, j) {
			return nil
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				b.unread = err
			}
			return nil
		}
	}
}

// send passes on a chunk when there is memory for it. It returns false if the batch ended
// first.
func (b *batch) send(ctx context.Context, chunks chan<- *job, j *job) bool {
	if b.options.Acquire != nil {
		held, err := b.options.Acquire(ctx, j.memory())
		if err != nil {
			return false
		}
		j.held = held
		b.held.Add(held)
	}
	select {
	case chunks <- j:
		return true
	case <-ctx.Done():
		b.releaseRest() // the batch may have returned and released its memory before
		return false
	}
}

// release returns the memory of a job to the budget.
func (b *batch) release(j *job) {
	if b.options.Release != nil && j.held > 0 {
		b.held.Add(-j.held)
		b.options.Release(j.held)
		j.held = 0
	}
}

// releaseRest returns the memory of jobs that were never answered.
func (b *batch) releaseRest() {
	if b.options.Release != nil {
		b.options.Release(b.held.Swap(0))
	}
}

// admit counts the rows and bytes of a chunk against the caller's limit, and refuses its
// rows while the caller is over it. It returns the refusal if admittedBytes more bytes
// arrive without any row: such input would otherwise be read forever.
func (b *batch) admit(c *Chunk) error {
	if b.options.Admit == nil {
		return nil
	}
	b.bytes += c.bytesRead
	for i := range c.rows {
		if b.rows >= admittedRows || b.bytes > admittedBytes {
			b.startCall()
		}
		b.rows, b.empty = b.rows+1, false
		if r := &c.rows[i]; b.refusal != nil {
			r.problem = b.refusal
		}
	}
	if len(c.rows) > 0 || b.bytes <= admittedBytes {
		return nil
	}
	// The bytes of a whole call have arrived without a row.
	b.startCall()
	if b.refusal != nil && b.empty {
		return b.refusal
	}
	b.empty = true
	return nil
}

// startCall starts counting a new call, and asks whether it is allowed.
func (b *batch) startCall() {
	b.rows, b.bytes = 0, max(0, b.bytes-admittedBytes)
	b.refusal = b.options.Admit()
}

// dispatch is the dispatcher. It passes each job to the first free worker. While no worker is
// free, it joins further chunks to the job until the job is full. A job learns here which job
// precedes it, so the order of jobs is the order of the input.
func dispatch(ctx context.Context, chunks <-chan *job, jobs chan<- *job) {
	defer close(jobs)
	var next *job
	previous := closed
	for chunks != nil || next != nil {
		// A nil channel is never ready: without a job nothing is sent, and with a full one
		// nothing is received.
		in, out := chunks, jobs
		if next == nil {
			out = nil
		} else if next.Full() {
			in = nil
		}
		select {
		case chunk, more := <-in:
			switch {
			case !more:
				chunks = nil
			case next == nil:
				next = chunk
				next.previous, next.written = previous, make(chan struct{})
				previous = next.written
			default:
				next.join(chunk)
				chunk.recycle()
			}
		case out <- next:
			next = nil
		case <-ctx.Done():
			return
		}
	}
}

// closed is the channel that the first job waits for.
var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()
