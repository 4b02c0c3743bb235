package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/slipstick/slipstick/host/internal/command"
)

// root is the top of the repository.
var root = filepath.Join("..", "..", "..")

func TestMain(m *testing.M) {
	os.Setenv("XDG_DATA_HOME", "/none") // nothing that the user has counts
	os.Exit(m.Run())
}

type result struct {
	code     int
	out, err string
}

// slipstick runs the command in this process.
func slipstick(ctx context.Context, args ...string) result {
	var out, errs bytes.Buffer
	code := run(ctx, args, command.Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
	return result{code, out.String(), errs.String()}
}

func TestMisuse(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{}, "slipstick: name one of these commands"},
		{[]string{"ledger"}, "ledger export    Write records to a file"},
		{[]string{"cacl"}, "did you mean calc?"},
		{[]string{"sign", "--key", filepath.Join(root, "none.key"), "ohms-law@1.0.1"}, "--key: cannot open " + filepath.Join(root, "none.key")},
		{[]string{"mirror", "import", "--plain-http", "none.zip"}, "slipstick: cannot open none.zip: no such file"},
		{[]string{"serve", "--config", "none.json"}, "slipstick: --config: cannot open none.json: no such file"},
		{[]string{"explain", "INVALID_NUMBR"}, "INVALID_NUMBER?"},
		{[]string{"serve", "--no-such-flag"}, "--no-such-flag"},
		{[]string{"serve", "--base-url", "calc.example.org"}, "https://calc.example.org"},
		{[]string{"check"}, "at least one engine"},
	} {
		if r := slipstick(t.Context(), tt.args...); r.code != command.ExitMisuse || !strings.Contains(r.err, tt.want) {
			t.Errorf("%v: %d, %q, want %q", tt.args, r.code, r.err, tt.want)
		}
	}
	if r := slipstick(t.Context(), "list", "--registry", filepath.Join(t.TempDir(), "typo")); r.code == command.ExitOK || !strings.Contains(r.err, "typo") {
		t.Errorf("list of no registry: %d, %q", r.code, r.err)
	}
}

// Every command with an unknown id names the registry that it searched.
func TestSearchedRegistry(t *testing.T) {
	dir := t.TempDir()
	key := filepath.Join(dir, "k.key")
	if r := slipstick(t.Context(), "keys", "new", "--no-password", strings.TrimSuffix(key, ".key")); r.code != command.ExitOK {
		t.Fatal(r.err)
	}
	registry := filepath.Join(dir, "registry")
	if err := os.Mkdir(registry, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"calc none", "show none", "study sweep none", "show data.none.none",
		"promote none 1.0.0", "deprecate none 1.0.0 --reason old", "yank none 1.0.0 --reason old", "revoke none 1.0.0 --reason old", "reinstate none 1.0.0",
		"sign none@1.0.0 --key " + key, "sbom none@1.0.0", "rebuild none@1.0.0 --source .", "lock none@1.0.0 --output " + filepath.Join(dir, "lock"),
		"review none@1.0.0 --reviewer a --role b --kind internal --key " + key, "shadow set none 1.0.0 --sample 1%", "list --uses data.none.none",
	} {
		r := slipstick(t.Context(), append(strings.Fields(line), "--registry", registry)...)
		if r.code != command.ExitFailed || !strings.Contains(r.err, "NOT_FOUND: ") || !strings.Contains(r.err, "\n  searched: the registry "+registry+"\n") {
			t.Errorf("%s: %d\n%s", line, r.code, r.err)
		}
	}
}

// A command with missing flags or arguments shows how it is written.
func TestIncomplete(t *testing.T) {
	for _, command := range model(t).Leaves(true) {
		required := slices.ContainsFunc(command.Flags, func(f *kong.Flag) bool { return f.Required }) ||
			slices.ContainsFunc(command.Positional, func(v *kong.Positional) bool { return v.Required })
		if !required {
			continue
		}
		if r := slipstick(t.Context(), strings.Fields(command.Path())...); r.code != 2 || !strings.Contains(r.err, "\nExample: slipstick "+command.Path()+" ") && !strings.Contains(r.err, "\nUsage: slipstick "+command.Path()+" ") {
			t.Errorf("%s: %d %s", command.Path(), r.code, r.err)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, name := range []string{"", "serve", "calc", "mcp", "check", "diff", "publish", "list", "show", "keys", "keys rotate", "sign", "log", "log init", "review", "attach-report", "verify", "rebuild", "sbom"} {
		r := slipstick(t.Context(), strings.Fields(name+" --help")...)
		if r.code != command.ExitOK || !strings.Contains(r.out, "Usage: slipstick") || r.err != "" {
			t.Errorf("%s --help: %d\n%s%s", name, r.code, r.out, r.err)
		}
	}
}

func mustRead(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
