package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const someReasons = `engines: units/convert/length units/convert/angle

Both are zero.
	Input.mean
		if a < b {
			a < b -> a <= b
			0 -> 1 #2
		* number: 2
	the formula
		* any: 1

It is drawn.
	exchanged
		* comparison: 1
`

func parse(t *testing.T, text string) (*reasons, error) {
	path := filepath.Join(t.TempDir(), "survivors.txt")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return readReasons(path)
}

func TestReadReasons(t *testing.T) {
	r, err := parse(t, someReasons)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{module + "units/convert/length", module + "units/convert/angle"}; !slices.Equal(r.engines, want) {
		t.Errorf("engines %q", r.engines)
	}
	line := place{"Input.mean", "if a < b {"}
	for _, c := range []struct {
		m    mutant
		want bool
	}{
		{mutant{at: line, change: "a < b -> a <= b", kind: "comparison"}, true},
		{mutant{at: line, change: "a < b -> a >= b", kind: "comparison"}, false},
		{mutant{at: line, change: "0 -> 1", kind: "number"}, true},
		{mutant{at: line, change: "0 -> 1 #2", kind: "number"}, true},
		{mutant{at: place{"Input.mean", "return 2"}, change: "2 -> 3", kind: "number"}, true},
		{mutant{at: place{"the formula", "x = y"}, change: "z instead of y", kind: "text"}, true},
		{mutant{at: place{"other", "if a < b {"}, change: "a < b -> a <= b", kind: "comparison"}, false},
	} {
		if got := r.explain(&c.m); got != c.want {
			t.Errorf("%+v: explained %t", c.m, got)
		}
	}
	if stale := r.stale(); len(stale) != 1 || !strings.Contains(stale[0], "survivors.txt:14: in exchanged: 0 changes of kind comparison survive, not 1") {
		t.Errorf("stale: %q", stale)
	}
}

func TestSurvivorsThatAreNone(t *testing.T) {
	r, err := parse(t, "Why.\n\tf\n\t\tx\n\t\t\ta -> b\n\t\t* number: 3\n")
	if err != nil {
		t.Fatal(err)
	}
	r.explain(&mutant{at: place{"f", "y"}, kind: "number"})
	stale := strings.Join(r.stale(), "\n")
	for _, want := range []string{":4: in f: a -> b: this change does not exist, or is noticed", ":5: in f: 1 changes of kind number survive, not 3"} {
		if !strings.Contains(stale, want) {
			t.Errorf("%s: want %q", stale, want)
		}
	}
}

func TestReasonsThatCannotBeRead(t *testing.T) {
	for text, want := range map[string]string{
		"\tf\n":                                             "survivors.txt:1: there is no reason above it",
		"Why.\n\t\tx\n":                                     "survivors.txt:2: there is no function above it",
		"Why.\n\tf\n\t\t\ta -> b\n":                         "survivors.txt:3: a change has three tabs",
		"Why.\n\tf\n\t\tx\n\t\t\t\ta -> b\n":                "survivors.txt:4: a change has three tabs",
		"Why.\n\tf\n\t\t* number\n":                         "survivors.txt:3: want a kind and a number",
		"Why.\n\tf\n\t\t* number: 0\n":                      "survivors.txt:3: want a kind and a number",
		"Why.\n\tf\n\t\tx\n\t\t\ta -> b\n\t\t\ta -> b\n":    "survivors.txt:5: it is there already",
		"Why.\n\tf\n\t\t* any: 1\nSo.\n\tf\n\t\t* any: 1\n": "survivors.txt:6: it is there already",
	} {
		if _, err := parse(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	if r, err := readReasons(filepath.Join(t.TempDir(), "none")); err != nil || len(r.entries) != 0 {
		t.Errorf("no file: %+v, %v", r, err)
	}
}

func TestEqualChangesAreNumbered(t *testing.T) {
	at := place{"f", "x"}
	list := []*mutant{{at: at, change: "0 -> 1"}, {at: at, change: "0 -> 1"}, {at: place{"g", "x"}, change: "0 -> 1"}, {at: at, change: "0 -> 1"}}
	number(list)
	if list[1].change != "0 -> 1 #2" || list[2].change != "0 -> 1" || list[3].change != "0 -> 1 #3" {
		t.Errorf("%q, %q, %q", list[1].change, list[2].change, list[3].change)
	}
}
