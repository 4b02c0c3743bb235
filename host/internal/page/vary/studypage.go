package vary

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	limits "github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/page/about"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/page/show"
	"github.com/slipstick/slipstick/host/internal/page/site"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	found "github.com/slipstick/slipstick/host/internal/study"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/versions"
)

// pointsOnPage is the default number of points of a sweep on a page.
const pointsOnPage = "9"

// Numbers of draws of a study on a page. The API accepts more.
const (
	drawsOnPage    = "20000"
	maxDrawsOnPage = 100_000
)

// studyPage is the page of a study: the forms of its kinds, and the result.
type studyPage struct {
	site.Layout
	Heading, Group, Calculator string // Calculator is a URL
	Action                     string
	Kept                       []address.Pair // inputs that the forms also send
	Inputs                     []studyInput
	Numbers                    []wording.Option   // inputs that are real numbers
	Brackets                   map[string]bracket // proposals for a goal, by input
	Varied                     []wording.Option   // the same inputs, for a sweep
	Others                     []wording.Option   // versions to compare with
	Outputs                    []wording.Option
	Distributions              []string
	Asked                      map[string]string // keys of the query without their prefix, and their values
	Problem                    *problem.Problem
	ProblemAt                  string
	Found                      *studied
	Snapshot                   *about.Snapshot  // nil if the page is not a snapshot
	Systems                    []wording.Option // of units, for a snapshot
	View                       *address.View    // nil for a snapshot
	MachineTime, ReadableTime  string
}

// studyInput is an input of a study, with the entered distribution.
type studyInput struct {
	Name, Label, Unit          string
	Number                     wording.Number
	Distribution, Width, Other string
	Distributions              []wording.Option
}

// getStudy answers GET /calc/{group}/{tool}/study.
func (p *Pages) getStudy(w http.ResponseWriter, r *http.Request) error {
	page, _, status, err := p.study(w, r)
	if err != nil || page == nil {
		return err
	}
	html, err := templates.Execute("study", page)
	if err != nil {
		return err
	}
	web.SetNoStore(w.Header())
	if page.Problem != nil {
		web.SetRetry(w.Header(), page.Problem)
	}
	web.WritePage(w, r, status, html)
	if page.Problem != nil {
		return &web.Answered{Problem: page.Problem}
	}
	return nil
}

// getStudyNumbers answers GET /api/v1/capabilities/{id}/study: the numbers of a study as CSV. It has the query of the page,
// and can pin a version as in the API.
func (p *Pages) getStudyNumbers(w http.ResponseWriter, r *http.Request) error {
	pins, release, err := p.Pinned(r)
	if err != nil {
		return err
	}
	s, asked, err := p.readStudy(r, release, nil)
	if err == nil {
		err = s.RefuseForeign()
	}
	if err != nil {
		return err
	}
	a, err := s.Calculate(r.Context(), p.Service, pins)
	if err != nil {
		return err
	}
	result, err := p.runStudy(r, a, asked, nil)
	if err != nil {
		return err
	}
	if s.View.Units != customary.AsEntered || len(s.View.Chosen) > 0 {
		result = inUnits(result, readingOf(&s.View, a))
	}
	text, err := result.Table(nil).CSV()
	if err != nil {
		return err
	}
	site.WriteCSV(w, a, "study", text)
	return nil
}

// readStudy reads the query of a study: the inputs, and the controls of the study.
func (p *Pages) readStudy(r *http.Request, release *catalog.Release, language address.Language) (*address.Values, map[string]string, error) {
	if err := site.CheckLength(r); err != nil {
		return nil, nil, err
	}
	query, err := problem.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, nil, err
	}
	asked := map[string]string{}
	for key, values := range query {
		name, ours := strings.CutPrefix(key, address.StudyPrefix)
		switch {
		case !ours || !isStudyControl(&release.Spec, name):
		case len(slices.Compact(values)) > 1:
			return nil, nil, problem.InvalidParameter(key, "Send it once.", "%s has two values", request.Clip(key))
		default:
			asked[name] = strings.ToValidUTF8(strings.TrimSpace(values[0]), "")
		}
	}
	s := address.ReadStudy(&release.Spec, r.URL.RawQuery, language)
	s.Foreign = slices.DeleteFunc(s.Foreign, func(key string) bool {
		name, ours := strings.CutPrefix(key, address.StudyPrefix)
		return ours && isStudyControl(&release.Spec, name)
	})
	return s.WithPresets(p.Service, release), asked, nil
}

