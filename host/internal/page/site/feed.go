package site

import (
	"cmp"
	"net/http"
	"time"

	limits "github.com/slipstick/slipstick/host/internal/http/limit"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/http/feed"
	"github.com/slipstick/slipstick/host/internal/http/web"
)

// Names of feeds, relative to the path of their page.
const (
	AtomFile = "/feed.atom"
	jsonFile = "/feed.json"
)

// feedRoutes returns the routes of two kinds of feeds: one for all releases, and one for each calculator.
func (s *Site) feedRoutes() []web.Route {
	var routes []web.Route
	for _, file := range []string{AtomFile, jsonFile} {
		routes = append(routes, getFeed(file, s.feedOfAll(file)), getFeed(CalculatorPath+file, s.feedOfOne(file)))
	}
	return routes
}

func getFeed(pattern string, h web.Handler) web.Route {
	return web.Route{Method: http.MethodGet, Pattern: pattern, Surface: limits.Page, Query: ForeignQuery, Handler: h}
}

func (s *Site) feedOfAll(file string) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		return s.writeFeed(w, r, "Slipstick", "", file, s.Service.Catalog().All())
	}
}

func (s *Site) feedOfOne(file string) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		entry, shown, err := s.FindEntry(w, r)
		if err != nil || shown == nil {
			return err
		}
		return s.writeFeed(w, r, shown.Spec.Title, catalog.PagePath(&shown.Spec), file, []*catalog.Entry{entry})
	}
}

// writeFeed answers with the feed of a page. The path is "" for the index. If the feed has not changed since the client read
// it, the answer is 304.
func (s *Site) writeFeed(w http.ResponseWriter, r *http.Request, title, path, file string, entries []*catalog.Entry) error {
	f := &feed.Feed{
		Title: title + ": versions and changes", Base: s.Service.BaseURL(), Path: path + file, Home: cmp.Or(path, "/"), Events: feed.Of(entries),
	}
	write, media := f.Atom, feed.AtomType
	if file == jsonFile {
		write, media = f.JSON, feed.JSONType
	}
	body, err := write()
	if err != nil {
		return err
	}
	w.Header().Set("Last-Modified", f.Updated().Format(http.TimeFormat))
	since, err := time.Parse(http.TimeFormat, r.Header.Get("If-Modified-Since"))
	if err == nil && r.Header.Get("If-None-Match") == "" && !f.Updated().Truncate(time.Second).After(since) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	web.WriteCacheableAs(w, r, media, body)
	return nil
}
