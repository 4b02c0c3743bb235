package ledger

import (
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/record"
)

// Filter selects records. An empty field selects all.
type Filter struct {
	Capability string
	Version    string
	Request    string // id of the request
	Receipt    string // whole, or without the key
	Code       string // of a rejection
	Since      *time.Time
	Until      *time.Time
}

// has reports whether the filter selects the record.
func (f *Filter) has(s *Segment, leaf uint64, r *record.Record) bool {
	place := s.Place(leaf)
	is := func(want, got string) bool { return want == "" || want == got }
	var of record.Release
	if r.Release != nil {
		of = *r.Release
	}
	return is(f.Capability, of.Capability) && is(f.Version, of.Version) && is(f.Request, r.Request) && is(f.Code, r.Outcome.Code) &&
		(f.Receipt == "" || f.Receipt == place || len(f.Receipt) > len(place) && f.Receipt[:len(place)+1] == place+"-") &&
		(f.Since == nil || !r.Time.Before(*f.Since)) && (f.Until == nil || r.Time.Before(*f.Until))
}

// Each is like [Each], but only for the selected records.
func (f *Filter) Each(dir string, do func(s *Segment, leaf uint64, r *record.Record) error) error {
	return Each(dir, func(s *Segment, leaf uint64, r *record.Record) error {
		if !f.has(s, leaf, r) {
			return nil
		}
		return do(s, leaf, r)
	})
}