// studyControls are the controls of a study. inputControls are the controls of one of its inputs: the kind of distribution
// and its numbers.
var (
	studyControls = []string{
		"kind", "output", "vary", "first", "last", "count", "against", "unknown", "from", "to", "goal", "change", "probability", "draws", "seed",
	}
	inputControls = []string{"is", "width", "other"}
)

// isStudyControl reports whether a key of a query, without its prefix, is a control.
func isStudyControl(spec *sdk.Spec, name string) bool {
	control, input, parts := strings.Cut(name, ".")
	if !parts {
		return slices.Contains(studyControls, name)
	}
	return slices.Contains(inputControls, control) && spec.Input(input) >= 0
}

// studyQuery returns the keys of a study as a query.
func studyQuery(asked map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		address.AppendPair(&b, address.StudyPrefix+name, asked[name])
	}
	return b.String()
}

// study returns the page, nil if it has redirected the client.
func (p *Pages) study(w http.ResponseWriter, r *http.Request) (*studyPage, *found.Result, int, error) {
	pins := address.PinsOf(r)
	_, release, err := p.Find(w, r, pins)
	if err != nil || release == nil {
		return nil, nil, 0, err
	}
	speaks := site.Speaks(w, r)
	s, asked, err := p.readStudy(r, release, speaks)
	if err != nil {
		return nil, nil, 0, err
	}
	s.RefuseMisspelt()
	path := catalog.PagePath(&release.Spec)
	page := &studyPage{
		Layout:  p.Layout("Study: "+release.Spec.Title, "Goal seeking, sensitivity and uncertainty of a calculation.", "", site.Asset{}),
		Heading: release.Spec.Title, Group: release.Spec.Group, Calculator: p.Link(path), Action: p.Link(path + "/study"), Asked: asked,
		Distributions: found.Distributions(), View: &s.View,
	}
	page.Styles, page.Scripts = append(page.Styles, p.Asset(studiesCSS)), append(page.Scripts, p.Asset(goalJS), p.Asset(site.RememberedJS))
	fail := func(err error) (*studyPage, *found.Result, int, error) {
		page.Problem = problem.Of(err)
		p.Report(r.Context(), page.Problem)
		page.ProblemAt = p.Link("/problems/" + page.Problem.Slug())
		return page, nil, page.Problem.Status(), nil
	}
	if failure := s.View.Problem(); failure != nil {
		return fail(failure)
	}
	a, err := s.Calculate(r.Context(), p.Service, pins)
	if err != nil {
		if !s.Asks() {
			return page, nil, http.StatusOK, nil
		}
		return fail(err)
	}
	of := readingOf(&s.View, a)
	if query, ok := address.QueryOf(&a.Release.Spec, a.Sent(), &s.View); ok {
		if s.Typed() {
			site.Redirect(w, page.Action+"?"+address.WithQuery(query, studyQuery(settled(asked, a, of, speaks))), http.StatusSeeOther)
			return nil, nil, 0, nil
		}
		page.Calculator += "?" + query
		page.Kept = pairsOf(query)
	}
	page.offer(a, of)
	if entry, err := p.Service.Catalog().Find(a.Release.Capability); err == nil {
		for _, r := range entry.Releases {
			if r.Version != a.Release.Version {
				page.Others = append(page.Others, wording.Option{Value: r.Version, Text: r.Version, Chosen: asked["against"] == r.Version})
			}
		}
	}
	if asked["kind"] == "" {
		return page, nil, http.StatusOK, nil
	}
	if proposed, ok := page.Brackets[asked["unknown"]]; ok && asked["from"] == "" && asked["to"] == "" {
		asked["from"], asked["to"] = proposed.From, proposed.To
	}
	result, err := p.runStudy(r, a, asked, of.Steps())
	if err != nil {
		return fail(err)
	}
	page.Found = newStudied(inUnits(result, of), of.Spec, s.View.Digits)
	s.View = *s.View.Named()
	page.Found.CSV = p.Link("/api/v1/capabilities/" + a.Release.Capability + "/study?" + address.VersionKey + "=" + url.QueryEscape(a.Release.Version) + "&" + address.WithQuery(s.Query(), studyQuery(asked)))
	return page, result, http.StatusOK, nil
}

