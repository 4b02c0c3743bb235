// Package api is the REST interface of the server. [Routes] returns its endpoints: calculations, batches, studies,
// snapshots, receipts and descriptions of capabilities. [Direct] answers single calculations in the same way
// without net/http.
//
// The package translates between HTTP and the calculation service, and computes nothing itself. [Options] has the
// parts of the server that it needs. [Batches] limits the batches that run at the same time.
package api

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/calc/shadow"
	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/registry/hostkeys"
	"github.com/slipstick/slipstick/registry/transparency"
)

// Options are the options of the REST interface. The zero value has no limits and no snapshots.
type Options struct {
	Log       *slog.Logger                    // logs errors that the caller did not cause; discarded if nil
	Snapshots *snapshot.Store                 // nil: the endpoints of snapshots do not exist
	Ready     func(context.Context) Readiness // nil: always ready
	Batches   Batches
	Receipts  Receipts             // nil: this server keeps no ledger
	Shadow    func() shadow.Report // the comparison with shadow candidates; nil: its endpoint does not exist

	// Checkpoint returns the last accepted checkpoint of the registry's transparency log, nil if there is none.
	// A nil Checkpoint means that there is none.
	Checkpoint func() *transparency.Checkpoint

	// Document returns the OpenAPI document of one capability, or of the whole API if the entry is nil. If
	// Document is nil, the endpoints of these documents do not exist.
	Document func(of *catalog.Entry) ([]byte, error)
}

// Batches are the limits of client batches. The zero value sets no limits.
type Batches struct {
	Clients     *web.Clients      // counts the lines against the limits of their clients; nil: no limits
	Places      *limit.Budget     // number of concurrent batches
	Rows        *limit.Budget     // bytes of memory for rows
	Files       *limit.Budget     // bytes of memory for reading and writing files with typed columns
	Spool       *limit.Budget     // bytes on the disk for such files
	Dir         string            // where these files are; the directory for temporary files if empty
	Observe     func(batch.Tally) // receives the counts of answered lines
	IdleTimeout time.Duration     // after which a batch ends if its caller sends nothing; 30 s if zero
	Until       context.Context   // when it is done, batches end after a line and return the row to resume at; nil: they do not
}

type server struct {
	service *calc.Service
	options Options
}

// calculation is the path of the calculations of one capability.
const calculation = "/api/v1/calc/{id}"

// Direct returns a handler that answers POST requests for calculations without net/http. It gives the same
// answers as the routes under these Options.
func Direct(service *calc.Service, routes []web.Route, o *web.Options) *web.Direct {
	return web.NewDirect(service, calculation, limit.Calc, routes, o)
}

