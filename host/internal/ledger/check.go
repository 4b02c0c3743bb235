package ledger

import (
	"crypto/ed25519"

	"github.com/slipstick/slipstick/host/internal/record"
)

// Fault is what is wrong with a segment.
type Fault string

// The faults. The comment says which further fields of a Finding each sets.
const (
	Damaged     Fault = "damaged"      // a block, or what stands where none may: Err, From is the first record that cannot be read
	Absent      Fault = "missing"      // segments before this one: From and To
	Changed     Fault = "changed"      // records, or their order: From and To
	Miscounted  Fault = "miscounted"   // other than as many records as were signed: From has the number found, To that signed
	OtherHead   Fault = "other_head"   // the first block does not say what was signed
	Unchained   Fault = "unchained"    // it does not follow the segment before
	OtherLedger Fault = "other_ledger" // it belongs to another ledger
	UnknownKey  Fault = "unknown_key"  // nobody vouches for the key that signed it
	LeftOpen    Fault = "open"         // it is not closed: a host writes to it, or was killed
)

// Finding is one fault of one segment.
type Finding struct {
	Segment  *Segment
	Fault    Fault
	From, To uint64
	Err      error
}

// Report is what was found.
type Report struct {
	Segments []*Segment
	Findings []Finding
	Records  uint64 // that could be read
	Lost     uint64 // that the ledger says were lost, beside those of killed hosts
	Killed   int    // times that a host was killed, and lost what it had not written
}

// Check examines a ledger. The function says whether a key is one of the host's; nil knows none.
// No secret is needed.
func Check(dir string, knows func(ed25519.PublicKey) bool) (*Report, error) {
	list, err := numbers(dir)
	if err != nil {
		return nil, err
	}
	c := &Report{}
	next := uint64(1)
	var previous *Segment
	for _, number := range list {
		s, err := readSegment(dir, number, c.count)
		if err != nil {
			return nil, err
		}
		if number != next {
			c.Findings = append(c.Findings, Finding{Segment: s, Fault: Absent, From: next, To: number - 1})
			previous = nil
		}
		c.segment(s, previous, knows)
		s.leaves = nil
		c.Segments, previous, next = append(c.Segments, s), s, number+1
	}
	return c, nil
}

// count counts a record.
func (c *Report) count(_ *Segment, _ uint64, data []byte) error {
	c.Records++
	if r, err := record.Parse(data); err == nil && r.Kind == record.Lost {
		c.Lost += r.Count
	}
	return nil
}

// segment examines one segment. The one before is nil if it is missing.
func (c *Report) segment(s, previous *Segment, knows func(ed25519.PublicKey) bool) {
	add := func(f Finding) {
		f.Segment = s
		c.Findings = append(c.Findings, f)
	}
	if s.Killed {
		c.Killed++
	}
	if s.Problem != nil {
		add(Finding{Fault: Damaged, From: s.Records, Err: s.Problem})
	}
	if previous != nil && s.Size > 0 && s.Ledger != previous.Ledger && previous.Ledger != "" {
		add(Finding{Fault: OtherLedger})
	} else if previous != nil && previous.Signed != nil && s.Size > 0 && s.Previous != previous.Signed.hash() {
		add(Finding{Fault: Unchained})
	}
	switch {
	case s.Signed == nil && s.Problem == nil:
		add(Finding{Fault: LeftOpen})
		return
	case s.Statement == nil:
		return
	}
	if s.Statement.Header != s.Header {
		add(Finding{Fault: OtherHead})
	}
	if !s.Deleted {
		c.records(s, add)
	}
	if knows == nil || !knows(s.Signed.PublicKey) {
		add(Finding{Fault: UnknownKey})
	}
}

// records compares the records with those that were signed.
func (c *Report) records(s *Segment, add func(Finding)) {
	if s.Records != s.Statement.Records {
		add(Finding{Fault: Miscounted, From: s.Records, To: s.Statement.Records})
	}
	signed, tiles := s.Statement.Tiles, tilesOf(s.leaves)
	for i := range min(len(tiles), len(signed)) {
		if tiles[i] != signed[i] {
			from := uint64(i) * tileSize
			add(Finding{Fault: Changed, From: from, To: min(from+tileSize, max(s.Records, s.Statement.Records)) - 1})
			if s.Records != s.Statement.Records {
				return // all behind it are at another place
			}
		}
	}
}
