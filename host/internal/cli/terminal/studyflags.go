package terminal

import (
	"strings"

	"github.com/slipstick/slipstick/host/internal/study"
)

// StudyFlags implements [study.Words] with the flags of slipstick study.
var StudyFlags study.Words = studyFlags{}

type studyFlags struct{}

// flagsOfPlan are the flags for the members of a plan: the flag, its value, and an example of the value. In the example, $ is
// the name of an input.
var flagsOfPlan = map[string]struct{ flag, value, example string }{
	"calculation_version":  {"--pin", "VERSION", "2.0.0"},
	"output":               {"--output", "NAME", ""},
	"vary":                 {"--vary", "NAME=FROM:TO:COUNT", "$=1:5:9"},
	"zip":                  {"--zip", "", ""},
	"against":              {"--against", "VERSION", "2.0.0"},
	"unknown":              {"--unknown", "NAME=FROM:TO", "$=1:100"},
	"bracket":              {"--unknown", "NAME=FROM:TO", "$=1:100"},
	"goal":                 {"--goal", "VALUE", "1.5"},
	"change":               {"--change", "PART", "0.1"},
	"uncertain":            {"--uncertain", "NAME=WHAT", "$=rectangular:0.01"},
	"correlation":          {"--correlation", "A,B=R", "length,load=0.5"},
	"coverage_probability": {"--probability", "PART", "0.95"},
	"second_order":         {"--second-order", "", ""},
	"draws":                {"--draws", "N", "50000"},
	"digits":               {"--digits", "N", "2"},
	"max_draws":            {"--max-draws", "N", "1000000"},
	"seed":                 {"--seed", "N", "1"},
	"bins":                 {"--bins", "N", "50"},
}

// Kind implements [study.Words].
func (studyFlags) Kind(k study.Kind) string { return strings.ReplaceAll(string(k), "_", "-") }

// valuesOfPlan are the names of a flag's values, by the last part of their path.
var valuesOfPlan = map[string]string{
	"from": "first value", "to": "last value", "count": "count", "0": "first value", "1": "second value",
	"standard_uncertainty": "standard uncertainty", "half_width": "half-width", "inner_half_width": "inner half-width", "degrees_of_freedom": "degrees of freedom",
}

// Part implements [study.Words].
func (studyFlags) Part(place string) string {
	parts := strings.Split(place, ".")
	of, known := flagsOfPlan[parts[0]]
	if !known {
		return place
	}
	text := of.flag
	if (parts[0] == "vary" || parts[0] == "uncertain") && len(parts) > 1 {
		text += " " + parts[1]
	}
	if value, one := valuesOfPlan[parts[len(parts)-1]]; one && len(parts) > 1 {
		text = "the " + value + " of " + text
	}
	return text
}

// Form implements [study.Words].
func (w studyFlags) Form(k study.Kind, member, input string) string {
	if member == "kind" {
		return "Use one of " + strings.Join(study.KindNames(w), ", ") + "."
	}
	of := flagsOfPlan[member]
	if member == "vary" && k == study.Sensitivity {
		of.value, of.example = "NAME", "$"
	}
	return "Use " + of.flag + " " + of.value + ", such as " + of.flag + " " + strings.Replace(of.example, "$", input, 1) + "."
}
