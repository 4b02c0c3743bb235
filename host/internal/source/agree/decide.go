package agree

import (
	"cmp"
	"slices"
	"time"
)

// Times of an agreement. A server that has not reached Redis for Lease acts alone. A commit takes effect
// Notice after it was written. Lease must not be longer than Notice. So when a commit takes effect, each
// server either has read it, or knows that it is alone.
const (
	Beat    = 500 * time.Millisecond  // between two messages of a server
	timeout = 400 * time.Millisecond  // for one call of Redis
	Lease   = 1500 * time.Millisecond // without Redis, until a server acts alone
	Notice  = 1500 * time.Millisecond // between a commit and its switch
	Grace   = time.Second             // instead of Notice, if the current version was withdrawn
	Limit   = 3 * time.Second         // how long servers wait for servers that cannot follow
	Dead    = 5 * time.Second         // without a message, until a server does not count
)

// candidate is a version that servers want to make current.
type candidate struct {
	Want          // of these servers together: the highest order, the earliest time
	eligible bool // known to be newer than the last commit
	yes, no  int  // servers that can serve it; servers with newer data that want another version
}

// decide returns the commit that follows the last commit c, if the servers have agreed on one. Servers that
// are not ready do not count, unless no server is ready.
//
//   - A version is committed when all servers can serve it. Without signed statements there is no other
//     sign which of two versions is newer.
//   - After Limit it is committed without the other servers, if it is known to be newer and half of the
//     servers can serve it. With less than half, the servers wait: it is better to answer all calls from
//     the version before than to lose most servers.
//   - The replacement of a withdrawn version is committed at once.
//
// The number of a signed statement shows that a version is newer. Without one, a server must have seen
// its registry change from the agreed version to this one. Also, more servers must see this version than
// still see another one. So an outdated registry never changes the version of the service.
func decide(capability string, c Commit, servers []Server, now int64) (Commit, bool) {
	electors := slices.Clone(servers)
	if slices.ContainsFunc(servers, func(h Server) bool { return h.Ready }) {
		electors = slices.DeleteFunc(electors, func(h Server) bool { return !h.Ready })
	}
	list := candidates(capability, c, servers)
	slices.SortFunc(list, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.Order, a.Order), cmp.Compare(b.Since, a.Since), cmp.Compare(a.Version, b.Version))
	})
	for _, x := range list {
		x.count(capability, electors)
		ordered := x.Order > 0 && c.Order > 0
		late := now < x.Since || now-x.Since >= Limit.Milliseconds()
		switch {
		case x.Urgent && x.eligible:
			return c.next(x, now, Grace, len(servers)), true
		case x.yes == len(electors) && (x.eligible || !ordered):
			return c.next(x, now, Notice, len(servers)), true
		case x.eligible && late && 2*x.yes >= len(electors) && (ordered || x.yes > x.no):
			return c.next(x, now, Notice, len(servers)), true
		}
	}
	return Commit{}, false
}

// candidates returns the versions that servers want, other than the version of the last commit.
func candidates(capability string, c Commit, servers []Server) (list []*candidate) {
	for i := range servers {
		w, wants := servers[i].Wants[capability]
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

// follows reports whether the wanted version is known to be newer than a commit.
func (w *Want) follows(c Commit) bool {
	if w.Order > 0 && c.Order > 0 && w.Order != c.Order {
		return w.Order > c.Order
	}
	return w.Base == c.Generation
}

func (x *candidate) count(capability string, electors []Server) {
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

// next returns the commit that makes the candidate current. With a single server it takes effect at once.
func (c Commit) next(x *candidate, now int64, notice time.Duration, servers int) Commit {
	at := now + notice.Milliseconds()
	if servers == 1 {
		at = now
	}
	return Commit{Generation: c.Generation + 1, Order: x.Order, Switch: at, Version: x.Version, Was: c.current(now)}
}
