package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// steering are the characters that act on terminals.
func steering() (list []rune) {
	for _, span := range [][2]rune{{0, 0x1f}, {0x7f, 0x9f}, {0x61c, 0x61c}, {0x200e, 0x200f}, {0x202a, 0x202e}, {0x2066, 0x2069}} {
		for r := span[0]; r <= span[1]; r++ {
			list = append(list, r)
		}
	}
	return list
}

// Nothing that steers a terminal passes, however it is cut into pieces; everything else
// passes as it is.
func TestVisible(t *testing.T) {
	for _, r := range steering() {
		want := fmt.Sprintf(`a\u%04xb`, r)
		if got := oneLine("a" + string(r) + "b"); got != want {
			t.Errorf("%U: %q, want %q", r, got, want)
		}
	}
	const harmless = "12 µm, ±0.5 % 漢字 שלום é 👩‍🔬 \\n \ufffd"
	if got := oneLine(harmless); got != harmless {
		t.Errorf("%q became %q", harmless, got)
	}
	text := harmless + "\n\tline\x1b[2J\u202e\u0085\r\nbad \xff\xe2\x80 \xc2"
	want := harmless + "\n\tline" + `\u001b[2J\u202e\u0085\u000d` + "\n" + `bad \xff\xe2\x80 \xc2`
	for cut := range len(text) + 1 {
		var b bytes.Buffer
		v := newVisible(&b)
		for _, part := range []string{text[:cut], text[cut:]} {
			if n, err := v.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatalf("wrote %d of %d, %v", n, len(part), err)
			}
		}
		v.flush()
		if b.String() != want {
			t.Fatalf("cut at %d: %q, want %q", cut, b.String(), want)
		}
	}
	document, err := json.Marshal(string(steering()) + harmless)
	if err != nil {
		t.Fatal(err)
	}
	var again string
	if err := json.Unmarshal([]byte(oneLine(string(document))), &again); err != nil || again != string(steering())+harmless {
		t.Errorf("a document means %q now, %v", again, err)
	}
}

// FuzzVisible: what passes is UTF-8 and steers nothing.
func FuzzVisible(f *testing.F) {
	f.Add([]byte("a\xe2\x80\xaeb"), 2)
	f.Fuzz(func(t *testing.T, text []byte, cut int) {
		cut = min(max(cut, 0), len(text))
		var b bytes.Buffer
		v := newVisible(&b)
		_, _ = v.Write(text[:cut])
		_, _ = v.Write(text[cut:])
		v.flush()
		if bad := strings.IndexFunc(b.String(), func(r rune) bool { return steers(r) && r != '\n' && r != '\t' }); bad >= 0 || !utf8.Valid(b.Bytes()) {
			t.Errorf("%q became %q", text, b.Bytes())
		}
	})
}

const (
	steeringReason = "wrong\u202eeslaf\x1b[2J\nslipstick: all is well"
	visibleReason  = `wrong\u202eeslaf\u001b[2J\u000aslipstick: all is well`
)

// What publishers write reaches terminals only in a form in which it is seen, and cannot
// pass for a line of ours.
func TestReasonsDoNotSteer(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "registry")
	does(t, "publish", "--to", dir, filepath.Join(built.engines, "ohms_law"))
	does(t, "yank", "--registry", dir, "ohms-law", "1.0.0", "--reason", steeringReason)
	if out := does(t, "list", "--registry", dir); !strings.Contains(out, visibleReason) || strings.Count(out, "\n") != 2 {
		t.Errorf("list: %q", out)
	}
	document := does(t, "list", "--registry", dir, "--json")
	var row listRow
	if err := json.Unmarshal([]byte(document), &row); err != nil || row.Reason != steeringReason || !strings.Contains(document, "\u202e") {
		t.Errorf("list --json, into a file: %q, %v", document, err)
	}
	if r := slipstick(t.Context(), "calc", "--registry", dir, "ohms-law", "V=12", "R=8", "--pin", "1.0.0\u202e"); r.code != exitFailed || !strings.Contains(r.err, `\u202e`) || strings.Contains(r.err, "\u202e") {
		t.Errorf("calc: %d %q", r.code, r.err)
	}
	if out := does(t, "verify", "--registry", dir, "ohms-law@1.0.0", "--trust", trustFile(t)); strings.ContainsAny(out, "\u202e\x1b") {
		t.Errorf("verify: %q", out)
	}
}

func trustFile(t *testing.T) string {
	t.Helper()
	_, trust := signers(t, "publish")
	return trust
}

// What an engine answers is seen as it is, and in JSON means the same.
func TestAnswersDoNotSteer(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	shown, reg, engine := filepath.Join(dir, "shown"), filepath.Join(dir, "registry"), filepath.Join(dir, "peek")
	if err := os.Mkdir(shown, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(shown, "file")
	overwrite(t, file, []byte("1\u202e2\u20663"))
	build := goCommand(".", "build", "-trimpath", "-ldflags", "-s -X main.wants="+shown, "-o", engine, "./testdata/engines/peek")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	does(t, "publish", "--to", reg, engine, "--read-only", shown, "--readable", shown)
	calc := []string{"calc", "--registry", reg, "--readable", shown, "peek", "path=" + file}
	if out := does(t, calc...); !strings.Contains(out, `1\u202e2\u20663`) || strings.ContainsAny(out, "\u202e\u2066") {
		t.Errorf("calc: %q", out)
	}
	if out := does(t, append(calc, "--json")...); !strings.Contains(out, "1\u202e2\u20663") {
		t.Errorf("calc --json, into a file: %q", out)
	}
}
