package sdk

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Frame is what all results of one release have in common. What it renders, it renders
// once.
type Frame struct {
	Spec         *Spec
	Verification Verification
	APIVersion   string // left out, with APIContract, when empty
	APIContract  string
	Page         string    // address of the calculator's page; left out when empty
	Warnings     []Warning // about the release itself, after those of each outcome
	Links        []Link

	prepare  sync.Once
	head     []byte // from status to the tool
	engine   []byte // from the engine to the inputs
	inputs   [][]byte
	outputs  [][]byte
	formulas [][]byte
	assumed  []byte // assumptions of the Spec, each with a comma
	tail     []byte // from the verification to the end
	size     int64
}

// Success is the success result of the interface (spec 2.1). What is empty is left out.
type Success struct {
	*Frame
	ID          string // the id that was requested
	Outcome     Outcome
	Conversions []Conversion // of inputs that were sent in another unit
}

// Formula is the formula that the outcome used, nil if the Spec has none.
func (s *Success) Formula() *Formula { return s.Spec.formula(s.Outcome.Formula) }

// Assumptions are those of the Spec, of the outcome, and of the conversions of its
// inputs.
func (s *Success) Assumptions() []string {
	list := slices.Concat(s.Spec.Assumptions, s.Outcome.Assumptions)
	for _, c := range s.Conversions {
		list = append(list, c.String())
	}
	return list
}

// AllWarnings are those of the outcome and those about the release.
func (s *Success) AllWarnings() []Warning {
	return slices.Concat(s.Outcome.Warnings, s.Frame.Warnings)
}

// Link is one entry of a result's links.
type Link struct{ Name, URI string }

// render makes the constant parts.
func (f *Frame) render() {
	spec := f.Spec
	f.head = appendMember(appendMember(nil, "status", "success"), "capability_id", spec.Capability)
	f.engine = append(appendMember(nil, "engine", spec.Tool+"@"+spec.Version), `"inputs":`...)
	f.inputs, f.outputs = renderNames(spec.Inputs), renderNames(spec.Outputs)
	for i := range spec.Formulas {
		f.formulas = append(f.formulas, appendFormula(nil, &spec.Formulas[i]))
	}
	for _, text := range spec.Assumptions {
		f.assumed = append(AppendText(f.assumed, text), ',')
	}
	t := append([]byte(nil), `],"verification":`...)
	t = append(appendMarshalled(t, f.Verification), ',')
	t = appendMember(t, "calculation_version", spec.Version)
	if f.APIVersion != "" {
		t = appendMember(t, "api_version", f.APIVersion)
		t = appendMember(t, "api_contract_version", f.APIContract)
	}
	t = appendMember(t, "spec_version", spec.Contract)
	if f.Page != "" {
		t = appendMember(t, "page", f.Page)
	}
	if len(f.Links) > 0 {
		t = append(t, `"links":{`...)
		for _, l := range f.Links {
			t = appendMember(t, l.Name, l.URI)
		}
		t = append(trimComma(t), "},"...)
	}
	f.tail = append(trimComma(t), '}')
	f.measure()
}

// Size is how many bytes of a rendered result are the same in every one, about.
func (f *Frame) Size() int64 {
	f.prepare.Do(f.render)
	return f.size
}

func (f *Frame) measure() {
	n := len(f.head) + len(f.engine) + len(f.tail)
	for _, part := range slices.Concat(f.inputs, f.outputs, f.outputs, f.formulas) {
		n += len(part)
	}
	for _, text := range f.Spec.Assumptions {
		n += len(text)
	}
	f.size = int64(n)
}

func renderNames(fields []Field) [][]byte {
	names := make([][]byte, len(fields))
	for i := range fields {
		names[i] = appendName(nil, fields[i].Name)
	}
	return names
}

