package api

import (
	"net/http"
	"net/url"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
)

// getCatalog answers GET /api/v1/calc and /api/v1/capabilities.
func (s *server) getCatalog(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	page := catalog.Page{Limit: query.Get(limitKey), Cursor: query.Get(cursorKey)}
	list, cursor, err := s.service.View().List(page)
	if err != nil {
		return err
	}
	if cursor != "" {
		next := url.Values{cursorKey: {cursor}}
		if page.Limit != "" {
			next.Set(limitKey, page.Limit)
		}
		list.Next = s.service.BaseURL() + r.URL.Path + "?" + next.Encode()
		w.Header().Set("Link", "<"+list.Next+`>; rel="next"`)
	}
	return web.WriteDescription(w, r, list)
}

// getEntry answers GET /api/v1/calc/{id} and /api/v1/capabilities/{id}.
func (s *server) getEntry(w http.ResponseWriter, r *http.Request) error {
	e, release, err := s.find(r)
	if err != nil {
		return err
	}
	web.SetRelease(w.Header(), s.service.BaseURL(), release)
	return web.WriteDescription(w, r, s.service.View().Describe(e, release))
}

func (s *server) getInputSchema(w http.ResponseWriter, r *http.Request) error {
	return s.writeSchema(w, r, response.InputSchema)
}

func (s *server) getOutputSchema(w http.ResponseWriter, r *http.Request) error {
	return s.writeSchema(w, r, response.OutputSchema)
}

func (s *server) writeSchema(w http.ResponseWriter, r *http.Request, schema func(*sdk.Spec) []byte) error {
	_, rel, err := s.find(r)
	if err != nil {
		return err
	}
	web.SetRelease(w.Header(), s.service.BaseURL(), rel)
	web.WriteCacheable(w, r, schema(&rel.Spec))
	return nil
}

func (s *server) getEvidence(w http.ResponseWriter, r *http.Request) error {
	_, rel, err := s.find(r)
	if err != nil {
		return err
	}
	document, err := catalog.EvidenceOf(rel)
	if err != nil {
		return err
	}
	web.SetRelease(w.Header(), s.service.BaseURL(), rel)
	return web.WriteDescription(w, r, document)
}

// getText answers GET /api/v1/capabilities/{id}/text: the document of a text engine, byte for byte.
func (s *server) getText(w http.ResponseWriter, r *http.Request) error {
	_, rel, err := s.find(r)
	if err != nil {
		return err
	}
	if rel.Spec.Document == "" {
		return problem.New(problem.CodeNotFound, "GET /api/v1/capabilities/{id} has its formulas.", "%s %s is a program, and has no document", rel.Capability, rel.Version)
	}
	web.SetRelease(w.Header(), s.service.BaseURL(), rel)
	web.WriteCacheableAs(w, r, "text/markdown; charset=utf-8", []byte(rel.Spec.Document))
	return nil
}

// find returns the capability in the URL, and the release that the pins of the request select.
func (s *server) find(r *http.Request) (*catalog.Entry, *catalog.Release, error) {
	return web.Find(s.service.Catalog(), r)
}
