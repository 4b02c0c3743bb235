// Package imports holds the test of the workspace's import rules.
package imports

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const house = "github.com/slipstick/slipstick/"

// modules are the directories of go.work.
var modules = []string{"versions", "sdk", "conformance", "registry", "plugins", "host"}

// rules say what a package, and every package below a name ending in /..., may
// import of the house. The first that fits decides.
var rules = []struct {
	pkg     string
	imports []string
	tests   []string // beside imports, in its tests
}{
	{pkg: "versions"},
	{pkg: "sdk"},
	{pkg: "sdk/strictjson"},
	{pkg: "sdk/spelling"},
	{pkg: "sdk/units", imports: []string{"sdk/spelling"}},
	{pkg: "sdk/envelope", imports: []string{"sdk", "sdk/spelling", "sdk/strictjson", "sdk/units"}},
	{pkg: "sdk/wire", imports: []string{"sdk", "sdk/wire/contract"}},
	{pkg: "sdk/wire/contract", imports: []string{"sdk"}},
	{pkg: "conformance", imports: []string{"conformance/cases", "sdk", "sdk/envelope", "sdk/strictjson", "sdk/units", "versions"}},
	{pkg: "conformance/cases", imports: []string{"sdk", "sdk/units"}, tests: []string{"sdk/envelope", "sdk/strictjson"}},
	{pkg: "conformance/compat", imports: []string{"conformance", "sdk", "sdk/envelope", "sdk/strictjson", "versions"}},
	{pkg: "registry", imports: []string{"registry/internal/rounds", "registry/regular", "registry/sign", "sdk", "versions"}},
	{pkg: "registry/internal/rounds"},
	{pkg: "registry/regular"},
	{pkg: "registry/sign"},
	{pkg: "registry/remote", imports: []string{"registry", "registry/internal/rounds", "sdk", "versions"}, tests: []string{"registry/sign"}},
	{pkg: "registry/lockfile", imports: []string{"registry", "sdk", "versions"}},
	{pkg: "plugins/internal/ask", imports: []string{"sdk", "sdk/envelope", "sdk/strictjson"}}, // for tests of engines
	{pkg: "plugins/internal/conversion", imports: []string{"sdk", "sdk/units", "plugins/internal/..."}},
	{pkg: "plugins/internal/conversion/conversiontest", imports: []string{"sdk", "sdk/units", "plugins/internal/...", "conformance"}},
	{pkg: "plugins/internal/...", imports: []string{"sdk", "plugins/internal/..."}},
	{pkg: "plugins/...", imports: []string{"sdk", "sdk/wire", "plugins/internal/..."}, tests: []string{"conformance"}},
	{pkg: "host/internal/cache"},
	{pkg: "host/internal/calc", imports: []string{"host/internal/cache", "sdk", "sdk/envelope", "sdk/spelling", "sdk/strictjson", "versions", "registry"}},
	{pkg: "host/internal/process", imports: []string{"sdk", "sdk/wire/contract"}, tests: []string{"sdk/wire"}},
	{pkg: "host/internal/pool", imports: []string{"host/internal/process", "sdk"}, tests: []string{"sdk/wire"}},
	{pkg: "host/internal/telemetry"},
	{pkg: "host/internal/openapi", imports: []string{"host/internal/calc", "conformance", "sdk", "sdk/envelope", "sdk/strictjson", "versions"}, tests: []string{"host/internal/openapi/openapitest", "registry"}},
	{pkg: "host/internal/openapi/openapitest"},
	{pkg: "host/internal/docpage"},
	{pkg: "host/internal/formula"},
	{pkg: "host/internal/plot", imports: []string{"sdk"}},
	{pkg: "host/internal/typed", imports: []string{"sdk", "sdk/strictjson"}, tests: []string{"sdk/envelope"}},
	{pkg: "host/internal/page", imports: []string{
		"host/internal/calc", "host/internal/formula", "host/internal/freeze", "host/internal/plot", "host/internal/search", "host/internal/snapshot", "host/internal/typed", "host/internal/web",
		"sdk", "sdk/envelope", "sdk/strictjson", "sdk/units", "versions",
	}, tests: []string{"host/internal/api", "host/internal/openapi", "registry", "registry/sign"}},
	{pkg: "host/internal/kit", imports: []string{"sdk"}},
	{pkg: "host/internal/api", imports: []string{"host/internal/calc", "host/internal/conns", "host/internal/framing", "host/internal/freeze", "host/internal/limit", "host/internal/snapshot", "host/internal/web", "sdk", "sdk/strictjson", "versions"}, tests: []string{"registry"}},
	{pkg: "host/internal/framing"},
	{pkg: "host/internal/conns"},
	{pkg: "host/internal/web"},
	{pkg: "host/internal/freeze", imports: []string{"host/internal/calc", "host/internal/snapshot", "sdk"}, tests: []string{"registry"}},
	{pkg: "host/internal/search", imports: []string{"host/internal/calc", "sdk", "sdk/spelling", "sdk/units"}, tests: []string{"registry"}},
	{pkg: "host/internal/mcp", imports: []string{
		"host/internal/calc", "host/internal/freeze", "host/internal/limit", "host/internal/search", "host/internal/snapshot",
		"conformance", "sdk", "sdk/envelope", "sdk/strictjson", "versions",
	}, tests: []string{"host/internal/api", "registry"}},
	{pkg: "host/internal/limit"},
	{pkg: "host/internal/memory"},
	{pkg: "host/internal/jail", imports: []string{"host/internal/jail/shim", "host/internal/process", "sdk"}, tests: []string{"host/internal/memory", "host/internal/pool"}},
	{pkg: "host/internal/jail/shim"},
	{pkg: "host/internal/jail/evilengine", imports: []string{"sdk", "sdk/wire"}},
	{pkg: "host/internal/snapshot"},
	{pkg: "host/internal/imports"},
	{pkg: "host/internal/bench/engine", imports: []string{"host/internal/bench/beam", "sdk", "sdk/wire"}, tests: []string{"conformance"}},
	{pkg: "host/internal/bench", imports: []string{"host/internal/bench/..."}},
	{pkg: "host/internal/bench/...", imports: []string{"host/internal/bench/..."}},
	{pkg: "host/cmd/slipstick", imports: []string{
		"host/internal/api", "host/internal/calc", "host/internal/conns", "host/internal/framing", "host/internal/jail", "host/internal/limit", "host/internal/mcp", "host/internal/memory", "host/internal/pool", "host/internal/process",
		"host/internal/snapshot", "host/internal/telemetry", "host/internal/openapi", "host/internal/openapi/openapitest", "host/internal/docpage",
		"host/internal/formula", "host/internal/kit", "host/internal/page", "host/internal/typed",
		"conformance", "conformance/compat", "registry", "registry/lockfile", "registry/remote", "registry/sign", "sdk", "sdk/strictjson", "versions",
	}, tests: []string{"sdk/envelope"}},
}

