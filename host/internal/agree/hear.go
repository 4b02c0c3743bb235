package agree

import (
	"maps"
	"slices"
	"time"
)

// message is what is told.
func (a *Agreement) message() message {
	keys := a.options.Keys()
	ready := a.options.Ready == nil || a.options.Ready()
	looked := a.options.Looked()
	a.mu.Lock()
	defer a.mu.Unlock()
	h := Host{
		ID: a.id, Address: a.options.Address, Joined: a.joined, Signs: keys.Signs, Knows: keys.Knows,
		Ready: ready && a.misfit == nil, Wants: map[string]Want{},
	}
	if !looked.IsZero() && !a.mid.IsZero() {
		h.Looked = max(0, a.redisTime(looked))
	}
	for _, id := range slices.Sorted(maps.Keys(a.opinions)) {
		o := a.opinions[id]
		h.Ready = h.Ready && !o.behind
		w, wants := o.want(a.commits[id])
		if !wants {
			o.since = 0
			continue
		}
		if o.since == 0 && !a.mid.IsZero() {
			o.since = a.redisTime(a.options.Now())
		}
		if w.Since = o.since; len(h.Wants) < maxWants {
			h.Wants[id] = w
		}
	}
	return message{host: h, epoch: a.epoch, counter: a.counter}
}

// redisTime is what Redis's clock shows at a time of ours, about.
func (a *Agreement) redisTime(t time.Time) int64 { return a.clock + t.Sub(a.mid).Milliseconds() }

// localTime is milliseconds of our own clock, which never jumps.
func (a *Agreement) localTime(t time.Time) int64 { return t.Sub(a.began).Milliseconds() }

// hear takes what Redis says, and returns what this host has to say to it.
func (a *Agreement) hear(r *reply, began time.Time) (offers []offer, more bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.options.Now()
	a.mid, a.clock = began.Add(now.Sub(began)/2), r.now
	if a.joined == 0 {
		a.joined = r.now
	}
	renewed := r.epoch != a.epoch || r.counter < a.counter
	if renewed {
		a.digests.forget()
	}
	a.epoch, a.counter, a.hosts = r.epoch, r.last, r.hosts
	for id, c := range r.changes {
		if k := a.commits[id]; k == nil || c.newer(k.Commit) {
			wait := min(max(0, c.Switch-r.now), Notice.Milliseconds())
			a.commits[id], a.news = &known{c, a.localTime(a.mid) + wait}, true
			if o := a.opinions[id]; o != nil && o.Version == c.Version {
				o.step = c.Generation
			}
		} else if k.newer(c) {
			offers = append(offers, offer{id, k.Commit})
		}
	}
	if r.last < r.counter {
		return offers, true
	}
	a.compareKeys()
	a.listen(now)
	return append(offers, a.answer(renewed, r.now)...), false
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

// compareKeys notes whether the keys of this host fit to those of the others.
func (a *Agreement) compareKeys() {
	was := a.misfit
	a.misfit = misfits(a.hosts)[a.id]
	switch {
	case a.misfit != nil && was == nil:
		a.options.Log.Error("the keys of snapshots differ from those of another host; this host is not ready", "other", a.misfit.Address, "their_key", a.misfit.Signs, "advice", ShareKeys)
	case a.misfit == nil && was != nil:
		a.options.Log.Info("the keys of snapshots fit to those of the other hosts")
	}
}
