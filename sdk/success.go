package sdk

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Success is the success result of the interface (spec 2.1). Spec, Outcome and
// Verification are required; the rest is left out when empty.
type Success struct {
	ID           string // the id that was requested
	Spec         *Spec
	Outcome      Outcome
	Conversions  []string // one sentence per input that was converted from another unit
	Verification Verification
	APIVersion   string
	APIContract  string
	Links        []Link
}

// Formula is the formula that the outcome used, nil if the Spec has none.
func (s *Success) Formula() *Formula { return s.Spec.formula(s.Outcome.Formula) }

// Assumptions are those of the Spec, of the outcome, and of the conversions of its
// inputs.
func (s *Success) Assumptions() []string {
	return slices.Concat(s.Spec.Assumptions, s.Outcome.Assumptions, s.Conversions)
}

// Link is one entry of a result's links.
type Link struct{ Name, URI string }

// AppendJSON appends the result's JSON object. Its members have a fixed order, so
// equal results are equal bytes.
func (s *Success) AppendJSON(dst []byte) []byte {
	spec, o := s.Spec, &s.Outcome
	dst = append(dst, '{')
	if s.ID != "" {
		dst = appendMember(dst, "id", s.ID)
	}
	dst = appendMember(dst, "status", "success")
	dst = appendMember(dst, "capability_id", spec.Capability)
	if s.ID != "" {
		dst = appendMember(dst, "tool", s.ID)
	}
	dst = appendMember(dst, "engine", spec.Tool+"@"+spec.Version)
	dst = append(dst, `"inputs":`...)
	dst = AppendRecord(dst, spec.Inputs, o.Inputs)
	dst = append(dst, `,"result":`...)
	from := len(dst)
	dst = AppendRecord(dst, spec.Outputs, o.Result)
	result := dst[from:len(dst):len(dst)]
	dst = append(dst, `,"result_detail":{"value":`...)
	dst = append(dst, result...)
	unit, formatted := Format(spec.Outputs, o.Result)
	dst = append(dst, `,"unit":`...)
	if unit == "" {
		dst = append(dst, "null"...)
	} else {
		dst = AppendText(dst, unit)
	}
	dst = append(dst, `,"formatted":`...)
	dst = AppendText(dst, formatted)
	dst = append(dst, "},"...)
	if f := s.Formula(); f != nil {
		dst = appendFormula(dst, f)
	}
	dst = appendTexts(dst, "assumptions", s.Assumptions())
	dst = append(dst, `"warnings":[`...)
	for i, w := range o.Warnings {
		dst = appendWarning(dst, i, w)
	}
	dst = append(dst, `],"verification":`...)
	dst = appendMarshalled(dst, s.Verification)
	dst = append(dst, ',')
	dst = appendMember(dst, "calculation_version", spec.Version)
	if s.APIVersion != "" {
		dst = appendMember(dst, "api_version", s.APIVersion)
		dst = appendMember(dst, "api_contract_version", s.APIContract)
	}
	dst = appendMember(dst, "spec_version", spec.Contract)
	if len(s.Links) > 0 {
		dst = append(dst, `"links":{`...)
		for _, l := range s.Links {
			dst = appendMember(dst, l.Name, l.URI)
		}
		dst = append(trimComma(dst), "},"...)
	}
	return append(trimComma(dst), '}')
}

// Format gives the unit that all numeric outputs share, "" if they differ, and the
// result for people: six significant digits and the unit, with names where there
// is more than one numeric output.
func Format(outputs []Field, result Values) (unit, formatted string) {
	var numeric []int
	shared := true
	for i, v := range result {
		if v.kind == Number {
			numeric = append(numeric, i)
			shared = shared && outputs[i].Unit == outputs[numeric[0]].Unit
		}
	}
	if len(numeric) > 0 && shared {
		unit = outputs[numeric[0]].Unit
	}
	if len(numeric) == 1 {
		return unit, formatQuantity(result[numeric[0]].num, unit)
	}
	var parts []string
	for i, v := range result {
		switch v.kind {
		case Absent:
		case Number:
			parts = append(parts, outputs[i].Name+"="+formatQuantity(v.num, outputs[i].Unit))
		default:
			parts = append(parts, outputs[i].Name+"="+strings.Trim(string(AppendValue(nil, &outputs[i], v)), `"`))
		}
	}
	return unit, strings.Join(parts, "; ")
}

// AppendRecord appends the JSON object of one value per field. Absent fields are
// left out.
func AppendRecord(dst []byte, fields []Field, values []Value) []byte {
	dst = append(dst, '{')
	for i := range fields {
		if i < len(values) && values[i].kind != Absent {
			dst = appendName(dst, fields[i].Name)
			dst = AppendValue(dst, &fields[i], values[i])
			dst = append(dst, ',')
		}
	}
	return append(trimComma(dst), '}')
}

// AppendValue appends the JSON form of one value of a field.
func AppendValue(dst []byte, f *Field, v Value) []byte {
	switch v.kind {
	case Number:
		return AppendNumber(dst, v.num)
	case Bool:
		return strconv.AppendBool(dst, v.Bool())
	case Text, Exact:
		return AppendText(dst, v.text)
	case List:
		dst = append(dst, '[')
		for _, item := range v.list {
			dst = append(AppendValue(dst, f.Items, item), ',')
		}
		return append(trimComma(dst), ']')
	case Record:
		return AppendRecord(dst, f.Fields, v.list)
	}
	return append(dst, "null"...)
}

// AppendText appends s as a JSON string. It escapes <, > and & too, so that the
// bytes are safe inside HTML.
func AppendText(dst []byte, s string) []byte {
	plain := true
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c >= 0x7f || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			plain = false
			break
		}
	}
	if plain {
		dst = append(dst, '"')
		dst = append(dst, s...)
		return append(dst, '"')
	}
	return appendMarshalled(dst, s)
}

func appendMarshalled(dst []byte, v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings and flat structs of strings and bools always marshal
	}
	return append(dst, b...)
}

func appendName(dst []byte, name string) []byte { return append(AppendText(dst, name), ':') }

func appendMember(dst []byte, name, value string) []byte {
	return append(AppendText(appendName(dst, name), value), ',')
}

func appendFormula(dst []byte, f *Formula) []byte {
	dst = append(dst, `"formula":{`...)
	dst = appendMember(dst, "id", f.ID)
	dst = appendMember(dst, "expression", f.Expression)
	if f.Label != "" {
		dst = appendMember(dst, "label", f.Label)
	}
	return append(trimComma(dst), "},"...)
}

func appendTexts(dst []byte, name string, texts []string) []byte {
	dst = append(appendName(dst, name), '[')
	for _, text := range texts {
		dst = append(AppendText(dst, text), ',')
	}
	return append(trimComma(dst), "],"...)
}

func appendWarning(dst []byte, i int, w Warning) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	dst = append(dst, '{')
	dst = appendMember(dst, "code", w.Code)
	for _, m := range []struct{ name, value string }{
		{"severity", string(w.Severity)}, {"detail", w.Detail}, {"suggestion", w.Suggestion},
	} {
		if m.value != "" {
			dst = appendMember(dst, m.name, m.value)
		}
	}
	return append(trimComma(dst), '}')
}

func trimComma(dst []byte) []byte {
	if n := len(dst); n > 0 && dst[n-1] == ',' {
		return dst[:n-1]
	}
	return dst
}
