package page_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/slipstick/slipstick/host/internal/http/api"
	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/page"
)

const varyPath = "/api/v1/capabilities/test.beams.shelf/vary"

// words returns the text of an element, "" if it is missing.
func (a answer) words(id string) string {
	n := a.id(id)
	if n == nil {
		return ""
	}
	return strings.Join(strings.Fields(text(n)), " ")
}

// Every varied number is the literal of the API for the same inputs. A value that the engine refuses has a reason instead of
// a number.
func TestVariedNumbers(t *testing.T) {
	s := newSite(t)
	const inputs = "mode=hard&length=2&length.unit=ft&point_load=3&delta.unit=m"
	a := s.get(t, varyPath+"?"+inputs+"&vary=point_load:11:15:5&vary=length:2:4:3")
	rows, err := csv.NewReader(strings.NewReader(a.text)).ReadAll()
	if err != nil || len(rows) != 6 || a.header.Get("Content-Type") != "text/csv; charset=utf-8" {
		t.Fatalf("%d %v: %s", a.status, err, a.text)
	}
	want := []string{"Point load (N)", "Length 2 ft (m)", "Length 3 ft (m)", "Length 4 ft (m)", "note"}
	if !slices.Equal(rows[0], want) {
		t.Errorf("columns %q, want %q", rows[0], want)
	}
	for _, row := range rows[1:] {
		for i, length := range []string{"2", "3", "4"} {
			body := fmt.Sprintf(`{"mode":"hard","length":{"value":%s,"unit":"ft"},"point_load":%s}`, length, row[0])
			alone := s.ask(t, http.MethodPost, "/api/v1/calc/shelf", body, "Content-Type", "application/json")
			if want := member(alone.text, "delta"); row[1+i] != want {
				t.Errorf("load %s, length %s ft: %q, the API answers %q", row[0], length, row[1+i], want)
			}
		}
		if refused := strings.Contains(row[4], "13 brings bad luck"); refused != (row[0] == "13") {
			t.Errorf("load %s: note %q", row[0], row[4])
		}
	}
	pinned := s.get(t, varyPath+"?calculation_version=1.0.0&delta.unit=m&mode=hard&length=2&vary=point_load:1:2:2")
	if got := pinned.header.Get("Service-Spec-Version"); got != "1.0.0" || !strings.Contains(pinned.text, "\n1,0.000008,") {
		t.Errorf("pinned to 1.0.0: version %s\n%s", got, pinned.text)
	}
}

// member returns a number of a result as the API writes it.
func member(answer, name string) string {
	_, rest, _ := strings.Cut(answer, `"result":{`)
	_, rest, _ = strings.Cut(rest, `"`+name+`":`)
	return rest[:strings.IndexAny(rest+",", ",}")]
}

