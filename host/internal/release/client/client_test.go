package client

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/lockfile"
	"github.com/slipstick/slipstick/sdk"
)

// odd returns a release with rare features of Specs.
func odd(capability, tool, version string) *registry.Release {
	number := func(name, unit string) sdk.Field { return sdk.Field{Name: name, Type: sdk.TypeNumber, Unit: unit} }
	decimal := func(f sdk.Field) sdk.Field { f.Decimal = true; return f }
	required := func(f sdk.Field) sdk.Field { f.Required = true; return f }
	inner := sdk.Field{Type: sdk.TypeObject, Fields: []sdk.Field{required(number("t", "m")), {Name: "class", Type: sdk.TypeBoolean}}}
	return &registry.Release{
		Capability: capability, Version: version, Digest: "sha256:1", Engines: map[string]string{"linux/amd64": "sha256:2", "linux/arm64": "sha256:3"},
		Spec: sdk.Spec{
			Capability: capability, Tool: tool, Version: version, Summary: "It ends */ here\nimport os \"\"\" \u202e \u2028 ${x} `y` {{z}} \\u000a \\",
			Inputs: []sdk.Field{
				required(number("L", "m")), number("l", "m"), number("t_1", "W/(m2 K4)"), number("t1", "%"), decimal(number("exact", "ft")),
				decimal(required(number("digits", ""))), {Name: "dT", Type: sdk.TypeNumber, Unit: "K", Difference: true}, number("T", "K"),
				{Name: "from", Type: sdk.TypeString, Enum: []string{"mW", "MW", `a"b\`, "", "ft.lbf"}, Required: true},
				{Name: "kind", Type: sdk.TypeString, Enum: []string{"short", "list"}, Default: "short"},
				{Name: "text", Type: sdk.TypeString, Doc: "# */ \r\n end"}, {Name: "on", Type: sdk.TypeBoolean, Default: "true"},
				{Name: "n", Type: sdk.TypeInteger}, {Name: "layers", Type: sdk.TypeArray, Items: &inner, Required: true},
				{Name: "corners", Type: sdk.TypeArray, Items: &sdk.Field{Type: sdk.TypeArray, Items: &sdk.Field{Type: sdk.TypeNumber, Unit: "m"}}},
				{Name: "data", Type: sdk.TypeArray, Items: &sdk.Field{Type: sdk.TypeNumber, Decimal: true}}, number("value", ""),
			},
			Outputs: []sdk.Field{
				required(number("energy", "kWh")), required(number("heat", "J")), number("maybe", "m"), {Name: "count", Type: sdk.TypeInteger, Required: true},
				{Name: "sure", Type: sdk.TypeBoolean}, {Name: "lambda", Type: sdk.TypeString, Enum: []string{"a", "b"}, Required: true}, required(number("ratio", "")),
				{Name: "list", Type: sdk.TypeArray, Items: &sdk.Field{Type: sdk.TypeNumber, Unit: "m"}, Required: true}, {Name: "part", Type: sdk.TypeObject, Fields: inner.Fields},
			},
		},
	}
}

// oddities returns a lock file of odd Specs, and the published capabilities.
func oddities() (*lockfile.File, []registry.Capability) {
	lock := &lockfile.File{Format: lockfile.Format, Names: map[string]string{}}
	var list []registry.Capability
	for i, of := range [][2]string{{"a.b.constructor", "constructor"}, {"a.b.new_length", "new-length"}, {"a.b.3d", "3d"}, {"a.b.lambda", "lambda"}, {"a.b.a1", "a-1"}, {"a.b.a", "a1"}, {"a.b.b", "a1-batch"}} {
		c := registry.Capability{ID: of[0], Current: "2.0.0", Releases: []*registry.Release{odd(of[0], of[1], "2.0.0"), odd(of[0], of[1], "1.0.0-rc.1")}}
		list, lock.Names[c.ID] = append(list, c), c.Current
		for _, r := range c.Releases {
			if i > 0 { // these differ only in their names
				r.Spec.Inputs, r.Spec.Outputs = r.Spec.Inputs[:1], r.Spec.Outputs[:1]
			}
			lock.Releases = append(lock.Releases, lockfile.Release{Capability: c.ID, Version: r.Version, Digest: r.Digest, Engines: r.Engines, Current: r.Version == c.Current})
		}
	}
	return lock, list
}

func write(t *testing.T, l Language) string {
	t.Helper()
	lock, list := oddities()
	c, err := Write(l, &Source{Generator: "slipstick 0.0.0", Lock: lock, LockDigest: "slipstick.lock sha256:0", Published: list, Dir: "odd"})
	if err != nil {
		t.Fatal(err)
	}
	if c.Functions != len(lock.Releases) || filepath.Base(c.Path) != files[l] {
		t.Errorf("%s: %d functions in %s", l, c.Functions, c.Path)
	}
	return string(c.Text)
}

// A client of odd Specs has the same bytes each time, and compiles. Only scripts/soak clients runs the
// slower compilers. TestClientPrograms runs them with usual Specs.
func TestOdd(t *testing.T) {
	if testing.Short() {
		t.Skip("the test needs Python")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module odd\n\ngo 1.24\n", "package.json": `{"type": "module"}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for l, file := range files {
		text := write(t, l)
		if write(t, l) != text {
			t.Errorf("%s: the same lock file gave two clients", l)
		}
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	compile, err := filepath.Abs(filepath.Join("..", "..", "..", "..", "scripts", "node", "clients", "compile"))
	if err != nil {
		t.Fatal(err)
	}
	compilers := [][]string{{"go", "vet", "."}, {"python3", "-W", "error", files[Python]}}
	if os.Getenv("SLIPSTICK_SOAK") != "" {
		compilers = append(compilers, []string{compile, dir}, []string{"mypy", "--strict", "--enable-incomplete-feature=Unpack", files[Python]})
	}
	for _, args := range compilers {
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
}

// The templates' own names are reserved, so no type of a capability has one of them.
func TestNamesOfTemplatesAreReserved(t *testing.T) {
	for l, form := range map[Language]string{
		Go:         `(?m)^(?:type|func) ([A-Z]\w*)`,
		TypeScript: `(?m)^(?:export )?(?:declare )?(?:abstract )?(?:class|interface|type) (\w+)`,
		Python:     `(?m)^(?:class|def) ([A-Z]\w*)`,
	} {
		lock := &lockfile.File{Format: lockfile.Format}
		c, err := Write(l, &Source{Lock: lock, Dir: "none"})
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(form).FindAllStringSubmatch(string(c.Text), -1)
		if len(found) < 8 {
			t.Errorf("%s: %d names", l, len(found))
		}
		for _, name := range found {
			if !slices.Contains(languages[l].reserved, name[1]) {
				t.Errorf("%s: %s is not reserved", l, name[1])
			}
		}
	}
}

func TestRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*Source, *registry.Release)
		is     error
		has    string
	}{
		"no package":  {func(s *Source, _ *registry.Release) { s.Dir = "my-client" }, ErrPackage, `"my-client"`},
		"main":        {func(s *Source, _ *registry.Release) { s.Dir = "cmd/main" }, ErrPackage, `"main"`},
		"other bytes": {func(_ *Source, r *registry.Release) { r.Digest = "sha256:9" }, ErrMismatch, "the registry has sha256:9"},
		"other engine": {func(_ *Source, r *registry.Release) { r.Engines = map[string]string{"linux/amd64": "sha256:9"} }, ErrMismatch,
			"its engine for linux/amd64 is locked as sha256:2"},
		"absent":  {func(s *Source, _ *registry.Release) { s.Published = s.Published[1:] }, ErrMismatch, "a.b.constructor 2.0.0: it is not published"},
		"damaged": {func(_ *Source, r *registry.Release) { r.Problem = errors.New("its bytes are not there") }, ErrMismatch, "its bytes are not there"},
		"revoked": {func(_ *Source, r *registry.Release) {
			r.Lifecycle = evidence.Lifecycle{State: evidence.Revoked, Reason: "wrong"}
		}, ErrMismatch, "was revoked: wrong"},
	} {
		lock, list := oddities()
		s := &Source{Lock: lock, Published: list, Dir: "odd"}
		tt.change(s, list[0].Releases[0])
		if c, err := Write(Go, s); !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.has) {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
}
