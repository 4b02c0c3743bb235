package report_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/conformance/report"
)

// A subject is published as a sentence, and reading the sentence gives the same subject.
func TestSubject(t *testing.T) {
	for text, subject := range map[string]report.Subject{
		"":                                   {},
		"Spec":                               {Name: "Spec"},
		"Spec, input side.inner":             {Name: "Spec", Path: "input side.inner"},
		"instance 1, at the start":           {Name: "instance 1", Path: "at the start"},
		"vector P001":                        {Vector: "P001"},
		"vector P001, result.edges.0":        {Vector: "P001", Path: "result.edges.0"},
		"vector P001, round 2, all at once":  {Vector: "P001", Path: "round 2, all at once"},
		"vector a,b, code":                   {Vector: "a,b", Path: "code"},
		"vectors":                            {Name: "vectors"},
		"generated: x max":                   {Request: "x max"},
		"generated: x max, in another place": {Request: "x max", Path: "in another place"},
	} {
		data, err := json.Marshal(subject)
		want, _ := json.Marshal(text)
		if err != nil || string(data) != string(want) {
			t.Errorf("%+v is written %s, want %s (%v)", subject, data, want, err)
		}
		var back report.Subject
		if err := json.Unmarshal(data, &back); err != nil || back != subject {
			t.Errorf("%s is read as %+v, want %+v (%v)", data, back, subject, err)
		}
	}
}

// A finding fits on one line for any name of an engine or a vector. It contains the name if
// the line is long enough.
func TestFindingsFitOneLine(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for _, tt := range []struct {
		subject report.Subject
		want    string
	}{
		{report.Subject{Vector: "a\nb\xff", Path: "\x1b[31m"}, "vector a b?,  [31m"},
		{report.Subject{Vector: "P1", Path: long}, "vector P1, " + long[:389] + "..."},
		{report.Subject{Vector: long, Path: "code"}, "vector " + long[:393] + "..."},
		{report.Subject{Request: long}, "generated: " + long[:389] + "..."},
		{report.Subject{Name: long, Path: long}, long[:400] + "..."},
	} {
		f := report.NewFinding(tt.subject, long, "\t")
		if got := f.Subject.String(); got != tt.want {
			t.Errorf("got  %q\nwant %q", got, tt.want)
		}
		if f.Found != long[:400]+"..." || f.Want != " " {
			t.Errorf("found %q, want %q", f.Found, f.Want)
		}
	}
}
