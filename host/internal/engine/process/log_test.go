package process

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"
)

// Output is split into log lines and the rest however it arrives.
func TestPrinted(t *testing.T) {
	long := `{"@level":"warn","@message":"` + strings.Repeat("x", maxLogLine) + `"}`
	odd := `{"@level":"warn","a":[` + strings.Repeat("1,", maxLogLine) + `1],"@message":"m"}`
	for _, tt := range []struct {
		name, output string
		texts        []string // beginnings of the texts that are logged
		rest         string
	}{
		{"nothing", "", nil, ""},
		{"no log", "panic: no\n\n{\ngoroutine", nil, "panic: no\n\n{\ngoroutine"},
		{"log alone", `{"@level":"warn","@message":"one"}` + "\n", []string{"one"}, ""},
		{"without a line end", `{"@level":"error","@message":"one"}`, []string{"one"}, ""},
		{"between others", "a\n{\"@level\":\"warn\",\"@message\":\"one\"}\r\nb {\"@level\":\"warn\",\"@message\":\"no\"}\n", []string{"one"}, "a\nb {\"@level\":\"warn\",\"@message\":\"no\"}\n"},
		{"as Python writes it", `{"@level": "warn", "@message": "one"}` + "\n", []string{"one"}, ""},
		{"below the level", `{"@level":"info","@message":"one"}` + "\n", nil, ""},
		{"long", long + "\n{\"@level\":\"warn\",\"@message\":\"two\"}\n", []string{"xxx", "two"}, ""},
		{"long without a text", odd + "\nz\n", []string{`{"@level":"warn","a":[1,1,`}, "z\n"},
		{"long and not a log line", "{" + strings.Repeat("y", 2*maxLogLine) + "\nz\n", nil, ""},
	} {
		for _, piece := range []int{1, 7, 1 << 20} {
			var logged bytes.Buffer
			var rest tail
			p := &printed{log: NewLog(slog.New(slog.NewJSONHandler(&logged, nil)), LogOptions{}), tail: &rest}
			for output := []byte(tt.output); len(output) > 0; {
				n := min(piece, len(output))
				if written, err := p.Write(output[:n]); written != n || err != nil {
					t.Fatal(written, err)
				}
				output = output[n:]
			}
			p.flush()
			var texts []string
			for line := range bytes.Lines(logged.Bytes()) {
				var l struct{ Text string }
				if err := json.Unmarshal(line, &l); err != nil {
					t.Fatal(err)
				}
				texts = append(texts, l.Text)
			}
			if len(texts) != len(tt.texts) {
				t.Fatalf("%s, %d bytes at a time: logged %.200q", tt.name, piece, texts)
			}
			for i, text := range texts {
				if !strings.HasPrefix(text, tt.texts[i]) || len(text) > maxLogText {
					t.Errorf("%s, %d bytes at a time: logged %.200q, want %.200q", tt.name, piece, text, tt.texts[i])
				}
			}
			if want := strings.TrimSpace(tt.rest); want != "" && rest.text() != want || len(p.held) > 0 {
				t.Errorf("%s, %d bytes at a time: the rest is %.200q, want %.200q", tt.name, piece, rest.text(), want)
			}
		}
	}
}

// A line that is cut keeps its level and the beginning of its text, wherever it is cut.
func TestParseCutLine(t *testing.T) {
	whole := `{"@level":"warn","@message":"a\\\\b \u00e9\\u00e9 \"é\" ` + "\U0001f600" + `"}`
	start := strings.Index(whole, `a\`)
	for end := start; end < len(whole)-2; end++ {
		members, ok := parseLine([]byte(whole[:end]), true)
		if !ok || levelOf([]byte(whole[:end])) != hclog.Warn || members[memberLevel] == nil {
			t.Fatalf("%s is read as %s, %v", whole[:end], members, ok)
		}
	}
}

// The texts of a line have 1 KiB together, in whole characters.
func TestShown(t *testing.T) {
	left := 10
	got := []string{shown([]byte(`"ab\tc"`), &left), shown([]byte(`[1]`), &left), shown([]byte(`"ééé"`), &left), shown([]byte(`"x"`), &left)}
	if want := []string{"ab c", "[1]", "...", "..."}; strings.Join(got, "|") != strings.Join(want, "|") || left != 0 {
		t.Errorf("%q, %d left", got, left)
	}
}

// FuzzPrinted feeds output of an engine.
func FuzzPrinted(f *testing.F) {
	for _, seed := range []string{`{"@level":"warn","@message":"m","a":1}`, "{\n", `{"@level":"error","@message":"\ud800`, "panic: x\n{}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, output []byte) {
		var logged bytes.Buffer
		p := &printed{log: NewLog(slog.New(slog.NewJSONHandler(&logged, nil)), LogOptions{Rate: 1000}), tail: new(tail)}
		if _, err := p.Write(output); err != nil {
			t.Fatal(err)
		}
		p.flush()
		for line := range bytes.Lines(logged.Bytes()) {
			if !json.Valid(line) || len(line) > 8<<10 {
				t.Errorf("logged %d bytes: %.200q", len(line), line)
			}
		}
	})
}

// BenchmarkPrinted measures what the server does with lines beyond the rate.
func BenchmarkPrinted(b *testing.B) {
	output := []byte(strings.Repeat(`{"@level":"warn","@message":"no convergence","@timestamp":"2027-01-01T00:00:00.000000Z","x":1.5}`+"\n", 300))
	p := &printed{log: NewLog(slog.New(slog.DiscardHandler), LogOptions{}), tail: new(tail)}
	b.SetBytes(int64(len(output)))
	for b.Loop() {
		_, _ = p.Write(output)
	}
}
