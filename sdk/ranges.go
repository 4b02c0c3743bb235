package sdk

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/sdk/value"
)

// CheckRanges rejects all sent numbers that are outside the ranges of their fields. Completed has the values of the
// inputs that were not sent too, because ranges can end at them. The error is an [*Error].
func (s *Spec) CheckRanges(sent, completed value.Values) error {
	return checkRanges(s.Inputs, sent, completed)
}

// checkRanges rejects all numbers outside the ranges of their fields together. It first checks
// ranges with fixed ends. If all numbers are within them, it checks ranges that end at another
// input, and finally the ranges of fields inside lists and objects.
func checkRanges(fields []Field, sent, completed []value.Value) error {
	number := numberAmong(fields, completed)
	for _, bound := range []bool{false, true} {
		var first *Error
		for i := range fields {
			f := &fields[i]
			if f.Range == nil || sent[i].Kind() == value.Absent || bound && f.Range.MinInput == "" && f.Range.MaxInput == "" {
				continue
			}
			within := f.Range
			if bound {
				within = f.Range.Within(number)
			}
			if !outside(within, sent[i]) {
				continue
			}
			constraint := "must be " + f.Range.Words(nil)
			if first == nil {
				first = Reject(f.Range.Code, f.Name, "%s is %s: it %s%s", f.Name, describe(sent[i]), constraint, within.given(f.Range))
				first.Suggestion = fmt.Sprintf("Give a value of %s %s%s.", f.Name, f.Range.Words(nil), inUnit(f.Unit))
			}
			first.Invalid = append(first.Invalid, InvalidParameter{f.Name, constraint})
		}
		if first != nil {
			return first
		}
	}
	return rejectStrays(strays(fields, sent, MaxNotes))
}

// Stray is a number inside a list or an object that is outside its range.
type Stray struct {
	Input  *Field
	Path   []string // from the input to the number, such as 0, thickness
	Field  *Field   // the field of the number, with its range
	Within *Range   // the range with fixed ends
	Value  value.Value
}

// Strays returns the numbers inside lists and objects that are outside the ranges of their
// fields. If a range ends at another field, it ends at the number of this field in the same
// object.
func (s *Spec) Strays(values value.Values) []Stray { return strays(s.Inputs, values, math.MaxInt) }

// strays returns at most this number of them, because a long list may have thousands.
func strays(inputs []Field, values []value.Value, most int) []Stray {
	w := strayWalk{most: most}
	for i := range min(len(inputs), len(values)) {
		w.input = &inputs[i]
		w.within(w.input, values[i])
	}
	return w.found
}

// strayWalk is a walk through the values inside an input.
type strayWalk struct {
	input *Field
	path  []step
	found []Stray
	most  int
}

// step leads into a field of an object, or into an item of a list if it has no name.
type step struct {
	name  string
	index int
}

// pathOf writes out the path of a stray.
func pathOf(steps []step) []string {
	path := make([]string, len(steps))
	for i, s := range steps {
		path[i] = s.name
		if s.name == "" {
			path[i] = strconv.Itoa(s.index)
		}
	}
	return path
}

func (w *strayWalk) within(f *Field, v value.Value) {
	switch {
	case v.Kind() == value.List && f.Items != nil && hasRange(f.Items):
		for i, item := range v.Items() {
			w.visit(f.Items, f.Items.Range, step{index: i}, item)
		}
	case v.Kind() == value.Record:
		for i, item := range v.Items() {
			r := f.Fields[i].Range
			if r != nil && (r.MinInput != "" || r.MaxInput != "") {
				r = r.Within(numberAmong(f.Fields, v.Items()))
			}
			w.visit(&f.Fields[i], r, step{name: f.Fields[i].Name}, item)
		}
	}
}

func (w *strayWalk) visit(f *Field, r *Range, into step, v value.Value) {
	w.path = append(w.path, into)
	if r != nil && len(w.found) < w.most && outside(r, v) {
		w.found = append(w.found, Stray{w.input, pathOf(w.path), f, r, v})
	}
	w.within(f, v)
	w.path = w.path[:len(w.path)-1]
}

// hasRange reports whether f, or a field inside it, has a range. Without one, long lists of
// plain numbers need no check.
func hasRange(f *Field) bool {
	return f.Range != nil || f.Items != nil && hasRange(f.Items) ||
		slices.ContainsFunc(f.Fields, func(f Field) bool { return hasRange(&f) })
}

// rejectStrays returns the rejection of the numbers. It names the first [MaxNotes] of them.
func rejectStrays(found []Stray) error {
	if len(found) == 0 {
		return nil // not an *Error: a nil *Error is not a nil error
	}
	var e *Error
	constraints := map[*Range]string{} // numbers in a list share the range
	for _, s := range found[:min(len(found), MaxNotes)] {
		constraint := constraints[s.Field.Range]
		if constraint == "" {
			constraint = "must be " + s.Field.Range.Words(nil)
			constraints[s.Field.Range] = constraint
		}
		place := s.Input.Name + "." + strings.Join(s.Path, ".")
		if e == nil {
			e = Reject(s.Field.Range.Code, s.Input.Name, "%s is %s: it %s%s", place, describe(s.Value), constraint, s.Within.given(s.Field.Range))
			e.Suggestion = fmt.Sprintf("Give a value of %s %s%s.", place, strings.TrimPrefix(constraint, "must be "), inUnit(s.Field.Unit))
			e.Invalid = make([]InvalidParameter, 0, min(len(found), MaxNotes))
		}
		e.Invalid = append(e.Invalid, InvalidParameter{place, constraint})
	}
	return e
}

// numberAmong returns a function that looks up the number of a field by name.
func numberAmong(fields []Field, values []value.Value) func(name string) (float64, bool) {
	return func(name string) (float64, bool) {
		for i := range fields { // by index: a Field is large
			if fields[i].Name != name {
				continue
			}
			switch v := values[i]; v.Kind() {
			case value.Number:
				return v.Number(), true
			case value.Exact:
				return decimalOf(v).Float, true
			}
		}
		return 0, false
	}
}

// given describes the values of the inputs at which the range ends.
func (r *Range) given(declared *Range) string {
	var text []string
	for _, end := range []struct {
		name string
		at   *float64
	}{{declared.MinInput, r.Min}, {declared.MaxInput, r.Max}} {
		if end.name != "" && end.at != nil {
			text = append(text, end.name+" is "+formatShortest(*end.at))
		}
	}
	if len(text) == 0 {
		return ""
	}
	return ", and " + strings.Join(text, ", ")
}

func outside(r *Range, v value.Value) bool {
	switch v.Kind() {
	case value.Number:
		return !r.Contains(v.Number())
	case value.Exact:
		return !r.Contains(decimalOf(v).Float)
	case value.List:
		for _, item := range v.Items() {
			if outside(r, item) {
				return true
			}
		}
	}
	return false
}

func describe(v value.Value) string {
	switch v.Kind() {
	case value.Number:
		return formatShortest(v.Number())
	case value.List:
		return "a list with a value outside"
	}
	return v.Text()
}

func inUnit(unit string) string {
	if unit == "" {
		return ""
	}
	return ", in " + unit
}
