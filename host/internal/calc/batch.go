package calc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/versions"
)

// Input is where the calculations of a batch come from, one in a row.
type Input interface {
	// Next waits for a row and adds it to the block, with those that have come with it,
	// until the block is full. The error is io.EOF after the last row, or why no more
	// can be read. Rows that were added before an error count.
	Next(b *Block) error

	// Request returns what a row asks for. It is called for several rows at once, each
	// time with a scanner that nobody else uses; the request is good until the scanner
	// is used again. Errors are as from Calculate.
	Request(row string, scanner *strictjson.Scanner) (Request, error)
}

// Output appends the answer to one row: the problem, or where that is nil the success.
// It is called for several rows at once, and keeps nothing of what it is given.
type Output func(dst []byte, row string, a *Answer, p *Problem) []byte

// BatchOptions are options of a batch. The zero value is usable.
type BatchOptions struct {
	// Pins stand outside the rows and hold for each.
	Pins []versions.Pin

	// Admit is asked whenever admittedRows rows, or admittedBytes bytes, have come since
	// the beginning or since it was asked last, and more come. A problem answers the rows
	// until it is asked again; bytes that hold no rows end the batch.
	Admit func() *Problem

	// Hold waits for the memory that some rows need, in bytes, and Give gives it back.
	Hold func(ctx context.Context, bytes int64) (held int64, err error)
	Give func(held int64)

	// Observe is told of the rows whose answers were written, a few hundred at a time.
	Observe func(Tally)

	// Interrupt makes a call of Next under way return, when the batch has ended early.
	// Without it such a call is left behind.
	Interrupt func()
}

// How many rows, and how many bytes of them, count as one call: as many as come first.
const (
	admittedRows  = 1000
	admittedBytes = 1 << 20
)

// Batch answers every row of the input in its order, each as Calculate would answer it,
// and writes the answers while further rows are read. A row that fails fails alone.
//
// It keeps a few windows of rows at a time, and reads no further while their answers
// are not taken. A window is as many rows as have come by the time there is a hand free
// for them: one, if they come one by one. Rows of one release cross to its engine
// together. Results are not kept in the cache, which a batch would sweep.
//
// The error is that of the context, the input or the writer; the answers written until
// then are complete.
func (s *Service) Batch(ctx context.Context, in Input, out Output, w io.Writer, o *BatchOptions) error {
	b := &batch{service: s, in: in, out: out, w: w}
	if o != nil {
		b.options = *o
	}
	ctx, b.end = context.WithCancelCause(ctx)
	defer b.end(nil)
	blocks, windows := make(chan *window), make(chan *window)
	var reader, hands sync.WaitGroup
	reader.Go(func() { b.do(func() error { return b.read(ctx, blocks) }) })
	for range handsOfBatch {
		hands.Go(func() { b.do(func() error { return b.answerAll(ctx, windows) }) })
	}
	assemble(ctx, blocks, windows)
	hands.Wait()
	defer b.giveRest()
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

// handsOfBatch is how many windows are answered at a time: while one waits for its
// engine another is scanned and a third written.
const handsOfBatch = 3

// batch is a batch under way.
type batch struct {
	service *Service
	in      Input
	out     Output
	w       io.Writer
	options BatchOptions
	end     context.CancelCauseFunc

	rows    int      // that were read since the last call was counted
	bytes   int      // likewise
	refusal *Problem // of the rows at the moment
	empty   bool     // no row came since the refusal
	unread  error    // why there are no more rows, unless it is their end

	held atomic.Int64 // memory of rows that are not answered yet
}

// do runs a part of the batch, and ends the batch when it fails. Nobody else would
// recover a panic here.
func (b *batch) do(part func() error) {
	defer func() {
		if p := recover(); p != nil {
			b.end(fmt.Errorf("batch: panic: %v\n%s", p, debug.Stack()))
		}
	}()
	if err := part(); err != nil {
		b.end(err)
	}
}

// read sends the rows of the input as they come. That the input fails does not end the
// batch: the rows before are answered.
func (b *batch) read(ctx context.Context, blocks chan<- *window) error {
	defer close(blocks)
	for {
		block := newWindow()
		err := b.in.Next(&block.Block)
		if refusal := b.admit(&block.Block); refusal != nil && err == nil {
			err = refusal
		}
		if len(block.rows) == 0 {
			block.free()
		} else if !b.send(ctx, blocks, block) {
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

// send hands on a block once there is memory for it, and reports whether that was
// possible.
func (b *batch) send(ctx context.Context, blocks chan<- *window, block *window) bool {
	if b.options.Hold != nil {
		held, err := b.options.Hold(ctx, block.weight())
		if err != nil {
			return false
		}
		block.held = held
		b.held.Add(held)
	}
	select {
	case blocks <- block:
		return true
	case <-ctx.Done():
		b.giveRest() // the batch may have returned, and given back what was held before
		return false
	}
}

// give gives back the memory of a window.
func (b *batch) give(w *window) {
	if b.options.Give != nil && w.held > 0 {
		b.held.Add(-w.held)
		b.options.Give(w.held)
		w.held = 0
	}
}

// giveRest gives back the memory of windows that were never answered.
func (b *batch) giveRest() {
	if b.options.Give != nil {
		b.options.Give(b.held.Swap(0))
	}
}

// admit counts calls, and refuses the rows that come while the caller may not calculate.
// It returns the refusal when a whole call of nothing but bytes came meanwhile.
func (b *batch) admit(block *Block) error {
	if b.options.Admit == nil {
		return nil
	}
	b.bytes += block.came
	for i := range block.rows {
		if b.rows >= admittedRows || b.bytes > admittedBytes {
			b.call()
		}
		b.rows, b.empty = b.rows+1, false
		if r := &block.rows[i]; b.refusal != nil {
			r.problem = b.refusal
		}
	}
	if len(block.rows) > 0 || b.bytes <= admittedBytes {
		return nil
	}
	b.call()
	if b.refusal != nil && b.empty {
		return b.refusal
	}
	b.empty = true
	return nil
}

// call begins a further call.
func (b *batch) call() {
	b.rows, b.bytes = 0, max(0, b.bytes-admittedBytes)
	b.refusal = b.options.Admit()
}

// assemble joins blocks to windows for as long as no hand is free to take one.
func assemble(ctx context.Context, blocks <-chan *window, windows chan<- *window) {
	defer close(windows)
	var w *window
	before := closed
	for blocks != nil || w != nil {
		in, out := blocks, windows
		if w == nil {
			out = nil
		} else if w.Full() {
			in = nil
		}
		select {
		case block, more := <-in:
			switch {
			case !more:
				blocks = nil
			case w == nil:
				w = block
				w.before, w.written = before, make(chan struct{})
				before = w.written
			default:
				w.join(block)
				block.free()
			}
		case out <- w:
			w = nil
		case <-ctx.Done():
			return
		}
	}
}

var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()
