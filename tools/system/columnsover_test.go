package system

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/tables/columns"
)

// rowsOf returns wires: valid ones, and ones that are rejected for every reason that depends on a number. NaN
// means that the input is not sent.
func rowsOf() (rows [][3]float64) {
	none := math.NaN()
	for i := range 5000 {
		x := float64(i)
		rows = append(rows, [3]float64{1.5 + math.Sqrt(x), 0.1 * (x + 1), none})
	}
	return append(rows, [3]float64{12, none, none}, [3]float64{none, 3, 0.25}, [3]float64{12, 0, none}, [3]float64{12, 3, 5},
		[3]float64{1e308, 1e-300, none}, [3]float64{0, 8, none}, [3]float64{math.Copysign(0, -1), 8, none}, [3]float64{5e-324, 8, none})
}

var wireInputs = [3]string{"voltage", "resistance", "current"}

// wireFiles returns the rows in every format of a batch.
func wireFiles(t *testing.T, rows [][3]float64) map[string][]byte {
	t.Helper()
	var text, lines strings.Builder
	text.WriteString(strings.Join(wireInputs[:], ",") + "\n")
	var list []columns.Column
	for _, name := range wireInputs {
		list = append(list, columns.Column{Name: name, Kind: columns.Number})
	}
	b := new(columns.Block)
	b.Reset(list, len(rows))
	for i, row := range rows {
		var cells, members []string
		for k, x := range row {
			cell := ""
			b.Columns[k].Null[i] = math.IsNaN(x)
			if !math.IsNaN(x) {
				number, err := json.Marshal(x)
				if err != nil {
					t.Fatal(err)
				}
				cell = string(number)
				members = append(members, fmt.Sprintf("%q:%s", wireInputs[k], cell))
				b.Columns[k].Numbers[i] = x
			}
			cells = append(cells, cell)
		}
		fmt.Fprintf(&text, "%s\n", strings.Join(cells, ","))
		fmt.Fprintf(&lines, `{"id":"ohms-law","inputs":{%s}}`+"\n", strings.Join(members, ","))
	}
	files := map[string][]byte{"text/csv": []byte(text.String()), "application/x-ndjson": []byte(lines.String())}
	for media, begin := range columnForms {
		var file bytes.Buffer
		w, err := begin(&file, list, nil)
		if err == nil {
			err = errors.Join(w.Write(b), w.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		files[media] = file.Bytes()
	}
	return files
}

var columnForms = map[string]func(io.Writer, []columns.Column, map[string]string) (columns.Writer, error){
	"application/vnd.apache.parquet":      columns.NewParquet,
	"application/vnd.apache.arrow.file":   columns.NewArrow,
	"application/vnd.apache.arrow.stream": columns.NewArrowStream,
}

func openColumns(media string, data []byte) (columns.Reader, error) {
	if strings.HasSuffix(media, "parquet") {
		return columns.OpenParquet(bytes.NewReader(data), int64(len(data)), nil)
	}
	return columns.OpenArrow(bytes.NewReader(data), nil)
}

// postFile sends a table, and returns the response.
func (h *server) postFile(t *testing.T, query, media string, file []byte, accept string) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "POST", h.url+"/api/v1/batch"+query, bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", media)
	req.Header.Set("Accept", accept)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 || !strings.HasPrefix(resp.Header.Get("Content-Type"), accept) {
		t.Fatalf("%s as %s: %d %v, %.300q, %v", media, accept, resp.StatusCode, resp.Header, answer, err)
	}
	return answer
}

// Rows have the same bits and the same codes in every input format and every output format.
func TestColumnsAreLines(t *testing.T) {
	h := startAll(t, "--limit", "calc=0")
	rows := rowsOf()
	files := wireFiles(t, rows)
	want := h.postFile(t, "", "application/x-ndjson", files["application/x-ndjson"], "application/x-ndjson")
	type answer struct {
		Code, Error string
		Result      struct{ Voltage, Current, Resistance, Power float64 }
	}
	var wanted []answer
	for line := range bytes.Lines(want) {
		var a answer
		if err := json.Unmarshal(line, &a); err != nil {
			t.Fatal(err)
		}
		wanted = append(wanted, a)
	}
	if len(wanted) != len(rows) {
		t.Fatalf("%d answers to %d rows", len(wanted), len(rows))
	}
	for media, file := range files {
		if media == "application/x-ndjson" {
			continue
		}
		if got := h.postFile(t, "?id=ohms-law&output=full", media, file, "application/x-ndjson"); !bytes.Equal(got, want) {
			t.Errorf("%s is answered in other words: %s", media, firstOther(got, want))
		}
		for as := range columnForms {
			r, err := openColumns(as, h.postFile(t, "?id=ohms-law", media, file, as))
			if err != nil {
				t.Fatal(err)
			}
			at := map[string]int{}
			for i, c := range r.Columns() {
				at[c.Name] = i
			}
			seen := 0
			var b columns.Block
			for err = r.Read(&b, 1000); err == nil; err = r.Read(&b, 1000) {
				for i := range b.Rows {
					w := &wanted[seen]
					seen++
					if code := b.Columns[at["error_code"]].Texts[i]; code != w.Code || b.Columns[at["error_detail"]].Texts[i] != w.Error {
						t.Fatalf("%s as %s, row %d: %s, want %s", media, as, seen, code, w.Code)
					}
					for name, x := range map[string]float64{"voltage [V]": w.Result.Voltage, "current [A]": w.Result.Current, "resistance [ohm]": w.Result.Resistance, "power [W]": w.Result.Power} {
						d := &b.Columns[at[name]]
						if d.Null[i] != (w.Code != "") || math.Float64bits(d.Numbers[i]) != math.Float64bits(x) {
							t.Fatalf("%s as %s, row %d: %s is %v, want %v", media, as, seen, name, d.Numbers[i], x)
						}
					}
				}
			}
			if !errors.Is(err, io.EOF) || seen != len(rows) {
				t.Errorf("%s as %s: %d rows, %v", media, as, seen, err)
			}
		}
	}
	if figures := h.metrics(t); figures["slipstick_spooled_bytes"] != 0 || figures["slipstick_held_bytes"] != 0 {
		t.Errorf("%v bytes of files are left, %v of memory", figures["slipstick_spooled_bytes"], figures["slipstick_held_bytes"])
	}
}

// Spreadsheet and data programs write files for a server, and read its output. Run with scripts/soak tables.
func TestTablesFromOtherPrograms(t *testing.T) {
	if !soaking {
		t.Skip("scripts/soak tables runs it")
	}
	h := startAll(t, "--limit", "calc=0")
	judge := exec.CommandContext(t.Context(), "node", filepath.Join(root, "scripts", "node", "tables", "judge.mjs"), h.url)
	said, err := judge.CombinedOutput()
	t.Logf("%s", said)
	if err != nil {
		t.Error(err)
	}
}

// firstOther returns the first line that differs.
func firstOther(got, want []byte) string {
	lines := bytes.Split(want, []byte("\n"))
	for i, line := range bytes.Split(got, []byte("\n")) {
		if i >= len(lines) || !bytes.Equal(line, lines[i]) {
			return fmt.Sprintf("line %d: %s", i+1, line)
		}
	}
	return "lines are missing"
}

// Each server has its own limits: one server can accept a batch that another one refuses.
func TestLimitsOfTwoServers(t *testing.T) {
	small, large := startAll(t, "--max-spool", "4"), startAll(t, "--limit", "calc=0")
	rows := make([][3]float64, 100_000)
	for i := range rows {
		rows[i] = [3]float64{math.Sqrt(float64(i + 1)), math.Sqrt(float64(i + 2)), math.NaN()}
	}
	file := wireFiles(t, rows)["application/vnd.apache.parquet"]
	resp, err := http.Post(small.url+"/api/v1/batch?id=ohms-law&output=result", "application/vnd.apache.parquet", bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if text, _ := io.ReadAll(resp.Body); resp.StatusCode != 413 || !strings.Contains(string(text), `"code":"PAYLOAD_TOO_LARGE"`) || !strings.Contains(string(text), "more than 1 MiB") {
		t.Errorf("%d %.300s", resp.StatusCode, text)
	}
	if got := bytes.Count(large.postFile(t, "?id=ohms-law&output=result", "application/vnd.apache.parquet", file, "application/x-ndjson"), []byte("\n")); got != len(rows) {
		t.Errorf("%d answers to %d rows", got, len(rows))
	}
}
