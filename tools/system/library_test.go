package system

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/release/document"
)

// reference is a case of the catalog: a vector, or an error.
type reference struct {
	ID         string          `json:"id"`
	Capability string          `json:"capability"`
	Inputs     json.RawMessage `json:"inputs"`
	Raw        string          `json:"inputs_raw"`
	Status     int             `json:"http_status"` // the status is 0 for a vector, which expects results
	Expected   map[string]any  `json:"expected"`
	RTol       float64         `json:"rtol"`
	ATol       float64         `json:"atol"`
	Tags       []string        `json:"tags"`
}

// text returns the inputs as they are sent.
func (c *reference) text() string {
	if c.Raw != "" {
		return c.Raw
	}
	return string(c.Inputs)
}

// allReferences returns the cases of a file of testdata.
func allReferences(t *testing.T, file string) (cases []reference) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err == nil {
		err = json.Unmarshal(data, &cases)
	}
	if err != nil || len(cases) == 0 {
		t.Fatal(file, err)
	}
	return cases
}

// references returns the cases of the capabilities in built.registry.
func references(t *testing.T, file string) []reference {
	t.Helper()
	published := map[string]bool{}
	r := slipstick(t.Context(), "list", "--json", "--registry", built.registry)
	for line := range strings.Lines(r.out) {
		var row terminal.Listed
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		published[row.Capability] = true
	}
	return slices.DeleteFunc(allReferences(t, file), func(c reference) bool { return !published[c.Capability] })
}

// The whole library. Every engine of this repository builds, conforms and is published. Every reference case has
// the expected result, and the same result over every interface. The index in docs lists the published
// capabilities. No release claims more checks than were made. External tools find no error on the pages.
func TestLibrary(t *testing.T) {
	t.Parallel()
	registry := library(t)
	compareIndex(t, registry)
	h := startServerWith(t, []string{"serve", "--addr", "127.0.0.1:0", "--registry", registry, "--data", t.TempDir(), "--limit", unlimited, "--timeout", "30s"}) // engines start while browsers run
	if len(h.said) != 1 {
		t.Errorf("serve said:\n%s", strings.Join(h.said, "\n"))
	}
	if n := len(children(h.cmd.Process.Pid)); n != 0 {
		t.Errorf("%d engine processes before anybody asked", n)
	}
	h.drain(t)
	// The engines start one after the other, before many callers need them. If all start while browsers run,
	// callers give up first.
	t.Run("cases", func(t *testing.T) {
		for _, c := range allReferences(t, "vectors.json") {
			h.checkVector(t, &c)
		}
		for _, c := range allReferences(t, "errors.json") {
			h.checkError(t, &c)
		}
	})
	t.Run("parity", func(t *testing.T) {
		busy(t)
		for _, c := range allReferences(t, "vectors.json") {
			h.checkParity(t, &c)
		}
		for _, c := range allReferences(t, "errors.json") {
			h.checkSameError(t, &c)
		}
	})
	t.Run("batch", func(t *testing.T) {
		busy(t)
		h.checkBatch(t)
	})
	t.Run("faces", func(t *testing.T) {
		busy(t)
		h.checkInterfaces(t, registry)
	})
	t.Run("schemas", func(t *testing.T) {
		busy(t)
		h.checkSchemas(t)
	})
	t.Run("units", func(t *testing.T) {
		busy(t)
		h.checkUnits(t)
	})
	t.Run("batchpages", func(t *testing.T) {
		busy(t)
		h.checkBatchPages(t)
	})
	t.Run("us", func(t *testing.T) {
		busy(t)
		h.checkUS(t)
	})
	t.Run("pictures", func(t *testing.T) {
		busy(t)
		h.checkPictures(t)
	})
	t.Run("fill", func(t *testing.T) {
		busy(t)
		h.checkFill(t)
	})
	t.Run("studies", func(t *testing.T) {
		busy(t)
		h.checkStudies(t)
	})
	t.Run("words", func(t *testing.T) {
		busy(t)
		h.checkWords(t)
	})
	t.Run("questions", func(t *testing.T) {
		busy(t)
		h.checkQuestions(t)
	})
	t.Run("agents", func(t *testing.T) {
		busy(t)
		h.checkAgents(t)
	})
	t.Run("misspelt", func(t *testing.T) {
		busy(t)
		h.checkMisspelt(t)
	})
	t.Run("claims", h.checkClaims)
	t.Run("readme", func(t *testing.T) {
		_, serves, _ := strings.Cut(h.said[0], " with ")
		if !strings.Contains(readme(t), "slipstick: serving http://127.0.0.1:8080 with "+serves+"\n") {
			t.Errorf("the README does not say that it serves %s", serves)
		}
		if !*update { // the documents are generated with few engines, and must be correct with all of them
			runGuides(t, registry, referencePages)
		}
	})
	t.Run("pages", func(t *testing.T) {
		busy(t)
		judge(t, "pages", "browse", h.url)
	})
	t.Run("lighthouse", func(t *testing.T) {
		busy(t)
		judge(t, "pages", "lighthouse", h.url)
	})
	t.Run("jobs", func(t *testing.T) {
		busy(t)
		judge(t, "pages", "jobs", h.url)
	})
	t.Run("tasks", func(t *testing.T) {
		busy(t)
		judge(t, "pages", "tasks", h.url)
	})
}