// AppendJSON appends the result's JSON object. Its members have a fixed order, so
// equal results are equal bytes.
func (s *Success) AppendJSON(dst []byte) []byte {
	s.prepare.Do(s.render)
	spec, o := s.Spec, &s.Outcome
	dst = append(dst, '{')
	if s.ID != "" {
		dst = appendMember(dst, "id", s.ID)
	}
	dst = append(dst, s.head...)
	if s.ID != "" {
		dst = appendMember(dst, "tool", s.ID)
	}
	dst = append(dst, s.engine...)
	dst = appendNamed(dst, spec.Inputs, s.inputs, o.Inputs)
	dst = append(dst, `,"result":`...)
	from := len(dst)
	dst = appendNamed(dst, spec.Outputs, s.outputs, o.Result)
	result := dst[from:len(dst):len(dst)]
	dst = append(dst, `,"result_detail":{"value":`...)
	dst = append(dst, result...)
	dst = append(dst, `,"unit":`...)
	if unit := sharedUnit(spec.Outputs, o.Result); unit == "" {
		dst = append(dst, "null"...)
	} else {
		dst = AppendText(dst, unit)
	}
	dst = append(dst, `,"formatted":`...)
	dst = appendFormatted(dst, spec.Outputs, o.Result)
	dst = append(dst, "},"...)
	if i := spec.formulaIndex(o.Formula); i >= 0 {
		dst = append(dst, s.formulas[i]...)
	}
	dst = append(append(dst, `"assumptions":[`...), s.assumed...)
	for _, text := range o.Assumptions {
		dst = append(AppendText(dst, text), ',')
	}
	for _, c := range s.Conversions {
		dst = append(AppendText(dst, c.String()), ',')
	}
	dst = append(trimComma(dst), `],"warnings":[`...)
	for i, w := range o.Warnings {
		dst = appendWarning(dst, i, w)
	}
	for i, w := range s.Frame.Warnings {
		dst = appendWarning(dst, len(o.Warnings)+i, w)
	}
	return append(dst, s.tail...)
}

// AppendResult appends the JSON object of the result alone.
func (s *Success) AppendResult(dst []byte) []byte {
	s.prepare.Do(s.render)
	return appendNamed(dst, s.Spec.Outputs, s.outputs, s.Outcome.Result)
}

// appendNamed is AppendRecord with rendered names.
func appendNamed(dst []byte, fields []Field, names [][]byte, values []Value) []byte {
	dst = append(dst, '{')
	for i := range fields {
		if i < len(values) && values[i].kind != Absent {
			dst = append(dst, names[i]...)
			dst = append(AppendValue(dst, &fields[i], values[i]), ',')
		}
	}
	return append(trimComma(dst), '}')
}

// sharedUnit is the unit that all numeric outputs share, "" if they differ.
func sharedUnit(outputs []Field, result Values) string {
	unit, numeric := "", false
	for i := range result {
		if result[i].kind != Number {
			continue
		}
		if numeric && outputs[i].Unit != unit {
			return ""
		}
		unit, numeric = outputs[i].Unit, true
	}
	return unit
}

// Format gives the unit that all numeric outputs share, "" if they differ, and the
// result for people: six significant digits and the unit, with names where there is
// more than one numeric output.
func Format(outputs []Field, result Values) (unit, formatted string) {
	return sharedUnit(outputs, result), string(appendFormat(nil, outputs, result))
}

// appendFormatted appends Format as a JSON string.
func appendFormatted(dst []byte, outputs []Field, result Values) []byte {
	dst = append(dst, '"')
	from := len(dst)
	dst = appendFormat(dst, outputs, result)
	for _, c := range dst[from:] {
		if !plain(c) {
			return AppendText(dst[:from-1], string(dst[from:]))
		}
	}
	return append(dst, '"')
}

func appendFormat(dst []byte, outputs []Field, result Values) []byte {
	numeric, last := 0, 0
	for i := range result {
		if result[i].kind == Number {
			numeric, last = numeric+1, i
		}
	}
	if numeric == 1 {
		return appendQuantity(dst, result[last].num, outputs[last].Unit)
	}
	some := false
	for i, v := range result {
		if v.kind == Absent {
			continue
		}
		if some {
			dst = append(dst, "; "...)
		}
		some = true
		dst = append(append(dst, outputs[i].Name...), '=')
		if v.kind == Number {
			dst = appendQuantity(dst, v.num, outputs[i].Unit)
		} else {
			dst = append(dst, strings.Trim(string(AppendValue(nil, &outputs[i], v)), `"`)...)
		}
	}
	return dst
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
		for _, item := range v.Items() {
			dst = append(AppendValue(dst, f.Items, item), ',')
		}
		return append(trimComma(dst), ']')
	case Record:
		return AppendRecord(dst, f.Fields, v.Items())
	}
	return append(dst, "null"...)
}

// AppendText appends s as a JSON string. It escapes <, > and & too, so that the
// bytes are safe inside HTML.
func AppendText(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if !plain(s[i]) {
			return appendMarshalled(dst, s)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}

// plain reports whether the byte stands for itself in a JSON string and in HTML.
func plain(c byte) bool {
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&'
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
