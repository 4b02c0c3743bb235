package plot_test

import (
	"encoding/xml"
	"errors"
	"flag"
	"html/template"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/host/internal/page/plot"
	"github.com/slipstick/slipstick/sdk"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-update writes it):\n%s", file, diff)
	}
}

func TestSVG(t *testing.T) {
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			if err := s.plot.Check(&s.figure); err != nil {
				t.Fatal(err)
			}
			svg := plot.SVG(&s.plot, &s.figure, nil)
			check(t, svg)
			if s.name != "noise" { // its golden would be large
				golden(t, s.name+".svg", string(svg)+"\n")
			}
		})
	}
}

// allowed are the elements of a picture with their attributes: no style, no event, no URL.
var allowed = map[string]string{
	"svg":   "class viewBox width height role aria-labelledby aria-describedby data-map data-log data-xname data-xunit data-yname data-yunit",
	"title": "id", "desc": "id", "path": "class d data-label data-x data-y", "circle": "class cx cy r",
	"text": "class x y text-anchor", "tspan": "class dy",
}

// picture is the content of an SVG for tests.
type picture struct {
	width, height float64
	places        [][2]float64
	ids           []string
	ticks         map[string][]float64 // by the anchor of their texts; ticks of y have end
	texts         []string
}

// check reports faults of a picture: malformed XML, elements that are not allowed, or parts outside of the picture.
func check(t testing.TB, svg template.HTML) picture {
	t.Helper()
	var p picture
	inTick := ""
	p.ticks = map[string][]float64{}
	for d := xml.NewDecoder(strings.NewReader(string(svg))); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
		switch e := token.(type) {
		case xml.StartElement:
			attributes, ok := allowed[e.Name.Local]
			if !ok {
				t.Fatalf("element %s", e.Name.Local)
			}
			of := map[string]string{}
			for _, a := range e.Attr {
				if !slices.Contains(strings.Fields(attributes), a.Name.Local) {
					t.Fatalf("%s has %s", e.Name.Local, a.Name.Local)
				}
				of[a.Name.Local] = a.Value
			}
			p.read(t, e.Name.Local, of)
			inTick = ""
			if of["class"] == "tick" {
				inTick = of["text-anchor"]
			}
		case xml.CharData:
			text := strings.TrimSpace(string(e))
			if inTick != "" && text != "" {
				v, err := strconv.ParseFloat(plainTick.Replace(text), 64)
				if err != nil {
					t.Fatalf("tick %q", text)
				}
				p.ticks[inTick] = append(p.ticks[inTick], v)
				inTick = ""
			}
			p.texts = append(p.texts, text)
		case xml.EndElement:
		default:
			t.Fatalf("%T", token)
		}
	}
	for _, at := range p.places {
		if !(at[0] >= 0 && at[0] <= p.width && at[1] >= 0 && at[1] <= p.height) { // false for NaN
			t.Fatalf("place %v is not in %g x %g:\n%s", at, p.width, p.height, svg)
		}
	}
	return p
}

// plainTick returns a tick in the notation of programs: 1e5 for 10⁵.
var plainTick = func() *strings.Replacer {
	pairs := []string{"−", "-", "⁻", "-"}
	for i, digit := range strings.Split("⁰ ¹ ² ³ ⁴ ⁵ ⁶ ⁷ ⁸ ⁹", " ") {
		pairs = append([]string{"×10" + digit, "e" + strconv.Itoa(i), "10" + digit, "1e" + strconv.Itoa(i)}, append(pairs, digit, strconv.Itoa(i))...)
	}
	return strings.NewReplacer(append([]string{"×10⁻", "e-", "10⁻", "1e-"}, pairs...)...)
}()

func numbers(t testing.TB, list string) []float64 {
	t.Helper()
	var out []float64
	for _, field := range strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(" MLZ", r) }) {
		v, err := strconv.ParseFloat(field, 64)
		if err != nil || math.IsInf(v, 0) {
			t.Fatalf("number %q: %v", field, err)
		}
		out = append(out, v)
	}
	return out
}

var arc = regexp.MustCompile(`A17 17 0 1 [01] `)

func (p *picture) read(t testing.TB, name string, of map[string]string) {
	t.Helper()
	pairs := func(list []float64) {
		for i := 0; i+1 < len(list); i += 2 {
			p.places = append(p.places, [2]float64{list[i], list[i+1]})
		}
	}
	switch name {
	case "svg":
		box := numbers(t, of["viewBox"])
		p.width, p.height = box[2], box[3]
	case "path":
		pairs(numbers(t, arc.ReplaceAllString(of["d"], "L")))
		if len(numbers(t, of["data-x"])) != len(numbers(t, of["data-y"])) {
			t.Fatalf("%d x and %d y for the script", len(numbers(t, of["data-x"])), len(numbers(t, of["data-y"])))
		}
	case "circle":
		pairs(numbers(t, of["cx"]+" "+of["cy"]))
	case "text":
		pairs(numbers(t, of["x"]+" "+of["y"]))
	}
	if of["id"] != "" {
		p.ids = append(p.ids, of["id"])
	}
}

