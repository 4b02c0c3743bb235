package source

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/slipstick/slipstick/host/internal/platform/telemetry"
	"github.com/slipstick/slipstick/registry"
)

// readTimes is when what of the registry was last seen.
type readTimes struct {
	list    time.Time // its list of capabilities; zero if never
	oldest  time.Time // the capability that has been waited for longest
	kept    time.Time // what is remembered, written down
	unsaved bool      // it could not be written
}

// state is how the registry was at the last look, and how long ago that is. A
// look that never ends is one that is long ago.
type state struct {
	now func() time.Time // nil for the clock

	mu      sync.Mutex
	every   time.Duration // between looks; 0 if there are none
	started time.Time
	down    bool
	damaged int // capabilities and versions, when it could last be read
	readTimes
}

// follows says that there will be looks.
func (r *state) follows(every time.Duration) {
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

// set takes down what a look has seen; one that failed may have seen the mirror.
func (r *state) set(err error, list []registry.Capability) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.down = err != nil
	if err == nil || len(list) > 0 {
		r.damaged = damaged(list)
	}
}

// saw takes down when what was seen.
func (r *state) saw(l readTimes) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.readTimes = l
}

// leastAge is the age from which on the registry is said not to have been read, however
// often it is looked at: so much a start of engines may take.
const leastAge = 10 * time.Second

// String is ok, or what is wrong.
func (r *state) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var wrong []string
	age := r.age(r.list)
	switch {
	case r.down:
		wrong = append(wrong, "cannot be read; what was published before is served")
	case r.every > 0 && age > max(leastAge, 3*r.every):
		wrong = append(wrong, fmt.Sprintf("has not been read for %d s; what was published before is served", int(age.Seconds())))
	}
	if r.damaged > 0 {
		wrong = append(wrong, fmt.Sprintf("damaged in %s; the log says which", count(r.damaged, "place")))
	}
	if r.unsaved {
		wrong = append(wrong, "what was seen of it cannot be written down; the log says why")
	}
	if len(wrong) == 0 {
		return "ok"
	}
	if r.down && !r.unsaved { // what is damaged is not known now
		return wrong[0]
	}
	return strings.Join(wrong, "; ")
}

// age is how long ago something was seen, since the start if it never was.
func (r *state) age(t time.Time) time.Duration {
	if t.IsZero() {
		t = r.started
	}
	return max(0, r.time().Sub(t))
}

// observe shows the state in the metrics.
func (r *state) observe(m *telemetry.Metrics) {
	m.Gauge("slipstick_registry_up", "1 while the registry can be read, 0 while what was published before is served because it cannot.", r.read(func() float64 {
		if r.down {
			return 0
		}
		return 1
	}))
	m.Gauge("slipstick_registry_damaged", "Capabilities and versions in which the registry is not what it was or should be.", r.read(func() float64 { return float64(r.damaged) }))
	if r.every == 0 {
		return
	}
	m.GaugesBy("slipstick_registry_age_seconds", "Time since what the host knows of the registry was last so: list (its list of capabilities could be read), oldest (of all capabilities what is new had been read), seen (what is remembered of it was on disk).", "state", map[string]func() float64{
		"list":   r.read(func() float64 { return r.age(r.list).Seconds() }),
		"oldest": r.read(func() float64 { return r.age(r.oldest).Seconds() }),
		"seen":   r.read(func() float64 { return r.age(r.kept).Seconds() }),
	})
}

// read is f under the lock.
func (r *state) read(f func() float64) func() float64 {
	return func() float64 {
		r.mu.Lock()
		defer r.mu.Unlock()
		return f()
	}
}
