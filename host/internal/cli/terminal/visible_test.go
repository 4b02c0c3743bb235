package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/slipstick/slipstick/sdk/visible"
)

// steering returns the characters that control terminals.
func steering() (list []rune) {
	for _, span := range [][2]rune{{0, 0x1f}, {0x7f, 0x9f}, {0xad, 0xad}, {0x61c, 0x61c}, {0x200b, 0x200b}, {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}} {
		for r := span[0]; r <= span[1]; r++ {
			list = append(list, r)
		}
	}
	return list
}

// No character that controls a terminal passes, even if it is split into pieces. All other characters pass unchanged.
func TestVisible(t *testing.T) {
	for _, r := range steering() {
		want := fmt.Sprintf(`a\u%04xb`, r)
		if got := OneLine("a" + string(r) + "b"); got != want {
			t.Errorf("%U: %q, want %q", r, got, want)
		}
	}
	const harmless = "12 µm, ±0.5 % 漢字 שלום é 👩‍🔬 \\n \ufffd"
	if got := OneLine(harmless); got != harmless {
		t.Errorf("%q became %q", harmless, got)
	}
	text := harmless + "\n\tline\x1b[2J\u202e\u0085\r\nbad \xff\xe2\x80 \xc2"
	want := harmless + "\n\tline" + `\u001b[2J\u202e\u0085\u000d` + "\n" + `bad \xff\xe2\x80 \xc2`
	for cut := range len(text) + 1 {
		var b bytes.Buffer
		v := NewWriter(&b)
		for _, part := range []string{text[:cut], text[cut:]} {
			if n, err := v.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatalf("wrote %d of %d, %v", n, len(part), err)
			}
		}
		v.Flush()
		if b.String() != want {
			t.Fatalf("cut at %d: %q, want %q", cut, b.String(), want)
		}
	}
	document, err := json.Marshal(string(steering()) + harmless)
	if err != nil {
		t.Fatal(err)
	}
	var again string
	if err := json.Unmarshal([]byte(OneLine(string(document))), &again); err != nil || again != string(steering())+harmless {
		t.Errorf("a document means %q now, %v", again, err)
	}
}

// FuzzVisible: the output is UTF-8 and does not control a terminal.
func FuzzVisible(f *testing.F) {
	f.Add([]byte("a\xe2\x80\xaeb"), 2)
	f.Fuzz(func(t *testing.T, text []byte, cut int) {
		cut = min(max(cut, 0), len(text))
		var b bytes.Buffer
		v := NewWriter(&b)
		_, _ = v.Write(text[:cut])
		_, _ = v.Write(text[cut:])
		v.Flush()
		if bad := strings.IndexFunc(b.String(), func(r rune) bool { return visible.Hidden(r) && r != '\n' && r != '\t' }); bad >= 0 || !utf8.Valid(b.Bytes()) {
			t.Errorf("%q became %q", text, b.Bytes())
		}
	})
}
