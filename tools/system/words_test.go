package system

import (
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Errors of a command line are reported in the terms of the command line, with the exit code of the table.
func TestRefusals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{
		"typo.json": `{"keys":[{"name":"a","public":"x"}]}`, "kind.json": `{"keys":[{"name":5}]}`,
		"time.json": `{"keys":[{"name":"a","not_after":"soon"}]}`, "anna.pub": "untrusted comment: x\n", "empty.csv": "", "one.ndjson": "{}\n",
	} {
		if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	here := "--registry=" + built.registry
	for _, tt := range []struct {
		args string
		code int
		want []string
		not  string // text of the REST interface
	}{
		{"lock --chek", exitMisuse, []string{"did you mean --check?", "Run slipstick lock --help."}, "COMMAND"},
		{"nonsense", exitMisuse, []string{"nonsense", "COMMAND --help"}, ""},
		{"list --registry " + at("none"), exitMisuse, []string{"no registry at " + at("none"), "--registry", "SLIPSTICK_REGISTRY"}, "stat"},
		{"list --trust " + at("typo.json") + " " + here, exitMisuse, []string{"/keys/0/public", "public_key"}, "Go struct"},
		{"list --trust " + at("kind.json") + " " + here, exitMisuse, []string{"/keys/0/name", "a number"}, "Go"},
		{"list --trust " + at("time.json") + " " + here, exitMisuse, []string{"/keys/0/not_after", "2027-01-01T00:00:00Z"}, "parse"},
		{"serve --addr foo " + here, exitMisuse, []string{`--addr "foo"`, "127.0.0.1:8080"}, "another server"},
		{"serve --addr 127.0.0.1:x " + here, exitMisuse, []string{"HOST:PORT"}, "another server"},
		{"serve --addr " + taken.Addr().String() + " " + here, exitInternal, []string{taken.Addr().String() + " is taken", "--addr"}, "bind"},
		{"serve --addr 127.0.0.1:0 --data " + at("data") + " --locked=" + at("none") + " " + here, exitMisuse, []string{"slipstick lock makes one"}, ""},
		{"sign ohms-law@1.0.1 --key " + at("anna.pub") + " " + here, exitMisuse, []string{"public key", at("anna.key")}, "chmod"},
		{"publish --to " + at("r") + " " + at("none"), exitMisuse, []string{"none"}, ""},
		{"diff ohms-law amps-to-volts " + here, exitMisuse, []string{"two capabilities"}, ""},
		{"diff ohms-law " + at("none") + " " + here, exitMisuse, []string{"no executable"}, ""},
		{"calc ohms-law V=abc R=8 " + here, exitFailed, []string{"INVALID_NUMBER", "voltage"}, "quotes"},
		{"calc no-such-thing V=1 " + here, exitFailed, []string{"ENGINE_NOT_FOUND", "slipstick list"}, "Did you mean"},
		{"calc ohmslaw V=1 " + here, exitFailed, []string{"Did you mean ohms-law? slipstick list"}, "acceptable_ids"},
		{"calc ohms-law V=1 R=8 --pin 9.0.0 " + here, exitFailed, []string{"VERSION_MISMATCH", "slipstick list"}, "available_versions"},
		{"calc ohms-law V " + here, exitMisuse, []string{"name=value"}, ""},
		{"calc ohms-law --json X " + here, exitMisuse, []string{"name=value"}, "INTERNAL_ERROR"},
		{"calc --batch " + at("none.csv") + " ohms-law " + here, exitMisuse, []string{"none.csv"}, ""},
		{"calc --batch " + at("one.ndjson") + " --out " + at("none/x") + " ohms-law " + here, exitMisuse, []string{"--out " + at("none/x")}, "partial"},
	} {
		r := slipstick(t.Context(), strings.Fields(tt.args)...)
		if r.code != tt.code {
			t.Errorf("%s: exit %d, want %d\n%s%s", tt.args, r.code, tt.code, r.out, r.err)
		}
		for _, text := range tt.want {
			if !strings.Contains(r.out+r.err, text) {
				t.Errorf("%s: no %q in\n%s%s", tt.args, text, r.out, r.err)
			}
		}
		if tt.not != "" && strings.Contains(r.out+r.err, tt.not) {
			t.Errorf("%s: %q in\n%s%s", tt.args, tt.not, r.out, r.err)
		}
	}
}

// apiWords matches terms of the REST interface, which no remedy on the command line may use.
var apiWords = regexp.MustCompile(`(GET|POST) /|acceptable_ids|available_versions|Retry-After|this service|Who runs|\{"|as a string|a plan of kind|bracket\.|vary\.|max_draws|coverage_probability`)

// A problem on the command line names flags and commands, and shows how to write a flag.
func TestRemediesOnTheCommandLine(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"study gum ohms-law V=12 R=8":                                                         "gum needs --uncertain\n  Use --uncertain NAME=WHAT, such as --uncertain voltage=rectangular:0.01.",
		"study gum ohms-law V=12 R=8 --uncertain V=rectangular":                               "Use --uncertain NAME=WHAT, such as --uncertain voltage=rectangular:0.01.",
		"study gum ohms-law V=12 R=8 --uncertain V=rectangular:-1":                            "Change the half-width of --uncertain V.",
		"study gum ohms-law V=12 R=8 --uncertain V=0.1 --probability 2":                       "--probability must be a number from 0.5 to 0.9999\n  Give 0.95 for 95 %.",
		"study gum ohms-law V=12 R=8 --uncertain V=0.1 --uncertain R=0.1 --correlation V,R=x": "Use --correlation A,B=R, such as --correlation length,load=0.5.",
		"study gum ohms-law V=12 R=8 --uncertain V=0.1 --draws 5":                             "gum takes no --draws\n  Leave it out. gum takes --uncertain, --correlation, --probability, --second-order.",
		"study goal-seek ohms-law V=12 --output current":                                      "goal-seek needs --unknown\n  Use --unknown NAME=FROM:TO, such as --unknown voltage=1:100.",
		"study goal-seek ohms-law V=12 --output current --unknown R=1:10":                     "goal-seek needs --goal\n  Use --goal VALUE, such as --goal 1.5.",
		"study goal-seek ohms-law V=12 --output current --unknown R=1:1 --goal 1":             "the two values of --unknown are equal\n  Use --unknown NAME=FROM:TO, such as --unknown resistance=1:100.",
		"study goal-seek ohms-law V=12 --output current --unknown R=1:2 --goal 1":             "Widen --unknown until current passes the goal",
		"study goal-seek ohms-law V=12 --output current --unknown Q=1:2 --goal 1":             "The inputs are voltage, current, resistance, power.",
		"study sweep ohms-law R=8":                                                            "sweep needs --vary\n  Use --vary NAME=FROM:TO:COUNT, such as --vary voltage=1:5:9.",
		"study sweep ohms-law R=8 --vary V=0:1:1":                                             "the count of --vary V must be a whole number from 2 to 10000",
		"study sweep ohms-law R=8 --vary V=1:2:3 --goal 1":                                    "sweep takes no --goal\n  Leave it out. sweep takes --vary, --zip.",
		"study sensitivity ohms-law V=12 R=8 --vary V=1:2:3":                                  "Use --vary NAME, such as --vary voltage.",
		"study compare grey-surface-radiation emissivity=0.9 temperature=350":                 "compare needs --against\n  Use --against VERSION, such as --against 2.0.0.",
		"study compare grey-surface-radiation emissivity=0.9 temperature=350 --against 7.0.0": "Choose a published version. slipstick list shows all versions.",
		"study monte-carlo ohms-law V=12 R=8 --uncertain V=0.1 --max-draws 100":               "--max-draws needs --digits",
		"study gums ohms-law V=12":                                                            "Use one of sweep, compare, goal-seek, sensitivity, gum, monte-carlo.",
		"calc ohms-law V=12 R=8 --as-of 2026-01-01":                                           "The operator of the registry can create a log with slipstick log init.",
		"calc ohms-law V=12 R=8 --as-of soon":                                                 "Give a date such as",
		"calc cantilever-deflection L=3 E=data.materials.metals/S235 I=8.356e-5":              "Use a row of a published table, or give the number.",
		"calc cantilever-deflection L=data.materials.metals/S235 E=210e9 I=8.356e-5":          "Give the number.",
		"diff ohms-law@9.9.9 " + enginePath("ohms_law"):                                       "Choose a published version. slipstick list shows all versions.",
	} {
		r := slipstick(t.Context(), append(strings.Fields(args), "--registry", built.registry)...)
		if r.code != exitFailed || !strings.Contains(r.err, want) {
			t.Errorf("%s: exit code %d\n%s\nwant: %s", args, r.code, r.err, want)
		}
		if word := apiWords.FindString(r.err); word != "" {
			t.Errorf("%s: %q is a word of the REST interface\n%s", args, word, r.err)
		}
	}
	// A plan from a file is JSON, and so is the remedy.
	plan := write(t, "plan.json", `{"kind": "gum", "id": "ohms-law", "inputs": {"V": 12, "R": 8}}`)
	if r := slipstick(t.Context(), "study", "--plan", plan, "--registry", built.registry); !strings.Contains(r.err, `"uncertain": {"voltage": {"distribution": "rectangular"`) {
		t.Errorf("%+v", r)
	}
}

