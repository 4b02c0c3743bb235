package setting

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

func TestCheckNames(t *testing.T) {
	for _, c := range []struct {
		args, variables []string
		want            string
	}{
		{[]string{"serve", "--no-jail"}, nil, "the flag --no-jail is now --no-sandbox"},
		{[]string{"serve", "--no-jail=true"}, nil, "the flag --no-jail is now --no-sandbox"},
		{[]string{"serve"}, []string{"HOME=/", "SLIPSTICK_NO_JAIL="}, "the environment variable SLIPSTICK_NO_JAIL is now SLIPSTICK_NO_SANDBOX"},
		{[]string{"serve", "--no-sandbox"}, []string{"SLIPSTICK_NO_SANDBOX=true"}, ""},
		{[]string{"check", "--", "--no-jail"}, nil, ""},
	} {
		got := ""
		if err := CheckNames(c.args, c.variables); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q, %q: %q, want %q", c.args, c.variables, got, c.want)
		}
	}
}

// An error about a settings file has the name that was meant.
func TestSettingsFileMistakes(t *testing.T) {
	settings, err := ReadFile(strings.NewReader(`{"no-sandbx": true}`))
	if err != nil {
		t.Fatal(err)
	}
	parser, err := kong.New(&struct {
		Serve struct {
			NoSandbox bool `name:"no-sandbox"`
		} `cmd:""`
	}{})
	if err != nil {
		t.Fatal(err)
	}
	if err := settings.Validate(parser.Model); err == nil || err.Error() != `settings: there is no flag "no-sandbx", did you mean "no-sandbox"?` {
		t.Error(err)
	}
	name := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(name, []byte(`{"addr": 5`), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := ReadFile(file); err == nil || !strings.Contains(err.Error(), "settings in "+name+" are not a JSON object") {
		t.Error(err)
	}
}

func TestSettingsFileRefusesOldNames(t *testing.T) {
	settings, err := ReadFile(strings.NewReader(`{"no-jail": true}`))
	if err != nil {
		t.Fatal(err)
	}
	parser, err := kong.New(&struct {
		NoSandbox bool `name:"no-sandbox"`
	}{})
	if err != nil {
		t.Fatal(err)
	}
	if err := settings.Validate(parser.Model); err == nil || err.Error() != `settings: the flag "no-jail" is now "no-sandbox"` {
		t.Error(err)
	}
}
