package text

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
)

// The texts of checks show numbers with 4 digits or with all of them, in the unit of a field or in another one.
func TestTextsShowNumbers(t *testing.T) {
	source, err := os.ReadFile("testdata/tension.calc.md")
	if err != nil {
		t.Fatal(err)
	}
	const condition = "if eta > 1\n"
	at := strings.Index(string(source), condition) + len(condition)
	end := strings.Index(string(source)[at:], "\n") + at
	with := func(text string) []byte { return []byte(string(source[:at]) + "  " + text + string(source[end:])) }
	eta := fmt.Sprint(400000 / 274752.) // vector V3
	for text, want := range map[string]string{
		"{eta}, {d_0}":                         "1.456, 22 mm",
		"{eta exactly}, {d_0 exactly}":         eta + ", 22 mm",
		"{d_0 exactly in m}, {d_0 in m}":       "0.022 m, 0.022 m",
		"{N_Ed/3 exactly in N}, {N_Ed/3 in N}": fmt.Sprint(400000/3.) + " N, 133300 N",
		"{n exactly}, {governs exactly}":       "2, rupture",
		"{{exactly}}":                          "{exactly}",
	} {
		e, err := Bind("t.calc.md", with(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		in, ok := e.read(&e.vectors[2])
		if !ok {
			t.Fatal("vector V3 cannot be read")
		}
		o, err := e.Calculate(context.Background(), in)
		if err != nil || len(o.Warnings) != 1 || o.Warnings[0].Detail != want {
			t.Errorf("%s: %+v, error %v, want %s", text, o.Warnings, err, want)
		}
	}
	for text, want := range map[string]string{
		"{exactly}":                 "exactly is not an input, and nothing above defines it",
		"{d_0 exactly in MPa}":      "d_0 is in m, and MPa is a unit of another quantity",
		"{d_0 in mm exactly}":       `unit "mm exactly" is not known: is it mm?`,
		"{definition of n exactly}": "n exactly is not an input with units as its words, and only these have definitions",
		"{ exactly}":                "exactly is not an input, and nothing above defines it",
		"{eta exact}":               `"exact" is left over`,
	} {
		_, err := Bind("t.calc.md", with(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%v\nwant %s", text, err, want)
		}
	}
}
