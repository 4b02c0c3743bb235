package text

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/internal/pattern"
	"github.com/slipstick/slipstick/sdk/preset"
)

// MaxUses is the largest number of tables that a document uses.
const MaxUses = 16

// CodeNoRow rejects inputs for which no row of a published table satisfies a condition.
const CodeNoRow = "NO_ROW"

// Use is a published table or calculation that a document uses: - from NAME: ID@VERSION DIGEST, or - use NAME: ....
type Use struct {
	Name, ID, Version, Digest Phrase

	Calculation bool // otherwise it is a table
}

var (
	useForm    = pattern.New(`^([^@ ]+)@([^ ]+)(?: +(.*))?$`)
	tableForm  = pattern.New(`^data\.[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$`)
	useName    = pattern.New(`^[A-Za-z][A-Za-z0-9_]*$`)
	digestForm = pattern.New(`^sha256:[0-9a-f]{64}$`)
)

// Beginnings of the head keys of a table and of a calculation.
const (
	fromKey = "from "
	useKey  = "use "
)

// isUse reports whether a key of the head names what the document uses.
func isUse(key string) bool { return strings.HasPrefix(key, fromKey) || strings.HasPrefix(key, useKey) }

// readUse reads the head key "from NAME" or "use NAME".
func (r *reader) readUse(d *Document, key, value Phrase) {
	u, word, what, example := Use{Calculation: strings.HasPrefix(key.Text, useKey)}, fromKey, "table", "data.sections.european_i"
	if u.Calculation {
		word, what, example = useKey, "calculation", "mechanical.statics.simply_supported_beam"
	}
	u.Name = key.within(len(word), len(key.Text))
	parts := useForm.FindStringSubmatchIndex(value.Text)
	switch {
	case !useName.MatchString(u.Name.Text) || formula.Reserved(u.Name.Text):
		r.wrong(key, "a %s is named by a name that the formula can have: write %sand the name, such as %s%s", what, word, word, map[bool]string{true: "beam", false: "sections"}[u.Calculation])
		return
	case parts == nil:
		r.wrong(value, "write the id and the version of a published %s, such as %s@1.0.0; slipstick fmt adds the digest", what, example)
		return
	}
	u.ID, u.Version = value.within(parts[2], parts[3]), value.within(parts[4], parts[5])
	if parts[6] >= 0 {
		u.Digest = value.within(parts[6], parts[7])
	}
	same := slices.IndexFunc(d.Uses, func(other Use) bool { return other.ID.Text == u.ID.Text })
	named := slices.IndexFunc(d.Uses, func(other Use) bool { return other.Name.Text == u.Name.Text })
	kind := func(other Use) bool { return other.Calculation == u.Calculation }
	most := map[bool]int{true: formula.MaxAsks, false: MaxUses}[u.Calculation]
	switch {
	case !u.Calculation && !tableForm.MatchString(u.ID.Text):
		r.wrong(u.ID, "the id of a table is data. and two more parts in small letters, such as %s", example)
	case u.Calculation && (!idForm.MatchString(u.ID.Text) || tableForm.MatchString(u.ID.Text)):
		r.wrong(u.ID, "the id of a calculation has three parts in small letters, such as %s; a table is named by - from", example)
	case !versionForm.MatchString(u.Version.Text):
		r.wrong(u.Version, "a version has three numbers, such as 1.0.0")
	case u.Digest.Text != "" && !digestForm.MatchString(u.Digest.Text):
		r.wrong(u.Digest, "a digest is sha256: and 64 hexadecimal digits: remove it, and slipstick fmt adds it")
	case same >= 0 && d.Uses[same].Version.Text != u.Version.Text:
		r.wrong(u.Version, "%s is used as %s and as %s: use one version", u.ID.Text, d.Uses[same].Version.Text, u.Version.Text)
	case same >= 0:
		r.wrong(u.ID, "%s is used as %s already: use one name", u.ID.Text, d.Uses[same].Name.Text)
	case named >= 0:
		r.wrong(u.Name, "%s is the name of %s already: give one of them another name", u.Name.Text, d.Uses[named].ID.Text)
	case u.ID.Text == d.ID.Text:
		r.wrong(u.ID, "the document uses itself")
	case len(slices.DeleteFunc(slices.Clone(d.Uses), func(other Use) bool { return !kind(other) })) == most:
		r.wrong(key, "the document uses more than %d %ss", most, what)
	}
	d.Uses = append(d.Uses, u)
}

// Closure has the published documents and tables that a document uses, also through others. Each is there once.
type Closure struct {
	Documents []Source // each after the documents that it uses
	Tables    []*preset.Table
}

// Source is a published document.
type Source struct{ ID, Version, Text string }

