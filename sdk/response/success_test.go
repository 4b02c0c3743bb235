package response_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/internal/box"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/verification"
)

func TestAppendNumber(t *testing.T) {
	for _, tt := range []struct {
		f    float64
		want string
	}{
		{0, "0"}, {math.Copysign(0, -1), "0"}, {3, "3"}, {-1.5, "-1.5"}, {0.1, "0.1"},
		{1e-6, "0.000001"}, {1e-7, "1e-7"}, {1.25e-10, "1.25e-10"}, {123456789012345680000, "123456789012345680000"},
		{1e21, "1e+21"}, {-1e300, "-1e+300"}, {5e-324, "5e-324"}, {math.MaxFloat64, "1.7976931348623157e+308"},
	} {
		if got := string(value.AppendNumber(nil, tt.f)); got != tt.want {
			t.Errorf("AppendNumber(%v) = %s, want %s", tt.f, got, tt.want)
		}
	}
}

func FuzzAppendNumber(f *testing.F) {
	f.Add(uint64(0x3ff0000000000000))
	f.Add(uint64(0x7fefffffffffffff))
	f.Fuzz(func(t *testing.T, bits uint64) {
		x := math.Float64frombits(bits)
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return
		}
		got := value.AppendNumber(nil, x)
		back, err := strconv.ParseFloat(string(got), 64)
		if err != nil || back != x || !json.Valid(got) {
			t.Errorf("AppendNumber(%x) = %s reads back as %v, %v", bits, got, back, err)
		}
		if oracle, _ := json.Marshal(x + 0); !bytes.Equal(got, oracle) { // ES6 form too
			t.Errorf("AppendNumber(%x) = %s, encoding/json writes %s", bits, got, oracle)
		}
	})
}

func success(t *testing.T, set map[string]value.Value) response.Success {
	t.Helper()
	e := box.Engine()
	spec := e.Spec()
	o, err := e.Calculate(t.Context(), box.Values(set))
	if err != nil {
		t.Fatal(err)
	}
	kind := "automated_reference_vectors"
	return response.Success{
		Template: &response.Template{
			Spec:         &spec,
			Verification: verification.Record{Tier: verification.EngineTested, EngineTested: true, ReviewKind: &kind},
			APIVersion:   "v1", APIContract: "1.0.0",
			Links: []response.Link{{Name: "evidence", URI: "https://calc.example.org/evidence"}},
		},
		ID: "box", Outcome: o, Conversions: []value.Conversion{{Field: "width", Literal: "200", From: "cm", Value: 2, To: "m"}},
	}
}

func TestSuccessBody(t *testing.T) {
	s := success(t, box.Numbers("shape", "open", "stack", value.ListOf(value.NumberOf(0.5), value.NumberOf(1e-7))))
	got := string(s.AppendJSON(nil))
	want := `{"id":"box","status":"success","capability_id":"test.geometry.box","tool":"box","engine":"box@1.0.0",` +
		`"inputs":{"width":2,"height":3,"depth":2,"count":1,"shape":"open","round":false,"stack":[0.5,1e-7]},` +
		`"result":{"volume":12,"shape":"open"},"result_detail":{"value":{"volume":12,"shape":"open"},"unit":"m3","formatted":"12 m3"},` +
		`"formula":{"id":"open_v1","expression":"V = w h d"},"assumptions":["thin walls","no rain","width: 200 cm = 2 m"],` +
		`"warnings":[{"code":"LEAKS","severity":"warning","detail":"open"}],` +
		`"verification":{"tier":"engine_tested","engine_tested":true,"expert_reviewed":false,"internally_reviewed":false,"review_kind":"automated_reference_vectors","source_checked":false,"reviewed_by":null,"reviewer_role":null,"last_reviewed":null},` +
		`"calculation_version":"1.0.0","api_version":"v1","api_contract_version":"1.0.0","spec_version":"1.2.0",` +
		`"links":{"evidence":"https://calc.example.org/evidence"}}`
	if got != want {
		t.Errorf("body:\n%s\nwant:\n%s", got, want)
	}
	s = response.Success{Template: &response.Template{Spec: s.Spec, Verification: s.Verification}, Outcome: s.Outcome}
	if body := s.AppendJSON(nil); !json.Valid(body) {
		t.Errorf("the least body is not JSON: %s", body)
	}
}

