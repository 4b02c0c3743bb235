package agree

import (
	"maps"
	"slices"
	"time"
)

// Decision is what a host serves of a capability without a pin.
type Decision struct {
	Version   string // "" if nothing
	OutOfDate bool   // nothing, because the other hosts serve what this one does not have
}

// Settle takes what the registry says of all capabilities, and decides on each. A host that
// was stopped goes on with what it served, until it has asked what the others have done.
func (a *Agreement) Settle(list []Opinion) map[string]Decision {
	a.mu.Lock()
	defer a.mu.Unlock()
	alone, stopped, now := a.alone(), a.stopped(), a.localTime(a.options.Now())
	a.settled, a.apart, a.guessed = now, alone, stopped
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
		if _, keep := o.Serves(served); !stopped || !keep && !o.outOfDate {
			o.settle(k, alone, now)
		}
		if o.served != served && served != "" {
			a.count(o, k, now)
		}
		news = news || wanted.Version != o.Version || wanted.Prepared != o.Prepared
		decided[o.Capability] = Decision{o.served, o.outOfDate}
	}
	if len(a.opinions) > len(list) {
		maps.DeleteFunc(a.opinions, func(id string, _ *opinion) bool { _, still := decided[id]; return !still })
	}
	if news {
		signal(a.woken)
	}
	return decided
}

// count counts a change of what is served.
func (a *Agreement) count(o *opinion, k *known, now int64) {
	a.switches++
	if k != nil && o.served == k.Version {
		a.late = time.Duration(max(0, now-k.until)) * time.Millisecond
	}
}

// State is how far this host agrees with the others.
type State struct {
	Alone     bool     // Redis does not answer, or never did
	OutOfDate []string // capabilities of which the others serve a version that this host does not have
	Waiting   []string // capabilities of which the registry says more than is agreed
	Hosts     int      // alive, this one included

	Misfit  *Host  // a host whose keys of snapshots differ; nil if there is none
	Signs   string // fingerprint of the key with which this host signs
	Refused int    // versions whose bytes are others than those that a host saw first
	Forged  uint64 // values read from Redis without a valid seal, as often as they were read
	Changes uint64 // of served versions

	Late time.Duration // from when the last change came into force until this host made it
}

// State returns the state of now.
func (a *Agreement) State() State {
	signs := a.options.Keys().Signs
	a.mu.Lock()
	defer a.mu.Unlock()
	s := State{Alone: a.alone(), Hosts: len(a.hosts), Misfit: a.misfit, Signs: signs, Refused: len(a.digests.refused), Forged: a.forged, Changes: a.switches, Late: a.late}
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

// ShareKeys says how servers get the same keys of snapshots.
const ShareKeys = "copy the files keys/snapshot-*.key from the --data directory of one server to the others, or give all servers the same --snapshot-key"
