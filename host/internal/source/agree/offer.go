package agree

import (
	"context"
	"slices"
)

// offer is a commit of a capability that this server offers to the others.
type offer struct {
	capability string
	commit     Commit
}

// newOffers returns commits that Redis does not have. It has lost them, or they are the first commits of
// their capabilities, or they are new decisions of the servers.
func (a *Agreement) newOffers(now int64) (offers []offer) {
	for id, k := range a.commits {
		if !k.stored {
			offers = append(offers, offer{id, k.Commit})
		}
	}
	wanted := map[string]bool{}
	for i := range a.servers {
		for id := range a.servers[i].Wants {
			wanted[id] = true
		}
	}
	strangers := misfits(a.servers)
	fit := slices.DeleteFunc(slices.Clone(a.servers), func(h Server) bool { return strangers[h.ID] != nil })
	for id, o := range a.opinions {
		k := a.commits[id]
		switch {
		case k == nil && o.Version != "":
			offers = append(offers, offer{id, Commit{Generation: 1, Order: o.Order, Version: o.Version}})
		case k != nil && wanted[id] && o.Version != k.Version:
			if next, decided := decide(id, k.Commit, fit, now); decided && next.Version == o.Version {
				offers = append(offers, offer{id, next})
			}
		}
	}
	return offers
}

// offer stores commits in Redis, each only if Redis still has the value that this server has read. For the
// other commits it reads the present values.
func (a *Agreement) offer(ctx context.Context, list []offer) error {
	keys := a.options.Keys()
	a.mu.Lock()
	entries := make([]entry, len(list))
	for i, o := range list {
		entries[i] = entry{o.capability, a.stored[o.capability], keys.seal(kindCommit, o.capability, o.commit.String())}
	}
	a.mu.Unlock()
	others, err := a.redis.put(ctx, []string{keyCurrent, keyChanges, keyCounter}, entries)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for id, value := range others {
		a.stored[id] = value
	}
	return nil
}
