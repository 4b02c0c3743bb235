package api

import (
	"cmp"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/tables/table"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/versions"
)

// Media types of batches.
const (
	mediaRows        = "application/x-ndjson"
	mediaLines       = "application/jsonl"
	mediaParquet     = "application/vnd.apache.parquet"
	mediaArrow       = "application/vnd.apache.arrow.file"
	mediaArrowStream = "application/vnd.apache.arrow.stream"
)

// batchMedia are the media types of a request body, and formats maps each to the format of its rows. All except
// the first two are tables.
var (
	batchMedia = []string{mediaRows, mediaLines, mediaCSV, mediaParquet, mediaArrow, mediaArrowStream}
	formats    = map[string]table.Format{
		mediaRows: table.NDJSON, mediaLines: table.NDJSON, mediaCSV: table.CSV,
		mediaParquet: table.Parquet, mediaArrow: table.Arrow, mediaArrowStream: table.Arrows,
	}
)

// defaultIdleTimeout is how long a batch waits for the caller to send more.
const defaultIdleTimeout = 30 * time.Second

// postBatch answers POST /api/v1/batch, line by line. It sends answers while the caller still sends lines. The
// server's time limits for whole requests do not apply: a batch can take any time as long as it makes progress.
func (s *server) postBatch(w http.ResponseWriter, r *http.Request) error {
	if err := web.CheckBody(w, r, batchMedia...); err != nil {
		return err
	}
	asked, err := s.readBatch(r)
	if err != nil {
		return err
	}
	until := s.options.Batches.Until
	if until != nil && until.Err() != nil {
		return interrupted(1)
	}
	client := s.options.Batches.Clients.Of(r)
	if err := s.startBatch(client); err != nil {
		return err
	}
	defer s.options.Batches.Places.Release(client, 1)
	t := &transfer{w: w, body: r.Body, control: http.NewResponseController(w), idleTimeout: s.options.Batches.IdleTimeout}
	ctx, interrupt := context.WithCancelCause(r.Context())
	defer interrupt(nil)
	if until != nil {
		defer context.AfterFunc(until, func() { interrupt(errInterrupted) })()
	}
	in, err := s.startRows(ctx, w, asked, t, client)
	defer in.end()
	switch {
	case until != nil && until.Err() != nil:
		return interrupted(1)
	case t.cut:
		return web.CutOff("body")
	case err != nil:
		return err
	}
	// If full duplex is not possible, the caller has to send everything first. It is not enabled earlier, so
	// that net/http reads the rest of the body after a refused header.
	_ = t.control.EnableFullDuplex()
	answered := 0
	err = batch.Run(ctx, s.service, in.rows, in.output, in.answers, &batch.Options{
		Pins: asked.pins, Admit: s.admission(r), Interrupt: t.interrupt,
		Observe: func(done batch.Tally) {
			answered += done.Rows()
			s.observeLines(done)
		},
		Recorded: func(receipt calc.Receipt) { web.SetLateReceipt(w.Header(), receipt) },
		Acquire: func(ctx context.Context, bytes int64) (int64, error) {
			return s.options.Batches.Rows.Acquire(ctx, client, bytes)
		},
		Release: func(held int64) { s.options.Batches.Rows.Release(client, held) },
	})
	if errors.Is(err, errInterrupted) {
		return s.endInterrupted(t, in, interrupted(answered+1))
	}
	if err == nil {
		err = in.answers.Close()
		if err == nil {
			t.sendHeader() // an empty batch has an empty answer
			return nil
		}
	}
	switch {
	case !t.started && t.cut:
		return web.CutOff("body")
	case !t.started:
		return err
	}
	s.options.Log.Warn("a batch was interrupted", "error", err)
	panic(http.ErrAbortHandler) // an aborted connection shows that the answers are incomplete
}

// errInterrupted is the cause of the problem when a shutdown ends a batch.
var errInterrupted = errors.New("the server is shutting down")

// interrupted returns the problem of a batch that a shutdown ended before it answered this row.
func interrupted(row int) *problem.Problem {
	p := problem.BatchInterrupted(row)
	p.Cause = errInterrupted
	return p
}

