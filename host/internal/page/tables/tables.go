package tables

import (
	"fmt"
	"html/template"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/page/show"
	"github.com/slipstick/slipstick/host/internal/page/site"
	"github.com/slipstick/slipstick/host/internal/page/trust"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/preset"
	"github.com/slipstick/slipstick/versions"
)

// rowKey is the key of the query that names a row of a table.
const rowKey = "row"

// Queries of table pages.
var (
	tablesQuery = web.Query{Parameters: []web.Parameter{{Name: site.QuestionKey, Many: true}}, Others: web.Foreign}
	tableQuery  = web.Query{Parameters: append([]web.Parameter{{Name: site.QuestionKey, Many: true}, {Name: rowKey}}, web.PinParameters...), Others: web.Foreign}
)

// tablesPage lists the published tables, or the results of a search in their rows.
type tablesPage struct {
	site.Layout
	Question string
	Tables   []tableCard
	Hits     []rowHit
}

// tableCard is one table in a list.
type tableCard struct {
	Title, Summary, Path string
	Rows                 int
	Version              string
}

// rowHit is a row in the results of a search.
type rowHit struct{ Name, Table, Path string }

// tablePage is one table, or a row of it.
type tablePage struct {
	site.Layout
	Heading  string
	Summary  string
	Question string
	Keyed    bool
	Header   []tableColumn
	Rows     []shownRow
	Row      *shownRow // the row that the query names, nil if none
	Picture  template.HTML
	Sources  []preset.Source
	Formula  string
	Between  string // how values between rows are interpolated
	Version  string
	Current  string
	Digest   string
	Signed   []string
	Versions []trust.VersionState
	CSV      string
	Path     string
}

// tableColumn is a column in the head of a table.
type tableColumn struct {
	Label, Unit, Doc string
	Symbol           template.HTML
}

// shownRow is a row of a table.
type shownRow struct {
	Key, Name, Path string
	Cells           []shownCell
}

// shownCell is a table value with its source.
type shownCell struct {
	Label, Text, Unit, Source string
	Others                    []string
}

// maxRowHits is the maximum number of rows in the results of a search.
const maxRowHits = 50

// getTables answers GET /tables.
func (p *Pages) getTables(w http.ResponseWriter, r *http.Request) error {
	if err := site.CheckLength(r); err != nil {
		return err
	}
	view := &tablesPage{Layout: p.Layout("Tables", "Materials, sections, pipes, wires and fluids. Each value has its source.", "/tables", site.Asset{})}
	view.Question = strings.ToValidUTF8(strings.TrimSpace(r.URL.Query().Get(site.QuestionKey)), "")
	for _, e := range p.Service.Catalog().Tables() {
		shown := e.ShownTable()
		if shown == nil {
			continue
		}
		t := shown.Table
		path := p.Link("/tables/" + e.ID)
		view.Tables = append(view.Tables, tableCard{t.Title, t.Summary, path, len(t.Rows), shown.Version})
		for i := range t.Rows {
			if row := &t.Rows[i]; view.Question != "" && row.Key != "" && rowMatches(row, view.Question) && len(view.Hits) < maxRowHits {
				view.Hits = append(view.Hits, rowHit{row.Name, t.Title, path + "?row=" + url.QueryEscape(row.Key)})
			}
		}
	}
	html, err := templates.Execute("tables", view)
	return site.WriteCacheable(w, r, html, err)
}

// rowMatches reports whether a row has each word of a question in its names.
func rowMatches(row *preset.Row, question string) bool {
	names := preset.Fold(row.Key + " " + row.Name)
	return strings.Contains(names, preset.Fold(question)) ||
		!slices.ContainsFunc(strings.Fields(question), func(word string) bool { return !strings.Contains(names, preset.Fold(word)) })
}

// getTable answers GET /tables/{id}.
func (p *Pages) getTable(w http.ResponseWriter, r *http.Request) error {
	if err := site.CheckLength(r); err != nil {
		return err
	}
	catalog := p.Service.Catalog()
	e, err := catalog.Table(r.PathValue("id"))
	if err != nil {
		return problem.New(problem.CodeNotFound, "Search for it in the list of tables.", "there is no table with this id")
	}
	pins, err := web.Pins(r)
	if err != nil {
		return err
	}
	web.Vary(w.Header(), versions.HeaderName)
	query := r.URL.Query()
	release, err := catalog.TableRelease(e.ID, pins)
	if err != nil {
		return err
	}
	view := p.tablePage(e, release)
	view.Question = strings.ToValidUTF8(strings.TrimSpace(query.Get(site.QuestionKey)), "")
	if key := query.Get(rowKey); key != "" {
		if err := view.show(p, release, key); err != nil {
			return err
		}
	}
	view.fill(p, release.Table)
	w.Header().Set(versions.HeaderName, release.Version)
	html, err := templates.Execute("tablepage", view)
	return site.WriteCacheable(w, r, html, err)
}