// The report of a refused change must not look like success.
func TestRefusedStatusChanges(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "registry")
	does(t, "publish", "--to", dir, filepath.Join(built.engines, "ohms_law"))
	does(t, "revoke", "--registry", dir, "ohms-law", "1.0.1", "--reason", "a wrong constant")
	for args, want := range map[string]string{
		"deprecate ohms-law 9.0.0 --reason old": "9.0.0 cannot be made deprecated: it is not published",
		"reinstate ohms-law 1.0.1":              "1.0.1 cannot be made active: it was revoked, and that is final",
		"revoke ohms-law 1.0.1 --reason again":  "it was revoked already, which is final and keeps its reason: a wrong constant",
	} {
		r := slipstick(t.Context(), append(strings.Fields(args), "--registry", dir)...)
		if r.code != exitFailed || r.out != "" || !strings.Contains(r.err, want) {
			t.Errorf("%s: %d\n%s%s\nwant %q", args, r.code, r.out, r.err, want)
		}
	}
}

// If a locked version was withdrawn, the lock commands report it before run time.
func TestLockedVersionIsWithdrawn(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "registry")
	does(t, "publish", "--to", dir, filepath.Join(built.engines, "ohms_law"), filepath.Join(built.engines, "amps_volts"))
	lock := filepath.Join(t.TempDir(), "slipstick.lock")
	does(t, "lock", "--registry", dir, "-o", lock)
	check := func(code int, want string) {
		t.Helper()
		if r := slipstick(t.Context(), "lock", "--check", "--registry", dir, "-o", lock); r.code != code || !strings.Contains(r.out+r.err, want) {
			t.Errorf("lock --check: %d, want %d and %q\n%s%s", r.code, code, want, r.out, r.err)
		}
	}
	check(exitOK, "2 versions are published as they are locked")
	does(t, "yank", "--registry", dir, "ohms-law", "1.0.1", "--reason", "a wrong constant")
	check(exitFailed, "electrical.basic.ohms_law 1.0.1 was yanked: a wrong constant (it is locked as current")
	does(t, "revoke", "--registry", dir, "amps-to-volts", "1.0.1", "--reason", "malicious")
	check(exitFailed, "electrical.convert.amps_volts 1.0.1 was revoked: malicious (it is not run)")
	check(exitFailed, "in 2 ways")

	h := startServerWith(t, []string{"serve", "--addr", "127.0.0.1:0", "--registry", dir, "--data", t.TempDir(), "--locked=" + lock})
	if said := strings.Join(h.said, "\n"); !strings.Contains(said, "was revoked: malicious") || !strings.Contains(said, "was yanked: a wrong constant") {
		t.Errorf("serve said:\n%s", said)
	}
}
