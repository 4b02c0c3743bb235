package formula

import (
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk/units"
)

// A unit can be read in many spellings, and never as a unit with other factors.
func TestReadUnit(t *testing.T) {
	for id, texts := range map[string]string{
		"m":                   "m | m. | m ",
		"mm":                  "mm",
		"um":                  "um | µm | μm",
		"degC":                "degC | °C | ℃",
		"N m":                 "N m | N.m | N·m | N*m | Nm | N⋅m | m N",
		"mm2":                 "mm2 | mm² | mm^2",
		"N/mm2":               "N/mm2 | N/mm² | N/mm^2 | N / mm2 | N mm-2 | N·mm⁻²",
		"1/K":                 "1/K | /K | 1/degC | 1/°C | /degC | K-1 | K^-1 | K⁻¹ | °C⁻¹",
		"ppm/K":               "ppm/K | ppm/°C | ppm/degC",
		"1/degF":              "1/degF | 1/°F | /degF",
		"W/(m2 K)":            "W/m2 K | W/(m2 K) | W/(m²·K) | W/(m2*K) | W/(m2 degC) | W/(m² °C) | W/m2/K | W/m²/°C | W/(K m2) | W m-2 K-1",
		"K/W":                 "K/W | °C/W | degC/W",
		"m2 K/W":              "m2 K/W | m²·K/W | m2 degC/W | m2 °C/W | K m2/W",
		"W/(m K)":             "W/(m K) | W/m/K | W/(m °C)",
		"Btu_it/(h ft2 degF)": "Btu_it/(h ft2 degF) | Btu (IT)/(h·ft²·°F) | Btu_it/h/ft2/degF",
		"gal_us":              "gal_us | gal (US) | gal(US)",
		"ohm m":               "ohm m | Ω·m | Ωm",
		"lbf ft":              "lbf ft | lbf.ft | lbf·ft | lbfft",
		"kg/m3":               "kg/m3 | kg/m³ | kg/m^3",
		"mPa s":               "mPa s | mPa·s | mPas | mPa*s",
		"1/kWh":               "1/kWh | /kWh | kWh-1",
		"Btu_it/(h ft degF)":  "Btu_it/(h ft degF)",
		"h ft2 degF/Btu_it":   "h ft2 degF/Btu_it | h·ft²·°F/Btu_it",
		"in4":                 "in4 | in⁴ | in^4",
		"ohm/km":              "ohm/km | Ω/km",
		"lbf s/ft":            "lbf s/ft | lbf·s/ft | s lbf/ft",
	} {
		own, _ := units.Lookup(id)
		for text := range strings.SplitSeq(texts, " | ") {
			if u, ok := ReadUnit(text, own.Quantity); !ok || u.ID != own.ID {
				t.Errorf("%q of %s is %q, want %q", text, own.Quantity, u.ID, id)
			}
		}
	}
	for quantity, texts := range map[string]string{
		"length": "m m | m·m | M | m//s | m/ | (m", "force": "k N | m N", "heat_transfer_coefficient": "W/(m2 K | W/m2/K/K",
		"temperature": "degC degC | K K", "pressure": "mpa | psig | N/mm3", "": "quintal",
	} {
		for text := range strings.SplitSeq(texts, " | ") {
			if u, ok := ReadUnit(text, quantity); ok {
				t.Errorf("%q of %s is %q, want none", text, quantity, u.ID)
			}
		}
	}
	for _, quantity := range units.Quantities() {
		for _, u := range units.Of(quantity) {
			for _, text := range []string{u.ID, FormatUnit(u.ID), strings.ReplaceAll(u.ID, " ", ""), " " + u.ID} {
				if got, ok := ReadUnit(text, quantity); !ok || got.Quantity != quantity || got.Factor.Cmp(u.Factor) != 0 {
					t.Errorf("%q is %q of %s, want %q", text, got.ID, got.Quantity, u.ID)
				}
			}
		}
	}
}
