package web

import (
	"bytes"
	"errors"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/versions"
)

// ReadRequest reads the requested calculation: the body, and the version pins outside the body. The id is the
// one in the URL, or "" if the URL has none. The calculation and its answer use the scratch memory, or their
// own memory if it is nil.
func ReadRequest(w http.ResponseWriter, r *http.Request, id string, scratch *calc.Scratch) (calc.Request, error) {
	if err := CheckBody(w, r, JSON); err != nil {
		return calc.Request{}, err
	}
	buffer := bodies.Get().(*bytes.Buffer)
	defer bodies.Put(buffer)
	buffer.Reset()
	if err := ReadBody(w, r, buffer, strictjson.MaxBytes, "body"); err != nil {
		return calc.Request{}, err
	}
	req, err := calc.Read(id, buffer.Bytes(), scratch) // the result does not refer to the buffer
	if err != nil {
		return calc.Request{}, err
	}
	pins, err := Pins(r)
	req.Pins = append(req.Pins, pins...)
	return req, err
}

// Pins collects the version pins in the headers and the query.
func Pins(r *http.Request) ([]versions.Pin, error) {
	pins := versions.Header(r.Header.Values(versions.HeaderName))
	if r.URL.RawQuery == "" {
		return pins, nil
	}
	query, err := problem.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, err
	}
	for _, value := range query[versions.PinName] {
		pins = append(pins, versions.Pin{Place: versions.InQuery, Name: versions.PinName, Value: value})
	}
	for _, value := range query[versions.AsOfName] {
		pins = append(pins, versions.Pin{Place: versions.InQuery, Name: versions.AsOfName, Value: value, Means: versions.AsOf})
	}
	return pins, nil
}

// Find returns the capability with the {id} in the URL, and the release that the pins of the request select.
func Find(catalog *catalog.Catalog, r *http.Request) (*catalog.Entry, *catalog.Release, error) {
	e, err := catalog.Find(r.PathValue("id"))
	if err != nil {
		return nil, nil, err
	}
	pins, err := Pins(r)
	if err != nil {
		return nil, nil, err
	}
	release, err := e.Release(pins)
	return e, release, err
}

// bodies is a pool of buffers for bodies.
var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// ReadBody reads the request's body of up to most bytes. Errors use the noun for the body.
func ReadBody(w http.ResponseWriter, r *http.Request, into *bytes.Buffer, most int64, noun string) error {
	_, err := into.ReadFrom(http.MaxBytesReader(w, r.Body, most))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return problem.TooLarge()
	case err != nil:
		return CutOff(noun)
	}
	return nil
}

// CutOff returns the problem of a body that ended early.
func CutOff(noun string) *problem.Problem {
	return problem.New(problem.CodeInvalidJSON, "Send the whole "+noun+".", "the %s could not be read to its end", noun)
}

// CheckBody refuses a body that is not uncompressed UTF-8 of one of the media types. An empty body needs no
// type, because its reader reports that it is not JSON.
func CheckBody(w http.ResponseWriter, r *http.Request, types ...string) error {
	if lines := r.Header["Content-Type"]; len(lines) == 0 && r.ContentLength == 0 && !encoded(r) {
		return nil
	}
	err := CheckMedia(w, r, types...)
	if err != nil {
		setAcceptPost(w, types)
	}
	return err
}

// CheckMedia refuses a request unless its headers declare the body as uncompressed UTF-8 of
// one of the media types.
func CheckMedia(w http.ResponseWriter, r *http.Request, types ...string) error {
	if encoded(r) {
		w.Header().Set("Accept-Encoding", "identity")
		return problem.New(problem.CodeUnsupportedMediaType, "Send the body without compression.", "content encoding %.40q is not supported", r.Header.Get("Content-Encoding"))
	}
	lines := r.Header["Content-Type"]
	if len(lines) == 1 {
		if lines[0] == types[0] {
			return nil // the common case, without parsing
		}
		media, params, err := mime.ParseMediaType(lines[0])
		charset, given := params["charset"]
		if err == nil && slices.Contains(types, media) && (!given || strings.EqualFold(charset, "utf-8")) {
			return nil
		}
	}
	setAcceptPost(w, types)
	return problem.New(problem.CodeUnsupportedMediaType, "Send Content-Type: "+types[0]+".",
		"the content type %.80q is not %s in UTF-8", strings.Join(lines, ", "), strings.Join(types, " or "))
}

func setAcceptPost(w http.ResponseWriter, types []string) {
	w.Header().Set("Accept-Post", strings.Join(types, ", "))
}

// encoded reports whether the body is compressed.
func encoded(r *http.Request) bool {
	encoding := r.Header.Get("Content-Encoding")
	return encoding != "" && !strings.EqualFold(encoding, "identity")
}
