package limit

import (
	"sync"
	"time"
)

// mostRefusals is how many of each of its two generations refusals keeps: 8 MiB at most. A
// client that is forgotten is one whose limit the host alone keeps while Redis does not answer.
const mostRefusals = 1 << 16

// refusals remembers until when Redis refuses a client. That stays true while Redis does not
// answer: until then, as many calls of the client as are allowed have been accepted by all hosts
// together.
type refusals struct {
	mu         sync.Mutex
	young, old map[key]time.Duration // until when, by the clock of the host
	began      time.Duration         // when the young generation did
}

// note records a refusal.
func (r *refusals) note(k key, now, until time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.young == nil || len(r.young) >= mostRefusals || now-r.began >= Window {
		r.old, r.young, r.began = r.young, map[key]time.Duration{}, now
	}
	r.young[k] = until
}

// wait returns for how long the client is refused; 0 if nothing is known of that.
func (r *refusals) wait(k key, now time.Duration) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	until := max(r.young[k], r.old[k])
	return max(0, until-now)
}
