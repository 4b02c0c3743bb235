package calculator

import (
	"html/template"
	"strconv"
	"strings"

	qr "github.com/piglig/go-qr"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/page/site"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/sdk/formula"
)

// Sizes of QR codes. Scanners need modules of a minimum size, and a sheet has limited space.
const (
	maxCode     = 400  // bytes of a URL with a code
	strongCode  = 106  // bytes of a URL with error correction level M (15 %); longer URLs have level L (7 %) and larger modules
	quietZone   = 4    // white modules around the code
	codeWidth   = 28   // mm, minimum
	moduleWidth = 0.45 // mm, minimum
)

// Address returns the public URL of the result, for a reader of the printed sheet.
func (s *sheet) Address() string {
	switch {
	case s.Snapshot != nil:
		return s.Snapshot.Address
	case s.Share != "":
		return s.Share
	}
	return s.Page
}

// Code returns the URL as a QR code for the printed sheet. It returns "" if no URL leads back to the result, or if the URL
// is too long for a readable code.
func (s *sheet) Code() template.HTML {
	if s.Snapshot == nil && s.Share == "" {
		return ""
	}
	return qrCode(s.Address())
}

// Foot returns the foot of every printed page: the tool, its version and its engine.
func (s *sheet) Foot() string {
	text := s.Tool + "@" + s.Version
	if d := shortDigest(s.Trust.Engine); d != "" {
		text += " · engine " + d
	}
	return text
}

// shortDigest returns the first digits of a digest, enough to distinguish engines by eye.
func shortDigest(digest string) string {
	const short = len("sha256:") + 12
	if len(digest) <= short {
		return digest
	}
	return digest[:short] + "…"
}

// qrCode returns a URL as a QR code. Each row of modules is a broken line, which compresses to a third of the size of single
// squares. The lines overlap a little, so that no printer leaves white between them.
func qrCode(address string) template.HTML {
	if len(address) > maxCode {
		return ""
	}
	level := qr.Medium
	if len(address) > strongCode {
		level = qr.Low
	}
	code, err := qr.EncodeText(address, level)
	if err != nil {
		return "" // the sheet also has the URL as text
	}
	size := code.Size()
	var d strings.Builder
	for y := range size {
		d.WriteString("M" + strconv.Itoa(quietZone) + " " + strconv.Itoa(quietZone+y) + ".5")
		for x := 0; x < size; {
			from, black := x, code.Module(x, y)
			for x < size && code.Module(x, y) == black {
				x++
			}
			switch length := strconv.Itoa(x - from); {
			case black:
				d.WriteString("h" + length)
			case x < size:
				d.WriteString("m" + length + " 0")
			}
		}
	}
	side := strconv.Itoa(size + 2*quietZone)
	width := strconv.FormatFloat(max(codeWidth, moduleWidth*float64(size+2*quietZone)), 'f', -1, 64)
	return template.HTML(`<svg class="code" width="` + width + `mm" viewBox="0 0 ` + side + " " + side + `" role="img" aria-label="QR code of the URL">` + //nolint:gosec // numbers alone
		`<path d="` + d.String() + `" stroke="#000" stroke-width="1.03"/></svg>`)
}

// share returns the public URL with the inputs of a query, "" if it is longer than a page accepts.
func (p *Pages) share(r *catalog.Release, query string) string {
	if len(query) > site.MaxQuery {
		return ""
	}
	return p.Address(catalog.PagePath(&r.Spec)) + "?" + query
}

// halfOfNumbers is the approximate number of characters of a step that fit into half of the width of a page.
// Typeset fractions and exponents need less width than their text.
const halfOfNumbers = 50

// Class returns the CSS classes of a step: whether it needs the whole width of a page, and whether it is a result.
func (s *step) Class() string {
	if s.Called != nil {
		return "call across"
	}
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
