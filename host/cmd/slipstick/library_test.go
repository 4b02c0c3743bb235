package main

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// libraryCase is a case of testdata/library: a vector, or an error.
type libraryCase struct {
	ID         string          `json:"id"`
	Capability string          `json:"capability"`
	Inputs     json.RawMessage `json:"inputs"`
	Raw        string          `json:"inputs_raw"`
	Status     int             `json:"http_status"` // 0: a vector, which expects results
	Expected   map[string]any  `json:"expected"`
	RTol       float64         `json:"rtol"`
	ATol       float64         `json:"atol"`
	Tags       []string        `json:"tags"`
}

func libraryCases(t *testing.T, name string) (cases []libraryCase) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "library", name))
	if err == nil {
		err = json.Unmarshal(data, &cases)
	}
	if err != nil || len(cases) == 0 {
		t.Fatal(name, err)
	}
	return cases
}

// The whole library: every engine of this repository builds, conforms and is published;
// every reference case is answered, over REST, as it expects; the index in docs is that
// of what is published; and nothing claims more checking than there was.
func TestLibrary(t *testing.T) {
	dir := t.TempDir()
	engines, registry := filepath.Join(dir, "engines"), filepath.Join(dir, "registry")
	if err := os.Mkdir(engines, 0o700); err != nil {
		t.Fatal(err)
	}
	plugins := filepath.Join(root, "plugins")
	if err := goBuild(plugins, engines+"/", mains(plugins)...); err != nil {
		t.Fatal(err)
	}
	programs, _ := filepath.Glob(filepath.Join(engines, "*"))
	if r := slipstick(t.Context(), append([]string{"publish", "--to", registry}, programs...)...); r.code != exitOK {
		t.Fatalf("publish: %s%s", r.out, r.err)
	}
	compareIndex(t, registry)
	h := startHost(t, "--registry", registry)
	if len(h.said) != 1 {
		t.Errorf("serve said:\n%s", strings.Join(h.said, "\n"))
	}
	if n := len(children(h.cmd.Process.Pid)); n != 0 {
		t.Errorf("%d engine processes before anybody asked", n)
	}
	for _, c := range libraryCases(t, "vectors.json") {
		h.checkVector(t, c)
	}
	for _, c := range libraryCases(t, "errors.json") {
		h.checkError(t, c)
	}
	h.checkClaims(t)
}

func compareIndex(t *testing.T, registry string) {
	t.Helper()
	r := slipstick(t.Context(), "list", "--markdown", "--registry", registry)
	path := filepath.Join(root, "docs", "engines.md")
	if *update {
		if err := os.WriteFile(path, []byte(r.out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(path); err != nil || r.out != string(want) {
		t.Errorf("docs/engines.md is not the index of the library (%v): go test ./cmd/slipstick -run Library -update writes it", err)
	}
}

func (h *host) checkVector(t *testing.T, c libraryCase) {
	t.Helper()
	status, body := h.post(t, "/api/v1/calc/"+c.Capability, string(c.Inputs))
	var got struct{ Result map[string]any }
	if err := json.Unmarshal([]byte(body), &got); err != nil || status != http.StatusOK {
		t.Errorf("%s: %d %s", c.ID, status, body)
		return
	}
	exact := slices.ContainsFunc(c.Tags, func(tag string) bool { return strings.Contains(tag, "exact") })
	for name, want := range c.Expected {
		if err := agrees(got.Result[name], want, c.RTol, c.ATol, exact); err != nil {
			t.Errorf("%s: %s: %v", c.ID, name, err)
		}
	}
}

// agrees compares numbers within the tolerance, and everything else to the letter.
func agrees(got, want any, rtol, atol float64, exact bool) error {
	g, number := got.(float64)
	w, wanted := want.(float64)
	if !number || !wanted {
		if fmt.Sprint(got) != fmt.Sprint(want) {
			return fmt.Errorf("%v, want %v", got, want)
		}
		return nil
	}
	if off := math.Abs(g - w); off > max(rtol*math.Abs(w), atol) || exact && off != 0 {
		return fmt.Errorf("%v, want %v: off by %v", g, w, off)
	}
	return nil
}

func (h *host) checkError(t *testing.T, c libraryCase) {
	t.Helper()
	inputs := c.Raw
	if inputs == "" {
		inputs = string(c.Inputs)
	}
	status, body := h.post(t, "/api/v1/calc/"+c.Capability, inputs)
	var got struct {
		Status, Code, Field string
		Result              map[string]any
		Warnings            []struct{ Code string }
	}
	if err := json.Unmarshal([]byte(body), &got); err != nil || status != c.Status || got.Status != c.Expected["status"] {
		t.Errorf("%s: %d %s", c.ID, status, body)
		return
	}
	for _, member := range []struct {
		name string
		got  string
	}{{"code", got.Code}, {"field", got.Field}} {
		if want, ok := c.Expected[member.name]; ok && want != member.got {
			t.Errorf("%s: %s %q, want %v", c.ID, member.name, member.got, want)
		}
	}
	if warnings, ok := c.Expected["warnings"].([]any); ok {
		for _, want := range warnings {
			if !slices.ContainsFunc(got.Warnings, func(w struct{ Code string }) bool { return w.Code == want }) {
				t.Errorf("%s: no warning %v in %s", c.ID, want, body)
			}
		}
	}
	if results, ok := c.Expected["result"].(map[string]any); ok {
		for name, want := range results {
			if err := agrees(got.Result[name], want, 1e-12, 0, false); err != nil {
				t.Errorf("%s: %s: %v", c.ID, name, err)
			}
		}
	}
}

// checkClaims makes sure that the catalog says of every release that its vectors passed,
// and of none that a person has looked at it.
func (h *host) checkClaims(t *testing.T) {
	t.Helper()
	_, body := h.get(t, "/api/v1/calc")
	var catalog struct {
		Capabilities []struct {
			ID       string `json:"capability_id"`
			Versions []struct{ Tier string }
		}
	}
	if err := json.Unmarshal([]byte(body), &catalog); err != nil {
		t.Fatal(err)
	}
	for _, c := range catalog.Capabilities {
		for _, v := range c.Versions {
			if v.Tier != "engine_tested" {
				t.Errorf("%s is %q", c.ID, v.Tier)
			}
		}
	}
	if n := len(catalog.Capabilities); n != 66 {
		t.Errorf("%d capabilities, want the 66 of the catalogue", n)
	}
}
