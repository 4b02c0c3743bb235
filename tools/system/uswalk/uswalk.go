// Package uswalk finds units on pages that a reader of US units does not use. See [Walk].
package uswalk

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/units"
)

// Finding is a number in a unit that is not a US unit, although its quantity has one.
type Finding struct {
	Page string // path and query
	Kind string // the part of the page, such as form or steps
	Text string // the number with its unit
}

// String implements fmt.Stringer.
func (f Finding) String() string { return f.Kind + ": " + f.Text + " on " + f.Page }

// forbidden returns the texts of units that a page of the Spec must not show. People in the US have other units for their
// quantities.
func forbidden(spec *sdk.Spec) map[string]bool {
	wrong, right := map[string]bool{}, map[string]bool{}
	for _, quantity := range units.Quantities() {
		si := units.SI(quantity)
		for _, difference := range []bool{false, true} {
			q, ok := customary.Of(spec, si.ID, difference)
			if !ok || difference && si.Quantity != "temperature" {
				continue
			}
			us, others := shown(customary.US, q), append(shown(customary.SI, q), shown(customary.Metric, q)...)
			american := slices.ContainsFunc(us, func(id string) bool { return !slices.Contains(others, id) })
			for _, id := range append(others, us...) {
				if !american || slices.Contains(us, id) {
					right[formula.FormatUnit(id)] = true
				} else {
					wrong[formula.FormatUnit(id)] = true
				}
			}
		}
	}
	for text := range right {
		delete(wrong, text)
	}
	for id, text := range written { // texts of authors that are not converted
		if wrong[text] && !right[id] {
			wrong[id] = true
		}
	}
	return wrong
}

// shown returns the units in which a reader of the system sees and enters the quantity.
func shown(system customary.System, q customary.Quantity) (ids []string) {
	r := customary.NewReader(system)
	for x := 1e-12; x < 1e15; x *= 10 {
		ids = append(ids, r.Unit(q, x).ID)
	}
	ids = append(ids, customary.Preset(system, q).ID)
	slices.Sort(ids)
	return slices.Compact(ids)
}

// written are the texts of units as people read them, by the units as documents write them.
var written = func() map[string]string {
	texts := map[string]string{}
	for _, quantity := range units.Quantities() {
		for _, u := range units.Of(quantity) {
			texts[u.ID] = formula.FormatUnit(u.ID)
		}
	}
	return texts
}()

