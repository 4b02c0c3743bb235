package pattern

import (
	"reflect"
	"regexp"
	"testing"
)

// Every method gives what the method of a Regexp gives.
func TestPattern(t *testing.T) {
	const expression, text = `([a-z])([0-9]+)`, "a1, b22, c"
	p, want := New(expression), regexp.MustCompile(expression)
	double := func(s string) string { return s + s }
	for name, got := range map[string][2]any{
		"MatchString":             {p.MatchString(text), want.MatchString(text)},
		"FindString":              {p.FindString(text), want.FindString(text)},
		"FindStringSubmatch":      {p.FindStringSubmatch(text), want.FindStringSubmatch(text)},
		"FindStringSubmatchIndex": {p.FindStringSubmatchIndex(text), want.FindStringSubmatchIndex(text)},
		"FindAllString":           {p.FindAllString(text, -1), want.FindAllString(text, -1)},
		"FindAllStringIndex":      {p.FindAllStringIndex(text, -1), want.FindAllStringIndex(text, -1)},
		"FindAllStringSubmatch":   {p.FindAllStringSubmatch(text, -1), want.FindAllStringSubmatch(text, -1)},
		"ReplaceAllString":        {p.ReplaceAllString(text, "$2"), want.ReplaceAllString(text, "$2")},
		"ReplaceAllStringFunc":    {p.ReplaceAllStringFunc(text, double), want.ReplaceAllStringFunc(text, double)},
	} {
		if !reflect.DeepEqual(got[0], got[1]) {
			t.Errorf("%s: %v, want %v", name, got[0], got[1])
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a wrong expression does not panic")
		}
	}()
	New("(").MatchString("")
}
