package page_test

import (
	"image"
	"image/color"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"
)

var codeOnSheet = regexp.MustCompile(`<svg class="code" width="[0-9.]+mm" viewBox="0 0 (\d+) \d+"[^>]*><path d="([^"]*)"`)

// scan reads the code on a sheet, "" if there is none.
func scan(t *testing.T, html string) string {
	t.Helper()
	svg := codeOnSheet.FindStringSubmatch(html)
	if svg == nil {
		return ""
	}
	const scale = 4
	side, _ := strconv.Atoi(svg[1])
	picture := image.NewGray(image.Rect(0, 0, side*scale, side*scale))
	for i := range picture.Pix {
		picture.Pix[i] = 255
	}
	for row := range strings.SplitSeq(strings.TrimPrefix(svg[2], "M"), "M") {
		start := regexp.MustCompile(`^(\d+) (\d+)`).FindStringSubmatch(row)
		x, _ := strconv.Atoi(start[1])
		y, _ := strconv.Atoi(start[2])
		for _, move := range regexp.MustCompile(`([hm])(\d+)`).FindAllStringSubmatch(row, -1) {
			n, _ := strconv.Atoi(move[2])
			for at := x * scale; move[1] == "h" && at < (x+n)*scale; at++ {
				for down := range scale {
					picture.SetGray(at, y*scale+down, color.Gray{})
				}
			}
			x += n
		}
	}
	bits, err := gozxing.NewBinaryBitmapFromImage(picture)
	if err != nil {
		t.Fatal(err)
	}
	got, err := qrcode.NewQRCodeReader().Decode(bits, nil)
	if err != nil {
		t.Fatal(err)
	}
	return got.GetText()
}

// The code on a sheet is its URL. If the URL is too long for a code, the sheet explains what to do.
func TestCode(t *testing.T) {
	s := newSite(t)
	for _, tt := range []struct{ name, query, code, words string }{
		{"short", good, base + shelf + "?mode=hard&length=2&point_load=3&point_load.unit=kN", "This URL calculates again with the version that is current when you open it."},
		{"long", strings.Replace(good, "L=2", "L=2."+strings.Repeat("0", 250)+"&note="+strings.Repeat("n", 100), 1), "", "Create a snapshot for a short URL with a QR code."},
	} {
		html := s.get(t, shelf+"?"+tt.query).text
		if got := scan(t, html); got != tt.code || !strings.Contains(html, tt.words) {
			t.Errorf("%s: the code is %q, want %q with the words %q in\n%s", tt.name, got, tt.code, tt.words, html)
		}
	}
}

// A telephone can read the code of a URL up to the limit. Longer URLs have no code.
func TestCodeLimit(t *testing.T) {
	const most = 400
	s := newSite(t)
	query := "?mode=hard&length=2&note="
	for _, size := range []int{most, most + 1} {
		path := shelf + query + strings.Repeat("a", size-len(base+shelf+query))
		want := base + path
		if size > most {
			want = ""
		}
		if got := scan(t, s.get(t, path).text); got != want {
			t.Errorf("%d bytes are read as %q", size, got)
		}
	}
}

// Only pages with formulas preload the font.
func TestFontIsPreloaded(t *testing.T) {
	s := newSite(t)
	preload := regexp.MustCompile(`<link rel="preload" href="(/assets/formula-[0-9a-f]{16}\.woff2)" as="font" type="font/woff2" crossorigin>`)
	found := preload.FindStringSubmatch(s.get(t, shelf+"?"+good).text)
	if found == nil {
		t.Fatal("the page of a calculator does not load the font early")
	}
	if preload.MatchString(s.get(t, "/").text) {
		t.Error("the index loads the font")
	}
	font := s.get(t, found[1])
	if font.status != http.StatusOK || font.header.Get("Content-Type") != "font/woff2" || font.header.Get("Cache-Control") != "public, max-age=31536000, immutable" || !strings.HasPrefix(font.text, "wOF2") {
		t.Errorf("%d %v", font.status, font.header)
	}
}
