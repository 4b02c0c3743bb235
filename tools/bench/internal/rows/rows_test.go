package rows_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/tools/bench/internal/rows"
)

// All rows differ, also between runs.
func TestMake(t *testing.T) {
	seen := map[string]bool{}
	for run := range 3 {
		for line := range bytes.Lines(rows.Make("some-tool", run, 1000)) {
			var row struct {
				ID     string
				Inputs map[string]float64
			}
			if err := json.Unmarshal(line, &row); err != nil || row.ID != "some-tool" || len(row.Inputs) != 8 {
				t.Fatalf("row %s: %v", line, err)
			}
			seen[string(line)] = true
		}
	}
	if len(seen) != 3000 {
		t.Errorf("%d different rows, want 3000", len(seen))
	}
}

func TestSend(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex()
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.Copy(w, r.Body)
	}))
	defer server.Close()
	client := new(rows.Client)
	for _, n := range []int{1, 5000, 10} {
		body := rows.Make("some-tool", 1, n)
		answer, status, took, err := client.Send(t.Context(), server.URL, body)
		if err != nil || status != http.StatusAccepted || took <= 0 || !bytes.Equal(answer, body) {
			t.Errorf("%d rows: status %d, %d bytes of %d, %v", n, status, len(answer), len(body), err)
		}
	}
}

func TestCheck(t *testing.T) {
	good := `{"id":1}` + "\n" + `{"id":2}` + "\n"
	if err := rows.Check([]byte(good), 2, `{"id":`); err != nil {
		t.Error(err)
	}
	for _, tt := range []struct{ answer, want string }{
		{good + `{"status":"error"}` + "\n", "3 lines answer 2 calculations; the last: {\"status\""},
		{strings.Replace(good, `"id":2`, `"status":2`, 1), `a line is {"status":2}`},
	} {
		if err := rows.Check([]byte(tt.answer), 2, `{"id":`); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.answer, err, tt.want)
		}
	}
}
