package agree

import "slices"

// answer returns commits that Redis does not have: those that it has lost, those of
// capabilities about which nothing is agreed yet, and those that the hosts have come to.
func (a *Agreement) answer(renewed bool, now int64) (offers []offer) {
	if renewed {
		for id, k := range a.commits {
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
