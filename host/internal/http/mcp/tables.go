package mcp

import (
	"context"
	"encoding/json"
	"strings"

	protocol "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/versions"
)

// URIs of tables.
const (
	tablesURI     = "calc://tables"
	tablePrefix   = tablesURI + "/"
	tableTemplate = tablePrefix + "{table_id}@{version}"
)

func (s *Server) addTables() {
	s.server.AddResource(&protocol.Resource{
		URI: tablesURI, Name: "tables", Title: "Published tables", MIMEType: mediaJSON,
		Description: "Materials, sections, pipes, wires and fluids. An input can be {\"preset\": \"TABLE/ROW\"} instead of a number.",
	}, s.readTables)
	s.server.AddResourceTemplate(&protocol.ResourceTemplate{
		URITemplate: tableTemplate, Name: "table", Title: "One table at one version", MIMEType: mediaJSON,
		Description: "Its columns, sources and rows.",
	}, s.readTable)
}

func (s *Server) readTables(_ context.Context, req *protocol.ReadResourceRequest) (*protocol.ReadResourceResult, error) {
	body, err := json.Marshal(s.service.View().ListTables())
	return contents(req, body), err
}

// readTable answers the URI of a table at a version, which is a pin.
func (s *Server) readTable(ctx context.Context, req *protocol.ReadResourceRequest) (*protocol.ReadResourceResult, error) {
	id, version, _ := strings.Cut(strings.TrimPrefix(req.Params.URI, tablePrefix), "@")
	catalog := s.service.Catalog()
	e, err := catalog.Table(id)
	if err != nil || version == "" {
		return nil, notFound(req.Params.URI)
	}
	r, err := catalog.TableRelease(id, []versions.Pin{{Place: versions.InAddress, Value: version}})
	switch {
	case err != nil && problem.Of(err).Code == problem.CodeVersionMismatch:
		return nil, notFound(req.Params.URI)
	case err != nil:
		return nil, s.failResource(callOf(ctx), req, err)
	}
	body, err := json.Marshal(s.service.View().DescribeTable(e, r))
	return contents(req, body), err
}
