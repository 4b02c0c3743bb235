package page_test

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/http/api"
	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/page"
)

const studyPath = shelf + "/study?mode=hard&length=2&point_load=3"

// A page shows the result of the API for the same plan, with a picture, and links to the same numbers.
func TestStudyPage(t *testing.T) {
	s := newSite(t)
	for _, tt := range []struct{ keys, plan, says string }{
		{"study.kind=sensitivity&study.output=delta", `"kind":"sensitivity","output":"delta"`, "Delta if one input changes by 10 %"},
		{"study.kind=gum&study.output=delta&study.width.length=0.1&study.is.length=triangular", `"kind":"gum","output":"delta","uncertain":{"length":{"distribution":"triangular","half_width":0.1}}`, "expanded uncertainty"},
		{"study.kind=monte_carlo&study.output=delta&study.width.length=0.1&study.draws=1000", `"kind":"monte_carlo","output":"delta","uncertain":{"length":{"standard_uncertainty":0.1}},"draws":1000`, "Distribution of delta"},
		{"study.kind=goal_seek&study.output=delta&study.unknown=length&study.from=1&study.to=4&study.goal=1e-5", `"kind":"goal_seek","output":"delta","unknown":"length","bracket":[1,4],"goal":1e-5`, "nearest to the goal"},
		{"study.kind=gum&study.output=delta&study.width.length=&study.is.length=exponential", `"kind":"gum","output":"delta","uncertain":{"length":{"distribution":"exponential"}}`, "expanded uncertainty"},
		{"study.kind=gum&study.output=delta&study.width.length=&study.is.length=gamma&study.width.point_load=&study.is.point_load=normal", `"kind":"gum","output":"delta","uncertain":{"length":{"distribution":"gamma"}}`, "expanded uncertainty"},
		{"study.kind=sweep&study.output=delta&study.vary=length&study.first=1&study.last=3&study.against=1.0.0", `"kind":"sweep","output":"delta","vary":{"length":{"from":1,"to":3,"count":9}}`, "Delta"},
		{"study.kind=compare&study.output=delta&study.vary=length&study.first=1&study.last=3&study.count=5&study.against=1.0.0", `"kind":"compare","output":"delta","vary":{"length":{"from":1,"to":3,"count":5}},"against":"1.0.0"`, "1.0.0"},
		{"study.kind=compare&study.output=delta&study.first=&study.last=&study.against=1.0.0", `"kind":"compare","output":"delta","against":"1.0.0"`, "1.0.0"},
	} {
		a := s.get(t, studyPath+"&"+tt.keys)
		checkSelfContained(t, s, tt.keys, a)
		if a.status != 200 || !strings.Contains(text(a.root), tt.says) {
			t.Errorf("%s: %d, and it does not say %q", tt.keys, a.status, tt.says)
			continue
		}
		if pictures := len(a.elements("svg")); pictures == 0 && !strings.Contains(tt.keys, "goal") && !strings.Contains(tt.keys, "first=&") {
			t.Errorf("%s: no picture", tt.keys)
		}
		_, query, _ := strings.Cut(studyPath+"&"+tt.keys, "?")
		numbers := s.get(t, "/api/v1/capabilities/test.beams.shelf/study?"+query)
		asked := s.ask(t, http.MethodPost, "/api/v1/study/shelf?output=csv", `{"inputs":{"mode":"hard","length":2,"point_load":3},`+tt.plan+`}`, "Content-Type", "application/json")
		rows, err := csv.NewReader(strings.NewReader(numbers.text)).ReadAll()
		if err != nil || len(rows) < 2 || numbers.text != asked.text {
			t.Errorf("%s: the page has\n%s\nthe API answers %d\n%s", tt.keys, numbers.text, asked.status, asked.text)
		}
	}
}

