package agree

// Opinion is what the registry of this host says of a capability.
type Opinion struct {
	Capability string
	Version    string // that is current; "" if none is
	Order      uint64 // number of the signed statement that says so; 0 if there is none
	Prepared   bool   // the version can be served

	// Serves reports whether the host knows a version, and whether it may still be served
	// without a pin.
	Serves func(version string) (known, serves bool)
}

// opinion is an Opinion with what came of it.
type opinion struct {
	Opinion
	served    string // what was decided last; "" if nothing
	outOfDate bool   // the other hosts serve what this one does not
	step      uint64 // generation of the last commit with which the registry agreed
	since     int64  // when Version was first wanted; 0 if the others have to be told
	urgent    bool
}

// known is a commit that this host has heard of.
type known struct {
	Commit
	until int64 // when it comes into force, in ms of the clock of this host
	kept  bool  // Redis has it
}

// settle decides what is served. A host never serves what its registry does not say: it serves
// what the registry says now, or goes on with what it said before, or serves nothing without a
// pin. Before a switch it goes on with what it serves.
func (o *opinion) settle(c *known, alone bool, now int64) {
	o.outOfDate, o.urgent = false, false
	if c != nil && o.Version == c.Version {
		o.step = c.Generation
	}
	_, keep := o.Serves(o.served)
	switch {
	case o.Version == "":
		o.served = ""
		return
	case alone || c == nil:
		if o.Prepared || !keep {
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
		if !keep {
			o.served = o.Version
		}
		o.urgent = o.served == o.Version // not what is promoted before that is agreed on
	case keep && (o.served == in || before && o.served == c.Version):
	case o.Version == in && o.Prepared:
		o.served = in
	default:
		o.served, o.outOfDate = "", true
	}
}

// want is what the others are told: nothing, if the registry says what is agreed.
func (o *opinion) want(c *known) (Want, bool) {
	if c == nil || o.Version == "" || o.Version == c.Version {
		return Want{}, false
	}
	return Want{Version: o.Version, Order: o.Order, Base: o.step, Since: o.since, Prepared: o.Prepared, Urgent: o.urgent}, true
}
