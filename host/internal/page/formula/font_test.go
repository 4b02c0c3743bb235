package formula_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/google/go-cmp/cmp"

	"github.com/slipstick/slipstick/host/internal/page/formula"
)

// The font is the output of scripts/font, and has the characters in its list. Another version of fonttools can write other
// bytes; both must then change here.
func TestFont(t *testing.T) {
	const want = "dca2f33a3d33a292f2a8952f03f766f29840257b0fee43a255bf900a553e4c59"
	if sum := sha256.Sum256([]byte(formula.Font)); hex.EncodeToString(sum[:]) != want {
		t.Errorf("the font has the digest %x", sum)
	}
	if size := len(formula.Font); size > 40<<10 {
		t.Errorf("the font has %d bytes", size)
	}
	listed, err := os.ReadFile("font/code-points.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(listedIn(t, string(listed)), charactersOf(t, []byte(formula.Font))); diff != "" {
		t.Errorf("characters (-listed +in the font):\n%s", diff)
	}
	if licence, err := os.ReadFile("font/LICENSE"); err != nil || !strings.Contains(string(licence), "The STIX Fonts Project Authors") || !strings.Contains(string(licence), "SIL OPEN FONT LICENSE Version 1.1") {
		t.Errorf("no licence lies beside the font: %v", err)
	}
}

// listedIn reads the list: code points and ranges in hexadecimal, with comments.
func listedIn(t *testing.T, text string) (list []rune) {
	t.Helper()
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		for word := range strings.FieldsSeq(line) {
			var first, last rune
			if n, _ := fmt.Sscanf(word, "%x-%x", &first, &last); n == 1 {
				last = first
			} else if n != 2 {
				t.Fatalf("%q is no code point", word)
			}
			for ; first <= last; first++ {
				list = append(list, first)
			}
		}
	}
	slices.Sort(list)
	return list
}

// charactersOf returns the characters that a WOFF2 file has glyphs for. See
// https://www.w3.org/TR/WOFF2 for the directory, and the chapter on cmap of OpenType.
func charactersOf(t *testing.T, font []byte) (list []rune) {
	t.Helper()
	if string(font[:4]) != "wOF2" {
		t.Fatal("no WOFF2 file")
	}
	start, length, rest := 0, 0, font[48:]
	for range binary.BigEndian.Uint16(font[12:]) {
		table, version := rest[0]&63, rest[0]>>6
		rest = rest[1:]
		if table == 63 {
			rest = rest[4:]
		}
		size := base128(&rest)
		if isOutline := table == 10 || table == 11; isOutline == (version == 0) {
			size = base128(&rest) // as transformed
		}
		if table == 0 {
			length = size
		} else if length == 0 {
			start += size
		}
	}
	tables, err := io.ReadAll(brotli.NewReader(bytes.NewReader(rest[:binary.BigEndian.Uint32(font[20:])])))
	if err != nil || length == 0 || start+length > len(tables) {
		t.Fatal("no cmap", err)
	}
	cmap := tables[start : start+length]
	for i := range int(binary.BigEndian.Uint16(cmap[2:])) {
		sub := cmap[binary.BigEndian.Uint32(cmap[8+8*i:]):]
		if binary.BigEndian.Uint16(sub) != 12 {
			continue
		}
		for j := range int(binary.BigEndian.Uint32(sub[12:])) {
			group := sub[16+12*j:]
			for r := binary.BigEndian.Uint32(group); r <= binary.BigEndian.Uint32(group[4:]); r++ {
				list = append(list, rune(r)) //nolint:gosec // a code point
			}
		}
		return list
	}
	t.Fatal("no table of all characters")
	return nil
}

// base128 reads a number of variable length from the start of a WOFF2 table.
func base128(rest *[]byte) (n int) {
	for {
		b := (*rest)[0]
		*rest = (*rest)[1:]
		n = n<<7 | int(b&127)
		if b < 128 {
			return n
		}
	}
}
