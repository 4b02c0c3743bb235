package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/http/api"
	"github.com/slipstick/slipstick/sdk/formula"
)

// A client learns all units and their spellings, and each spelling is read as its unit.
func TestUnits(t *testing.T) {
	s := serveWith(t, nil)
	all := send(t, s, "GET", "/api/v1/units", "")
	var list catalog.UnitListing
	if err := json.Unmarshal([]byte(all.text), &list); err != nil || all.StatusCode != 200 || list.Count < 40 || list.Count != len(list.Quantities) {
		t.Fatalf("%v: %d quantities, status %d", err, list.Count, all.StatusCode)
	}
	spellings := 0
	for _, q := range list.Quantities {
		for _, u := range q.Units {
			texts := []string{u.ID, u.Shown}
			for _, s := range u.Spellings {
				texts = append(texts, s.Text)
				spellings++
			}
			for _, text := range texts {
				if read, ok := formula.ReadUnit(text, q.Quantity); !ok || read.ID != u.ID {
					t.Errorf("%q of %s is %s, want %s", text, q.Quantity, read.ID, u.ID)
				}
			}
		}
	}
	if spellings < 300 {
		t.Errorf("%d spellings", spellings)
	}

	one := send(t, s, "GET", "/api/v1/units?quantity=temperature", "")
	if !strings.Contains(one.text, `{"id":"degF","shown":"°F","definition":"5/9","factor":0.5555555555555556,"offset":459.67,"spellings":[`) || strings.Contains(one.text, "gpm") {
		t.Errorf("temperature: %s", one.text)
	}
	r, _ := http.NewRequest("GET", s.URL+"/api/v1/units?quantity=temperature", nil)
	r.Header.Set("If-None-Match", one.Header.Get("ETag"))
	again, err := http.DefaultClient.Do(r)
	if err != nil || again.StatusCode != http.StatusNotModified {
		t.Errorf("with the tag %q: %v %v", one.Header.Get("ETag"), again, err)
	}
	if bad := send(t, s, "GET", "/api/v1/units?quantity=lenght", ""); bad.StatusCode != 400 || bad.body["code"] != "INVALID_QUERY" || bad.body["suggestion"] != "Did you mean length?" {
		t.Errorf("lenght: %s", bad.text)
	}
}

// A study has its table in the units that were asked for, in JSON and as CSV. Everything else stays in the units of the Spec.
func TestStudyUnits(t *testing.T) {
	s := serveWith(t, &api.Options{Snapshots: newSnapshots(t)})
	const plan = `{"kind":"sweep","inputs":{},"vary":{"a":[0.3048,1]},"output":"volume"}`
	plain := send(t, s, "POST", "/api/v1/study/volume", plan)
	asked := send(t, s, "POST", "/api/v1/study/volume?units=us&unit=volume=L", plan)
	const shown = `,"shown":{"units":"us","unit":["volume=L"],"columns":["side [ft]","volume [L]","code"],"rows":[[1,56.63369318400001,null],[3.2808398950131235,2000,null]]}`
	if asked.StatusCode != 200 || strings.Replace(asked.text, shown, "", 1) != plain.text || !strings.Contains(asked.text, shown) {
		t.Errorf("%s\nwithout units it is %s", asked.text, plain.text)
	}
	table := send(t, s, "POST", "/api/v1/study/volume?output=csv&units=us&unit=volume=L", plan)
	if want := "side [ft],volume [L],code\r\n1,56.63369318400001,\r\n3.2808398950131235,2000,\r\n"; table.text != want {
		t.Errorf("%s, want %s", table.text, want)
	}
	for query, want := range map[string]string{
		"units=imperial": "INVALID_QUERY", "unit=volume=ft": "INCOMPATIBLE_UNIT", "unit=volume=parsnip": "UNKNOWN_UNIT", "unit=nothing=ft": "INVALID_QUERY",
		"output=snapshot&units=us": "INVALID_QUERY", "output=snapshot&unit=volume=L": "INVALID_QUERY",
	} {
		if got := send(t, s, "POST", "/api/v1/study/volume?"+query, plan); got.StatusCode != 400 || !strings.Contains(got.text, `"code":"`+want+`"`) {
			t.Errorf("%s: %d %s", query, got.StatusCode, got.text)
		}
	}
}
