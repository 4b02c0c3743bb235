package openapi

import (
	"slices"

	"github.com/slipstick/slipstick/host/internal/study"
)

const studyDescription = "Many calculations of one version, and what they say together. `kind` is one of `sweep` (with `vary`), `compare` (`against`, and `vary`), " +
	"`goal_seek` (`unknown`, `bracket`, `goal`), `sensitivity` (`vary`, `change`), `gum` (`uncertain`, `correlation`, `second_order`) and " +
	"`monte_carlo` (`uncertain`, `correlation`, `draws` or `digits`, `seed`). Numbers are SI, or have their unit as inputs have. " +
	"The answer has the plan with nothing left open; sent again, it gives the same bytes. With `units` or `unit`, the numbers are also in the table `shown`, in these units. Every 1,000 calculations of a study are a call."

// addStudyPaths adds the paths of studies.
func (d *document) addStudyPaths() {
	d.schemas["StudyPlan"] = planSchema()
	headerNames := slices.Concat(releaseHeaders, limitHeaders, []string{"Slipstick-Warnings"})
	operate := func(id, summary string) object {
		found := ok("What was found: a result, its numbers as CSV with `output=csv`, or a snapshot that was there before.", jsonMedia,
			object{"anyOf": list{schemaRef("StudyResult"), schemaRef("Snapshot")}}, headerNames...)
		found["content"].(object)["text/csv"] = object{"schema": text}
		responses := answers(found, calculationFailures)
		responses["201"] = ok("The snapshot is new.", jsonMedia, schemaRef("Snapshot"), append([]string{"Location"}, headerNames...)...)
		op := operation(tagCalculate, id, summary, studyDescription, pins, body("StudyPlan"), responses)
		output := parameter("query", "output", "Answer JSON, the numbers as CSV, or freeze the result as a snapshot.", object{"type": "string", "enum": list{"json", "csv", "snapshot"}, "default": "json"})
		op["parameters"] = append(append(list{output}, refs("parameters", "StudyUnitSystem", "StudyUnit")...), op["parameters"].(list)...)
		return op
	}
	d.paths["/api/v1/study"] = object{"post": operate("study", "Study a calculation")}
	d.paths["/api/v1/study/{id}"] = object{"parameters": list{ref("parameters", "CapabilityID")}, "post": operate("studyByID", "Study a capability")}
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
		"standard_uncertainty": value("Of normal; of t its scale."), "half_width": value("Of distributions with ends."),
		"inner_half_width":   value("Of the top of a trapezoid; for a curvilinear one how uncertain its half-width is."),
		"degrees_of_freedom": object{"type": "number", "exclusiveMinimum": 0, "description": "Of t; of another, how well its standard uncertainty is known."},
	}, "additionalProperties": false}, "description": "What is known of inputs, by name."}
	properties := object{
		"kind":          object{"type": "string", "enum": kinds, "description": "Which study."},
		"capability_id": described(text, "The capability, where the address does not name it."),
		"id":            described(text, "The same."), "tool": described(text, "The same, by its tool id."), "tool_id": described(text, "The same."),
		"inputs":              described(anything, "Inputs of the calculation around which the study is made."),
		"calculation_version": described(text, "Version pin."), "as_of": schemaRef("Moment"),
		"output":               object{"description": "Outputs to study: a name or a list of names. What people want first by default.", "anyOf": list{text, texts}},
		"vary":                 object{"description": "Inputs and their values: a list, or from, to and count or step, with spacing linear or logarithmic. The last input runs fastest. Of a sensitivity a list of names.", "anyOf": list{anything, texts}},
		"zip":                  described(flag, "Take the values of all inputs together, not every combination."),
		"against":              described(text, "The other version of a comparison."),
		"unknown":              described(text, "The input that is looked for."),
		"bracket":              object{"type": "array", "minItems": 2, "maxItems": 2, "items": value("An end."), "description": "Two values of it, at which the output lies on both sides of the goal."},
		"goal":                 value("What the output is to be."),
		"change":               object{"type": "number", "exclusiveMinimum": 0, "maximum": 1, "default": 0.1, "description": "By which part inputs are changed for a tornado chart."},
		"uncertain":            uncertain,
		"correlation":          object{"type": "array", "description": "Coefficients of correlation. Draws need normal inputs.", "items": closed("Two inputs and their coefficient.", object{"of": object{"type": "array", "items": text, "minItems": 2, "maxItems": 2}, "r": object{"type": "number", "minimum": -1, "maximum": 1}})},
		"coverage_probability": object{"type": "number", "minimum": 0.5, "maximum": 0.9999, "default": 0.95, "description": "Of intervals."},
		"second_order":         described(flag, "Also compute the terms of second order."),
		"draws":                whole("How many draws; 50,000 by default."), "digits": whole("Draw until that many digits of the uncertainty are stable, 1 or 2, in place of draws."),
		"max_draws": whole("With digits, draws at most."), "seed": whole("The same seed draws the same; 1 by default."), "bins": whole("Of the histogram; 50 by default."),
	}
	return object{"type": "object", "description": "What a study does. Which members it may have depends on its kind.", "properties": properties, "required": list{"kind"}, "additionalProperties": false}
}
