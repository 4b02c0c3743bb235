package search_test

import (
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/http/search"
)

func TestConverted(t *testing.T) {
	for question, want := range map[string]string{
		"30 psi in bar":                  "30 psi bar",
		"30psi to bar":                   "30 psi bar",
		"convert 30 psi to bar":          "30 psi bar",
		"What is −40 °C in °F?":          "-40 degC degF",
		"1.5e3 mm = m":                   "1.5e3 mm m",
		"5 ft lb to nm":                  "", // nanometres
		"5 lbf ft in N m":                "5 lbf ft N m",
		"10 pounds in kg":                "10 lb kg",
		"10 pounds in kN":                "10 lbf kN",
		"how many feet in 3 m":           "3 m ft",
		"how many feet are in a mile?":   "1 mi ft",
		"how many beams in 3 m":          "",
		"40 gpm in l/s":                  "40 gal_us/min L/s",
		"20 gpm to l/min":                "20 gal_us/min L/min",
		"5 cfm in m3/h":                  "5 ft3/min m3/h",
		"70 F in C":                      "70 degF degC",
		"1 1/2 in in mm":                 "1.5 in mm",
		"20'-6\" in m":                   "246 in m",
		"30 ft-lb in N m":                "30 lbf ft N m",
		"30 ft-lb in J":                  "30 ft lbf J",
		"5 lb in oz":                     "5 lb oz",
		"2 tons in kW":                   "2 ton_refrigeration kW",
		"2 tons in kg":                   "",
		"4k7 in ohms":                    "4.7 kohm ohm",
		"30 psi":                         "",
		"30 in bar":                      "",
		"30 psi in m":                    "",
		"30 psi in bar for a tank":       "",
		"voltage drop 20 A in 30 m":      "",
		"1,234 m in km":                  "",
		"3-1/2 in to mm":                 "3.5 in mm",
		"1/2 in to mm":                   "0.5 in mm",
		"10-12 mm to in":                 "",
		"05 mm to in":                    "",
		"":                               "",
		strings.Repeat("9", 2000) + " m": "",
	} {
		got := ""
		if c, ok := search.Converted(question); ok {
			got = c.Number + " " + c.From.ID + " " + c.To.ID
		}
		if got != want {
			t.Errorf("%q asks for %q, want %q", question, got, want)
		}
	}
}

func TestAmounts(t *testing.T) {
	for question, want := range map[string]string{
		"voltage drop 20 A 30 m":         "20 A, 30 m",
		"beam of 6m with 10 kN/m":        "6 m, 10 kN/m",
		"current through 100 ohm at 12V": "100 ohm, 12 V",
		"IPE200 in 3 m":                  "3 m",
		"pipe 40 gpm water at 60 F":      "40 gal_us/min, 60 F",
		"1,5 m":                          "1.5 m",
		"1,234 m":                        "",
		"beam 3-1/2 in wide":             "3.5 in",
		"beam 3 1/2 in wide":             "3.5 in",
		"1/2 in pipe":                    "0.5 in",
		"pipe of ½ in":                   "0.5 in",
		"beam 10-12 mm":                  "",
		"1 000 mm":                       "",
		"beam 10-12 mm, 3 m":             "",
		"HEB 200 3 m":                    "3 m",
		"1,5 m/s 20 mm":                  "1.5 m/s, 20 mm",
		"05 mm":                          "",
		"3 beams":                        "",
	} {
		var list []string
		for _, a := range search.Amounts(question) {
			list = append(list, a.Number+" "+a.Units[0].ID)
		}
		if got := strings.Join(list, ", "); got != want {
			t.Errorf("%q has %q, want %q", question, got, want)
		}
	}
}

// The library must contain most of the words of a question. Otherwise the search finds nothing.
func TestNothingFits(t *testing.T) {
	index := search.New(catalogue(t))
	for _, question := range []string{
		"wind load on sign", "bolt torque", "bolt preload", "weld size", "roof truss forces", "body mass index", "antenna gain",
		"sound level of two sources", "tire pressure", "income tax", "swimming pool volume", "molar mass of water",
		"lens focal length", "telescope magnification", "rocket thrust", "rebar spacing", "boat hull resistance", "airfoil lift",
	} {
		if got := ids(index.Search(question, "")); len(got) > 0 {
			t.Errorf("%q finds %v, which is about something else", question, got)
		}
	}
	for question, most := range map[string]int{"psi to bar": 4, "pipe pressure drop": 6, "convert psi to bar": 4} {
		if got := ids(index.Search(question, "")); len(got) == 0 || len(got) > most {
			t.Errorf("%q finds %d: %v, want at most %d", question, len(got), got, most)
		}
	}
}