// A page shows the curve with gaps for missing numbers, marks the present inputs, and counts refused values. Its controls have
// the values of its URL.
func TestVaryPage(t *testing.T) {
	s := newSite(t)
	const query = "mode=hard&length=2&point_load=3&vary=point_load:1:25:25&vary.show=delta"
	a := s.get(t, shelf+"?"+query)
	section := a.id("vary")
	if a.status != http.StatusOK || section == nil {
		t.Fatalf("status %d, section %v", a.status, section)
	}
	if pieces := strings.Count(a.text, `<path class="curve s1" d="M`); pieces < 2 {
		t.Errorf("the curve has %d pieces, and a value between is refused", pieces)
	}
	for _, want := range []string{"No result for 1 of 25 calculations, at point load 13 N. 13 brings bad luck", "Present inputs", "25 calculations"} {
		if !strings.Contains(a.words("vary"), want) {
			t.Errorf("the section does not say %q: %s", want, a.words("vary"))
		}
	}
	for name, want := range map[string]string{"vary.from": "1", "vary.to": "25", "vary.points": "25"} {
		if got := attr(a.named(name), "value"); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if got := a.header.Get("Cache-Control"); got != "public, max-age=60" {
		t.Errorf("Cache-Control %q", got)
	}
	if link := a.all(func(n *html.Node) bool { return attr(n, "rel") == "canonical" }); attr(link[0], "href") != base+shelf {
		t.Errorf("canonical %s", attr(link[0], "href"))
	}
	part := s.get(t, shelf+"/vary?"+query)
	if got := part.words("varied"); got != a.words("varied") || got == "" || strings.Contains(part.text, "<html") {
		t.Errorf("the part alone: %s", got)
	}
	posted := s.ask(t, http.MethodPost, "/api/v1/calc/shelf?vary=point_load:1:25:25&vary.show=delta", `{"mode":"hard","length":2,"point_load":3}`, "Content-Type", "application/json", "Accept", "text/html")
	if got := posted.words("varied"); got != a.words("varied") {
		t.Errorf("for scripts: %s", got)
	}
}

// A form without scripts redirects to the URL with the same meaning.
func TestVaryControls(t *testing.T) {
	s := newSite(t)
	const inputs = "mode=hard&length=2&point_load=3&grade=c24&note=&"
	for sent, want := range map[string]string{
		"vary.field=length&vary.from=1&vary.to=5&vary.points=9&vary.steps=even&vary.field=&vary.from=&vary.to=&vary.points=4&vary.output=delta": "vary=length:1:5:9&vary.show=delta",
		"vary.field=length&vary.from=+1&vary.to=5&vary.points=9&vary.steps=log&vary.field=mode&vary.from=1&vary.to=2&vary=length:2:3:4":         "vary=length:1:5:9:log&vary=mode",
		"vary.field=length&vary.from=&vary.to=&vary.points=9":                                                                                   "vary=length",
		"vary.field=length&vary.from=1&vary.to=1&vary.points=9":                                                                                 "vary=length:1:1:9",
		"compare.with=1.0.0&compare=2.0.0":                                                                                                      "compare=1.0.0",
		"compare.with=&compare=1.0.0":                                                                                                           "",
		"with.to.length=3&with.to.length.unit=m&with.to.mode=hard&with.to.point_load=3&with.to.point_load.unit=N":                               "with.length=3&with.length.unit=m",
		"with.to.length=2&with.to.length.unit=m&with.to.mode=hard&with.to.point_load=&with.to.position=&with.to.grade=c24":                      "with.point_load=",
		"with.to.mode=hard&with.to.length=2&with.to.length.unit=m":                                                                              "with.mode=hard",
		"with.to.length=2&with.to.length.unit=ft":                                                                                               "with.length=2&with.length.unit=ft",
	} {
		a := s.get(t, shelf+"?"+inputs+sent)
		location, err := url.QueryUnescape(a.header.Get("Location"))
		if want := strings.TrimSuffix(shelf+"?mode=hard&length=2&point_load=3&"+want, "&"); err != nil || a.status != http.StatusSeeOther || location != want {
			t.Errorf("%s: %d %s\nwant %s", sent, a.status, location, want)
		}
	}
}

// The page of an invalid variation explains the fault and still has its result. No cache stores it, and its status is 400.
func TestVaryNonsense(t *testing.T) {
	s := newSite(t)
	result := s.get(t, shelf+"?"+good).result()
	for key, want := range map[string]string{
		"vary=nope":                               `There is no input "nope" to vary.`,
		"vary=note:1:2:3":                         "“Note” is not a number or a choice, so it cannot be varied.",
		"vary=data:1:2:3":                         "“Data” is not a number or a choice",
		"vary=mode":                               "“Mode” is a choice, which has no axis.",
		"vary=length:1:1:9":                       "“Length” starts and ends at 1. Choose two different values.",
		"vary=length:1:1.0e0:9":                   "“Length” starts and ends at 1.",
		"vary=length:1:2:1e9":                     `"1e9" is not a valid number of points for “Length”. Enter 2 to 200.`,
		"vary=length:1:2:201":                     "Enter 2 to 200",
		"vary=length:1:2:1":                       "Enter 2 to 200",
		"vary=length:NaN:2:9":                     "“NaN” is not a value.",
		"vary=length:1:Infinity:9":                "“Infinity” is not a number.",
		"vary=length:1:1e999:9":                   "1e999 is too large or too small",
		"vary=length:1e-400:1:9":                  "1e-400 is too large or too small",
		"vary=length:1+ft:2:9":                    `"1 ft" and "2" have different units. Enter both numbers for “Length” in m, or both in the same unit.`,
		"vary=length:1:2+ft:9":                    `"1" and "2 ft" have different units`,
		"vary=length:1+kg:2+kg:9":                 `"kg" is not a unit of “Length”`,
		"vary=length:1:2:9:cubic":                 `"length:1:2:9:cubic" is not a valid variation of “Length”.`,
		"vary=length:1:2":                         "is not a valid variation of",
		"vary=length::2:9":                        "Enter the first and the last value of “Length”.",
		"vary=length:0:2:9:log":                   "Logarithmic steps need values above zero",
		"vary=length:1:1.0000000000000002:9":      "There are no 9 different numbers",
		"vary=length:1.0000001:1.0000002:9:log":   "There are no 9 different numbers",
		"vary=length:1:2:9&vary=L:1:2:4":          "“Length” is varied twice.",
		"vary=length:1:2:9&vary=point_load:1:2:9": "Enter 2 to 8",
		"vary=length:1:2:9&vary=mode:hard":        "the plot uses all its values",
		"vary=length:1:2:9&vary=point_load:1:2:2&vary=position:1:2:2": "The URL varies 3 inputs",
		"vary=length:1:2:9&vary.show=kind":                            `There is no numeric result "kind".`,
		"vary=length:1:2:9&vary.show=delta&vary.show=delta":           "“Delta” appears twice.",
		"vary=" + strings.Repeat("x", 500):                            `There is no input "x`,
		"vary=%3Cscript%3Ealert(1)%3C/script%3E:%22:1:2":              "There is no input",
		"compare=9.9":                 "There is no version 9.9 of this calculator. Published versions are 3.0.0, 2.0.0, 1.0.0.",
		"compare=2.0.0":               "This page already shows version 2.0.0.",
		"compare=1.0.0&compare=2.0.0": "The URL has more than one version",
		"compare=3.0.0":               "3.0.0 cannot be run at the moment",
		"with.nope=1":                 `There is no input "nope" for the second set.`,
		"with.length=1&with.length=2": "“Length” has two values in the second set.",
		"with.length=1&with.L=2":      "“Length” has two values in the second set.",
		"with.length=-1":              "B gives no result. Correct the marked inputs.",
		"with.mode=x":                 "B gives no result. Correct the marked inputs.",
		"with.length.unit=kg":         "B gives no result.",
		"with.length=":                "B gives no result. Correct the marked inputs.",
	} {
		a := s.get(t, shelf+"?"+good+"&"+key)
		message := a.words("vary") + a.words("compare-versions") + a.words("compare-inputs")
		status := http.StatusBadRequest
		if key == "compare=3.0.0" {
			status = http.StatusServiceUnavailable
		}
		if a.status != status || !strings.Contains(message, want) || strings.Contains(a.text, "plot-vary") || strings.Contains(a.text, "<script>alert") {
			t.Errorf("%s: %d, %s", key, a.status, message)
		}
		if a.result() != result || a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %q, result %s", key, a.header.Get("Cache-Control"), a.result())
		}
		if strings.HasPrefix(key, "vary=") {
			file := s.get(t, varyPath+"?"+good+"&"+key)
			if file.status != http.StatusBadRequest || !strings.Contains(file.text, `"INVALID_QUERY"`) {
				t.Errorf("%s as CSV: %d %s", key, file.status, file.text)
			}
		}
	}
}

