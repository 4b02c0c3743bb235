package address

import (
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// Keys of a URL that ask for more than one calculation. A form without scripts sends the keys of controls. They replace the
// other keys, and the server redirects to a URL without them.
const (
	VaryKey    = "vary"      // FIELD:FROM:TO:POINTS, then :log for logarithmic steps
	ShowKey    = "vary.show" // an output to draw
	CompareKey = "compare"   // another version
	WithPrefix = "with."     // an input of the second set, or its unit

	StudyPrefix = "study." // keys of a study page, in addition to the inputs

	varyControl    = "vary." // field, from, to, unit, points, steps, output
	compareControl = "compare.with"
	WithControl    = "with.to."
)

// Study holds the calculations that the URL asks for in addition to the result.
type Study struct {
	Vary    []string
	Show    []string
	Compare []string
	With    []Pair // names and values; the name of a unit ends with ".unit"

	controls []Pair // controls of a form
}

// maxStudy is the maximum number of keys of each kind: one more than a page accepts.
const maxStudy = 64

// isStudyKey reports whether the key belongs to a study. Such keys also count with a blank value.
func isStudyKey(key string) bool {
	return key == VaryKey || key == CompareKey || key == compareControl || strings.HasPrefix(key, varyControl) || strings.HasPrefix(key, WithPrefix)
}

// varyControlNames are the controls of an input that is varied.
var varyControlNames = []string{"field", "from", "to", "unit", "points", "steps", "output"}

func isVaryControl(key string) bool {
	name, ours := strings.CutPrefix(key, varyControl)
	return ours && slices.Contains(varyControlNames, name)
}

// add reads a key of a query, and reports whether it belongs to the study.
func (s *Study) add(key, text string) bool {
	blank := strings.TrimSpace(text) == ""
	switch {
	case !isStudyKey(key), strings.HasPrefix(key, varyControl) && key != ShowKey && !isVaryControl(key):
		return false
	case len(s.Vary)+len(s.Show)+len(s.Compare)+len(s.With)+len(s.controls) >= 4*maxStudy:
	case key == VaryKey && !blank:
		s.Vary = append(s.Vary, text)
	case key == ShowKey && !blank:
		s.Show = append(s.Show, text)
	case key == CompareKey && !blank:
		s.Compare = append(s.Compare, text)
	case key == compareControl, strings.HasPrefix(key, WithControl), isVaryControl(key):
		s.controls = append(s.controls, Pair{key, text})
	case strings.HasPrefix(key, WithPrefix):
		s.With = append(s.With, Pair{strings.TrimPrefix(key, WithPrefix), text})
	}
	return true
}

// Empty reports whether the URL asks for no study.
func (s *Study) Empty() bool {
	return len(s.Vary)+len(s.Show)+len(s.Compare)+len(s.With) == 0
}

// pairs returns the keys of a URL that asks for the same study.
func (s *Study) pairs() []Pair {
	var list []Pair
	add := func(key string, values []string) {
		for _, v := range values {
			list = append(list, Pair{key, v})
		}
	}
	add(VaryKey, s.Vary)
	add(ShowKey, s.Show)
	add(CompareKey, s.Compare)
	for _, w := range s.With {
		list = append(list, Pair{WithPrefix + w.Key, w.Value})
	}
	return list
}

// settle replaces keys by the controls of a form, and reports whether there were any. first has the inputs of the first set
// as a URL has them; the second set keeps only its differences.
func (s *Study) settle(spec *sdk.Spec, first map[string]string) bool {
	if len(s.controls) == 0 {
		return false
	}
	var rows []map[string]string
	var outputs []string
	var second []Pair
	for _, c := range s.controls {
		name := strings.TrimPrefix(c.Key, varyControl)
		switch {
		case c.Key == compareControl:
			s.Compare = nil
			if c.Value != "" {
				s.Compare = []string{c.Value}
			}
		case strings.HasPrefix(c.Key, WithControl):
			second = append(second, Pair{strings.TrimPrefix(c.Key, WithControl), strings.TrimSpace(c.Value)})
		case name == "field":
			rows = append(rows, map[string]string{name: c.Value})
		case name == "output":
			outputs = append(outputs, c.Value)
		case len(rows) > 0:
			rows[len(rows)-1][name] = strings.TrimSpace(c.Value)
		}
	}
	if rows != nil {
		s.Vary, s.Show = nil, outputs
		for _, row := range rows {
			if text := varyText(spec, row); text != "" {
				s.Vary = append(s.Vary, text)
			}
		}
	}
	if second != nil {
		s.With = differing(second, first)
	}
	s.controls = nil
	return true
}

// varyText returns the value of the key vary for the controls of a row, "" if they name no field.
func varyText(spec *sdk.Spec, row map[string]string) string {
	name := row["field"]
	if at := spec.Input(name); name == "" || at >= 0 && wording.IsChoice(&spec.Inputs[at]) || row["from"] == "" && row["to"] == "" {
		return name
	}
	text := name
	for _, end := range []string{row["from"], row["to"]} {
		if _, err := strictjson.ParseNumber(end); err == nil && row["unit"] != "" {
			end += " " + row["unit"]
		}
		text += ":" + end
	}
	text += ":" + row["points"]
	if row["steps"] == "log" {
		text += ":log"
	}
	return text
}

// differing returns the entries of the second set that differ from the first set. If none differs, it returns the first
// entry, because a URL without entries has no second set.
func differing(second []Pair, first map[string]string) []Pair {
	values := map[string]string{}
	for _, w := range second {
		values[w.Key] = w.Value
	}
	var list []Pair
	for _, w := range second {
		name := strings.TrimSuffix(w.Key, UnitSuffix)
		unit, sent := values[name+UnitSuffix]
		same := values[name] == first[name] && (values[name] == "" || !sent || unit == first[name+UnitSuffix])
		if !same && (w.Key == name || w.Value != "" && values[name] != "") {
			list = append(list, w)
		}
	}
	if len(list) == 0 && len(second) > 0 {
		list = second[:1]
	}
	return list
}
