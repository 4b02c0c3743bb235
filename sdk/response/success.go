// Package response writes the outcomes of engines as JSON. Use it in a server or a tool that
// answers callers. A [Template] has the part that all results of one release share. A [Success]
// adds one outcome, and [Success.AppendJSON] writes the success result of the interface.
// [AppendValue] and [AppendRecord] write single values. [InputSchema] and [OutputSchema] return the
// JSON Schemas of a capability. Equal results have equal bytes.
package response

import (
	"slices"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// Success is the success result of the interface (spec 2.1). Empty fields are left out.
type Success struct {
	*Template
	ID          string // the id that was requested
	Outcome     sdk.Outcome
	Presets     []value.Preset     // of inputs from published tables
	Conversions []value.Conversion // of inputs that were sent in another unit
	Notices     []sdk.Warning      // about the tables of Presets
	Steps       []Step             // worked steps, if they were requested
	Formatted   string             // the result for people in units that the caller asked for; "": in the units of the Spec
}

// Formula returns the formula that the outcome used, or nil if the Spec has none.
func (s *Success) Formula() *sdk.Formula {
	if i := s.Spec.Formula(s.Outcome.Formula); i >= 0 {
		return &s.Spec.Formulas[i]
	}
	return nil
}

// Assumptions returns the assumptions of the Spec, of the outcome, and of its inputs: their
// sources, and their conversions.
func (s *Success) Assumptions() []string {
	list := slices.Concat(s.Spec.Assumptions, s.Outcome.Assumptions)
	for _, p := range s.Presets {
		list = append(list, p.String())
	}
	for _, c := range s.Conversions {
		list = append(list, c.String())
	}
	return list
}

// AllWarnings returns the warnings of the outcome, about tables, and about the release.
func (s *Success) AllWarnings() []sdk.Warning {
	return slices.Concat(s.Outcome.Warnings, s.Notices, s.Template.Warnings)
}

// WarningCodes returns the codes of all warnings, each once. Several outputs can have the same
// warning.
func (s *Success) WarningCodes() []string {
	var codes []string
	for _, w := range s.AllWarnings() {
		if !slices.Contains(codes, w.Code) {
			codes = append(codes, w.Code)
		}
	}
	return codes
}

// Link is one entry of a result's links.
type Link struct{ Name, URI string }

// AppendJSON appends the result's JSON object. Its members have a fixed order, so equal
// results have equal bytes.
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
	if s.Formatted == "" {
		dst = appendFormatted(dst, spec.Outputs, o.Result, s.plain)
	} else {
		dst = AppendText(dst, s.Formatted)
	}
	dst = append(dst, "},"...)
	if ending := s.Ending(); ending != nil {
		return append(dst, ending...)
	}
	dst = s.appendEnding(dst, spec.Formula(o.Formula))
	if s.Steps != nil {
		dst = append(appendLegible(append(dst[:len(dst)-1], `,"steps":`...), s.Steps), '}')
	}
	return dst
}

// Ending returns the part of the JSON object from the formula to its end, if it is the same for other results. Else it
// returns nil. It must not be changed.
func (s *Success) Ending() []byte {
	s.prepare.Do(s.render)
	o := &s.Outcome
	if len(o.Assumptions)+len(o.Warnings)+len(s.Presets)+len(s.Conversions)+len(s.Notices) > 0 || s.Steps != nil {
		return nil
	}
	return s.endings[1+s.Spec.Formula(o.Formula)]
}

// appendEnding appends the members from the formula with this index to the links, and the end of the object.
func (s *Success) appendEnding(dst []byte, formula int) []byte {
	o := &s.Outcome
	if formula >= 0 {
		dst = append(dst, s.formulas[formula]...)
	}
	dst = append(append(dst, `"assumptions":[`...), s.assumed...)
	for _, text := range o.Assumptions {
		dst = append(AppendText(dst, text), ',')
	}
	for _, p := range s.Presets {
		dst = append(AppendText(dst, p.String()), ',')
	}
	for _, c := range s.Conversions {
		dst = append(AppendText(dst, c.String()), ',')
	}
	dst = append(trimComma(dst), `],"warnings":[`...)
	for i, w := range o.Warnings {
		dst = appendWarning(dst, i, w)
	}
	for i, w := range s.Notices {
		dst = appendWarning(dst, len(o.Warnings)+i, w)
	}
	for i, w := range s.Template.Warnings {
		dst = appendWarning(dst, len(o.Warnings)+len(s.Notices)+i, w)
	}
	return append(dst, s.tail...)
}

// AppendResult appends the JSON object of the result alone.
func (s *Success) AppendResult(dst []byte) []byte {
	s.prepare.Do(s.render)
	return appendNamed(dst, s.Spec.Outputs, s.outputs, s.Outcome.Result)
}

// appendNamed is AppendRecord with rendered names.
func appendNamed(dst []byte, fields []sdk.Field, names [][]byte, values []value.Value) []byte {
	dst = append(dst, '{')
	for i := range fields {
		if i < len(values) && values[i].Kind() != value.Absent {
			dst = append(dst, names[i]...)
			dst = append(AppendValue(dst, &fields[i], values[i]), ',')
		}
	}
	return append(trimComma(dst), '}')
}
