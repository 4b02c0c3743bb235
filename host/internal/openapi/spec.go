package openapi

// specSchemas describe the JSON form of sdk.Spec.
func specSchemas() object {
	return object{
		"Spec": closed("The engine's own description of a capability at one version.", object{
			"spec_version":  described(text, "Version of the contract between host and engine."),
			"capability_id": text, "calculation_version": text, "tool": text, "group": text, "title": text, "summary": text,
			"inputs":          arrayOf(schemaRef("Field")),
			"outputs":         arrayOf(schemaRef("Field")),
			"formulas":        arrayOf(closed("A formula that the engine evaluates.", object{"id": text, "expression": text, "label": text, "latex": text}, "label", "latex")),
			"assumptions":     texts,
			"sign_convention": text,
			"references":      arrayOf(closed("A source of a formula or constant.", object{"title": text, "where": text}, "where")),
			"errors":          described(texts, "Codes of rejections, beside those of ranges."),
			"warnings":        described(texts, "Codes of warnings."),
			"verification":    described(anything, "What the author claims. What the evidence supports is in the verification record."),
		}, "formulas", "assumptions", "sign_convention", "references", "errors", "warnings", "verification"),
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
				"minimum": object{"type": "number"}, "maximum": object{"type": "number"},
				"minimum_excluded": flag, "maximum_excluded": flag, "code": text,
			}, "minimum", "maximum", "minimum_excluded", "maximum_excluded"),
			"doc":    text,
			"items":  schemaRef("Field"),
			"fields": arrayOf(schemaRef("Field")),
		}, "name", "aliases", "unit", "required", "default", "decimal_string", "enum", "enum_aliases", "range", "doc", "items", "fields"),
	}
}