// pairsOf returns the keys and values of a query that [address.QueryOf] wrote.
func pairsOf(query string) []address.Pair {
	var list []address.Pair
	for part := range strings.SplitSeq(query, "&") {
		key, text, _ := strings.Cut(part, "=")
		name, err := url.QueryUnescape(key)
		value, err2 := url.QueryUnescape(text)
		if err == nil && err2 == nil {
			list = append(list, address.Pair{Key: name, Value: value})
		}
	}
	return list
}

// offer fills in the controls: the numbers of the calculation, and its outputs.
func (page *studyPage) offer(a *calc.Answer, of *show.Reading) {
	spec := a.Success.Spec.At(a.Success.Outcome.Inputs)
	page.Brackets = map[string]bracket{}
	sent := map[int]bool{}
	for _, m := range a.Sent().Members {
		sent[spec.Input(m.Name)] = true
	}
	for i := range spec.Inputs {
		f := &spec.Inputs[i]
		if f.Type != sdk.TypeNumber {
			continue
		}
		shown := of.InputIn(i, 0)
		text := labelWith(f, shown)
		page.Numbers = append(page.Numbers, wording.Option{Value: f.Name, Text: text, Chosen: page.Asked["unknown"] == f.Name})
		page.Varied = append(page.Varied, wording.Option{Value: f.Name, Text: text, Chosen: page.Asked["vary"] == f.Name})
		if proposed, ok := bracketOf(spec, a.Success.Outcome.Inputs, i, shown); ok {
			page.Brackets[f.Name] = proposed
		}
		v := a.Success.Outcome.Inputs[i]
		if !sent[i] || v.Kind() != value.Number {
			continue
		}
		in := studyInput{
			Name: f.Name, Label: wording.Label(f), Unit: shown.Text(), Number: of.View.Digits.Format(shown.Of(v.Number())),
			Width: page.Asked["width."+f.Name], Other: page.Asked["other."+f.Name],
		}
		for _, name := range page.Distributions {
			in.Distributions = append(in.Distributions, wording.Option{Value: name, Text: wording.FormatChoice(name), Chosen: name == cmp.Or(page.Asked["is."+f.Name], "normal")})
		}
		page.Inputs = append(page.Inputs, in)
	}
	for i := range spec.Outputs {
		if f := &spec.Outputs[i]; wording.IsNumber(f) {
			page.Outputs = append(page.Outputs, wording.Option{Value: f.Name, Text: labelWith(f, resultIn(a, of, i)), Chosen: page.Asked["output"] == f.Name})
		}
	}
}

// labelWith returns the label of a field with the unit of its numbers.
func labelWith(f *sdk.Field, in show.Unit) string {
	if text := in.Text(); text != "" {
		return wording.Label(f) + " (" + text + ")"
	}
	return wording.Label(f)
}

// runStudy computes the study that the controls ask for, with the inputs of the answer. Its problems are for the reader.
func (p *Pages) runStudy(r *http.Request, a *calc.Answer, asked map[string]string, reader calc.Reader) (*found.Result, error) {
	plan, err := planOf(a, asked)
	if err != nil {
		return nil, err
	}
	pins := []versions.Pin{{Place: versions.InForm, Name: address.VersionKey, Value: a.Release.Version}}
	made, err := found.Read(p.Service, a.Release.Capability, plan, pins, studyLabels{})
	if err != nil {
		return nil, err
	}
	if most := max(made.Plan.Draws, made.Plan.MaxDraws); most > maxDrawsOnPage {
		failure := problem.New(problem.CodeStudyTooLarge, "Use fewer draws, or send the plan to the API.", "a page computes at most %d draws", maxDrawsOnPage)
		failure.Field = "draws"
		return nil, failure
	}
	return made.Run(r.Context(), &found.Options{Admit: p.Clients.Counter(r, limits.Calc), Reader: reader})
}