// documents returns the documents of this repository that have no engine in Go, with their older versions.
func documents(t *testing.T) []string {
	t.Helper()
	older, err := filepath.Glob(filepath.Join(root, "plugins", "*", "*", "*", "*.calc.md"))
	if err != nil {
		t.Fatal(err)
	}
	list, err := filepath.Glob(filepath.Join(root, "plugins", "*", "*", "*.calc.md"))
	if err != nil {
		t.Fatal(err)
	}
	list = append(older, list...)
	return slices.DeleteFunc(list, func(path string) bool {
		_, err := os.Stat(filepath.Join(strings.TrimSuffix(path, ".calc.md"), "main.go"))
		return err == nil
	})
}

// capabilities returns the ids of all capabilities of the library. Each has a document, and the path of the document is its id.
func capabilities(t *testing.T) (ids []string) {
	t.Helper()
	plugins := filepath.Join(root, "plugins")
	files, err := filepath.Glob(filepath.Join(plugins, "*", "*", "*.calc.md"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d documents, error %v", len(files), err)
	}
	for _, file := range files {
		path, err := filepath.Rel(plugins, strings.TrimSuffix(file, ".calc.md"))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, strings.ReplaceAll(filepath.ToSlash(path), "/", "."))
	}
	slices.Sort(ids)
	return ids
}