// Outcomes that add nothing have the same ending, one for each formula.
func TestEnding(t *testing.T) {
	plain := func() response.Success {
		s := success(t, box.Numbers("shape", "open"))
		s.Outcome.Assumptions, s.Outcome.Warnings, s.Conversions = nil, nil, nil
		return s
	}
	s := plain()
	ending := s.Ending()
	if body := s.AppendJSON(nil); len(ending) < 400 || !bytes.HasPrefix(ending, []byte(`"formula":{"id":"open_v1"`)) || !bytes.HasSuffix(body, ending) || !json.Valid(body) {
		t.Errorf("the ending %s is not at the end of %s", ending, body)
	}
	bare := *s.Spec
	bare.Formulas = nil
	s.Template = &response.Template{Spec: &bare}
	if body := s.AppendJSON(nil); !bytes.HasPrefix(s.Ending(), []byte(`"assumptions":`)) || !bytes.HasSuffix(body, s.Ending()) || !json.Valid(body) {
		t.Errorf("without a formula: the ending %s is not at the end of %s", s.Ending(), body)
	}
	for added, change := range map[string]func(*response.Success){
		"no rain":       func(s *response.Success) { s.Outcome.Assumptions = []string{"no rain"} },
		"LEAKS":         func(s *response.Success) { s.Outcome.Warnings = []sdk.Warning{{Code: "LEAKS"}} },
		"TABLE_RENAMED": func(s *response.Success) { s.Notices = []sdk.Warning{{Code: "TABLE_RENAMED"}} },
		"data.boxes": func(s *response.Success) {
			s.Presets = []value.Preset{{Field: "width", Table: "data.boxes", Row: "a", Column: "b"}}
		},
		"200 cm": func(s *response.Success) {
			s.Conversions = []value.Conversion{{Field: "width", Literal: "200", From: "cm", Value: 2, To: "m"}}
		},
		`"steps":[{`: func(s *response.Success) { s.Steps = []response.Step{{}} },
	} {
		s := plain()
		change(&s)
		if body := s.AppendJSON(nil); s.Ending() != nil || !bytes.Contains(body, []byte(added)) || !json.Valid(body) {
			t.Errorf("%s: the ending is %s, the body %s", added, s.Ending(), body)
		}
	}
}

// Several outputs can have one warning; its code is listed once.
func TestWarningCodes(t *testing.T) {
	s := response.Success{Template: &response.Template{}, Outcome: sdk.Outcome{Warnings: []sdk.Warning{{Code: "RESULT_UNDERFLOW", Detail: "x"}, {Code: "BENDS_FAR"}, {Code: "RESULT_UNDERFLOW", Detail: "y"}}}}
	if got := strings.Join(s.WarningCodes(), " "); got != "RESULT_UNDERFLOW BENDS_FAR" {
		t.Error(got)
	}
}

func TestFormat(t *testing.T) {
	m, w, none := sdk.Field{Name: "a", Unit: "m"}, sdk.Field{Name: "b", Unit: "W"}, sdk.Field{Name: "c"}
	for _, tt := range []struct {
		fields          []sdk.Field
		values          value.Values
		unit, formatted string
	}{
		{[]sdk.Field{m}, value.Values{value.NumberOf(0.005582227056691513)}, "m", "0.00558223 m"},
		{[]sdk.Field{m, none}, value.Values{value.NumberOf(1e-9), value.TextOf("x")}, "m", "1e-09 m"},
		{[]sdk.Field{m, w, none}, value.Values{value.NumberOf(1), value.NumberOf(1234567), value.TextOf("x")}, "", "a=1 m; b=1.23457e+06 W; c=x"},
		{[]sdk.Field{m, m}, value.Values{value.NumberOf(1), value.NumberOf(2)}, "m", "a=1 m; a=2 m"},
		{[]sdk.Field{none}, value.Values{value.NumberOf(75000)}, "", "75000"},
		{[]sdk.Field{m, w}, value.Values{value.NumberOf(1), {}}, "m", "1 m"},
	} {
		if unit, formatted := response.Format(tt.fields, tt.values); unit != tt.unit || formatted != tt.formatted {
			t.Errorf("Format = %q, %q, want %q, %q", unit, formatted, tt.unit, tt.formatted)
		}
	}
}

func compile(t *testing.T, schema []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func valid(t *testing.T, s *jsonschema.Schema, body []byte) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(doc)
}

