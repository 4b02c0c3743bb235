package api

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/web"
	"github.com/slipstick/slipstick/versions"
)

// writeProblem writes the error body of spec 7.2 with the headers of its status, or
// the form of RFC 9457 where the caller asks for it.
func (s *server) writeProblem(w http.ResponseWriter, r *http.Request, p *calc.Problem) {
	h := w.Header()
	switch p.Status() {
	case http.StatusServiceUnavailable:
		h.Set("Retry-After", strconv.Itoa(max(1, p.RetryAfter)))
	case http.StatusUnsupportedMediaType:
		h.Set("Accept", h.Get("Accept-Post")) // what checkMediaType found missing
	case http.StatusRequestEntityTooLarge:
		h.Set("Connection", "close")
	}
	h.Set("Cache-Control", "no-store")
	web.Vary(h, "Accept")
	offers := []string{web.JSON, web.Problem}
	if s.failuresArePages(r) {
		offers = append(offers, web.HTML)
	}
	switch web.Media(r, offers...) {
	case web.HTML:
		if s.failurePage(w, r, p) {
			return
		}
	case web.Problem:
		write(w, p.Status(), mediaProblem, p.AppendProblemJSON(nil, s.service.BaseURL()))
		return
	}
	writeBody(w, p.Status(), p.AppendJSON(nil, s.service.BaseURL()))
}

// writeBody writes a whole JSON body. net/http leaves it out of answers to HEAD.
func writeBody(w http.ResponseWriter, status int, body []byte) {
	write(w, status, mediaJSON, body)
}

// Media types of answers.
var (
	mediaJSON    = []string{web.JSON}
	mediaProblem = []string{web.Problem}
)

// countedByServer is the size below which net/http sets the Content-Length itself.
const countedByServer = 2048

func write(w http.ResponseWriter, status int, media []string, body []byte) {
	h := w.Header()
	h["Content-Type"] = media
	if len(body) >= countedByServer {
		h["Content-Length"] = []string{strconv.Itoa(len(body))}
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // a caller who has left needs no answer
}

// tellRelease says in the headers which release answered.
func (s *server) tellRelease(h http.Header, r *calc.Release) {
	h[versions.HeaderName] = []string{r.Version}
	h["Slipstick-Engine-Digest"] = []string{r.EngineDigest}
	if r.Lifecycle.State == calc.Deprecated {
		tellDeprecation(h, r.Lifecycle)
		s.tellSuccessor(h, r)
	}
}

// tellDeprecation sets the headers of RFC 9745 and RFC 8594.
func tellDeprecation(h http.Header, s calc.Standing) {
	h.Set("Deprecation", "@"+strconv.FormatInt(s.Since.Unix(), 10))
	if day, err := time.Parse(time.DateOnly, s.Sunset); err == nil {
		h.Set("Sunset", day.Format(http.TimeFormat))
	}
}

// tellSuccessor names the version to use instead, with the relation of RFC 5829.
func (s *server) tellSuccessor(h http.Header, r *calc.Release) {
	if r.Lifecycle.Successor == "" {
		return
	}
	address := s.service.BaseURL() + "/api/v1/capabilities/" + url.PathEscape(r.Capability) + "?calculation_version=" + url.QueryEscape(r.Lifecycle.Successor)
	h.Set("Link", "<"+address+`>; rel="successor-version"`)
}

// writeCacheable writes a description that callers may keep for a minute.
func writeCacheable(w http.ResponseWriter, r *http.Request, body []byte) {
	sum := sha256.Sum256(body)
	tag := `W/"` + hex.EncodeToString(sum[:8]) + `"`
	h := w.Header()
	h.Set("ETag", tag)
	h.Set("Cache-Control", "public, max-age=60")
	web.Vary(h, versions.HeaderName, "Accept")
	if matches(r.Header.Values("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	writeBody(w, http.StatusOK, body)
}

// matches compares weakly, as RFC 9110 13.1.2 has it.
func matches(lines []string, tag string) bool {
	for _, line := range lines {
		for candidate := range strings.SplitSeq(line, ",") {
			candidate = strings.TrimSpace(candidate)
			if candidate == "*" || strings.TrimPrefix(candidate, "W/") == strings.TrimPrefix(tag, "W/") {
				return true
			}
		}
	}
	return false
}

func writeDescription(w http.ResponseWriter, r *http.Request, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	writeCacheable(w, r, append(body, '\n'))
	return nil
}
