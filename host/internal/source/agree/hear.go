package agree

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// message is what is told.
func (a *Agreement) message() *message {
	keys := a.options.Keys()
	ready := a.options.Ready == nil || a.options.Ready()
	looked := a.options.ReadAt()
	a.mu.Lock()
	defer a.mu.Unlock()
	h := Host{
		ID: a.id, Address: a.options.Address, Joined: a.joined, Signs: keys.Signs, Knows: keys.Knows,
		Ready: ready && a.misfit == nil, Admitted: slices.ContainsFunc(keys.Knows, func(print string) bool { return slices.Contains(a.admitted, print) }), Wants: map[string]Want{},
	}
	if !looked.IsZero() && !a.mid.IsZero() {
		h.ReadAt = max(0, a.redisTime(looked))
	}
	for _, id := range slices.Sorted(maps.Keys(a.opinions)) {
		o := a.opinions[id]
		h.Ready = h.Ready && !o.outOfDate
		w, wants := o.want(a.commits[id])
		if !wants {
			o.since = 0
			continue
		}
		if o.since == 0 && !a.mid.IsZero() {
			o.since = a.redisTime(a.options.Now())
		}
		w.Since = o.since
		if len(h.Wants) < maxWants {
			h.Wants[id] = w
		}
	}
	m := &message{host: h, keys: keys, epoch: a.epoch, counter: a.counter}
	if !a.mid.IsZero() {
		m.host.SentAt = max(0, a.redisTime(a.options.Now()))
		m.record = m.host.sealed(&keys)
	}
	return m
}

// redisTime is what Redis's clock shows at a time of ours, about.
func (a *Agreement) redisTime(t time.Time) int64 { return a.clock + t.Sub(a.mid).Milliseconds() }

// localTime is milliseconds of our own clock, which never jumps.
func (a *Agreement) localTime(t time.Time) int64 { return t.Sub(a.began).Milliseconds() }

// hear takes the reply to a message, and returns what this host has to say to it.
func (a *Agreement) hear(m *message, r *reply, began time.Time) (offers []offer, more bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.options.Now()
	a.mid, a.clock = began.Add(now.Sub(began)/2), r.now
	if a.joined == 0 {
		a.joined = r.now
	}
	if m.record == "" {
		return nil, true
	}
	for _, f := range r.forged {
		a.disbelieve(f)
	}
	renewed := r.epoch != a.epoch || r.counter < a.counter
	if renewed {
		a.digests.forget()
		clear(a.kept)
		for _, k := range a.commits {
			k.kept = false
		}
	}
	a.epoch, a.counter = r.epoch, r.last
	a.hosts = append(r.hosts, m.host)
	for id, c := range r.changes {
		a.hearCommit(id, c, r.now)
	}
	if r.last < r.counter {
		return nil, true
	}
	a.compareKeys(r.strangers)
	a.listen(now)
	return a.answer(r.now), false
}

// hearCommit takes a commit that Redis has. One without a valid seal is replaced by what this host
// knows.
func (a *Agreement) hearCommit(id string, c change, now int64) {
	a.kept[id] = c.value
	k := a.commits[id]
	switch {
	case !c.sealed:
		if k != nil {
			k.kept = false
		}
		return
	case k == nil || c.commit.newer(k.Commit):
		wait := min(max(0, c.commit.Switch-now), Notice.Milliseconds())
		a.commits[id], a.news = &known{c.commit, a.localTime(a.mid) + wait, true}, true
		if o := a.opinions[id]; o != nil && o.Version == c.commit.Version {
			o.step = c.commit.Generation
		}
	case k.newer(c.commit): // by its order, if not by its generation
		k.kept, k.Generation = false, max(k.Generation, c.commit.Generation+1)
	default:
		k.kept = true
	}
}

// disbelieve notes a value without a valid seal. The log has the first one of each kind.
func (a *Agreement) disbelieve(f forgery) {
	a.forged++
	if !a.warned[f.kind] {
		a.warned[f.kind] = true
		a.options.Log.Warn("Redis has a value that no key of snapshots of this server verifies; such values are ignored. Compare the keys of all servers (slipstick keys snapshots list). If they are the same, restrict who can write to Redis",
			"kind", f.kind, "name", fmt.Sprintf("%.100q", f.name))
	}
}

// listen notes what others know and this host does not, and asks for a look at the registry.
func (a *Agreement) listen(now time.Time) {
	said := map[string]string{}
	for id, k := range a.commits {
		if o := a.opinions[id]; o != nil && o.Version != k.Version {
			said[id] = k.Version
		}
	}
	for i := range a.hosts {
		for id, w := range a.hosts[i].Wants {
			if o := a.opinions[id]; o != nil && o.Version != w.Version {
				said[id] = w.Version
			}
		}
	}
	maps.DeleteFunc(a.ahead, func(id string, x ahead) bool { return said[id] != x.version })
	look := false
	for id, version := range said {
		if a.ahead[id].version == "" {
			a.ahead[id] = ahead{version, now}
		}
		look = look || now.Sub(a.ahead[id].since) < Limit
	}
	if look {
		signal(a.nudged)
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // there is a signal already
	}
}

// compareKeys notes whether the keys of this host fit to those of the others. A stranger cannot be
// told from a forged record. So only a host that is not admitted yet gives way to strangers that
// were there before, and only while no host that is admitted shares a key with it.
func (a *Agreement) compareKeys(strangers []Host) {
	was := a.misfit
	self := a.hosts[len(a.hosts)-1]
	a.misfit = misfits(a.hosts)[a.id]
	if a.misfit == nil && !slices.ContainsFunc(a.hosts, func(h Host) bool { return h.Admitted }) {
		for i := range strangers {
			if h := &strangers[i]; byAge(*h, self) < 0 && !self.knowsKeyOf(h) {
				a.misfit = h
				break
			}
		}
	}
	if a.misfit == nil {
		a.admitted = self.Knows
	}
	switch {
	case a.misfit != nil && was == nil:
		a.options.Log.Error("the keys of snapshots differ from those of another server; this server is not ready", "other", a.misfit.Address, "their_key", a.misfit.Signs, "advice", ShareKeys)
	case a.misfit == nil && was != nil:
		a.options.Log.Info("the keys of snapshots fit to those of the other servers")
	}
}
