package source

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/slipstick/slipstick/host/internal/platform/telemetry"
	"github.com/slipstick/slipstick/registry"
)

// readTimes are the times at which parts of the registry were last read.
type readTimes struct {
	list    time.Time // when the list of capabilities was read; zero if never
	oldest  time.Time // when the oldest unfinished reading of a capability started
	stored  time.Time // when the trust-on-first-use store was complete on disk
	unsaved bool      // the store could not be written
}

// state is the state of the registry at the last look, and the age of that look. A look that does not end
// does not reset the age.
type state struct {
	now func() time.Time // nil for time.Now

	mu      sync.Mutex
	every   time.Duration // interval between looks; 0 for no looks
	started time.Time
	down    bool
	damaged int // damaged capabilities and versions at the last successful look
	readTimes
}

// start sets the interval between looks, and starts the clock.
func (r *state) start(every time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.every, r.started = every, r.time()
}

func (r *state) time() time.Time {
	if r.now != nil {
		return r.now()
	}
	return time.Now()
}

// setResult stores the result of a look. A failed look can have the list of the mirror.
func (r *state) setResult(err error, list []registry.Capability) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.down = err != nil
	if err == nil || len(list) > 0 {
		r.damaged = damaged(list)
	}
}

// setTimes stores the times of a look.
func (r *state) setTimes(l readTimes) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.readTimes = l
}

// leastAge is the minimum age at which String reports that the registry has not been read, for any
// interval between looks. A start of engines can delay a look by this time.
const leastAge = 10 * time.Second

// String returns "ok", or describes the problem.
func (r *state) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var wrong []string
	age := r.age(r.list)
	switch {
	case r.down:
		wrong = append(wrong, "cannot be read; the server serves the known versions")
	case r.every > 0 && age > max(leastAge, 3*r.every):
		wrong = append(wrong, fmt.Sprintf("has not been read for %d s; the server serves the known versions", int(age.Seconds())))
	}
	if r.damaged > 0 {
		wrong = append(wrong, fmt.Sprintf("damaged in %s; the log has the details", count(r.damaged, "place")))
	}
	if r.unsaved {
		wrong = append(wrong, "the trust-on-first-use store cannot be written; the log has the reason")
	}
	if len(wrong) == 0 {
		return "ok"
	}
	if r.down && !r.unsaved { // the present damage is unknown
		return wrong[0]
	}
	return strings.Join(wrong, "; ")
}

// age returns the time since t, or since the start if t is zero.
func (r *state) age(t time.Time) time.Duration {
	if t.IsZero() {
		t = r.started
	}
	return max(0, r.time().Sub(t))
}

// observe adds the state to the metrics.
func (r *state) observe(m *telemetry.Metrics) {
	m.Gauge("slipstick_registry_up", "1 while the registry can be read; 0 while it cannot, and the versions that were published before are served.", r.locked(func() float64 {
		if r.down {
			return 0
		}
		return 1
	}))
	m.Gauge("slipstick_registry_damaged", "Capabilities and versions that are damaged or have changed in the registry.", r.locked(func() float64 { return float64(r.damaged) }))
	if r.every == 0 {
		return
	}
	m.GaugesBy("slipstick_registry_age_seconds", "Time since the last success of: list (read the list of capabilities), oldest (read the new data of all capabilities), seen (write the trust-on-first-use store).", "state", map[string]func() float64{
		"list":   r.locked(func() float64 { return r.age(r.list).Seconds() }),
		"oldest": r.locked(func() float64 { return r.age(r.oldest).Seconds() }),
		"seen":   r.locked(func() float64 { return r.age(r.stored).Seconds() }),
	})
}

// locked returns a function that calls f with the lock.
func (r *state) locked(f func() float64) func() float64 {
	return func() float64 {
		r.mu.Lock()
		defer r.mu.Unlock()
		return f()
	}
}
