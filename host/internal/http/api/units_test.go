package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
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
