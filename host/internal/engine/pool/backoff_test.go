package pool

import (
	"errors"
	"testing"
	"time"
)

// There is no pause after the first failure. Later pauses double, and after the fifth failure the
// program backs off. A good answer resets the count.
func TestBackoff(t *testing.T) {
	var b backoff
	now := time.Unix(1, 0)
	for i, want := range []time.Duration{0, firstPause, 2 * firstPause, 4 * firstPause, maxPause, maxPause} {
		if in := b.fail(now); in != (i+1 == backOffAfter) {
			t.Errorf("failure %d: a long rest begins: %v", i+1, in)
		}
		rest, err := b.rest(now)
		if rest != want || (err != nil) != (i+1 >= backOffAfter) || b.backingOff(now) != (err != nil) {
			t.Errorf("failure %d: %v, %v, want %v", i+1, rest, err, want)
		}
	}
	if err := b.fault(now); !errors.Is(err, ErrUnavailable) {
		t.Errorf("at rest: %v", err)
	}
	if later := now.Add(maxPause); b.backingOff(later) || b.fault(later) != nil {
		t.Error("a rest that is over holds on")
	}
	b.reset()
	if rest, err := b.rest(now); rest != 0 || err != nil {
		t.Errorf("forgiven: %v, %v", rest, err)
	}
	b.fail(now)
	b.fail(now)
	b.failure = errors.New("no such file")
	if _, err := b.rest(now); err != b.failure || b.fault(now) != b.failure {
		t.Errorf("a start that failed: %v", err)
	}
}
