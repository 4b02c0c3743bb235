package source

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/registry/lockfile"
)

const servedSpec = `{"spec_version":"1.2.0","capability_id":"a.b.c","calculation_version":"1.0.0","tool":"c","group":"test","title":"C","summary":"A test.",
	"inputs":[{"name":"x","type":"number","required":true,"doc":"A number."}],"outputs":[{"name":"y","type":"number","required":true,"doc":"A number."}],
	"definition":"y = 2*x  # Twice"}`

// answersOf returns the answers of a server with one calculation and one table.
func answersOf(engine string) map[string]string {
	return map[string]string{
		"/api/v1/capabilities": `{"capabilities":[{"capability_id":"a.b.c","tool":"c","current_version":"1.0.0","versions":[
			{"calculation_version":"1.0.0","engine_digest":"` + engine + `","state":"active"}]}],"count":1}`,
		"/api/v1/tables":             `{"tables":[{"table_id":"data.d","current_version":"2.0.0","versions":[{"table_version":"2.0.0","release_digest":"sha256:t","state":"active"}]}]}`,
		"/api/v1/capabilities/a.b.c": `{"calculation_version":"1.0.0","engine_digest":"` + engine + `","spec":` + servedSpec + `}`,
		"/api/v1/capabilities/a.b.c/evidence": `{"capability_id":"a.b.c","calculation_version":"1.0.0","release_digest":"sha256:r","engine_digest":"` + engine + `",
			"engine_digests":{"linux/amd64":"` + engine + `"},"standing":{"state":"active"},"verification":{"tier":"candidate"}}`,
	}
}

func serverWith(t *testing.T, answers map[string]string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := answers[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, text)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// A lock file can be made from a server, and a later answer with another digest is an error.
func TestLockFromServer(t *testing.T) {
	file := t.TempDir() + "/slipstick.lock"
	lock := func(engine string, names ...string) (*lockfile.File, error) {
		t.Helper()
		p := &Place{Registry: serverWith(t, answersOf(engine)), Wanted: names}
		list, _, err := p.Capabilities(context.Background(), false)
		if err != nil {
			t.Fatal(err)
		}
		return Lock(file, p.Registry, names, list)
	}
	for _, names := range [][]string{nil, {"c"}, {"a.b.c@1.0.0"}} {
		f, err := lock("sha256:e", names...)
		if err != nil {
			t.Fatal(err)
		}
		if r := f.Releases[0]; r.Digest != "sha256:r" || r.Engines["linux/amd64"] != "sha256:e" || f.Names["a.b.c"] != "1.0.0" && names == nil {
			t.Errorf("%v: locked %+v, names %v", names, r, f.Names)
		}
		if names == nil && len(f.Releases) != 2 {
			t.Errorf("everything is %v", f.Pins())
		}
		if err := f.Write(file); err != nil {
			t.Fatal(err)
		}
	}
	for _, names := range [][]string{nil, {"c"}} {
		if f, err := lock("sha256:other", names...); err == nil || !strings.Contains(err.Error(), "sha256:other") {
			t.Errorf("%v: another engine: %v, %v", names, f, err)
		}
	}
}

// Answers that contradict themselves, are too long or come from another place are refused.
func TestServerAnswersRefused(t *testing.T) {
	const evidence = "/api/v1/capabilities/a.b.c/evidence"
	for name, tt := range map[string]struct {
		path, old, with, want string
	}{
		"other engine":   {evidence, `"engine_digest":"sha256:e"`, `"engine_digest":"sha256:f"`, "names two engines"},
		"no digest":      {evidence, `"sha256:r"`, `""`, "names no digest"},
		"other version":  {"/api/v1/capabilities/a.b.c", `"calculation_version":"1.0.0","engine`, `"calculation_version":"1.0.1","engine`, "the server answers with"},
		"no valid Spec":  {"/api/v1/capabilities/a.b.c", `"tool":"c"`, `"tool":""`, "its Spec"},
		"not JSON":       {"/api/v1/tables", "{", "<", "is not an answer of a slipstick server"},
		"endless":        {"/api/v1/tables", "{", strings.Repeat(" ", maxServed) + "{", "bytes that are read"},
		"page of itself": {"/api/v1/capabilities", `"count":1`, `"count":1,"next":"/api/v1/capabilities?cursor=again"`, "more than 1000 pages"},
		"page of none":   {"/api/v1/capabilities", `"count":1`, `"count":1,"next":"/api/v1/capabilities"`, "has no cursor"},
	} {
		answers := answersOf("sha256:e")
		answers[tt.path] = strings.Replace(answers[tt.path], tt.old, tt.with, 1)
		_, _, err := (&Place{Registry: serverWith(t, answers)}).Capabilities(context.Background(), false)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
	for _, address := range []string{"http://calc.example.org", "https://"} {
		if _, _, err := (&Place{Registry: address}).Capabilities(context.Background(), false); err == nil {
			t.Errorf("%s is read", address)
		}
	}
	if _, _, err := (&Place{Registry: serverWith(t, answersOf("sha256:e"))}).Capabilities(context.Background(), true); err == nil || !strings.Contains(err.Error(), "needs engines") {
		t.Errorf("engines of a server: %v", err)
	}
}
