package page

import (
	"embed"
	"html/template"
)

//go:embed templates
var templateFiles embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"formatName": formatName,
}).ParseFS(templateFiles, "templates/*.html"))

// layout holds what every page has.
type layout struct {
	Root        string
	Title       string
	Description string
	Canonical   string // public address; "" for a page that is about a request
	Style, Icon string // addresses
	Script      string
	Styles      []string // further ones
	Scripts     []string
	Foot        string // of every page, when it is printed
	Font        string // address of the font for formulas, "" for a page without any
	Feed        string // address of the calculator's feed, "" for a page that is about none
}

// layout returns the layout of a page. The path is its canonical one, "" if it has none.
func (p *Pages) layout(title, description, path string, script asset) layout {
	l := layout{Root: p.root, Title: title, Description: description, Style: p.asset(styleCSS), Icon: p.asset(iconSVG)}
	if path != "" {
		l.Canonical = p.address(path)
	}
	if script.name != "" {
		l.Script = p.asset(script)
	}
	return l
}

// font returns the address of the font for formulas, "" if none of them needs it.
func (p *Pages) font(formulas []formulaText) string {
	for i := range formulas {
		if formulas[i].Math != "" {
			return p.asset(fontData)
		}
	}
	return ""
}

func (p *Pages) asset(a asset) string { return p.link("/assets/" + a.name) }