// calls counts the calls of each surface.
type calls struct {
	made map[string]int
	most int // of the surface calc
}

func (c *calls) Allow(_ context.Context, surface string, _ netip.Prefix) limit.Decision {
	if surface == limit.Calc && c.made[surface] >= c.most {
		return limit.Decision{Surface: surface, Limit: c.most, Reset: time.Second, RetryAfter: 9 * time.Second}
	}
	c.made[surface]++
	return limit.Decision{Surface: surface, Allowed: true, Limit: 1000, Remaining: 1, Reset: time.Second}
}

// limited returns a site with a limit of that many calculations.
func limited(t *testing.T, most int) (*site, *calls) {
	t.Helper()
	s := newSite(t)
	c := &calls{made: map[string]int{}, most: most}
	clients := &web.Clients{Limiter: c}
	pages := page.New(s.service, &page.Options{Clients: clients})
	routes := slices.Concat(pages.Routes(), api.Routes(s.service, &api.Options{Batches: api.Batches{Clients: clients}}))
	s.Handler = web.New(base, routes, &web.Options{Clients: clients, FailurePage: pages.Failure})
	return s, c
}

// A variation counts as much as a batch of its rows, and a comparison as one calculation. The page itself counts as a page.
func TestStudiesAreCounted(t *testing.T) {
	for key, rows := range map[string]int{
		"vary=point_load:1:9:200": 200, "vary=point_load:1:9:200&vary=length:1:2:5": 1000, "vary=point_load:1:9:200&vary=length:1:2:8": 1600,
		"compare=1.0.0": 1, "with.length=3": 1, "vary=nope": 0,
	} {
		s, c := limited(t, 1000)
		if a := s.get(t, shelf+"?"+good+"&"+key); a.status >= 500 {
			t.Fatalf("%s: %d", key, a.status)
		}
		batch := 0
		if rows > 0 {
			s, c := limited(t, 1000)
			s.ask(t, http.MethodPost, "/api/v1/batch", strings.Repeat(`{"id":"shelf","inputs":{"mode":"hard","length":2}}`+"\n", rows), "Content-Type", "application/x-ndjson")
			batch = c.made[limit.Calc]
		}
		if c.made[limit.Calc] != batch || c.made[limit.Page] != 1 {
			t.Errorf("%s: %v calls, as a batch %d", key, c.made, batch)
		}
	}
}

