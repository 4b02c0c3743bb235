package mcp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	protocol "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// Headers of the protocol, which repeat parts of the message.
const (
	headerVersion = "Mcp-Protocol-Version"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
)

// stateless is the first revision of the protocol without sessions. Older revisions have
// other rules for HTTP statuses.
const stateless = "2026-07-28"

// Routes returns the routes of the protocol's only endpoint.
func (s *Server) Routes() []web.Route {
	return []web.Route{{
		Method: http.MethodPost, Pattern: "/mcp", Query: web.Query{Parameters: web.PinParameters}, Handler: web.WrapHandler(http.HandlerFunc(s.post)), Fail: s.failHTTP,
	}}
}

// failHTTP answers a request that was refused before its message was read.
func (s *Server) failHTTP(w http.ResponseWriter, _ *http.Request, p *problem.Problem) {
	web.SetNoStore(w.Header())
	web.SetRetry(w.Header(), p)
	s.refuseProblem(w, nil, codeOf(p.Status()), p)
}

// post answers one POST, which carries one message. Errors have the form of JSON-RPC.
func (s *Server) post(w http.ResponseWriter, r *http.Request) {
	web.SetNoStore(w.Header())
	if reason := s.guard.check(r); reason != "" {
		s.refuse(w, nil, &fault{http.StatusForbidden, jsonrpc.CodeInvalidRequest, reason}, nil)
		return
	}
	body, err := readBody(w, r)
	if err != nil {
		s.refuseProblem(w, nil, jsonrpc.CodeInvalidRequest, problem.Of(err))
		return
	}
	m, f := readMessage(body)
	if p := s.checkLimits(w, r, m); p != nil {
		s.refuseProblem(w, m.id, http.StatusTooManyRequests, p)
		return
	}
	if f == nil {
		f = s.checkHeaders(r, m)
	}
	switch {
	case f != nil:
		f.setStatus(r.Header.Get(headerVersion))
		s.refuseFault(w, r, m, f)
	case m.id == nil && m.method != "" && !s.methods[m.method]:
		w.WriteHeader(http.StatusAccepted) // a notification or response that needs no action
	default:
		s.forward(w, r, m)
	}
}

// forward lets the SDK answer the message.
func (s *Server) forward(w http.ResponseWriter, r *http.Request, m *message) {
	c := &call{requestID: w.Header().Get("X-Request-Id"), arguments: m.arguments, count: s.options.Clients.Counter(r, limit.MCPExec)}
	c.pins, c.pinsErr = web.Pins(r)
	forwarded := r.Clone(c.context(r.Context()))
	forwarded.Body, forwarded.ContentLength = io.NopCloser(bytes.NewReader(m.body)), int64(len(m.body))
	forwarded.Header.Set("Accept", "application/json, text/event-stream") // the SDK requires both; the answer is JSON
	forwarded.Header.Del("Last-Event-Id")                                 // there is no stream to resume
	a := &answer{ResponseWriter: w, call: c}
	s.handler.ServeHTTP(a, forwarded)
	a.finish(m.id)
}

// readBody reads a body that must be uncompressed JSON.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	h := w.Header()
	if err := web.CheckMedia(w, r, web.JSON); err != nil {
		if accepted := h.Get("Accept-Post"); accepted != "" {
			h.Set("Accept", accepted)
		}
		return nil, err
	}
	var body bytes.Buffer
	err := web.ReadBody(w, r, &body, strictjson.MaxBytes, "body")
	if err != nil && problem.Of(err).Code == problem.CodePayloadTooLarge {
		h.Set("Connection", "close")
		return nil, problem.New(problem.CodePayloadTooLarge, "Send a smaller message.", "the message is larger than %d bytes", strictjson.MaxBytes)
	}
	return body.Bytes(), err
}

// checkHeaders compares the headers with the message where the SDK does not. It decodes the name in the headers
// so that the SDK can compare it.
func (s *Server) checkHeaders(r *http.Request, m *message) *fault {
	for _, name := range []string{headerVersion, headerMethod, headerName} {
		if len(r.Header[name]) > 1 {
			return invalid(protocol.CodeHeaderMismatch, "the request has the header %s twice", name)
		}
	}
	version := r.Header.Get(headerVersion)
	if version != "" && !slices.Contains(revisions, version) {
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
	if m.method == "" || m.id == nil || s.methods[m.method] {
		return nil
	}
	return invalid(jsonrpc.CodeMethodNotFound, "there is no method %.80q", m.method)
}

// setStatus sets the status that the revision gives errors about the method and its params.
// Before the first stateless revision they are answers with status 200: clients report any
// other status as a failure of the transport.
func (f *fault) setStatus(revision string) {
	switch {
	case f.code != jsonrpc.CodeMethodNotFound && f.code != jsonrpc.CodeInvalidParams:
	case revision < stateless:
		f.status = http.StatusOK
	case f.code == jsonrpc.CodeMethodNotFound:
		f.status = http.StatusNotFound
	}
}

// decodeSentinel decodes a header value that was encoded because of its characters.
func decodeSentinel(value string) (string, bool) {
	inner, marked := strings.CutPrefix(value, "=?base64?")
	if !marked || !strings.HasSuffix(inner, "?=") {
		return value, true
	}
	text, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(inner, "?="))
	return string(text), err == nil
}

// refuseFault answers a message with a fault.
func (s *Server) refuseFault(w http.ResponseWriter, r *http.Request, m *message, f *fault) {
	var data json.RawMessage
	switch f.code {
	case jsonrpc.CodeParseError:
		data = s.data(problem.New(problem.CodeInvalidJSON, "Send one JSON-RPC message.", "%s", f.message))
	case protocol.CodeUnsupportedProtocolVersion:
		data, _ = json.Marshal(protocol.UnsupportedProtocolVersionData{
			Supported: revisions, Requested: r.Header.Get(headerVersion),
		})
	}
	s.refuse(w, m.id, f, data)
}

// refuseProblem answers with a JSON-RPC error whose data is a problem of the interface.
func (s *Server) refuseProblem(w http.ResponseWriter, id json.RawMessage, code int64, p *problem.Problem) {
	s.refuse(w, id, &fault{p.Status(), code, p.Detail}, s.data(p))
}

func (s *Server) refuse(w http.ResponseWriter, id json.RawMessage, f *fault, data json.RawMessage) {
	web.WriteJSON(w, f.status, renderError(id, f.code, f.message, data))
}
