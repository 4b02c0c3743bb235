package plot_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipstick/slipstick/host/internal/page/plot"
	"github.com/slipstick/slipstick/sdk"
)

func named(t *testing.T, name string) *sample {
	t.Helper()
	for _, s := range samples() {
		if s.name == name {
			return &s
		}
	}
	t.Fatalf("there is no sample %s", name)
	return nil
}

func table(header []string, rows [][]string) string {
	var b strings.Builder
	for _, row := range append([][]string{header}, rows...) {
		b.WriteString(strings.Join(row, " | ") + "\n")
	}
	return b.String()
}

func TestRows(t *testing.T) {
	for _, tt := range []struct {
		name string
		most int
		want string
	}{
		{"deflection", 6, `Distance from the wall (m) | Deflection (mm) | Marked
0 | 0 | ` + `
1.32 | 1.22849 | ` + `
2.5 | 3.26493 | Position
2.64 | 3.51069 | ` + `
4 | 5.58223 | Largest deflection
`},
		{"response", 6, `Curve | Time (s) | Voltage (V) | Marked
Capacitor | 0 | 0 | ` + `
Capacitor | 0.1 | 7.58545 | After one time constant
Capacitor | 0.5 | 11.9191 | ` + `
Resistor | 0 | 12 | ` + `
Resistor | 0.5 | 0.0808554 | ` + `
Supply | 0 | 12 | ` + `
Supply | 0.5 | 12 | ` + `
`},
		{"tiny", 9, `Place (10⁻³⁰⁰ m) | Second moment of area (10⁻³²⁴ m⁴)
0 | 0
1 | 4.94066
2 | 9.88131
`},
		{"one_point", 9, `Place (m) | Second moment of area (10⁻⁶ m⁴)
2 | 30
`},
	} {
		s := named(t, tt.name)
		if diff := cmp.Diff(tt.want, table(plot.Rows(&s.plot, &s.figure, tt.most))); diff != "" {
			t.Errorf("%s:\n%s", tt.name, diff)
		}
	}
}

// Curves over the same places share rows, and a point that is on no curve has its own row.
func TestRowsTogether(t *testing.T) {
	x := []float64{0, 1, 2, 3}
	f := sdk.Figure{
		Curves: []sdk.Curve{{Label: "hot", X: x, Y: []float64{350, 340, 330, 320}}, {Label: "cold", X: x, Y: []float64{290, 300, 305, 310}}},
		Points: []sdk.Point{{Label: "pinch", X: 3, Y: 310}, {Label: "between", X: 1.5, Y: 303}},
	}
	p := sdk.Plot{X: sdk.Axis{Label: "area", Unit: "m2"}, Y: sdk.Axis{Label: "temperature", Unit: "K"}}
	want := `Area (m²) | Hot (K) | Cold (K) | Marked
0 | 350 | 290 | ` + `
1 | 340 | 300 | ` + `
2 | 330 | 305 | ` + `
3 | 320 | 310 | Pinch
1.5 |  |  | Between: 303` + "\u00a0" + `K
`
	if diff := cmp.Diff(want, table(plot.Rows(&p, &f, 10))); diff != "" {
		t.Error(diff)
	}
}

// A table has at most the given number of rows, with both ends and all marks.
func TestRowsMost(t *testing.T) {
	s := named(t, "deflection")
	for _, most := range []int{5, 10, 25, 1000} {
		_, rows := plot.Rows(&s.plot, &s.figure, most)
		marked := slices.DeleteFunc(slices.Clone(rows), func(row []string) bool { return row[2] == "" })
		if len(rows) > most || most < 100 && len(rows) < most-3 || len(marked) != 2 || rows[0][0] != "0" || rows[len(rows)-1][0] != "4" {
			t.Errorf("%d rows of at most %d, %d marked, from %v to %v", len(rows), most, len(marked), rows[0], rows[len(rows)-1])
		}
	}
}

// Every number of a plot reads back exactly from the file.
func TestCSV(t *testing.T) {
	for _, s := range samples() {
		var b strings.Builder
		if err := plot.CSV(&b, &s.plot, &s.figure); err != nil {
			t.Fatal(err)
		}
		if strings.Count(b.String(), "\n") != strings.Count(b.String(), "\r\n") {
			t.Errorf("%s: lines do not end as in RFC 4180", s.name)
		}
		records, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		column := func(j, n int) []float64 {
			var out []float64
			for _, record := range records[1 : n+1] {
				v, err := strconv.ParseFloat(record[j], 64)
				if err != nil {
					t.Fatalf("%s: %v", s.name, err)
				}
				out = append(out, v)
			}
			return out
		}
		at := 0
		for i, c := range s.figure.Curves {
			if i == 0 || !slices.Equal(c.X, s.figure.Curves[i-1].X) {
				if !slices.Equal(column(at, len(c.X)), c.X) {
					t.Errorf("%s: places of %s differ", s.name, c.Label)
				}
				at++
			}
			if !slices.Equal(column(at, len(c.Y)), c.Y) {
				t.Errorf("%s: values of %s differ", s.name, c.Label)
			}
			at++
		}
		for i, p := range s.figure.Points {
			if got := []float64{column(at+1, i+1)[i], column(at+2, i+1)[i]}; got[0] != p.X || got[1] != p.Y {
				t.Errorf("%s: %s is at %v", s.name, p.Label, got)
			}
		}
	}
}

