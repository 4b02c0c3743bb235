package terminal

import (
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
)

func TestMeter(t *testing.T) {
	var shown []string
	m := &Meter{show: func(line string) { shown = append(shown, line) }, start: time.Now().Add(-10 * time.Second), size: 1000}
	m.read.Store(250)
	m.Add(calc.Tally{Succeeded: 90, Rejected: 6, Failed: 4})
	m.Add(calc.Tally{Succeeded: 1})
	if want := "[######------------------]  25%  100 rows  10 rows/s  10 without a result  30s left"; len(shown) != 1 || shown[0] != want {
		t.Errorf("%q, want %q", shown, want)
	}
	m.size = 0
	if line := m.line(10 * time.Second); line != "101 rows  10 rows/s  10 without a result" {
		t.Errorf("without a size: %q", line)
	}
}
