// Package plot draws the [sdk.Figure] of an engine as [SVG] on the server. Its [Script] shows the numbers at the pointer.
// [Rows] and [CSV] return the numbers as tables, for people who prefer to read them.
//
// The SVG has no styles and no scripts, so a page with a strict policy can contain it. Its colours come from [CSS], by
// classes, and from the custom properties --ink, --muted, --rule, --accent, --paper and --series-1 to --series-4 of the
// page. Labels come from engines, and their authors can be attackers, so the package escapes every label.
package plot

import (
	_ "embed" // of CSS and Script
	"html/template"
	"strings"

	"github.com/slipstick/slipstick/sdk"
)

// CSS gives pictures their colours.
//
//go:embed plot.css
var CSS string

// Script shows the numbers of a picture at the pointer, and arrow keys move along its curves. It also serves pictures that
// a script adds to the page later.
//
//go:embed plot.js
var Script string

// Options change how a picture is drawn.
type Options struct {
	ID    string  // prefix of the ids in the SVG, unique in the page; "chart-" and the id of the plot if empty
	Width float64 // in CSS pixels; 560 if zero
}

// SVG draws a plot. The [sdk.Figure] must have passed its Check.
func SVG(p *sdk.Plot, f *sdk.Figure, o *Options) template.HTML {
	var options Options
	if o != nil {
		options = *o
	}
	if options.ID == "" {
		options.ID = "chart-" + p.ID
	}
	if options.Width == 0 {
		options.Width = 560
	}
	s := newScene(p, f, max(options.Width, 280))
	s.layout(0)
	if !s.labelled() {
		s.layout(s.legendRows())
	}
	s.draw()
	return template.HTML(s.document(options.ID)) // every text is escaped
}

// escape makes text safe between tags and in attributes.
func escape(text string) string {
	return template.HTMLEscapeString(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfffe || r == 0xffff {
			return ' ' // not permitted in XML, or changes the writing direction
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd")))
}

// document returns the whole element.
func (s *scene) document(id string) string {
	title, desc := escape(id)+"-title", escape(id)+"-desc"
	var b strings.Builder
	b.WriteString(`<svg class="plot" viewBox="0 0 ` + pixels(s.width) + " " + pixels(s.height) +
		`" width="` + pixels(s.width) + `" height="` + pixels(s.height) + `" role="img" aria-labelledby="` + title + `" aria-describedby="` + desc + `"` + s.mapping() + ">\n")
	b.WriteString(`<title id="` + title + `">` + escape(s.plot.Title) + "</title>\n")
	b.WriteString(`<desc id="` + desc + `">` + escape(s.describe()) + "</desc>\n")
	b.WriteString(s.out.String())
	b.WriteString("</svg>")
	return b.String()
}

// mapping returns attributes from which the script converts numbers to pixels, and names them.
func (s *scene) mapping() string {
	if !s.framed() {
		return ""
	}
	attribute := func(name, value string) string { return " data-" + name + `="` + escape(value) + `"` }
	to := func(a *axis) string {
		scale := (a.to - a.from) / (a.high - a.low)
		return brief(a.from-a.low*scale, 7) + " " + brief(scale, 7)
	}
	log := ""
	for _, a := range []*axis{s.x, s.y} {
		if a.log {
			log += map[bool]string{true: "x", false: "y"}[a == s.x]
		}
	}
	if log != "" {
		log = attribute("log", log)
	}
	return attribute("map", to(s.x)+" "+to(s.y)) + log + attribute("xname", s.x.name) + attribute("xunit", s.x.unit) +
		attribute("yname", s.y.name) + attribute("yunit", s.y.unit)
}

// describe describes the picture in words.
func (s *scene) describe() string {
	var b strings.Builder
	b.WriteString(s.plot.Summary)
	for _, p := range s.figure.Points {
		b.WriteString(" " + formatLabel(p.Label))
		if !hasNumber.MatchString(p.Label) {
			b.WriteString(": " + s.y.format(p.Y, 4) + " at " + s.x.format(p.X, 4))
		}
		b.WriteByte('.')
	}
	for _, d := range s.figure.Dimensions {
		b.WriteString(" " + s.size(&d) + ".")
	}
	for i := range s.figure.Shapes {
		if times := s.magnified(&s.figure.Shapes[i]); times > 0 {
			b.WriteString(" " + formatLabel(s.figure.Shapes[i].Label) + " drawn " + formatNumber(times, 1) + " times as large as it is.")
		}
	}
	return strings.TrimSpace(b.String())
}
