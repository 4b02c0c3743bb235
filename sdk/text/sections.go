package text

import (
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk/internal/pattern"
	"github.com/slipstick/slipstick/sdk/spelling"
)

// The sections of a document, in their order.
const (
	sectionInputs      = "Inputs"
	sectionRules       = "Rules"
	sectionTables      = "Tables"
	sectionFormula     = "Formula"
	sectionFormulas    = "Formulas"
	sectionOutputs     = "Outputs"
	sectionChecks      = "Checks"
	sectionPlots       = "Plots"
	sectionAssumptions = "Assumptions"
	sectionLimits      = "Limits"
	sectionReferences  = "References"
	sectionChanges     = "Changes"
	sectionSign        = "Sign convention"
	sectionNotes       = "Notes"
	sectionVectors     = "Vectors"
)

var sectionNames = []string{
	sectionInputs, sectionRules, sectionTables, sectionFormula, sectionFormulas, sectionOutputs, sectionChecks, sectionPlots, sectionAssumptions,
	sectionLimits, sectionReferences, sectionChanges, sectionSign, sectionNotes, sectionVectors,
}

var requiredSections = []string{sectionInputs, sectionFormula, sectionOutputs, sectionReferences, sectionVectors}

// blocksOf are the kinds of blocks of the sections that have some.
var blocksOf = map[string]string{
	sectionTables: "table", sectionFormula: "formula", sectionChecks: "checks", sectionPlots: "plots", sectionVectors: "vectors",
}

// section is a part of a document from one heading to the next.
type section struct {
	name   Phrase
	first  int // line after the heading
	last   int // last line
	blocks []fenced
}

// fenced is a block with its kind, such as "table curves".
type fenced struct {
	kind Phrase
	Block
}

// document reads all parts.
func (r *reader) document() *Document {
	d := new(Document)
	r.checkHidden()
	headings := r.headings()
	end := len(r.lines)
	if len(headings) > 0 {
		end = headings[0].Line - 1
	}
	r.readHead(d, end)
	seen := map[string]bool{}
	last := -1
	for i, h := range headings {
		s := section{name: h, first: h.Line + 1, last: len(r.lines)}
		if i+1 < len(headings) {
			s.last = headings[i+1].Line - 1
		}
		order := slices.Index(sectionNames, h.Text)
		switch {
		case order < 0:
			r.wrong(h, "there is no section %s%s", h.Text, suggest(h.Text, sectionNames))
			continue
		case seen[h.Text]:
			r.wrong(h, "the section %s is there twice: move everything into one", h.Text)
			continue
		case order < last && !(isProse(order) && isProse(last)):
			r.wrong(h, "the section %s belongs before %s: sections are in the order %s", h.Text, sectionNames[last], strings.Join(sectionNames, ", "))
		}
		seen[h.Text], last = true, max(last, order)
		r.readSection(d, &s)
	}
	for _, name := range requiredSections {
		if !seen[name] {
			r.report(Place{len(r.lines), 1}, 1, "the section ## %s is missing", name)
		}
	}
	r.checkNames(d)
	return d
}

// isProse reports whether a section has lists and sentences for people. These can be in any order.
func isProse(order int) bool {
	return order >= slices.Index(sectionNames, sectionAssumptions) && order <= slices.Index(sectionNames, sectionNotes)
}

// suggest returns a guess for a misspelt word, or the list of the known ones if it is short.
func suggest(word string, known []string) string {
	for _, k := range known {
		if strings.EqualFold(k, word) {
			return ": write " + k
		}
	}
	if guess, ok := spelling.Guess(word, known); ok {
		return ": is it " + guess + "?"
	}
	return ": write one of " + strings.Join(known, ", ")
}

// headings returns the headings of sections that are not inside a block.
func (r *reader) headings() (list []Phrase) {
	open := 0
	for n := 1; n <= len(r.lines); n++ {
		line := r.line(n)
		if strings.HasPrefix(line.Text, "```") {
			if open == 0 {
				open = n
			} else if line.Text == "```" {
				open = 0
			}
			continue
		}
		if !strings.HasPrefix(line.Text, "## ") {
			if open == 0 && n > 1 && strings.HasPrefix(line.Text, "#") && !strings.HasPrefix(line.Text, "###") && strings.TrimLeft(line.Text, "#") != "" && line.Text[len(line.Text)-len(strings.TrimLeft(line.Text, "#"))] != ' ' {
				r.wrong(line, "a heading has a blank after #: write ## %s", strings.TrimSpace(strings.TrimLeft(line.Text, "#")))
			}
			continue
		}
		if open > 0 {
			r.wrong(r.line(open), "this block is not closed by ``` before the section in line %d", n)
			open = 0
		}
		list = append(list, line.within(len("## "), len(line.Text)))
	}
	if open > 0 {
		r.wrong(r.line(open), "this block is not closed by ``` before the end of the file")
	}
	return list
}