// TestOutputSchema checks every row of spec 2.1: the body conforms, and with one changed row
// it does not.
func TestOutputSchema(t *testing.T) {
	s := success(t, box.Numbers("shape", "open"))
	schema := compile(t, response.OutputSchema(s.Spec))
	body := string(s.AppendJSON(nil))
	if err := valid(t, schema, []byte(body)); err != nil {
		t.Fatalf("a good body: %v", err)
	}
	for name, change := range map[string][2]string{
		"extra member":               {`{"id":`, `{"extra":1,"id":`},
		"status":                     {`"status":"success"`, `"status":"error"`},
		"capability_id":              {`"capability_id":"test.geometry.box"`, `"capability_id":"test.geometry.ball"`},
		"calculation_version":        {`"calculation_version":"1.0.0"`, `"calculation_version":"1.0.1"`},
		"engine missing":             {`"engine":"box@1.0.0",`, ``},
		"result null":                {`"result":{"volume":12,`, `"result":{"volume":null,`},
		"result incomplete":          {`"result":{"volume":12,`, `"result":{`},
		"result extra":               {`"result":{"volume":12,`, `"result":{"volume":12,"x":1,`},
		"detail extra":               {`"result_detail":{`, `"result_detail":{"x":1,`},
		"detail value":               {`"value":{"volume":12,`, `"value":{"volume":"12",`},
		"unit":                       {`"unit":"m3"`, `"unit":3`},
		"assumptions":                {`"assumptions":["thin walls",`, `"assumptions":[1,`},
		"warning code":               {`{"code":"LEAKS",`, `{`},
		"warning extra":              {`{"code":"LEAKS",`, `{"code":"LEAKS","x":1,`},
		"verification extra":         {`"verification":{`, `"verification":{"x":1,`},
		"tier unknown":               {`"tier":"engine_tested"`, `"tier":"gold"`},
		"tier without test":          {`"engine_tested":true`, `"engine_tested":false`},
		"internally reviewed claims": {`"tier":"engine_tested"`, `"tier":"internally_reviewed"`},
		"expert verified claims":     {`"tier":"engine_tested"`, `"tier":"expert_verified"`},
		"reviewed_by missing":        {`"reviewed_by":null,`, ``},
		"link unknown":               {`"links":{`, `"links":{"homepage":"https://example.org",`},
		"formula":                    {`"formula":{"id":"open_v1"`, `"formula":{"id":1`},
	} {
		changed := strings.Replace(body, change[0], change[1], 1)
		if changed == body {
			t.Errorf("%s: the body has no %s", name, change[0])
		}
		if valid(t, schema, []byte(changed)) == nil {
			t.Errorf("%s: the schema accepts %s", name, changed)
		}
	}
}

// The input schema covers the envelope: types, names, presence and enums, and no domain rules.
func TestInputSchema(t *testing.T) {
	spec := box.Engine().Spec()
	schema := compile(t, response.InputSchema(&spec))
	for body, ok := range map[string]bool{
		`{"width":2,"height":3}`:                       true,
		`{"w":2,"height":3}`:                           true,
		`{"width":-2,"height":0}`:                      true, // domain rules belong to the engine
		`{"width":{"value":2,"unit":"ft"},"height":3}`: true,
		`{"width":2,"height":3,"shape":"no_lid","count":3,"round":true,"price":"0.10","stack":[1]}`: true,
		`{"height":3}`:                                   false,
		`{"width":"2","height":3}`:                       false,
		`{"width":null,"height":3}`:                      false,
		`{"width":{"value":2},"height":3}`:               false,
		`{"width":2,"height":3,"shape":"square"}`:        false,
		`{"width":2,"height":3,"count":1.5}`:             false,
		`{"width":2,"height":3,"stack":["1"]}`:           false,
		`{"width":2,"height":3,"Width":2}`:               false,
		`{"width":2,"height":3,"round":"yes","extra":1}`: false,
	} {
		if err := valid(t, schema, []byte(body)); (err == nil) != ok {
			t.Errorf("%s: %v, want valid %v", body, err, ok)
		}
	}
}