// endInterrupted ends a partial answer with a row that contains the row to resume at. If no answer was sent
// yet, the problem is the answer.
func (s *server) endInterrupted(t *transfer, in *reading, p *problem.Problem) error {
	if !t.started {
		return p
	}
	if _, err := in.answers.Write(in.output(nil, "", nil, p)); err != nil {
		panic(http.ErrAbortHandler)
	}
	if err := in.answers.Close(); err != nil {
		panic(http.ErrAbortHandler)
	}
	return &web.Answered{Problem: p}
}

// startBatch acquires a place for a batch of the client.
func (s *server) startBatch(client netip.Prefix) error {
	places := s.options.Batches.Places
	switch {
	case places.TryAcquire(client, 1):
		return nil
	case places.ShareTaken(client):
		return problem.TooManyBatches(places.Share())
	}
	return problem.Overloaded("Try again when other batches have ended.", "too many batches are running")
}

// batchRequest is the content of a batch request other than its rows.
type batchRequest struct {
	id    string // the capability of rows that name none
	pins  []versions.Pin
	rows  table.Format // format of the rows
	media string       // media type of the answers
	form  string       // form of the answers in NDJSON
	table table.Options
}

// Forms of answers.
const (
	asFull       = "full"
	asResult     = "result"
	asAttributed = "attributed" // the whole answer, with the digest of the engine
	asCSV        = "csv"
)

func (s *server) readBatch(r *http.Request) (*batchRequest, error) {
	pins, err := web.Pins(r)
	if err != nil {
		return nil, err
	}
	query := r.URL.Query() // Pins has checked that it can be parsed
	sent, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	b := &batchRequest{pins: pins, rows: cmp.Or(formats[sent], table.NDJSON)}
	if err := b.readForm(r, sent, query); err != nil {
		return nil, err
	}
	b.id = query.Get(idKey)
	if b.id == "" && b.rows.IsTable() {
		return nil, problem.InvalidParameter(idKey, "Name the capability in the URL: /api/v1/batch?id=ohms-law.", "a table does not say what is calculated")
	}
	b.table = table.Options{Units: query[unitKey], Tags: query[tagKey], Dir: s.options.Batches.Dir}
	b.table.Decimals, err = decimalsOf(query)
	if err != nil {
		return nil, err
	}
	b.table.System, err = systemOf(query)
	if err != nil {
		return nil, err
	}
	for _, key := range []string{unitsKey, unitKey, tagKey, decimalKey} {
		if query.Has(key) && !b.rows.IsTable() {
			return nil, problem.InvalidParameter(key, "Send the rows as a table, such as text/csv, or leave it out.", "%s is for tables", key)
		}
	}
	b.table.Decimals = cmp.Or(b.table.Decimals, typed.ByFile)
	return b, nil
}

// readForm sets the form of the answers: as the query asks, or else as the Accept header prefers. The answer to
// a table without a preference is a table of the same format.
func (b *batchRequest) readForm(r *http.Request, sent string, query url.Values) error {
	forms := []string{asFull, asResult, asAttributed}
	if b.rows.IsTable() {
		forms = append(forms, asCSV)
	}
	form, err := oneOf(query, outputKey, forms...)
	if err != nil {
		return err
	}
	b.media, b.form = mediaRows, cmp.Or(form, asFull)
	switch {
	case form == asCSV:
		b.media = mediaCSV
	case form == "" && b.rows.IsTable():
		b.media = web.Media(r, sent, mediaCSV, mediaParquet, mediaArrow, mediaArrowStream, mediaRows)
	}
	return nil
}

// reading is a batch while its rows are read.
type reading struct {
	rows    batch.Input
	output  batch.Output
	answers io.WriteCloser // writes the answers of the rows
	held    []func()       // each releases something that the batch holds
}

// end releases everything that the batch holds.
func (in *reading) end() {
	for _, release := range slices.Backward(in.held) {
		release()
	}
}

// lines writes answers in a format without an end marker.
type lines struct{ io.Writer }

