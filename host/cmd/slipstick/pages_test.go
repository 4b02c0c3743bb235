package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"github.com/slipstick/slipstick/host/internal/command/server"
)

var update = flag.Bool("update", false, "write the tables of docs/reference/cli.md and docs/reference/configuration.md")

// madeOfCode matches a part of a page that a test makes from the code.
var madeOfCode = regexp.MustCompile(`(?s)(<!-- of the code: (\w+) -->\n).*?(<!-- end -->)`)

// comparePage compares the parts of a page with the code, and writes them with -update.
func comparePage(t *testing.T, name string, parts map[string]string) {
	t.Helper()
	file := filepath.Join(root, "docs", "reference", name)
	page, seen := string(mustRead(t, file)), 0
	made := madeOfCode.ReplaceAllStringFunc(page, func(block string) string {
		part := madeOfCode.FindStringSubmatch(block)
		seen++
		return part[1] + "\n" + parts[part[2]] + "\n" + part[3]
	})
	if seen != len(parts) {
		t.Errorf("%s has %d parts made from the code, want %d", name, seen, len(parts))
	}
	if made == page {
		return
	}
	if !*update {
		t.Errorf("%s differs from the code: run go test ./cmd/slipstick -run Page -update in host", name)
		return
	}
	if err := os.WriteFile(file, []byte(made), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The page about the command line lists each command.
func TestCommandsPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("| command | purpose |\n| --- | --- |\n")
	for _, command := range model(t).Leaves(true) {
		synopsis := "slipstick " + strings.TrimSuffix(command.Summary(), " [flags]")
		fmt.Fprintf(&b, "| `%s` | %s |\n", inTable(synopsis), markCode(command.Help))
	}
	comparePage(t, "cli.md", map[string]string{"commands": b.String()})
}

// The page about the configuration has each setting of slipstick serve.
func TestConfigurationPage(t *testing.T) {
	app := modelInCheckout(t)
	at := app.Node
	for _, child := range app.Children {
		if child.Name == "serve" {
			at = child
		}
	}
	settings, flags := new(strings.Builder), map[string]bool{}
	settings.WriteString("| flag | variable | default | meaning |\n| --- | --- | --- | --- |\n")
	for _, f := range at.Flags {
		if f.Hidden || f.Name == "help" {
			continue
		}
		flags[f.Name] = true
		meaning, fallback := meaningOf(f)
		fmt.Fprintf(settings, "| `--%s` | %s | %s | %s |\n", f.Name, code(strings.Join(f.Envs, ", ")), fallback, markCode(meaning))
	}
	var immediate []string
	for _, name := range server.Immediate() {
		if !flags[name] {
			t.Errorf("there is no flag --%s", name)
		}
		immediate = append(immediate, "- `--"+name+"`\n")
	}
	comparePage(t, "configuration.md", map[string]string{"settings": settings.String(), "immediate": strings.Join(immediate, "")})
}

// The settings file on the page about the configuration is valid, also with a list, a time and a boolean.
func TestSettingsFileOnPage(t *testing.T) {
	page := string(mustRead(t, filepath.Join(root, "docs", "reference", "configuration.md")))
	_, rest, _ := strings.Cut(page, "```json\n")
	example, _, found := strings.Cut(rest, "```")
	file := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(file, []byte(example), 0o600); err != nil || !found {
		t.Fatal(err)
	}
	c, _, err := (&commandLine{ctx: t.Context(), args: []string{"serve", "--config", file, "--drain-delay", "2s"}}).parse()
	if err != nil {
		t.Fatal(err)
	}
	if s := c.Serve; s.Addr != "127.0.0.1:9000" || !slices.Equal(s.TrustedProxy, []string{"10.0.0.0/8"}) || s.DrainTimeout != 20*time.Second || !s.LogRequests {
		t.Errorf("the settings are %q, %q, %s and %t", s.Addr, s.TrustedProxy, s.DrainTimeout, s.LogRequests)
	}
	if c.Serve.DrainDelay != 2*time.Second {
		t.Errorf("the settings file takes precedence over a flag: %s", c.Serve.DrainDelay)
	}
}

// modelInCheckout returns the description of the command line with the default directories of a checkout.
func modelInCheckout(t *testing.T) *kong.Application {
	t.Helper()
	here, err := os.Getwd()
	dir := t.TempDir()
	if err := errors.Join(err, os.MkdirAll(filepath.Join(dir, "var", "registry"), 0o700)); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	defer t.Chdir(here)
	return model(t)
}

var defaultSentence = regexp.MustCompile(` ?Default: ([^.]*(?:\.[^ ][^.]*)*)\.`)

// meaningOf returns the help of a flag without its default, and the default.
func meaningOf(f *kong.Flag) (meaning, fallback string) {
	meaning, fallback = f.Help, code(f.Default)
	if f.Target.Kind() == reflect.Bool {
		return meaning, code(cmp.Or(f.Default, "false"))
	}
	if told := defaultSentence.FindStringSubmatch(meaning); told != nil {
		meaning = strings.Replace(meaning, told[0], "", 1)
		if f.Default == "" {
			fallback = markCode(told[1])
		}
	}
	return meaning, fallback
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + inTable(text) + "`"
}

var codeInText = regexp.MustCompile(`(^|[ (])(--[a-z-]+[a-z]|[a-z]+://[A-Z/]*|/[a-z.][\w/.-]*\w|[A-Z]+(?:_[A-Z]+)+|GOMEMLIMIT|SEED@\S+Z|\{"[^}]*\}|slipstick keys --help)`)

// markCode marks flags, paths, URLs and variables in a text as code, for a cell of a table.
func markCode(text string) string { return codeInText.ReplaceAllString(inTable(text), "$1`$2`") }

// inTable returns text for a cell of a table.
func inTable(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
