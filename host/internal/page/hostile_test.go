package page_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
)

// attacks try to escape from every context of a page.
var attacks = []string{
	`<script>alert(1)</script>`, `</script><script>alert(1)</script>`, `"><svg onload=alert(1)>`, `' autofocus onfocus=alert(1) x='`,
	`<!--`, `--><img src=x onerror=alert(1)>`, `</textarea><img src=x onerror=alert(1)>`, `</title><script>alert(1)</script>`,
	`javascript:alert(1)`, `data:text/html,<script>alert(1)</script>`, `</template><script>alert(1)</script>`, `</style><script>`,
	"\u2028alert(1)//", "\u2029x", `\u003cscript\u003e`, `{{.}}`, `{{template "sheet"}}`, `${alert(1)}`, `&lt;script&gt;`, `<math><mtext><script>alert(1)</script>`,
	`<a href="javascript:alert(1)">`, "`onclick=alert(1)", `]]><script>`, `<iframe srcdoc="<script>alert(1)</script>">`, `<base href=//evil.example/>`,
	`<meta http-equiv=refresh content=0;url=//evil.example>`, `<form action=//evil.example><input name=x>`, `"style="x:expression(1)"`,
}

// shape returns the elements and attributes of a page, which an unescaped text could change.
func shape(a answer) []string {
	var list []string
	for _, n := range a.all(func(*html.Node) bool { return true }) {
		one := n.Data
		for _, at := range n.Attr {
			one += " " + at.Key
			if slices.Contains([]string{"href", "src", "action", "formaction"}, at.Key) {
				path, _, _ := strings.Cut(at.Val, "?")
				one += "=" + path
			}
		}
		list = append(list, one)
	}
	return list
}

// A page has the same elements and attributes with any text in a key or a value as with a harmless text.
func TestEscaping(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	s := newSite(t)
	fields := []string{"length", "mode", "phase", "grade", "wet", "count", "note", "factor", "data", "layers", "corners", "point_load.unit", "calculation_version", "v", "other"}
	ask := func(field, text string) answer {
		q := url.Values{"mode": {"hard"}, "length": {"2"}, "point_load": {"3"}, "note": {"x"}}
		q.Set(field, text)
		return s.get(t, shelf+"?"+q.Encode())
	}
	for _, field := range fields {
		harmless := shape(ask(field, "harmless text"))
		for _, attack := range attacks {
			a := ask(field, attack)
			if a.status >= 500 {
				t.Errorf("%s=%s: status %d", field, attack, a.status)
			}
			if field == "layers" || field == "corners" { // a table with as many controls
				harmless = shape(ask(field, strings.Map(func(r rune) rune {
					if strings.ContainsRune(" ,;\t\r\n", r) {
						return r
					}
					return 'z'
				}, attack)))
			}
			if got := shape(a); !slices.Equal(got, harmless) {
				t.Errorf("%s=%s changes the page:\n%v", field, attack, difference(harmless, got))
			}
			if strings.ContainsAny(attack, "<>") && strings.Contains(a.text, attack) {
				t.Errorf("%s=%s stands in the page as it is", field, attack)
			}
		}
	}
	harmless := shape(s.get(t, shelf+"?"+good+"&key=1"))
	for _, attack := range attacks {
		if got := shape(s.get(t, shelf+"?"+good+"&"+url.QueryEscape(attack)+"="+url.QueryEscape(attack))); !slices.Equal(got, harmless) {
			t.Errorf("the key %s changes the page", attack)
		}
	}
}

func difference(want, got []string) []string {
	var list []string
	for _, one := range got {
		if !slices.Contains(want, one) {
			list = append(list, one)
		}
	}
	return list
}

// Search, URLs and problems escape the texts that they repeat.
func TestEscapingOfOtherPages(t *testing.T) {
	s := newSite(t)
	search := shape(s.get(t, "/?q=zzzzzzzz"))
	missing := shape(s.get(t, "/calc/beams/zzzzzzzz"))
	for _, attack := range attacks {
		if got := shape(s.get(t, "/?q="+url.QueryEscape(attack+" zzzzzzzz"))); len(difference(search, got)) > 0 && !slices.Contains(got, "li data-words") {
			t.Errorf("the question %s changes the page: %v", attack, difference(search, got))
		}
		if strings.ContainsAny(attack, "/?") {
			continue
		}
		if got := shape(s.get(t, "/calc/beams/"+attack)); len(difference(missing, got)) > 0 {
			t.Errorf("the address %s changes the page: %v", attack, difference(missing, got))
		}
		failure, err := s.pages.Failure(problem.New(problem.CodeNotFound, attack, "%s", attack))
		if err != nil || strings.ContainsAny(attack, "<>") && strings.Contains(string(failure), attack) {
			t.Errorf("the problem %s stands in the page as it is (%v)", attack, err)
		}
	}
}

