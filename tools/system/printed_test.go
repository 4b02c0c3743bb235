package system

import (
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"
)

// printed lists the expected content of a page that a browser has printed.
type printed struct {
	File     string
	Address  string
	Code     bool
	Pictures int
	Texts    []string
}

// A printed sheet has all content of its page, within the margins of its paper, and its QR code leads back to the
// page.
func TestPrinted(t *testing.T) {
	busy(t)
	h, dir := startServer(t), t.TempDir()
	judge(t, "pages", "print", h.url, dir)
	text, err := os.ReadFile(filepath.Join(dir, "sheets.json"))
	var sheets []printed
	if err == nil {
		err = json.Unmarshal(text, &sheets)
	}
	if err != nil || len(sheets) != 6 {
		t.Fatalf("%d sheets: %v", len(sheets), err)
	}
	for _, s := range sheets {
		t.Run(s.File, func(t *testing.T) {
			file := filepath.Join(dir, s.File)
			s.checkText(t, reads(t, "pdftotext", "-raw", file, "-"))
			checkMargins(t, reads(t, "pdftotext", "-bbox", file, "-"))
			if s.Code {
				s.checkCode(t, file)
			}
		})
	}
}

// reads returns the output of a Poppler program.
func reads(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), program, args...).Output()
	if err != nil {
		t.Fatalf("%s: %v (apt-get install poppler-utils)", program, err)
	}
	return string(out)
}

// dense returns the text without the parts that depend on line breaks.
func dense(text string) string {
	return strings.NewReplacer(" ", "", "\n", "", "\f", "", "\u00a0", "", "\u202f", "").Replace(text)
}

func (s *printed) checkText(t *testing.T, text string) {
	t.Helper()
	const most = 3 // maximum number of pages
	n := strings.Count(text, "\f")
	if n > most {
		t.Errorf("%d pages", n)
	}
	for i := range n {
		if foot := fmt.Sprintf("Page %d of %d", i+1, n); !strings.Contains(text, foot) {
			t.Errorf("no %q", foot)
		}
	}
	all := dense(text)
	for _, want := range append(s.Texts, s.Address) {
		if !strings.Contains(all, dense(want)) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

var (
	sizeOfPage = regexp.MustCompile(`<page width="([0-9.]+)" height="([0-9.]+)"`)
	placeOf    = regexp.MustCompile(`<word xMin="([0-9.-]+)" yMin="([0-9.-]+)" xMax="([0-9.-]+)" yMax="([0-9.-]+)">(.*)</word>`)
)

// checkMargins makes sure that no word extends into a margin, where a printer would cut it off.
func checkMargins(t *testing.T, boxes string) {
	t.Helper()
	const margin = 12 / 25.4 * 72
	var width, height float64
	words := 0
	for line := range strings.Lines(boxes) {
		if size := sizeOfPage.FindStringSubmatch(line); size != nil {
			width, height = number(t, size[1]), number(t, size[2])
		} else if word := placeOf.FindStringSubmatch(line); word != nil {
			words++
			left, right, bottom := number(t, word[1]), number(t, word[3]), number(t, word[4])
			if left < margin || right > width-margin || bottom > height {
				t.Errorf("%q stands at %.0f to %.0f of %.0f points", word[5], left, right, width)
			}
		}
	}
	if words < 100 {
		t.Errorf("%d words", words)
	}
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// checkCode reads the code from the first page as a scanner does, from several distances. A single distance fails
// for some URLs, and each run has a different port.
func (s *printed) checkCode(t *testing.T, file string) {
	t.Helper()
	var errs []error
	for _, resolution := range []string{"200", "300", "150", "250"} {
		got, err := readCode(t, file, resolution)
		if err == nil {
			if got != s.Address {
				t.Errorf("the code says %s, not %s", got, s.Address)
			}
			return
		}
		errs = append(errs, err)
	}
	t.Errorf("no code that says %s: %v", s.Address, errors.Join(errs...))
}

func readCode(t *testing.T, file, resolution string) (string, error) {
	t.Helper()
	reads(t, "pdftoppm", "-png", "-r", resolution, "-f", "1", "-l", "1", "-singlefile", file, file)
	page, err := os.Open(file + ".png")
	if err != nil {
		t.Fatal(err)
	}
	defer page.Close()
	image, err := png.Decode(page)
	if err != nil {
		t.Fatal(err)
	}
	bits, err := gozxing.NewBinaryBitmapFromImage(image)
	if err != nil {
		t.Fatal(err)
	}
	code, err := qrcode.NewQRCodeReader().Decode(bits, map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_TRY_HARDER: true})
	if err != nil {
		return "", err
	}
	return code.GetText(), nil
}
