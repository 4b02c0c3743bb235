package take

import (
	"io"
	"strings"
)

// LaTeX writes formula and steps as a document. A document that loads amsmath can include its body.
func LaTeX(w io.Writer, c *Calculation) error {
	var b strings.Builder
	for _, pair := range c.about() {
		b.WriteString("% " + pair[0] + ": " + oneLine(pair[1]) + "\n")
	}
	b.WriteString("\\documentclass{article}\n\\usepackage[T1]{fontenc}\n\\usepackage{amsmath,amssymb}\n\\begin{document}\n\n")
	b.WriteString("\\section*{" + inText(c.Title) + "}\n")
	if c.Formula != "" {
		b.WriteString("\n\\[\n" + oneLine(c.Formula) + "\n\\]\n")
	}
	for _, s := range c.Steps {
		b.WriteByte('\n')
		if s.Math != "" {
			b.WriteString("\\[\n" + oneLine(s.Math) + "\n\\]\n")
		}
		if s.Because != "" {
			b.WriteString("because " + oneLine(s.Because) + "\n")
		}
		if s.Note != "" {
			b.WriteString(inText(s.Note) + "\n")
		}
	}
	b.WriteString("\n\\noindent Computed by \\texttt{" + inText(c.Tool+"@"+c.Version) + "}, engine \\texttt{" + inText(c.Engine) + "}.\n\n\\end{document}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// oneLine joins the lines of a text, so that it does not end a comment, and removes blank lines from formulas.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// inText escapes the special characters of LaTeX in a text.
func inText(text string) string { return special.Replace(oneLine(text)) }

var special = strings.NewReplacer(
	`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "%", `\%`, "_", `\_`, "^", `\textasciicircum{}`, "~", `\textasciitilde{}`,
	"≤", `$\le$`, "≥", `$\ge$`, "×", `$\times$`, "·", `$\cdot$`, "°", `$^{\circ}$`, "²", `$^2$`, "³", `$^3$`, "⁴", `$^4$`, "–", "--",
	"≠", `$\ne$`, "−", "$-$", "∞", `$\infty$`, "π", `$\pi$`, "μ", `$\mu$`, "µ", `$\mu$`, "Ω", `$\Omega$`, "√", `$\surd$`, "Δ", `$\Delta$`, "σ", `$\sigma$`, "ε", `$\varepsilon$`, "λ", `$\lambda$`, "ρ", `$\rho$`, "ν", `$\nu$`, "τ", `$\tau$`, "φ", `$\varphi$`, "θ", `$\theta$`, "α", `$\alpha$`, "β", `$\beta$`, "η", `$\eta$`, "κ", `$\kappa$`,
	"“", "``", "”", "''", "’", "'",
)
