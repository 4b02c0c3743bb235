package help_test

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/slipstick/slipstick/host/internal/cli/help"
)

type cli struct {
	Paint struct {
		Thing  string   `arg:"" complete:"thing"`
		Colour []string `arg:"" enum:"red,green"`
		Tool   string   `enum:"brush,roller" default:"brush" help:"The tool."`
		Wet    bool
		Secret string `hidden:""`
	} `cmd:"" help:"Paints."`
	Store struct {
		New  struct{} `cmd:""`
		Open struct {
			File string `arg:""`
		} `cmd:""`
	} `cmd:""`
	Hidden struct{} `cmd:"" hidden:""`
}

// The words before the cursor decide which words can follow.
func TestWords(t *testing.T) {
	parser, err := kong.New(new(cli))
	if err != nil {
		t.Fatal(err)
	}
	things := func(kind string, typed help.Typed) []help.Word {
		return []help.Word{{Text: kind + typed.Flags["tool"]}, {Text: "other"}}
	}
	for typed, want := range map[string]string{
		"":                           "paint store",
		"p":                          "paint",
		"x":                          "",
		"paint ":                     "thing other",
		"paint o":                    "other",
		"paint -":                    "--help --tool --wet",
		"paint --t":                  "--tool",
		"paint --tool ":              "brush roller",
		"paint --tool=r":             "--tool=roller",
		"paint --tool=brush ":        "thingbrush other",
		"paint --tool roller th":     "thingroller",
		"paint --wet ":               "thing other",
		"paint fence ":               "red green",
		"paint fence red ":           "red green",
		"paint fence --unknown red ": "red green",
		"paint -- ":                  "thing other",
		"paint -- -":                 "",
		"store ":                     "new open",
		"store open ":                "",
		"store open store ":          "",
		"help ":                      "paint store",
		"help store o":               "open",
		"help paint ":                "",
		"help paint -":               "",
	} {
		var got []string
		for _, w := range help.Words(parser.Model.Node, strings.Split(typed, " "), things) {
			got = append(got, w.Text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}
