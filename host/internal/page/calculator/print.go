package calculator

import (
	"html/template"
	"image/color"
	"strconv"
	"strings"

	"github.com/boombuler/barcode/qr"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/page/site"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/sdk/formula"
)

// Codes of addresses. Scanners need modules of a size, and a sheet has so much room.
const (
	maxCode     = 400  // bytes of an address with a code
	strongCode  = 106  // bytes up to which a code may lose 15 % of itself; beyond it, 7 %, with larger modules
	quietZone   = 4    // modules around it that stay white
	codeWidth   = 28   // mm at least
	moduleWidth = 0.45 // mm at least
)

// Address returns the public address of the result: where what is printed can be read again.
func (s *sheet) Address() string {
	switch {
	case s.Frozen != nil:
		return s.Frozen.Address
	case s.Share != "":
		return s.Share
	}
	return s.Page
}

// Code returns the address as a QR code for the printed sheet, "" if there is no address that
// leads back to the result, or if it is too long for a code that can be read.
func (s *sheet) Code() template.HTML {
	if s.Frozen == nil && s.Share == "" {
		return ""
	}
	return qrCode(s.Address())
}

// Foot returns what stands at the foot of every printed page: what computed the result.
func (s *sheet) Foot() string {
	text := s.Tool + "@" + s.Version
	if d := shortDigest(s.Trust.Engine); d != "" {
		text += " · engine " + d
	}
	return text
}

// shortDigest returns the first digits of a digest, which tell engines apart by eye.
func shortDigest(digest string) string {
	const short = len("sha256:") + 12
	if len(digest) <= short {
		return digest
	}
	return digest[:short] + "…"
}

// qrCode returns an address as a QR code: each row of modules is a broken line, which compresses
// to a third of what as many squares need. The lines overlap a little, so that no printer leaves
// white between them.
func qrCode(address string) template.HTML {
	if len(address) > maxCode {
		return ""
	}
	level := qr.M
	if len(address) > strongCode {
		level = qr.L
	}
	code, err := qr.Encode(address, level, qr.Unicode)
	if err != nil {
		return "" // it is printed in letters, too
	}
	size := code.Bounds().Dx()
	var d strings.Builder
	for y := range size {
		d.WriteString("M" + strconv.Itoa(quietZone) + " " + strconv.Itoa(quietZone+y) + ".5")
		for x := 0; x < size; {
			from, is := x, code.At(x, y)
			for x < size && code.At(x, y) == is {
				x++
			}
			switch length := strconv.Itoa(x - from); {
			case is == color.Black:
				d.WriteString("h" + length)
			case x < size:
				d.WriteString("m" + length + " 0")
			}
		}
	}
	side := strconv.Itoa(size + 2*quietZone)
	width := strconv.FormatFloat(max(codeWidth, moduleWidth*float64(size+2*quietZone)), 'f', -1, 64)
	return template.HTML(`<svg class="code" width="` + width + `mm" viewBox="0 0 ` + side + " " + side + `" role="img" aria-label="QR code of the address">` + //nolint:gosec // numbers alone
		`<path d="` + d.String() + `" stroke="#000" stroke-width="1.03"/></svg>`)
}

// share returns the public address with the inputs of a query, "" if it would be longer than
// pages read.
func (p *Pages) share(r *catalog.Release, query string) string {
	if len(query) > site.MaxQuery {
		return ""
	}
	return p.Address(catalog.PagePath(&r.Spec)) + "?" + query
}

// halfOfNumbers is about how many characters of a step fit into half of the width of a page.
// Fractions and exponents need less width than in one line.
const halfOfNumbers = 50

// Class says how a step is set: whether it needs the whole width of a page, and whether it is
// an answer.
func (s *step) Class() string {
	var classes []string
	if s.Kind == formula.ResultStep {
		classes = append(classes, "answer")
	}
	text, _, _ := strings.Cut(s.Text, ", because ")
	if wording.Longest(strings.TrimSuffix(text, " ("+s.Note+")"), " = ") > halfOfNumbers {
		classes = append(classes, "across")
	}
	return strings.Join(classes, " ")
}
