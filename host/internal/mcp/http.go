package mcp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	protocol "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/sdk/strictjson"
	"github.com/slipstick/slipstick/versions"
)

// Headers of the protocol, which say again what stands in the message.
const (
	headerVersion = "Mcp-Protocol-Version"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
)

// stateless is the first revision whose requests stand alone. Older ones have other rules
// for statuses.
const stateless = "2026-07-28"

// ServeHTTP answers one POST, which is one message.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if reason := s.guard.check(r); reason != "" {
		s.refuse(w, nil, &fault{http.StatusForbidden, jsonrpc.CodeInvalidRequest, reason}, nil)
		return
	}
	if p := checkMedia(w, r); p != nil {
		s.refuseProblem(w, nil, jsonrpc.CodeInvalidRequest, p)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, strictjson.MaxBytes))
	if err != nil {
		s.refuseProblem(w, nil, jsonrpc.CodeInvalidRequest, unread(w, err))
		return
	}
	m, f := readMessage(body)
	if p := s.limited(w, r, m); p != nil {
		s.refuseProblem(w, m.id, http.StatusTooManyRequests, p)
		return
	}
	if f == nil {
		f = s.checkHeaders(r, m)
	}
	switch {
	case f != nil:
		s.refuseFault(w, r, m, f)
	case m.id == nil && m.method != "" && !s.methods[m.method]:
		w.WriteHeader(http.StatusAccepted) // a notification of something that does not concern us
	default:
		s.pass(w, r, m)
	}
}

// pass lets the SDK answer the message.
func (s *Server) pass(w http.ResponseWriter, r *http.Request, m *message) {
	c := &call{requestID: w.Header().Get("X-Request-Id"), arguments: m.arguments}
	c.pins, c.pinsErr = transportPins(r)
	passed := r.Clone(c.context(r.Context()))
	body := m.masked
	if keepsArguments(m.tool) {
		body = m.body
	}
	passed.Body, passed.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	passed.Header.Set("Accept", "application/json, text/event-stream") // answers are JSON, which the caller takes
	passed.Header.Del("Last-Event-Id")                                 // there is nothing to go on with
	a := &answer{ResponseWriter: w, call: c}
	s.handler.ServeHTTP(a, passed)
	a.finish(m.id)
}

// checkMedia refuses a body that is not plain JSON, and a caller that takes no JSON.
func checkMedia(w http.ResponseWriter, r *http.Request) *calc.Problem {
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		w.Header().Set("Accept-Encoding", "identity")
		return calc.NewProblem(calc.CodeUnsupportedMediaType, "Send the body without compression.", "content encoding %.40q is not supported", encoding)
	}
	lines := r.Header["Content-Type"]
	if len(lines) == 1 {
		media, params, err := mime.ParseMediaType(lines[0])
		charset, given := params["charset"]
		if err == nil && media == mediaJSON && (!given || strings.EqualFold(charset, "utf-8")) {
			return nil
		}
	}
	w.Header().Set("Accept", mediaJSON)
	w.Header().Set("Accept-Post", mediaJSON)
	return calc.NewProblem(calc.CodeUnsupportedMediaType, "Send Content-Type: application/json.",
		"the content type %.80q is not application/json in UTF-8", strings.Join(lines, ", "))
}

// unread is the problem of a body that could not be read.
func unread(w http.ResponseWriter, err error) *calc.Problem {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		w.Header().Set("Connection", "close")
		return calc.NewProblem(calc.CodePayloadTooLarge, "Send a smaller message.", "the message is larger than %d bytes", strictjson.MaxBytes)
	}
	return calc.NewProblem(calc.CodeInvalidJSON, "Send the whole body.", "the body could not be read to its end")
}

// transportPins collects the version pins that stand outside the message.
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

// checkHeaders holds against the message what the headers say of it, as far as the SDK
// does not, and gives the SDK the name that it can compare.
func (s *Server) checkHeaders(r *http.Request, m *message) *fault {
	for _, name := range []string{headerVersion, headerMethod, headerName} {
		if len(r.Header[name]) > 1 {
			return invalid(protocol.CodeHeaderMismatch, "the header %s stands there twice", name)
		}
	}
	version := r.Header.Get(headerVersion)
	if version != "" && !slices.Contains(protocol.SupportedProtocolVersions(), version) {
		if m.revision != "" && m.revision != version {
			return invalid(protocol.CodeHeaderMismatch, "the header %s is not the revision of the message", headerVersion)
		}
		return invalid(protocol.CodeUnsupportedProtocolVersion, "protocol version %.40q is not supported", version)
	}
	name, ok := decodeSentinel(r.Header.Get(headerName))
	if !ok {
		return invalid(protocol.CodeHeaderMismatch, "the header %s is not Base64 between its marks", headerName)
	}
	if name != "" {
		r.Header.Set(headerName, name)
	}
	switch {
	case m.method == "" || m.id == nil || s.methods[m.method]:
		return nil
	case version >= stateless:
		return &fault{http.StatusNotFound, jsonrpc.CodeMethodNotFound, fmt.Sprintf("there is no method %.80q", m.method)}
	}
	return &fault{http.StatusOK, jsonrpc.CodeMethodNotFound, fmt.Sprintf("there is no method %.80q", m.method)}
}

// decodeSentinel decodes a header value that could not stand there as it is.
func decodeSentinel(value string) (string, bool) {
	inner, marked := strings.CutPrefix(value, "=?base64?")
	if !marked || !strings.HasSuffix(inner, "?=") {
		return value, true
	}
	text, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(inner, "?="))
	return string(text), err == nil
}

// refuseFault answers a message that is refused for what it is.
func (s *Server) refuseFault(w http.ResponseWriter, r *http.Request, m *message, f *fault) {
	var data json.RawMessage
	switch f.code {
	case jsonrpc.CodeParseError:
		data = s.data(calc.NewProblem(calc.CodeInvalidJSON, "Send one JSON-RPC message.", "%s", f.message))
	case protocol.CodeUnsupportedProtocolVersion:
		data, _ = json.Marshal(protocol.UnsupportedProtocolVersionData{
			Supported: protocol.SupportedProtocolVersions(), Requested: r.Header.Get(headerVersion),
		})
	}
	s.refuse(w, m.id, f, data)
}

// refuseProblem answers with a problem of the interface as an error of JSON-RPC.
func (s *Server) refuseProblem(w http.ResponseWriter, id json.RawMessage, code int64, p *calc.Problem) {
	s.refuse(w, id, &fault{p.Status(), code, p.Detail}, s.data(p))
}

func (s *Server) refuse(w http.ResponseWriter, id json.RawMessage, f *fault, data json.RawMessage) {
	writeJSON(w, f.status, renderError(id, f.code, f.message, data))
}
