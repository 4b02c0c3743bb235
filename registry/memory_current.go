package registry

import "cmp"

// led is the last signed statement seen that made a version current.
type led struct {
	Sequence uint64 `json:"sequence"`
	Version  string `json:"version,omitempty"` // "" if that version was withdrawn later and no other made current
}

// checkLead restores the current version of the last statement seen. It does so if the
// registry has lost that statement, or has another one with the same number. A version that is
// no longer served does not become current. The error describes the loss.
func (m *Memory) checkLead(c *Capability, was *led) error {
	if !c.Sequenced || was == nil || c.led > was.Sequence {
		return nil
	}
	if c.led == was.Sequence && !c.unread && (c.Current == "" || c.Current == was.Version) {
		return nil
	}
	found := c.Current
	c.Current = ""
	if rel, err := find(c.Releases, was.Version); err == nil && rel.Lifecycle.Serves() {
		c.Current = was.Version
	}
	if c.unread { // already reported as a problem
		return nil
	}
	return m.lost("current is %s by the signed statement %d, and the registry now has %s by the statement %d",
		cmp.Or(was.Version, "none"), was.Sequence, cmp.Or(found, "none"), c.led)
}

// learnLead remembers the last statement that made a version current, or a later withdrawal
// of that version, and reports whether either is new.
func (r *remembered) learnLead(c *Capability) bool {
	if !c.Sequenced || c.unread || c.led == 0 {
		return false
	}
	was := r.Lead
	if was != nil && (c.led < was.Sequence || c.led == was.Sequence && (c.Current != "" || was.Version == "")) {
		return false
	}
	r.Lead = &led{c.led, c.Current}
	return true
}
