package plot_test

import (
	"bytes"
	"encoding/xml"
	"html/template"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/page/plot"
	"github.com/slipstick/slipstick/host/internal/page/plot/plottest"
	"github.com/slipstick/slipstick/sdk"
)

// written is a text of a picture with the position of its first line.
type written struct {
	class, text, anchor string
	x, y                float64
}

func texts(t *testing.T, svg template.HTML) (list []written) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(string(svg)))
	within := 0
	for {
		token, err := d.Token()
		if err == io.EOF {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			if e.Name.Local == "text" {
				of := map[string]string{}
				for _, a := range e.Attr {
					of[a.Name.Local] = a.Value
				}
				at := written{class: of["class"], anchor: of["text-anchor"]}
				at.x, _ = strconv.ParseFloat(of["x"], 64)
				at.y, _ = strconv.ParseFloat(of["y"], 64)
				list = append(list, at)
				within++
			}
		case xml.EndElement:
			if e.Name.Local == "text" {
				within--
			}
		case xml.CharData:
			if within > 0 {
				list[len(list)-1].text += string(e)
			}
		}
	}
}

// All texts of a picture are readable at the width of a page and of a file: they meet no line and no other text. The curve of
// noise fills its picture.
func TestTextsMeetNothing(t *testing.T) {
	for _, s := range samples() {
		if s.name == "noise" {
			continue
		}
		for _, wide := range []float64{430, 560} {
			found, err := plottest.Collisions(string(plot.SVG(&s.plot, &s.figure, &plot.Options{Width: wide})))
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range found {
				t.Errorf("%s, %g wide: %s", s.name, wide, c)
			}
		}
	}
}

// A chart has the numbers of a printed chart: decades on the x axis, and multiples of decades on the y axis. Each curve of the
// family has its name at its end.
func TestChart(t *testing.T) {
	s := named(t, "moody")
	var along, up, family []string
	for _, a := range texts(t, plot.SVG(&s.plot, &s.figure, &plot.Options{Width: 430})) {
		switch {
		case a.class == "tick" && a.anchor == "middle":
			along = append(along, a.text)
		case a.class == "tick":
			up = append(up, a.text)
		case a.class == "label context":
			family = append(family, a.text)
		}
	}
	if got, want := strings.Join(along, " "), "10³ 10⁴ 10⁵ 10⁶ 10⁷ 10⁸"; got != want {
		t.Errorf("along %s, want %s", got, want)
	}
	if got, want := strings.Join(up, " "), "0.005 0.01 0.02 0.05 0.1 0.2"; got != want {
		t.Errorf("upwards %s, want %s", got, want)
	}
	if len(family) < 8 || family[0] != "0.05" {
		t.Errorf("family %s", family)
	}
	if header, rows := plot.Rows(&s.plot, &s.figure, 25); slices.ContainsFunc(rows, func(row []string) bool { return row[0] == "0.05" || row[0] == "Transition" }) || header[0] != "Curve" {
		t.Errorf("the table has numbers of the family: %v", rows)
	}
	var b bytes.Buffer
	if err := plot.CSV(&b, &s.plot, &s.figure); err != nil || !strings.Contains(b.String(), "relative roughness 0.05,") {
		t.Errorf("%v: %.200s", err, b.String())
	}
}

// Readers who cannot see the picture find its sizes in the text of the picture, in its table and in its file.
func TestSizesInWords(t *testing.T) {
	s := named(t, "i_section")
	svg := string(plot.SVG(&s.plot, &s.figure, nil))
	if want := "Flange width: 0.2\u00a0m. Depth: 0.3\u00a0m. Flange thickness: 0.015\u00a0m. Web thickness: 0.012\u00a0m.</desc>"; !strings.Contains(svg, want) {
		t.Errorf("the description lacks %s: %.900s", want, svg)
	}
	if strings.Contains(svg, "data-map") || strings.Contains(svg, `class="tick"`) {
		t.Error("a drawing with sizes has axes")
	}
	_, rows := plot.Rows(&s.plot, &s.figure, 9)
	if got, want := rows[len(rows)-1], []string{"", "", "Web thickness: 0.012\u00a0m"}; !slices.Equal(got, want) {
		t.Errorf("the table ends with %q, want %q", got, want)
	}
	f := sdk.Figure{
		Curves:     []sdk.Curve{{Label: "rod", Style: sdk.Member, X: []float64{0}, Y: []float64{0}}},
		Dimensions: []sdk.Dimension{{Label: "=length", Length: 5, X: 0, Y: 1, ToX: 5, ToY: 1}},
		Shapes:     []sdk.Shape{{Label: "bent", X: []float64{0, 5}, Y: []float64{0, -0.1}}},
	}
	var b bytes.Buffer
	if err := plot.CSV(&b, &sdk.Plot{X: sdk.Axis{Label: "x", Unit: "m"}, Y: sdk.Axis{Label: "y", Unit: "m"}}, &f); err != nil {
		t.Fatal(err)
	}
	want := "x [m],rod [m],dimension,from x [m],from y [m],to x [m],to y [m],length [m],x [m],bent [m]\n0,0,'=length,0,1,5,1,5,0,0\n,,,,,,,,5,-0.1\n"
	if got := strings.ReplaceAll(b.String(), "\r", ""); got != want {
		t.Errorf("the file is %q, want %q", got, want)
	}
}

// A bent member has the scale that the picture names, and bends downwards for positive displacements.
func TestShapeScale(t *testing.T) {
	for _, most := range []float64{-0.008, 3e-7, 1, 400} {
		s := named(t, "sketch_shape")
		s.figure.Shapes = []sdk.Shape{{Label: "deflected shape", X: []float64{0, 2, 4}, Y: []float64{0, most, 0}}}
		svg := string(plot.SVG(&s.plot, &s.figure, nil))
		said := regexp.MustCompile(`Deflected shape ×\x{a0}([^<]+)<`).FindStringSubmatch(svg)
		drawn := regexp.MustCompile(`class="shape" d="M([0-9.]+) ([0-9.]+)L([0-9.]+) ([0-9.]+) ([0-9.]+) `).FindStringSubmatch(svg)
		if said == nil || drawn == nil {
			t.Fatalf("%g: %s", most, svg)
		}
		at := numbers(t, strings.Join(drawn[1:], " "))
		times, err := strconv.ParseFloat(plainTick.Replace(said[1]), 64)
		if err != nil {
			t.Fatal(err)
		}
		perMetre := (at[2] - at[0]) / 2
		if down := at[3] - at[1]; math.Abs(down+most*times*perMetre) > 0.11 || math.Abs(down) > 34.1 || math.Abs(down) < 13 {
			t.Errorf("%g m, said to be drawn %g times as large, are %g pixels of %g each", most, times, down, perMetre)
		}
		if !strings.Contains(svg, "Deflected shape drawn "+said[1]+" times as large as it is.</desc>") {
			t.Errorf("%g: the description does not say so: %s", most, svg)
		}
	}
	s := named(t, "sketch_shape")
	s.figure.Shapes[0].Y = make([]float64, 5)
	if svg := string(plot.SVG(&s.plot, &s.figure, nil)); strings.Contains(svg, "hape") {
		t.Errorf("a beam that does not move is drawn bent: %s", svg)
	}
}
