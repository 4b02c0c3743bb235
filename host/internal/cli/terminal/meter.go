package terminal

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/batch"
)

// Meter counts the rows of a batch, and shows its progress.
type Meter struct {
	show  func(*BatchProgress)
	end   func()
	every time.Duration // between two updates
	shard string
	start time.Time
	shown time.Time
	size  int64 // of the file in bytes, 0 if unknown
	rows  int64 // of the file, 0 if unknown
	read  atomic.Int64
	tally batch.Tally
}

// NewMeter starts the clock of a batch, and shows its progress on w if w is a terminal.
func NewMeter(w io.Writer) *Meter {
	line := Progress(w)
	return newMeter(func(s *BatchProgress) { line(s.line()) }, func() { line("") }, 200*time.Millisecond)
}

// NewJSONMeter starts the clock of a batch or a shard. It writes the progress to w as a line of JSON, each second and at the end.
func NewJSONMeter(w io.Writer, shard string) *Meter {
	lines := json.NewEncoder(Plain(w))
	var m *Meter
	m = newMeter(func(s *BatchProgress) { _ = lines.Encode(s.rounded()) }, func() {
		last := m.progressAfter(time.Since(m.start))
		last.Ended = true
		_ = lines.Encode(last.rounded())
	}, time.Second)
	m.shard, m.shown = shard, m.start // the rate of the first rows is not reliable
	return m
}

func newMeter(show func(*BatchProgress), end func(), every time.Duration) *Meter {
	return &Meter{show: show, end: end, every: every, start: time.Now()}
}

// BatchProgress is the progress of a batch.
type BatchProgress struct {
	Shard    string  `json:"shard,omitempty"` // such as 17/200
	Rows     int     `json:"rows"`            // answered rows
	Of       int64   `json:"of,omitempty"`    // all rows, if known
	Rejected int     `json:"rejected"`
	Failed   int     `json:"failed"`
	Part     float64 `json:"part,omitempty"` // part of the rows or bytes, if known
	Seconds  float64 `json:"seconds"`
	Rate     float64 `json:"rows_per_second"`
	Left     float64 `json:"seconds_left,omitempty"` // if Part is known
	Ended    bool    `json:"ended"`
}

// SetSize sets the size of the file in bytes.
func (m *Meter) SetSize(bytes int64) { m.size = bytes }

// SetRows sets the number of rows in the file.
func (m *Meter) SetRows(rows int64) { m.rows = rows }

// Add counts answered rows.
func (m *Meter) Add(t batch.Tally) {
	m.tally.Succeeded += t.Succeeded
	m.tally.Rejected += t.Rejected
	m.tally.Failed += t.Failed
	if t.Failure != nil {
		m.tally.Failure = t.Failure
	}
	if now := time.Now(); now.Sub(m.shown) >= m.every {
		m.shown = now
		m.show(m.progressAfter(now.Sub(m.start)))
	}
}

// Rows returns the number of answered rows.
func (m *Meter) Rows() int { return m.tally.Succeeded + m.tally.Rejected + m.tally.Failed }

// End ends the progress, and removes the line from the terminal.
func (m *Meter) End() { m.end() }

// progressAfter returns the progress of the batch after a time.
func (m *Meter) progressAfter(took time.Duration) *BatchProgress {
	s := &BatchProgress{Shard: m.shard, Rows: m.Rows(), Of: m.rows, Rejected: m.tally.Rejected, Failed: m.tally.Failed, Seconds: took.Seconds()}
	if took > 0 {
		s.Rate = float64(s.Rows) / took.Seconds()
	}
	done, all := m.read.Load(), m.size
	if m.rows > 0 {
		done, all = int64(s.Rows), m.rows
	}
	if all > 0 {
		s.Part = min(1, float64(done)/float64(all))
	}
	if s.Part > 0 {
		s.Left = took.Seconds() * (1 - s.Part) / s.Part
	}
	return s
}

// rounded rounds the numbers to significant digits.
func (s *BatchProgress) rounded() *BatchProgress {
	s.Part, s.Seconds, s.Rate, s.Left = math.Round(1e4*s.Part)/1e4, math.Round(1e3*s.Seconds)/1e3, math.Round(s.Rate), math.Round(10*s.Left)/10
	return s
}

// line returns the line for the terminal.
func (s *BatchProgress) line() string {
	text := fmt.Sprintf("%d rows  %.0f rows/s", s.Rows, s.Rate)
	if wrong := s.Rejected + s.Failed; wrong > 0 {
		text += fmt.Sprintf("  %d without a result", wrong)
	}
	if s.Part == 0 {
		return text
	}
	const width = 24
	full := int(s.Part * width)
	left := time.Duration(s.Left * float64(time.Second)).Round(time.Second)
	return fmt.Sprintf("[%s%s] %3.0f%%  %s  %s left", strings.Repeat("#", full), strings.Repeat("-", width-full), 100*s.Part, text, left)
}

// Reader returns a reader that counts the bytes from r.
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

// Summary describes the answered rows, their time, the rows without a result, and why they have none.
func (m *Meter) Summary() (text string, t batch.Tally) {
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
