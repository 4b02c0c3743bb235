package study

import (
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/sdk"
)

func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }

// outside returns a rejection of a point with a number that is not finite, nil if all are finite.
func (s *Study) outside(point []float64) *sdk.Error {
	for k, x := range point {
		if !finite(x) {
			name := s.spec.Inputs[s.changed[k]].Name
			return sdk.Reject(sdk.CodeNonFiniteResult, name, "the study would change %s beyond the range of binary64 numbers", name).
				Suggest("Use a smaller " + name + ", or change it by less.")
		}
	}
	return nil
}

// check returns a problem if a number of the result is not finite, because JSON cannot have such numbers.
func (r *Result) check() error {
	path, ok := nonFinite(reflect.ValueOf(r).Elem(), nil)
	if !ok {
		return nil
	}
	// Results are lists by output, and a row has lists by output.
	what, place := path[len(path)-1], path[min(1, len(path)-1)]
	if r.Rows != nil {
		what, place = path[len(path)-2], what
	}
	output := r.Outputs[0].Name
	if i, err := strconv.Atoi(place); err == nil {
		output = r.Outputs[i].Name
	}
	return fault(sdk.CodeNonFiniteResult, output, "Use smaller uncertainties, a smaller change or a narrower range, or other inputs.",
		"the %s of %s is beyond the range of binary64 numbers", strings.ReplaceAll(what, "_", " "), output)
}

// nonFinite finds a number that is not finite, and the path of JSON names and indexes to it.
func nonFinite(v reflect.Value, path []string) ([]string, bool) {
	switch v.Kind() {
	case reflect.Float64:
		return path, !finite(v.Float())
	case reflect.Pointer:
		if !v.IsNil() {
			return nonFinite(v.Elem(), path)
		}
	case reflect.Slice:
		for i := range v.Len() {
			if v.Type().Elem().Kind() == reflect.Uint8 {
				break // JSON
			}
			if found, ok := nonFinite(v.Index(i), append(path, strconv.Itoa(i))); ok {
				return found, true
			}
		}
	case reflect.Struct:
		for field, of := range v.Fields() {
			at := path
			if !field.Anonymous {
				name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
				at = append(path, name)
			}
			if !field.IsExported() {
				continue
			}
			if found, ok := nonFinite(of, at); ok {
				return found, true
			}
		}
	}
	return nil, false
}
