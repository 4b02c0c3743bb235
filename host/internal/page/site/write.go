package site

import (
	"net/http"
	"strconv"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/versions"
)

// MaxQuery is the maximum size of a query, in bytes.
const MaxQuery = 4 << 10

// CheckLength refuses a query that is longer than MaxQuery.
func CheckLength(r *http.Request) error {
	if len(r.URL.RawQuery) > MaxQuery {
		return problem.New(problem.CodeInvalidQuery, "Shorten it, or send long lists to the API.", "the query of the URL has more than %d bytes", MaxQuery)
	}
	return nil
}

// CSVMedia is the media type of a CSV file.
const CSVMedia = "text/csv; charset=utf-8"

// WriteCSV answers with the numbers of a calculation as a CSV file.
func WriteCSV(w http.ResponseWriter, a *calc.Answer, id string, csv []byte) {
	h := w.Header()
	h.Set("Content-Type", CSVMedia)
	h.Set("Content-Disposition", `attachment; filename="`+a.Release.Spec.Tool+"-"+id+`.csv"`)
	h.Set("Content-Length", strconv.Itoa(len(csv)))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "public, max-age=60")
	web.Vary(h, versions.HeaderName)
	h.Set(versions.HeaderName, a.Release.Version)
	h.Set("Slipstick-Engine-Digest", a.Release.EngineDigest)
	_, _ = w.Write(csv) // a client that has disconnected needs no answer
}

// WritePage answers with a page, or returns the error of its making.
func WritePage(w http.ResponseWriter, r *http.Request, html []byte, err error) error {
	if err != nil {
		return err
	}
	web.WritePage(w, r, http.StatusOK, html)
	return nil
}

// WriteCacheable answers with a page that caches may keep for a minute.
func WriteCacheable(w http.ResponseWriter, r *http.Request, html []byte, err error) error {
	if err == nil {
		w.Header().Set("Cache-Control", "public, max-age=60")
	}
	return WritePage(w, r, html, err)
}