func (lines) Close() error { return nil }

// startRows returns the reader of the rows and the writer of the answers, also with an error. It reads the
// header of a table.
func (s *server) startRows(ctx context.Context, w http.ResponseWriter, b *batchRequest, t *transfer, client netip.Prefix) (*reading, error) {
	in := &reading{output: batch.FullLine(s.service.BaseURL()), answers: lines{t}}
	switch b.form {
	case asResult:
		in.output = batch.LeanLine(s.service.BaseURL())
	case asAttributed:
		in.output = batch.AttributedLine(s.service.BaseURL())
	}
	t.media = b.media
	if !b.rows.IsTable() {
		in.rows = batch.NewLines(t, b.id)
		return in, nil
	}
	sheet, err := s.openSheet(ctx, in, b, t, client)
	if err != nil {
		return in, err
	}
	in.rows = sheet
	web.SetRelease(w.Header(), s.service.BaseURL(), sheet.Release())
	passing := sheet.Passing()
	for _, name := range passing[:min(len(passing), maxPassedReported)] {
		w.Header().Add(headerPassing, strconv.QuoteToASCII(request.Clip(name)))
	}
	if b.media == mediaRows {
		return in, nil
	}
	if b.media == mediaCSV {
		t.media = mediaTable
	}
	in.answers, in.output, err = sheet.NewWriter(t, formats[b.media])
	return in, err
}

// headerPassing is the header field for the columns of a table that are not inputs and pass through. It lists
// only the first columns, because headers have size limits.
const (
	headerPassing     = "Slipstick-Passed-Columns"
	maxPassedReported = 20
)

// admission returns a function that counts another call of the client against its limit.
func (s *server) admission(r *http.Request) func() *problem.Problem {
	return func() *problem.Problem {
		if d := s.options.Batches.Clients.Allow(r, limit.Calc); !d.Allowed {
			return problem.RateLimited(d.Limit, d.RetryAfterSeconds())
		}
		return nil
	}
}

// observeLines reports the counts of answered lines, and logs internal failures.
func (s *server) observeLines(t batch.Tally) {
	if t.Failure != nil {
		s.options.Log.Error("rows of a batch failed", "lines", t.Failed, "code", t.Failure.Code, "error", t.Failure.Cause)
	}
	if s.options.Batches.Observe != nil {
		s.options.Batches.Observe(t)
	}
}

// transfer reads the lines of a batch and writes its answers. It extends the read deadline while lines arrive.
// The connection itself limits how slowly a client may read the answers; see [conn.MinRate].
type transfer struct {
	w           http.ResponseWriter
	body        io.Reader
	control     *http.ResponseController
	idleTimeout time.Duration

	media string // media type of the answers

	started bool // the header was sent
	cut     bool // reading the body failed

	mu   sync.Mutex // guards over, and the read deadline
	over bool
}

func (t *transfer) Read(p []byte) (int, error) {
	if !t.extendDeadline() {
		return 0, http.ErrBodyReadAfterClose
	}
	n, err := t.body.Read(p)
	t.cut = err != nil && !errors.Is(err, io.EOF)
	return n, err
}

// extendDeadline extends the read deadline by the idle timeout. It returns false if the batch has ended, so
// that there is nothing more to read.
func (t *transfer) extendDeadline() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return false
	}
	_ = t.control.SetReadDeadline(time.Now().Add(t.idleTimeout))
	return true
}

// interrupt makes a blocked read return.
func (t *transfer) interrupt() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	_ = t.control.SetReadDeadline(time.Now())
}

// sendHeader sends the header once.
func (t *transfer) sendHeader() {
	if t.started {
		return
	}
	t.started = true
	h := t.w.Header()
	h.Set("Content-Type", t.media)
	h.Set("Cache-Control", "no-store")
	t.w.WriteHeader(http.StatusOK)
}

func (t *transfer) Write(p []byte) (written int, err error) {
	t.sendHeader()
	written, err = t.w.Write(p)
	if err != nil {
		return written, err
	}
	return written, t.control.Flush()
}
