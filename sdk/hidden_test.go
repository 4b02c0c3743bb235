package sdk_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk"
)

// fill gives each text of a value invisible characters, and returns the number of texts.
func fill(v reflect.Value, depth int) (texts int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("a\u202eb")
		return 1
	case reflect.Pointer:
		if depth == 0 {
			return 0
		}
		v.Set(reflect.New(v.Type().Elem()))
		return fill(v.Elem(), depth-1)
	case reflect.Slice:
		if depth == 0 {
			return 0
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		return fill(v.Index(0), depth-1)
	case reflect.Map:
		key, element := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		texts = fill(key, depth) + fill(element, depth)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, element)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				texts += fill(v.Field(i), depth)
			}
		}
	}
	return texts
}

// A Spec with an invisible character is refused, and the error names its place.
func TestHiddenCharactersAreRefused(t *testing.T) {
	var s sdk.Spec
	texts := fill(reflect.ValueOf(&s).Elem(), 4)
	var places []string
	for line := range strings.SplitSeq(s.Validate().Error(), "\n") {
		place, what, _ := strings.Cut(line, ": ")
		if strings.HasPrefix(what, `"a\u202eb" has the character U+202E`) {
			places = append(places, place)
		}
	}
	definitions := 1
	for u := s.Uses; len(u) > 0 && u[0].Spec != nil; u = u[0].Spec.Uses {
		definitions++
	}
	if len(places) < texts-definitions { // they have their own errors
		t.Errorf("%d of %d texts are refused: %q", len(places), texts, places)
	}
	for _, want := range []string{
		"title", "summary", "changes", "assumptions[0]", "references[0].title", "inputs[0].label", "inputs[0].doc", "inputs[0].enum[0]",
		"inputs[0].items.label", "outputs[0].fields[0].doc", "formulas[0].label", "plots[0].title",
	} {
		if !slices.Contains(places, want) {
			t.Errorf("%s is not refused", want)
		}
	}
	definition := column()
	definition.Definition = strings.Replace(definition.Definition, "K = 1", "K\u200b = 1", 1)
	if err := definition.Validate(); err == nil || !strings.Contains(err.Error(), "U+200B cannot be seen") {
		t.Errorf("a Definition: %v", err)
	}
}
