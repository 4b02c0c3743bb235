package page_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/page"
)

// misspelt has keys near to an input, a pin or an option, and the text of the page about them. TestLibrary tries all inputs
// of all capabilities.
var misspelt = map[string]string{
	"calculation_versoin=1.0.0": "Did you mean calculation_version? It does not pin a version on a page", "version=1.0.0": "Did you mean calculation_version? It does not pin a version on a page",
	"Calculation_Version=1.0.0": "Did you mean calculation_version? It does not pin a version on a page", "as-of=2026-01-01": "Did you mean as_of?", "AS_OF=2026-01-01": "Did you mean as_of?",
	"decimal=comma": "no decimal separator option", "decimla=comma": "no decimal separator option", "unit=us": "Did you mean units?", "Units=us": "Did you mean units?", "stesp=1": "Did you mean steps?",
	"lenght=2": "Did you mean length?", "point_laod=3": "Did you mean point_load?", "Mode=hard": "Did you mean mode?", "l=2": "Did you mean L?", "p=3": "Did you mean P?",
	"L.unti=ft": "not an input or an option", "lenght.unit=ft": "no result", "lenght.preset=x": "not an input or an option", "wiht.L=3": "not an input or an option",
	"vary.fron=3": "not an input or an option", "vari=length": "Did you mean vary?", "comapre=1.0.0": "Did you mean compare?", "study.kind=gum": "not an input or an option",
	"length%2E%75nti=ft": "not an input or an option", "fil=x": "Did you mean fill?",
}

