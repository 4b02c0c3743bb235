package agree

// Opinion describes a capability in the registry of this server.
type Opinion struct {
	Capability string
	Version    string // the current version; "" if there is none
	Order      uint64 // number of the signed statement that made it current; 0 if there is none
	Prepared   bool   // this server can serve the version

	// Serves reports whether the server knows a version, and whether the version can be served without a
	// pin.
	Serves func(version string) (known, serves bool)
}

// opinion is an [Opinion] with its decision.
type opinion struct {
	Opinion
	served    string // the version of the last decision; "" if none
	outOfDate bool   // the other servers serve a version that this one does not serve
	base      uint64 // generation of the last commit with this registry's version
	since     int64  // when Version was first wanted; 0 if that is not recorded yet
	urgent    bool   // served before the commit, because the version before must not be served
}

// known is a commit that this server has read or offered.
type known struct {
	Commit
	until  int64 // when it takes effect, in ms of the clock of this server
	stored bool  // Redis has this commit
}

// settle decides which version is served. A server serves the current version of its registry, or continues
// with an earlier current version of it, or refuses calls without a pin. Before the switch of a commit it
// continues with the version that it serves.
func (o *opinion) settle(c *known, alone bool, now int64) {
	o.outOfDate, o.urgent = false, false
	if c != nil && o.Version == c.Version {
		o.base = c.Generation
	}
	_, serveable := o.Serves(o.served)
	switch {
	case o.Version == "":
		o.served = ""
		return
	case alone || c == nil:
		if o.Prepared || !serveable {
			o.served = o.Version
		}
		o.urgent = c != nil && o.served != c.Version && (now >= c.until || o.served != c.Was)
		return
	}
	in, before := c.Version, now < c.until
	if before {
		in = c.Was
	}
	listed, serves := o.Serves(in)
	switch {
	case listed && !serves && in != o.Version:
		if !serveable {
			o.served = o.Version
		}
		o.urgent = o.served == o.Version // a later promotion is not urgent: it waits for the agreement
	case serveable && (o.served == in || before && o.served == c.Version):
	case o.Version == in && o.Prepared:
		o.served = in
	default:
		o.served, o.outOfDate = "", true
	}
}

// want returns the version for the other servers, if it differs from the agreed version.
func (o *opinion) want(c *known) (Want, bool) {
	if c == nil || o.Version == "" || o.Version == c.Version {
		return Want{}, false
	}
	return Want{Version: o.Version, Order: o.Order, Base: o.base, Since: o.since, Prepared: o.Prepared, Urgent: o.urgent}, true
}
