package api

import (
	"net/http"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/versions"
)

// getTables answers GET /api/v1/tables.
func (s *server) getTables(w http.ResponseWriter, r *http.Request) error {
	return web.WriteDescription(w, r, s.service.View().ListTables())
}

// getTable answers GET /api/v1/tables/{id}.
func (s *server) getTable(w http.ResponseWriter, r *http.Request) error {
	e, release, err := s.findTable(w, r)
	if err != nil {
		return err
	}
	return web.WriteDescription(w, r, s.service.View().DescribeTable(e, release))
}

// getRows answers GET /api/v1/tables/{id}/rows.csv with the rows as they were published.
func (s *server) getRows(w http.ResponseWriter, r *http.Request) error {
	_, release, err := s.findTable(w, r)
	if err != nil {
		return err
	}
	web.WriteCacheableAs(w, r, "text/csv; charset=utf-8", release.Table.CSV())
	return nil
}

// findTable returns the table in the URL, and the release that the pins select.
func (s *server) findTable(w http.ResponseWriter, r *http.Request) (*catalog.Entry, *catalog.Release, error) {
	catalog := s.service.Catalog()
	e, err := catalog.Table(r.PathValue("id"))
	if err != nil {
		return nil, nil, err
	}
	pins, err := web.Pins(r)
	if err != nil {
		return nil, nil, err
	}
	release, err := catalog.TableRelease(e.ID, pins)
	if err != nil {
		return nil, nil, err
	}
	w.Header().Set(versions.HeaderName, release.Version)
	return e, release, nil
}
