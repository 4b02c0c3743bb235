package openapi

import (
	"slices"

	"github.com/slipstick/slipstick/host/internal/study"
)

const studyDescription = `Runs many calculations with one version and evaluates them. Numbers are SI, or have a unit in the same form as inputs.

| kind | members |
|---|---|
| ` + "`sweep`" + ` | ` + "`vary`" + ` |
| ` + "`compare`" + ` | ` + "`against`, `vary`" + ` |
| ` + "`goal_seek`" + ` | ` + "`unknown`, `bracket`, `goal`" + ` |
| ` + "`sensitivity`" + ` | ` + "`vary`, `change`" + ` |
| ` + "`gum`" + ` | ` + "`uncertain`, `correlation`, `second_order`" + ` |
| ` + "`monte_carlo`" + ` | ` + "`uncertain`, `correlation`, `draws` or `digits`, `seed`" + ` |

The response has the plan with all defaults. The same plan gives a byte-identical response. With ` + "`units` or `unit`, the table `shown`" + ` has the
numbers in these units. Every 1,000 calculations count as one call.`

// addStudyPaths adds the paths of studies.
func (d *document) addStudyPaths() {
	d.schemas["StudyPlan"] = planSchema()
	headerNames := slices.Concat(releaseHeaders, limitHeaders, []string{"Slipstick-Warnings"})
	operate := func(id, summary string) object {
		found := ok("The result, its numbers as CSV (`output=csv`), or an existing snapshot (`output=snapshot`).", jsonMedia,
			object{"anyOf": list{schemaRef("StudyResult"), schemaRef("Snapshot")}}, headerNames...)
		found["content"].(object)["text/csv"] = object{"schema": text}
		responses := answers(found, calculationFailures)
		responses["201"] = ok("The server created a new snapshot.", jsonMedia, schemaRef("Snapshot"), append([]string{"Location"}, headerNames...)...)
		op := operation(tagCalculate, id, summary, studyDescription, pins, body("StudyPlan"), responses)
		output := parameter("query", "output", "Return JSON, return the numbers as CSV, or create a snapshot of the result.", object{"type": "string", "enum": list{"json", "csv", "snapshot"}, "default": "json"})
		op["parameters"] = append(append(list{output}, refs("parameters", "StudyUnitSystem", "StudyUnit")...), op["parameters"].(list)...)
		return op
	}
	d.paths["/api/v1/study"] = object{"post": operate("study", "Run a study")}
	d.paths["/api/v1/study/{id}"] = object{"parameters": list{ref("parameters", "CapabilityID")}, "post": operate("studyByID", "Run a study of a capability")}
}

// planSchema returns the schema of plans in requests and answers.
func planSchema() object {
	kinds, distributions := list{}, list{}
	for _, k := range study.Kinds {
		kinds = append(kinds, string(k))
	}
	for _, name := range study.Distributions() {
		distributions = append(distributions, name)
	}
	whole := func(description string) object { return object{"type": "integer", "description": description} }
	value := func(description string) object {
		return object{"description": description} // any type of an input, because client generators do not support a list of types
	}
	uncertain := object{"type": "object", "additionalProperties": object{"type": "object", "properties": object{
		"distribution":         object{"type": "string", "enum": distributions, "default": "normal"},
		"standard_uncertainty": value("For a normal distribution, the standard deviation; for t, the scale."), "half_width": value("For bounded distributions, the half width."),
		"inner_half_width":   value("For a trapezoid, the half width of its top. For a curvilinear trapezoid, the uncertainty of its half width."),
		"degrees_of_freedom": object{"type": "number", "exclusiveMinimum": 0, "description": "For t, its degrees of freedom. For others, the degrees of freedom of their standard uncertainty."},
	}, "additionalProperties": false}, "description": "Distributions of uncertain inputs, by name."}
	properties := object{
		"kind":          object{"type": "string", "enum": kinds, "description": "The kind of study."},
		"capability_id": described(text, "Capability id; required if the path has no id."),
		"id":            described(text, "Capability id or tool id."), "tool": described(text, "Tool id or capability id."), "tool_id": described(text, "Tool id or capability id."),
		"inputs":              described(anything, "Inputs of the base calculation."),
		"calculation_version": described(text, "Version pin."), "as_of": schemaRef("Moment"),
		"output":               object{"description": "Outputs to study: a name or a list of names. The default is the main output.", "anyOf": list{text, texts}},
		"vary":                 object{"description": "Values of inputs by name: a list, or an object with `from`, `to`, `count` or `step`, and `spacing` (linear or logarithmic). The last input varies fastest. For a sensitivity, a list of names.", "anyOf": list{anything, texts}},
		"zip":                  described(flag, "Combine the values of all inputs by position. By default the study computes every combination."),
		"against":              described(text, "Version to compare with."),
		"unknown":              described(text, "The unknown input."),
		"bracket":              object{"type": "array", "minItems": 2, "maxItems": 2, "items": value("An end of the bracket."), "description": "Two values of the unknown input. The goal must lie between their outputs."},
		"goal":                 value("Target value of the output."),
		"change":               object{"type": "number", "exclusiveMinimum": 0, "maximum": 1, "default": 0.1, "description": "Relative change of each input for the tornado chart."},
		"uncertain":            uncertain,
		"correlation":          object{"type": "array", "description": "Correlation coefficients. A Monte Carlo study needs normal distributions for these inputs.", "items": closed("Two inputs and their correlation coefficient.", object{"of": object{"type": "array", "items": text, "minItems": 2, "maxItems": 2}, "r": object{"type": "number", "minimum": -1, "maximum": 1}})},
		"coverage_probability": object{"type": "number", "minimum": 0.5, "maximum": 0.9999, "default": 0.95, "description": "Coverage probability of intervals."},
		"second_order":         described(flag, "Whether to compute second-order terms too."),
		"draws":                whole("Number of draws; 50,000 by default."), "digits": whole("Draw until 1 or 2 digits of the uncertainty are stable. It replaces `draws`."),
		"max_draws": whole("Maximum number of draws with `digits`."), "seed": whole("Seed of the draws; 1 by default. The same seed gives the same draws."), "bins": whole("Number of bins of the histogram; 50 by default."),
	}
	return object{"type": "object", "description": "The plan of a study. Its kind determines the members that it can have.", "properties": properties, "required": list{"kind"}, "additionalProperties": false}
}