// Digest returns the digest that names the document in the head of others.
func (s *Source) Digest() string { return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(s.Text))) }

// closureFile is the file of a closure: package encoding/json writes it.
type closureFile struct {
	Documents []usedDocument `json:"documents,omitempty"`
	Tables    []usedTable    `json:"tables,omitempty"`
}

type usedDocument struct {
	ID      string   `json:"id"`
	Version string   `json:"version"`
	Lines   []string `json:"lines"`
}

type usedTable struct {
	Description json.RawMessage `json:"description"`
	Rows        []string        `json:"rows"` // lines of CSV
}

// ReadClosure reads what [Closure.Bytes] writes. Each table is checked as it is when it is published. Documents are
// checked when they are bound.
func ReadClosure(data []byte) (*Closure, error) {
	var file closureFile
	c := new(Closure)
	if len(data) == 0 {
		return c, nil
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("it is not what slipstick fmt writes: %w", err)
	}
	for i := range file.Documents {
		d := &file.Documents[i]
		c.Documents = append(c.Documents, Source{d.ID, d.Version, strings.Join(d.Lines, "\n") + "\n"})
	}
	for i, t := range file.Tables {
		table, err := preset.Parse(t.Description, []byte(strings.Join(t.Rows, "\n")+"\n"))
		if err != nil {
			return nil, fmt.Errorf("table %d: %w", i+1, err)
		}
		c.Tables = append(c.Tables, table)
	}
	return c, nil
}

// Bytes returns the closure as JSON. The same documents and tables always give the same bytes.
func (c *Closure) Bytes() ([]byte, error) {
	var file closureFile
	lines := func(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }
	for i := range c.Documents {
		d := &c.Documents[i]
		file.Documents = append(file.Documents, usedDocument{d.ID, d.Version, lines(d.Text)})
	}
	for _, t := range c.Tables {
		description, err := json.Marshal(&t.Spec)
		if err != nil {
			return nil, err
		}
		file.Tables = append(file.Tables, usedTable{description, lines(string(t.CSV()))})
	}
	data, err := json.MarshalIndent(&file, "", " ")
	return append(data, '\n'), err
}

// table returns a table, nil if there is none.
func (c *Closure) table(id, version string) *preset.Table {
	for _, t := range c.Tables {
		if t.ID == id && t.Version == version {
			return t
		}
	}
	return nil
}

// document returns a document, nil if there is none.
func (c *Closure) document(id, version string) *Source {
	for i := range c.Documents {
		if s := &c.Documents[i]; s.ID == id && s.Version == version {
			return s
		}
	}
	return nil
}

// digest returns the digest of a used table or document, "" if the closure lacks it.
func (c *Closure) digest(u *Use) string {
	if u.Calculation {
		if s := c.document(u.ID.Text, u.Version.Text); s != nil {
			return s.Digest()
		}
	} else if t := c.table(u.ID.Text, u.Version.Text); t != nil {
		return t.Digest()
	}
	return ""
}

// closure is the closure of a document while it is bound, with the documents that are bound already.
type closure struct {
	Closure
	bound map[string]*Engine // by id and version
	used  map[string]bool    // tables and documents
}

// readClosure reads the file of what a document uses.
func (r *reader) readClosure(d *Document, data []byte) *closure {
	switch {
	case len(d.Uses) == 0 && len(data) > 0:
		r.wrong(d.ID, "the document uses no table and no calculation, and has a file of them: remove the file, or write - from NAME: ID@VERSION into the head")
		return nil
	case len(d.Uses) == 0:
		return nil
	case len(data) == 0:
		r.wrong(d.Uses[0].ID, "the file of what the document uses is missing: slipstick fmt --registry DIR writes it next to the document")
		return nil
	}
	c, err := ReadClosure(data)
	if err != nil {
		r.wrong(d.Uses[0].ID, "the file of what the document uses cannot be read: %v. Remove it, and run slipstick fmt", err)
		return nil
	}
	return &closure{Closure: *c, bound: map[string]*Engine{}, used: map[string]bool{}}
}

// has reports whether the closure has what a document uses. Another digest is a mistake.
func (r *reader) has(c *closure, u *Use) bool {
	digest := c.digest(u)
	switch {
	case u.Digest.Text == "":
		r.wrong(u.Version, "the digest of %s %s is missing: run slipstick fmt", u.ID.Text, u.Version.Text)
	case digest == "":
		r.wrong(u.ID, "the file of what the document uses has no %s %s: run slipstick fmt", u.ID.Text, u.Version.Text)
	case digest != u.Digest.Text:
		r.wrong(u.Digest, "%s %s next to the document has another digest, %s: run slipstick fmt, and check what changed", u.ID.Text, u.Version.Text, digest)
	default:
		c.used[u.ID.Text+"@"+u.Version.Text] = true
		return true
	}
	return false
}

