package help_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/alecthomas/kong"

	"github.com/slipstick/slipstick/host/internal/cli/help"
)

type tools struct {
	Calc struct {
		ID    string `arg:"" name:"id"`
		Batch string `help:"A file."`
		Front bool   `negatable:"" default:"true"`
	} `cmd:""`
	Yank struct {
		Reason string `required:"" placeholder:"TEXT"`
		ID     string `arg:"" name:"id"`
	} `cmd:""`
	Keys struct {
		New struct {
			Role string `required:""`
		} `cmd:""`
		Rotate struct{} `cmd:""`
	} `cmd:""`
}

// A mistake has the name that was meant, or an example, and the help of the command. It has no name that is only
// two letters away.
func TestMistake(t *testing.T) {
	texts := fstest.MapFS{"help/keys-new.txt": {Data: []byte("Makes a key.\n\n  slipstick keys new anna --role review   reviews\n")}}
	const all = "\nRun slipstick --help for the commands, slipstick COMMAND --help for one."
	for typed, want := range map[string]string{
		"calk ohms-law":           "unknown command calk, did you mean calc?" + all,
		"xyz":                     "unknown command xyz" + all,
		"key":                     "unknown command key, did you mean keys?" + all,
		"keys rot":                "unknown command rot, did you mean rotate?\nRun slipstick keys --help.",
		"calc ohms-law --prot 80": "unknown flag --prot\nRun slipstick calc --help.",
		"calc ohms-law --btach x": "unknown flag --btach, did you mean --batch?\nRun slipstick calc --help.",
		"calc ohms-law --no-fron": "unknown flag --no-fron, did you mean --no-front?\nRun slipstick calc --help.",
		"calc a b":                "unexpected argument b\nRun slipstick calc --help.",
		"calc":                    "missing positional arguments <id>\nUsage: slipstick calc <id>\nRun slipstick calc --help.",
		"yank x":                  "missing flags: --reason=TEXT\nUsage: slipstick yank --reason=TEXT <id>\nRun slipstick yank --help.",
		"keys new":                "missing flags: --role=STRING\nExample: slipstick keys new anna --role review\nRun slipstick keys new --help.",
		"keys":                    "name one of these commands",
	} {
		parser, err := kong.New(new(tools), kong.Name("slipstick")) // which keeps what an earlier command line has set
		if err == nil {
			err = help.Describe(parser.Model.Node, texts)
		}
		if err != nil {
			t.Fatal(err)
		}
		_, err = parser.Parse(strings.Fields(typed))
		if err == nil {
			t.Fatalf("%q is accepted", typed)
		}
		if got := help.Mistake(err); got != want {
			t.Errorf("%q:\n%s\nwant\n%s", typed, got, want)
		}
		if got := help.NamesNoCommand(err); got != (typed == "keys") {
			t.Errorf("%q: names no command: %t", typed, got)
		}
	}
	if got := help.Mistake(errors.New("the flag --a is now --b")); got != "the flag --a is now --b"+all {
		t.Error(got)
	}
}