// tablePage returns the page of a table without its rows.
func (p *Pages) tablePage(e *catalog.Entry, r *catalog.Release) *tablePage {
	t := r.Table
	path := "/tables/" + t.ID
	v := &tablePage{
		Layout: p.Layout(t.Title, t.Summary, path, site.Asset{}), Heading: t.Title, Summary: t.Summary, Keyed: t.Interpolation == nil,
		Sources: t.Sources, Formula: t.Definition, Version: r.Version, Current: e.Current, Digest: r.Digest, Versions: trust.VersionsOf(e, r),
		CSV: p.Link("/api/v1/tables/" + t.ID + "/rows.csv?" + address.VersionKey + "=" + url.QueryEscape(r.Version)), Path: p.Link(path),
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		v.Header = append(v.Header, tableColumn{c.Label, formula.FormatUnit(c.Unit), c.Doc, show.SymbolOf(c.Symbol)})
	}
	for i := range r.Evidence {
		if s := r.Evidence[i].Signature; s != nil && r.Evidence[i].Counts {
			v.Signed = append(v.Signed, s.KeyID)
		}
	}
	if by := t.Argument(); by >= 0 {
		v.Between = "straight lines"
		if t.Interpolation.Kind == preset.Cubic {
			v.Between = "monotone cubics"
		}
		v.Between = fmt.Sprintf("Values between rows are interpolated with %s over %s, to six digits. There are no values before the first row or after the last row.", v.Between, strings.ToLower(t.Columns[by].Label))
	}
	return v
}

// fill adds the rows that the question asks for.
func (v *tablePage) fill(p *Pages, t *preset.Table) {
	for i := range t.Rows {
		if row := &t.Rows[i]; v.Question == "" || !v.Keyed || rowMatches(row, v.Question) {
			v.Rows = append(v.Rows, p.shownRow(t, row, v.versionQuery()))
		}
	}
}

// versionQuery returns the part of a query that keeps the version, "" if the page shows the current version.
func (v *tablePage) versionQuery() string {
	if v.Version == v.Current {
		return ""
	}
	return "&" + address.VersionKey + "=" + url.QueryEscape(v.Version)
}

func (p *Pages) shownRow(t *preset.Table, row *preset.Row, version string) shownRow {
	r := shownRow{Key: row.Key, Name: row.Name, Path: p.Link("/tables/"+t.ID) + "?row=" + url.QueryEscape(row.Key) + version}
	for k := range row.Cells {
		cell, c := &row.Cells[k], &t.Columns[k]
		one := shownCell{Label: c.Label, Text: cell.Literal, Unit: formula.FormatUnit(c.Unit)}
		if s := t.Source(cell.Source); s != nil && cell.Literal != "" {
			one.Source = s.String()
		}
		for _, o := range cell.Others {
			if s := t.Source(o.Source); s != nil {
				one.Others = append(one.Others, strings.TrimSpace(o.Literal+" "+one.Unit)+": "+s.String())
			}
		}
		r.Cells = append(r.Cells, one)
	}
	return r
}

// show adds the row with the key to the page.
func (v *tablePage) show(p *Pages, r *catalog.Release, key string) error {
	row, err := r.Table.Row(key)
	if err != nil || !v.Keyed {
		return problem.New(problem.CodeNotFound, "Search for it in the table.", "the table %s does not have this row", r.Table.Title)
	}
	shown := p.shownRow(r.Table, row, v.versionQuery())
	v.Row, v.Title = &shown, row.Name+" · "+r.Table.Title
	v.Picture = sectionPicture(r.Table, row)
	return nil
}

// sectionPicture draws the section of a row to scale, with its dimensions.
func sectionPicture(t *preset.Table, row *preset.Row) template.HTML {
	size := func(name string) (float64, string) {
		k := t.Column(name)
		if k < 0 || row.Cells[k].Literal == "" {
			return math.NaN(), ""
		}
		x, err := strconv.ParseFloat(row.Cells[k].Literal, 64)
		if err != nil {
			return math.NaN(), ""
		}
		return x, row.Cells[k].Literal + " " + t.Columns[k].Unit
	}
	switch t.Picture {
	case "i_section":
		return drawISection(size)
	case "tube":
		return drawTube(size)
	}
	return ""
}

