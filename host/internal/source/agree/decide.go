package agree

import (
	"cmp"
	"slices"
	"time"
)

// Times of an agreement. A host that has not reached Redis for Lease acts alone, and a commit
// comes into force Notice after it was written: Lease must not be longer, so that every host
// either has heard of a commit when it comes into force, or knows that it has not.
const (
	Beat    = 500 * time.Millisecond  // between two messages of a host
	timeout = 400 * time.Millisecond  // of one call of Redis
	Lease   = 1500 * time.Millisecond // without Redis, until a host acts alone
	Notice  = 1500 * time.Millisecond // between a commit and its switch
	Grace   = time.Second             // the same, if what was current was withdrawn
	Limit   = 3 * time.Second         // that hosts wait for those which cannot follow
	Dead    = 5 * time.Second         // without a message, until a host does not count
)

// candidate is a version that hosts want to make current.
type candidate struct {
	Want     // of those hosts together: the highest order, the earliest time
	eligible bool
	yes, no  int // hosts that could serve it, and that have looked since and want another one
}

// decide returns the commit that follows the last one c, if the hosts have come so far. Hosts
// that are not ready do not count, unless no host is.
//
//   - A version is committed when all hosts can serve it. Without signed statements nothing
//     else tells which of two versions is newer.
//   - After Limit it is committed without the others, if it is known to be newer and half of
//     the hosts can serve it. Less than half wait: it is better to answer all calls from the
//     version before than to lose most hosts.
//   - What replaces a withdrawn version is committed at once.
//
// A version is known to be newer by the number of a signed statement. Without one, a host must
// have seen the registry change from what is agreed to this version, and more hosts must see
// that than still see something else. So a registry that lags behind never moves the service.
func decide(capability string, c Commit, hosts []Host, now int64) (Commit, bool) {
	electors := slices.Clone(hosts)
	if slices.ContainsFunc(hosts, func(h Host) bool { return h.Ready }) {
		electors = slices.DeleteFunc(electors, func(h Host) bool { return !h.Ready })
	}
	list := candidates(capability, c, hosts)
	slices.SortFunc(list, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.Order, a.Order), cmp.Compare(b.Since, a.Since), cmp.Compare(a.Version, b.Version))
	})
	for _, x := range list {
		x.count(capability, electors)
		ordered := x.Order > 0 && c.Order > 0
		late := now < x.Since || now-x.Since >= Limit.Milliseconds()
		switch {
		case x.Urgent && x.eligible:
			return c.next(x, now, Grace, len(hosts)), true
		case x.yes == len(electors) && (x.eligible || !ordered):
			return c.next(x, now, Notice, len(hosts)), true
		case x.eligible && late && 2*x.yes >= len(electors) && (ordered || x.yes > x.no):
			return c.next(x, now, Notice, len(hosts)), true
		}
	}
	return Commit{}, false
}

// candidates are the versions that hosts want.
func candidates(capability string, c Commit, hosts []Host) (list []*candidate) {
	for i := range hosts {
		w, wants := hosts[i].Wants[capability]
		if !wants || w.Version == c.Version {
			continue
		}
		j := slices.IndexFunc(list, func(x *candidate) bool { return x.Version == w.Version })
		if j < 0 {
			j, list = len(list), append(list, &candidate{Want: Want{Version: w.Version, Since: w.Since}})
		}
		x := list[j]
		x.Order, x.Since, x.Urgent = max(x.Order, w.Order), min(x.Since, w.Since), x.Urgent || w.Urgent
		x.eligible = x.eligible || w.follows(c)
	}
	return list
}

// follows reports whether what a host wants is known to be newer than a commit.
func (w *Want) follows(c Commit) bool {
	if w.Order > 0 && c.Order > 0 && w.Order != c.Order {
		return w.Order > c.Order
	}
	return w.Base == c.Generation
}

func (x *candidate) count(capability string, electors []Host) {
	for i := range electors {
		h := &electors[i]
		w := h.Wants[capability]
		switch {
		case w.Version == x.Version && w.Prepared:
			x.yes++
		case w.Version != x.Version && h.ReadAt >= x.Since:
			x.no++
		}
	}
}

// next is the commit that makes the candidate current. A host that is the only one need not
// give notice.
func (c Commit) next(x *candidate, now int64, notice time.Duration, hosts int) Commit {
	at := now + notice.Milliseconds()
	if hosts == 1 {
		at = now
	}
	return Commit{Generation: c.Generation + 1, Order: x.Order, Switch: at, Version: x.Version, Was: c.inForce(now)}
}
