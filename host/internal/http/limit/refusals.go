package limit

import (
	"sync"
	"time"
)

// maxRefusals is the maximum number of clients in each of the two generations: 8 MiB at most. If a client was
// forgotten and Redis does not answer, only this server's own count limits it.
const maxRefusals = 1 << 16

// refusals stores until when Redis refuses each client. This remains valid while Redis does not answer: until
// then, all servers together have accepted as many calls of the client as its limit.
type refusals struct {
	mu         sync.Mutex
	young, old map[key]time.Duration // until when, by the clock of the server
	started    time.Duration         // when the young generation started
}

// note records a refusal.
func (r *refusals) note(k key, now, until time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.young == nil || len(r.young) >= maxRefusals || now-r.started >= Window {
		r.old, r.young, r.started = r.young, map[key]time.Duration{}, now
	}
	r.young[k] = until
}

// wait returns how long the client is still refused, or 0 if it is not known to be refused.
func (r *refusals) wait(k key, now time.Duration) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	until := max(r.young[k], r.old[k])
	return max(0, until-now)
}
