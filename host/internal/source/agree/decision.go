package agree

import (
	"maps"
	"slices"
	"time"
)

// Decision is the version of a capability that a server serves to calls without a pin.
type Decision struct {
	Version   string // "" if the server refuses these calls
	OutOfDate bool   // it refuses them, because the other servers serve a version that it does not have
}

// Settle decides on each capability, from the opinions of this server's registry. If this server was
// stopped, it continues with the versions that it served until it has read the agreement from Redis.
func (a *Agreement) Settle(list []Opinion) map[string]Decision {
	a.mu.Lock()
	defer a.mu.Unlock()
	alone, stopped, now := a.alone(), a.stopped(), a.localTime(a.options.Now())
	a.settled, a.settledAlone, a.settledStopped = now, alone, stopped
	decided := make(map[string]Decision, len(list))
	news := false
	for i := range list {
		o := a.opinions[list[i].Capability]
		if o == nil {
			o = new(opinion)
			a.opinions[list[i].Capability] = o
			news = news || a.commits[list[i].Capability] == nil
		}
		if o.Version != list[i].Version {
			o.since = 0
		}
		served, wanted := o.served, o.Opinion
		o.Opinion = list[i]
		k := a.commits[o.Capability]
		if _, serveable := o.Serves(served); !stopped || !serveable && !o.outOfDate {
			o.settle(k, alone, now)
		}
		if o.served != served && served != "" {
			a.count(o, k, now)
		}
		news = news || wanted.Version != o.Version || wanted.Prepared != o.Prepared
		decided[o.Capability] = Decision{o.served, o.outOfDate}
	}
	if len(a.opinions) > len(list) {
		maps.DeleteFunc(a.opinions, func(id string, _ *opinion) bool { _, listed := decided[id]; return !listed })
	}
	if news {
		signal(a.woken)
	}
	return decided
}

// count counts a change of the served version.
func (a *Agreement) count(o *opinion, k *known, now int64) {
	a.switches++
	if k != nil && o.served == k.Version {
		a.late = time.Duration(max(0, now-k.until)) * time.Millisecond
	}
}

// State is the state of the agreement at this server.
type State struct {
	Alone     bool     // Redis does not answer, or never did
	OutOfDate []string // capabilities for which the other servers serve a version that this one does not have
	Waiting   []string // capabilities with another current version in the registry than the agreed one
	Hosts     int      // servers that are alive, including this one

	Misfit  *Server // a server with other keys of snapshots; nil if there is none
	Signs   string  // fingerprint of the signing key of this server
	Refused int     // versions with other bytes than a server saw first
	Forged  uint64  // reads of values in Redis without a valid seal
	Changes uint64  // changes of served versions

	Late time.Duration // delay of the last change at this server, after its time
}

// State returns the present state.
func (a *Agreement) State() State {
	signs := a.options.Keys().Signs
	a.mu.Lock()
	defer a.mu.Unlock()
	s := State{Alone: a.alone(), Hosts: len(a.servers), Misfit: a.misfit, Signs: signs, Refused: len(a.digests.refused), Forged: a.forged, Changes: a.switches, Late: a.late}
	for _, id := range slices.Sorted(maps.Keys(a.opinions)) {
		o := a.opinions[id]
		_, wants := o.want(a.commits[id])
		switch {
		case o.outOfDate:
			s.OutOfDate = append(s.OutOfDate, id)
		case wants:
			s.Waiting = append(s.Waiting, id)
		}
	}
	return s
}

// ShareKeys is an advice for the operator: how to give servers the same keys of snapshots.
const ShareKeys = "copy the files keys/snapshot-*.key from the --data directory of one server to the others, or give all servers the same --snapshot-key"
