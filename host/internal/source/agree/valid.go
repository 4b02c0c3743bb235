package agree

import (
	"context"
	"time"
)

// Current returns when the last decision of Settle is valid. A server calls it before it answers a call
// without a pin. Usually it only reads the clock. If a commit has taken effect in the meantime, it calls
// Changed. If this process was stopped for Lease, the other servers can have switched. Then it asks Redis
// first.
func (a *Agreement) Current() {
	if a == nil || a.valid() {
		return
	}
	a.renewing.Lock()
	defer a.renewing.Unlock()
	if a.valid() {
		return // another call was first
	}
	a.mu.Lock()
	stopped := a.stopped()
	a.mu.Unlock()
	if stopped {
		a.Beat(context.Background()) // all waiting calls need the result, so it does not use the context of one call
	}
	a.changed()
}

// changed calls Changed, so that this server serves the decision, and extends its validity afterwards. Calls
// must wait until they see the catalog that follows from Settle.
func (a *Agreement) changed() {
	a.options.Changed()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.extend()
}

// valid reports whether the last decision is up to date.
func (a *Agreement) valid() bool { return a.localTime(a.options.Now()) < a.until.Load() }

// stopped reports whether this server has not even tried to reach Redis for Lease. It cannot know the
// agreement then.
func (a *Agreement) stopped() bool {
	return !a.asked.IsZero() && a.options.Now().Sub(a.asked) >= Lease
}

// alone reports whether this server has not reached Redis for Lease.
func (a *Agreement) alone() bool {
	return a.contact.IsZero() || a.options.Now().Sub(a.contact) >= Lease
}

// extend updates the time until which the last decision is valid.
func (a *Agreement) extend() {
	until := a.localTime(a.asked.Add(Lease))
	if next, found := a.next(a.settled); found {
		until = min(until, next)
	}
	a.until.Store(until)
}

// next returns the first local time after another one at which a commit takes effect, or at which this
// server is alone. It reports whether there is one.
func (a *Agreement) next(after int64) (at int64, found bool) {
	consider := func(t int64) {
		if t > after && (!found || t < at) {
			at, found = t, true
		}
	}
	for _, k := range a.commits {
		consider(k.until)
	}
	if !a.contact.IsZero() {
		consider(a.localTime(a.contact.Add(Lease)) + 1) // 1 ms later, because localTime truncates
	}
	return at, found
}

// schedule sets the timer to the next time at which the decision changes.
func (a *Agreement) schedule(due *time.Timer) {
	a.mu.Lock()
	now := a.options.Now()
	at, found := a.next(a.localTime(now))
	a.mu.Unlock()
	if found {
		due.Reset(a.start.Add(time.Duration(at) * time.Millisecond).Sub(now))
	}
}
