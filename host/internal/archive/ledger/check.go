package ledger

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/slipstick/slipstick/host/internal/calc/record"
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
	Renamed     Fault = "renamed"      // the releases that records name are not those that were signed: From is the first
	Unchained   Fault = "unchained"    // it does not follow the segment before
	OtherLedger Fault = "other_ledger" // it belongs to another ledger
	UnknownKey  Fault = "unknown_key"  // nobody vouches for the key that signed it: Err
	BadStamp    Fault = "bad_stamp"    // what somebody else said of it cannot be believed: Err
	Unstamped   Fault = "unstamped"    // nobody else has said anything of it, nor of one behind it
	LeftOpen    Fault = "open"         // it is not closed: a host writes to it, or was killed
)

var errNoKeys = errors.New("no keys of the host were given to check who signed it")

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

// Vouch says whether a key was one of the host's at a time. The error says why not.
type Vouch func(key ed25519.PublicKey, at time.Time) error

// CheckOptions say what a ledger is compared with. The zero value compares it with itself.
type CheckOptions struct {
	Vouch Vouch // nil: every key is unknown

	// Stamped returns when somebody else had seen a digest; nil: stamps are not looked at.
	Stamped func(stamp []byte, digest [tlog.HashSize]byte) (time.Time, error)
}

// Check examines a ledger. No secret is needed.
func Check(dir string, o *CheckOptions) (*Report, error) {
	if o == nil {
		o = &CheckOptions{}
	}
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
		c.segment(s, previous, o.Vouch)
		if o.Stamped != nil && s.Signed != nil {
			if err := c.stamp(dir, s, o); err != nil {
				return nil, err
			}
		}
		s.leaves = nil
		c.Segments, previous, next = append(c.Segments, s), s, number+1
	}
	if o.Stamped != nil {
		c.unstamped()
	}
	return c, nil
}

// stamp examines the stamp of a segment, if there is one.
func (c *Report) stamp(dir string, s *Segment, o *CheckOptions) error {
	stamp, err := readStamp(dir, s.Segment)
	if err != nil || stamp == nil {
		return err
	}
	s.Stamped, err = o.Stamped(stamp, s.Signed.hash())
	if err != nil {
		c.Findings = append(c.Findings, Finding{Segment: s, Fault: BadStamp, Err: err})
	}
	return nil
}

// unstamped finds the segments behind the last one that is stamped. That stamp is one of all before it.
func (c *Report) unstamped() {
	for _, s := range slices.Backward(c.Segments) {
		if !s.Stamped.IsZero() {
			return
		}
		if s.Signed != nil {
			c.Findings = append(c.Findings, Finding{Segment: s, Fault: Unstamped})
		}
	}
}

// count counts a record.
func (c *Report) count(s *Segment, _ uint64, data []byte) error {
	r, err := record.Parse(data, &s.releases)
	if err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	c.Records++
	c.Lost += r.Count
	return nil
}

// segment examines one segment. The one before is nil if it is missing.
func (c *Report) segment(s, previous *Segment, vouch Vouch) {
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
	if vouch == nil {
		add(Finding{Fault: UnknownKey, Err: errNoKeys})
	} else if err := vouch(s.Signed.PublicKey, s.Statement.Closed); err != nil {
		add(Finding{Fault: UnknownKey, Err: err})
	}
}

// records compares the records with those that were signed.
func (c *Report) records(s *Segment, add func(Finding)) {
	if s.Records != s.Statement.Records {
		add(Finding{Fault: Miscounted, From: s.Records, To: s.Statement.Records})
	}
	for i, id := range s.ids {
		if i >= len(s.Statement.Releases) || s.Statement.Releases[i] != id {
			add(Finding{Fault: Renamed, From: uint64(i)})
			break
		}
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
