package agree

import (
	"context"
	"slices"
)

// offer is a commit of a capability.
type offer struct {
	capability string
	commit     Commit
}

// answer returns commits that Redis does not have: those that it has lost, those of
// capabilities about which nothing is agreed yet, and those that the hosts have come to.
func (a *Agreement) answer(now int64) (offers []offer) {
	for id, k := range a.commits {
		if !k.kept {
			offers = append(offers, offer{id, k.Commit})
		}
	}
	wanted := map[string]bool{}
	for i := range a.hosts {
		for id := range a.hosts[i].Wants {
			wanted[id] = true
		}
	}
	strangers := misfits(a.hosts)
	fit := slices.DeleteFunc(slices.Clone(a.hosts), func(h Host) bool { return strangers[h.ID] != nil })
	for id, o := range a.opinions {
		k := a.commits[id]
		switch {
		case k == nil && o.Version != "":
			offers = append(offers, offer{id, Commit{Generation: 1, Order: o.Order, Version: o.Version}})
		case k != nil && wanted[id] && o.Version != k.Version:
			if next, come := decide(id, k.Commit, fit, now); come && next.Version == o.Version {
				offers = append(offers, offer{id, next})
			}
		}
	}
	return offers
}

// offer stores commits in place of what this host has read, and reads what is there otherwise.
func (a *Agreement) offer(ctx context.Context, list []offer) error {
	keys := a.options.Keys()
	a.mu.Lock()
	entries := make([]entry, len(list))
	for i, o := range list {
		entries[i] = entry{o.capability, a.kept[o.capability], keys.seal(kindCommit, o.capability, o.commit.String())}
	}
	a.mu.Unlock()
	others, err := a.redis.put(ctx, []string{keyCurrent, keyChanges, keyCounter}, entries)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for id, value := range others {
		a.kept[id] = value
	}
	return nil
}
