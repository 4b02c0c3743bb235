package system

import (
	"bytes"
	"encoding/csv"
	"io"
	"mime/multipart"
	"net/http"
	"slices"
	"testing"

	"golang.org/x/net/html"

	"github.com/slipstick/slipstick/host/tools/system/uswalk"
)

// checkBatchPages checks that the table on the batch page of each calculator computes, in each system of units.
func (h *server) checkBatchPages(t *testing.T) {
	t.Helper()
	_, paths, err := uswalk.Pages(h.url)
	if err != nil || len(paths) == 0 {
		t.Fatal(len(paths), err)
	}
	for _, path := range paths {
		for _, units := range []string{"", "?units=us"} {
			table := prefilled(t, h.url+path+"/rows"+units)
			answers := h.sendTable(t, path+"/rows", table)
			if len(answers) != 2 {
				t.Errorf("%s%s: %d records come from the table\n%s", path, units, len(answers), table)
				continue
			}
			code := slices.Index(answers[0], "error_code")
			if code < 0 || answers[1][code] != "" {
				t.Errorf("%s%s: the table\n%sis answered by %q", path, units, table, answers[1])
			}
		}
	}
}

// prefilled returns the table in the form of a batch page.
func prefilled(t *testing.T, page string) string {
	t.Helper()
	resp, err := http.Get(page)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	root, err := html.Parse(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Data == "textarea" && n.FirstChild != nil {
			return n.FirstChild.Data
		}
	}
	t.Errorf("%s has no table: %s", page, resp.Status)
	return ""
}

// sendTable sends a table as the form of a batch page does, and returns the records of the CSV file.
func (h *server) sendTable(t *testing.T, path, table string) [][]string {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, field := range [][2]string{{"table", table}, {"as", "csv"}} {
		if err := form.WriteField(field[0], field[1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(h.url+path, form.FormDataContentType(), &body)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("%s: %s %v", path, resp.Status, err)
		return nil
	}
	records, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff")))).ReadAll()
	if err != nil {
		t.Errorf("%s: %v", path, err)
	}
	return records
}
