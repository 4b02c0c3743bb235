package openapi

// specSchemas describe the JSON form of sdk.Spec.
func specSchemas() object {
	return object{
		"Spec": closed("The engine's own description of a capability at one version.", object{
			"spec_version":  described(text, "Version of the contract between host and engine."),
			"capability_id": text, "calculation_version": text, "tool": text, "group": text, "title": text, "summary": text,
			"keywords": described(texts, "Words by which people look for it who know none of the others."),
			"inputs":   arrayOf(schemaRef("Field")),
			"outputs":  arrayOf(schemaRef("Field")),
			"formulas": arrayOf(closed("A formula that the engine evaluates.", object{
				"id": text, "expression": text, "label": text, "latex": text,
				"symbols": described(object{"type": "object", "additionalProperties": text}, "Symbols of fields in this formula, by field name, where they are not the fields' own."),
			}, "label", "latex", "symbols")),
			"assumptions":     texts,
			"sign_convention": text,
			"references":      arrayOf(closed("A source of a formula or constant.", object{"title": text, "where": text}, "where")),
			"limits": arrayOf(closed("A bound within which the formulas can be trusted.", object{
				"quantity": text, "minimum": number, "maximum": number, "unit": text,
				"warning": described(text, "Code of the warning beyond it."), "doc": text,
			}, "minimum", "maximum", "unit", "warning", "doc")),
			"plots": arrayOf(closed("A picture of a calculation, which its page shows.", object{
				"id": text, "title": text, "summary": text, "x": schemaRef("Axis"), "y": schemaRef("Axis"),
				"down":     described(flag, "Whether y grows downwards."),
				"to_scale": described(flag, "Whether one unit is as long on both axes."),
			}, "summary", "down", "to_scale")),
			"read_only_paths": described(texts, "What the engine has to read of the system it runs on."),
			"errors":          described(texts, "Codes of rejections, beside those of ranges."),
			"warnings":        described(texts, "Codes of warnings."),
			"verification":    described(anything, "What the author claims. What the evidence supports is in the verification record."),
		}, "formulas", "assumptions", "sign_convention", "references", "errors", "warnings", "verification",
			"keywords", "limits", "plots", "read_only_paths"),
		"Axis": closed("What is drawn along one side of a plot.", object{"label": text, "symbol": described(text, "As LaTeX."), "unit": text}, "symbol", "unit"),
		"Field": closed("An input or output quantity.", object{
			"name":           described(text, "Canonical; items of arrays have none."),
			"aliases":        texts,
			"type":           object{"type": "string", "enum": list{"number", "integer", "string", "boolean", "array", "object"}},
			"unit":           described(text, "SI unit; absent if dimensionless."),
			"required":       flag,
			"default":        described(text, "As text of the field's type."),
			"decimal_string": described(flag, "Whether an exact decimal literal may be sent as a string."),
			"enum":           texts,
			"enum_aliases":   arrayOf(closed("Another spelling of a value.", object{"alias": text, "value": text})),
			"range": closed("Legal values, and the code of leaving them.", object{
				"minimum": number, "maximum": number,
				"minimum_input": described(text, "Input whose value is the minimum."), "maximum_input": described(text, "Input whose value is the maximum."),
				"minimum_excluded": flag, "maximum_excluded": flag, "code": text,
			}, "minimum", "maximum", "minimum_input", "maximum_input", "minimum_excluded", "maximum_excluded"),
			"doc":      text,
			"label":    described(text, "What forms call it."),
			"symbol":   described(text, "What formulas call it, as LaTeX."),
			"advanced": described(flag, "Whether most callers leave it alone."),
			"items":    schemaRef("Field"),
			"fields":   arrayOf(schemaRef("Field")),
		}, "name", "aliases", "unit", "required", "default", "decimal_string", "enum", "enum_aliases", "range", "doc", "label", "symbol", "advanced", "items", "fields"),
	}
}
