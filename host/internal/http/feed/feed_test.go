package feed_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/http/feed"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/preset"
)

var day = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func after(days int) time.Time { return day.AddDate(0, 0, days) }

const disc = "geometry.areas.disc"

func release(version, changes string, created time.Time, statements ...evidence.Evidence) *registry.Release {
	for i := range statements {
		statements[i].Digest = fmt.Sprintf("sha256:%s-%d", version, i)
	}
	return &registry.Release{
		Capability: disc, Version: version, Digest: "sha256:" + version, Created: created, Evidence: statements,
		Spec: sdk.Spec{Capability: disc, Version: version, Tool: "disc", Group: "areas", Title: "Disc <&> ring", Summary: "Area of a disc.", Changes: changes},
	}
}

func lifecycle(at time.Time, s evidence.Lifecycle) evidence.Evidence {
	s.Since = at
	return evidence.Evidence{Kind: sign.Lifecycle, Counts: true, Lifecycle: &s}
}

func lead(at time.Time, counts bool) evidence.Evidence {
	return evidence.Evidence{Kind: sign.Current, Counts: counts, Lead: &evidence.Lead{Sequence: 1}, Signature: &sign.Signature{Time: at}}
}

// history returns a capability with all kinds of events, and a table.
func history() []*catalog.Entry {
	first := release("1.0.0", "", after(0),
		lifecycle(after(3), evidence.Lifecycle{State: evidence.Deprecated, Reason: "a digit of pi is wrong", Sunset: "2027-06-30", Successor: "2.0.0"}),
		lifecycle(after(4), evidence.Lifecycle{State: evidence.Active}),
		lifecycle(after(5), evidence.Lifecycle{State: evidence.Yanked, Reason: "Nobody should use it!"}),
		evidence.Evidence{Kind: sign.Lifecycle, Lifecycle: &evidence.Lifecycle{State: evidence.Revoked, Reason: "forged", Since: after(9)}}, // does not count
	)
	second := release("2.0.0", "The seventh digit of pi is right.", after(1), lead(after(1), true), lead(after(6), true), lead(after(9), false))
	third := release("3.0.0", "Rings, too.", after(2), lifecycle(after(7), evidence.Lifecycle{State: evidence.Revoked, Reason: "rings are wrong"}))
	third.Lifecycle = *third.Evidence[0].Lifecycle
	undated := release("0.9.0", "", time.Time{})
	table := &registry.Release{
		Capability: "data.shapes.discs", Version: "1.0.0", Digest: "sha256:table", Created: after(8), Table: new(preset.Table),
		Spec: sdk.Spec{Capability: "data.shapes.discs", Version: "1.0.0", Title: "Discs", Summary: "Discs that are sold."},
	}
	return catalog.New([]registry.Capability{
		{ID: "data.shapes.discs", Current: "1.0.0", Releases: []*registry.Release{table}},
		{ID: disc, Current: "2.0.0", Promoted: after(6), Releases: []*registry.Release{third, second, first, undated}},
	}).All()
}

