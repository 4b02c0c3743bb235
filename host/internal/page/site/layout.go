package site

var templates = Parse()

// Layout holds the values that every page has.
type Layout struct {
	Root        string
	Title       string
	Description string
	Canonical   string // public URL; "" for a page about one request
	Style, Icon string // URLs
	Script      string
	Styles      []string // further style sheets
	Scripts     []string
	Foot        string // foot of every printed page
	Font        string // URL of the font for formulas, "" for a page without formulas
	Feed        string // URL of the calculator's feed, "" for a page without a calculator
}

// Layout returns the layout of a page. The path is the canonical one, "" if the page has none.
func (s *Site) Layout(title, description, path string, script Asset) Layout {
	l := Layout{Root: s.Root, Title: title, Description: description, Style: s.Asset(styleCSS), Icon: s.Asset(iconSVG)}
	if path != "" {
		l.Canonical = s.Address(path)
	}
	if script.name != "" {
		l.Script = s.Asset(script)
	}
	return l
}

// FormulaFont returns the URL of the font for formulas.
func (s *Site) FormulaFont() string { return s.Asset(fontData) }

// Asset returns the URL of an asset.
func (s *Site) Asset(a Asset) string { return s.Link("/assets/" + a.name) }