func TestCSVText(t *testing.T) {
	f := sdk.Figure{
		Curves: []sdk.Curve{{Label: "beam", Style: sdk.Member, X: []float64{0, 5}, Y: []float64{0, 0}}, {Label: `a "b", c`, X: []float64{0.1, -2.5e-7, 1e300}, Y: []float64{1, 2, math.Copysign(0, -1)}}},
		Points: []sdk.Point{{Label: "=1+1", X: 1, Y: 2}, {Label: "-x", X: 3, Y: 4}, {Label: "@x"}, {Label: "\tx"}, {Label: "a=b"}},
		Arrows: []sdk.Arrow{{Label: "+load", X: 3, Y: 18000, ToX: 3}},
	}
	p := sdk.Plot{X: sdk.Axis{Label: "place", Unit: "m"}, Y: sdk.Axis{Label: "force", Unit: "N"}}
	var b strings.Builder
	if err := plot.CSV(&b, &p, &f); err != nil {
		t.Fatal(err)
	}
	want := `place [m],beam [N],place [m],"a ""b"", c [N]",point,place [m],force [N],arrow,from place [m],from force [N],to place [m],to force [N]
0,0,0.1,1,'=1+1,1,2,'+load,3,18000,3,0
5,0,-2.5e-7,2,'-x,3,4,,,,,
,,1e+300,0,'@x,0,0,,,,,
,,,,'	x,0,0,,,,,
,,,,a=b,0,0,,,,,
`
	if diff := cmp.Diff(want, strings.ReplaceAll(b.String(), "\r\n", "\n")); diff != "" {
		t.Error(diff)
	}
}

func TestFormatNumber(t *testing.T) {
	for _, tt := range []struct {
		v      float64
		digits int
		want   string
	}{
		{0, 4, "0"}, {3, 4, "3"}, {-0.25, 4, "−0.25"}, {1.23456, 4, "1.235"}, {12345678, 4, "1.235×10⁷"}, {999999, 6, "999999"}, {0.00012, 4, "0.00012"},
		{-5e-324, 4, "−4.941×10⁻³²⁴"}, {1e308, 4, "1×10³⁰⁸"}, {0.99999, 4, "1"},
	} {
		if got := plot.SayNumber(tt.v, tt.digits); got != tt.want {
			t.Errorf("%g with %d digits: %s, want %s", tt.v, tt.digits, got, tt.want)
		}
	}
}

func TestWords(t *testing.T) {
	for unit, want := range map[string]string{
		"N m2": "N·m²", "m4": "m⁴", "ohm": "Ω", "degC": "°C", "W/(m2 K)": "W/(m²·K)", "s-1": "s⁻¹", "1/K": "1/K", "": "", "%": "%", "kg/m3": "kg/m³",
	} {
		if got := plot.SayUnit(unit); got != want {
			t.Errorf("unit %s: %s, want %s", unit, got, want)
		}
	}
	for label, want := range map[string]string{
		"largest deflection": "Largest deflection", "x face": "x face", "sigma_1": "σ₁", "stress sigma_2 at 3": "stress σ₂ at 3", "": "", "é": "é", "Euler": "Euler",
	} {
		if got := plot.SayLabel(label); got != want {
			t.Errorf("label %s: %s, want %s", label, got, want)
		}
	}
	for latex, want := range map[string]string{
		"w_0": "w[0]", `\sigma_{cr}`: "σ[c][r]", "x/x_0": "x/x[0]", `\mathrm{pf}`: "pf", `\Delta T`: "ΔT", "M_{x,1}": "M[x][,][1]", `\frac{a}{b}`: "", `\unknown`: "", "{x": "", "": "",
	} {
		if got, ok := plot.Symbol(latex); ok != (want != "") || ok && got != want {
			t.Errorf("symbol %s: %s %v, want %s", latex, got, ok, want)
		}
	}
}

// Numbers of any size get a readable unit.
func TestUnitsOfAxes(t *testing.T) {
	for _, tt := range []struct {
		high float64
		unit string
		want string
	}{
		{0.0018, "m", "mm"}, {0.25, "m", "m"}, {3, "m", "m"}, {18000, "N", "kN"}, {250e6, "Pa", "MPa"}, {34e3, "N m", "kN·m"}, {12000, "N/m", "kN/m"},
		{8.3e-5, "m4", "10⁻⁶ m⁴"}, {250, "", ""}, {3e-7, "", "10⁻⁹"}, {310, "K", "K"}, {1e5, "s", "10³ s"}, {2e-5, "s", "µs"}, {1e20, "Pa", "10¹⁸ Pa"}, {86000, "kg", "kg"},
	} {
		p := sdk.Plot{X: sdk.Axis{Label: "x"}, Y: sdk.Axis{Label: "size", Unit: tt.unit}}
		f := sdk.Figure{Curves: []sdk.Curve{{X: []float64{0, 1}, Y: []float64{0, tt.high}}}}
		want := "Size"
		if tt.want != "" {
			want = fmt.Sprintf("Size (%s)", tt.want)
		}
		if header, _ := plot.Rows(&p, &f, 5); header[1] != want {
			t.Errorf("%g %s: %s, want %s", tt.high, tt.unit, header[1], want)
		}
	}
}