var (
	idForm      = pattern.New(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*){2}$`)
	versionForm = pattern.New(`^(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){2}(-[0-9A-Za-z.-]+)?$`)
	kebabForm   = pattern.New(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
	fileForm    = pattern.New(`^[A-Za-z0-9][A-Za-z0-9_.-]*\.csv$`)
)

var headKeys = []string{"id", "version", "keywords", "tool", "group", "inputs", "vectors"}

// readHead reads the title, the summary and the list of keys, which end at a line.
func (r *reader) readHead(d *Document, end int) {
	seen := map[string]bool{}
	var summary []string
	for n := 1; n <= end; n++ {
		line := r.line(n)
		switch {
		case line.Text == "":
		case strings.HasPrefix(line.Text, "# ") && d.Title.Text == "":
			d.Title = line.within(2, len(line.Text))
		case strings.HasPrefix(line.Text, "- "):
			r.readKey(d, line, seen)
		case len(seen) > 0:
			r.wrong(line, "this line is between the head and the first section: move it into a section, such as ## Notes")
		case d.Title.Text == "":
			r.wrong(line, "the document starts with its title: write # and the title in the first line")
			d.Title = line
		default:
			if d.Summary.Text == "" {
				d.Summary.Place = line.Place
			} else if r.line(n-1).Text == "" {
				r.wrong(line, "the summary is one paragraph: move the rest to ## Notes")
			}
			summary = append(summary, line.Text)
			d.Summary.Text = strings.Join(summary, " ")
		}
	}
	if d.Title.Text == "" {
		r.report(Place{1, 1}, 1, "the title is missing: write # and the title in the first line")
	} else if d.Summary.Text == "" {
		r.wrong(d.Title, "the summary is missing: write a sentence below the title")
	}
	for _, key := range headKeys[:3] {
		if !seen[key] {
			r.report(Place{max(1, min(end, len(r.lines))), 1}, 1, "the head has no %s: write - %s: ... below the summary", key, key)
		}
	}
	if d.ID.Text != "" {
		parts := strings.Split(d.ID.Text, ".")
		if d.Tool.Text == "" {
			d.Tool = Phrase{d.ID.Place, strings.ReplaceAll(parts[len(parts)-1], "_", "-")}
		}
		if d.Group.Text == "" && len(parts) > 1 {
			d.Group = Phrase{d.ID.Place, strings.ReplaceAll(parts[len(parts)-2], "_", "-")}
		}
	}
}

// readKey reads a line "- key: value" of the head.
func (r *reader) readKey(d *Document, line Phrase, seen map[string]bool) {
	colon := strings.Index(line.Text, ":")
	if colon < 0 {
		r.wrong(line, "an entry of the head is - key: value")
		return
	}
	key, value := line.within(2, colon), line.within(colon+1, len(line.Text))
	switch {
	case isUse(key.Text) && !seen[key.Text]:
		seen[key.Text] = true
		r.readUse(d, key, value)
		return
	case !isUse(key.Text) && !slices.Contains(headKeys, key.Text):
		r.wrong(key, "there is no key %s in the head%s", key.Text, suggest(key.Text, headKeys))
		return
	case seen[key.Text]:
		r.wrong(key, "the key %s is there twice", key.Text)
		return
	case value.Text == "":
		r.wrong(key, "the key %s has no value", key.Text)
	}
	seen[key.Text] = true
	form := func(to *Phrase, form *pattern.Pattern, what string) {
		*to = value
		if value.Text != "" && !form.MatchString(value.Text) {
			r.wrong(value, "%s", what)
		}
	}
	switch key.Text {
	case "id":
		form(&d.ID, idForm, "an id has three parts in small letters, such as structural.steel.plate_tension")
	case "version":
		form(&d.Version, versionForm, "a version has three numbers, such as 1.0.0")
	case "tool":
		form(&d.Tool, kebabForm, "a tool id has small letters, digits and hyphens, such as plate-tension")
	case "group":
		form(&d.Group, kebabForm, "a group has small letters, digits and hyphens, such as steel")
	case "vectors":
		form(&d.VectorFile, fileForm, "write the name of a file next to the document, such as plate_tension.csv")
	case "keywords":
		d.Keywords = split(value)
	case "inputs":
		d.Binary64 = value.Text == "binary64"
		if value.Text != "binary64" && value.Text != "decimal" {
			r.wrong(value, "inputs are decimal or binary64")
		}
	}
}

// split returns the items of a list with commas.
func split(p Phrase) (items []Phrase) {
	from := 0
	for i := 0; i <= len(p.Text); i++ {
		if i == len(p.Text) || p.Text[i] == ',' {
			items = append(items, p.within(from, i))
			from = i + 1
		}
	}
	return items
}

// readSection reads a section by its name.
func (r *reader) readSection(d *Document, s *section) {
	rest := r.blocks(s)
	switch s.name.Text {
	case sectionInputs:
		d.Inputs = r.readFields(rest, inputColumns)
	case sectionOutputs:
		d.Outputs = r.readFields(rest, outputColumns)
	case sectionRules:
		d.Rules = r.readRules(rest)
	case sectionAssumptions:
		d.Assumptions = r.prose(rest)
	case sectionFormulas:
		d.Formulas = r.readFormulas(rest)
	case sectionLimits:
		d.Limits = r.readLimits(rest)
	case sectionReferences:
		d.References = r.prose(rest)
		if len(d.References) == 0 {
			r.wrong(s.name, "a document names at least one source: write - and the work with its edition and place")
		}
	case sectionChanges:
		d.Changes = r.prose(rest)
	case sectionSign:
		d.SignConvention = r.prose(rest)
	case sectionNotes:
		d.Notes = r.prose(rest)
	default:
		r.readBlocks(d, s, rest)
	}
}

// blocks takes the blocks of a section out of its lines, and returns the other lines that are not empty.
func (r *reader) blocks(s *section) (rest []Phrase) {
	kind, takes := blocksOf[s.name.Text]
	for n := s.first; n <= s.last; n++ {
		line := r.line(n)
		if !strings.HasPrefix(line.Text, "```") {
			if line.Text != "" {
				rest = append(rest, line)
			}
			continue
		}
		b := fenced{kind: line.within(len("```"), len(line.Text)), Block: Block{Place: Place{n + 1, 1}}}
		for n++; n <= s.last && r.line(n).Text != "```"; n++ {
			b.Lines = append(b.Lines, strings.ReplaceAll(strings.TrimRight(r.lines[n-1], " \t"), "\t", "  "))
		}
		name, _, _ := strings.Cut(b.kind.Text, " ")
		switch {
		case s.name.Text == sectionNotes:
		case !takes:
			r.wrong(line, "the section %s has no blocks", s.name.Text)
		case name != kind:
			r.wrong(line, "a block of the section %s is opened by ```%s", s.name.Text, kind)
		case kind != "table" && len(s.blocks) > 0:
			r.wrong(line, "the section %s has one block: join them", s.name.Text)
		default:
			s.blocks = append(s.blocks, b)
		}
	}
	return rest
}