// library publishes every engine, document and table of this repository in a new registry.
func library(t *testing.T, env ...string) (registry string) {
	t.Helper()
	dir, plugins := t.TempDir(), filepath.Join(root, "plugins")
	engines, registry := filepath.Join(dir, "engines"), filepath.Join(dir, "registry")
	if err := os.Mkdir(engines, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := goBuildAs(env, plugins, engines+"/", mains(plugins)...); err != nil {
		t.Fatal(err)
	}
	programs, _ := filepath.Glob(filepath.Join(engines, "*"))
	tables, _ := filepath.Glob(filepath.Join(plugins, "tables", "*"))
	if r := slipstick(t.Context(), slices.Concat([]string{"publish", "--to", registry}, programs, documents(t), tables)...); r.code != exitOK {
		t.Fatalf("publish: %s%s", r.out, r.err)
	}
	return registry
}

// Engines compute bit-identical results with every instruction set that they are compiled for. The test compiles
// everything twice, so scripts/soak runs it.
func TestInstructions(t *testing.T) {
	if !soaking {
		t.Skip("in scripts/soak instructions")
	}
	var hosts []*server
	for _, level := range []string{"v1", "v3"} {
		runtimes := t.TempDir()
		if err := goBuildAs([]string{"GOAMD64=" + level}, filepath.Join(root, "sdk"), filepath.Join(runtimes, "slipstick-text"), "./cmd/slipstick-text"); err != nil {
			t.Fatal(err)
		}
		t.Setenv(document.DirectoryVariable, runtimes)
		h := startServerWith(t, []string{"serve", "--addr", "127.0.0.1:0", "--registry", library(t, "GOAMD64="+level), "--data", t.TempDir(), "--limit", unlimited})
		h.drain(t)
		hosts = append(hosts, h)
	}
	asked, answered := 0, 0
	for _, c := range allReferences(t, "vectors.json") {
		var inputs any
		if err := json.Unmarshal(c.Inputs, &inputs); err != nil {
			t.Fatal(err)
		}
		for range 40 {
			text, err := json.Marshal(inputs)
			if err != nil {
				t.Fatal(err)
			}
			var status [2]int
			var got [2]struct{ Result, Code json.RawMessage }
			for i, h := range hosts {
				var body string
				status[i], body = h.post(t, "/api/v1/calc/"+c.Capability, string(text))
				if err := json.Unmarshal([]byte(body), &got[i]); err != nil {
					t.Fatal(err)
				}
			}
			asked++
			if status[0] == http.StatusOK {
				answered++
			}
			if status[0] != status[1] || !reflect.DeepEqual(got[0], got[1]) {
				t.Errorf("%s %s: %s with v1, %s with v3", c.ID, text, got[0], got[1])
			}
			inputs = near(inputs)
		}
	}
	t.Logf("%d questions, %d with a result", asked, answered)
	if answered < asked/2 {
		t.Error("hardly any question has a result")
	}
}

// near returns inputs with slightly different numbers.
func near(v any) any {
	switch v := v.(type) {
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 20 { // the number may have to be an integer
			return v
		}
		return v * (1 + 0.02*(rand.Float64()-0.5))
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = near(v[i])
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for name := range v {
			object[name] = near(v[name])
		}
		return object
	}
	return v
}

// checkBatch makes sure that every case has byte-identical results in a batch and in a single call, with its
// numbers and with numbers near them.
func (h *server) checkBatch(t *testing.T) {
	t.Helper()
	var lines []string
	for _, c := range append(allReferences(t, "vectors.json"), allReferences(t, "errors.json")...) {
		var inputs any
		if json.Unmarshal([]byte(c.text()), &inputs) != nil {
			continue // wrong on purpose
		}
		for range 4 {
			text, err := json.Marshal(inputs)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, fmt.Sprintf(`{"id":%q,"inputs":%s}`, c.Capability, text))
			inputs = near(inputs)
		}
	}
	got := h.postLines(t, "", strings.NewReader(strings.Join(lines, "\n")))
	if len(got) != len(lines) {
		t.Fatalf("%d answers to %d lines", len(got), len(lines))
	}
	for i, line := range lines {
		if _, want := h.post(t, "/api/v1/calc", line); got[i] != want {
			t.Errorf("%s\n%s\nwant %s", line, got[i], want)
		}
	}
}

func compareIndex(t *testing.T, registry string) {
	t.Helper()
	r := slipstick(t.Context(), "list", "--markdown", "--registry", registry)
	path := filepath.Join(root, "docs", "reference", "library.md")
	if *update {
		if err := os.WriteFile(path, []byte(r.out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(path); err != nil || r.out != string(want) {
		t.Errorf("docs/reference/library.md is not the index of the library (%v): go test -vet=off ./system -run Library -update writes it", err)
	}
}

func (h *server) checkVector(t *testing.T, c *reference) {
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

// agrees compares numbers within the tolerance, and everything else exactly.
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

func (h *server) checkError(t *testing.T, c *reference) {
	t.Helper()
	status, body := h.post(t, "/api/v1/calc/"+c.Capability, c.text())
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

// checkClaims makes sure that the catalog reports for every release that its vectors passed, and for none that a
// person reviewed it.
func (h *server) checkClaims(t *testing.T) {
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
	var ids []string
	for _, c := range catalog.Capabilities {
		ids = append(ids, c.ID)
		for _, v := range c.Versions {
			if v.Tier != "engine_tested" {
				t.Errorf("%s is %q", c.ID, v.Tier)
			}
		}
	}
	slices.Sort(ids)
	if want := capabilities(t); !slices.Equal(ids, want) {
		t.Errorf("the catalog has %q, want %q", ids, want)
	}
}
