package main

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/slipstick/slipstick/host/internal/cli/help"
	"github.com/slipstick/slipstick/host/internal/command"
)

// model returns the description of the command line.
func model(t *testing.T) *kong.Application {
	t.Helper()
	line := &commandLine{ctx: t.Context()}
	parser, err := line.parser(new(cli))
	if err != nil {
		t.Fatal(err)
	}
	return parser.Model
}

// Each help text is shown by a command.
func TestHelpTexts(t *testing.T) {
	shown := map[string]bool{}
	err := kong.Visit(model(t), func(node kong.Visitable, next kong.Next) error {
		if command, ok := node.(*kong.Node); ok && command.Detail != "" {
			shown[help.TextFile(command)] = true
		}
		return next(nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	files, err := fs.Glob(helpTexts, "help/*")
	if err != nil || len(files) < 20 {
		t.Errorf("%d texts, %v", len(files), err)
	}
	for _, file := range files {
		if !shown[file] {
			t.Errorf("no command shows %s", file)
		}
	}
}

var continued = regexp.MustCompile(`\\\n +`) // a line that goes on in the next

// mentions finds flags in texts, and the command to which each belongs: the command named last before it in the
// same sentence or line.
type mentions struct {
	app   *kong.Application
	about *kong.Node // what the texts are about; nil: the whole program
}

// others are the names, or the first parts of names, of other programs. Their flags are not checked.
var others = []string{"apt-get", "curl", "docker", "dpkg", "flock", "helm", "kubectl", "mypy", "nats-server", "podman", "protoc", "python3", "sbatch", "scripts/", "systemd-run", "wrk"}

// othersFlags are flags of containers, Slurm, mypy, MCP clients and scripts/bench that texts name without the program.
var othersFlags = []string{"add-mcp", "array", "cap-add", "cap-drop", "cpus", "enable-incomplete-feature", "hostname", "init", "memory", "network", "pid", "pids-limit", "privileged", "read-only", "rounds", "security-opt", "tmpfs", "transport", "user", "userns"}

var flagMention = regexp.MustCompile("^[`(\\[\"']*--([a-z][a-z0-9-]*)")

// unknown returns the flags in a text that their command does not have.
func (m *mentions) unknown(text string) (list []string) {
	words := strings.Fields(text)
	command, typed, other := m.about, false, false
	for i, word := range words {
		bare := strings.Trim(word, "`()\"',.;:$")
		switch {
		case bare == "slipstick" || bare == "bin/slipstick":
			if c, _ := m.command(words[i+1:]); c != nil {
				command, typed, other = c, true, false
			}
		case slices.ContainsFunc(others, func(p string) bool { return strings.HasPrefix(bare, p) }):
			other = true
		}
		if flag := flagMention.FindStringSubmatch(word); flag != nil && !other {
			of := command
			for from := max(0, i-2); from < i && !typed; from++ { // such as: publish --sign
				if c, n := m.command(words[from:i]); from+n == i {
					of = c
					break
				}
			}
			if name := flag[1]; name != "help" && !slices.Contains(m.flags(of), name) && (of != nil || !slices.Contains(othersFlags, name)) {
				list = append(list, "--"+name)
			}
		}
		if strings.HasSuffix(word, ".") || strings.HasSuffix(word, ";") || word == "|" {
			command, typed, other = m.about, false, false
		}
	}
	return list
}

// command returns the command at the start of words, or nil, and the number of words that name it.
func (m *mentions) command(words []string) (command *kong.Node, n int) {
	for at := m.app.Node; n < len(words); n++ {
		i := slices.IndexFunc(at.Children, func(c *kong.Node) bool { return c.Name == strings.Trim(words[n], "`()\"',.:;*") })
		if i < 0 {
			break
		}
		at = at.Children[i]
		command = at
	}
	return command, n
}

// flags returns the names of the flags of a command and of those below it; of all commands if it is nil.
func (m *mentions) flags(command *kong.Node) (names []string) {
	if command == nil {
		command = m.app.Node
	}
	for _, f := range command.Flags {
		names = append(names, f.Name)
		if f.Tag.Negatable != "" {
			names = append(names, "no-"+f.Name)
		}
	}
	for _, child := range command.Children {
		names = append(names, m.flags(child)...)
	}
	return names
}

// Each flag that help names exists in the command that it is named for.
func TestFlagsInHelp(t *testing.T) {
	m := mentions{app: model(t)}
	check := func(where, text string) {
		t.Helper()
		for _, flag := range m.unknown(text) {
			t.Errorf("%s: there is no flag %s: %s", where, flag, text)
		}
	}
	err := kong.Visit(m.app, func(node kong.Visitable, next kong.Next) error {
		switch n := node.(type) {
		case *kong.Node:
			m.about = n
			for paragraph := range strings.SplitSeq(continued.ReplaceAllString(n.Detail, ""), "\n\n") {
				if strings.HasPrefix(paragraph, " ") { // examples or a table
					for line := range strings.Lines(paragraph) {
						check(help.TextFile(n), line)
					}
					continue
				}
				check(help.TextFile(n), paragraph)
			}
		case *kong.Flag:
			m.about = nil
			check("--"+n.Name, n.Help)
		}
		return next(nil)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// documents are the texts for people who use or run Slipstick.
func documents(t *testing.T) []string {
	t.Helper()
	files := []string{"README.md", "CONTRIBUTING.md"}
	err := fs.WalkDir(os.DirFS(root), "docs", func(name string, e fs.DirEntry, err error) error {
		if path.Ext(name) == ".md" && name != "docs/internals/interface-as-given.md" && name != "docs/internals/decisions/0039-error-texts.md" {
			files = append(files, name)
		}
		return err
	})
	if err != nil || len(files) < 30 {
		t.Fatal(files, err)
	}
	return files
}

var codeSpan = regexp.MustCompile("`[^`]+`")

// Each flag of a slipstick command in the documents exists in that command.
func TestFlagsInDocuments(t *testing.T) {
	m := mentions{app: model(t)}
	for _, file := range documents(t) {
		fenced := false
		for i, line := range strings.Split(string(mustRead(t, filepath.Join(root, file))), "\n") {
			codes := codeSpan.FindAllString(line, -1)
			switch {
			case strings.HasPrefix(line, "```"):
				fenced = !fenced
				continue
			case fenced || strings.HasPrefix(line, "    "):
				codes = nil
				if strings.Contains(line, "slipstick ") {
					codes = []string{line}
				}
			}
			for _, code := range codes {
				for _, flag := range m.unknown(code) {
					t.Errorf("%s:%d: there is no flag %s: %s", file, i+1, flag, code)
				}
			}
		}
	}
}

// notCapabilities are names, or the first or last parts of names, that look like capability ids. They are engines of
// guides, parts of formats and programs, files and network names.
var notCapabilities = []string{
	"electrical.lighting.lumens_to_lux", "geometry.solids.sphere", "structural.steel.plate_tension", "structural.beams.workbook_beam",
	"vnd.apache.", "raw.githubusercontent.", "slipstick.engine.v1", "grpc.health.v1", "mcp.guard.check", "answer.result.power", "github.event.",
	".org", ".io", ".gz", ".tar", ".json", ".calc.md",
}

var capabilityMention = regexp.MustCompile(`\b[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*){2}\b`)

// Each capability and table that a help text or a document names is in the library.
func TestCapabilitiesInTexts(t *testing.T) {
	var library []byte
	tables, err := filepath.Glob(filepath.Join(root, "plugins", "tables", "*", "table.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range tables {
		library = append(library, mustRead(t, file)...)
	}
	calculations, err := filepath.Glob(filepath.Join(root, "plugins", "*", "*", "*.calc.md"))
	if err != nil || len(calculations) == 0 {
		t.Fatal(calculations, err)
	}
	for _, file := range calculations { // the id is the path
		id := strings.ReplaceAll(strings.TrimSuffix(filepath.ToSlash(file), ".calc.md"), "/", ".")
		library = append(library, `"`+id[strings.Index(id, "plugins.")+len("plugins."):]+`"`...)
	}
	texts := map[string]string{}
	for _, file := range documents(t) {
		texts[file] = string(mustRead(t, filepath.Join(root, file)))
	}
	files, err := fs.Glob(helpTexts, "help/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := helpTexts.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = string(text)
	}
	for name, text := range texts {
		for _, id := range capabilityMention.FindAllString(strings.ReplaceAll(text, `\n`, " "), -1) {
			if isOther := func(p string) bool { return strings.HasPrefix(id, p) || strings.HasSuffix(id, p) }; slices.ContainsFunc(notCapabilities, isOther) {
				continue
			}
			if !bytes.Contains(library, []byte(`"`+id)) { // which the README may show cut off
				t.Errorf("%s: the library has no %s", name, id)
			}
		}
	}
}

var flagRow = regexp.MustCompile(`\n {2}(?:    |-\w, )--`)

// The help of every command shows the default of every flag that has one.
func TestHelpShowsDefaults(t *testing.T) {
	line := &commandLine{ctx: t.Context()}
	parser, err := line.parser(new(cli))
	if err != nil {
		t.Fatal(err)
	}
	defaults := 0
	for _, command := range parser.Model.Leaves(true) {
		r := slipstick(t.Context(), append(strings.Fields(command.Path()), "--help")...)
		shown := map[string]string{} // the rows of flags by their names
		for _, row := range flagRow.Split(r.out, -1)[1:] {
			shown[row[:strings.IndexAny(row, "= ")]] = strings.Join(strings.Fields(row), " ")
		}
		for _, f := range command.Flags {
			if !f.HasDefault || f.Default == "" || f.Default == "." || f.Hidden {
				continue
			}
			defaults++
			if !strings.Contains(strings.TrimPrefix(shown[f.Name], "[no-]")+shown["[no-]"+f.Name], "Default: "+f.Default) {
				t.Errorf("%s --%s: no default %s in %q", command.Path(), f.Name, f.Default, shown[f.Name])
			}
		}
	}
	if defaults < 60 {
		t.Errorf("only %d flags have defaults", defaults)
	}
	for args, want := range map[string][]string{
		"--help":       {"Exit codes", "2  the command line is wrong", "version", "help"},
		"help":         {"Exit codes"},
		"help lock":    {"slipstick lock --check"},
		"build --help": {"Directories of programs. Default: the current directory.", "Directory for the executables. Default: the current directory."},
	} {
		r := slipstick(t.Context(), strings.Fields(args)...)
		text := strings.Join(strings.Fields(r.out), " ")
		for _, w := range want {
			if r.code != command.ExitOK || !strings.Contains(text, strings.Join(strings.Fields(w), " ")) {
				t.Errorf("%s: %d, no %q in\n%s%s", args, r.code, w, r.out, r.err)
			}
		}
	}
}
