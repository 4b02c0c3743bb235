package site

var templates = Parse()

// Layout holds what every page has.
type Layout struct {
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

// Layout returns the layout of a page. The path is its canonical one, "" if it has none.
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

// FormulaFont returns the address of the font for formulas.
func (s *Site) FormulaFont() string { return s.Asset(fontData) }

// Asset returns the address of an asset.
func (s *Site) Asset(a Asset) string { return s.Link("/assets/" + a.name) }
