package plot

import (
	"regexp"
	"strings"
)

// part is a piece of a symbol.
type part struct {
	text    string
	upright bool
	sub     bool // subscript
}

func (p part) class() string {
	switch {
	case p.sub:
		return "sub"
	case p.upright:
		return "up"
	}
	return "var"
}

var symbolToken = regexp.MustCompile(`^(?:\\([A-Za-z]+)|([A-Za-z])|([0-9]+)|([/,'*+=()-])|(_)|([{}])|\\[,; ]| )`)

// readSymbol reads the LaTeX of a symbol that plain text can show: letters, Greek letters, and one index. For any other
// LaTeX, ok is false.
func readSymbol(latex string) (parts []part, ok bool) {
	sub, depth, upright := false, 0, false
	add := func(text string, up bool) {
		parts = append(parts, part{text: text, upright: up || upright, sub: sub})
		if depth == 0 {
			sub = false
		}
	}
	for latex != "" {
		m := symbolToken.FindStringSubmatch(latex)
		if m == nil {
			return nil, false
		}
		latex = latex[len(m[0]):]
		switch {
		case m[1] == "mathrm" || m[1] == "text":
			upright = true
		case m[1] != "":
			letter, known := greek[m[1]]
			if !known {
				return nil, false
			}
			add(letter, len(letter) == 3 || strings.ToUpper(m[1][:1]) == m[1][:1])
		case m[2] != "":
			add(m[2], false)
		case m[3]+m[4] != "":
			add(m[3]+m[4], true)
		case m[5] != "":
			sub = true
		case m[6] == "{":
			depth++
		case m[6] == "}":
			depth--
			if depth == 0 {
				sub, upright = false, false
			}
		}
	}
	return parts, len(parts) > 0 && depth == 0
}

var greek = map[string]string{
	"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ϵ", "varepsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ",
	"vartheta": "ϑ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ",
	"tau": "τ", "upsilon": "υ", "phi": "ϕ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
	"Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Upsilon": "Υ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
	"ell": "ℓ", "max": "max", "min": "min",
}
