//go:build !race

package calc_test

import (
	"bytes"
	"testing"
)

// A request allocates its text. A new request also allocates the result, its values and its notes.
func TestRequestAllocations(t *testing.T) {
	const cache = 16 << 20
	for i := range requests {
		m := measure(i, cache)
		m.ask()
		m.ask()
		if n := testing.AllocsPerRun(200, m.ask); n > 1 {
			t.Errorf("%s: %v allocations for an answer that is known", requests[i].name, n)
		}
		if n := testing.AllocsPerRun(200, func() { m.next(); m.ask() }); n > 5 {
			t.Errorf("%s: %v allocations for a new one", requests[i].name, n)
		}
		if !bytes.Contains(m.out, []byte(`"status":"success"`)) {
			t.Errorf("%s: %s", requests[i].name, m.out)
		}
	}
}