// Without a study the page has the forms with the inputs. A problem is above them, with its status.
func TestStudyPageForms(t *testing.T) {
	s := newSite(t)
	a := s.get(t, studyPath)
	if a.status != 200 || len(a.elements("form")) != 4 || !strings.Contains(text(a.root), "Length 2 m") {
		t.Errorf("%d, %d forms", a.status, len(a.elements("form")))
	}
	if a := s.get(t, shelf+"/study"); a.status != 200 || len(a.elements("form")) != 0 || !strings.Contains(text(a.root), "calculator first") {
		t.Errorf("without inputs: %d", a.status)
	}
	for keys, want := range map[string]string{
		"study.kind=nothing":                                             "INVALID_PLAN",
		"study.kind=gum":                                                 "INVALID_PLAN",
		"study.kind=sweep&study.vary=length":                             "INVALID_PLAN",
		"study.kind=compare&study.against=9.0.0":                         "VERSION_MISMATCH",
		"study.kind=gum&study.width.length=-1":                           "INVALID_DISTRIBUTION",
		"study.kind=gum&study.width.length=<b>":                          "INVALID_NUMBER",
		"study.kind=monte_carlo&study.width.length=1&study.draws=900000": "STUDY_TOO_LARGE",
		"study.kind=goal_seek&study.output=delta&study.unknown=length&study.from=1&study.to=2&study.goal=9": "NO_BRACKET",
	} {
		a := s.get(t, studyPath+"&"+keys)
		if a.status/100 != 4 || !strings.Contains(text(a.root), want) || len(a.elements("form")) != 4 || strings.Contains(a.text, "<b>") {
			t.Errorf("%s: %d, want %s and the forms", keys, a.status, want)
		}
	}
}

// The snapshot of a study is shown also if its version is not published.
func TestSnapshotStudy(t *testing.T) {
	s := newSite(t)
	const plan = `{"kind":"sweep","inputs":{"mode":"hard","point_load":3},"vary":{"grade":["c24","gl_28"],"length":{"from":1,"to":4,"count":4}},"output":"delta"}`
	made := s.ask(t, http.MethodPost, "/api/v1/study/shelf?output=snapshot", plan, "Content-Type", "application/json")
	var record struct {
		ID     string
		Result struct{ Calculations int }
	}
	if err := json.Unmarshal([]byte(made.text), &record); err != nil || made.status != 201 || record.Result.Calculations != 8 {
		t.Fatalf("%d %s", made.status, made.text)
	}
	a := s.get(t, "/s/"+record.ID, "Accept", "text/html")
	checkSelfContained(t, s, "a frozen study", a)
	if got := text(a.root); a.status != 200 || !strings.Contains(got, "slipstick study --replay") || !strings.Contains(got, "Delta over length") || len(a.elements("form")) != 1 {
		t.Errorf("%d: %s", a.status, got)
	}
	recorded := s.ask(t, http.MethodPost, "/api/v1/study/shelf?output=snapshot", plan, "Content-Type", "application/json")
	var first, second struct{ Result json.RawMessage }
	if json.Unmarshal([]byte(made.text), &first) != nil || json.Unmarshal([]byte(recorded.text), &second) != nil || string(first.Result) != string(second.Result) {
		t.Errorf("again it is %s", recorded.text)
	}
}

