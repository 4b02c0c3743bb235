// Package address reads the query of a page or a form: the inputs as [Values], and the display options as [View].
// Use [ReadPage] for a page, and [ReadStudy] for the study page. [QueryOf] and [Values.Query] write such queries.
// [NewFieldProblem] describes a rejected input at its field.
package address

import (
	"net/http"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/page/site"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/versions"
)

// PinsOf returns the version pins of a page request: the versions in its header, and the time in its query. In the query of
// a page, calculation_version only names the version that computed an earlier result.
func PinsOf(r *http.Request) []versions.Pin {
	pins := HeaderPins(r)
	if raw := r.URL.RawQuery; len(raw) <= site.MaxQuery {
		pins = append(pins, ReadQuery(new(sdk.Spec), raw).asOf(versions.InQuery)...)
	}
	return pins
}

// HeaderPins returns the version pins in the header of a request.
func HeaderPins(r *http.Request) []versions.Pin {
	return versions.Header(r.Header.Values(versions.HeaderName))
}

// Read reads the query of a page. Misspelt keys become faults of its view.
func Read(level typed.Level, spec *sdk.Spec, r *http.Request, language Language) *Values {
	s := readAt(level, spec, r.URL.RawQuery, language)
	s.RefuseMisspelt()
	return s
}

// ReadNumbers reads the query of an API endpoint that accepts the keys of pages and the further keys. It refuses any other
// key.
func ReadNumbers(spec *sdk.Spec, r *http.Request, further ...string) (*Values, error) {
	if err := site.CheckLength(r); err != nil {
		return nil, err
	}
	s := ReadQuery(spec, r.URL.RawQuery)
	s.Foreign = slices.DeleteFunc(s.Foreign, func(key string) bool { return slices.Contains(further, key) })
	if err := s.RefuseForeign(); err != nil {
		return nil, err
	}
	return s, nil
}

// RefuseForeign returns the problem of an unknown key, or of a key with an invalid value, nil if there is none. It is for
// API endpoints.
func (s *Values) RefuseForeign() error {
	if s.Broken != nil {
		return s.Broken
	}
	if len(s.Foreign) > 0 {
		return problem.UnknownParameters(s.Foreign, s.knownKeys(), "")
	}
	if failure := s.View.Problem(); failure != nil {
		return failure
	}
	return nil
}

// RefuseMisspelt makes misspelt keys faults of the view, so that the page shows no result that ignores a wish of
// the reader. Mail programs and social networks add other keys to links, and these have no effect.
func (s *Values) RefuseMisspelt() {
	known := s.knownKeys()
	for _, key := range s.Foreign {
		if meant, near := s.meant(key, known); near {
			s.View.Faults = append(s.View.Faults, Fault{Key: request.Clip(key), Text: misspelt(meant)})
		}
	}
}

// misspelt describes the fault of a misspelled key, and suggests the known key.
func misspelt(meant string) string {
	switch meant {
	case VersionKey:
		return "Did you mean " + VersionKey + "? It does not pin a version on a page. Choose a version below the form, or send a date as " + versions.AsOfName + "."
	case decimalKey:
		return "Pages have no decimal separator option. Remove this key, and write numbers with a decimal point."
	case "":
		return "This is not an input or an option of this page. Correct or remove it."
	}
	return "This is not an input or an option of this page. Did you mean " + meant + "?"
}

// decimalKey is a parameter of the API that pages do not have. Numbers would have other values with it, so a page must not
// ignore it.
const decimalKey = "decimal"

// options are keys of a query that are not inputs.
var options = []string{VersionKey, versions.AsOfName, typedKey, UnitsKey, digitsKey, StepsKey, VaryKey, CompareKey, FillKey}

// knownKeys returns the names of the inputs, and the options.
func (s *Values) knownKeys() []string {
	return slices.Concat(request.Names(s.Spec.Inputs), options)
}

// Known parts of a key with points: before the first point, and after the last one.
var (
	firstWords = []string{VaryKey, CompareKey, strings.TrimSuffix(WithPrefix, "."), strings.TrimSuffix(StudyPrefix, ".")}
	lastWords  = []string{strings.TrimPrefix(UnitSuffix, "."), strings.TrimPrefix(presetSuffix, ".")}
)

// meant returns the known key that a foreign key is probably a misspelling of. A key with points is near if one of
// its parts is; there is no single known key then.
func (s *Values) meant(key string, known []string) (meant string, near bool) {
	first, last, parts := strings.Cut(key, ".")
	if !parts {
		return guessKey(key, append(known, decimalKey))
	}
	if at := strings.LastIndexByte(last, '.'); at >= 0 {
		last = last[at+1:]
	}
	_, near = guessKey(first, slices.Concat(request.Names(s.Spec.Inputs), firstWords))
	if !near {
		_, near = guessKey(last, lastWords)
	}
	return "", near
}

// guessKey returns the nearest known key. A short name is near to almost any word, so only its case can differ.
func guessKey(key string, known []string) (string, bool) {
	const short = 3
	long := make([]string, 0, len(known))
	for _, name := range known {
		if strings.EqualFold(key, name) {
			return name, true
		}
		if len(name) > short {
			long = append(long, name)
		}
	}
	return problem.GuessParameter(key, long)
}
