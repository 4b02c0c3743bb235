package api_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/http/api"
	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/tables/columns"
)

const (
	parquet     = "application/vnd.apache.parquet"
	arrow       = "application/vnd.apache.arrow.file"
	arrowStream = "application/vnd.apache.arrow.stream"
	tablePath   = batchPath + "?id=volume"
)

var newWriter = map[string]func(io.Writer, []columns.Column, map[string]string) (columns.Writer, error){
	parquet: columns.NewParquet, arrow: columns.NewArrow, arrowStream: columns.NewArrowStream,
}

func openFile(media string, data []byte) (columns.Reader, error) {
	if media == parquet {
		return columns.OpenParquet(bytes.NewReader(data), int64(len(data)), nil)
	}
	return columns.OpenArrow(bytes.NewReader(data), nil)
}

// fileOf writes a file with the columns of a block.
func fileOf(t testing.TB, media string, list []columns.Column, b *columns.Block) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := newWriter[media](&file, list, nil)
	if err == nil {
		err = errors.Join(w.Write(b), w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// sides returns a file with a number in each row.
func sides(t testing.TB, media string, of ...float64) []byte {
	b := &columns.Block{Rows: len(of), Columns: []columns.Data{{Null: make([]bool, len(of)), Numbers: of}}}
	return fileOf(t, media, []columns.Column{{Name: "a", Kind: columns.Number}}, b)
}

// manySides returns n numbers.
func manySides(n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = float64(1 + i%100)
	}
	return list
}

// cellsOf reads the rows of a file as the texts of their cells, with "-" for null. The first row contains the
// names and units of the columns.
func cellsOf(t testing.TB, media string, data []byte) (rows [][]string) {
	t.Helper()
	r, err := openFile(media, data)
	if err != nil {
		t.Fatalf("%s: %v: %.300q", media, err, data)
	}
	var names []string
	for _, c := range r.Columns() {
		names = append(names, strings.TrimSuffix(c.Name+" in "+c.Unit, " in "))
	}
	rows = append(rows, names)
	var b columns.Block
	for {
		if err := r.Read(&b, 1000); errors.Is(err, io.EOF) {
			return rows
		} else if err != nil {
			t.Fatalf("%s: %v", media, err)
		}
		for i := range b.Rows {
			var row []string
			for k := range b.Columns {
				d, kind := &b.Columns[k], r.Columns()[k].Kind
				switch {
				case d.Null[i]:
					row = append(row, "-")
				case kind == columns.Number:
					row = append(row, fmt.Sprint(d.Numbers[i]))
				case kind == columns.Integer:
					row = append(row, fmt.Sprint(d.Integers[i]))
				case kind == columns.Truth:
					row = append(row, fmt.Sprint(d.Truths[i]))
				default:
					row = append(row, d.Texts[i])
				}
			}
			rows = append(rows, row)
		}
	}
}

// files returns the same rows in every file format, with valid and invalid inputs. The CSV file has the same
// content.
func files(t testing.TB) map[string][]byte {
	list := []columns.Column{{Name: "name", Kind: columns.Text}, {Name: "a", Unit: "ft", Kind: columns.Number}, {Name: "count", Kind: columns.Integer}, {Name: "shape", Kind: columns.Text, Repeats: true}}
	b := new(columns.Block)
	b.Reset(list, 4)
	b.Columns[0].Texts = []string{"one", "two", "three", ""}
	b.Columns[1].Numbers = []float64{1, 2, -3, 0.1}
	b.Columns[2].Integers = []int64{0, 13, 2, 3}
	b.Columns[2].Null[0] = true
	b.Columns[3].Texts = []string{"cube", "cube", "ball", "cone"}
	b.Columns[0].Null[3] = true
	all := map[string][]byte{"text/csv": []byte("name,a [ft],count,shape\none,1,,cube\ntwo,2,13,cube\nthree,-3,2,ball\n,0.1,3,cone\n")}
	for media := range newWriter {
		all[media] = fileOf(t, media, list, b)
	}
	return all
}

// sendFile sends a file and returns the answer. If the answer is a problem, its body is decoded.
func sendFile(t *testing.T, s *httptest.Server, path, media string, body []byte, headers ...string) reply {
	t.Helper()
	resp, text := sendBatch(t, s, path, media, bytes.NewReader(body), headers...)
	return replyOf(resp, text)
}

func replyOf(resp *http.Response, text []byte) reply {
	r := reply{Response: resp, text: string(text)}
	_ = json.Unmarshal(text, &r.body) // only problems are JSON
	return r
}

// The same rows have the same answers in any format.
func TestBatchFiles(t *testing.T) {
	s := newServer(t)
	sent := files(t)
	plain := sendFile(t, s, tablePath+"&output=full", "text/csv", sent["text/csv"]).text
	table := sendFile(t, s, tablePath+"&unit=volume%3DL", "text/csv", sent["text/csv"]).text
	var want [][]string
	for media, file := range sent {
		if got := sendFile(t, s, tablePath+"&output=full", media, file); got.StatusCode != 200 || got.text != plain || got.Header.Get("Content-Type") != ndjson {
			t.Errorf("%s in full: %d %v %s\nwant %s", media, got.StatusCode, got.Header, got.text, plain)
		}
		for _, as := range []string{parquet, arrow, arrowStream} {
			got := sendFile(t, s, tablePath+"&unit=volume%3DL", media, file, "Accept", as)
			if got.StatusCode != 200 || got.Header.Get("Content-Type") != as || got.Header.Get("Service-Spec-Version") != "2.0.0" || got.Header.Get("Slipstick-Passed-Columns") != `"name"` {
				t.Fatalf("%s as %s: %d %v %.300s", media, as, got.StatusCode, got.Header, got.text)
			}
			cells := cellsOf(t, as, []byte(got.text))
			if media == "text/csv" { // CSV has the unit in the header
				cells[0][1] = "a in ft"
			}
			if want == nil {
				want = cells
			}
			if !reflect.DeepEqual(cells, want) {
				t.Errorf("%s as %s: %q\nwant %q", media, as, cells, want)
			}
		}
		if media != "text/csv" {
			got := sendFile(t, s, tablePath+"&unit=volume%3DL", media, file, "Accept", "text/csv")
			if got.Header.Get("Content-Type") != "text/csv; charset=utf-8; header=present" || strings.Replace(got.text, "name,a,", "name,a [ft],", 1) != table {
				t.Errorf("%s as CSV: %v %s\nwant %s", media, got.Header, got.text, table)
			}
		}
	}
	rows := [][]string{
		{"name", "a in ft", "count", "shape", "volume [L] in L", "warnings", "error_code", "error_field", "error_detail"},
		{"one", "1", "-", "cube", "56.63369318400001", "-", "-", "-", "-"},
		{"two", "2", "13", "cube", "-", "-", "TOO_ODD", "count", "count is 13. Give another value of count: a number."},
		{"three", "-3", "2", "ball", "-", "-", "SIDE_MUST_BE_POSITIVE", "side", "side is -0.9144: it must be greater than 0. Give a value of side greater than 0, in m."},
		{"-", "0.1", "3", "cone", "-", "-", "INVALID_MODE", "shape", `shape "cone" is not one of cube, ball. Give one of cube, ball.`},
	}
	if !reflect.DeepEqual(want, rows) {
		t.Errorf("%q\nwant %q", want, rows)
	}
}

// Without a preference, the answer to a file has the same format as the file. The query overrides the Accept
// header.
func TestBatchAccepts(t *testing.T) {
	s := newServer(t)
	for _, tt := range []struct{ sent, query, accept, want string }{
		{parquet, "", "", parquet}, {arrow, "", "*/*", arrow}, {arrowStream, "", "application/*, */*;q=0.5", arrowStream}, {parquet, "", "application/json", parquet},
		{parquet, "", parquet + ";q=0.4, " + arrowStream + ";q=0.6", arrowStream}, {arrow, "", parquet + ", " + arrow + ";q=0", parquet},
		{parquet, "", "text/*", "text/csv; charset=utf-8; header=present"}, {arrow, "", ndjson, ndjson},
		{parquet, "&output=result", parquet, ndjson}, {parquet, "&output=csv", arrow, "text/csv; charset=utf-8; header=present"},
	} {
		var headers []string
		if tt.accept != "" {
			headers = []string{"Accept", tt.accept}
		}
		r := sendFile(t, s, tablePath+tt.query, tt.sent, sides(t, tt.sent, 2), headers...)
		if got := r.Header.Get("Content-Type"); r.StatusCode != 200 || got != tt.want {
			t.Errorf("%+v: %d %s %.200q", tt, r.StatusCode, got, r.text)
		}
	}
	for _, media := range []string{parquet, arrow, arrowStream} { // a file without rows has an answer without rows
		if cells := cellsOf(t, media, []byte(sendFile(t, s, tablePath, media, sides(t, media)).text)); len(cells) != 1 || len(cells[0]) != 6 {
			t.Errorf("%s without rows: %q", media, cells)
		}
	}
}

// A file that is invalid as a whole is answered with a problem and nothing else.
func TestBatchFileProblems(t *testing.T) {
	s := newServer(t)
	text := fileOf(t, parquet, []columns.Column{{Name: "a", Kind: columns.Truth}, {Name: "count", Kind: columns.Truth}},
		&columns.Block{Rows: 1, Columns: []columns.Data{{Null: []bool{false}, Truths: []bool{true}}, {Null: []bool{false}, Truths: []bool{true}}}})
	whole, stream := sides(t, parquet, 2, 3), sides(t, arrowStream, 2, 3)
	for _, tt := range []struct {
		query, media, body  string
		status              int
		code, field, detail string
	}{
		{"?id=volume", parquet, "", 400, "INVALID_COLUMNS", "", "this is not a Parquet file: it has 0 bytes"}, {"?id=volume", parquet, strings.Repeat("a\n1\n", 100), 400, "INVALID_COLUMNS", "", "not a Parquet file"},
		{"?id=volume", parquet, string(whole[:len(whole)-9]), 400, "INVALID_COLUMNS", "", "only the beginning of one"},
		{"?id=volume", arrow, string(whole), 400, "INVALID_COLUMNS", "", ""}, {"?id=volume", arrowStream, string(stream[:60]), 400, "INVALID_COLUMNS", "", "a part of one"},
		{"?id=volume", arrowStream, string(stream[:len(stream)-40]), 400, "INVALID_COLUMNS", "", "cannot be read"},
		{"?id=volume", parquet, string(text), 400, "INVALID_COLUMNS", "a", `"a": side is a number, and the cells are of type BOOLEAN; "count": count is`},
		{"", parquet, string(whole), 400, "INVALID_QUERY", "id", ""}, {"?id=volum", parquet, string(whole), 404, "ENGINE_NOT_FOUND", "id", ""},
		{"?id=volume&calculation_version=9.0.0", parquet, string(whole), 409, "VERSION_MISMATCH", "calculation_version", ""},
		{"?id=volume&unit=volume%3Dm2", parquet, string(whole), 400, "INCOMPATIBLE_UNIT", "unit", ""}, {"?id=volume&tag=b", parquet, string(whole), 400, "INVALID_COLUMNS", "b", `no column "b"`},
		{"?id=volume&output=parquet", parquet, string(whole), 400, "INVALID_QUERY", "output", ""},
		{"?id=volume", "application/parquet", string(whole), 415, "UNSUPPORTED_MEDIA_TYPE", "", parquet},
	} {
		r := sendFile(t, s, batchPath+tt.query, tt.media, []byte(tt.body))
		field, _ := r.body["field"].(string)
		detail, _ := r.body["detail"].(string)
		if r.StatusCode != tt.status || r.body["code"] != tt.code || field != tt.field || !strings.Contains(detail, tt.detail) {
			t.Errorf("%s %s: %d %.300s\nwant %d %s %s %s", tt.query, tt.media, r.StatusCode, r.text, tt.status, tt.code, tt.field, tt.detail)
			continue
		}
		checkErrorBody(t, r)
	}
	r := sendFile(t, s, tablePath, parquet, whole, "Content-Encoding", "zstd")
	if r.StatusCode != 415 || r.body["code"] != "UNSUPPORTED_MEDIA_TYPE" {
		t.Errorf("compressed: %d %s", r.StatusCode, r.text)
	}
}

// A row without a valid number is rejected alone.
func TestBatchFileRows(t *testing.T) {
	s := newServer(t)
	got := cellsOf(t, parquet, []byte(sendFile(t, s, tablePath, arrowStream, sides(t, arrowStream, 2, math.NaN(), math.Inf(1), -1, 3), "Accept", parquet).text))
	var codes []string
	for _, row := range got[1:] {
		codes = append(codes, row[1]+" "+row[3])
	}
	if len(codes) != 5 || codes[0] != "16 -" || codes[1] != "- INVALID_NUMBER" || codes[2] != codes[1] || !strings.HasPrefix(codes[3], "- ") || codes[4] != "54 -" {
		t.Errorf("%q", codes)
	}
}

// limited returns options with budgets for files.
func limited(spool, files int64) (*api.Options, []*limit.Budget) {
	budgets := []*limit.Budget{limit.NewBudget(spool, spool/4, nil), limit.NewBudget(files, files/2, nil)}
	return &api.Options{Batches: api.Batches{Spool: budgets[0], Files: budgets[1]}}, budgets
}

func checkReleased(t *testing.T, budgets []*limit.Budget) {
	t.Helper()
	for i, b := range budgets {
		if used := b.Used(); used != 0 {
			t.Errorf("%d bytes of budget %d are still held", used, i)
		}
	}
}

// The server rejects a file that exceeds the limit on the disk or in memory. It does not limit streams.
func TestBatchFileLimits(t *testing.T) {
	o, budgets := limited(4<<20, 64<<20)
	o.Batches.Dir = t.TempDir()
	s := httptest.NewServer(handlerWith(t, o, nil))
	numbers := manySides(300_000)
	for i := range numbers {
		numbers[i] += math.Sqrt(float64(i)) // so that the file does not compress well
	}
	r := sendFile(t, s, tablePath, parquet, sides(t, parquet, numbers...), "X-Chunked", "1")
	if r.StatusCode != 413 || r.body["code"] != "PAYLOAD_TOO_LARGE" || !strings.Contains(r.text, "more than 1 MiB") {
		t.Errorf("%d %.300s", r.StatusCode, r.text)
	}
	r = sendFile(t, s, tablePath+"&output=result", arrowStream, sides(t, arrowStream, numbers...))
	if lines := strings.Count(r.text, `{"result"`); r.StatusCode != 200 || lines != len(numbers) {
		t.Errorf("%d, %d lines", r.StatusCode, lines)
	}
	if left, err := os.ReadDir(o.Batches.Dir); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
	s.Close()
	checkReleased(t, budgets)

	o, budgets = limited(64<<20, 2<<20)
	s = httptest.NewServer(handlerWith(t, o, nil))
	r = sendFile(t, s, tablePath, parquet, sides(t, parquet, 2))
	if r.StatusCode != 413 || r.body["code"] != "PAYLOAD_TOO_LARGE" || !strings.Contains(r.text, "more than 1 MiB at once") {
		t.Errorf("%d %.300s", r.StatusCode, r.text)
	}
	r = sendFile(t, s, tablePath, parquet, sides(t, parquet, 2), "Accept", "text/csv")
	if r.StatusCode != 200 {
		t.Errorf("%d %.300s", r.StatusCode, r.text)
	}
	s.Close()
	checkReleased(t, budgets)

	o, _ = limited(64<<20, 64<<20)
	o.Batches.Dir = filepath.Join(t.TempDir(), "missing")
	r = sendFile(t, serveWith(t, o), tablePath, parquet, sides(t, parquet, 2))
	if r.StatusCode != 503 || r.body["code"] != "OVERLOADED" || !strings.Contains(r.text, "cannot store the file") || strings.Contains(r.text, "missing") {
		t.Errorf("%d %.300s", r.StatusCode, r.text)
	}
}

// The rows of files count against the limit of the client.
func TestBatchFileCalls(t *testing.T) {
	limits, err := limit.ParseLimits("calc=2")
	if err != nil {
		t.Fatal(err)
	}
	clients := &web.Clients{Limiter: limit.NewLocal(limits, nil)}
	var tally batch.Tally
	s := serveWithOptions(t, &api.Options{Batches: api.Batches{Clients: clients, Observe: func(t batch.Tally) {
		tally.Succeeded, tally.Limited = tally.Succeeded+t.Succeeded, tally.Limited+t.Limited
	}}}, &web.Options{Clients: clients})
	cells := cellsOf(t, parquet, []byte(sendFile(t, s, tablePath, parquet, sides(t, parquet, manySides(2500)...)).text))
	for i, row := range cells[1:] {
		if (row[3] == "RATE_LIMITED") != (i >= 2000) {
			t.Fatalf("row %d: %q", i, row)
		}
	}
	if len(cells) != 2501 || tally.Succeeded != 2000 || tally.Limited != 500 {
		t.Errorf("%d, %+v", len(cells), tally)
	}
}

// If a file cannot be read completely, the answer never looks complete.
func TestBatchFileDamagedInside(t *testing.T) {
	o, budgets := limited(64<<20, 64<<20)
	s := httptest.NewServer(handlerWith(t, o, nil))
	var file bytes.Buffer
	w, err := columns.NewArrowStream(&file, []columns.Column{{Name: "a", Kind: columns.Number}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 40 {
		b := &columns.Block{Rows: 4096, Columns: []columns.Data{{Null: make([]bool, 4096), Numbers: manySides(4096)}}}
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	cut := file.Bytes()[:file.Len()-100] // within the last batch, without an end marker
	for _, as := range []string{parquet, arrow, arrowStream} {
		req, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+tablePath, bytes.NewReader(cut))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", arrowStream)
		req.Header.Set("Accept", as)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != 200 || err == nil {
			t.Errorf("%s: %d, %d bytes, %v", as, resp.StatusCode, len(answer), err)
		}
		if as == parquet {
			if _, err := openFile(as, answer); err == nil {
				t.Error("what was sent is a whole file")
			}
		}
	}
	s.Close()
	checkReleased(t, budgets)
}

// A caller who leaves while it sends a file or reads the answers causes no leaks.
func TestBatchFileCancelled(t *testing.T) {
	running := goleak.IgnoreCurrent()
	o, budgets := limited(64<<20, 512<<20)
	s := httptest.NewServer(handlerWith(t, o, nil))
	for _, media := range []string{parquet, arrow, arrowStream} {
		whole := sides(t, media, manySides(200_000)...)
		for _, sent := range []int{len(whole) / 2, len(whole)} {
			body, writer := io.Pipe()
			ctx, leave := context.WithCancel(t.Context())
			req, err := http.NewRequestWithContext(ctx, "POST", s.URL+tablePath, body)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", media)
			go func() {
				_, _ = writer.Write(whole[:sent])
				if sent < len(whole) {
					leave()
				}
				writer.Close()
			}()
			if resp, err := http.DefaultClient.Do(req); err == nil {
				_, _ = io.ReadFull(resp.Body, make([]byte, 100))
				resp.Body.Close()
			}
			leave()
		}
	}
	s.Close() // waits for the handlers
	http.DefaultClient.CloseIdleConnections()
	goleak.VerifyNone(t, running)
	checkReleased(t, budgets)
}

// sendCut announces a longer body than it sends, and then sends no more.
func sendCut(t *testing.T, s *httptest.Server, media string, body []byte, announced int) reply {
	t.Helper()
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: a\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", tablePath, media, announced, body)
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return replyOf(resp, text)
}

// A body that ends early is not a file, even if it contains most of one.
func TestBatchFileCutOff(t *testing.T) {
	s := newServer(t)
	for _, media := range []string{parquet, arrowStream} {
		whole := sides(t, media, 2, 3)
		r := sendCut(t, s, media, whole[:len(whole)-10], len(whole))
		if r.StatusCode != 400 || r.body["code"] != "INVALID_JSON" {
			t.Errorf("%s: %d %.300s", media, r.StatusCode, r.text)
		}
	}
}

// A server that is shutting down accepts no more files, and ends the transfer of a file.
func TestBatchFileInterrupted(t *testing.T) {
	until, interrupt := context.WithCancel(t.Context())
	s := serveWith(t, &api.Options{Batches: api.Batches{Until: until}})
	body, writer := io.Pipe()
	defer writer.Close()
	req, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+tablePath, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", parquet)
	go func() {
		_, _ = writer.Write([]byte("PAR1"))
		interrupt()
	}()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if text, _ := io.ReadAll(resp.Body); resp.StatusCode != 503 || !strings.Contains(string(text), `"code":"BATCH_INTERRUPTED"`) {
		t.Errorf("%d %s", resp.StatusCode, text)
	}
}

// If the server shuts down after some rows, the last row of the answer reports the row to resume at.
func TestBatchFileResumes(t *testing.T) {
	until, interrupt := context.WithCancel(t.Context())
	s := serveWith(t, &api.Options{Batches: api.Batches{Until: until, Observe: func(batch.Tally) { interrupt() }}})
	r := sendFile(t, s, tablePath, arrowStream, sides(t, arrowStream, manySides(60_000)...))
	if r.StatusCode == 503 {
		return // nothing was sent
	}
	cells := cellsOf(t, arrowStream, []byte(r.text))
	last := cells[len(cells)-1]
	if want := fmt.Sprintf("row %d and", len(cells)-1); !slices.Contains(last, "BATCH_INTERRUPTED") || !strings.Contains(last[5], want) {
		t.Errorf("%d rows, the last is %q", len(cells)-1, last)
	}
}

// Columns of other types pass through unchanged. In CSV they appear as text. The server rejects columns without
// a text form before it computes a row.
func TestBatchFileTypes(t *testing.T) {
	s := newServer(t)
	list := []columns.Column{
		{Name: "when", Kind: columns.Integer, Form: columns.Form{Means: columns.Timestamp, Per: columns.Millis, Zone: "UTC"}},
		{Name: "a", Kind: columns.Number, Form: columns.Form{Bits: 16}},
		{Name: "key", Kind: columns.Bytes, Form: columns.Form{Means: columns.UUID, Size: 16}},
		{Name: "blob", Kind: columns.Bytes},
	}
	for _, media := range []string{parquet, arrow, arrowStream} {
		b := new(columns.Block)
		b.Reset(list, 2)
		b.Columns[0].Integers = []int64{1_700_000_000_123, -1}
		b.Columns[1].Numbers = []float64{0.5, 2}
		b.Columns[2].Texts = []string{"0123456789abcdef", strings.Repeat("\xff", 16)}
		b.Columns[3].Texts, b.Columns[3].Null[1] = []string{"\xff\x00", ""}, true
		file := fileOf(t, media, list, b)
		r := sendFile(t, s, tablePath, media, file)
		want := [][]string{{"1700000000123", "0.5", "0123456789abcdef", "\xff\x00", "0.25"}, {"-1", "2", strings.Repeat("\xff", 16), "-", "16"}}
		if got := cellsOf(t, media, []byte(r.text)); r.StatusCode != 200 || len(got) != 3 || !slices.Equal(got[1][:5], want[0]) || !slices.Equal(got[2][:5], want[1]) {
			t.Errorf("%s: %d %q", media, r.StatusCode, got)
		}
		answer, err := openFile(media, []byte(r.text))
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range answer.Columns()[:len(list)] {
			if c.Kind != list[i].Kind || c.Form != list[i].Form {
				t.Errorf("%s: %+v, want %+v", media, c, list[i])
			}
		}
		r = sendFile(t, s, tablePath, media, file, "Accept", "text/csv")
		if r.StatusCode != 400 || r.body["code"] != "INVALID_COLUMNS" || r.body["field"] != "blob" || !strings.Contains(r.text, "has no text") {
			t.Errorf("%s as CSV: %d %s", media, r.StatusCode, r.text)
		}
		r = sendFile(t, s, tablePath, media, fileOf(t, media, list[:3], &columns.Block{Rows: 2, Columns: b.Columns[:3]}), "Accept", "text/csv")
		lines := strings.Split(r.text, "\n")
		if r.StatusCode != 200 || len(lines) < 3 || !strings.HasPrefix(lines[1], "2023-11-14T22:13:20.123Z,0.5,30313233-3435-3637-3839-616263646566,0.25,") {
			t.Errorf("%s as CSV: %d %s", media, r.StatusCode, r.text)
		}
		r = sendFile(t, s, tablePath, media, fileOf(t, media, []columns.Column{{Name: "a", Kind: columns.Integer, Form: columns.Form{Bits: 32, Means: columns.Date}}},
			&columns.Block{Rows: 1, Columns: []columns.Data{{Null: []bool{false}, Integers: []int64{3}}}}))
		if r.StatusCode != 400 || r.body["code"] != "INVALID_COLUMNS" || r.body["field"] != "a" {
			t.Errorf("%s: a date as a number: %d %s", media, r.StatusCode, r.text)
		}
		r = sendFile(t, s, tablePath, media, fileOf(t, media, []columns.Column{{Name: "a", Kind: columns.Bytes}},
			&columns.Block{Rows: 2, Columns: []columns.Data{{Null: []bool{false, false}, Texts: []string{"2", "\xff"}}}}))
		if got := cellsOf(t, media, []byte(r.text)); r.StatusCode != 200 || got[1][1] != "16" || got[2][3] != "INVALID_COLUMNS" {
			t.Errorf("%s: bytes as a number: %d %q", media, r.StatusCode, got)
		}
	}
}
