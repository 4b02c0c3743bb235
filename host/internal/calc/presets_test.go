package calc_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/preset"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

type slab struct {
	Modulus sdk.Decimal `name:"modulus" alias:"E" unit:"Pa" presets:"data.test.stuff#modulus"`
	Density *float64    `name:"density" unit:"kg/m3" presets:"data.test.fluid#density,data.test.stuff#density"`
	Layers  []layer     `name:"layers"`
}

type layer struct {
	Thickness float64 `name:"thickness" unit:"m"`
	Density   float64 `name:"density" unit:"kg/m3" presets:"data.test.stuff#density"`
}

type weight struct {
	Sum float64 `name:"sum"`
}

// slabs computes in this process.
type slabs struct{ sdk.Engine }

func newSlabs() slabs {
	return slabs{sdk.New(sdk.Spec{Capability: "test.slab.sum", Version: "1.0.0", Tool: "slab", Group: "test", Title: "Slab", Summary: "A sum."},
		func(_ context.Context, in slab) (weight, error) {
			sum := in.Modulus.Float
			if in.Density != nil {
				sum += *in.Density
			}
			for _, l := range in.Layers {
				sum += l.Density
			}
			return weight{sum}, nil
		})}
}

func (s slabs) Calculate(ctx context.Context, _ time.Duration, _ *registry.Release, in value.Values) (sdk.Outcome, error) {
	return s.Engine.Calculate(ctx, in)
}

func (s slabs) CalculateBatch(ctx context.Context, limit time.Duration, r *registry.Release, rows []value.Values) ([]response.Result, error) {
	results := make([]response.Result, len(rows))
	for i := range rows {
		results[i].Outcome, results[i].Err = s.Calculate(ctx, limit, r, rows[i])
	}
	return results, nil
}

func (slabs) Draw(context.Context, time.Duration, *registry.Release, string, value.Values) (*sdk.Figure, error) {
	return nil, nil
}

func stuff(t testing.TB, version, modulus string) *registry.Release {
	return published(t, `{"table_format":1,"table_id":"data.test.stuff","table_version":"`+version+`","title":"Stuff","summary":"Stuff.","noun":"stuff",
"columns":[{"name":"modulus","label":"Modulus","unit":"GPa","source":"a"},{"name":"density","label":"Density","unit":"kg/m3","source":"a"}],
"sources":[{"id":"a","title":"Handbook","where":"page 1"}]}`, "key,name,modulus,density\nS1,Stuff one,"+modulus+",7850\nS2,Stuff two,,7.1e3\n")
}

func published(t testing.TB, spec, rows string) *registry.Release {
	t.Helper()
	table, err := preset.Parse([]byte(spec), []byte(rows))
	if err != nil {
		t.Fatal(err)
	}
	return &registry.Release{Capability: table.ID, Version: table.Version, Digest: "sha256:" + table.Version, Table: table}
}

func newSlabService(t testing.TB) *calc.Service {
	engine := newSlabs()
	fluid := published(t, `{"table_format":1,"table_id":"data.test.fluid","table_version":"1.0.0","title":"Fluid","summary":"Fluid.","noun":"point",
"columns":[{"name":"temperature","label":"Temperature","unit":"degC","source":"a"},{"name":"density","label":"Density","unit":"kg/m3","source":"a"}],
"interpolation":{"argument":"temperature","kind":"linear"},"sources":[{"id":"a","title":"Handbook"}]}`, "temperature,density\n0,1000\n100,900\n")
	yanked, revoked := stuff(t, "1.1.0", "211"), stuff(t, "1.2.0", "212")
	yanked.Lifecycle = evidence.Lifecycle{State: evidence.Yanked, Reason: "a figure was wrong"}
	revoked.Lifecycle = evidence.Lifecycle{State: evidence.Revoked, Reason: "all were wrong"}
	return calc.New(catalog.New([]registry.Capability{
		{ID: "data.test.fluid", Current: "1.0.0", Releases: []*registry.Release{fluid}},
		{ID: "data.test.stuff", Current: "1.0.0", Releases: []*registry.Release{revoked, yanked, stuff(t, "1.0.0", "210")}},
		{ID: "test.slab.sum", Current: "1.0.0", Releases: []*registry.Release{{Capability: "test.slab.sum", Version: "1.0.0", EngineDigest: "sha256:1", Spec: engine.Spec()}}},
	}), engine, &calc.Options{Cache: 1 << 20})
}

