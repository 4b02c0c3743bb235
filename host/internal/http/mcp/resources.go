package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	protocol "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/slipstick/slipstick/host/internal/archive/share"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/versions"
)

// URIs of resources.
const (
	catalogURI         = "calc://capabilities"
	capabilityPrefix   = catalogURI + "/"
	capabilityTemplate = capabilityPrefix + "{capability_id}@{version}"
	snapshotPrefix     = "calc://snapshots/"
	snapshotTemplate   = snapshotPrefix + "{id}"
)

const mediaJSON = web.JSON

// isCatalog reports whether the resource depends on published capabilities, which can change.
func isCatalog(uri string) bool {
	return strings.HasPrefix(uri, catalogURI) || strings.HasPrefix(uri, tablesURI)
}

func (s *Server) addResources() {
	s.server.AddResource(&protocol.Resource{
		URI: catalogURI, Name: "capabilities", Title: "Published calculations", MIMEType: mediaJSON,
		Description: "Every capability with its title, versions and tier.",
	}, s.readCatalog)
	s.server.AddResourceTemplate(&protocol.ResourceTemplate{
		URITemplate: capabilityTemplate, Name: "capability", Title: "One calculation at one version", MIMEType: mediaJSON,
		Description: "The response of " + toolDescribe + " with schema.",
	}, s.readCapability)
	s.server.AddResourceTemplate(&protocol.ResourceTemplate{
		URITemplate: snapshotTemplate, Name: "snapshot", Title: "A snapshot", MIMEType: mediaJSON,
		Description: "The response of " + toolSnapshot + ".",
	}, s.readSnapshotResource)
	s.addTables()
}

func (s *Server) readCatalog(_ context.Context, req *protocol.ReadResourceRequest) (*protocol.ReadResourceResult, error) {
	list := []summary{}
	for _, e := range s.service.Catalog().Entries() {
		list = append(list, s.summarize(e))
	}
	body, err := json.Marshal(map[string]any{"capabilities": list, "count": len(list)})
	return contents(req, body), err
}

// readCapability answers the URI of a capability at a version. The capability is named by its id or its tool
// id. The version in the URI is a pin.
func (s *Server) readCapability(ctx context.Context, req *protocol.ReadResourceRequest) (*protocol.ReadResourceResult, error) {
	id, version, _ := strings.Cut(strings.TrimPrefix(req.Params.URI, capabilityPrefix), "@")
	c := callOf(ctx)
	e, err := s.service.Catalog().Find(id)
	if err != nil || version == "" {
		return nil, notFound(req.Params.URI)
	}
	if c.pinsErr != nil {
		return nil, s.failResource(c, req, c.pinsErr)
	}
	r, err := e.Release(append([]versions.Pin{{Place: versions.InAddress, Value: version}}, c.pins...))
	switch {
	case err != nil && problem.Of(err).Code == problem.CodeVersionMismatch:
		return nil, notFound(req.Params.URI)
	case err != nil:
		return nil, s.failResource(c, req, err)
	}
	body, err := json.Marshal(s.describeRelease(e, r, true))
	return contents(req, body), err
}

// readSnapshotResource answers the URI of a snapshot. A snapshot never changes, so clients may cache it until it expires.
func (s *Server) readSnapshotResource(ctx context.Context, req *protocol.ReadResourceRequest) (*protocol.ReadResourceResult, error) {
	snap, err := share.Get(ctx, s.snapshots, strings.TrimPrefix(req.Params.URI, snapshotPrefix))
	switch {
	case err != nil && problem.Of(err).Code == problem.CodeSnapshotNotFound:
		return nil, notFound(req.Params.URI)
	case err != nil:
		return nil, s.failResource(callOf(ctx), req, err)
	}
	r := contents(req, snap.Body)
	if !snap.ExpiresAt.IsZero() {
		r.TTLMs = int(max(1, min(fixedTTL, time.Until(snap.ExpiresAt).Milliseconds())))
	}
	return r, nil
}

func contents(req *protocol.ReadResourceRequest, body []byte) *protocol.ReadResourceResult {
	return &protocol.ReadResourceResult{Contents: []*protocol.ResourceContents{{URI: req.Params.URI, MIMEType: mediaJSON, Text: string(body)}}}
}

// notFound returns the protocol's error for a URI that does not exist.
func notFound(uri string) error {
	data, err := json.Marshal(map[string]string{"uri": uri})
	if err != nil {
		return err
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Resource not found", Data: data}
}

// failResource returns the protocol's error for a resource that exists but cannot be read.
func (s *Server) failResource(c *call, req *protocol.ReadResourceRequest, err error) error {
	p := problem.Of(err)
	if p.Status() < http.StatusInternalServerError {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: p.Detail, Data: s.data(p)}
	}
	s.options.Log.Error("resource failed", "id", c.requestID, "uri", req.Params.URI, "code", p.Code, "error", p.Cause)
	c.status = http.StatusInternalServerError
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: p.Detail, Data: s.data(p)}
}
