package conformance_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// compare compares got with a golden file.
func compare(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
	}
}

// faulty fails several rules at once.
var faulty = always(opens(bent{
	Engine: cubeStack(),
	spec:   func(s *sdk.Spec) { s.Title, s.Version, s.Warnings = "", "1.0", nil },
	answer: changed(func(o *sdk.Outcome) {
		o.Result[0] = value.NumberOf(o.Result[0].Number() + 0.5)
		o.Assumptions = []string{"red \x1b[31m text\nand a second line"}
		o.Inputs = nil
	}),
}))

func TestWriteText(t *testing.T) {
	for _, c := range []struct {
		golden string
		report *report.Report
	}{
		{"passed.txt", check(t, good, vectors(t))},
		{"failed.txt", check(t, faulty, vectors(t))},
		{"unread.txt", check(t, good, []byte(`[{"id": "P1", "expcted": 1}, {"inputs": {}}]`))},
		{"unstarted.txt", check(t, always(opens(nil)), vectors(t))},
	} {
		var b bytes.Buffer
		if err := c.report.WriteText(&b); err != nil {
			t.Error(err)
		}
		compare(t, c.golden, b.Bytes())
	}
}

func TestWriteTextIsNotDrownedByOneRule(t *testing.T) {
	list := make([]string, 30)
	for i := range list {
		list[i] = strings.Replace(oneResult, "P1", fmt.Sprint("V", i), 1)
	}
	r := check(t, faulty, []byte("["+strings.Join(list, ",")+"]"))
	if got := len(result(t, r, "vectors-results").Findings); got != 30 {
		t.Errorf("%d findings, want all 30", got)
	}
	var b bytes.Buffer
	if err := r.WriteText(&b); err != nil {
		t.Error(err)
	}
	if got := strings.Count(b.String(), ", result.volume\n"); got != 10 || !strings.Contains(b.String(), "      and 20 more\n") {
		t.Errorf("%d findings in\n%s", got, b.String())
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteTextReturnsTheWritersError(t *testing.T) {
	if err := new(report.Report).WriteText(failingWriter{}); err == nil || err.Error() != "disk full" {
		t.Errorf("got %v", err)
	}
}

func TestReportJSON(t *testing.T) {
	r := conformance.Check(t.Context(), faulty(), vectors(t), &conformance.Options{EngineDigests: []string{"sha256:00"}})
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "failed.json", append(data, '\n'))
	var back report.Report
	if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(&back, r) {
		t.Errorf("came back changed: %v", err)
	}
}

func TestReportJSONHasEmptyArrays(t *testing.T) {
	data, err := json.Marshal(check(t, always(opens(nil)), nil))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(data, []byte(":null")) {
		t.Errorf("null in %s", data)
	}
}

// Every vector has its line, and the lines add up to the count.
func TestReportNamesEveryVector(t *testing.T) {
	for name, r := range map[string]*report.Report{"good": check(t, good, vectors(t)), "faulty": check(t, faulty, vectors(t)), "not started": check(t, always(opens(nil)), vectors(t))} {
		passed, seen := 0, map[string]bool{}
		for _, v := range r.VectorResults {
			seen[v.ID] = true
			if v.Passed {
				passed++
			}
			if v.Expects != "result" && v.Expects != "rejection" {
				t.Errorf("%s: %+v", name, v)
			}
		}
		if len(seen) != r.Vectors.Total || passed != r.Vectors.Passed || len(seen) == 0 {
			t.Errorf("%s: %d vectors, %d passed, and the count says %+v", name, len(seen), passed, r.Vectors)
		}
	}
}
