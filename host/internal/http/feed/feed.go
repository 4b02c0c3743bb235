// Package feed builds Atom and JSON feeds of the events of published versions, newest first. Subscribers see
// when and why a version was published, promoted, deprecated, yanked, revoked or reinstated. [Of] collects the
// events; [Feed.Atom] and [Feed.JSON] write them.
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

// MaxEvents is the maximum number of events in a feed. The newest are kept.
const MaxEvents = 100

// Kind is the kind of an event.
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

// kinds has the event that starts each state.
var kinds = map[catalog.State]Kind{catalog.Active: Reinstated, catalog.Deprecated: Deprecated, catalog.Yanked: Yanked, catalog.Revoked: Revoked}

// Event is a change of a version.
type Event struct {
	Kind    Kind
	Time    time.Time
	Entry   *catalog.Entry
	Release *catalog.Release
	Status  catalog.Lifecycle // status after the event; zero for Published and Promoted

	source string // digest of the statement or manifest that records the event
}

// Of returns the newest events of capabilities, newest first. It leaves out events without a date.
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
	return all[:min(MaxEvents, len(all))]
}

// appendEvents appends the events of one release. Statements that do not count have no effect, so they are not
// events.
func appendEvents(all []Event, e *catalog.Entry, r *catalog.Release) []Event {
	add := func(kind Kind, at time.Time, source string, status catalog.Lifecycle) {
		all = append(all, Event{kind, at.UTC(), e, r, status, source})
	}
	add(Published, publishedAt(r), r.Digest, catalog.Lifecycle{})
	signed := false
	for i := range r.Evidence {
		switch s := &r.Evidence[i]; {
		case !s.Counts:
		case s.Lifecycle != nil:
			add(kinds[s.Lifecycle.State], s.Lifecycle.Since, s.Digest, *s.Lifecycle)
		case s.Lead != nil && s.Signature != nil && !sameSecond(s.Signature.Time, publishedAt(r)): // publishing signs this statement too
			signed = signed || sameSecond(s.Signature.Time, e.Promoted)
			add(Promoted, s.Signature.Time, s.Digest, catalog.Lifecycle{})
		}
	}
	if r.Version == e.Current && !signed {
		add(Promoted, e.Promoted, fmt.Sprintf("%s at %d", r.Digest, e.Promoted.Unix()), catalog.Lifecycle{})
	}
	return all
}

// publishedAt returns when a release was published. If the registry does not record this, as remote registries
// do not, it returns when the publisher signed the release. It is zero if neither is known.
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

// id returns the name of the event. It is the same wherever its version is served: a UUID of version 8 (RFC
// 9562) from the digest of the record. The time is not part of it, because not every registry records when a
// version was published.
func (e *Event) id() string {
	h := sha256.Sum256(fmt.Appendf(nil, "%s %s %s %s", e.Release.Capability, e.Release.Version, e.Kind, e.source))
	h[6], h[8] = h[6]&0x0f|0x80, h[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", h[:4], h[4:6], h[6:8], h[8:10], h[10:16])
}

// name returns the title of the capability with the version.
func (e *Event) name() string {
	title := e.Release.Spec.Title // title of a table
	if shown := e.Entry.Shown(); shown != nil {
		title = shown.Spec.Title
	}
	return cmp.Or(title, e.Release.Capability) + " " + e.Release.Version
}

func (e *Event) title() string {
	kind := string(e.Kind)
	return strings.ToUpper(kind[:1]) + kind[1:] + ": " + e.name()
}

// path returns the path of the version's page, or of the capability's page if the version has none.
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

// text describes the event and its reason.
func (e *Event) text() string {
	switch e.Kind {
	case Published:
		return cmp.Or(e.Release.Spec.Changes, e.Release.Spec.Summary)
	case Promoted:
		return fmt.Sprintf("Calls without a pin are answered by version %s from now on.", e.Release.Version)
	case Reinstated:
		return fmt.Sprintf("Version %s is served as before.", e.Release.Version)
	}
	text := catalog.StateText(e.Release.Version, e.Status)
	if successor := e.Status.Successor; successor != "" {
		text += fmt.Sprintf(" Use version %s instead.", successor)
	}
	return text
}

// Feed is a list of events with its URL.
type Feed struct {
	Title  string
	Base   string // base URL of the service
	Path   string // of the feed, below Base
	Home   string // path of the page that the feed belongs to
	Events []Event
}

// Updated returns the time of the newest event. For a feed without events it is the Unix epoch.
func (f *Feed) Updated() time.Time {
	if len(f.Events) == 0 {
		return time.Unix(0, 0).UTC()
	}
	return f.Events[0].Time
}
