package agree

import (
	"context"
	"time"
)

// Current returns when what was settled last is what is decided now. A host calls it before it
// answers a call without a pin. That costs a look at the clock, except in two cases: a version
// has come into force since, or this host was stopped for so long, or had no processor, that
// the others may have moved. In the second case it asks Redis first.
func (a *Agreement) Current() {
	if a == nil || a.holds() {
		return
	}
	a.renewing.Lock()
	defer a.renewing.Unlock()
	if a.holds() {
		return // another call was first
	}
	a.mu.Lock()
	stopped := a.stopped()
	a.mu.Unlock()
	if stopped {
		a.Beat(context.Background()) // for all calls that wait, so not with the context of one
	}
	a.changed()
}

// changed lets this host serve what is decided. Only then does that hold: between Settle and
// the moment at which calls see what was settled, they must wait.
func (a *Agreement) changed() {
	a.options.Changed()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.extend()
}

// holds reports whether what was settled last cannot be out of date.
func (a *Agreement) holds() bool { return a.localTime(a.options.Now()) < a.until.Load() }

// stopped reports whether this host has not even tried to reach Redis for so long that it
// cannot know what is agreed.
func (a *Agreement) stopped() bool {
	return !a.asked.IsZero() && a.options.Now().Sub(a.asked) >= Lease
}

// alone reports whether this host has not reached Redis for too long.
func (a *Agreement) alone() bool {
	return a.contact.IsZero() || a.options.Now().Sub(a.contact) >= Lease
}

// extend notes how long what was settled last holds.
func (a *Agreement) extend() {
	until := a.localTime(a.asked.Add(Lease))
	if next, any := a.next(a.settled); any {
		until = min(until, next)
	}
	a.until.Store(until)
}

// next is the first local time after another one at which something comes into force, or at
// which this host is alone.
func (a *Agreement) next(after int64) (at int64, any bool) {
	consider := func(t int64) {
		if t > after && (!any || t < at) {
			at, any = t, true
		}
	}
	for _, k := range a.commits {
		consider(k.until)
	}
	if !a.contact.IsZero() {
		consider(a.localTime(a.contact.Add(Lease)) + 1) // alone by then, see the fraction that is cut off
	}
	return at, any
}

// schedule lets the timer go off when something comes into force.
func (a *Agreement) schedule(due *time.Timer) {
	a.mu.Lock()
	now := a.options.Now()
	at, any := a.next(a.localTime(now))
	a.mu.Unlock()
	if any {
		due.Reset(a.began.Add(time.Duration(at) * time.Millisecond).Sub(now))
	}
}
