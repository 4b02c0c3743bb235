package page

import (
	"maps"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/units"
)

// unitText returns the unit of a field, or the few that it may have.
func unitText(f *sdk.Field) string {
	if f.UnitBy == nil {
		return formula.FormatUnit(f.Unit)
	}
	var texts []string
	for _, choice := range slices.Sorted(maps.Keys(f.UnitBy.Units)) {
		if text := formula.FormatUnit(f.UnitBy.Units[choice]); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, " / ")
}

// unitOption is one unit that a value can be entered in.
type unitOption struct {
	ID, Text string
	Selected bool
}

// unitsOf returns the units in which a field can be entered, its own first. It returns none
// if there is no choice.
func unitsOf(f *sdk.Field, selected string) []unitOption {
	own, ok := units.Lookup(f.Unit)
	if !ok || f.Type != sdk.TypeNumber && f.Type != sdk.TypeInteger {
		return nil
	}
	options := []unitOption{{ID: own.ID, Text: formula.FormatUnit(own.ID)}}
	seen := map[string]bool{options[0].Text: true}
	for _, u := range units.Of(own.Quantity) {
		text := formula.FormatUnit(u.ID)
		if seen[text] || u.Offset != nil && !f.Difference && isDifference(f) {
			continue // N.m is another spelling of N m
		}
		seen[text] = true
		options = append(options, unitOption{u.ID, text, u.ID == selected})
	}
	if len(options) == 1 {
		return nil
	}
	return options
}

// isDifference reports whether a field is the difference of two temperatures. If only its name
// says so, as with engines of the first contract, it cannot be entered in units with another
// zero, such as degrees Celsius.
func isDifference(f *sdk.Field) bool {
	if f.Difference {
		return true
	}
	if own, ok := units.Lookup(f.Unit); !ok || own.Quantity != "temperature" {
		return false
	}
	return slices.ContainsFunc([]string{"change", "difference", "rise", "drop", "delta"}, func(word string) bool {
		return strings.Contains(f.Name, word)
	})
}
