package terminal

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/batch"
)

func TestMeter(t *testing.T) {
	var shown []string
	m := newMeter(func(s *BatchProgress) { shown = append(shown, s.line()) }, nil, time.Hour)
	m.start, m.size = time.Now().Add(-10*time.Second), 1000
	m.read.Store(250)
	m.Add(batch.Tally{Succeeded: 90, Rejected: 6, Failed: 4})
	m.Add(batch.Tally{Succeeded: 1})
	if want := "[######------------------]  25%  100 rows  10 rows/s  10 without a result  30s left"; len(shown) != 1 || shown[0] != want {
		t.Errorf("%q, want %q", shown, want)
	}
	m.size = 0
	if line := m.progressAfter(10 * time.Second).line(); line != "101 rows  10 rows/s  10 without a result" {
		t.Errorf("without a size: %q", line)
	}
}

// Programs read the progress of a shard, and that it has ended.
func TestJSONMeter(t *testing.T) {
	var out bytes.Buffer
	m := NewJSONMeter(&out, "17/200")
	m.start, m.shown = time.Now().Add(-10*time.Second), time.Time{}
	m.SetRows(400)
	m.Add(batch.Tally{Succeeded: 90, Rejected: 10})
	m.Add(batch.Tally{Succeeded: 300})
	m.End()
	var lines []BatchProgress
	for d := json.NewDecoder(&out); d.More(); {
		var s BatchProgress
		if err := d.Decode(&s); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, s)
	}
	if len(lines) != 2 || lines[0].Rows != 100 || lines[0].Of != 400 || lines[0].Part != 0.25 || lines[0].Rejected != 10 || lines[0].Left < 29 || lines[0].Ended {
		t.Errorf("%+v", lines)
	} else if last := lines[1]; last.Shard != "17/200" || last.Rows != 400 || last.Left != 0 || !last.Ended {
		t.Errorf("%+v", last)
	}
}
