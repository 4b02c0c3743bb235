package plot_test

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/page/plot"
)

var colors = map[string]string{"--paper": "#ffffff", "--ink": "#111111", "--muted": "#222222", "--rule": "#333333", "--series-1": "#a00000", "--series-2": "#b00000", "--series-3": "#c00000", "--series-4": "#d00000", "--accent": "#e00000"}

// A file has the same texts as the picture on its page. It is one SVG document and needs no stylesheet: every line and
// every text has a colour.
func TestFile(t *testing.T) {
	for _, s := range samples() {
		file := string(plot.File(&s.plot, &s.figure, &plot.FileOptions{Colors: colors, Caption: "a@1.0.0 & more", About: "<about>"}))
		if shown, want := textOf(t, file, true), textOf(t, string(plot.SVG(&s.plot, &s.figure, nil)), false); !slices.Equal(shown, append(want, "a@1.0.0 & more")) {
			t.Errorf("%s: the file says %q, the page %q", s.name, shown, want)
		}
		for _, bad := range []string{"class=", "var(", "data-", "Canvas", `=""`, "px\""} {
			if strings.Contains(file, bad) {
				t.Errorf("%s: the file contains %s", s.name, bad)
			}
		}
	}
}

// textOf returns the texts of a document. If it is a file, it also checks its elements.
func textOf(t *testing.T, document string, alone bool) (texts []string) {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(document))
	var within []string
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, document)
		}
		switch x := token.(type) {
		case xml.StartElement:
			within = append(within, x.Name.Local)
			has := map[string]string{}
			for _, a := range x.Attr {
				has[a.Name.Local] = a.Value
			}
			switch x.Name.Local {
			case "svg":
				if alone && x.Name.Space != "http://www.w3.org/2000/svg" {
					t.Errorf("the element is of %q", x.Name.Space)
				}
			case "path", "circle", "text":
				if alone && !strings.HasPrefix(has["fill"], "#") && !strings.HasPrefix(has["stroke"], "#") {
					t.Errorf("without a colour: %+v", x)
				}
			}
		case xml.EndElement:
			within = within[:len(within)-1]
		case xml.CharData:
			if slices.Contains(within, "text") {
				if text := strings.TrimSpace(string(x)); text != "" {
					texts = append(texts, text)
				}
			}
		}
	}
}
