package page_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const (
	american = "en-US,en;q=0.9"
	german   = "de-DE,de;q=0.9,en-US;q=0.8"
)

func (a answer) variesByLanguage() bool {
	return slices.Contains(strings.Split(strings.Join(a.header.Values("Vary"), ", "), ", "), "Accept-Language")
}

// The language chooses the units of a page only if neither the URL nor the unit of a value does. It never changes the answer.
func TestUnitsOfLanguage(t *testing.T) {
	s := newSite(t)
	for _, tt := range []struct {
		query, system, number string // in en-US
		elsewhere, another    string // in German, and without a language
		varies                bool
	}{
		{"", "us", "", "metric", "", true},
		{"mode=hard&L=2&P=3000", "us", "1.88976 in", "metric", "48 mm", true},
		{"mode=hard&L=2&P=3000&delta.unit=cm", "us", "4.8 cm", "metric", "4.8 cm", true},
		{"mode=hard&L=200&L.unit=cm&P=3000", "entered", "4.8 cm", "entered", "4.8 cm", false},
		{"mode=hard&L=2&P=3000&units=entered", "entered", "48 mm", "entered", "48 mm", false},
		{"mode=hard&L=2&P=3000&units=si", "si", "48 mm", "si", "48 mm", false},
		{"mode=hard&L=2&P=3000&units=us", "us", "1.88976 in", "us", "1.88976 in", false},
	} {
		us := s.get(t, shelf+"?"+tt.query, "Accept-Language", american)
		if us.system() != tt.system || us.bigNumber() != tt.number || us.variesByLanguage() != tt.varies {
			t.Errorf("%s in en-US: %s in %q, varies %v", tt.query, us.bigNumber(), us.system(), us.variesByLanguage())
		}
		for _, headers := range [][]string{{"Accept-Language", german}, nil} {
			a := s.get(t, shelf+"?"+tt.query, headers...)
			if a.system() != tt.elsewhere || a.bigNumber() != tt.another || a.variesByLanguage() != tt.varies || a.result() != us.result() {
				t.Errorf("%s in %q: %s in %q, varies %v, %s", tt.query, headers, a.bigNumber(), a.system(), a.variesByLanguage(), a.result())
			}
		}
	}
}

// A form marks its texts as typed. The server reads them in the language of the browser, and leads to a URL that has the same
// meaning in every language.
func TestTypedText(t *testing.T) {
	s := newSite(t)
	languages := map[string][]string{"en-US": {"Accept-Language", american}, "de": {"Accept-Language", german}, "none": nil}
	for _, tt := range []struct {
		text string
		in   map[string]string // the number in the URL, "" if the text has two readings
		hint string
	}{
		{"3,000", map[string]string{"en-US": "3000"}, "Understood as 3000 N."},
		{"350,000.5", map[string]string{"en-US": "350000.5", "de": "350000.5", "none": "350000.5"}, "Understood as 350000.5 N."},
		{"3,5", map[string]string{"en-US": "3.5", "de": "3.5", "none": "3.5"}, "Understood as 3.5 N."},
		{"1,000 * 2", map[string]string{"en-US": "2000"}, "Understood as 2000 N."},
		{"3000", map[string]string{"en-US": "3000", "de": "3000", "none": "3000"}, ""},
	} {
		for name, headers := range languages {
			query := "mode=hard&L=2&units=metric&P=" + strings.NewReplacer(",", "%2C", " ", "+").Replace(tt.text)
			first := s.get(t, shelf+"?typed=1&"+query, headers...)
			location := first.header.Get("Location")
			if tt.in[name] == "" {
				if first.status != 200 || first.result() != "" || !strings.Contains(text(first.id("e-point_load")), "readings") {
					t.Errorf("%q in %s: %d %s", tt.text, name, first.status, location)
				}
				continue
			}
			if first.status != 303 || strings.Contains(location, "typed") || !strings.Contains(location, "point_load="+tt.in[name]) && !strings.Contains(location, "P="+tt.in[name]) {
				t.Errorf("%q in %s: %d %s", tt.text, name, first.status, location)
				continue
			}
			results := map[string]bool{}
			for _, headers := range languages {
				a := s.get(t, location, headers...)
				results[a.result()] = true
				if hint := text(a.id("n-point_load")); hint != tt.hint || a.result() == "" || a.variesByLanguage() {
					t.Errorf("%s: hint %q, want %q", location, hint, tt.hint)
				}
			}
			if len(results) != 1 {
				t.Errorf("%s has %d answers", location, len(results))
			}
		}
		if strings.Contains(tt.text, ",") && !strings.Contains(tt.text, ".") && tt.text != "3,5" {
			a := s.get(t, shelf+"?mode=hard&L=2&units=metric&P="+strings.NewReplacer(",", "%2C", " ", "+").Replace(tt.text), "Accept-Language", american)
			if a.result() != "" || a.variesByLanguage() {
				t.Errorf("a link with %q gives %s", tt.text, a.result())
			}
		}
	}
	for name, headers := range languages {
		a := s.ask(t, "POST", "/api/v1/calc/shelf", "typed=1&mode=hard&L=2&P=3%2C000",
			append([]string{"Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html"}, headers...)...)
		if got := strings.Contains(a.text, "Understood as 3000 N."); got != (name == "en-US") || !a.variesByLanguage() {
			t.Errorf("live in %s: %d %s", name, a.status, fmt.Sprintf("%.200s", a.text))
		}
	}
}

// Ranges, defaults and units of numbers follow the unit of their field.
func TestRangesInUnits(t *testing.T) {
	s := newSite(t)
	const in = "greater than 0 and at most 3937 in."
	if got := text(s.get(t, shelf+"?units=us").id("h-length")); !strings.Contains(got, in) {
		t.Errorf("help %q", got)
	}
	for query, want := range map[string]string{
		"mode=hard&L=5000&L.unit=in&P=1": in,
		"mode=hard&L=500&L.unit=ft&P=1":  "at most 328.083 ft.",
		"mode=hard&L=500&P=1&units=us":   "at most 100 m.", // as it was entered
	} {
		if got := text(s.get(t, shelf+"?"+query).id("e-length")); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// The reader chooses from 3 to 10 digits. The choice is in the URL, and never changes the answer.
func TestDigits(t *testing.T) {
	s := newSite(t)
	const inputs = "mode=hard&L=2.345&P=3000&units=metric"
	plain := s.get(t, shelf+"?"+inputs)
	for digits, want := range map[string]string{"": "77.3713 mm", "3": "77.4 mm", "4": "77.37 mm", "6": "77.3713 mm", "10": "77.37128175 mm"} {
		a := s.get(t, shelf+"?"+inputs+"&digits="+digits)
		if a.bigNumber() != want || a.result() != plain.result() {
			t.Errorf("%s digits: %s, want %s", digits, a.bigNumber(), want)
		}
		kept := false
		for _, link := range a.links() {
			kept = kept || strings.Contains(link, "digits="+digits)
		}
		if kept != (digits != "") && digits != "" {
			t.Errorf("no link keeps %s digits", digits)
		}
	}
	for _, wrong := range []string{"digits=2", "digits=11", "digits=x", "digits=4&digits=5"} {
		if a := s.get(t, shelf+"?"+inputs+"&"+wrong); a.status != 400 || a.result() != "" {
			t.Errorf("%s: %d", wrong, a.status)
		}
	}
}