// Routes returns the routes of the REST interface.
func Routes(service *calc.Service, o *Options) []web.Route {
	s := &server{service: service}
	if o != nil {
		s.options = *o
	}
	if s.options.Log == nil {
		s.options.Log = slog.New(slog.DiscardHandler)
	}
	if s.options.Batches.IdleTimeout <= 0 {
		s.options.Batches.IdleTimeout = defaultIdleTimeout
	}
	routes := []web.Route{
		get("/api/v1/calc", pagedQuery, s.getCatalog),
		get(calculation, describedQuery, s.getEntry),
		post("/api/v1/calc", limit.Calc, calculationQuery, s.postCalculation),
		post(calculation, limit.Calc, calculationQuery, s.postCalculation),
		{Method: http.MethodPost, Pattern: "/api/v1/batch", Surface: limit.Calc, Query: batchQuery, Stream: true, Handler: s.postBatch},
		post("/api/v1/study", limit.Calc, studyQuery, s.postStudy),
		post("/api/v1/study/{id}", limit.Calc, studyQuery, s.postStudy),
		{Method: http.MethodGet, Pattern: "/api/v1/value/{id}", Query: valueQuery, Handler: s.getValue, Fail: s.failValue},
		get("/api/v1/capabilities", pagedQuery, s.getCatalog),
		get("/api/v1/capabilities/{id}", describedQuery, s.getEntry),
		get("/api/v1/capabilities/{id}/schema/input", pinnedQuery, s.getInputSchema),
		get("/api/v1/capabilities/{id}/schema/output", pinnedQuery, s.getOutputSchema),
		get("/api/v1/capabilities/{id}/evidence", pinnedQuery, s.getEvidence),
		get("/api/v1/capabilities/{id}/text", pinnedQuery, s.getText),
		get("/api/v1/units", unitsQuery, s.getUnits),
		get("/api/v1/tables", noQuery, s.getTables),
		get("/api/v1/tables/{id}", pinnedQuery, s.getTable),
		get("/api/v1/tables/{id}/rows.csv", pinnedQuery, s.getRows),
		{Method: http.MethodGet, Pattern: "/api/v1/receipts/{segment}/{leaf}", Surface: limit.Share, Handler: s.getReceipt},
		get("/problems/{slug}", publicQuery, s.getProblem),
		get(transparency.WellKnown, noQuery, s.getCheckpoint),
		get("/livez", probeQuery, s.getLive),
		get("/readyz", readyQuery, s.getReady),
	}
	if s.options.Document != nil {
		routes = append(routes, get("/openapi.json", noQuery, s.getDocument), get("/api/v1/capabilities/{id}/openapi.json", noQuery, s.getDocumentOf))
	}
	if s.options.Shadow != nil {
		routes = append(routes, web.Route{Method: http.MethodGet, Pattern: shadow.Path, Surface: limit.Page, Handler: s.getShadow})
	}
	if s.options.Snapshots != nil {
		routes = append(routes,
			post("/api/v1/share", limit.Share, snapshotQuery, s.postSnapshot),
			web.Route{Method: http.MethodGet, Pattern: "/api/v1/share/{id}", Surface: limit.Share, Handler: s.getSnapshot},
			web.Route{Method: http.MethodGet, Pattern: "/api/v1/share/{id}/signed", Surface: limit.Share, Handler: s.getSigned},
			web.Route{Method: http.MethodGet, Pattern: "/s/{id}", Surface: limit.Page, Query: publicQuery, Handler: s.getSnapshot},
			get(hostkeys.WellKnown, noQuery, s.getKeys),
		)
	}
	return routes
}

func get(pattern string, query web.Query, h web.Handler) web.Route {
	return web.Route{Method: http.MethodGet, Pattern: pattern, Query: query, Handler: h}
}

func post(pattern, surface string, query web.Query, h web.Handler) web.Route {
	return web.Route{Method: http.MethodPost, Pattern: pattern, Surface: surface, Query: query, Handler: h}
}

// getCheckpoint answers GET /.well-known/slipstick-log. A caller who compares the checkpoints of two servers
// notices if the registry shows them different transparency logs.
func (s *server) getCheckpoint(w http.ResponseWriter, r *http.Request) error {
	var c *transparency.Checkpoint
	if s.options.Checkpoint != nil {
		c = s.options.Checkpoint()
	}
	if c == nil {
		return problem.New(problem.CodeNotFound, "The operator of the registry can create a log with slipstick log init.", "the registry has no transparency log")
	}
	web.WriteCacheableAs(w, r, mediaText, c.Note())
	return nil
}

// getDocument answers GET /openapi.json.
func (s *server) getDocument(w http.ResponseWriter, r *http.Request) error {
	return s.writeDocument(w, r, nil)
}

// getDocumentOf answers GET /api/v1/capabilities/{id}/openapi.json. The document describes all versions, so
// pins have no meaning.
func (s *server) getDocumentOf(w http.ResponseWriter, r *http.Request) error {
	e, err := s.service.Catalog().Find(r.PathValue("id"))
	if err != nil {
		return err
	}
	return s.writeDocument(w, r, e)
}

func (s *server) writeDocument(w http.ResponseWriter, r *http.Request, of *catalog.Entry) error {
	document, err := s.options.Document(of)
	if err == nil {
		web.WriteCacheable(w, r, document)
	}
	return err
}
