package api

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
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
	h.Add("Vary", "Accept")
	if s.failurePage(w, r, p) {
		return
	}
	if accepts(r, "application/problem+json") {
		write(w, p.Status(), mediaProblem, p.AppendProblemJSON(nil, s.service.BaseURL()))
		return
	}
	writeBody(w, p.Status(), p.AppendJSON(nil, s.service.BaseURL()))
}

// accepts reports whether the caller names the media type among those it takes.
func accepts(r *http.Request, media string) bool {
	for _, line := range r.Header.Values("Accept") {
		for part := range strings.SplitSeq(line, ",") {
			name, params, _ := strings.Cut(part, ";")
			if strings.EqualFold(strings.TrimSpace(name), media) && strings.ReplaceAll(params, " ", "") != "q=0" {
				return true
			}
		}
	}
	return false
}

// writeBody writes a whole JSON body. net/http leaves it out of answers to HEAD.
func writeBody(w http.ResponseWriter, status int, body []byte) {
	write(w, status, mediaJSON, body)
}

// Media types of answers.
var (
	mediaJSON    = []string{"application/json"}
	mediaProblem = []string{"application/problem+json"}
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
func tellRelease(h http.Header, r *calc.Release) {
	h[versions.HeaderName] = []string{r.Version}
	h["Slipstick-Engine-Digest"] = []string{r.EngineDigest}
	if r.Standing.State == calc.Deprecated {
		tellDeprecation(h, r.Standing)
	}
}

// tellDeprecation sets the headers of RFC 9745 and RFC 8594.
func tellDeprecation(h http.Header, s calc.Standing) {
	h.Set("Deprecation", "@"+strconv.FormatInt(s.Since.Unix(), 10))
	if day, err := time.Parse(time.DateOnly, s.Sunset); err == nil {
		h.Set("Sunset", day.Format(http.TimeFormat))
	}
}

// writeCacheable writes a description that callers may keep for a minute.
func writeCacheable(w http.ResponseWriter, r *http.Request, body []byte) {
	sum := sha256.Sum256(body)
	tag := `W/"` + hex.EncodeToString(sum[:8]) + `"`
	h := w.Header()
	h.Set("ETag", tag)
	h.Set("Cache-Control", "public, max-age=60")
	h.Add("Vary", versions.HeaderName+", Accept")
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
