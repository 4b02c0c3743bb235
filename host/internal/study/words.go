package study

import (
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
)

// Words names the parts of plans in problems, for one interface. [JSON] is for plans that clients send.
type Words interface {
	// Kind returns the name of a kind.
	Kind(k Kind) string
	// Part returns the name of a path in a plan, such as bracket.0.
	Part(place string) string
	// Form returns a sentence with an example of a member. The input is a possible name in it.
	Form(k Kind, member, input string) string
}

// JSON is the Words for plans that are JSON objects.
var JSON Words = jsonWords{}

type jsonWords struct{}

func (jsonWords) Kind(k Kind) string { return string(k) }

func (jsonWords) Part(place string) string { return place }

func (w jsonWords) Form(k Kind, member, input string) string {
	switch member {
	case "kind":
		return "Give kind as one of " + strings.Join(KindNames(w), ", ") + "."
	case "against":
		return `Give the version to compare with, such as "against": "2.0.0".`
	case "vary":
		if k == Sensitivity {
			return `Give names of inputs, such as "vary": ["` + input + `"], or leave vary out for all real numbers.`
		}
		return `Give inputs with their values, such as "vary": {"` + input + `": {"from": 1, "to": 5, "count": 9}} or "vary": {"` + input + `": [1, 2, 5]}.`
	case "unknown":
		return `Give the name of the input to solve for, such as "unknown": "` + input + `".`
	case "bracket":
		return "Give two values between which " + input + ` lies, such as "bracket": [1, 100].`
	case "goal":
		return `Give the value that the output must have, such as "goal": 1.5.`
	case "uncertain":
		return `Give the distribution of each uncertain input, such as "uncertain": {"` + input + `": {"distribution": "rectangular", "half_width": 0.01}}.`
	case "correlation":
		return `Give pairs of uncertain inputs with their coefficient, such as "correlation": [{"of": ["length", "load"], "r": 0.5}].`
	}
	return "Give " + member + "."
}

// KindNames returns the names of all kinds.
func KindNames(w Words) (names []string) {
	for _, k := range Kinds {
		names = append(names, w.Kind(k))
	}
	return names
}

// namer adapts Words to [request.Namer].
type namer struct{ Words }

// Place implements [request.Namer].
func (n namer) Place(f *request.Fault) string { return n.Part(f.Place()) }

// Field implements [request.Namer].
func (n namer) Field(f *sdk.Field) string { return n.Part(f.Name) }

// Choice implements [request.Namer].
func (namer) Choice(value string) string { return value }

// malformed returns the problem of a member of the plan that is missing or has the wrong form.
func (r *reader) malformed(member, format string, args ...any) *problem.Problem {
	return fault(problem.CodeInvalidPlan, member, r.words.Form(r.Plan.Kind, member, r.exampleInput()), format, args...)
}

// exampleInput returns the name of an input that a study can change.
func (r *reader) exampleInput() string {
	if r.Plan.Unknown != "" {
		return r.Plan.Unknown
	}
	if r.spec != nil {
		for i := range r.spec.Inputs {
			if r.spec.Inputs[i].Type == sdk.TypeNumber {
				return r.spec.Inputs[i].Name
			}
		}
	}
	return "length"
}
