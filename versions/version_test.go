package versions_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/versions"
)

func TestParse(t *testing.T) {
	longest := "1.0.0-" + strings.Repeat("a", versions.MaxLength-6)
	for _, s := range []string{
		"0.0.0", "1.0.0", "10.20.30", "18446744073709551615.0.0",
		"1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-0", "1.0.0-0a", "1.0.0--", "1.0.0-x-y.z", "1.0.0-20261121093000",
		"1.0.0-18446744073709551615", "1.0.0-99999999999999999999a", longest,
	} {
		v, err := versions.Parse(s)
		if err != nil || v.String() != s {
			t.Errorf("%s: got %q, %v", s, v, err)
		}
	}
	v, err := versions.Parse("1.2.3-rc.4")
	if err != nil || v.Major() != 1 || v.Minor() != 2 || v.Patch() != 3 || v.Prerelease() != "rc.4" {
		t.Errorf("got %d %d %d %q, %v", v.Major(), v.Minor(), v.Patch(), v.Prerelease(), err)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ version, text string }{
		{"", "is not of the form 1.0.0"},
		{" ", "is not of the form"},
		{"1", "is not of the form"},
		{"1.0", "is not of the form"},
		{"1.0.0.0", "is not of the form"},
		{"1..0", "is not of the form"},
		{"v1.0.0", "is not of the form"},
		{"V1.0.0", "is not of the form"},
		{"=1.0.0", "is not of the form"},
		{"^1", "is not of the form"},
		{"1.x.0", "is not of the form"},
		{"latest", "is not of the form"},
		{"01.0.0", "is not of the form"},
		{"1.00.0", "is not of the form"},
		{"1.0.00", "is not of the form"},
		{"-1.0.0", "is not of the form"},
		{" 1.0.0", "is not of the form"},
		{"1.0.0 ", "is not of the form"},
		{"1.0.0\n", `version "1.0.0\n" is not of the form`},
		{"１.0.0", `version "\uff11.0.0" is not of the form`},
		{"1.0.0-é", "is not of the form"},
		{"1.0.0-\xff", "is not of the form"},
		{"1.0.0-", "is not of the form"},
		{"1.0.0-a..b", "is not of the form"},
		{"1.0.0-a.", "is not of the form"},
		{"1.0.0-01", "is not of the form"},
		{"1.0.0-a_b", "is not of the form"},
		{"18446744073709551616.0.0", "is not of the form"},
		{"1.0.0+x", "build metadata"},
		{"1.0.0-rc.1+x", "build metadata"},
		{"1.0.0+", "build metadata"},
		{"1.0.0-18446744073709551616", "does not fit 64 bits"},
		{"1.0.0-rc.99999999999999999999", "does not fit 64 bits"},
		{"1.0.0-" + strings.Repeat("a", versions.MaxLength-5), "longer than 128 bytes"},
		{strings.Repeat("1", 10<<10), "longer than 128 bytes"},
	} {
		v, err := versions.Parse(c.version)
		if err == nil {
			t.Errorf("%q: accepted as %s", c.version, v)
			continue
		}
		if !strings.Contains(err.Error(), c.text) {
			t.Errorf("%q: got %q, want it to contain %q", c.version, err, c.text)
		}
		checkText(t, err)
	}
}

// ascending is in semantic version order; its prereleases are the example of semver.org 2.0.0,
// item 11.
var ascending = []string{
	"0.0.1", "0.1.0", "0.9.0", "0.10.0",
	"1.0.0-0", "1.0.0-9", "1.0.0-10", "1.0.0-18446744073709551615", "1.0.0--1",
	"1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1",
	"1.0.0", "1.0.1", "1.2.0", "1.10.0", "2.0.0-rc.1", "2.0.0", "10.0.0", "18446744073709551615.0.0",
}

func TestCompare(t *testing.T) {
	for i, s := range ascending {
		for j, other := range ascending {
			a, errA := versions.Parse(s)
			b, errB := versions.Parse(other)
			if errA != nil || errB != nil {
				t.Fatal(errA, errB)
			}
			if got, want := a.Compare(b), sign(i-j); got != want {
				t.Errorf("compare %s with %s: got %d, want %d", s, other, got, want)
			}
		}
	}
}

func sign(n int) int {
	return min(max(n, -1), 1)
}

func TestNewest(t *testing.T) {
	want := slices.Clone(ascending)
	slices.Reverse(want)
	want = append(want, "", "01.0.0", "1.0.0+x", "latest", "v1.0.0")

	list := slices.Clone(ascending)
	list = append(list, "v1.0.0", "1.0.0+x", "", "latest", "01.0.0")
	given := slices.Clone(list)
	for range len(list) {
		if got := versions.Newest(list); !slices.Equal(got, want) {
			t.Fatalf("got  %q\nwant %q", got, want)
		}
		list = append(list[7:], list[:7]...)
	}
	versions.Newest(given)
	if given[0] != ascending[0] {
		t.Error("the given list was reordered")
	}
	if got := versions.Newest(nil); len(got) != 0 {
		t.Errorf("got %q of nothing", got)
	}
}

func TestCompatible(t *testing.T) {
	for _, c := range []struct {
		older, newer string
		want         bool
	}{
		{"1.0.0", "1.0.0", true},
		{"1.0.0", "1.0.1", true},
		{"1.0.0", "1.5.0", true},
		{"1.9.0", "1.10.0", true},
		{"1.5.0", "1.4.9", false},
		{"1.0.1", "1.0.0", false},
		{"1.0.0", "2.0.0", false},
		{"2.0.0", "1.0.0", false},
		{"0.1.0", "0.1.0", true},
		{"0.1.0", "0.1.5", true},
		{"0.0.1", "0.0.2", true},
		{"0.1.5", "0.1.0", false},
		{"0.1.0", "0.2.0", false},
		{"0.2.0", "0.1.9", false},
		{"0.9.0", "1.0.0", false},
		{"1.0.0-rc.1", "1.0.0-rc.1", true},
		{"1.0.0-rc.1", "1.0.0-rc.2", false},
		{"1.0.0-rc.1", "1.0.0", false},
		{"1.0.0", "1.1.0-rc.1", false},
		{"0.1.0-a", "0.1.0", false},
		{"latest", "1.0.0", false},
		{"latest", "0.0.1", false},
		{"0.0.0", "latest", false},
		{"1.0.0", "v1.0.1", false},
		{"1.0.0", "1.0.1+x", false},
		{"1.0", "1.0", false},
		{"", "", false},
	} {
		if got := versions.Compatible(c.older, c.newer); got != c.want {
			t.Errorf("%q to %q: got %v, want %v", c.older, c.newer, got, c.want)
		}
	}
}
