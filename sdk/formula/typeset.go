package formula

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/slipstick/slipstick/sdk/units"
)

var greek = map[string]string{
	"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ϵ", "varepsilon": "ε", "zeta": "ζ", "eta": "η",
	"theta": "θ", "vartheta": "ϑ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π",
	"rho": "ρ", "varrho": "ϱ", "sigma": "σ", "tau": "τ", "upsilon": "υ", "phi": "ϕ", "varphi": "φ", "chi": "χ",
	"psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π",
	"Sigma": "Σ", "Upsilon": "Υ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
}

// accents are written over a letter. In a name they come after it, as in Qdot.
var accents = map[string]string{"dot": "˙", "ddot": "¨", "bar": "¯", "hat": "^", "tilde": "~", "vec": "→"}

// Typeset returns the LaTeX of a name: sigma_x becomes \sigma_{x}, Qdot \dot{Q}, DeltaT_1
// \Delta T_{1}, and pf_1 \mathrm{pf}_{1}. The part after the first _ is the index, unless the
// name consists of words, as end_condition.
func Typeset(name string) string {
	base, index, ok := strings.Cut(name, "_")
	if !ok || index == "" {
		return typesetWord(base)
	}
	parts := strings.Split(index, "_")
	if first := typesetWord(base); len(base) > 2 && strings.HasPrefix(first, `\mathrm`) {
		return `\text{` + strings.ReplaceAll(name, "_", " ") + "}"
	}
	for i := range parts {
		parts[i] = typesetWord(parts[i])
	}
	return typesetWord(base) + "_{" + strings.Join(parts, ",") + "}"
}

// typesetWord typesets letters and digits. Adjacent capitals are factors, as in EI.
func typesetWord(word string) string {
	if _, ok := greek[word]; ok {
		return `\` + word
	}
	for _, accent := range []string{"ddot", "dot", "bar", "hat", "tilde", "vec"} {
		if base, ok := strings.CutSuffix(word, accent); ok && base != "" && (len(base) == 1 || greek[base] != "") {
			return `\` + accent + "{" + typesetWord(base) + "}"
		}
	}
	if first := greekPrefix(word); first != "" {
		if rest := word[len(first):]; rest == strings.ToUpper(rest) || first == "Delta" && len(rest) == 1 {
			return `\` + first + " " + typesetWord(rest)
		}
	}
	switch {
	case len(word) == 1, strings.Trim(word, "0123456789") == "", strings.Trim(word, "xyz") == "",
		len(word) <= 3 && word == strings.ToUpper(word) && strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "":
		return word
	}
	return `\mathrm{` + word + "}"
}

// greekPrefix returns the longest name of a Greek letter at the start of a word.
func greekPrefix(word string) string {
	for _, name := range greekNames {
		if len(name) < len(word) && strings.HasPrefix(word, name) {
			return name
		}
	}
	return ""
}

// greekNames are the names of the letters, long ones first.
var greekNames = slices.SortedFunc(maps.Keys(greek), func(a, b string) int { return len(b) - len(a) })

var unitWords = map[string]string{
	"ohm": "Ω", "kohm": "kΩ", "Mohm": "MΩ", "mohm": "mΩ", "uohm": "µΩ",
	"degC": "°C", "degF": "°F", "degR": "°R", "deg": "°", "arcmin": "′", "arcsec": "″",
	"um": "µm", "uin": "µin", "ug": "µg", "uL": "µL", "uW": "µW", "uPa": "µPa", "us": "µs", "uV": "µV", "uA": "µA", "uF": "µF", "uH": "µH", "urad": "µrad",
	"gal_us": "gal (US)", "gal_imp": "gal (imperial)", "ton_us": "ton (US)", "ton_imp": "ton (imperial)",
	"qt_us": "qt (US)", "pt_us": "pt (US)", "floz_us": "fl oz (US)", "tonf_us": "tonf (US)", "Mgal_us": "Mgal (US)", "lbmol": "lb-mol",
	"hp_metric": "hp (metric)", "ton_refrigeration": "ton of refrigeration",
	"cal_th": "cal (th)", "cal_it": "cal (IT)", "kcal_th": "kcal (th)", "kcal_it": "kcal (IT)", "Btu_it": "Btu (IT)", "kBtu_it": "kBtu (IT)", "MMBtu_it": "MMBtu (IT)",
}

var superscripts = strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹",
	"-", "⁻", "/", "ᐟ", "(", "", ")", "")

// marked are the units that a mark distinguishes from units with the same name: gal (US).
var marked = map[string]string{
	"gal_us": "gal", "gal_imp": "gal", "qt_us": "qt", "pt_us": "pt", "floz_us": "fl oz", "Mgal_us": "Mgal", "tonf_us": "tonf",
	"Btu_it": "Btu", "kBtu_it": "kBtu", "MMBtu_it": "MMBtu",
}

// FormatUnit returns a unit as people write it: N·m² for N m2. It omits a mark if the quantity has
// one unit with the name only: gal/min, and gal (US) of a volume.
func FormatUnit(id string) string {
	u, _ := units.Lookup(id)
	return formatUnit(id, func(word string) string {
		short := marked[word]
		for _, other := range units.Of(u.Quantity) {
			for _, f := range strings.FieldsFunc(other.ID, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) }) {
				if f != word && marked[f] == short {
					return ""
				}
			}
		}
		return short
	})
}

// formatUnit writes a unit with the short name of a word, or with its mark if there is none.
func formatUnit(id string, shortOf func(word string) string) string {
	if strings.HasSuffix(id, "H2O") {
		return strings.TrimSuffix(id, "2O") + "₂O"
	}
	var b strings.Builder
	for id != "" {
		n := strings.IndexAny(id, " ./()0123456789-")
		switch {
		case n < 0:
			n = len(id)
			fallthrough
		case n > 0:
			word := shortOf(id[:n])
			if word == "" {
				word = formatUnitWord(id[:n])
			}
			b.WriteString(word)
			exponent := unitExponent(id[n:])
			b.WriteString(superscripts.Replace(exponent))
			n += len(exponent)
		case id[0] == ' ' || id[0] == '.':
			b.WriteString("·")
			n = 1
		default:
			b.WriteByte(id[0])
			n = 1
		}
		id = id[n:]
	}
	return b.String()
}

func formatUnitWord(word string) string {
	if as, ok := unitWords[word]; ok {
		return as
	}
	return word
}

// unitExponent returns the exponent at the start of s, such as 2, -1 or (1/3).
func unitExponent(s string) string {
	if rest, ok := strings.CutPrefix(s, "("); ok {
		if inside, _, ok := strings.Cut(rest, ")"); ok && inside != "" && strings.Trim(inside, "0123456789/-") == "" {
			return "(" + inside + ")"
		}
		return ""
	}
	digits := strings.TrimPrefix(s, "-")
	n := len(digits) - len(strings.TrimLeft(digits, "0123456789"))
	if n == 0 {
		return ""
	}
	return s[:len(s)-len(digits)+n]
}