// transport may be imported by the two ends of the process boundary and the contract
// between them alone.
var transport = []string{"github.com/hashicorp/go-plugin", "google.golang.org/grpc", "google.golang.org/protobuf"}

var transporting = []string{"sdk/wire", "sdk/wire/contract", "host/internal/process"}

type listed struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

func list(t *testing.T, module string) []listed {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	cmd.Dir = filepath.Join("..", "..", "..", module)
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list in %s: %v\n%s", module, err, exit.Stderr)
		}
		t.Fatal(err)
	}
	var packages []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

func fits(pattern, pkg string) bool {
	prefix, below := strings.CutSuffix(pattern, "/...")
	return pkg == pattern || below && strings.HasPrefix(pkg, prefix+"/")
}

// violations returns the imports that the package may not have.
func violations(p listed) []string {
	name := strings.TrimPrefix(p.ImportPath, house)
	var allowed, inTests []string
	known := false
	for _, r := range rules {
		if known = fits(r.pkg, name); known {
			allowed, inTests = r.imports, slices.Concat(r.imports, r.tests, []string{name})
			break
		}
	}
	if !known {
		return []string{name + " is in no rule: say what it may import"}
	}
	var bad []string
	check := func(imports, allowed []string, what string) {
		for _, imported := range imports {
			ours, isOurs := strings.CutPrefix(imported, house)
			if isOurs && !slices.ContainsFunc(allowed, func(pattern string) bool { return fits(pattern, ours) }) {
				bad = append(bad, name+what+" imports "+ours)
			}
			if !isOurs && !slices.Contains(transporting, name) && what == "" &&
				slices.ContainsFunc(transport, func(prefix string) bool { return strings.HasPrefix(imported, prefix) }) {
				bad = append(bad, name+" imports "+imported)
			}
		}
	}
	check(p.Imports, allowed, "")
	check(slices.Concat(p.TestImports, p.XTestImports), inTests, "'s test")
	return bad
}

func TestImports(t *testing.T) {
	for _, module := range modules {
		for _, p := range list(t, module) {
			for _, v := range violations(p) {
				t.Error(v)
			}
		}
	}
}

// The rules bite.
func TestViolations(t *testing.T) {
	for _, tt := range []struct {
		p    listed
		want int
	}{
		{listed{ImportPath: house + "versions", Imports: []string{"strings"}}, 0},
		{listed{ImportPath: house + "versions", Imports: []string{house + "sdk"}}, 1},
		{listed{ImportPath: house + "sdk", Imports: []string{"google.golang.org/grpc"}}, 1},
		{listed{ImportPath: house + "sdk/wire", Imports: []string{"google.golang.org/grpc", house + "sdk"}}, 0},
		{listed{ImportPath: house + "plugins/thermo/radiation/grey_surface", Imports: []string{house + "host/internal/calc"}}, 1},
		{listed{ImportPath: house + "plugins/thermo/radiation/grey_surface", Imports: []string{house + "plugins/internal/exact"}}, 0},
		{listed{ImportPath: house + "plugins/thermo/radiation/grey_surface", XTestImports: []string{house + "conformance"}}, 0},
		{listed{ImportPath: house + "plugins/thermo/radiation/grey_surface", Imports: []string{house + "conformance"}}, 1},
		{listed{ImportPath: house + "host/internal/api", Imports: []string{house + "host/internal/pool"}}, 1},
		{listed{ImportPath: house + "somewhere"}, 1},
	} {
		if got := violations(tt.p); len(got) != tt.want {
			t.Errorf("%s: violations %v, want %d", tt.p.ImportPath, got, tt.want)
		}
	}
}
