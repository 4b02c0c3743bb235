package feed

import (
	"bytes"
	"encoding/json"
	"time"
)

// JSONType is the media type of JSON Feed.
const JSONType = "application/feed+json"

// The document of JSON Feed 1.1, with the members that the feed uses. The extension _slipstick contains each
// event as data.
type (
	jsonFeed struct {
		Version string     `json:"version"`
		Title   string     `json:"title"`
		Home    string     `json:"home_page_url"`
		URL     string     `json:"feed_url"`
		Authors []jsonName `json:"authors"`
		Items   []jsonItem `json:"items"`
	}
	jsonName struct {
		Name string `json:"name"`
	}
	jsonItem struct {
		ID        string        `json:"id"`
		URL       string        `json:"url"`
		Title     string        `json:"title"`
		Text      string        `json:"content_text"`
		Published string        `json:"date_published"`
		Tags      []string      `json:"tags"`
		Event     jsonSlipstick `json:"_slipstick"`
	}
	jsonSlipstick struct {
		Event      Kind   `json:"event"`
		Capability string `json:"capability_id"`
		Version    string `json:"calculation_version"`
		Digest     string `json:"release_digest,omitempty"`
		Changes    string `json:"changes,omitempty"` // only for Published
		Reason     string `json:"reason,omitempty"`
		Sunset     string `json:"sunset,omitempty"`
		Successor  string `json:"successor,omitempty"`
	}
)

// JSON returns the feed as JSON Feed 1.1.
func (f *Feed) JSON() ([]byte, error) {
	doc := jsonFeed{
		Version: "https://jsonfeed.org/version/1.1", Title: f.Title, Home: f.Base + f.Home, URL: f.Base + f.Path,
		Authors: []jsonName{{author}}, Items: []jsonItem{},
	}
	for i := range f.Events {
		e := &f.Events[i]
		item := jsonItem{
			ID: e.id(), URL: f.Base + e.path(), Title: e.title(), Text: e.text(), Published: e.Time.Format(time.RFC3339),
			Tags: []string{string(e.Kind), e.Release.Capability},
			Event: jsonSlipstick{
				Event: e.Kind, Capability: e.Release.Capability, Version: e.Release.Version, Digest: e.Release.Digest,
				Reason: e.Status.Reason, Sunset: e.Status.Sunset, Successor: e.Status.Successor,
			},
		}
		if e.Kind == Published {
			item.Event.Changes = e.Release.Spec.Changes
		}
		doc.Items = append(doc.Items, item)
	}
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(doc)
	return body.Bytes(), err
}