// A page names misspelt keys, and computes nothing. It ignores keys that mail programs and social networks add to links.
func TestMisspeltKeys(t *testing.T) {
	s := newSite(t)
	want := s.get(t, shelf+"?"+good)
	for query, says := range misspelt {
		a := s.get(t, shelf+"?"+good+"&"+query)
		message := text(a.id("unclear"))
		if a.status != http.StatusBadRequest || a.result() != "" || !strings.Contains(message, says) || a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d, result %v, %q", query, a.status, a.result() != "", message)
		}
		if a.id("f-length") == nil || !strings.Contains(a.text, `value="2"`) {
			t.Errorf("%s: the form is not as it was filled in", query)
		}
	}
	const foreign = "utm_source=news&utm_medium=email&utm_campaign=50+off&fbclid=IwAR&gclid=x&msclkid=x&mc_cid=1&_ga=2&ref=hn&source=x&v=3&s=1&t=2&zzz=1"
	if a := s.get(t, shelf+"?"+good+"&"+foreign); a.status != 200 || a.result() == "" || a.result() != want.result() {
		t.Errorf("foreign keys: %d %s", a.status, text(a.id("unclear")))
	}
	for _, path := range []string{"/", "/calc/beams", "/tables", shelf + "/rows", shelf + "/shadow", "/feed.json", shelf + "/feed.atom", "/problems/invalid-query"} {
		if a := s.get(t, path+"?"+foreign); a.status != 200 {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	for path, field := range map[string]string{
		"/?Q=beam": "Q", "/?curser=x": "curser", "/calc/beams?Cursor=x": "Cursor", shelf + "/rows?as-of=2026-01-01": "as-of",
	} {
		if a := s.get(t, path, "Accept", "application/json"); a.status != 400 || !strings.Contains(a.text, `"code":"INVALID_QUERY"`) || !strings.Contains(a.text, `"field":"`+field+`"`) {
			t.Errorf("%s: %d %s", path, a.status, a.text)
		}
	}
}

// Other pages and files of a calculator treat misspelt keys in the same way, and numbers at URLs of the API refuse any unknown
// key.
func TestMisspeltKeysOfOtherPages(t *testing.T) {
	s := newSite(t)
	framed := &site{Handler: web.New(base, page.New(s.service, &page.Options{Embed: []string{"https://wiki.example.org"}}).Routes(), nil)}
	const numbers = "/api/v1/capabilities/test.beams.shelf"
	for _, tt := range []struct {
		site          *site
		address, more string
		strict        bool
	}{
		{framed, "/embed/beams/shelf?", "", false}, {s, shelf + "/export/result.json?", "", false}, {s, shelf + "/vary?", "&vary=length:1:2:3", false},
		{s, shelf + "/study?", "&study.kind=sensitivity&study.output=delta", false},
		{s, numbers + "/vary?", "&vary=length:1:2:3", true}, {s, numbers + "/study?", "&study.kind=sensitivity&study.output=delta", true}, {s, numbers + "/plots/load?", "&x_unit=mm", true},
	} {
		address := tt.address + good + tt.more
		if a := tt.site.get(t, address); a.status != 200 {
			t.Fatalf("%s: %d %s", address, a.status, a.text)
		}
		if a := tt.site.get(t, address+"&utm_source=x"); (a.status == 400) != tt.strict || a.status != 200 && a.status != 400 {
			t.Errorf("%s with a foreign key: %d", address, a.status)
		}
		for query := range misspelt {
			if strings.HasPrefix(query, "study.") && strings.Contains(address, "study") {
				continue
			}
			if a := tt.site.get(t, address+"&"+query); a.status != 400 {
				t.Errorf("%s&%s: %d", address, query, a.status)
			}
		}
		for _, key := range []string{"study.knid=gum", "study.width.nothing=1"} {
			if a := tt.site.get(t, address+"&"+key); a.status != 400 {
				t.Errorf("%s&%s: %d", address, key, a.status)
			}
		}
	}
	for _, query := range []string{"study.kind=gum&study.kind=sweep", "study.kind=gum&study%2Ekind=sweep"} {
		if a := s.get(t, shelf+"/study?"+good+"&"+query); a.status != 400 {
			t.Errorf("%s: %d", query, a.status)
		}
	}
}

// The CSV that a study page links to has the numbers of the page, also with further keys in its URL.
func TestNumbersOfAStudy(t *testing.T) {
	s := newSite(t)
	a := s.get(t, shelf+"/study?"+good+"&study.kind=sensitivity&study.output=delta&utm_source=x&calculation_version=1.0.0&v=2")
	_, link, _ := strings.Cut(a.text, `href="/api/v1/capabilities/test.beams.shelf/study?`)
	link, _, _ = strings.Cut(link, `"`)
	numbers := s.get(t, "/api/v1/capabilities/test.beams.shelf/study?"+strings.ReplaceAll(link, "&amp;", "&"))
	if a.status != 200 || numbers.status != 200 || numbers.header.Get("Service-Spec-Version") != "2.0.0" {
		t.Errorf("%d, %s: %d %s", a.status, link, numbers.status, numbers.text)
	}
}

// A page follows the pin in the header as the API does, and refuses a header that contradicts the chosen version.
func TestPinsOfPages(t *testing.T) {
	s := newSite(t)
	const header = "Service-Spec-Version"
	framed := &site{Handler: web.New(base, page.New(s.service, &page.Options{Embed: []string{"https://wiki.example.org"}}).Routes(), nil)}
	for _, path := range []string{shelf + "?", "embed", shelf + "/export/result.json?", shelf + "/vary?vary=length:1:2:3&", shelf + "/study?study.kind=sensitivity&", shelf + "/rows?"} {
		of := s
		if path == "embed" {
			of, path = framed, "/embed/beams/shelf?"
		}
		for pin, status := range map[string]int{"1.0.0": 200, "2.0.0": 200, "9.9.9": 409, "": 400, "1.0.0, 2.0.0": 409} {
			a := of.get(t, path+good, header, pin)
			if a.status != status || !strings.Contains(strings.Join(a.header["Vary"], ", "), header) {
				t.Errorf("%s pinned to %q: %d, Vary %v", path, pin, a.status, a.header["Vary"])
			}
			if computed := a.header.Get(header); status == 200 && computed != "" && computed != pin {
				t.Errorf("%s pinned to %s was computed by %s", path, pin, computed)
			}
		}
	}
	var answer struct {
		Version string `json:"calculation_version"`
	}
	if err := json.Unmarshal([]byte(s.get(t, shelf+"?"+good, header, "1.0.0").result()), &answer); err != nil || answer.Version != "1.0.0" {
		t.Errorf("pinned to 1.0.0, computed by %q: %v", answer.Version, err)
	}
	for _, path := range []string{shelf, shelf + "/freeze"} {
		for _, tt := range []struct {
			chosen, pin string
			status      int
		}{
			{"1.0.0", "", 400}, {"1.0.0", "1.0.0", 0}, {"1.0.0", "2.0.0", 409}, {"2.0.0", "1.0.0", 409}, {"", "1.0.0", 0}, {"", "9.9.9", 409},
		} {
			form := url.Values{"mode": {"hard"}, "length": {"2"}, "point_load": {"3"}}
			if tt.chosen != "" {
				form.Set("calculation_version", tt.chosen)
			}
			a := s.ask(t, http.MethodPost, path, form.Encode(), "Content-Type", "application/x-www-form-urlencoded", header, tt.pin)
			switch {
			case tt.status != 0 && a.status != tt.status:
				t.Errorf("%s %+v: %d", path, tt, a.status)
			case tt.status != 0 && !strings.HasPrefix(a.header.Get("Content-Type"), "text/html"):
				t.Errorf("%s %+v: %s", path, tt, a.header.Get("Content-Type"))
			case tt.status == 0 && a.status != 200 && a.status != 303:
				t.Errorf("%s %+v: %d %s", path, tt, a.status, a.text)
			case tt.status == 0 && path == shelf && a.header.Get(header) != tt.pin:
				t.Errorf("%s %+v: computed by %s", path, tt, a.header.Get(header))
			}
		}
	}
}

// A missing resource is JSON for clients that ask for JSON, and a page for a browser.
func TestProblemsOfPages(t *testing.T) {
	s := newSite(t)
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	for path, pageByDefault := range map[string]bool{
		"/calc/beams/nothing": true, "/calc/nothing": true, "/calc/a/b/c/d": false, "/tables/nothing": true, shelf + "/export/nothing?" + good: true, shelf + "x/rows": true,
		"/calc/beams/nothing/feed.json": false, "/calc/beams/nothing/feed.atom": false, "/assets/nope": false, "/nope": false, "/docs/nope": true, "/embed/beams/shelf": false,
	} {
		for accept, html := range map[string]bool{"application/json": false, "application/problem+json": false, browser: true, "": pageByDefault} {
			headers := []string{"Accept", accept}
			if accept == "" {
				headers = nil
			}
			a := s.get(t, path, headers...)
			media := a.header.Get("Content-Type")
			if a.status != 404 || strings.HasPrefix(media, "text/html") != html || accept == "application/problem+json" && media != accept {
				t.Errorf("%s for %q: %d %s", path, accept, a.status, media)
			}
			if !html && !strings.Contains(a.text, `"code":`) || a.header.Get("Cache-Control") != "no-store" || !strings.Contains(strings.Join(a.header["Vary"], ", "), "Accept") {
				t.Errorf("%s for %q: %v %s", path, accept, a.header, a.text)
			}
		}
	}
}
