package main

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
)

// meter counts the rows of a batch, and shows on a terminal how far it is.
type meter struct {
	show  func(line string)
	start time.Time
	shown time.Time
	size  int64 // bytes of the file, 0 if that is not known
	read  atomic.Int64
	tally calc.Tally
}

func newMeter(w io.Writer) *meter { return &meter{show: progress(w), start: time.Now()} }

// showEvery is how often the line on the terminal changes.
const showEvery = 200 * time.Millisecond

// add counts answered rows.
func (m *meter) add(t calc.Tally) {
	m.tally.Succeeded += t.Succeeded
	m.tally.Rejected += t.Rejected
	m.tally.Failed += t.Failed
	if t.Failure != nil {
		m.tally.Failure = t.Failure
	}
	if now := time.Now(); now.Sub(m.shown) >= showEvery {
		m.shown = now
		m.show(m.line(now.Sub(m.start)))
	}
}

func (m *meter) rows() int { return m.tally.Succeeded + m.tally.Rejected + m.tally.Failed }

// clear removes the line from the terminal.
func (m *meter) clear() { m.show("") }

// line is what the terminal shows after some time.
func (m *meter) line(took time.Duration) string {
	text := fmt.Sprintf("%d rows  %.0f rows/s", m.rows(), float64(m.rows())/took.Seconds())
	if wrong := m.tally.Rejected + m.tally.Failed; wrong > 0 {
		text += fmt.Sprintf("  %d without a result", wrong)
	}
	if m.size <= 0 {
		return text
	}
	const width = 24
	part := min(1, float64(m.read.Load())/float64(m.size))
	left := time.Duration(0)
	if part > 0 {
		left = time.Duration(float64(took) * (1 - part) / part)
	}
	full := int(part * width)
	return fmt.Sprintf("[%s%s] %3.0f%%  %s  %s left", strings.Repeat("#", full), strings.Repeat("-", width-full), 100*part, text, left.Round(time.Second))
}

// count returns a reader that counts what is read.
func (m *meter) count(r io.Reader) io.Reader { return &countedReader{r, &m.read} }

type countedReader struct {
	io.Reader
	n *atomic.Int64
}

func (r *countedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.n.Add(int64(n))
	return n, err
}