// planOf returns the plan of the controls.
func planOf(a *calc.Answer, asked map[string]string) (strictjson.Value, error) {
	var plan found.Draft
	spec := a.Success.Spec.At(a.Success.Outcome.Inputs)
	plan.Set("kind", found.Word(asked["kind"]))
	plan.Set("inputs", a.Sent())
	set := func(key, name string) {
		if text := asked[key]; text != "" {
			plan.Set(name, found.Typed(text))
		}
	}
	set("output", "output")
	switch found.Kind(asked["kind"]) {
	case found.Sweep, found.Compare:
		if asked["first"] != "" || asked["last"] != "" {
			var vary found.Draft
			along, err := found.ParseRange(spec, asked["vary"], asked["first"], asked["last"], cmp.Or(asked["count"], pointsOnPage), false)
			if err != nil {
				return strictjson.Value{}, err
			}
			vary.Set(asked["vary"], along)
			plan.Set("vary", vary.Value())
		}
		if asked["kind"] == string(found.Compare) {
			set("against", "against")
		}
	case found.GoalSeek:
		set("unknown", "unknown")
		bracket, err := found.ParseBracket(spec, asked["unknown"], asked["from"], asked["to"])
		if err != nil {
			return strictjson.Value{}, err
		}
		plan.Set("bracket", bracket)
		if text := asked["goal"]; text != "" {
			goal, err := typed.Quantity(spec.Outputs, asked["output"], "goal", text)
			if err != nil {
				return strictjson.Value{}, err
			}
			plan.Set("goal", goal)
		}
	case found.Sensitivity:
		set("change", "change")
	case found.GUM, found.MonteCarlo:
		var uncertain found.Draft
		for _, name := range slices.Sorted(maps.Keys(asked)) {
			input, ours := strings.CutPrefix(name, "width.")
			kind := cmp.Or(asked["is."+input], "normal")
			if !ours || asked[name] == "" && len(found.Parameters(kind)) > 0 {
				continue
			}
			texts := slices.DeleteFunc([]string{asked[name], asked["other."+input]}, func(text string) bool { return text == "" })
			of, ok, err := found.ParseDistribution(spec, input, kind, texts)
			if err != nil {
				return strictjson.Value{}, err
			}
			if !ok {
				return strictjson.Value{}, problem.New(problem.CodeInvalidDistribution, "Remove the last number.", "the distribution of %s has fewer parameters", input)
			}
			uncertain.Set(input, of)
		}
		plan.Set("uncertain", uncertain.Value())
		set("probability", "coverage_probability")
		if found.Kind(asked["kind"]) == found.MonteCarlo {
			plan.Set("draws", found.Typed(cmp.Or(asked["draws"], drawsOnPage)))
			set("seed", "seed")
		}
	}
	return plan.Value(), nil
}

// SnapshotStudy returns the page of a snapshot of a study, nil if the snapshot is not of a study. The query chooses the view, as
// on a page.
func (p *Pages) SnapshotStudy(snap snapshot.Snapshot, rec *about.Record, query string, language address.Language) ([]byte, error) {
	if !found.IsResult(rec.Result) {
		return nil, nil
	}
	result, err := found.Parse(rec.Result)
	if err != nil {
		return nil, fmt.Errorf("study of a snapshot: %w", err)
	}
	title, spec := wording.FormatName(rec.Tool), new(sdk.Spec)
	page := &studyPage{
		Layout:      p.Layout("Snapshot: "+title, "Snapshot of a study with plan, version and engine.", "/s/"+rec.ID, site.Asset{}),
		Heading:     title,
		MachineTime: rec.CreatedAt.UTC().Format("2006-01-02T15:04:05Z"), ReadableTime: rec.CreatedAt.UTC().Format("2 January 2006, 15:04 UTC"),
	}
	page.Styles = append(page.Styles, p.Asset(studiesCSS))
	if release := p.about.Published(rec); release != nil {
		spec = &release.Spec
		page.Heading, page.Group, page.Calculator = spec.Title, spec.Group, p.Link(catalog.PagePath(spec))
	}
	v, err := address.ReadView(spec, query)
	if err != nil {
		return nil, err
	}
	v.Suit(false, language)
	page.Found = newStudied(inUnits(result, show.NewReading(v, spec, strictjson.Value{})), spec, v.Digits)
	page.Systems = v.Systems()
	page.Snapshot = p.about.NewSnapshot(&snap, rec, new(sdk.Spec), strictjson.Value{}, new(address.View))
	page.Snapshot.Calculate = p.Address("/api/v1/study/" + rec.Capability)
	return templates.Execute("study", page)
}

// readingOf returns the Reading of an answer in a view.
func readingOf(v *address.View, a *calc.Answer) *show.Reading {
	return show.NewReading(v, a.Success.Spec.At(a.Success.Outcome.Inputs), a.Sent())
}
