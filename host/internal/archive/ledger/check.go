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

// Fault is a kind of fault in a segment.
type Fault string

// The faults. Each comment lists, after the colon, the fields of a [Finding] that are set.
const (
	Damaged     Fault = "damaged"      // a damaged block, or a block at an invalid position: Err, From is the first record that cannot be read
	Absent      Fault = "missing"      // missing segments before this segment: From and To
	Changed     Fault = "changed"      // changed or reordered records: From and To
	Miscounted  Fault = "miscounted"   // a wrong number of records: From is the number found, To the signed number
	OtherHead   Fault = "other_head"   // the first block differs from the signed statement
	Renamed     Fault = "renamed"      // the releases of the segment differ from the signed statement: From is the first
	Unchained   Fault = "unchained"    // the segment does not follow the previous segment
	OtherLedger Fault = "other_ledger" // the segment belongs to another ledger
	UnknownKey  Fault = "unknown_key"  // the key that signed the segment is not known: Err
	BadStamp    Fault = "bad_stamp"    // the timestamp is not valid: Err
	Unstamped   Fault = "unstamped"    // neither this segment nor a later one has a timestamp
	LeftOpen    Fault = "open"         // the segment is not closed: a server writes to it, or was killed
)

var errNoKeys = errors.New("no public keys of the server were given to check the signature")

// Finding is one fault of one segment.
type Finding struct {
	Segment  *Segment
	Fault    Fault
	From, To uint64
	Err      error
}

// Report is the result of a check.
type Report struct {
	Segments []*Segment
	Findings []Finding
	Records  uint64 // number of records that could be read
	Lost     uint64 // number of records that the ledger recorded as lost; it does not include losses of killed servers
	Killed   int    // number of times that a server was killed, and lost the records that it had not written
}

// Vouch returns an error unless the key was a key of the server at the time.
type Vouch func(key ed25519.PublicKey, at time.Time) error

// CheckOptions are options of [Check]. With the zero value, only the consistency of the ledger is
// checked.
type CheckOptions struct {
	Vouch Vouch // nil: every key is unknown

	// Stamped returns the time in a timestamp of the digest. If it is nil, timestamps are not
	// checked.
	Stamped func(stamp []byte, digest [tlog.HashSize]byte) (time.Time, error)
}

// Check verifies a ledger. It needs no secret.
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

// stamp checks the timestamp of a segment, if there is one.
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

// unstamped finds the closed segments after the last segment with a timestamp. That timestamp also
// covers all earlier segments.
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

// segment checks one segment. If the previous segment is missing, previous is nil.
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

// records compares the records with the signed statement.
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
				return // all later records are at another position
			}
		}
	}
}