func TestOf(t *testing.T) {
	var got []string
	for _, e := range feed.Of(history()) {
		got = append(got, fmt.Sprintf("%s %s %s", e.Time.Format(time.DateOnly), e.Release.Version, e.Kind))
	}
	want := []string{
		"2026-01-09 1.0.0 published", // the table
		"2026-01-08 3.0.0 revoked",
		"2026-01-07 2.0.0 promoted", // once, though both the tag and a signed statement show it
		"2026-01-06 1.0.0 yanked",
		"2026-01-05 1.0.0 reinstated",
		"2026-01-04 1.0.0 deprecated",
		"2026-01-03 3.0.0 published",
		"2026-01-02 2.0.0 published",
		"2026-01-01 1.0.0 published",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Without signatures, the registry still knows when the tag current moved last.
func TestPromotedWithoutSignature(t *testing.T) {
	entries := catalog.New([]registry.Capability{{
		ID: disc, Current: "1.0.0", Promoted: after(3), Releases: []*registry.Release{release("2.0.0", "x", after(1)), release("1.0.0", "", after(0))},
	}}).All()
	events := feed.Of(entries)
	if len(events) != 3 || events[0].Kind != feed.Promoted || events[0].Release.Version != "1.0.0" {
		t.Errorf("%+v", events)
	}
}

// Remote registries do not record when a release was published, but the publisher signed the time.
func TestPublishedElsewhere(t *testing.T) {
	signature := evidence.Evidence{Kind: sign.Release, Counts: true, Signature: &sign.Signature{Time: after(1)}}
	forged := signature
	forged.Counts = false
	entries := catalog.New([]registry.Capability{{ID: disc, Current: "2.0.0", Releases: []*registry.Release{
		release("2.0.0", "x", time.Time{}, signature, lead(after(1), true)), release("1.0.0", "", time.Time{}, forged),
	}}}).All()
	if events := feed.Of(entries); len(events) != 1 || events[0].Kind != feed.Published || !events[0].Time.Equal(after(1)) {
		t.Errorf("%+v", events)
	}
}

func TestAtMost(t *testing.T) {
	var releases []*registry.Release
	for i := range 3 * feed.MaxEvents {
		releases = append(releases, release(fmt.Sprintf("1.%d.0", i), "x", after(i)))
	}
	events := feed.Of(catalog.New([]registry.Capability{{ID: disc, Releases: releases}}).All())
	if len(events) != feed.MaxEvents || !events[0].Time.Equal(after(3*feed.MaxEvents-1)) {
		t.Errorf("%d events, the newest of %v", len(events), events[0].Time)
	}
}

func made(entries []*catalog.Entry) *feed.Feed {
	return &feed.Feed{Title: "Disc <&> ring", Base: "https://calc.example.org/here", Path: "/feed", Home: "/", Events: feed.Of(entries)}
}

// atom is RFC 4287 as a reader sees it, independent of the code that writes it.
type atom struct {
	XMLName xml.Name   `xml:"http://www.w3.org/2005/Atom feed"`
	ID      []string   `xml:"http://www.w3.org/2005/Atom id"`
	Title   []string   `xml:"http://www.w3.org/2005/Atom title"`
	Updated []string   `xml:"http://www.w3.org/2005/Atom updated"`
	Author  []string   `xml:"http://www.w3.org/2005/Atom author>name"`
	Links   []atomLink `xml:"http://www.w3.org/2005/Atom link"`
	Entries []struct {
		ID         []string   `xml:"http://www.w3.org/2005/Atom id"`
		Title      []string   `xml:"http://www.w3.org/2005/Atom title"`
		Updated    []string   `xml:"http://www.w3.org/2005/Atom updated"`
		Content    []string   `xml:"http://www.w3.org/2005/Atom content"`
		Links      []atomLink `xml:"http://www.w3.org/2005/Atom link"`
		Categories []struct {
			Term string `xml:"term,attr"`
		} `xml:"http://www.w3.org/2005/Atom category"`
		Other []struct{ XMLName xml.Name } `xml:",any"`
	} `xml:"http://www.w3.org/2005/Atom entry"`
	Other []struct{ XMLName xml.Name } `xml:",any"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Href string `xml:"href,attr"`
}

// readAtom reads a feed and reports violations of RFC 4287.
func readAtom(t *testing.T, body []byte) *atom {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(body))
	d.Strict = true
	a := new(atom)
	if err := d.Decode(a); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	if _, err := d.Token(); err != io.EOF {
		t.Errorf("something follows the feed: %v", err)
	}
	one := func(what string, list []string, valid func(string) bool) {
		if len(list) != 1 || !valid(list[0]) {
			t.Errorf("%s: %q", what, list)
		}
	}
	iri := func(s string) bool { u, err := url.Parse(s); return err == nil && u.IsAbs() }
	date := func(s string) bool { _, err := time.Parse(time.RFC3339, s); return err == nil }
	some := func(s string) bool { return s != "" }
	one("id", a.ID, iri)
	one("title", a.Title, some)
	one("updated", a.Updated, date)
	one("author", a.Author, some)
	if len(a.Links) != 2 || a.Links[0].Rel != "self" || a.Links[1].Rel != "alternate" || !iri(a.Links[0].Href) || !iri(a.Links[1].Href) || len(a.Other) > 0 {
		t.Errorf("links %v, others %v", a.Links, a.Other)
	}
	seen := map[string]bool{}
	for _, e := range a.Entries {
		one("entry id", e.ID, uuid.MatchString)
		one("entry title", e.Title, some)
		one("entry updated", e.Updated, date)
		one("content", e.Content, some)
		if seen[e.ID[0]] || len(e.Links) != 1 || e.Links[0].Rel != "alternate" || !iri(e.Links[0].Href) || len(e.Categories) != 2 || len(e.Other) > 0 {
			t.Errorf("entry %+v", e)
		}
		seen[e.ID[0]] = true
	}
	return a
}

var uuid = regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

func TestAtom(t *testing.T) {
	body, err := made(history()).Atom()
	if err != nil {
		t.Fatal(err)
	}
	a := readAtom(t, body)
	if a.Title[0] != "Disc <&> ring" || a.Updated[0] != "2026-01-09T12:00:00Z" || a.Links[0].Href != "https://calc.example.org/here/feed" || len(a.Entries) != 9 {
		t.Errorf("%+v", a)
	}
	for i, want := range []struct{ title, link, text string }{
		{"Published: Discs 1.0.0", "/tables/data.shapes.discs?calculation_version=1.0.0", "Discs that are sold."},
		{"Revoked: Disc <&> ring 3.0.0", "/calc/areas/disc", "Version 3.0.0 was revoked and is never computed with again: rings are wrong."},
		{"Promoted: Disc <&> ring 2.0.0", "/calc/areas/disc?calculation_version=2.0.0", "Calls without a pin are answered by version 2.0.0 from now on."},
		{"Yanked: Disc <&> ring 1.0.0", "/calc/areas/disc?calculation_version=1.0.0", "Version 1.0.0 was withdrawn, and answers only who pins it: Nobody should use it!"},
		{"Reinstated: Disc <&> ring 1.0.0", "/calc/areas/disc?calculation_version=1.0.0", "Version 1.0.0 is served as before."},
		{"Deprecated: Disc <&> ring 1.0.0", "/calc/areas/disc?calculation_version=1.0.0", "Version 1.0.0 is deprecated: a digit of pi is wrong. It may be withdrawn after 2027-06-30. Use version 2.0.0 instead."},
		{"Published: Disc <&> ring 3.0.0", "/calc/areas/disc", "Rings, too."},
		{"Published: Disc <&> ring 2.0.0", "/calc/areas/disc?calculation_version=2.0.0", "The seventh digit of pi is right."},
		{"Published: Disc <&> ring 1.0.0", "/calc/areas/disc?calculation_version=1.0.0", "Area of a disc."},
	} {
		if e := a.Entries[i]; e.Title[0] != want.title || e.Links[0].Href != "https://calc.example.org/here"+want.link || e.Content[0] != want.text {
			t.Errorf("entry %d: %+v, want %+v", i, e, want)
		}
	}
	again, _ := made(history()).Atom()
	if !bytes.Equal(body, again) {
		t.Error("the same history gave another feed")
	}
	body, err = made(nil).Atom()
	if err != nil || readAtom(t, body).Updated[0] != "1970-01-01T00:00:00Z" {
		t.Errorf("without events: %s, %v", body, err)
	}
}

// Ids of entries do not change when the service moves or when more events happen, so that no reader shows an
// entry twice.
func TestNamesStay(t *testing.T) {
	names := func(f *feed.Feed) []string {
		body, err := f.Atom()
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, e := range readAtom(t, body).Entries {
			list = append(list, e.ID[0])
		}
		return list
	}
	before := names(made(history()))
	moved := made(history())
	moved.Base, moved.Events = "https://other.example.org", moved.Events[2:]
	if after := names(moved); !slices.Equal(after, before[2:]) {
		t.Errorf("%q\n%q", before, after)
	}
	for i := range moved.Events {
		if e := &moved.Events[i]; e.Kind == feed.Published { // a mirror does not record when a version was published
			e.Time = e.Time.Add(time.Hour)
		}
	}
	if after := names(moved); !slices.Equal(after, before[2:]) {
		t.Errorf("published at another time: %q\n%q", before, after)
	}
}

func TestJSON(t *testing.T) {
	body, err := made(history()).JSON()
	if err != nil {
		t.Fatal(err)
	}
	type item struct {
		ID        string   `json:"id"`
		URL       string   `json:"url"`
		Title     string   `json:"title"`
		Text      string   `json:"content_text"`
		Published string   `json:"date_published"`
		Tags      []string `json:"tags"`
		Slipstick struct {
			Event      string `json:"event"`
			Capability string `json:"capability_id"`
			Version    string `json:"calculation_version"`
			Digest     string `json:"release_digest"`
			Changes    string `json:"changes"`
			Reason     string `json:"reason"`
			Sunset     string `json:"sunset"`
			Successor  string `json:"successor"`
		} `json:"_slipstick"`
	}
	var f struct {
		Version string `json:"version"`
		Title   string `json:"title"`
		Home    string `json:"home_page_url"`
		URL     string `json:"feed_url"`
		Authors []struct {
			Name string `json:"name"`
		} `json:"authors"`
		Items []item `json:"items"`
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		t.Fatal(err)
	}
	if f.Version != "https://jsonfeed.org/version/1.1" || f.Title != "Disc <&> ring" || f.Home != "https://calc.example.org/here/" || f.URL != "https://calc.example.org/here/feed" || len(f.Authors) != 1 || len(f.Items) != 9 {
		t.Errorf("%+v", f)
	}
	a, _ := made(history()).Atom()
	for i, e := range readAtom(t, a).Entries {
		if got := f.Items[i]; got.ID != e.ID[0] || got.URL != e.Links[0].Href || got.Title != e.Title[0] || got.Text != e.Content[0] || got.Published != e.Updated[0] || len(got.Tags) != 2 {
			t.Errorf("item %d: %+v differs from Atom: %+v", i, got, e)
		}
	}
	if s := f.Items[5].Slipstick; s.Event != "deprecated" || s.Capability != disc || s.Version != "1.0.0" || s.Digest != "sha256:1.0.0" ||
		s.Reason != "a digit of pi is wrong" || s.Sunset != "2027-06-30" || s.Successor != "2.0.0" || s.Changes != "" {
		t.Errorf("deprecated: %+v", s)
	}
	if s := f.Items[7].Slipstick; s.Changes != "The seventh digit of pi is right." {
		t.Errorf("published: %+v", s)
	}
	body, err = made(nil).JSON()
	if err != nil || !strings.Contains(string(body), `"items":[]`) {
		t.Errorf("without events: %s, %v", body, err)
	}
}
