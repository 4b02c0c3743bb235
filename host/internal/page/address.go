package page

import (
	"net/http"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/versions"
)

// pinsOf returns the version pins of a request for a page: those in its header, and the time
// in its query. There calculation_version only says which version has computed.
func pinsOf(r *http.Request) []versions.Pin {
	pins := headerPins(r)
	if raw := r.URL.RawQuery; len(raw) <= maxQuery {
		pins = append(pins, readQuery(new(sdk.Spec), raw).asOf(versions.InQuery)...)
	}
	return pins
}

func headerPins(r *http.Request) []versions.Pin {
	return versions.Header(r.Header.Values(versions.HeaderName))
}

// readAddress reads the query of a page. Misspelt keys are faults of its view.
func readAddress(level typed.Level, spec *sdk.Spec, r *http.Request) *formValues {
	s := readAt(level, spec, r.URL.RawQuery)
	s.refuseMisspelt()
	return s
}

// readNumbers reads the query of an API endpoint that takes what pages take, and further
// keys. Any other key is refused.
func readNumbers(spec *sdk.Spec, r *http.Request, further ...string) (*formValues, error) {
	if err := checkLength(r); err != nil {
		return nil, err
	}
	s := readQuery(spec, r.URL.RawQuery)
	s.foreign = slices.DeleteFunc(s.foreign, func(key string) bool { return slices.Contains(further, key) })
	if err := s.refuseForeign(); err != nil {
		return nil, err
	}
	return s, nil
}

// checkLength refuses a query that is longer than a page takes.
func checkLength(r *http.Request) error {
	if len(r.URL.RawQuery) > maxQuery {
		return calc.NewProblem(calc.CodeInvalidQuery, "Shorten it, or send long lists to the API.", "the query of the URL has more than %d bytes", maxQuery)
	}
	return nil
}

// refuseForeign returns the problem of a key that means nothing or cannot be followed, nil if
// there is none. It is for API endpoints.
func (s *formValues) refuseForeign() error {
	if s.broken != nil {
		return s.broken
	}
	if len(s.foreign) > 0 {
		return calc.UnknownParameter(s.foreign[0], s.knownKeys(), "")
	}
	if problem := s.view.problem(); problem != nil {
		return problem
	}
	return nil
}

// refuseMisspelt makes keys that are nearly one that means something faults of the view, so
// that no result is shown without what the reader meant. Links get other keys from mail and
// social networks, and these stay without effect.
func (s *formValues) refuseMisspelt() {
	known := s.knownKeys()
	for _, key := range s.foreign {
		if meant, near := s.meant(key, known); near {
			s.view.faults = append(s.view.faults, viewFault{Key: request.Clip(key), Text: misspelt(meant)})
		}
	}
}

// misspelt says what is wrong with a key that is nearly another one.
func misspelt(meant string) string {
	switch meant {
	case versionKey:
		return "Did you mean " + versionKey + "? On a page it does not choose a version: choose one below the form, or name a date with " + versions.AsOfName + "."
	case decimalKey:
		return "This page takes no mark of decimals. Write numbers with a decimal point, and leave this out."
	case "":
		return "This is neither an input nor an option of this page. Correct it, or leave it out."
	}
	return "This is neither an input nor an option of this page. Did you mean " + meant + "?"
}

// decimalKey is a parameter of the API that a page does not have. Numbers would be other ones
// with it, so it is not ignored.
const decimalKey = "decimal"

// options are keys of a query that are not inputs.
var options = []string{versionKey, versions.AsOfName, unitsKey, stepsKey, varyKey, compareKey, fillKey}

// knownKeys returns the names of the inputs, and the options.
func (s *formValues) knownKeys() []string {
	return slices.Concat(request.Names(s.spec.Inputs), options)
}

// Words before and after the point of a key that has parts.
var (
	firstWords = []string{varyKey, compareKey, strings.TrimSuffix(withPrefix, "."), strings.TrimSuffix(studyPrefix, ".")}
	lastWords  = []string{strings.TrimPrefix(unitSuffix, "."), strings.TrimPrefix(presetSuffix, ".")}
)

// meant returns the known key that a foreign one is probably a misspelling of. Of a key with
// parts it is enough that one part is nearly known; then there is no single key to name.
func (s *formValues) meant(key string, known []string) (meant string, near bool) {
	first, last, parts := strings.Cut(key, ".")
	if !parts {
		return guessKey(key, append(known, decimalKey))
	}
	if at := strings.LastIndexByte(last, '.'); at >= 0 {
		last = last[at+1:]
	}
	_, near = guessKey(first, slices.Concat(request.Names(s.spec.Inputs), firstWords))
	if !near {
		_, near = guessKey(last, lastWords)
	}
	return "", near
}

// guessKey returns the known key that is nearest. A short name is near to almost any word, so
// only its case may differ.
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
	return calc.GuessParameter(key, long)
}
