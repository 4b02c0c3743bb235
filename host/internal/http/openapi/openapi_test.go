package openapi_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/http/openapi"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/verification"
)

var update = flag.Bool("update", false, "overwrite the golden file")

const (
	base   = "https://calc.example.org"
	digest = "sha256:1111111111111111111111111111111111111111111111111111111111111111"
	golden = "testdata/openapi.json"
)

// field is an input or output of the test's capabilities.
func field(name, unit string, required bool) sdk.Field {
	return sdk.Field{Name: name, Type: sdk.TypeNumber, Unit: unit, Required: required, Doc: "The " + name + "."}
}

func volume(version string) sdk.Spec {
	zero := 0.0
	side := field("side", "m", true)
	side.Aliases, side.Range = []string{"a"}, &sdk.Range{Min: &zero, MinOpen: true, Code: "SIDE_MUST_BE_POSITIVE"}
	return sdk.Spec{
		Contract: sdk.ContractVersion, Capability: "test.geometry.volume", Version: version, Tool: "volume", Group: "geometry",
		Title: "Volume", Summary: "Volume of a cube.",
		Inputs:         []sdk.Field{side, {Name: "shape", Type: sdk.TypeString, Enum: []string{"cube", "ball"}, Default: "cube"}},
		Outputs:        []sdk.Field{field("volume", "m3", true)},
		Formulas:       []sdk.Formula{{ID: "cube_v1", Expression: "V = a^3", Label: "Cube"}},
		Assumptions:    []string{"The edges are sharp."},
		SignConvention: "Volumes are positive.",
		References:     []sdk.Reference{{Title: "Elements", Where: "book XI"}},
		Errors:         []string{"SHAPE_UNKNOWABLE"},
	}
}

func ohm() sdk.Spec {
	return sdk.Spec{
		Contract: sdk.ContractVersion, Capability: "test.electrical.ohm", Version: "1.2.0", Tool: "ohm", Group: "electrical",
		Title: "Ohm's law", Summary: "Current through a resistance.",
		Inputs:  []sdk.Field{field("voltage", "V", true), field("resistance", "ohm", true)},
		Outputs: []sdk.Field{field("current", "A", true)},
		Errors:  []string{"RESISTANCE_MUST_BE_NONZERO"},
	}
}

func release(s sdk.Spec, vectors string) *registry.Release {
	return &registry.Release{
		Capability: s.Capability, Version: s.Version, EngineDigest: digest, Spec: s,
		Verification: verification.Record{Tier: verification.Candidate}, Vectors: []byte(vectors),
	}
}

const (
	volumeVectors = `[
 {"id": "V0", "inputs": {"side": 1, "sidd": 1}, "expected": {"code": "UNKNOWN_INPUT", "field": "sidd"}, "source": "rule"},
 {"id": "V1", "inputs": {"side": 0}, "expected": {"code": "SIDE_MUST_BE_POSITIVE", "field": "side"}, "source": "rule"},
 {"id": "V2", "inputs": {"a": 2.50}, "expected": {"volume": 15.625}, "source": "by hand"}
]`
	ohmVectors = `[{"id": "O1", "inputs": {"voltage": 1e1, "resistance": {"value": 2, "unit": "kohm"}}, "expected": {"current": 0.005}, "source": "by hand"}]`
)

// published returns a catalog with three capabilities. One has two versions, and two more with an unusable
// Spec. One cannot be read.
func published() *catalog.Catalog {
	invalid, foreign := release(volume("3.0.0"), ""), release(volume("0.1.0"), "")
	invalid.Problem, foreign.Problem = errors.New("damaged"), errors.New("misplaced")
	invalid.Spec.Outputs = nil
	foreign.Spec = ohm()
	foreign.Spec.Version, foreign.Spec.Tool = "0.1.0", "foreign"
	return catalog.New([]registry.Capability{
		{ID: "test.broken.layout", Problem: errors.New("no index.json")},
		{ID: "test.electrical.ohm", Current: "1.2.0", Releases: []*registry.Release{release(ohm(), ohmVectors)}},
		{ID: "test.geometry.volume", Current: "2.0.0", Releases: []*registry.Release{
			invalid, release(volume("2.0.0"), volumeVectors), release(volume("1.0.0"), volumeVectors), foreign,
		}},
	})
}

