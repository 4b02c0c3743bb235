package help

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// PageOptions configures [Pages]. The zero value is usable.
type PageOptions struct {
	Release string // of the program
	About   string // the description of the program
	Exit    string // the description of the exit codes
	Files   []File // used by all commands
}

// File is a path and its description.
type File struct{ Path, Help string }

// Pages returns the manual pages of section 1 by file name: one page for the program, and one for each
// command. They contain the texts of --help.
func Pages(program *kong.Node, o *PageOptions) map[string][]byte {
	if o == nil {
		o = new(PageOptions)
	}
	pages := map[string][]byte{}
	add := func(node *kong.Node) {
		pages[nameOf(node)+".1"] = (&page{PageOptions: o}).of(program, node)
	}
	add(program)
	for _, command := range program.Leaves(true) {
		add(command)
	}
	return pages
}

// nameOf returns the name of a page, such as slipstick-keys-new.
func nameOf(node *kong.Node) string { return strings.ReplaceAll(node.FullPath(), " ", "-") }

// page is one page under construction, in the language of man(7).
type page struct {
	*PageOptions
	text strings.Builder
}

func (p *page) of(program, node *kong.Node) []byte {
	fmt.Fprintf(&p.text, ".TH %s 1 \"\" %s \"User Commands\"\n", quoted(strings.ToUpper(nameOf(node))), quoted(strings.TrimSpace("Slipstick "+p.Release)))
	about := node.Help
	if node == program {
		about, _, _ = strings.Cut(about, "\n")
	}
	p.section("NAME", nameOf(node)+" \\- "+escaped(strings.TrimSuffix(about, ".")))
	if node == program {
		p.section("SYNOPSIS", `\fB`+escaped(program.Name)+`\fR \fICOMMAND\fR [\fIARGUMENTS\fR]`)
		p.section("DESCRIPTION", "")
		p.prose(p.About)
		p.commands(program)
	} else {
		p.section("SYNOPSIS", `\fB`+escaped(node.FullPath())+`\fR`+escaped(strings.TrimPrefix(node.Summary(), node.Path())))
		p.section("DESCRIPTION", escaped(node.Help))
		if node.Detail != "" {
			p.text.WriteString(".PP\n")
			p.prose(node.Detail)
		}
		p.values(node)
	}
	if p.Exit != "" {
		p.section("EXIT STATUS", "")
		p.prose(p.Exit)
	}
	if len(p.Files) > 0 {
		p.section("FILES", "")
		for _, f := range p.Files {
			p.item(`\fI`+escaped(f.Path)+`\fR`, f.Help)
		}
	}
	if node != program {
		p.section("SEE ALSO", `\fB`+escaped(program.Name)+`\fR(1)`)
	}
	return []byte(p.text.String())
}

func (p *page) section(title, text string) {
	p.text.WriteString(".SH " + title + "\n")
	if text != "" {
		p.text.WriteString(text + "\n")
	}
}

// item writes a term and its description.
func (p *page) item(term, text string) {
	p.text.WriteString(".TP\n" + term + "\n" + escaped(strings.Join(strings.Fields(text), " ")) + "\n")
}

// prose writes a text of --help. It fills paragraphs, and leaves indented text unchanged.
func (p *page) prose(text string) {
	for i, paragraph := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		if i > 0 {
			p.text.WriteString(".PP\n")
		}
		if strings.HasPrefix(paragraph, " ") || strings.Contains(paragraph, "\n ") {
			p.text.WriteString(".nf\n" + escaped(paragraph) + "\n.fi\n")
		} else {
			p.text.WriteString(escaped(paragraph) + "\n")
		}
	}
}

func (p *page) commands(program *kong.Node) {
	p.section("COMMANDS", "")
	for _, command := range program.Leaves(true) {
		p.item(`\fB`+escaped(nameOf(command))+`\fR(1)`, command.Help)
	}
}

// values writes the arguments and flags of a command.
func (p *page) values(node *kong.Node) {
	if len(node.Positional) > 0 {
		p.section("ARGUMENTS", "")
	}
	for _, v := range node.Positional {
		p.item(`\fI`+escaped(v.Name)+`\fR`, Value(v))
	}
	p.section("OPTIONS", "")
	for _, group := range node.AllFlags(true) {
		for _, f := range group {
			term := `\fB\-\-` + escaped(f.Name) + `\fR`
			if f.Short != 0 {
				term = `\fB\-` + string(f.Short) + `\fR, ` + term
			}
			if !f.IsBool() {
				term += `=\fI` + escaped(f.FormatPlaceHolder()) + `\fR`
			}
			p.item(term, Value(f.Value))
		}
	}
}

func quoted(text string) string { return `"` + strings.ReplaceAll(escaped(text), `"`, `\(dq`) + `"` }

var special = strings.NewReplacer(`\`, `\e`, "-", `\-`)

// escaped returns text that man shows unchanged.
func escaped(text string) string {
	lines := strings.Split(special.Replace(text), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