// readBlocks reads a section that consists of blocks. Sentences next to them are not allowed, so that
// no line is ignored by mistake.
func (r *reader) readBlocks(d *Document, s *section, rest []Phrase) {
	kind := blocksOf[s.name.Text]
	for _, line := range rest {
		r.wrong(line, "this line is outside of the block ```%s: move it into the block, or to ## Notes", kind)
	}
	if len(s.blocks) == 0 && len(rest) == 0 {
		r.wrong(s.name, "the section %s has no block: write ```%s and ``` around its lines", s.name.Text, kind)
	}
	for _, b := range s.blocks {
		r.checkBlock(b)
		switch s.name.Text {
		case sectionTables:
			d.Tables = append(d.Tables, r.readTable(b))
		case sectionFormula:
			d.Formula = b.Block
			if size := len(b.String()); size > MaxFormula {
				r.wrong(b.kind, "the formula has %d bytes, and at most %d are allowed", size, MaxFormula)
			}
		case sectionChecks:
			d.Checks = r.readChecks(b.Block)
		case sectionPlots:
			d.Plots = r.readPlots(b.Block)
		case sectionVectors:
			if !r.lean {
				d.Vectors = r.readVectors(b.Block)
			}
		}
	}
}

// prose returns the items of lists and the paragraphs among lines.
func (r *reader) prose(lines []Phrase) (list []Phrase) {
	for i, line := range lines {
		item, isItem := strings.CutPrefix(line.Text, "- ")
		switch {
		case isItem:
			list = append(list, line.within(len(line.Text)-len(item), len(line.Text)))
		case i > 0 && lines[i-1].Line == line.Line-1:
			list[len(list)-1].Text += " " + line.Text
		default:
			list = append(list, line)
		}
	}
	return list
}

// checkBlock reports wrong characters of a block. Comments, texts of checks and sources of vectors are prose.
func (r *reader) checkBlock(b fenced) {
	kind, _, _ := strings.Cut(b.kind.Text, " ")
	for i := range b.Lines {
		line := b.line(i)
		switch indented := strings.HasPrefix(b.Lines[i], " "); {
		case kind == "checks" && indented:
			continue
		case kind == "vectors" && !indented:
			line, _, _ = cut(line, ':')
		default:
			line, _, _ = cut(line, '#')
		}
		r.checkCharacters(line)
	}
}

// cut returns the parts of a phrase before and after a separator.
func cut(p Phrase, separator byte) (before, after Phrase, found bool) {
	i := strings.IndexByte(p.Text, separator)
	if i < 0 {
		return p, Phrase{Place: p.Place}, false
	}
	return p.within(0, i), p.within(i+1, len(p.Text)), true
}