// Names of the columns that identify a row.
const (
	rowKey  = "key"
	rowName = "name"
)

// addUses adds the used tables and calculations to a document. Tables are data of the formula, with the sources of the
// values. A published Spec has them.
func (r *reader) addUses(e *Engine, c *closure, published *sdk.Spec) {
	s, d := &e.spec, e.document
	if slices.ContainsFunc(d.Uses, func(u Use) bool { return !u.Calculation }) {
		s.Errors = append(s.Errors, CodeNoRow)
	}
	if published != nil {
		s.References = append(s.References, published.References[min(len(s.References), len(published.References)):]...)
		s.Tables = append(s.Tables, published.Tables[min(len(s.Tables), len(published.Tables)):]...)
	}
	named := r.members()
	for i := range d.Uses {
		u := &d.Uses[i]
		of := sdk.Use{Name: u.Name.Text, ID: u.ID.Text, Version: u.Version.Text, Digest: u.Digest.Text}
		switch {
		case published != nil && i >= len(published.Uses):
			r.wrong(u.ID, "the description of the engine lacks it")
		case published != nil:
			of.Title = published.Uses[i].Title
			if u.Calculation {
				r.addCalculation(e, &of, r.boundPublished(u, published.Uses[i].Spec))
			}
		case c == nil || !r.has(c, u):
		case u.Calculation:
			r.addCalculation(e, &of, r.boundStep(c, u))
			s.References = append(s.References, referenceTo(&of))
		default:
			t := c.table(of.ID, of.Version)
			of.Title = t.Title
			var sources []string
			for k := range t.Sources {
				sources = append(sources, t.Sources[k].String())
			}
			s.References = append(s.References, sdk.Reference{Title: "Table " + t.Title + ", version " + t.Version, Where: strings.Join(sources, "; ")})
			s.Tables = append(s.Tables, r.columnsOf(u, t, named))
		}
		s.Uses = append(s.Uses, of)
	}
}

// referenceTo names a calculation, and its own references. Other calculations may call it, so it can have their
// references.
func referenceTo(u *sdk.Use) sdk.Reference {
	r := sdk.Reference{Title: "Calculation " + u.Title + ", version " + u.Version}
	if u.Spec != nil {
		var titles []string
		for _, of := range u.Spec.References {
			titles = append(titles, of.Title)
		}
		r.Where = strings.Join(titles, "; ")
	}
	return r
}

// columnsOf returns the columns of a published table that a document names, as a table of the formula.
func (r *reader) columnsOf(u *Use, t *preset.Table, named map[string]bool) formula.Table {
	of := formula.Table{Name: u.Name.Text, Rows: make([][]string, len(t.Rows))}
	if t.Interpolation == nil {
		for _, c := range []string{rowKey, rowName} {
			if named[c] {
				of.Columns = append(of.Columns, formula.Column{Name: c, Word: true})
			}
		}
	}
	for n := range t.Rows {
		for _, c := range of.Columns {
			cell := t.Rows[n].Name
			if c.Name == rowKey {
				cell = t.Rows[n].Key
			}
			of.Rows[n] = append(of.Rows[n], cell)
		}
	}
	for k := range t.Columns {
		c := &t.Columns[k]
		if !named[c.Name] {
			continue
		}
		unit, ok := unitOf(c.Unit)
		if !ok || unit.Pi {
			r.wrong(u.ID, "the column %s of %s is in %s, which a formula cannot take from a table", c.Name, t.ID, c.Unit)
			continue
		}
		of.Columns = append(of.Columns, formula.Column{Name: c.Name, Unit: unit.SI})
		for n := range t.Rows {
			of.Rows[n] = append(of.Rows[n], unit.ratio(t.Rows[n].Cells[k].Literal))
		}
	}
	return of
}

// ratio returns a decimal in the coherent unit of SI, and "" for a value that a table does not have.
func (u Unit) ratio(literal string) string {
	if literal == "" {
		return ""
	}
	return inSI(ratOf(literal), u).RatString()
}

var memberForm = pattern.New(`\.([A-Za-z][A-Za-z0-9_]*)`)

// members returns the names after a point in the document. Names of columns are among them.
func (r *reader) members() map[string]bool {
	named := map[string]bool{}
	for _, line := range r.lines {
		for _, m := range memberForm.FindAllStringSubmatch(line, -1) {
			named[m[1]] = true
		}
	}
	return named
}

// lookup is a choice of a row of a published table.
type lookup struct {
	definition, table string
	field             string // the first input of its condition
}

