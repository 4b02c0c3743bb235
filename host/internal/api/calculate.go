package api

import (
	"bytes"
	"errors"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/sdk/strictjson"
	"github.com/slipstick/slipstick/versions"
)

// postCalculation answers POST /api/v1/calc and /api/v1/calc/{id}.
func (s *server) postCalculation(w http.ResponseWriter, r *http.Request) error {
	answer, err := s.calculate(w, r, r.PathValue("id"))
	if err != nil {
		return err
	}
	s.tellRelease(w.Header(), answer.Release)
	w.Header()["Cache-Control"] = notStored
	if s.forPeople(w, r) {
		html, err := s.options.Pages.Result(r.Context(), answer)
		if err != nil {
			return err
		}
		s.options.Pages.Write(w, r, http.StatusOK, html)
		return nil
	}
	body := answers.Get().(*[]byte)
	*body = answer.AppendJSON((*body)[:0])
	writeBody(w, http.StatusOK, *body)
	if cap(*body) <= maxKept {
		answers.Put(body)
	}
	return nil
}

var notStored = []string{"no-store"}

// Memory of bodies, which is used again.
var (
	requests = sync.Pool{New: func() any { return new(bytes.Buffer) }}
	answers  = sync.Pool{New: func() any { return new([]byte) }}
)

// maxKept bounds what is kept for later.
const maxKept = 256 << 10

// calculate computes what the request asks for, with the pins from everywhere in it.
// The id is the one in the address, "" if there is none.
func (s *server) calculate(w http.ResponseWriter, r *http.Request, id string) (*calc.Answer, error) {
	body, err := readObject(w, r)
	if err != nil {
		return nil, err
	}
	req, err := calc.ReadRequest(id, body)
	if err != nil {
		return nil, err
	}
	pins, err := transportPins(r)
	if err != nil {
		return nil, err
	}
	req.Pins = append(req.Pins, pins...)
	return s.service.Calculate(r.Context(), req)
}

// transportPins collects the version pins that stand outside the body.
func transportPins(r *http.Request) ([]versions.Pin, error) {
	pins := versions.Header(r.Header.Values(versions.HeaderName))
	if r.URL.RawQuery == "" {
		return pins, nil
	}
	query, err := calc.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, err
	}
	for _, value := range query["calculation_version"] {
		pins = append(pins, versions.Pin{Place: versions.InQuery, Name: "calculation_version", Value: value})
	}
	return pins, nil
}

// readObject reads the request's body as a JSON object, within the scanner's
// limits.
func readObject(w http.ResponseWriter, r *http.Request) (strictjson.Value, error) {
	if err := checkMediaType(w, r, "application/json"); err != nil {
		return strictjson.Value{}, err
	}
	buffer := requests.Get().(*bytes.Buffer)
	defer requests.Put(buffer)
	buffer.Reset()
	_, err := buffer.ReadFrom(http.MaxBytesReader(w, r.Body, strictjson.MaxBytes))
	data := buffer.Bytes() // Parse keeps no part of it
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return strictjson.Value{}, calc.TooLarge()
	case err != nil:
		return strictjson.Value{}, calc.NewProblem(calc.CodeInvalidJSON, "Send the whole body.", "the body could not be read to its end")
	}
	return calc.ReadObject(data)
}

// checkMediaType refuses a body that is not plain UTF-8 of one of the media types.
func checkMediaType(w http.ResponseWriter, r *http.Request, types ...string) error {
	lines := r.Header["Content-Type"]
	if len(lines) == 1 && lines[0] == types[0] && len(r.Header["Content-Encoding"]) == 0 {
		return nil // as almost everybody sends it
	}
	all := strings.Join(types, ", ")
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		w.Header().Set("Accept-Encoding", "identity")
		w.Header().Set("Accept-Post", all)
		return calc.NewProblem(calc.CodeUnsupportedMediaType, "Send the body without compression.", "content encoding %.40q is not supported", encoding)
	}
	if len(lines) == 0 && r.ContentLength == 0 {
		return nil // an empty body has no type; it is no JSON either, and is told so
	}
	if len(lines) == 1 {
		media, params, err := mime.ParseMediaType(lines[0])
		charset, given := params["charset"]
		if err == nil && slices.Contains(types, media) && (!given || strings.EqualFold(charset, "utf-8")) {
			return nil
		}
	}
	w.Header().Set("Accept-Post", all)
	return calc.NewProblem(calc.CodeUnsupportedMediaType, "Send Content-Type: "+types[0]+".",
		"the content type %.80q is not %s in UTF-8", strings.Join(lines, ", "), strings.Join(types, " or "))
}