// pictureSize is the length of the largest dimension in units of the drawing.
const pictureSize = 160.0

func drawISection(size func(string) (float64, string)) template.HTML {
	h, height := size("height")
	b, width := size("width")
	tw, web := size("web_thickness")
	tf, flange := size("flange_thickness")
	r, _ := size("root_radius")
	if math.IsNaN(r) {
		r = 0
	}
	scale := pictureSize / math.Max(h, b)
	if math.IsNaN(scale) || math.IsNaN(tw+tf) {
		return ""
	}
	h, b, tw, tf, r = h*scale, b*scale, tw*scale, tf*scale, r*scale
	var s strings.Builder
	x, y := 100.0, 20.0
	inner := (b-tw)/2 - r
	fmt.Fprintf(&s, `<svg class="section" viewBox="0 0 %.0f %.0f" role="img" aria-label="Section: height %s, width %s, web %s, flange %s">`, b+200, h+60, height, width, web, flange)
	fmt.Fprintf(&s, `<path class="body" d="M%.2f %.2fh%.2fv%.2fh%.2fa%.2f %.2f 0 0 0 %.2f %.2fv%.2fa%.2f %.2f 0 0 0 %.2f %.2fh%.2fv%.2fh%.2fv%.2fh%.2fa%.2f %.2f 0 0 0 %.2f %.2fv%.2fa%.2f %.2f 0 0 0 %.2f %.2fh%.2fz"/>`,
		x, y, b, tf, -inner, r, r, -r, r, h-2*tf-2*r, r, r, r, r, inner, tf, -b, -tf, inner, r, r, r, -r, -(h - 2*tf - 2*r), r, r, -r, -r, -inner)
	dimension(&s, x-14, y, x-14, y+h, "h = "+height, "end", x-20, y+h/2)
	dimension(&s, x, y+h+14, x+b, y+h+14, "b = "+width, "middle", x+b/2, y+h+30)
	fmt.Fprintf(&s, `<text x="%.2f" y="%.2f">t<tspan class="index">f</tspan> = %s</text>`, x+b+8, y+tf/2+4, flange)
	fmt.Fprintf(&s, `<text x="%.2f" y="%.2f">t<tspan class="index">w</tspan> = %s</text></svg>`, x+b/2+tw/2+8, y+h/2+4, web)
	return template.HTML(s.String()) // the registry has checked all numbers
}

func drawTube(size func(string) (float64, string)) template.HTML {
	d, outside := size("outside_diameter")
	t, wall := size("wall_thickness")
	if math.IsNaN(d) || math.IsNaN(t) || d <= 2*t {
		return ""
	}
	scale := pictureSize / d
	var s strings.Builder
	c := 20 + pictureSize/2
	fmt.Fprintf(&s, `<svg class="section" viewBox="0 0 %.0f %.0f" role="img" aria-label="Section: outside diameter %s, wall %s">`, pictureSize+140, pictureSize+60, outside, wall)
	fmt.Fprintf(&s, `<circle class="body" cx="%.2f" cy="%.2f" r="%.2f"/><circle class="hole" cx="%.2f" cy="%.2f" r="%.2f"/>`, c, c, d*scale/2, c, c, (d/2-t)*scale)
	dimension(&s, 20, 34+pictureSize, 20+pictureSize, 34+pictureSize, "D = "+outside, "middle", c, 50+pictureSize)
	fmt.Fprintf(&s, `<text x="%.2f" y="%.2f">t = %s</text></svg>`, 30+pictureSize, c+4, wall)
	return template.HTML(s.String())
}

// dimension draws a line with ticks and its text.
func dimension(s *strings.Builder, x1, y1, x2, y2 float64, text, anchor string, x, y float64) {
	dx, dy := 4.0, 0.0
	if y1 == y2 {
		dx, dy = 0, 4
	}
	fmt.Fprintf(s, `<path class="dimension" d="M%.2f %.2fL%.2f %.2fM%.2f %.2fL%.2f %.2fM%.2f %.2fL%.2f %.2f"/>`, x1, y1, x2, y2, x1-dx, y1-dy, x1+dx, y1+dy, x2-dx, y2-dy, x2+dx, y2+dy)
	fmt.Fprintf(s, `<text x="%.2f" y="%.2f" text-anchor="%s">%s</text>`, x, y, anchor, text)
}
