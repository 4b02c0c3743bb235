package agree

import "time"

// schedule lets the timer go off when something comes into force.
func (a *Agreement) schedule(due *time.Timer) {
	if at := a.due(); !at.IsZero() {
		due.Reset(at.Sub(a.options.Now()))
	}
}

// alone reports whether this host has not reached Redis for too long.
func (a *Agreement) alone() bool {
	return a.contact.IsZero() || a.options.Now().Sub(a.contact) >= Lease
}

// due is when something comes into force next; zero if nothing is known to.
func (a *Agreement) due() (next time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.localTime(a.options.Now())
	at := int64(0)
	for _, k := range a.commits {
		if k.until > now && (at == 0 || k.until < at) {
			at = k.until
		}
	}
	if !a.contact.IsZero() {
		if end := a.localTime(a.contact.Add(Lease)); end > now && (at == 0 || end < at) {
			at = end
		}
	}
	if at == 0 {
		return time.Time{}
	}
	return a.began.Add(time.Duration(at+1) * time.Millisecond)
}