func document(t *testing.T) []byte {
	t.Helper()
	data, err := openapi.Document(published(), openapi.Service{BaseURL: base})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestGolden(t *testing.T) {
	got := document(t)
	if *update {
		if err := os.WriteFile(filepath.FromSlash(golden), got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(filepath.FromSlash(golden))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); d != "" {
		t.Errorf("the document changed; if that is meant, and scripts/node/breaking-openapi finds nothing: go test -update\n%s", d)
	}
}

func TestEqualBytes(t *testing.T) {
	first := document(t)
	for range 20 {
		if !bytes.Equal(first, document(t)) {
			t.Fatal("the same catalog gave other bytes")
		}
	}
}

// Another implementation of OpenAPI 3.1 finds no errors, also not in the examples.
func TestValidOpenAPI(t *testing.T) {
	for name, catalog := range map[string]*catalog.Catalog{"published": published(), "empty": catalog.New(nil), "large": large()} {
		data, err := openapi.Document(catalog, openapi.Service{BaseURL: base})
		if err != nil {
			t.Fatal(err)
		}
		loaded, err := openapi3.NewLoader().LoadFromData(data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := loaded.Validate(t.Context(), openapi3.EnableExamplesValidation()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// large has more releases than one document describes.
func large() *catalog.Catalog {
	list := []registry.Capability{{ID: "test.electrical.ohm", Current: "1.2.0", Releases: []*registry.Release{release(ohm(), ohmVectors)}}}
	for n := range 251 {
		s := ohm()
		s.Capability, s.Tool = fmt.Sprintf("test.large.n%03d", n), fmt.Sprintf("large-n%03d", n)
		list = append(list, registry.Capability{ID: s.Capability, Current: s.Version, Releases: []*registry.Release{release(s, ohmVectors)}})
	}
	return catalog.New(list)
}

// The document of a large library describes no capability. The document of a capability equals the document of
// a library that contains nothing else.
func TestDocumentsOfCapabilities(t *testing.T) {
	published := large()
	whole, err := openapi.Document(published, openapi.Service{BaseURL: base})
	if err != nil || bytes.Contains(whole, []byte("test.large.n007")) || bytes.Contains(whole, []byte(`"/api/v1/calc/test.`)) || !bytes.Contains(whole, []byte("/docs/api?capability={id}")) {
		t.Errorf("%v: %d bytes", err, len(whole))
	}
	for _, e := range []*catalog.Entry{published.Entries()[0], published.Entries()[7]} {
		one, err := openapi.OfCapability(e, openapi.Service{BaseURL: base})
		if err != nil {
			t.Fatal(err)
		}
		alone, err := openapi.Document(catalog.New([]registry.Capability{e.Capability}), openapi.Service{BaseURL: base})
		if err != nil || !bytes.Equal(one, alone) || !bytes.Contains(one, []byte(`"/api/v1/calc/`+e.ID+`"`)) {
			t.Errorf("%s: %v, %d and %d bytes", e.ID, err, len(one), len(alone))
		}
	}
}

// tree is a decoded document.
type tree = map[string]any

func decode(t *testing.T, data []byte) tree {
	t.Helper()
	var v tree
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// at follows the steps into v, and returns nil if they lead nowhere.
func at(v any, steps ...string) any {
	for _, step := range steps {
		o, _ := v.(tree)
		v = o[step]
	}
	return v
}

func compileAll(t *testing.T, data []byte) map[string]*jsonschema.Schema {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("openapi.json", v); err != nil {
		t.Fatal(err)
	}
	out := map[string]*jsonschema.Schema{}
	for name := range at(v, "components", "schemas").(tree) {
		schema, err := c.Compile("openapi.json#/components/schemas/" + name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		out[name] = schema
	}
	return out
}

// Every component schema is valid in draft 2020-12. The schemas of a release accept the results of its version
// and of no other.
func TestComponentSchemas(t *testing.T) {
	schemas := compileAll(t, document(t))
	for _, tt := range []struct {
		schema, value string
		valid         bool
	}{
		{"test.geometry.volume.inputs", `{"side":1}`, true},
		{"test.geometry.volume.inputs", `{"a":{"value":1,"unit":"ft"},"calculation_version":"2.0.0"}`, true},
		{"test.geometry.volume.inputs", `{"side":1,"sidd":1}`, false},
		{"test.geometry.volume.inputs", `{"side":1,"calculation_version":"1.0.0"}`, true},
		{"test.geometry.volume.inputs", `{"side":1,"calculation_version":"3.0.0"}`, false},
		{"test.geometry.volume.request", `{"inputs":{"side":1},"calculation_version":"2.0.0","tool":"volume"}`, true},
		{"test.geometry.volume.request", `{"inputs":{"side":1},"tool":"ohm"}`, false},
		{"test.geometry.volume.request", `{"calculation_version":"2.0.0"}`, false},
		{"NamedInputs", `{"inputs":{"side":1},"id":"volume"}`, true},
		{"NamedInputs", `{"inputs":{"side":1}}`, false},
		{"ErrorCode", `"SIDE_MUST_BE_POSITIVE"`, true},
		{"ErrorCode", `"SIDE_MUST_BE_RED"`, false},
	} {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(tt.value))
		if err != nil {
			t.Fatal(err)
		}
		if schemas[tt.schema] == nil {
			t.Errorf("no schema %s", tt.schema)
		} else if err := schemas[tt.schema].Validate(v); (err == nil) != tt.valid {
			t.Errorf("%s of %s: %v", tt.value, tt.schema, err)
		}
	}
}

// The published capabilities determine the paths. Each capability has its current inputs and the results of
// every version.
func TestCapabilities(t *testing.T) {
	doc := decode(t, document(t))
	var own []string
	for path := range at(doc, "paths").(tree) {
		if strings.HasPrefix(path, "/api/v1/calc/test.") {
			own = append(own, path)
		}
	}
	slices.Sort(own)
	if want := []string{"/api/v1/calc/test.electrical.ohm", "/api/v1/calc/test.geometry.volume"}; !slices.Equal(own, want) {
		t.Errorf("addresses %v, want %v", own, want)
	}
	post := at(doc, "paths", "/api/v1/calc/test.geometry.volume", "post")
	if got := at(post, "requestBody", "content", "application/json", "schema", "$ref"); got != "#/components/schemas/test.geometry.volume.request" {
		t.Errorf("request %v", got)
	}
	want := tree{
		"oneOf": []any{
			tree{"$ref": "#/components/schemas/test.geometry.volume-2.0.0.result"},
			tree{"$ref": "#/components/schemas/test.geometry.volume-1.0.0.result"},
		},
		"discriminator": tree{"propertyName": "calculation_version", "mapping": tree{
			"2.0.0": "#/components/schemas/test.geometry.volume-2.0.0.result",
			"1.0.0": "#/components/schemas/test.geometry.volume-1.0.0.result",
		}},
	}
	if d := cmp.Diff(want, at(post, "responses", "200", "content", "application/json", "schema")); d != "" {
		t.Errorf("results (-want +got):\n%s", d)
	}
	for _, version := range []string{"1.0.0", "2.0.0"} {
		properties := at(doc, "components", "schemas", "test.geometry.volume-"+version+".result", "properties")
		if at(properties, "capability_id", "const") != "test.geometry.volume" || at(properties, "calculation_version", "const") != version {
			t.Errorf("the result of %s names another release", version)
		}
	}
}

// The document describes the inputs of a call without a pin. If no version answers such a call, it describes
// the inputs of the newest version.
func TestDescribedVersion(t *testing.T) {
	for current, want := range map[string]string{"1.0.0": "1.0.0", "2.0.0": "2.0.0", "": "2.0.0"} {
		old := volume("1.0.0")
		old.Inputs = old.Inputs[:1]
		data, err := openapi.Document(catalog.New([]registry.Capability{{ID: "test.geometry.volume", Current: current, Releases: []*registry.Release{
			release(volume("2.0.0"), volumeVectors), release(old, volumeVectors),
		}}}), openapi.Service{BaseURL: base})
		if err != nil {
			t.Fatal(err)
		}
		doc := decode(t, data)
		if text, _ := at(doc, "paths", "/api/v1/calc/test.geometry.volume", "post", "description").(string); !strings.Contains(text, "The inputs belong to version "+want) {
			t.Errorf("current %q: described is %s", current, text)
		}
		if shape := at(doc, "components", "schemas", "test.geometry.volume.inputs", "properties", "shape"); (shape != nil) != (want == "2.0.0") {
			t.Errorf("current %q: shape is %v", current, shape)
		}
	}
}

// Examples of requests contain the vectors, digit by digit. The input schema accepts the example of a
// rejection.
func TestRequestExamples(t *testing.T) {
	data := document(t)
	examples := at(decode(t, data), "paths", "/api/v1/calc/test.geometry.volume", "post", "requestBody", "content", "application/json", "examples")
	for name, want := range map[string]tree{
		"calculation": {"a": 2.5}, "pinned": {"inputs": tree{"a": 2.5}, "calculation_version": "2.0.0"}, "rejection": {"side": 0.0},
	} {
		if d := cmp.Diff(any(want), at(examples, name, "value")); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	if summary := at(examples, "rejection", "summary"); summary != "Rejected with 400 SIDE_MUST_BE_POSITIVE" {
		t.Errorf("summary %v", summary)
	}
	for _, digits := range []string{`"a": 2.50`, `"voltage": 1e1`} {
		if !bytes.Contains(data, []byte(digits)) {
			t.Errorf("%s was rewritten", digits)
		}
	}
}

// Examples of failures are equal to the answers of the service.
func TestFailureExamples(t *testing.T) {
	doc := decode(t, document(t))
	responses := at(doc, "paths", "/api/v1/calc/test.geometry.volume", "post", "responses")
	for _, tt := range []struct {
		response any
		name     string
		code     string
	}{
		{at(responses, "400"), "missing", "MISSING_REQUIRED_INPUT"},
		{at(doc, "components", "responses", "VersionConflict"), "conflict", "VERSION_PIN_CONFLICT"},
		{at(doc, "components", "responses", "VersionConflict"), "mismatch", "VERSION_MISMATCH"},
		{at(doc, "components", "responses", "EngineNotFound"), "misspelt", "ENGINE_NOT_FOUND"},
		{at(doc, "components", "responses", "RateLimited"), "limit", "RATE_LIMITED"},
	} {
		body := at(tt.response, "content", "application/json", "examples", tt.name, "value")
		if at(body, "code") != tt.code || at(body, "status") != "error" {
			t.Errorf("%s: %v", tt.name, body)
		}
	}
}

// beforeRouting are the statuses of requests that are refused before their path is known. So they appear at
// no path.
var beforeRouting = []int{417, 431, 501, 505}

// Every code that an answer can have appears in a response with its status, and no other code does.
func TestCodes(t *testing.T) {
	doc := decode(t, document(t))
	got := map[string][]string{}
	codesOf := func(schema any) []any {
		if name, ok := at(schema, "$ref").(string); ok {
			schema = at(doc, "components", "schemas", strings.TrimPrefix(name, "#/components/schemas/"))
		}
		return at(schema, "enum").([]any)
	}
	collect := func(response any) {
		parts, _ := at(response, "content", "application/json", "schema", "allOf").([]any)
		for _, part := range parts {
			status, ok := at(part, "properties", "http_status", "const").(float64)
			if !ok {
				continue
			}
			for _, code := range codesOf(at(part, "properties", "code")) {
				code, status := code.(string), json.Number(jsonOf(t, status)).String()
				if !slices.Contains(got[code], status) {
					got[code] = append(got[code], status)
				}
			}
		}
	}
	for _, r := range at(doc, "components", "responses").(tree) {
		collect(r)
	}
	for _, item := range at(doc, "paths").(tree) {
		responses, _ := at(item, "post", "responses").(tree)
		for _, r := range responses {
			collect(r)
		}
	}
	want, listed := map[string][]string{}, []any{}
	for _, c := range published().Codes() {
		listed = append(listed, c.Code)
		if !slices.Contains(beforeRouting, c.HTTPStatus) {
			want[c.Code] = []string{jsonOf(t, c.HTTPStatus)}
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("codes by status (-want +got):\n%s", d)
	}
	if d := cmp.Diff(listed, at(doc, "components", "schemas", "ErrorCode", "enum")); d != "" {
		t.Errorf("list of codes (-want +got):\n%s", d)
	}
	own := at(doc, "components", "schemas", "test.electrical.ohm.rejections")
	if text := jsonOf(t, own); !strings.Contains(text, "RESISTANCE_MUST_BE_NONZERO") || strings.Contains(text, "SIDE_MUST_BE_POSITIVE") {
		t.Errorf("a capability's rejections are not its own: %s", text)
	}
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A licence of the program is in the document, and without one there is no member for it.
func TestLicence(t *testing.T) {
	for _, name := range []string{"", "MIT License"} {
		data, err := openapi.Document(published(), openapi.Service{BaseURL: base, Licence: name})
		if err != nil {
			t.Fatal(err)
		}
		license, has := at(decode(t, data), "info", "license").(map[string]any)
		if has != (name != "") || has && license["name"] != name {
			t.Errorf("%q: license is %v", name, license)
		}
	}
}
