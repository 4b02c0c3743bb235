package help_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/alecthomas/kong"

	"github.com/slipstick/slipstick/host/internal/cli/help"
)

// The manual has a page for the program and for each command that is not hidden. The pages have the texts of --help,
// escaped for man.
func TestPages(t *testing.T) {
	parser, err := kong.New(new(cli), kong.Name("studio"), kong.Description("Paints walls.\n\nAnd more."))
	if err != nil {
		t.Fatal(err)
	}
	texts := fstest.MapFS{"help/paint.txt": {Data: []byte("Two coats are enough.\n\n    studio paint wall red\n.dotted\n")}}
	if err := help.Describe(parser.Model.Node, texts); err != nil {
		t.Fatal(err)
	}
	pages := help.Pages(parser.Model.Node, &help.PageOptions{
		Release: "1.2.0", About: "A studio.", Exit: "0 is success.", Files: []help.File{{Path: "paint-box", Help: "The colours."}},
	})
	if got, want := slices.Sorted(maps.Keys(pages)), []string{"studio-paint.1", "studio-store-new.1", "studio-store-open.1", "studio.1"}; !slices.Equal(got, want) {
		t.Fatalf("pages %q, want %q", got, want)
	}
	for name, texts := range map[string][]string{
		"studio.1": {
			`.TH "STUDIO" 1 "" "Slipstick 1.2.0" "User Commands"`, `studio \- Paints walls`, ".SH DESCRIPTION\nA studio.\n", `\fBstudio\-paint\fR(1)` + "\nPaints.",
			".SH EXIT STATUS\n0 is success.", `\fIpaint\-box\fR` + "\nThe colours.",
		},
		"studio-paint.1": {
			`.TH "STUDIO\-PAINT" 1`, ".PP\nTwo coats are enough.\n", ".nf\n    studio paint wall red\n\\&.dotted\n.fi", `\fIthing\fR`,
			`\fB\-\-tool\fR=\fI"brush"\fR` + "\nThe tool. Default: brush.", `\fB\-\-wet\fR` + "\n", ".SH SEE ALSO\n" + `\fBstudio\fR(1)`,
		},
	} {
		for _, text := range texts {
			if !strings.Contains(string(pages[name]), text) {
				t.Errorf("%s has no %q:\n%s", name, text, pages[name])
			}
		}
	}
	if strings.Contains(string(pages["studio-paint.1"]), "secret") {
		t.Error("a page shows a hidden flag")
	}
}

func TestNormalize(t *testing.T) {
	for typed, want := range map[string]string{
		"": "", "--version --json": "version --json", "help lock": "lock --help", "help": "--help", "calc --version": "calc --version",
	} {
		if got := strings.Join(help.Normalize(strings.Fields(typed)), " "); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}