// Every page only loads and runs resources that its policy allows, and all of them exist.
func TestPolicy(t *testing.T) {
	s := newSite(t)
	const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	for _, path := range []string{"/", "/?q=shelf", "/calc/beams", shelf, shelf + "?" + good, shelf + "?length=x", "/calc/x/y"} {
		a := s.get(t, path)
		for name, want := range map[string]string{
			"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff",
			"Referrer-Policy": "strict-origin-when-cross-origin", "Content-Type": "text/html; charset=utf-8",
		} {
			if got := a.header.Get(name); got != want {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
		checkSelfContained(t, s, path, a)
	}
}

// checkSelfContained refuses inline code, and loads all resources of a page.
func checkSelfContained(t *testing.T, s *site, path string, a answer) {
	t.Helper()
	for _, n := range a.all(func(*html.Node) bool { return true }) {
		if n.Data == "style" || n.Data == "script" && attr(n, "src") == "" && !strings.HasPrefix(attr(n, "type"), "application/") {
			t.Errorf("%s: an inline %s", path, n.Data)
		}
		for _, at := range n.Attr {
			if at.Key == "style" || strings.HasPrefix(at.Key, "on") {
				t.Errorf("%s: the attribute %s of %s", path, at.Key, n.Data)
			}
		}
		file := attr(n, "src")
		if rel := attr(n, "rel"); n.Data == "link" && rel != "canonical" && rel != "alternate" {
			file = attr(n, "href")
		}
		if file == "" {
			continue
		}
		if got := s.get(t, file); got.status != 200 || got.header.Get("Cache-Control") != "public, max-age=31536000, immutable" {
			t.Errorf("%s: %s is answered with %d", path, file, got.status)
		}
	}
}

// A complete compressed page is small.
func TestSize(t *testing.T) {
	s := newSite(t)
	const most = 50_000
	for _, path := range []string{"/", shelf, shelf + "?" + good} {
		a := s.get(t, path, "Accept-Encoding", "br, gzip;q=0.8")
		if a.header.Get("Content-Encoding") != "gzip" || a.header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s is not compressed", path)
		}
		if size := a.header.Get("Content-Length"); len(size) > 5 || size > "50000" && len(size) == 5 {
			t.Errorf("%s has %s bytes, more than %d", path, size, most)
		}
	}
	for _, accepted := range []string{"", "gzip;q=0", "br", "identity"} {
		if a := s.get(t, shelf, "Accept-Encoding", accepted); a.header.Get("Content-Encoding") != "" {
			t.Errorf("compressed for who accepts %q", accepted)
		}
	}
}

// Reading a query never fails with an internal error. The envelope can judge the inputs, and a query written from them gives
// the same inputs.
func FuzzQuery(f *testing.F) {
	for _, q := range []string{
		good, "length=1e+3", "length=%zz", "layers=0.1+a;0.2&corners=1,2;3,4", "length=2&L=2&length=2", "data=1,2;3%0A4", "a=%ff&note=%00",
		"length.unit=ft&length=1&L.unit=in", "mode=metal&wet=perhaps&count=1.5&v=1&calculation_version=x", "factor=1e-400&position=-0",
	} {
		f.Add(q)
	}
	spec := engine("1.0.0", 1).Spec()
	f.Fuzz(func(t *testing.T, raw string) {
		read := address.ReadQuery(&spec, raw)
		inputs, query := read.Inputs(), read.Query()
		if read.Faults() != nil {
			return
		}
		values, conversions, err := request.Read(&spec, inputs)
		if err != nil {
			return
		}
		reread := address.ReadQuery(&spec, query)
		rereadInputs, repeated, fault := reread.Inputs(), reread.Query(), reread.Faults()
		if fault != nil || repeated != query {
			t.Fatalf("%q gives the query %q, and that %q (%v)", raw, query, repeated, fault)
		}
		same, sameConversions, err := request.Read(&spec, rereadInputs)
		if err != nil || !slices.EqualFunc(values, same, value.Value.Equal) || !slices.Equal(conversions, sameConversions) {
			t.Fatalf("%q and %q differ: %v, %v (%v)", raw, query, values, same, err)
		}
	})
}

func requestOf(t testing.TB, id, body string) calc.Request {
	t.Helper()
	inputs, err := strictjson.ParseObject([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return calc.Request{ID: id, Inputs: inputs}
}
