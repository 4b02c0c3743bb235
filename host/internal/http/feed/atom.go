package feed

import (
	"encoding/xml"
	"time"
)

// AtomType is the media type of Atom.
const AtomType = "application/atom+xml"

// The document of RFC 4287, with the elements that the feed uses.
type (
	atomFeed struct {
		XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
		ID      string      `xml:"id"`
		Title   string      `xml:"title"`
		Updated string      `xml:"updated"`
		Author  string      `xml:"author>name"`
		Links   []atomLink  `xml:"link"`
		Entries []atomEntry `xml:"entry"`
	}
	atomLink struct {
		Rel  string `xml:"rel,attr"`
		Type string `xml:"type,attr"`
		Href string `xml:"href,attr"`
	}
	atomEntry struct {
		ID         string         `xml:"id"`
		Title      string         `xml:"title"`
		Updated    string         `xml:"updated"`
		Links      []atomLink     `xml:"link"`
		Categories []atomCategory `xml:"category"`
		Content    string         `xml:"content"`
	}
	atomCategory struct {
		Term string `xml:"term,attr"`
	}
)

// Atom returns the feed as Atom (RFC 4287).
func (f *Feed) Atom() ([]byte, error) {
	doc := atomFeed{
		ID: f.Base + f.Path, Title: f.Title, Updated: f.Updated().Format(time.RFC3339), Author: author,
		Links: []atomLink{{"self", AtomType, f.Base + f.Path}, {"alternate", "text/html", f.Base + f.Home}},
	}
	for i := range f.Events {
		e := &f.Events[i]
		doc.Entries = append(doc.Entries, atomEntry{
			ID: e.id(), Title: e.title(), Updated: e.Time.Format(time.RFC3339), Content: e.text(),
			Links:      []atomLink{{"alternate", "text/html", f.Base + e.path()}},
			Categories: []atomCategory{{string(e.Kind)}, {e.Release.Capability}},
		})
	}
	body, err := xml.Marshal(doc)
	return append([]byte(xml.Header), body...), err
}

// author is the author of every feed.
const author = "Slipstick"