// randomPlot returns a random plot that passes Check.
func randomPlot(t *rapid.T) (sdk.Plot, sdk.Figure) {
	number := rapid.Custom(func(t *rapid.T) float64 {
		if rapid.Bool().Draw(t, "wild") {
			return rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64).Draw(t, "v")
		}
		return math.Round(rapid.Float64Range(-100, 100).Draw(t, "v"))
	})
	label := rapid.SampledFrom([]string{"", "load", "a long label of something that is drawn", "sigma_1", "at 3.5 m", `<b x="1">&amp;`, "力"})
	styles := []sdk.CurveStyle{sdk.Line, sdk.Area, sdk.Load, sdk.Member, sdk.Guide, sdk.Context, sdk.Centre, sdk.Zone}
	var f sdk.Figure
	for range rapid.IntRange(1, 4).Draw(t, "curves") {
		c := sdk.Curve{Label: label.Draw(t, "label"), Style: rapid.SampledFrom(styles).Draw(t, "style")}
		n := rapid.IntRange(1, 30).Draw(t, "points")
		c.X, c.Y = rapid.SliceOfN(number, n, n).Draw(t, "x"), rapid.SliceOfN(number, n, n).Draw(t, "y")
		f.Curves = append(f.Curves, c)
	}
	for range rapid.IntRange(0, 3).Draw(t, "marks") {
		f.Points = append(f.Points, sdk.Point{Label: label.Draw(t, "label"), X: number.Draw(t, "x"), Y: number.Draw(t, "y")})
		f.Arrows = append(f.Arrows, sdk.Arrow{Label: label.Draw(t, "label"), X: number.Draw(t, "x"), Y: number.Draw(t, "y"), ToX: number.Draw(t, "tox"), ToY: number.Draw(t, "toy")})
		f.Couples = append(f.Couples, sdk.Couple{Label: label.Draw(t, "label"), X: number.Draw(t, "x"), Y: number.Draw(t, "y"), Counterclockwise: rapid.Bool().Draw(t, "turn")})
		kinds := []sdk.SupportKind{sdk.WallLeft, sdk.WallRight, sdk.Pin, sdk.Roller}
		f.Supports = append(f.Supports, sdk.Support{Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), X: number.Draw(t, "x"), Y: number.Draw(t, "y")})
	}
	for range rapid.IntRange(0, 3).Draw(t, "sizes") { // also if the plot cannot have them
		sides := []sdk.Side{sdk.Between, sdk.Below, sdk.Above, sdk.OnLeft, sdk.OnRight}
		f.Dimensions = append(f.Dimensions, sdk.Dimension{Label: "size", Symbol: rapid.SampledFrom([]string{"b", "t_w", `\frac{a}{b}`}).Draw(t, "symbol"), Length: math.Abs(number.Draw(t, "length")),
			X: number.Draw(t, "x"), Y: number.Draw(t, "y"), ToX: number.Draw(t, "tox"), ToY: number.Draw(t, "toy"), Side: rapid.SampledFrom(sides).Draw(t, "side")})
		n := rapid.IntRange(1, 9).Draw(t, "places")
		f.Shapes = append(f.Shapes, sdk.Shape{Label: label.Draw(t, "label"), X: rapid.SliceOfN(number, n, n).Draw(t, "x"), Y: rapid.SliceOfN(number, n, n).Draw(t, "y")})
	}
	f.Family = label.Draw(t, "family")
	units := rapid.SampledFrom([]string{"", "m", "N m", "m4", "s", "degC"})
	p := sdk.Plot{
		ID: "any", Title: "Any", Summary: label.Draw(t, "summary"), Down: rapid.Bool().Draw(t, "down"), ToScale: rapid.Bool().Draw(t, "to scale"),
		X: sdk.Axis{Label: "place", Symbol: "x", Unit: units.Draw(t, "unit")}, Y: sdk.Axis{Label: "height", Symbol: `\sigma_x`, Unit: units.Draw(t, "unit")},
	}
	p.X.Log, p.Y.Log = rapid.Bool().Draw(t, "log"), rapid.Bool().Draw(t, "log") // also if the data do not fit
	return p, f
}