// lookups collects the choices of rows. The first row that fits is the smallest one only if the rows are in the order of
// the column.
func (r *reader) lookups(e *Engine, place func(*formula.Error)) {
	for _, u := range e.spec.Uses {
		if u.Spec != nil {
			continue
		}
		table := &e.spec.Tables[slices.IndexFunc(e.spec.Tables, func(t formula.Table) bool { return t.Name == u.Name })]
		for _, l := range e.text.Lookups(u.Name) {
			e.lookups = append(e.lookups, lookup{l.Definition, u.Name, e.firstOf(e.text.Sent(l.Names, nil).Needed)})
			for _, column := range l.Ordered {
				if !isOrdered(table, column, l.Same) {
					place(l.Mistake("the rows of %s are not in the order of %s: to find the smallest that fits, write %s[argmin(row in %s if ...: row.%s)]", u.Name, column, u.Name, u.Name, column))
				}
			}
		}
	}
}

// isOrdered reports whether a column rises or falls from row to row, among rows that have the same values in other
// columns.
func isOrdered(t *formula.Table, column string, same []string) bool {
	at := func(name string) int {
		return slices.IndexFunc(t.Columns, func(c formula.Column) bool { return c.Name == name })
	}
	before, trend := map[string]*big.Rat{}, map[string]int{}
	for _, row := range t.Rows {
		group := ""
		for _, name := range same {
			group += row[at(name)] + "\x00"
		}
		x, isNumber := new(big.Rat).SetString(row[at(column)])
		if !isNumber {
			continue // no condition holds for it
		}
		if last := before[group]; last != nil {
			step := x.Cmp(last)
			if step*trend[group] < 0 {
				return false
			}
			trend[group] = cmp.Or(trend[group], step)
		}
		before[group] = x
	}
	return true
}

// noRow returns the rejection of inputs for which an output has no value, because no row satisfies a condition. It is
// nil if the output depends on no choice of a row.
func (e *Engine) noRow(output string) error {
	for _, l := range e.lookups {
		if e.text.DependsOn(output, l.definition) {
			return sdk.Reject(CodeNoRow, l.field, "no row of %s satisfies the condition of %s", l.table, l.definition).
				Suggest("Give other inputs, or use another table.")
		}
	}
	return nil
}

// Pin adds the missing digests to the head of a document, and returns the file of what it uses. The published ones have
// at least these. The error is of type [Mistakes] if one is missing or has another digest.
func Pin(file string, source []byte, published *Closure) (pinned, closure []byte, err error) {
	d, err := Parse(file, source)
	if err != nil || len(d.Uses) == 0 {
		return source, nil, err
	}
	p := &pinner{reader: &reader{file: file, lines: strings.Split(string(source), "\n")}, from: published}
	lines := slices.Clone(p.lines)
	for i := range d.Uses {
		u := &d.Uses[i]
		if digest := p.add(u, u); digest != "" && u.Digest.Text == "" {
			lines[u.ID.Line-1] = strings.TrimRight(lines[u.ID.Line-1], " \t\r") + " " + digest
		}
	}
	if len(p.mistakes) > 0 {
		return nil, nil, p.mistakes
	}
	closure, err = p.to.Bytes()
	return []byte(strings.Join(lines, "\n")), closure, err
}

// pinner collects what a document uses.
type pinner struct {
	*reader
	from *Closure
	to   Closure
	nest int
}

// add adds what a document, or a calculation that it calls, uses. It returns the digest, "" if there is none. Mistakes
// are at a use in the head of the document.
func (p *pinner) add(u, at *Use) (digest string) {
	digest = p.from.digest(u)
	switch {
	case digest == "":
		p.wrong(at.ID, "%s %s is not published in this registry: publish it, or name another version", u.ID.Text, u.Version.Text)
		return ""
	case u.Digest.Text != "" && u.Digest.Text != digest:
		p.wrong(at.Digest, "%s %s has the digest %s in this registry: check what changed, and remove the digest here", u.ID.Text, u.Version.Text, digest)
		return ""
	case p.to.digest(u) != "":
		return digest
	case !u.Calculation:
		p.to.Tables = append(p.to.Tables, p.from.table(u.ID.Text, u.Version.Text))
		return digest
	case p.nest == sdk.MaxNest:
		p.wrong(at.ID, "more than %d calculations call one another", sdk.MaxNest)
		return ""
	}
	source := p.from.document(u.ID.Text, u.Version.Text)
	d, err := Parse(u.ID.Text, []byte(source.Text))
	if err != nil {
		p.wrong(at.ID, "%s %s cannot be read: %v", u.ID.Text, u.Version.Text, err)
		return ""
	}
	p.nest++
	for i := range d.Uses {
		p.add(&d.Uses[i], at)
	}
	p.nest--
	p.to.Documents = append(p.to.Documents, *source)
	return digest
}