func askSlab(t testing.TB, s *calc.Service, inputs string) (*calc.Answer, error) {
	t.Helper()
	v, err := strictjson.ParseObject([]byte(inputs))
	if err != nil {
		t.Fatal(err)
	}
	return s.Calculate(t.Context(), calc.Request{ID: "slab", Inputs: v})
}

func TestPresets(t *testing.T) {
	s := newSlabService(t)
	for _, tt := range []struct {
		name, inputs, sum string
		says              []string // among assumptions and warnings
	}{
		{"a row", `{"E":{"preset":"data.test.stuff/S1"},"layers":[]}`, "210000000000",
			[]string{`"modulus":"210000000000"`, "modulus: 210 GPa of S1, from data.test.stuff 1.0.0, modulus; source: Handbook, page 1", "modulus: 210 GPa = 210000000000 Pa"}},
		{"a pinned row, by its name", `{"modulus":{"preset":"data.test.stuff/stuff one","version":"1.0.0"},"layers":[]}`, "210000000000", nil},
		{"a yanked version", `{"modulus":{"preset":"data.test.stuff/S1@1.1.0"},"layers":[]}`, "211000000000", []string{"VERSION_YANKED", "data.test.stuff: Version 1.1.0 was withdrawn"}},
		{"rows in a list", `{"modulus":1,"layers":[{"thickness":1,"density":1},{"thickness":2,"density":{"preset":"data.test.stuff/S2"}}]}`, "7102", []string{"layers.1.density: 7.1e3 kg/m3 of S2"}},
		{"an argument in SI", `{"modulus":1,"density":{"preset":"data.test.fluid","at":298.15},"layers":[]}`, "976", []string{"density: 975 kg/m3 at 298.15 K"}},
		{"an argument with a unit", `{"modulus":1,"density":{"preset":"data.test.fluid@1.0.0","at":{"value":77,"unit":"degF"}},"layers":[]}`, "976", []string{"at 77 degF"}},
		{"an argument as text", `{"modulus":1,"density":{"preset":"data.test.fluid/25 degC@1.0.0"},"layers":[]}`, "976", []string{"at 25 degC"}},
		{"two tables of one field", `{"modulus":1,"density":{"preset":"data.test.stuff#density/S1"},"layers":[]}`, "7851", nil},
	} {
		for range 2 { // the second is from the cache
			a, err := askSlab(t, s, tt.inputs)
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
				continue
			}
			body := string(a.AppendJSON(nil))
			for _, text := range append(tt.says, `"result":{"sum":`+tt.sum+`}`) {
				if !strings.Contains(body, text) {
					t.Errorf("%s: %s is not in %s", tt.name, text, body)
				}
			}
		}
	}
	if plain, err := askSlab(t, s, `{"modulus":210000000000,"layers":[]}`); err != nil || bytes.Contains(plain.AppendJSON(nil), []byte("data.test")) {
		t.Errorf("a number without a preset names a table: %v", err)
	}
}