// A picture contains everything that an engine draws, and its ticks are 1, 2 or 5 times a power of ten apart. On a
// logarithmic axis the ratio of neighbouring ticks is constant, or ticks are multiples of powers of ten.
func TestAnyFigure(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p, f := randomPlot(rt)
		if err := f.Check(); err != nil {
			rt.Fatal(err)
		}
		got := check(t, plot.SVG(&p, &f, nil))
		for side, ticks := range got.ticks {
			if !p.ToScale && (side == "middle" && p.X.Log || side == "end" && p.Y.Log) {
				for i, v := range ticks {
					if i > 0 && v <= ticks[i-1] {
						rt.Fatalf("ticks %v at %s", ticks, side)
					}
					decade := math.Floor(math.Log10(v) + 1e-9)
					m := math.Round(v/math.Pow(10, decade)*1e6) / 1e6
					if !slices.Contains([]float64{1, 2, 3, 4, 5, 6, 8}, m) {
						rt.Fatalf("ticks %v at %s", ticks, side)
					}
				}
				continue
			}
			for i := 1; i < len(ticks); i++ {
				step := math.Abs(ticks[i] - ticks[i-1])
				power := math.Pow(10, math.Floor(math.Log10(step)+1e-6))
				if m := step / power; math.Abs(m-1) > 1e-3 && math.Abs(m-2) > 1e-3 && math.Abs(m-5) > 1e-3 {
					rt.Fatalf("ticks %v at %s", ticks, side)
				}
			}
		}
		for _, list := range [][]float64{got.ticks["middle"], got.ticks["end"]} {
			if len(list) > 20 {
				rt.Fatalf("%d ticks", len(list))
			}
		}
		header, rows := plot.Rows(&p, &f, 12)
		for _, row := range rows {
			if len(row) != len(header) {
				rt.Fatalf("%d cells under %d heads", len(row), len(header))
			}
		}
		if err := plot.CSV(io.Discard, &p, &f); err != nil {
			rt.Fatal(err)
		}
	})
}

// Every picture has a name, and two pictures of a page share no id.
func TestIDs(t *testing.T) {
	s := samples()[0]
	first, second := check(t, plot.SVG(&s.plot, &s.figure, nil)), check(t, plot.SVG(&s.plot, &s.figure, &plot.Options{ID: `b"<`, Width: 400}))
	if diff := cmp.Diff([]string{"chart-sketch-title", "chart-sketch-desc", `b"<-title`, `b"<-desc`}, append(first.ids, second.ids...)); diff != "" {
		t.Error(diff)
	}
	if first.width != 560 || second.width != 400 {
		t.Errorf("widths %g and %g", first.width, second.width)
	}
	svg := string(plot.SVG(&s.plot, &s.figure, nil))
	if !strings.Contains(svg, `role="img" aria-labelledby="chart-sketch-title" aria-describedby="chart-sketch-desc"`) {
		t.Errorf("no name: %.300s", svg)
	}
}

// Names from engines are always text.
func TestHostileNames(t *testing.T) {
	for _, s := range samples() {
		if s.name != "hostile_names" {
			continue
		}
		svg := string(plot.SVG(&s.plot, &s.figure, nil))
		if strings.Contains(svg, "<script") || strings.ContainsAny(svg, "\u202e\x00") {
			t.Error(svg)
		}
		if !strings.Contains(svg, "&lt;script&gt;alert(&#34;1&#34;)&lt;/script&gt;") {
			t.Error("the name of the curve is not there for the script")
		}
	}
}

// A picture of a line of 101 points is small.
func TestSize(t *testing.T) {
	for _, s := range samples() {
		limit := map[string]int{"deflection": 6000, "shear": 7000, "moment": 7000, "response": 12000, "noise": 60000}[s.name]
		if size := len(plot.SVG(&s.plot, &s.figure, nil)); limit > 0 && size > limit {
			t.Errorf("%s: %d bytes", s.name, size)
		}
	}
}

// Simplify only removes places that are not visible.
func TestSimplify(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		step := rapid.Float64Range(-3, 3)
		var places [][2]float64
		x, y := 0.0, 0.0
		for range rapid.IntRange(1, 60).Draw(t, "n") {
			x, y = x+math.Round(step.Draw(t, "dx")), y+step.Draw(t, "dy")/4
			places = append(places, [2]float64{x, y})
		}
		kept := plot.Simplify(places)
		if kept[0] != 0 || kept[len(kept)-1] != len(places)-1 || !slices.IsSorted(kept) {
			t.Fatalf("kept %v of %d", kept, len(places))
		}
		for _, p := range places {
			least := math.Inf(1)
			for i := range kept {
				least = min(least, distance(p, places[kept[max(0, i-1)]], places[kept[i]]))
			}
			if least > 0.56 { // half a pixel, where several are in a column
				t.Fatalf("%v is %g from the line through %v of %v", p, least, kept, places)
			}
		}
	})
}

// distance returns the distance of a place from the segment from a to b.
func distance(p, a, b [2]float64) float64 {
	dx, dy := b[0]-a[0], b[1]-a[1]
	along := 0.0
	if n := dx*dx + dy*dy; n > 0 {
		along = min(1, max(0, ((p[0]-a[0])*dx+(p[1]-a[1])*dy)/n))
	}
	return math.Hypot(p[0]-a[0]-along*dx, p[1]-a[1]-along*dy)
}

func BenchmarkSVG(b *testing.B) {
	for _, s := range samples() {
		if s.name == "sketch" || s.name == "deflection" || s.name == "response" || s.name == "noise" {
			b.Run(s.name, func(b *testing.B) {
				for b.Loop() {
					plot.SVG(&s.plot, &s.figure, nil)
				}
			})
		}
	}
}
