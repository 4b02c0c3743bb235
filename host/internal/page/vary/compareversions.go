package vary

import (
	"net/http"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/page/trust"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/versions"
)

// compareVersions computes the inputs of an answer also with another version. The older version is A, also if the page shows
// the newer one. So a difference has the same sign on the pages of both versions.
func (p *Pages) compareVersions(r *http.Request, a *calc.Answer, v *address.View) *comparison {
	c := &comparison{ID: "compare-versions", Title: "Two versions, the same inputs"}
	other := p.otherVersion(c, a, v.Compare)
	if other == nil {
		return c
	}
	inputs, notes := carried(a.Success.Spec.At(a.Success.Outcome.Inputs), a.Sent(), a.Success.Outcome.Inputs, other)
	c.Notes = notes
	problem := c.ask(r.Context(), p, r, calc.Request{
		ID: other.Capability, Inputs: inputs, Pins: []versions.Pin{{Place: versions.InQuery, Name: address.CompareKey, Value: other.Version}},
	})
	switch {
	case c.problem != nil:
		return c
	case problem != nil && problem.Status() >= http.StatusInternalServerError:
		c.problem = problem
		c.Faults = append(c.Faults, address.Fault{Key: address.CompareKey, Text: wording.AsSentence(problem.Detail) + " " + problem.Suggestion})
		return c
	case problem != nil:
		detail, suggestion := address.ReadQuery(&other.Spec, "").WordsOf(problem)
		c.Faults = append(c.Faults, address.Fault{Key: address.CompareKey, Text: "Version " + other.Version + " gives no result for these inputs: " + detail + " " + suggestion})
		return c
	}
	entry, err := p.Service.Catalog().Find(a.Release.Capability)
	if err != nil {
		return c // cannot happen: the capability has computed the answer
	}
	c.first = a
	if at(entry, other) > at(entry, a.Release) { // a larger index is older
		c.first, c.second = c.second, c.first
	}
	c.A, c.B = p.versionSide(c.first.Release, a.Release), p.versionSide(c.second.Release, a.Release)
	c.Words = wordsBetween(entry, c.first.Release, c.second.Release)
	c.fill(p, v, a)
	c.Inputs = slices.DeleteFunc(c.Inputs, func(f comparedField) bool { return !f.Differs })
	return c
}

// otherVersion resolves the version to compare with in the same way as a pin. It returns nil if there is none.
func (p *Pages) otherVersion(c *comparison, a *calc.Answer, named []string) *catalog.Release {
	if slices.ContainsFunc(named, func(v string) bool { return v != named[0] }) {
		c.fail(address.CompareKey, "The URL has more than one version for the comparison. Give one version.")
		return nil
	}
	entry, release, err := p.Service.Catalog().Release(a.Release.Capability, []versions.Pin{{Place: versions.InQuery, Name: address.CompareKey, Value: named[0]}})
	switch {
	case err != nil:
		failure := problem.Of(err)
		if failure.Mismatch != nil && entryHas(entry, named[0]) {
			c.fail(address.CompareKey, "%s", wording.AsSentence(failure.Detail)+" The page cannot compare it.")
			return nil
		}
		if failure.Mismatch != nil {
			c.fail(address.CompareKey, "There is no version %s of this calculator. Published versions are %s.", request.Clip(named[0]), strings.Join(failure.Mismatch.Available, ", "))
			return nil
		}
		c.fail(address.CompareKey, "%s %s", wording.AsSentence(failure.Detail), failure.Suggestion)
		if failure.Status() >= http.StatusInternalServerError {
			c.problem = failure
		}
		return nil
	case release.Version == a.Release.Version:
		c.fail(address.CompareKey, "This page already shows version %s. Choose another version for the comparison.", release.Version)
		return nil
	}
	return release
}

func entryHas(e *catalog.Entry, version string) bool {
	return e != nil && e.Version(version) != nil
}

func at(e *catalog.Entry, r *catalog.Release) int {
	return slices.IndexFunc(e.Releases, func(other *catalog.Release) bool { return other.Version == r.Version })
}

func (p *Pages) versionSide(r, shown *catalog.Release) side {
	s := side{Name: "Version " + r.Version, In: "version " + r.Version, Digests: true, Engine: r.EngineDigest, Release: r.Digest, Shown: r == shown}
	if state := r.State(); state != trust.Active {
		s.Note = string(state)
		if r.Lifecycle.Reason != "" {
			s.Note += ": " + r.Lifecycle.Reason
		}
	}
	return s
}

// wordsBetween returns the descriptions of changes of the versions after the older one, up to the newer one, the oldest first.
func wordsBetween(e *catalog.Entry, older, newer *catalog.Release) []versionWords {
	var words []versionWords
	for i := at(e, older) - 1; i >= at(e, newer) && i >= 0; i-- {
		r := e.Releases[i]
		if text := r.Spec.Changes; text != "" {
			words = append(words, versionWords{r.Version, text})
		} else if r == newer {
			words = append(words, versionWords{r.Version, "The version has no description of its changes."})
		}
	}
	return words
}

// carried converts the inputs sent to one release for another one: the same quantities, in the units of the other release.
// values are the values that the first release used. The notes name inputs that the other release does not know.
func carried(spec *sdk.Spec, sent strictjson.Value, values value.Values, to *catalog.Release) (inputs strictjson.Value, notes []string) {
	inputs = strictjson.Value{Kind: strictjson.Object}
	for _, m := range sent.Members {
		i := spec.Input(m.Name)
		if i < 0 {
			continue // the engine did not get it
		}
		f := &spec.Inputs[i]
		k := to.Spec.Input(f.Name)
		if k < 0 {
			notes = append(notes, "Version "+to.Version+" does not have the input "+wording.Labels{}.Field(f)+", and calculates without it.")
			continue
		}
		inputs.Members = append(inputs.Members, strictjson.Member{Name: to.Spec.Inputs[k].Name, Value: carriedValue(f, &to.Spec.Inputs[k], typed.AsComputed(spec, i, m.Value), values[i])})
	}
	return inputs, notes
}

// carriedValue converts a value for the field of another release. A number without a unit is in the unit of its own field.
func carriedValue(f, to *sdk.Field, v strictjson.Value, computed value.Value) strictjson.Value {
	text, unit, ok := typed.Text(f, v)
	if !ok || !wording.IsNumber(f) || !wording.IsNumber(to) {
		return v
	}
	if unit != "" && to.Unit == "" && to.UnitBy == nil && computed.Kind() == value.Number { // it only accepts bare numbers
		text, unit = wording.Shortest(computed.Number()), ""
	}
	if unit == "" && f.Unit != to.Unit && f.Unit != "" && to.Unit != "" {
		unit = f.Unit
	}
	read, _ := typed.Value(to, text, typed.Units{"": unit}, typed.Numbers) // typed.Text writes readable texts
	return read
}