// unitTexts are the texts of all units, the longest first.
var unitTexts = func() (list []string) {
	for id, text := range written {
		list = append(list, id, text)
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return slices.Compact(list)
}()

var pattern = func() *regexp.Regexp {
	var parts []string
	for _, text := range unitTexts {
		parts = append(parts, regexp.QuoteMeta(text))
	}
	return regexp.MustCompile(`(?:[0-9][0-9.,]*(?: ?× ?10\^?[−-]?[0-9]+)?[ \x{a0}\x{202f}]?|\[)(` + strings.Join(parts, "|") + `)(?:$|[^\pL\pN²³⁴⁶·/⁻])`)
}()

// part matches a text whose next characters belong to a longer word, such as the id of a snapshot.
var part = regexp.MustCompile(`[\pL\pN/_-]$`)

// in returns the numbers with forbidden units in a text.
func in(text string, wrong map[string]bool) (found []string) {
	for _, at := range pattern.FindAllStringSubmatchIndex(text, -1) {
		if wrong[text[at[2]:at[3]]] && !(text[at[2]-1] <= '9' && part.MatchString(text[:at[0]])) {
			found = append(found, strings.TrimSpace(text[at[0]:at[3]]))
		}
	}
	return found
}

// kinds are the parts of pages by their class, id or element.
var kinds = []struct {
	kind string
	is   func(n *html.Node) bool
}{
	{"exact", hasAttribute("data-exact")}, // the numbers as they were computed
	{"exact", hasClass("others")},         // a list of other units
	{"exact", hasClass("source")},         // the published text of the document
	{"exact", hasElement("datalist")},     // names of table rows are designations of products by their standard, the same for all readers
	{"document", hasClass("grounds")}, {"document", hasClass("problem")}, {"document", hasClass("error")}, {"document", hasClass("limits")}, {"document", hasClass("assumptions")},
	{"preset", hasClass("preset")}, {"range", hasClass("range")},
	{"help", hasClass("help")}, {"hint", hasClass("hint")}, {"placeholder", hasElement("input")},
	{"steps", hasClass("steps")}, {"steps", hasClass("step")}, {"list", hasClass("listing")}, {"plot", hasElement("svg")},
	{"warning", hasClass("warnings")}, {"inputs", hasClass("given")},
	{"form", hasElement("form")}, {"study", hasClass("studies")}, {"rows", hasClass("many")}, {"about", hasClass("about")},
	{"sheet", hasClass("sheet")},
}

func hasClass(name string) func(*html.Node) bool {
	return func(n *html.Node) bool { return slices.Contains(strings.Fields(attribute(n, "class")), name) }
}

func hasElement(name string) func(*html.Node) bool {
	return func(n *html.Node) bool { return n.Data == name }
}

func hasAttribute(name string) func(*html.Node) bool {
	return func(n *html.Node) bool {
		return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
	}
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// inline are the elements that do not start a new line of text.
var inline = []string{"span", "a", "b", "i", "em", "sub", "sup", "code", "strong", "math", "mrow", "mi", "mn", "mo", "mtext", "msup", "msub", "mfrac", "text", "tspan", "time", "label"}

// Findings returns the findings of a page with the texts of forbidden units.
func Findings(page string, root *html.Node, wrong map[string]bool) (list []Finding) {
	var line strings.Builder
	kind := "page"
	end := func() {
		for _, text := range in(line.String(), wrong) {
			list = append(list, Finding{page, kind, text})
		}
		line.Reset()
	}
	var visit func(n *html.Node, at string)
	visit = func(n *html.Node, at string) {
		if n.Type == html.TextNode {
			line.WriteString(n.Data)
			return
		}
		if n.Data == "script" || n.Data == "style" || n.Data == "option" && !hasAttribute("selected")(n) && hasElement("select")(n.Parent) {
			return
		}
		own := at
		for _, k := range kinds {
			if n.Type == html.ElementNode && k.is(n) {
				own = k.kind
				break
			}
		}
		if own == "exact" {
			return
		}
		if strings.Contains(page, "/study?") {
			own = "study"
		}
		if strings.HasPrefix(page, "/s/") && own != "steps" && own != "document" {
			own = "snapshot"
		}
		breaks := n.Type == html.ElementNode && !slices.Contains(inline, n.Data)
		if breaks || own != at {
			end()
			kind = own
		}
		for _, a := range n.Attr {
			if slices.Contains([]string{"placeholder", "aria-label", "title"}, a.Key) || a.Key == "value" && n.Data == "input" && attribute(n, "type") == "text" {
				for _, text := range in(a.Val, wrong) {
					list = append(list, Finding{page, own, text})
				}
			}
		}
		if hasClass("unit")(n) && n.Data == "span" && wrong[strings.TrimSpace(textOf(n))] || n.Data == "option" && hasAttribute("selected")(n) && hasClass("unit")(n.Parent) && wrong[strings.TrimSpace(textOf(n))] {
			list = append(list, Finding{page, own, "unit " + strings.TrimSpace(textOf(n))})
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			visit(c, own)
		}
		if breaks || own != at {
			end()
			kind = at
		}
	}
	visit(root, "page")
	end()
	return list
}

func textOf(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		b.WriteString(textOf(c))
	}
	return b.String()
}

// walker gets pages.
type walker struct {
	base string
	spec *sdk.Spec
	not  map[string]bool
	list []Finding
	n    int
}

func (w *walker) get(path string) (*html.Node, error) {
	r, err := http.NewRequest(http.MethodGet, w.base+path, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "text/html")
	r.Header.Set("Accept-Language", "en-US")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK && !(resp.StatusCode/100 == 4 && strings.Contains(path, "/study?")) { // some studies are refused
		return nil, fmt.Errorf("GET %s: %s", path, resp.Status)
	}
	root, err := html.Parse(resp.Body)
	if err == nil {
		w.n++
		w.list = append(w.list, Findings(path, root, w.not)...)
	}
	return root, err
}

// share creates a snapshot of the result on a page, and returns its path.
func (w *walker) share(tool string, root *html.Node) (string, error) {
	var read struct{ Inputs string }
	at := find(root, func(n *html.Node) bool { return attribute(n, "id") == "slipstick-read" })
	if at == nil {
		return "", fmt.Errorf("the example of %s has no result", tool)
	}
	if err := json.Unmarshal([]byte(textOf(at)), &read); err != nil {
		return "", err
	}
	resp, err := http.Post(w.base+"/api/v1/share", "application/json", bytes.NewReader(fmt.Appendf(nil, `{"tool_id":%q,"inputs":%s}`, tool, read.Inputs)))
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	var made struct{ ID string }
	if err == nil {
		err = json.Unmarshal(body, &made)
	}
	if err == nil && made.ID == "" {
		err = fmt.Errorf("share of %s: %s %.200s", tool, resp.Status, body)
	}
	return "/s/" + made.ID, err
}

func find(n *html.Node, is func(*html.Node) bool) *html.Node {
	if is(n) {
		return n
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if found := find(c, is); found != nil {
			return found
		}
	}
	return nil
}

func link(root *html.Node, is func(text, href string) bool) string {
	n := find(root, func(n *html.Node) bool {
		return n.Data == "a" && is(strings.TrimSpace(textOf(n)), attribute(n, "href"))
	})
	if n == nil {
		return ""
	}
	return attribute(n, "href")
}

// Walk gets the pages of the calculator in US units: blank, example, study, rows and snapshot. It returns their findings and
// the number of pages.
func Walk(base string, spec *sdk.Spec, page string) ([]Finding, int, error) {
	w := &walker{base: base, spec: spec, not: forbidden(spec)}
	blank, err := w.get(page + "?units=us")
	if err != nil {
		return nil, w.n, err
	}
	if rows := link(blank, func(_, href string) bool { return strings.Contains(href, "/rows") }); rows != "" {
		if _, err := w.get(rows); err != nil {
			return nil, w.n, err
		}
	}
	example := link(blank, func(text, _ string) bool { return text == "Try an example" })
	if example == "" {
		return w.list, w.n, nil
	}
	root, err := w.get(example)
	if err != nil {
		return nil, w.n, err
	}
	if find(root, func(n *html.Node) bool { return attribute(n, "id") == "slipstick-read" }) == nil {
		w.list = append(w.list, Finding{example, "result", "no result"})
		return w.list, w.n, nil
	}
	snapshot, err := w.share(spec.Tool, root)
	if err == nil {
		_, err = w.get(snapshot + "?units=us")
	}
	if err != nil {
		return nil, w.n, err
	}
	study := link(root, func(_, href string) bool { return strings.Contains(href, "/study?") })
	if study == "" {
		return w.list, w.n, nil
	}
	asked, err := w.get(study)
	if err != nil {
		return nil, w.n, err
	}
	output := find(asked, func(n *html.Node) bool { return n.Data == "select" && attribute(n, "name") == "study.output" })
	for _, kind := range []string{"sensitivity", "sweep"} {
		query := url.Values{"study.kind": {kind}}
		if kind == "sensitivity" {
			query.Set("study.change", "0.01")
		}
		if output != nil {
			query.Set("study.output", attribute(find(output, hasElement("option")), "value"))
		}
		if kind == "sweep" {
			for _, name := range []string{"vary", "first", "last", "count"} {
				n := find(asked, func(n *html.Node) bool { return attribute(n, "name") == "study."+name })
				if n == nil {
					continue
				}
				value := attribute(n, "value")
				if n.Data == "select" {
					value = attribute(find(n, hasElement("option")), "value")
				}
				query.Set("study."+name, value)
			}
			if query.Get("study.first") == "" {
				continue
			}
		}
		if _, err := w.get(study + "&" + query.Encode()); err != nil {
			return nil, w.n, err
		}
	}
	return w.list, w.n, nil
}

// Pages returns the Specs of all calculators of a server, with the parts that decide on units, and the paths of their pages.
func Pages(base string) (specs []sdk.Spec, paths []string, err error) {
	resp, err := http.Get(base + "/api/v1/capabilities")
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	var listed struct {
		Capabilities []struct {
			ID   string `json:"capability_id"`
			Tool string `json:"tool"`
		} `json:"capabilities"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&listed); err != nil {
		return nil, nil, err
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, c := range listed.Capabilities {
		resp, err := client.Get(base + "/calc/-/" + c.Tool)
		if err != nil {
			return nil, nil, err
		}
		_ = resp.Body.Close()
		path := resp.Header.Get("Location")
		parts := strings.Split(path, "/")
		if len(parts) != 4 {
			return nil, nil, fmt.Errorf("the page of %s is at %q", c.ID, path)
		}
		specs, paths = append(specs, sdk.Spec{Capability: c.ID, Tool: c.Tool, Group: parts[2]}), append(paths, path)
	}
	return specs, paths, nil
}