func TestPresetsRefused(t *testing.T) {
	s := newSlabService(t)
	for _, tt := range []struct {
		name, modulus, density, code, says string
		status                             int
	}{
		{"a row that is not there", `{"preset":"data.test.stuff/S3"}`, "", problem.CodePresetNotFound, "no stuff \"S3\"", 400},
		{"a figure that is not there", `{"preset":"data.test.stuff/S2"}`, "", problem.CodePresetNotFound, "no modulus for S2", 400},
		{"another table", `{"preset":"data.test.fluid/1 K"}`, "", problem.CodeInvalidPreset, "takes no value of data.test.fluid", 400},
		{"another column", `{"preset":"data.test.stuff#density/S1"}`, "", problem.CodeInvalidPreset, "takes no value", 400},
		{"no reference", `{"preset":"S1"}`, "", problem.CodeInvalidPreset, "is not TABLE/ROW", 400},
		{"no text", `{"preset":1}`, "", problem.CodeInvalidPreset, "must be text", 400},
		{"a further member", `{"preset":"data.test.stuff/S1","unit":"Pa"}`, "", problem.CodeInvalidPreset, "is not a member of a preset", 400},
		{"an unknown version", `{"preset":"data.test.stuff/S1","version":"9.0.0"}`, "", problem.CodeVersionMismatch, "data.test.stuff", 409},
		{"a revoked version", `{"preset":"data.test.stuff/S1@1.2.0"}`, "", problem.CodeVersionMismatch, "all were wrong", 409},
		{"two versions", `{"preset":"data.test.stuff/S1@1.0.0","version":"1.1.0"}`, "", problem.CodeVersionPinConflict, "disagree", 409},
		{"a version that is no text", `{"preset":"data.test.stuff/S1","version":1}`, "", problem.CodeInvalidVersionPin, "expected a version", 400},
		{"an argument for a row", `{"preset":"data.test.stuff/S1","at":1}`, "", problem.CodeInvalidPreset, "takes no argument", 400},
		{"outside the table", "1", `{"preset":"data.test.fluid/101 degC"}`, problem.CodePresetOutOfRange, "from 0 to 100 degC", 400},
		{"another quantity", "1", `{"preset":"data.test.fluid","at":{"value":1,"unit":"m"}}`, problem.CodeInvalidPreset, "not a unit of the temperature", 400},
		{"a huge argument", "1", `{"preset":"data.test.fluid","at":1e300}`, problem.CodeInvalidPreset, "at must be a number", 400},
		{"no argument", "1", `{"preset":"data.test.fluid/warm"}`, problem.CodeInvalidPreset, "\"warm\" is not a number", 400},
	} {
		field, inputs := "modulus", `{"modulus":`+tt.modulus+`,"layers":[]}`
		if tt.density != "" {
			field, inputs = "density", `{"modulus":1,"density":`+tt.density+`,"layers":[]}`
		}
		_, err := askSlab(t, s, inputs)
		p := problem.Of(err)
		if p == nil || p.Code != tt.code || p.Status() != tt.status || p.Field != field || !strings.Contains(p.Detail, tt.says) {
			t.Errorf("%s: %+v, want %s %d with %q", tt.name, p, tt.code, tt.status, tt.says)
		}
	}
	if _, err := askSlab(t, s, `{"modulus":1,"layers":{"preset":"data.test.stuff/S1"}}`); err == nil {
		t.Error("a list was a preset")
	}
}

// A row of a batch is answered as it is by itself, also one that has the form of the row before.
func TestPresetsInBatches(t *testing.T) {
	s := newSlabService(t)
	rows := strings.Repeat(`{"modulus":{"preset":"data.test.stuff/S1"},"density":5,"layers":[]}`+"\n"+`{"modulus":{"preset":"data.test.stuff/S1"},"density":7,"layers":[]}`+"\n"+
		`{"modulus":1,"density":7,"layers":[]}`+"\n", 5)
	var single, out bytes.Buffer
	for line := range strings.Lines(rows) {
		a, err := askSlab(t, s, line)
		if err != nil {
			t.Fatal(err)
		}
		single.Write(a.AppendJSON(nil))
	}
	if err := batch.Run(t.Context(), s, batch.NewLines(strings.NewReader(rows), "slab"), batch.FullLine(s.BaseURL()), &out, nil); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), single.String(); got != want {
		t.Errorf("the batch answers\n%s\nand single calls\n%s", got, want)
	}
}
