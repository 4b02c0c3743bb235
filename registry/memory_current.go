package registry

import "cmp"

// led is the last signed statement that made a version current, as it was seen.
type led struct {
	Sequence uint64 `json:"sequence"`
	Version  string `json:"version,omitempty"` // "" if that was withdrawn later, and no other made current
}

// checkLead makes current what was current by the last statement that was seen, if the
// registry no longer has that statement, or has another one with its number. A version
// that is not served is not made current.
func (m *Memory) checkLead(c *Capability, was *led) error {
	if !c.Sequenced || was == nil || c.led > was.Sequence {
		return nil
	}
	if c.led == was.Sequence && !c.unread && (c.Current == "" || c.Current == was.Version) {
		return nil
	}
	said := c.Current
	c.Current = ""
	if rel, err := find(c.Releases, was.Version); err == nil && rel.Lifecycle.Serves() {
		c.Current = was.Version
	}
	if c.unread { // which is a problem of its own
		return nil
	}
	return m.lost("current is %s by the signed statement %d, and the registry now says %s by the statement %d",
		cmp.Or(was.Version, "none"), was.Sequence, cmp.Or(said, "none"), c.led)
}

// learnLead remembers the last statement that made a version current, or that this one was
// withdrawn since, and reports whether that is new.
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
