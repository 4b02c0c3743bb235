package page_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/http/api"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/page"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
)

// typedInputs has the inputs for the test texts of package typed.
type typedInputs struct {
	Length    *float64     `name:"length" unit:"m"`
	Rate      *sdk.Decimal `name:"rate"`
	Count     *int         `name:"count"`
	Gauge     *int         `name:"gauge" names:"4/0=-3,0000=-3,2/0=-1,00=-1,1/0=0"`
	Expansion *float64     `name:"expansion" unit:"1/K"`
	Film      *float64     `name:"film" unit:"W/(m2 K)"`
	Data      *[]float64   `name:"data" unit:"m"`
	Points    *[][]float64 `name:"points" unit:"m"`
}

type one struct {
	One float64 `name:"one"`
}

// numbers returns the inputs of the engine as JSON values.
func (in *typedInputs) numbers() any {
	switch {
	case in.Length != nil:
		return *in.Length
	case in.Rate != nil:
		return in.Rate.Float
	case in.Count != nil:
		return float64(*in.Count)
	case in.Gauge != nil:
		return float64(*in.Gauge)
	case in.Expansion != nil:
		return *in.Expansion
	case in.Film != nil:
		return *in.Film
	case in.Data != nil:
		return *in.Data
	case in.Points != nil:
		return *in.Points
	}
	return nil
}

// A text has the same meaning on every interface, or is refused with the same reason. Pages also accept
// calculations.
func TestTextsOnAllInterfaces(t *testing.T) {
	var cases []struct {
		Input, Text   string
		Value, Worked *float64
		Values        []float64
		Points        [][]float64
		Says, Page    string
	}
	file, err := os.ReadFile("../tables/typed/testdata/texts.json")
	if err == nil {
		err = json.Unmarshal(file, &cases)
	}
	if err != nil || len(cases) < 200 {
		t.Fatal(len(cases), err)
	}
	var got any // last inputs of the engine
	engine := sdk.New(sdk.Spec{
		Capability: "test.words.texts", Version: "1.0.0", Tool: "texts", Group: "words", Title: "Texts", Summary: "Texts that are typed.",
	}, func(_ context.Context, in typedInputs) (one, error) {
		got = in.numbers()
		return one{1}, nil
	})
	service := calc.New(catalog.New([]registry.Capability{{ID: "test.words.texts", Current: "1.0.0", Releases: []*registry.Release{{
		Capability: "test.words.texts", Version: "1.0.0", EngineDigest: digest, Spec: engine.Spec(),
	}}}}), inProcess{"texts@1.0.0": engine}, nil)
	s := &site{service: service, pages: page.New(service, nil)}
	s.Handler = web.New(base, slices.Concat(s.pages.Routes(), api.Routes(service, &api.Options{})), &web.Options{FailurePage: s.pages.Failure})

	for _, c := range cases {
		var want any
		switch {
		case c.Values != nil:
			want = c.Values
		case c.Points != nil:
			want = c.Points
		case c.Value != nil:
			want = *c.Value
		}
		check := func(face, message string, want any, says string) {
			t.Helper()
			if says != "" && (got != nil || !strings.Contains(strings.ToLower(message), strings.ToLower(says))) || says == "" && cmp.Diff(want, got) != "" {
				t.Errorf("%s %q of %s: the engine got %v, want %v: %.300s", face, c.Text, c.Input, got, want, message)
			}
			got = nil
		}
		query := c.Input + "=" + url.QueryEscape(c.Text)
		a := s.get(t, "/api/v1/value/texts?"+query)
		check("a value", a.text, want, strings.ReplaceAll(c.Says, "\n", " "))
		if strings.Contains(a.text, "a string was sent") || c.Says != "" && (a.status != 400 || !strings.HasPrefix(a.text, "INVALID_NUMBER: "+c.Input)) {
			t.Errorf("%q of %s: %d %s", c.Text, c.Input, a.status, a.text)
		}
		var table strings.Builder
		w := csv.NewWriter(&table)
		w.Comma = ';'
		_ = w.WriteAll([][]string{{"row", c.Input}, {"1", c.Text}})
		a = s.ask(t, http.MethodPost, "/api/v1/batch?id=texts", table.String(), "Content-Type", "text/csv")
		r := csv.NewReader(strings.NewReader(a.text))
		r.Comma = ';'
		records, err := r.ReadAll()
		if err != nil || len(records) != 2 {
			t.Fatalf("%q of %s: %v %s", c.Text, c.Input, err, a.text)
		}
		check("CSV", strings.Join(records[1], " "), want, c.Says)
		if c.Worked != nil {
			want, c.Says = *c.Worked, ""
		}
		if c.Page != "" {
			c.Says = c.Page
		}
		a = s.get(t, "/calc/words/texts?"+query)
		message := ""
		if e := a.id("e-" + c.Input); e != nil {
			message = text(e)
		}
		check("a page", message, want, c.Says)
		if hint := a.id("n-" + c.Input); c.Worked != nil && !strings.Contains(text(hint), "Understood as ") {
			t.Errorf("the page does not show what it understood of %q", c.Text)
		}
		if c.Says != "" {
			continue
		}
		var read readBack // its link and its inputs have the same meaning in the API
		if err := json.Unmarshal([]byte(text(a.id("slipstick-read"))), &read); err != nil {
			t.Fatalf("%q of %s: %v", c.Text, c.Input, err)
		}
		if !strings.Contains(read.Query, ".unit=") {
			a = s.get(t, "/api/v1/value/texts?"+read.Query)
			check("the link "+read.Query, a.text, want, "")
		}
		a = s.ask(t, http.MethodPost, "/api/v1/calc/texts", read.Inputs, "Content-Type", "application/json")
		check("the request "+read.Inputs, a.text, want, "")
	}
}
