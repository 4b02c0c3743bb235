package vary

import (
	"strings"

	found "github.com/slipstick/slipstick/host/internal/study"
)

// studyLabels implements [found.Words] with the labels of the controls on the study page.
type studyLabels struct{}

// labelsOfPlan are the labels of the controls for paths in a plan. Paths of members of an input do not have its name.
var labelsOfPlan = map[string]string{
	"against": "Other version", "output": "Result",
	"vary": "Vary", "vary.from": "from", "vary.to": "to", "vary.count": "points",
	"unknown": "Find", "bracket": "between", "bracket.0": "between", "bracket.1": "and", "goal": "equals",
	"change":    "Relative change",
	"uncertain": "Distribution", "uncertain.distribution": "Distribution", "uncertain.standard_uncertainty": "Width", "uncertain.half_width": "Width",
	"coverage_probability": "Probability", "draws": "Draws", "seed": "Seed",
}

// Kind implements [found.Words].
func (studyLabels) Kind(k found.Kind) string {
	return map[found.Kind]string{
		found.Sweep: "a sweep", found.Compare: "a comparison", found.GoalSeek: "a goal", found.Sensitivity: "a sensitivity study",
		found.GUM: "the law of propagation", found.MonteCarlo: "a Monte Carlo study",
	}[k]
}

// Part implements [found.Words].
func (studyLabels) Part(place string) string {
	key := place
	if parts := strings.Split(place, "."); len(parts) == 3 { // vary.length.from
		key = parts[0] + "." + parts[2]
	}
	if label, ok := labelsOfPlan[key]; ok {
		return "“" + label + "”"
	}
	return place
}

// Form implements [found.Words].
func (w studyLabels) Form(k found.Kind, member, _ string) string {
	switch member {
	case "bracket":
		return "Fill in two different values, “between” and “and”."
	case "vary":
		return "Choose an input, and fill in “from”, “to” and “points”."
	case "uncertain":
		return "Fill in the width of an input."
	}
	return "Fill in " + w.Part(member) + "."
}
