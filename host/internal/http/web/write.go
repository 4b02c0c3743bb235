package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/versions"
)

// WriteJSON writes a complete JSON body. net/http omits the body in answers to HEAD.
func WriteJSON(w http.ResponseWriter, status int, body []byte) {
	write(w, status, mediaJSON, body)
}

// Media types of answers.
var (
	mediaJSON    = []string{JSON}
	mediaProblem = []string{Problem}
)

// countedByServer is the size in bytes below which net/http sets Content-Length itself.
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

// SetAnswer sets the headers with the release that answered, and with the receipt of the answer.
func SetAnswer(h http.Header, baseURL string, a *calc.Answer) {
	SetRelease(h, baseURL, a.Release)
	SetReceipt(h, a.Receipt)
}

// SetLateReceipt sets the receipt of an answer in a trailer, if there is one.
func SetLateReceipt(h http.Header, r calc.Receipt) {
	if r.Ledger != "" {
		h.Set(http.TrailerPrefix+receiptName, r.String())
	}
}

// SetReceipt sets the header with the receipt of an answer, if there is one.
func SetReceipt(h http.Header, r calc.Receipt) {
	if r.Ledger != "" {
		h[receiptName] = []string{r.String()}
		h["Access-Control-Expose-Headers"] = exposedRecorded
	}
}

// SetRelease sets the headers with the release that answered. The base URL is the URL of the service.
func SetRelease(h http.Header, baseURL string, r *catalog.Release) {
	h[versions.HeaderName] = []string{r.Version}
	h["Slipstick-Engine-Digest"] = []string{r.EngineDigest}
	if r.Lifecycle.State == catalog.Deprecated {
		setDeprecation(h, r.Lifecycle)
		setSuccessor(h, baseURL, r)
	}
}

// setDeprecation sets the headers of RFC 9745 and RFC 8594.
func setDeprecation(h http.Header, s catalog.Lifecycle) {
	h.Set("Deprecation", "@"+strconv.FormatInt(s.Since.Unix(), 10))
	if day, err := time.Parse(time.DateOnly, s.Sunset); err == nil {
		h.Set("Sunset", day.Format(http.TimeFormat))
	}
}

// setSuccessor sets the link to the successor version, with the relation of RFC 5829.
func setSuccessor(h http.Header, baseURL string, r *catalog.Release) {
	if r.Lifecycle.Successor == "" {
		return
	}
	address := baseURL + "/api/v1/capabilities/" + url.PathEscape(r.Capability) + "?calculation_version=" + url.QueryEscape(r.Lifecycle.Successor)
	h.Set("Link", "<"+address+`>; rel="successor-version"`)
}

// WriteCacheable writes a JSON body that caches may keep for a minute.
func WriteCacheable(w http.ResponseWriter, r *http.Request, body []byte) {
	WriteCacheableAs(w, r, JSON, body)
}

// WriteCacheableAs is WriteCacheable for another media type.
func WriteCacheableAs(w http.ResponseWriter, r *http.Request, media string, body []byte) {
	sum := sha256.Sum256(body)
	tag := `W/"` + hex.EncodeToString(sum[:8]) + `"`
	h := w.Header()
	h.Set("ETag", tag)
	h.Set("Cache-Control", "public, max-age=60")
	Vary(h, versions.HeaderName, "Accept")
	if Matches(r.Header.Values("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	write(w, http.StatusOK, []string{media}, body)
}

// Matches reports whether the lines of If-None-Match contain the tag. It compares weakly, as RFC 9110 section
// 13.1.2 requires.
func Matches(lines []string, tag string) bool {
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

// WriteDescription writes a value as JSON that caches may keep for a minute. It does not escape < and >, so
// that people can read the conditions of a formula.
func WriteDescription(w http.ResponseWriter, r *http.Request, v any) error {
	var body bytes.Buffer
	e := json.NewEncoder(&body)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	WriteCacheable(w, r, body.Bytes())
	return nil
}
