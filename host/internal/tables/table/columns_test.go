package table_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/tables/columns"
	"github.com/slipstick/slipstick/host/internal/tables/table"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/versions"
)

// inForms writes cells of text as a table of each format. An empty cell is a null in typed columns.
func inForms(t *testing.T, separator string, rows ...string) map[table.Format][]byte {
	t.Helper()
	files := map[table.Format][]byte{table.CSV: []byte(strings.Join(rows, "\n") + "\n")}
	r := csv.NewReader(bytes.NewReader(files[table.CSV]))
	r.Comma = rune(separator[0])
	records, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var list []columns.Column
	for _, name := range records[0] {
		list = append(list, columns.Column{Name: name, Kind: columns.Text})
	}
	var cells [][]any
	for _, record := range records[1:] {
		var row []any
		for _, cell := range record {
			if cell == "" {
				row = append(row, nil)
			} else {
				row = append(row, cell)
			}
		}
		cells = append(cells, row)
	}
	for _, c := range columnars {
		files[c.format] = c.file(t, list, cells)
	}
	return files
}

// cellsOf reads a table of answers as text, with "" for a null.
func cellsOf(t *testing.T, f table.Format, separator string, data []byte) (rows [][]string) {
	t.Helper()
	if f == table.CSV {
		r := csv.NewReader(bytes.NewReader(data))
		r.Comma = rune(separator[0])
		rows, err := r.ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	c := columnars[slices.IndexFunc(columnars, func(c columnar) bool { return c.format == f })]
	for i, line := range strings.Split(c.table(t, c.read(t, data)), "\n") {
		var row []string
		for _, cell := range strings.Split(strings.TrimSuffix(line, "|"), "|") {
			cell = strings.Trim(cell, `"`)
			if cell == "-" {
				cell = ""
			}
			if i == 0 {
				cell = strings.Split(cell, ":")[0]
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return rows
}

// answer computes a table, and returns the answers in the same format.
func answer(t *testing.T, s *calc.Service, id string, f table.Format, file io.Reader, pins []versions.Pin, o *table.Options) ([]byte, error) {
	t.Helper()
	sheet, err := table.Open(s.Catalog(), f, id, pins, file, o)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w, output, err := sheet.NewWriter(&out, f)
	if err != nil {
		return nil, err
	}
	err = errors.Join(batch.Run(t.Context(), s, sheet, output, w, &batch.Options{Pins: pins}), w.Close())
	return out.Bytes(), err
}

// one is an engine that answers every output with 1, or with the text of its version.
type one struct{}

func (one) Calculate(_ context.Context, _ time.Duration, r *registry.Release, in value.Values) (sdk.Outcome, error) {
	o := sdk.Outcome{Inputs: in}
	for i := range r.Spec.Outputs {
		if r.Spec.Outputs[i].Type == sdk.TypeString {
			o.Result = append(o.Result, value.TextOf(r.Version))
		} else {
			o.Result = append(o.Result, value.NumberOf(in[0].Number()))
		}
	}
	return o, nil
}

func (e one) CalculateBatch(ctx context.Context, limit time.Duration, r *registry.Release, rows []value.Values) ([]response.Result, error) {
	results := make([]response.Result, len(rows))
	for i, in := range rows {
		results[i].Outcome, results[i].Err = e.Calculate(ctx, limit, r, in)
	}
	return results, nil
}

func (one) Draw(context.Context, time.Duration, *registry.Release, string, value.Values) (*sdk.Figure, error) {
	return nil, errors.New("nothing to draw")
}

// versioned publishes Specs as versions of one capability. The last one is the current version.
func versioned(specs ...sdk.Spec) *calc.Service {
	c := registry.Capability{ID: "test.made", Tools: []string{"made"}}
	for _, spec := range slices.Backward(specs) {
		spec.Capability, spec.Tool = "test.made", "made"
		c.Releases = append(c.Releases, &registry.Release{Capability: "test.made", Version: spec.Version, Spec: spec})
	}
	c.Current = specs[len(specs)-1].Version
	return calc.New(catalog.New([]registry.Capability{c}), one{}, nil)
}

// pipe has inputs with typical names, symbols and labels. All but the first have a default.
var pipe = sdk.Spec{Version: "1.0.0", Inputs: []sdk.Field{
	{Name: "outer_diameter", Aliases: []string{"D"}, Type: sdk.TypeNumber, Unit: "m", Required: true},
	{Name: "inner_diameter", Aliases: []string{"d"}, Symbol: "d", Type: sdk.TypeNumber, Unit: "m"},
	{Name: "wall_thickness", Aliases: []string{"t"}, Symbol: "t", Type: sdk.TypeNumber, Unit: "m"},
	{Name: "position", Aliases: []string{"x"}, Symbol: "x", Type: sdk.TypeNumber, Unit: "m"},
	{Name: "load_position", Aliases: []string{"a"}, Symbol: "a", Type: sdk.TypeNumber, Unit: "m"},
	{Name: "temperature_change", Aliases: []string{"dT"}, Symbol: `\Delta T`, Type: sdk.TypeNumber, Unit: "K", Difference: true},
	{Name: "thermal_expansion", Aliases: []string{"alpha"}, Symbol: `\alpha`, Type: sdk.TypeNumber, Unit: "1/K"},
	{Name: "roughness", Aliases: []string{"e"}, Symbol: `\varepsilon`, Type: sdk.TypeNumber, Unit: "m"},
	{Name: "head_loss", Aliases: []string{"hL"}, Symbol: "h_L", Type: sdk.TypeNumber, Unit: "m"},
	{Name: "surroundings_temperature", Aliases: []string{"T2"}, Symbol: "T_2", Label: "Temperature of the surroundings", Type: sdk.TypeNumber, Unit: "K"},
	{Name: "temperature", Aliases: []string{"T"}, Symbol: "T", Type: sdk.TypeNumber, Unit: "degC"},
	{Name: "ua", Aliases: []string{"UA"}, Symbol: "UA", Type: sdk.TypeNumber, Unit: "W/K"},
	{Name: "pf", Aliases: []string{"power_factor", "cos_phi"}, Symbol: `\mathrm{pf}`, Type: sdk.TypeNumber},
	{Name: "density", Aliases: []string{"rho"}, Symbol: `\rho`, Type: sdk.TypeNumber, Unit: "kg/m3"},
	{Name: "voltage", Aliases: []string{"V"}, Symbol: "V", Type: sdk.TypeNumber, Unit: "V"},
	{Name: "method", Type: sdk.TypeString, Enum: []string{"a", "b"}},
}, Outputs: []sdk.Field{{Name: "strength", Type: sdk.TypeNumber, Unit: "Pa"}}}

// In every format, the header of a column can be the name, alias or symbol of an input with a unit after
// it.
func TestUnitAfterName(t *testing.T) {
	s := versioned(pipe)
	for header, want := range map[string]string{
		"d_mm": `"inner_diameter":{"value":80,"unit":"mm"}`, "d mm": `"inner_diameter":{"value":80,"unit":"mm"}`, "t (mm)": `"t":{"value":80,"unit":"mm"}`, "t [mm]": `"t":{"value":80,"unit":"mm"}`,
		"position mm": `"position":{"value":80,"unit":"mm"}`, "position_mm": `"position":{"value":80,"unit":"mm"}`, "x_mm": `"position":{"value":80,"unit":"mm"}`, "a_m": `"load_position":80`,
		"dT_K": `"temperature_change":80`, "alpha_1/K": `"thermal_expansion":80`, "roughness_mm": `"roughness":{"value":80,"unit":"mm"}`, "hL_m": `"head_loss":80`, "T2 K": `"surroundings_temperature":80`, "UA_W/K": `"ua":80`,
		"V/mV": `"voltage":{"value":80,"unit":"mV"}`, "V / mV": `"voltage":{"value":80,"unit":"mV"}`, "ρ [g/cm3]": `"density":{"value":80,"unit":"g/cm3"}`, "ρ_kg/m3": `"density":80`, "α 1/K": `"thermal_expansion":80`,
		"ε mm": `"roughness":{"value":80,"unit":"mm"}`, "ΔT °F": `"temperature_change":{"value":80,"unit":"degF"}`, "T_2 [°C]": `"surroundings_temperature":{"value":80,"unit":"degC"}`,
		"inner_diameter_mm": `"inner_diameter":{"value":80,"unit":"mm"}`, "temperature degF": `"temperature":{"value":80,"unit":"degF"}`,
	} {
		for f, file := range inForms(t, ",", "D,"+header, "0.1,80") {
			sheet, err := table.Open(s.Catalog(), f, "made", nil, bytes.NewReader(file), nil)
			if err != nil {
				t.Errorf("%q as %s: %v", header, f, err)
				continue
			}
			var c batch.Chunk
			if err := sheet.Next(&c); err != nil && !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			for row := range c.Rows() {
				req, err := sheet.Request(string(row), nil)
				if got := strings.ReplaceAll(jsonOf(req.Inputs.Members), "°", "deg"); err != nil || got != `"D":0.1,`+want {
					t.Errorf("%q as %s: %s, %v, want %s", header, f, got, err, want)
				}
			}
			if passing := sheet.Passing(); len(passing) != 0 {
				t.Errorf("%q as %s passes through", header, f)
			}
		}
	}
}

func jsonOf(members []strictjson.Member) string {
	var list []string
	for _, m := range members {
		switch v := m.Value; v.Kind {
		case strictjson.Object:
			list = append(list, fmt.Sprintf("%q:{%s}", m.Name, jsonOf(v.Members)))
		case strictjson.String:
			list = append(list, fmt.Sprintf("%q:%q", m.Name, v.Text))
		default:
			list = append(list, fmt.Sprintf("%q:%v", m.Name, v.Float))
		}
	}
	return strings.Join(list, ",")
}

// A column that resembles an input without a column is refused until it is declared as a tag. Otherwise
// the default of the input would be used silently.
func TestNearColumns(t *testing.T) {
	s := versioned(pipe)
	for header, meant := range map[string]string{
		"inner_dia": "inner_diameter", "inner_dia_mm": "inner_diameter [mm]", "innerDiameter": "inner_diameter", "Inner Diameter [mm]": "inner_diameter [mm]", "ID": "inner_diameter", "inner dia.": "inner_diameter",
		"deltaT": "temperature_change", "Delta_T": "temperature_change", "ΔT": "temperature_change", "α": "thermal_expansion", "ρ": "density", "rho_kg_m3": "density", "Temp °C": "temperature [°C]", "TEMP": "temperature",
		"temp_C": "temperature [C]", "cosφ": "pf", "cos phi": "pf", "CosPhi": "pf", "Power Factor": "pf", "d_s": "inner_diameter", "Position": "position", "x_kg": "position", "Wall thk": "",
		"roughnes": "roughness", "lod_position": "load_position", "h_L": "head_loss", "meth": "method",
		"calculation_versoin": "calculation_version", "calc_version": "calculation_version", "Calculation Versions": "calculation_version", "as_of_date": "as_of", "as_fo": "as_of",
	} {
		for f, file := range inForms(t, ",", "D,"+header, "0.1,80") {
			_, err := table.Open(s.Catalog(), f, "made", nil, bytes.NewReader(file), nil)
			p, refused := errors.AsType[*problem.Problem](err)
			switch {
			case meant == "": // thk is not the start of a word
				if err != nil {
					t.Errorf("%q as %s: %v", header, f, err)
				}
			case !refused || p.Code != "UNKNOWN_INPUT" || p.Field != header || !strings.Contains(p.Suggestion, "Did you mean "+meant+"?"):
				t.Errorf("%q as %s: %v, want %s", header, f, err, meant)
			}
			sheet, err := table.Open(s.Catalog(), f, "made", nil, bytes.NewReader(file), &table.Options{Tags: []string{header}})
			if err != nil || len(sheet.Passing()) > 0 {
				t.Errorf("%q as %s, declared: %v", header, f, err)
			}
		}
	}
}

// ordinary lists columns that tables often have in addition to their inputs.
const ordinary = "id,name,note,notes,part,part no,part_number,date,project,project id,customer,location,site,building,floor,room,zone,tag,tag no,item,item no,position no,line,line no,row,index,no,nr,number," +
	"ref,reference,ref no,drawing,drawing no,rev,revision,version,status,state,type,category,group,class,grade,material,mat,supplier,manufacturer,make,model,model no,serial,serial_number,sku,quantity,qty," +
	"count,unit,units,price,cost,currency,total,sum,comment,comments,remark,remarks,description,desc,title,label,code,job,job_id,order,order no,batch,lot,lot_number,sample,sample_id,run,run_id,test,test_id," +
	"case,load case,loadcase,combination,phase,circuit id,circuit no,cable,cable no,cable_id,feeder,panel,from,to,from_node,to_node,node,node_id,element,member,member_id,beam,beam_id,column,section,profile," +
	"standard,source,file,created,created_at,updated,updated_at,timestamp,time stamp,user,author,checked,checked by,approved,engineer,owner,color,priority,latitude,longitude,url,uuid,key,ok,result,min,max,avg"

// Ordinary columns pass through.
func TestOrdinaryColumns(t *testing.T) {
	s := versioned(pipe)
	headers := strings.Split(ordinary, ",")
	if len(headers) < 120 {
		t.Errorf("%d headers", len(headers))
	}
	sheet, err := table.NewSheet(s.Catalog(), "made", nil, strings.NewReader("D,"+ordinary+"\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if passing := sheet.Passing(); !slices.Equal(passing, headers) {
		t.Errorf("%q pass through", passing)
	}
}

// made has an input and an output with the same name, with a unit and without.
var made = sdk.Spec{Version: "1.0.0", Inputs: []sdk.Field{
	{Name: "length", Aliases: []string{"L"}, Type: sdk.TypeNumber, Unit: "m", Required: true},
	{Name: "model", Type: sdk.TypeString, Enum: []string{"thin", "thick"}},
}, Outputs: []sdk.Field{{Name: "delta", Type: sdk.TypeNumber, Unit: "m"}, {Name: "length", Type: sdk.TypeNumber, Unit: "m"}, {Name: "model", Type: sdk.TypeString}}}

// The columns of answers have distinct names. In a table of answers that is sent again, new answers
// replace the old ones.
func TestAnswersSentAgain(t *testing.T) {
	s := versioned(made)
	about := ",warnings,error_code,error_field,error_detail"
	for _, tt := range []struct{ sent, row, want string }{
		{"L,note", "2,n", "L,note,delta [m],length [m],model" + about},
		{"L,model", "2,thin", "L,model,delta [m],length [m],model (result)" + about},
		{"length [m],model", "2,thin", "length [m],model,delta [m],length (result) [m],model (result)" + about},
		{"length,note", "2,n", "length,note,delta [m],length [m],model" + about},
		{"L_m", "2", "L_m,delta [m],length [m],model" + about},
		// Answers of an earlier table: the output has the name of the input that was missing.
		{"L,delta [m],model,warnings,error_code,error_field,error_detail", "2,7,x,,,,", "L,delta [m],length [m],model" + about},
		{"L,delta [mm],length [mm],warnings,error_code,error_field,error_detail", "2,7,7,,,,", "L,delta [m],length [m],model" + about},
		{"error_detail,delta [m],error_field,error_code,warnings,L", ",7,,,,2", "L,delta [m],length [m],model" + about},
	} {
		for f, file := range inForms(t, ",", tt.sent, tt.row) {
			for round := range 3 {
				out, err := answer(t, s, "made", f, bytes.NewReader(file), nil, nil)
				if err != nil {
					t.Errorf("%s as %s, time %d: %v", tt.sent, f, round+1, err)
					break
				}
				rows := cellsOf(t, f, ",", out)
				if got := strings.Join(rows[0], ","); got != tt.want || rows[1][slices.Index(rows[0], "delta [m]")] != "2" {
					t.Errorf("%s as %s, time %d: %q\nwant %s", tt.sent, f, round+1, rows, tt.want)
				}
				file = out
			}
		}
	}
	for sent, detail := range map[string]string{
		"L,delta [m]": `the answers have a column "delta [m]"`, "L,warnings": `the answers have a column "warnings"`, "L,note,note": `two columns are named "note"`,
	} {
		for f, file := range inForms(t, ",", sent, strings.Repeat(",", strings.Count(sent, ","))[:strings.Count(sent, ",")]) {
			_, err := answer(t, s, "made", f, bytes.NewReader(file), nil, nil)
			if p, ok := errors.AsType[*problem.Problem](err); !ok || !strings.HasPrefix(p.Code, "INVALID_C") || !strings.Contains(p.Detail, detail) {
				t.Errorf("%s as %s: %v", sent, f, err)
			}
		}
	}
	for f, file := range inForms(t, ",", "L,delta [m]", "2,3") {
		out, err := answer(t, s, "made", f, bytes.NewReader(file), nil, &table.Options{Tags: []string{"delta [m]"}})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(cellsOf(t, f, ",", out)[0], ","); got != "L,delta [m],delta (result) [m],length [m],model"+about {
			t.Errorf("%s: %s", f, got)
		}
	}
}

// A column calculation_version or as_of pins the version of its row, like the member of a line.
func TestPinColumns(t *testing.T) {
	older := made
	older.Version = "0.9.0"
	newer := made
	newer.Version = "2.0.0"
	newer.Inputs = append(slices.Clone(made.Inputs), sdk.Field{Name: "extra", Type: sdk.TypeNumber, Default: "1"})
	other := made
	other.Version = "3.0.0"
	other.Outputs = other.Outputs[1:]
	s := versioned(older, made, other, newer)
	pin := func(version string) []versions.Pin {
		return []versions.Pin{{Place: versions.InQuery, Name: "calculation_version", Value: version}}
	}
	for _, tt := range []struct {
		name, header string
		rows, want   []string // the version that computed the row, or its error
		pins         []versions.Pin
	}{
		{"nothing is pinned", "L,calculation_version", []string{"1,", "1,"}, []string{"2.0.0", "2.0.0"}, nil},
		{"all rows pin one version", "L,calculation_version", []string{"1,1.0.0", "1,1.0.0"}, []string{"1.0.0", "1.0.0"}, nil},
		{"the first row pins rows without a pin", "L,calculation_version", []string{"1,1.0.0", "1,"}, []string{"1.0.0", "1.0.0"}, nil},
		{"several versions", "calculation_version,L", []string{",1", "1.0.0,1", "0.9.0,1", "2.0.0,1"}, []string{"2.0.0", "1.0.0", "0.9.0", "2.0.0"}, nil},
		{"another spelling", "Calculation-Version,L", []string{"1.0.0,1", "0.9.0,1"}, []string{"1.0.0", "0.9.0"}, nil},
		{"a version that is not published", "L,calculation_version", []string{"1,9.9.9", "1,v1.0.0", "1,1.0.0"}, []string{"VERSION_MISMATCH", "VERSION_MISMATCH", "1.0.0"}, nil},
		{"another pin", "L,calculation_version", []string{"1,1.0.0", "1,0.9.0", "1,"}, []string{"1.0.0", "VERSION_PIN_CONFLICT", "1.0.0"}, pin("1.0.0")},
		{"outputs of another version", "L,calculation_version", []string{"1,1.0.0", "1,3.0.0"}, []string{"1.0.0", "VERSION_PIN_CONFLICT"}, nil},
		{"an input that a version lacks", "L,extra,calculation_version", []string{"1,2,", "1,2,1.0.0"}, []string{"2.0.0", "UNKNOWN_INPUT"}, nil},
		{"a time of which nothing is known", "L,as_of", []string{"1,2024-01-01T00:00:00Z", "1,"}, []string{"AS_OF_UNKNOWN", "2.0.0"}, nil},
		{"no time", "L,as-of", []string{"1,yesterday", "1,"}, []string{"INVALID_AS_OF", "2.0.0"}, nil},
	} {
		for f, file := range inForms(t, ",", append([]string{tt.header}, tt.rows...)...) {
			if tt.name == "an input that a version lacks" && f == table.CSV {
				file = bytes.ReplaceAll(file, []byte("\n"), []byte("\r\n"))
			}
			out, err := answer(t, s, "made", f, iotest.HalfReader(bytes.NewReader(file)), tt.pins, nil)
			if err != nil {
				t.Errorf("%s as %s: %v", tt.name, f, err)
				continue
			}
			rows := cellsOf(t, f, ",", out)
			var got []string
			for _, row := range rows[1:] {
				got = append(got, row[slices.Index(rows[0], "model")]+row[slices.Index(rows[0], "error_code")])
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%s as %s: %q, want %q", tt.name, f, got, tt.want)
			}
			sheet, err := table.Open(s.Catalog(), f, "made", tt.pins, bytes.NewReader(file), nil)
			if err != nil || len(sheet.Passing()) > 0 {
				t.Errorf("%s as %s: %v, passing %q", tt.name, f, err, sheet.Passing())
			}
		}
	}
	for _, header := range []string{"L,calculation_version,Calculation Version", "L,calculation_versoin"} {
		if _, err := table.NewSheet(s.Catalog(), "made", nil, strings.NewReader(header+"\n"), nil); !isProblem(err) {
			t.Errorf("%s: %v", header, err)
		}
	}
	// Lines accept results of any version, whatever its outputs are.
	sheet, err := table.NewSheet(s.Catalog(), "made", nil, strings.NewReader("L,calculation_version\n1,1.0.0\n1,3.0.0\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := batch.Run(t.Context(), s, sheet, batch.LeanLine(s.BaseURL()), &out, nil); err != nil || out.String() != `{"result":{"delta":1,"length":1,"model":"1.0.0"}}`+"\n"+`{"result":{"length":1,"model":"3.0.0"}}`+"\n" {
		t.Errorf("%v, %s", err, out.String())
	}
	// A number is not a version.
	c := columnars[0]
	file := c.file(t, []columns.Column{{Name: "L", Kind: columns.Number}, {Name: "calculation_version", Kind: columns.Number}}, [][]any{{1.0, 1.0}, {1.0, nil}})
	data, err := answer(t, s, "made", c.format, bytes.NewReader(file), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if rows := cellsOf(t, c.format, ",", data); rows[1][6] != "INVALID_VERSION_PIN" || rows[2][4] != "2.0.0" {
		t.Errorf("%q", rows)
	}
}

// A table has one decimal mark: the mark of its first unambiguous cell, or the declared one. The result
// does not depend on how the bytes arrive.
func TestMarks(t *testing.T) {
	s := versioned(made)
	for _, tt := range []struct {
		name, header string
		rows, want   []string // the result, "?" for two readings, "!" for a contradiction
	}{
		{"point-thousands", "L;note", []string{"1.234,5;a", "1.234;b", "12.500;c", "1,5;d"}, []string{"1234,5", "1234", "12500", "1,5"}},
		{"a point", "L;note", []string{"1.5;a", "1,234;b", "1.234;c"}, []string{"1.5", "1234", "1.234"}},
		{"cells before", "L;note", []string{"1.234;a", "12;b", "1,234;c", "1,5;d", "1.234;e"}, []string{"?", "12", "?", "1.5", "1234"}},
		{"a contradiction", "L;note", []string{"1,5;a", "1.5;b", "2,5;c"}, []string{"1,5", "!", "2,5"}},
		{"never", "L;note", []string{"12;a", "1e5;b", "1.234;c"}, []string{"12", "100000", "?"}},
		{"a leading zero", "L;note", []string{"0,123;a", "1.234;b"}, []string{"0,123", "1234"}},
		{"more than three digits before", "L;note", []string{"1234.567;a", "1,234;b"}, []string{"1234.567", "1234"}},
		{"a mantissa", "L;note", []string{"1.234e5;a", "1.234;b"}, []string{"123400", "1.234"}},
		{"groups alone", "L;note", []string{"1.234.500;a", "1.234;b"}, []string{"1234500", "1234"}},
		{"with a unit", "L;note", []string{"1,5 mm;a", "1.234 mm;b"}, []string{"0,0015", "1,234"}},
		{"within a row", "note;L;model", []string{"1.5;1.234;thin", "a;2,5;thin", "b;1.234;thin"}, []string{"?", "2.5", "1234"}},
		{"tabs", "L\tnote", []string{"1.234\ta", "1,5\tb"}, []string{"?", "1.5"}},
	} {
		separator := tt.header[strings.IndexAny(tt.header, ";\t"):][:1]
		for f, file := range inForms(t, separator, append([]string{tt.header}, tt.rows...)...) {
			var first []byte
			for name, r := range map[string]io.Reader{
				"whole": bytes.NewReader(file), "halves": iotest.HalfReader(bytes.NewReader(file)), "bytes": iotest.OneByteReader(bytes.NewReader(file)),
			} {
				out, err := answer(t, s, "made", f, r, nil, &table.Options{Decimals: typed.ByFile})
				if err != nil {
					t.Fatal(tt.name, f, err)
				}
				if first == nil {
					first = out
				} else if !bytes.Equal(out, first) {
					t.Errorf("%s as %s, %s: the answer depends on how the bytes arrive", tt.name, f, name)
				}
			}
			rows := cellsOf(t, f, separator, first)
			var got []string
			for _, row := range rows[1:] {
				result := row[slices.Index(rows[0], "delta [m]")]
				switch detail := row[slices.Index(rows[0], "error_detail")]; {
				case strings.Contains(detail, "has two readings") && strings.Contains(detail, "decimal="):
					result += "?"
				case strings.Contains(detail, "is not written as row"):
					result += "!"
				case detail != "":
					result += detail
				}
				got = append(got, result)
			}
			want := slices.Clone(tt.want)
			if f != table.CSV { // typed numbers have no mark
				for i := range want {
					want[i] = strings.Replace(strings.Replace(want[i], ",", ".", 1), "1234500", "1.2345e+06", 1)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s as %s: %q, want %q", tt.name, f, got, want)
			}
		}
	}
}

// If commas separate cells, an unquoted number has a point: 1.234 shows the mark.
func TestMarksBetweenCommas(t *testing.T) {
	s := versioned(made)
	for text, want := range map[string][]string{
		"L,note\n1.234,a\n\"1,234\",b\n":         {"1.234", "1234"},
		"L,note\n\"1,5\",a\n1.234,b\n":           {"1,5", "1234"},
		"L,note\n\"1,234\",a\n\"1,5\",b\n":       {"", "1.5"},
		"note,L\rx,1.5\ry,2.5\r":                 {"1.5", "2.5"},
		"sep=;\nL;note\n1,5;a\n":                 {"1,5"},
		"\ufeff\"sep=;\"\r\nL;note\r\n1,5;a\r\n": {"1,5"},
	} {
		out, err := answer(t, s, "made", table.CSV, strings.NewReader(text), nil, &table.Options{Decimals: typed.ByFile})
		if err != nil {
			t.Fatal(text, err)
		}
		separator := ","
		if strings.Contains(text, ";") {
			separator = ";"
		}
		rows := cellsOf(t, table.CSV, separator, bytes.TrimPrefix(out, []byte("\ufeff")))
		var got []string
		for _, row := range rows[1:] {
			got = append(got, row[slices.Index(rows[0], "delta [m]")])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	_, err := table.NewSheet(s.Catalog(), "made", nil, strings.NewReader("Cables of 2024;;\nL;note;\n1;a;\n"), nil)
	if p, ok := errors.AsType[*problem.Problem](err); !ok || !strings.Contains(p.Suggestion, "leave out a title above it") {
		t.Errorf("a title: %v", err)
	}
}