func TestStudiesBeyondTheLimit(t *testing.T) {
	s, _ := limited(t, 1)
	const vary, more = "&vary=point_load:1:9:20", "&vary=point_load:1:9:200&vary=length:1:2:8"
	if a := s.get(t, shelf+"?"+good+more); a.status != http.StatusBadRequest {
		t.Errorf("two calls where no minute has more than one: %d", a.status)
	}
	for _, key := range []string{vary, "&compare=1.0.0", "&with.length=3"} {
		a := s.get(t, shelf+"?"+good+key)
		message := a.words("vary") + a.words("compare-versions") + a.words("compare-inputs")
		if a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") != "9" || a.result() == "" || !strings.Contains(message, "Wait 9 s.") || a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %v %s", key, a.status, a.header, message)
		}
	}
	if a := s.get(t, varyPath+"?"+good+vary); a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") != "9" {
		t.Errorf("CSV: %d %v", a.status, a.header)
	}
}

// The range and the numbers of a variation are in the units of the reader. A link with units means the same for each reader.
func TestVaryInUnits(t *testing.T) {
	s := newSite(t)
	const inputs = "mode=hard&length=2&point_load=3"
	a := s.get(t, shelf+"?"+inputs+"&units=us&vary=length:1.524:3.048:3&vary.show=delta")
	for name, want := range map[string]string{"vary.from": "60", "vary.to": "120", "vary.unit": "in"} {
		if got := attr(a.named(name), "value"); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for _, want := range []string{"Length (in)", " 60 ", " 90 ", " 120 "} {
		if got := a.words("vary"); !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	sent := s.get(t, shelf+"?"+inputs+"&units=us&vary.field=length&vary.from=60&vary.to=10+ft&vary.unit=in&vary.points=3&vary.steps=even")
	if location := sent.header.Get("Location"); sent.status != 303 || !strings.Contains(location, "vary=length%3A60+in%3A10+ft%3A3") {
		t.Errorf("%d %s", sent.status, location)
	}
	const link = inputs + "&vary=length:60+in:120+in:3&vary.show=delta"
	want := s.get(t, varyPath+"?"+inputs+"&units=si&delta.unit=m&vary=length:1.524:3.048:3&vary.show=delta").text
	first, err := csv.NewReader(strings.NewReader(want)).ReadAll()
	second, err2 := csv.NewReader(strings.NewReader(s.get(t, varyPath+"?"+link+"&delta.unit=m").text)).ReadAll()
	if err != nil || err2 != nil || len(first) != 4 || len(second) != 4 {
		t.Fatal(err, err2, first, second)
	}
	if second[0][0] != "Length (in)" || second[1][0] != "60" {
		t.Errorf("the link has %q", second)
	}
	for i := range first {
		if first[i][1] != second[i][1] {
			t.Errorf("row %d: %s from the link, %s in metres", i, second[i][1], first[i][1])
		}
	}
	if a := s.get(t, shelf+"?"+link+"&units=us&digits=3"); !strings.Contains(a.words("vary"), "Length (in)") {
		t.Error(a.words("vary"))
	}
}
