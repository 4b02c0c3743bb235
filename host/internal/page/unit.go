package page

import (
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/units"
)

// unitWords maps parts of unit ids to how people write them.
var unitWords = map[string]string{
	"ohm": "Ω", "kohm": "kΩ", "Mohm": "MΩ", "mohm": "mΩ", "uohm": "µΩ",
	"degC": "°C", "degF": "°F", "degR": "°R", "deg": "°", "arcmin": "′", "arcsec": "″",
	"um": "µm", "us": "µs", "uV": "µV", "uA": "µA", "uF": "µF", "uH": "µH", "urad": "µrad",
	"gal_us": "gal (US)", "gal_imp": "gal (imperial)", "ton_us": "ton (US)", "ton_imp": "ton (imperial)",
	"hp_metric": "hp (metric)", "ton_refrigeration": "ton of refrigeration",
	"cal_th": "cal (th)", "cal_it": "cal (IT)", "kcal_th": "kcal (th)", "kcal_it": "kcal (IT)", "Btu_it": "Btu (IT)",
}

var superscripts = strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹", "-", "⁻")

// formatUnit returns a unit id as people write it: N·m² for N m2.
func formatUnit(id string) string {
	var b strings.Builder
	for id != "" {
		n := strings.IndexAny(id, " ./()")
		if n == 0 {
			b.WriteString(strings.NewReplacer(" ", "·", ".", "·").Replace(id[:1]))
			id = id[1:]
			continue
		}
		if n < 0 {
			n = len(id)
		}
		b.WriteString(formatUnitWord(id[:n]))
		id = id[n:]
	}
	return b.String()
}

// formatUnitWord formats a unit with its exponent, such as m2.
func formatUnitWord(word string) string {
	unit := strings.TrimRight(word, "0123456789")
	exponent := word[len(unit):]
	if unit == "" {
		return word // the 1 of 1/K
	}
	if negative, ok := strings.CutSuffix(unit, "-"); ok && exponent != "" {
		unit, exponent = negative, "-"+exponent
	}
	if as, ok := unitWords[unit]; ok {
		unit = as
	}
	return unit + superscripts.Replace(exponent)
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
	options := []unitOption{{ID: own.ID, Text: formatUnit(own.ID)}}
	seen := map[string]bool{options[0].Text: true}
	for _, u := range units.Of(own.Quantity) {
		text := formatUnit(u.ID)
		if seen[text] || u.Offset != nil && isDifference(f) {
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

// isDifference reports whether a field is the difference of two temperatures. Such a field
// cannot be entered in units with another zero, such as degrees Celsius.
func isDifference(f *sdk.Field) bool {
	if own, ok := units.Lookup(f.Unit); !ok || own.Quantity != "temperature" {
		return false
	}
	return slices.ContainsFunc([]string{"change", "difference", "rise", "drop", "delta"}, func(word string) bool {
		return strings.Contains(f.Name, word)
	})
}
