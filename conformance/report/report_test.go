package report_test

import (
	"bytes"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/slipstick/slipstick/conformance/report"
)

// published returns a report of the suite with failures.
func published(t *testing.T) ([]byte, *report.Report) {
	t.Helper()
	data, err := os.ReadFile("../testdata/failed.json")
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return data, r
}

// A report that is read and written again is the same document, for programs and for people.
func TestParse(t *testing.T) {
	data, r := published(t)
	output, err := r.AppendJSON(nil)
	if err != nil || !bytes.Equal(output, data) {
		t.Errorf("came back changed (%v):\n%s", err, output)
	}
	want, err := os.ReadFile("../testdata/failed.txt")
	var text bytes.Buffer
	if err != nil || r.WriteText(&text) != nil || !bytes.Equal(text.Bytes(), want) {
		t.Errorf("%v: got\n%s\nwant\n%s", err, text.Bytes(), want)
	}
	if r, err := report.Parse([]byte(`[]`)); err == nil || r != nil {
		t.Errorf("an array is read as %+v", r)
	}
}

// Reports of old suites do not list vectors. Then the findings show which vectors failed.
func TestFailedVectors(t *testing.T) {
	_, r := published(t)
	want := slices.Sorted(maps.Keys(r.FailedVectors()))
	if len(want) != r.Vectors.Total-r.Vectors.Passed {
		t.Errorf("%d vectors failed, the report counts %+v", len(want), r.Vectors)
	}
	r.VectorResults = nil
	if got := slices.Sorted(maps.Keys(r.FailedVectors())); !slices.Equal(got, want) {
		t.Errorf("by findings %v, by results %v", got, want)
	}
}

func TestRead(t *testing.T) {
	for _, data := range []string{"", "passed"} {
		if _, err := report.Read([]byte(data)); err == nil {
			t.Errorf("%q is a report", data)
		}
	}
	printed, err := (&report.Report{Capability: "a.b"}).Document()
	if err != nil {
		t.Fatal(err)
	}
	if read, err := report.Read(printed.JSON); err != nil || read.Capability != "a.b" || &read.JSON[0] != &printed.JSON[0] {
		t.Errorf("%+v, %v", read, err)
	}
}