// A study counts its calculations. A study that exceeds the limit of a minute is refused at once.
func TestStudiesCount(t *testing.T) {
	c := &calls{most: 1000, made: map[string]int{}}
	clients := &web.Clients{Limiter: c}
	service := newService(t)
	pages := page.New(service, &page.Options{Clients: clients})
	s := &site{service: service, pages: pages, Handler: web.New(base, append(pages.Routes(), api.Routes(service, &api.Options{Batches: api.Batches{Clients: clients}})...), &web.Options{Clients: clients})}
	const plan = `{"kind":"monte_carlo","inputs":{"mode":"hard","length":2},"uncertain":{"length":{"standard_uncertainty":0.01}},"draws":`
	a := s.ask(t, http.MethodPost, "/api/v1/study/shelf", plan+"2500}", "Content-Type", "application/json")
	if a.status != 200 || c.made[limit.Calc] != 3 {
		t.Errorf("%d, %d calls: %.200s", a.status, c.made[limit.Calc], a.text)
	}
	a = s.ask(t, http.MethodPost, "/api/v1/study/shelf", plan+"1000000}", "Content-Type", "application/json")
	if a.status != 429 && a.status != 400 || c.made[limit.Calc] > 1000 {
		t.Errorf("%d, %d calls: %.200s", a.status, c.made[limit.Calc], a.text)
	}
	a = s.get(t, shelf+"/study?mode=hard&length=2&study.kind=monte_carlo&study.width.length=0.01&study.draws=2500")
	if a.status != 429 || !strings.Contains(text(a.root), "RATE_LIMITED") {
		t.Errorf("page: %d", a.status)
	}
}

// The link to a study keeps units. Its page is in the units of the reader. Its forms lead to a URL with numbers and units,
// in which nothing depends on the language.
func TestStudyInUnits(t *testing.T) {
	s := newSite(t)
	link := ""
	for _, n := range s.get(t, shelf+"?"+good+"&units=us", "Accept-Language", german).elements("a") {
		if strings.Contains(attr(n, "href"), "/study?") {
			link = attr(n, "href")
		}
	}
	if !strings.Contains(link, "units=us") || !strings.Contains(link, "P.unit=kN") && !strings.Contains(link, "point_load.unit=kN") {
		t.Errorf("the link %s loses units", link)
	}
	a := s.get(t, link)
	for _, want := range []string{"Length 78.7402 in", "Point load 3 kN", "Delta (in)", "Length (in)"} {
		if got := text(a.root); !strings.Contains(got, want) {
			t.Errorf("%s: no %q in %s", link, want, got)
		}
	}
	asked := "&typed=1&study.kind=goal_seek&study.output=delta&study.unknown=length&study.from=10&study.to=3,000&study.goal=1/2+ft"
	first := s.get(t, link+asked, "Accept-Language", american)
	location := first.header.Get("Location")
	for _, want := range []string{"study.from=10+in", "study.to=3000+in", "study.goal=0.5+ft"} {
		if first.status != 303 || !strings.Contains(location, want) || strings.Contains(location, "typed") {
			t.Errorf("%d %s, want %s", first.status, location, want)
		}
	}
	for _, language := range []string{american, german} {
		a := s.get(t, location, "Accept-Language", language)
		if got := text(a.root); !strings.Contains(got, "Length 115.7") || !strings.Contains(got, "Delta at this value 6 in") || a.variesByLanguage() {
			t.Errorf("%s: %s", location, got)
		}
	}
}

// A goal without a unit is in the unit in which the page shows the output.
func TestGoalInShownUnit(t *testing.T) {
	s := newSite(t)
	for view, unit := range map[string]string{"": "mm", "&units=metric": "mm", "&units=si": "mm", "&units=us": "in"} {
		if page := text(s.get(t, shelf+"?"+good+view).id("result")); !regexp.MustCompile(`Delta δ\s+[0-9.]+ ` + unit).MatchString(page) {
			t.Errorf("%q: the page does not show the output in %s: %s", view, unit, page)
		}
		page := s.get(t, shelf+"/study?"+good+view)
		if list := options(page.named("study.output")); !slices.Contains(list, "delta=Delta ("+unit+")") {
			t.Errorf("%q: the outputs to choose from are %q", view, list)
		}
		asked := s.get(t, shelf+"/study?"+good+view+"&typed=1&study.kind=goal_seek&study.output=delta&study.unknown=length&study.from=1&study.to=4&study.goal=2")
		if to := asked.header.Get("Location"); !strings.Contains(to, "study.goal=2+"+unit) {
			t.Errorf("%q: the goal is not in %s: %s", view, unit, to)
		}
	}
}
