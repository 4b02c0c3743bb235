package plot

import (
	"html/template"
	"math"
	"strings"
)

// Bar is one bar of a chart. It extends across the line at the base of the chart.
type Bar struct {
	Label     string
	Low, High float64 // values at the ends, in any order
	At, To    string  // texts at the ends
}

// Bars is a chart of horizontal bars, such as a tornado chart.
type Bars struct {
	ID, Title, Summary string
	Base               float64 // value at the line
	BaseText           string  // text at the line
	List               []Bar
}

// Sizes of a chart of bars, in CSS pixels.
const (
	barHeight = 18
	barApart  = 12
	barMargin = 84 // for the text at an end
)

// SVG draws the chart. The first part of a bar, from Base to Low, has another colour than the second.
func (c *Bars) SVG(o *Options) template.HTML {
	total := 560.0
	if o != nil && o.Width > 0 {
		total = o.Width
	}
	names := 0.0
	for _, b := range c.List {
		names = max(names, width(formatLabel(b.Label)))
	}
	names = min(names, total/3)
	left, right := names+12+barMargin, total-barMargin
	least, most := c.Base, c.Base
	for _, b := range c.List {
		least, most = min(least, b.Low, b.High), max(most, b.Low, b.High)
	}
	place := func(x float64) float64 {
		from, to := least, most
		if math.IsInf(to-from, 0) { // the difference of halves is finite
			x, from, to = x/2, from/2, to/2
		}
		if to == from {
			return (left + right) / 2
		}
		return left + (x-from)/(to-from)*(right-left)
	}
	top := 26.0
	high := top + float64(len(c.List))*(barHeight+barApart) + 4
	id := escape("chart-" + c.ID)
	var b strings.Builder
	b.WriteString(`<svg class="plot" viewBox="0 0 ` + pixels(total) + " " + pixels(high) + `" width="` + pixels(total) + `" height="` + pixels(high) +
		`" role="img" aria-labelledby="` + id + `-title" aria-describedby="` + id + `-desc">` + "\n")
	b.WriteString(`<title id="` + id + `-title">` + escape(c.Title) + "</title>\n")
	b.WriteString(`<desc id="` + id + `-desc">` + escape(c.Summary) + "</desc>\n")
	writeText := func(class, anchor string, x, y float64, text string) {
		b.WriteString(`<text class="` + class + `" x="` + pixels(x) + `" y="` + pixels(y) + `" text-anchor="` + anchor + `">` + escape(text) + "</text>\n")
	}
	for i, bar := range c.List {
		y := top + float64(i)*(barHeight+barApart)
		writeText("label", "start", 0, y+barHeight/2+4.5, shorten(formatLabel(bar.Label), names+10))
		for k, end := range []float64{bar.Low, bar.High} {
			from, to := place(math.Min(end, c.Base)), place(math.Max(end, c.Base))
			if to-from > 0 {
				class := []string{"bar s1", "bar s2"}[k]
				b.WriteString(`<path class="` + class + `" d="M` + pixels(from) + " " + pixels(y) + "H" + pixels(to) + "V" + pixels(y+barHeight) + "H" + pixels(from) + `Z"/>` + "\n")
			}
		}
		first, second := bar.At, bar.To
		if bar.Low > bar.High {
			first, second = second, first
		}
		writeText("tick", "end", place(min(bar.Low, bar.High, c.Base))-5, y+barHeight/2+4.5, first)
		writeText("tick", "start", place(max(bar.Low, bar.High, c.Base))+5, y+barHeight/2+4.5, second)
	}
	at := pixels(place(c.Base))
	b.WriteString(`<path class="axis" d="M` + at + " " + pixels(top-6) + "V" + pixels(high) + `"/>` + "\n")
	writeText("value", "middle", place(c.Base), top-11, c.BaseText)
	b.WriteString("</svg>")
	return template.HTML(b.String()) // every text is escaped
}