// The members of lists have aliases, units and exact forms like inputs. An alias has no
// default.
func TestInputSchemaOfLists(t *testing.T) {
	spec := sdk.Spec{Title: "Wall", Inputs: []sdk.Field{
		{Name: "layers", Aliases: []string{"slabs"}, Type: sdk.TypeArray, Required: true, Items: &sdk.Field{Type: sdk.TypeObject, Fields: []sdk.Field{
			{Name: "thickness", Aliases: []string{"t", "d"}, Type: sdk.TypeNumber, Unit: "m", Required: true},
			{Name: "price", Aliases: []string{"p"}, Type: sdk.TypeNumber, Decimal: true},
			{Name: "kind", Aliases: []string{"k"}, Type: sdk.TypeString, Enum: []string{"wood"}, EnumAliases: []sdk.Alias{{Alias: "oak", Value: "wood"}}, Default: "wood"},
		}}},
		{Name: "hours", Aliases: []string{"h"}, Type: sdk.TypeInteger, Unit: "h", Default: "1"},
	}}
	text := response.InputSchema(&spec)
	schema := compile(t, text)
	for body, ok := range map[string]bool{
		`{"layers":[{"t":1}]}`: true,
		`{"slabs":[{"d":{"value":1,"unit":"mm"},"p":"0.10","k":"oak"},{"thickness":1,"price":1e2}]}`: true,
		`{"layers":[],"h":{"value":90.5,"unit":"min"}}`:                                              true,
		`{"layers":[{"price":1}]}`:         false,
		`{"layers":[{"t":1,"x":1}]}`:       false,
		`{"layers":[{"t":1,"k":"pine"}]}`:  false,
		`{"layers":[{"t":1,"p":"0x10"}]}`:  false,
		`{"layers":[{"t":1,"p":" 1"}]}`:    false,
		`{"layers":[{"t":1,"p":"1\n"}]}`:   false,
		`{"layers":[{"t":"1"}]}`:           false,
		`{"layers":[{"t":1}],"hours":1.5}`: false,
		`{"t":1}`:                          false,
	} {
		if err := valid(t, schema, []byte(body)); (err == nil) != ok {
			t.Errorf("%s: %v, want valid %v", body, err, ok)
		}
	}
	if n := strings.Count(string(text), `"default"`); n != 3 {
		t.Errorf("%d defaults, want one of hours, and one of kind in layers and in slabs:\n%s", n, text)
	}
}

// The description explains the meaning of 10 degC, which a schema cannot.
func TestInputSchemaOfDifferences(t *testing.T) {
	spec := sdk.Spec{Title: "Rod", Inputs: []sdk.Field{{Name: "warming", Type: sdk.TypeNumber, Unit: "K", Difference: true, Doc: "Change."}}}
	if got := string(response.InputSchema(&spec)); !strings.Contains(got, "Change. Unit: K, as a difference: zeros of temperature scales do not count.") {
		t.Errorf("schema %s", got)
	}
}

// The answer of an engine has the contract version of that engine.
func TestAnswersOfOlderEngines(t *testing.T) {
	s := success(t, box.Numbers("shape", "open"))
	spec := *s.Spec
	spec.Contract = "1.0.0"
	s.Template.Spec = &spec
	if got := string(s.AppendJSON(nil)); !strings.Contains(got, `"spec_version":"1.0.0"`) {
		t.Errorf("body %s", got)
	}
}

// The answer has a formula in the form that its author wrote.
func TestConditionsAreLegible(t *testing.T) {
	s := success(t, box.Numbers("shape", "open"))
	spec := *s.Spec
	spec.Formulas = []sdk.Formula{{ID: "open_v1", Expression: `V = 1 if w < 2 and shape == "open"`}}
	s.Template.Spec = &spec
	if got := string(s.AppendJSON(nil)); !strings.Contains(got, `"expression":"V = 1 if w < 2 and shape == \"open\""`) {
		t.Errorf("body %s", got)
	}
}

// A unit that depends on a choice is described, and can be sent.
func TestInputSchemaOfUnitBy(t *testing.T) {
	spec := sdk.Spec{Title: "Converter", Inputs: []sdk.Field{
		{Name: "primary", Type: sdk.TypeNumber, UnitBy: &sdk.UnitBy{Input: "dir", Units: map[string]string{"a": "kVA", "b": "A"}}},
		{Name: "dir", Type: sdk.TypeString, Enum: []string{"a", "b"}, Default: "a"},
	}}
	text := response.InputSchema(&spec)
	if !strings.Contains(string(text), "Unit: A or kVA, by dir.") {
		t.Errorf("schema %s", text)
	}
	if err := valid(t, compile(t, text), []byte(`{"primary":{"value":3,"unit":"MVA"}}`)); err != nil {
		t.Error(err)
	}
}
