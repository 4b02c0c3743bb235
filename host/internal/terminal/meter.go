package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
)

// Meter counts the rows of a batch, and shows its progress on a terminal.
type Meter struct {
	show  func(line string)
	start time.Time
	shown time.Time
	size  int64 // of the file in bytes, 0 if unknown
	read  atomic.Int64
	tally calc.Tally
}

// NewMeter starts the clock of a batch, and shows it on w if that is a terminal.
func NewMeter(w io.Writer) *Meter { return &Meter{show: Progress(w), start: time.Now()} }

// SetSize sets the size of the file in bytes.
func (m *Meter) SetSize(bytes int64) { m.size = bytes }

// showEvery is the time between two updates of the line on the terminal.
const showEvery = 200 * time.Millisecond

// Add counts rows that were answered.
func (m *Meter) Add(t calc.Tally) {
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

// Rows returns the number of answered rows.
func (m *Meter) Rows() int { return m.tally.Succeeded + m.tally.Rejected + m.tally.Failed }

// Clear removes the line from the terminal.
func (m *Meter) Clear() { m.show("") }

// line is what the terminal shows after some time.
func (m *Meter) line(took time.Duration) string {
	text := fmt.Sprintf("%d rows  %.0f rows/s", m.Rows(), float64(m.Rows())/took.Seconds())
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

// Reader counts the bytes that are read through it.
func (m *Meter) Reader(r io.Reader) io.Reader { return &countedReader{r, &m.read} }

type countedReader struct {
	io.Reader
	n *atomic.Int64
}

func (r *countedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.n.Add(int64(n))
	return n, err
}

// Summary words how many rows were answered in which time, and how many have no result and
// why.
func (m *Meter) Summary() (text string, t calc.Tally) {
	took := time.Since(m.start)
	text = fmt.Sprintf("%s in %s (%.0f a second)", Count(m.Rows(), "calculation"), took.Round(time.Millisecond), float64(m.Rows())/took.Seconds())
	if m.tally.Rejected > 0 {
		text += fmt.Sprintf(", %d rejected", m.tally.Rejected)
	}
	if m.tally.Failed > 0 {
		text += fmt.Sprintf(", %d failed: %s", m.tally.Failed, m.tally.Failure.Detail)
	}
	return text, m.tally
}
