// Package feed answers one question: what has happened to the published versions? It tells feed
// readers, newest first, when a version was published, promoted, deprecated, yanked, revoked or
// reinstated, and why.
package feed

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/registry/sign"
)

// Most is how many events a feed has at most: the newest.
const Most = 100

// Kind is what happened.
type Kind string

// The kinds of events.
const (
	Published  Kind = "published"
	Promoted   Kind = "promoted" // made current after it was published
	Deprecated Kind = "deprecated"
	Yanked     Kind = "yanked"
	Revoked    Kind = "revoked"
	Reinstated Kind = "reinstated"
)

// kinds are the events that begin states.
var kinds = map[catalog.State]Kind{catalog.Active: Reinstated, catalog.Deprecated: Deprecated, catalog.Yanked: Yanked, catalog.Revoked: Revoked}

// Event is one thing that happened to a version.
type Event struct {
	Kind     Kind
	Time     time.Time
	Entry    *catalog.Entry
	Release  *catalog.Release
	Standing catalog.Lifecycle // that the event began; zero for Published and Promoted

	source string // what says so, by its digest
}

// Of returns the newest events of capabilities, newest first. What has no date is left out.
func Of(entries []*catalog.Entry) []Event {
	var all []Event
	for _, e := range entries {
		for _, r := range e.Releases {
			all = appendEvents(all, e, r)
		}
	}
	all = slices.DeleteFunc(all, func(e Event) bool { return e.Time.IsZero() })
	slices.SortFunc(all, func(a, b Event) int {
		return cmp.Or(b.Time.Compare(a.Time), strings.Compare(a.Release.Capability, b.Release.Capability), strings.Compare(a.source, b.source))
	})
	return all[:min(Most, len(all))]
}

// appendEvents appends what happened to one release. Statements that do not count have no effect,
// so they are no events.
func appendEvents(all []Event, e *catalog.Entry, r *catalog.Release) []Event {
	add := func(kind Kind, at time.Time, source string, standing catalog.Lifecycle) {
		all = append(all, Event{kind, at.UTC(), e, r, standing, source})
	}
	add(Published, publishedAt(r), r.Digest, catalog.Lifecycle{})
	signed := false
	for i := range r.Evidence {
		switch s := &r.Evidence[i]; {
		case !s.Counts:
		case s.Lifecycle != nil:
			add(kinds[s.Lifecycle.State], s.Lifecycle.Since, s.Digest, *s.Lifecycle)
		case s.Lead != nil && s.Signature != nil && !sameSecond(s.Signature.Time, publishedAt(r)): // which publishing signs, too
			signed = signed || sameSecond(s.Signature.Time, e.Promoted)
			add(Promoted, s.Signature.Time, s.Digest, catalog.Lifecycle{})
		}
	}
	if r.Version == e.Current && !signed {
		add(Promoted, e.Promoted, fmt.Sprintf("%s at %d", r.Digest, e.Promoted.Unix()), catalog.Lifecycle{})
	}
	return all
}

// publishedAt is when a release was published, or signed by its publisher where the registry does
// not know that, as one elsewhere does not. It is zero if nobody says.
func publishedAt(r *catalog.Release) time.Time {
	at := r.Created
	for i := range r.Evidence {
		if e := &r.Evidence[i]; at.IsZero() && e.Kind == sign.Release && e.Counts && e.Signature != nil {
			at = e.Signature.Time
		}
	}
	return at
}

func sameSecond(a, b time.Time) bool { return a.Truncate(time.Second).Equal(b.Truncate(time.Second)) }

// id is a name of the event that is the same wherever its version is served: a UUID of version 8
// (RFC 9562), made of what says that it happened. Not every registry knows when something was
// published, so the time is no part of it.
func (e *Event) id() string {
	h := sha256.Sum256(fmt.Appendf(nil, "%s %s %s %s", e.Release.Capability, e.Release.Version, e.Kind, e.source))
	h[6], h[8] = h[6]&0x0f|0x80, h[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", h[:4], h[4:6], h[6:8], h[8:10], h[10:16])
}

// name is what people call the version.
func (e *Event) name() string {
	title := e.Release.Spec.Title // that of a table
	if shown := e.Entry.Shown(); shown != nil {
		title = shown.Spec.Title
	}
	return cmp.Or(title, e.Release.Capability) + " " + e.Release.Version
}

func (e *Event) title() string {
	kind := string(e.Kind)
	return strings.ToUpper(kind[:1]) + kind[1:] + ": " + e.name()
}

// path is the page of the version, or that of the capability where the version has none.
func (e *Event) path() string {
	path := "/"
	if shown := e.Entry.Shown(); shown != nil {
		path = catalog.PagePath(&shown.Spec)
	} else if e.Release.Table != nil {
		path = "/tables/" + e.Release.Capability
	}
	if path == "/" || !e.Release.Available() {
		return path
	}
	return path + "?calculation_version=" + url.QueryEscape(e.Release.Version)
}

// text tells people what happened and why.
func (e *Event) text() string {
	switch e.Kind {
	case Published:
		return cmp.Or(e.Release.Spec.Changes, e.Release.Spec.Summary)
	case Promoted:
		return fmt.Sprintf("Calls without a pin are answered by version %s from now on.", e.Release.Version)
	case Reinstated:
		return fmt.Sprintf("Version %s is served as before.", e.Release.Version)
	}
	text := catalog.StateText(e.Release.Version, e.Standing)
	if successor := e.Standing.Successor; successor != "" {
		text += fmt.Sprintf(" Use version %s instead.", successor)
	}
	return text
}

// Feed is a list of events, and where it stands.
type Feed struct {
	Title  string
	Base   string // address of the service
	Path   string // of the feed, below Base
	Home   string // path of the page that it belongs to
	Events []Event
}

// Updated is the time of the newest event. A feed without any has always been so.
func (f *Feed) Updated() time.Time {
	if len(f.Events) == 0 {
		return time.Unix(0, 0).UTC()
	}
	return f.Events[0].Time
}
