package agree

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// message returns the next message of this server.
func (a *Agreement) message() *message {
	keys := a.options.Keys()
	ready := a.options.Ready == nil || a.options.Ready()
	looked := a.options.ReadAt()
	a.mu.Lock()
	defer a.mu.Unlock()
	h := Server{
		ID: a.id, Address: a.options.Address, Joined: a.joined, Signs: keys.Signs, Knows: keys.Knows,
		Ready: ready && a.misfit == nil, Admitted: slices.ContainsFunc(keys.Knows, func(fingerprint string) bool { return slices.Contains(a.admitted, fingerprint) }), Wants: map[string]Want{},
	}
	if !looked.IsZero() && !a.clockRead.IsZero() {
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
		if o.since == 0 && !a.clockRead.IsZero() {
			o.since = a.redisTime(a.options.Now())
		}
		w.Since = o.since
		if len(h.Wants) < maxWants {
			h.Wants[id] = w
		}
	}
	m := &message{server: h, keys: keys, epoch: a.epoch, counter: a.counter}
	if !a.clockRead.IsZero() {
		m.server.SentAt = max(0, a.redisTime(a.options.Now()))
		m.record = m.server.sealed(&keys)
	}
	return m
}

// redisTime returns the approximate time of Redis's clock at a local time.
func (a *Agreement) redisTime(t time.Time) int64 { return a.clock + t.Sub(a.clockRead).Milliseconds() }

// localTime returns a local time in ms since the start. The local clock is monotonic.
func (a *Agreement) localTime(t time.Time) int64 { return t.Sub(a.start).Milliseconds() }

// receive processes the reply to a message. It returns the offers of this server, and reports whether
// Redis has more changes.
func (a *Agreement) receive(m *message, r *reply, start time.Time) (offers []offer, more bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.options.Now()
	a.clockRead, a.clock = start.Add(now.Sub(start)/2), r.now
	if a.joined == 0 {
		a.joined = r.now
	}
	if m.record == "" {
		return nil, true
	}
	for _, f := range r.forged {
		a.noteForgery(f)
	}
	renewed := r.epoch != a.epoch || r.counter < a.counter
	if renewed {
		a.digests.reset()
		clear(a.stored)
		for _, k := range a.commits {
			k.stored = false
		}
	}
	a.epoch, a.counter = r.epoch, r.last
	a.servers = append(r.servers, m.server)
	for id, c := range r.changes {
		a.receiveCommit(id, c, r.now)
	}
	if r.last < r.counter {
		return nil, true
	}
	a.compareKeys(r.strangers)
	a.compareVersions(now)
	return a.newOffers(r.now), false
}

// receiveCommit processes a commit from Redis. If the commit has no valid seal, this server replaces it
// with the commit that it knows.
func (a *Agreement) receiveCommit(id string, c change, now int64) {
	a.stored[id] = c.value
	k := a.commits[id]
	switch {
	case !c.sealed:
		if k != nil {
			k.stored = false
		}
		return
	case k == nil || c.commit.newer(k.Commit):
		wait := min(max(0, c.commit.Switch-now), Notice.Milliseconds())
		a.commits[id], a.news = &known{c.commit, a.localTime(a.clockRead) + wait, true}, true
		if o := a.opinions[id]; o != nil && o.Version == c.commit.Version {
			o.base = c.commit.Generation
		}
	case k.newer(c.commit): // the known commit has the higher order, but possibly not the higher generation
		k.stored, k.Generation = false, max(k.Generation, c.commit.Generation+1)
	default:
		k.stored = true
	}
}

// noteForgery counts a value without a valid seal. It logs the first one of each kind.
func (a *Agreement) noteForgery(f forgery) {
	a.forged++
	if !a.warned[f.kind] {
		a.warned[f.kind] = true
		a.options.Log.Warn("the server ignores a value in Redis, because none of its snapshot keys verifies it. Compare the keys of all servers (slipstick keys snapshots list). If they are the same, restrict write access to Redis",
			"kind", f.kind, "name", fmt.Sprintf("%.100q", f.name))
	}
}

// compareVersions records versions that other servers want or have agreed on and this server does not want.
// For up to Limit it requests a look at the registry.
func (a *Agreement) compareVersions(now time.Time) {
	others := map[string]string{}
	for id, k := range a.commits {
		if o := a.opinions[id]; o != nil && o.Version != k.Version {
			others[id] = k.Version
		}
	}
	for i := range a.servers {
		for id, w := range a.servers[i].Wants {
			if o := a.opinions[id]; o != nil && o.Version != w.Version {
				others[id] = w.Version
			}
		}
	}
	maps.DeleteFunc(a.ahead, func(id string, x ahead) bool { return others[id] != x.version })
	wanted := false
	for id, version := range others {
		if a.ahead[id].version == "" {
			a.ahead[id] = ahead{version, now}
		}
		wanted = wanted || now.Sub(a.ahead[id].since) < Limit
	}
	if wanted {
		signal(a.nudged)
	}
}

// signal sends on a channel with a buffer of one, unless a signal waits already.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // a signal waits already
	}
}

// compareKeys compares the keys of this server with the keys of the others. A stranger looks like a forged
// record. So only a server that is not admitted yet yields to older strangers. It does so only while no
// admitted server shares a key with it.
func (a *Agreement) compareKeys(strangers []Server) {
	was := a.misfit
	self := a.servers[len(a.servers)-1]
	a.misfit = misfits(a.servers)[a.id]
	if a.misfit == nil && !slices.ContainsFunc(a.servers, func(h Server) bool { return h.Admitted }) {
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
		a.options.Log.Error("another server has other snapshot keys; this server is not ready", "other", a.misfit.Address, "their_key", a.misfit.Signs, "advice", ShareKeys)
	case a.misfit == nil && was != nil:
		a.options.Log.Info("the snapshot keys match the keys of the other servers")
	}
}
