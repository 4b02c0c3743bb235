package visible_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/slipstick/slipstick/sdk/visible"
)

// hidden has each family of invisible characters.
var hidden = []rune{
	0, 7, '\n', '\r', '\t', 0x1b, 0x7f, 0x80, 0x85, 0x9b, 0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x180b, 0x180e, 0x180f, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029,
	0x202a, 0x202e, 0x2060, 0x2061, 0x2064, 0x2065, 0x2066, 0x2069, 0x206a, 0x3164, 0xfe00, 0xfeff, 0xffa0, 0xfff0, 0xfff9, 0xfffb, 0x1bca0, 0x1d173, 0xe0001, 0xe0020, 0xe007f, 0xe0100, 0xe0fff,
}

func TestHidden(t *testing.T) {
	for _, r := range hidden {
		text := "a" + string(r) + "b"
		if err := visible.Check(text); err == nil || !strings.Contains(err.Error(), "U+") && !strings.Contains(err.Error(), "line end") {
			t.Errorf("%U: %v", r, err)
		}
		want := "a\ufffdb"
		if r == '\n' || r == '\t' {
			want = text
		}
		if got := visible.Text(text); got != want {
			t.Errorf("%U: %q", r, got)
		}
		document, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		if r != '\n' && r != '\t' && !visible.Suspect(document) {
			t.Errorf("%U: %s is not suspect", r, document)
		}
	}
	// Every character of the categories that are never shown, in every plane.
	for r := rune(0); r <= unicode.MaxRune; r++ {
		never := unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) && r != 0x200c && r != 0x200d
		if never && !visible.Hidden(r) {
			t.Errorf("%U can be shown", r)
		}
		if visible.Hidden(r) && unicode.In(r, unicode.N, unicode.P, unicode.S, unicode.Zs) {
			t.Errorf("%U is hidden", r)
		}
	}
}

func TestShown(t *testing.T) {
	for _, text := range []string{
		"", "12 µm, ±0.5 % 漢字 שלום é", "a b\u00a0c\u202fd", "👩\u200d🔬", "❤️ ↔️", "👨🏽\u200d🔧", "می\u200cخواهم", "क्\u200dष", "\u0601", "e\u0301",
	} {
		if err := visible.Check(text); err != nil || visible.Text(text) != text {
			t.Errorf("%q: %v, %q", text, err, visible.Text(text))
		}
	}
	for _, text := range []string{"a\u200db", "12\u200c3", "\u200d", "5\ufe0f", "a\ufe0f", "👩\u200d", "\u200d🔬", "δ\u200cε", "漢\u200d字", "a\xff"} {
		if err := visible.Check(text); err == nil {
			t.Errorf("%q passes", text)
		}
		got := visible.Text(text)
		if err := visible.Check(got); err != nil || !strings.Contains(got, "\ufffd") {
			t.Errorf("%q is shown as %q: %v", text, got, err)
		}
	}
	if err := visible.CheckLines("a = 1\n\tb = 2\r\n"); err != nil {
		t.Error(err)
	}
	if visible.CheckLines("a\u2028b") == nil {
		t.Error("a line separator passes")
	}
}

func TestCell(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "-": "-", "a=1": "a=1", "µ": "µ", "=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@a": "'@a", "\ta": "'\ta", "\r": "'\r", "\n=1": "'\n=1",
		"＝1+1": "'＝1+1", "＋1": "'＋1", "－1": "'－1", "＠a": "'＠a",
	} {
		if got := visible.Cell(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

type inner struct {
	Note string            `json:"note"`
	Map  map[string]string `json:"map"`
}

func TestEach(t *testing.T) {
	v := struct {
		Title string   `json:"title"`
		List  []string `json:"list"`
		Inner []*inner `json:"inner"`
		Text  string   `json:"text"`
		inner
		private string
	}{Title: "a", List: []string{"b", "c\u200b"}, Inner: []*inner{nil, {Note: "d\u202e", Map: map[string]string{"k\u2066": "e\u2029"}}}, Text: "f\ng", private: "\u200b"}
	var paths []string
	for _, err := range visible.CheckEach(&v, "text") {
		path, _, _ := strings.Cut(err.Error(), ": ")
		paths = append(paths, path)
	}
	if got := strings.Join(paths, " "); got != "list[1] inner[1].note inner[1].map inner[1].map.k\u2066" {
		t.Errorf("%q", got)
	}
	visible.Each(&v, func(_, text string) string { return visible.Text(text) })
	if v.List[1] != "c\ufffd" || v.Inner[1].Note != "d\ufffd" || v.Inner[1].Map["k\u2066"] != "e\ufffd" || v.Text != "f\ng" {
		t.Errorf("%+v", v)
	}
}

func FuzzText(f *testing.F) {
	f.Add("a\u200d\u200db\xff")
	f.Fuzz(func(t *testing.T, text string) {
		shown := visible.Text(text)
		if err := visible.CheckLines(shown); err != nil {
			t.Errorf("%q is shown as %q: %v", text, shown, err)
		}
		if utf8.ValidString(text) && visible.Check(text) == nil && shown != text {
			t.Errorf("%q became %q", text, shown)
		}
	})
}
