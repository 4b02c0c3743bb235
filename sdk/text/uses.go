package text

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/preset"
)

// MaxUses is the largest number of tables that a document uses.
const MaxUses = 16

// CodeNoRow rejects inputs for which no row of a published table satisfies a condition.
const CodeNoRow = "NO_ROW"

// Use is a published table that a document uses: - from NAME: ID@VERSION DIGEST.
type Use struct{ Name, ID, Version, Digest Phrase }

var (
	useForm    = regexp.MustCompile(`^([^@ ]+)@([^ ]+)(?: +(.*))?$`)
	tableForm  = regexp.MustCompile(`^data\.[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$`)
	useName    = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)
	digestForm = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
)

const fromKey = "from "

// readUse reads the head key "from NAME".
func (r *reader) readUse(d *Document, key, value Phrase) {
	u := Use{Name: key.within(len(fromKey), len(key.Text))}
	parts := useForm.FindStringSubmatchIndex(value.Text)
	switch {
	case !useName.MatchString(u.Name.Text) || formula.Reserved(u.Name.Text):
		r.wrong(key, "a table is named by a name that the formula can have: write from and the name, such as from sections")
		return
	case parts == nil:
		r.wrong(value, "write the id and the version of a published table, such as data.sections.european_i@1.0.0; slipstick fmt adds the digest")
		return
	}
	u.ID, u.Version = value.within(parts[2], parts[3]), value.within(parts[4], parts[5])
	if parts[6] >= 0 {
		u.Digest = value.within(parts[6], parts[7])
	}
	same := slices.IndexFunc(d.Uses, func(other Use) bool { return other.ID.Text == u.ID.Text })
	switch {
	case !tableForm.MatchString(u.ID.Text):
		r.wrong(u.ID, "the id of a table is data. and two more parts in small letters, such as data.sections.european_i")
	case !versionForm.MatchString(u.Version.Text):
		r.wrong(u.Version, "a version has three numbers, such as 1.0.0")
	case u.Digest.Text != "" && !digestForm.MatchString(u.Digest.Text):
		r.wrong(u.Digest, "a digest is sha256: and 64 hexadecimal digits: remove it, and slipstick fmt adds it")
	case same >= 0 && d.Uses[same].Version.Text != u.Version.Text:
		r.wrong(u.Version, "%s is used as %s and as %s: use one version", u.ID.Text, d.Uses[same].Version.Text, u.Version.Text)
	case same >= 0:
		r.wrong(u.ID, "%s is used as %s already: use one name", u.ID.Text, d.Uses[same].Name.Text)
	case len(d.Uses) == MaxUses:
		r.wrong(key, "the document uses more than %d tables", MaxUses)
	}
	d.Uses = append(d.Uses, u)
}

// Closure has the published tables that a document uses, in the order of its head.
type Closure struct{ Tables []*preset.Table }

// used is a table in the file of a closure.
type used struct {
	Description *preset.Spec `json:"description"`
	Rows        []string     `json:"rows"` // lines of CSV
}

// ReadClosure reads what [Closure.Bytes] writes. Each table is checked as it is when it is published.
func ReadClosure(data []byte) (*Closure, error) {
	var file struct {
		Tables []struct {
			Description json.RawMessage `json:"description"`
			Rows        []string        `json:"rows"`
		} `json:"tables"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("it is not what slipstick fmt writes: %w", err)
	}
	c := new(Closure)
	for i, t := range file.Tables {
		table, err := preset.Parse(t.Description, []byte(strings.Join(t.Rows, "\n")+"\n"))
		if err != nil {
			return nil, fmt.Errorf("table %d: %w", i+1, err)
		}
		c.Tables = append(c.Tables, table)
	}
	return c, nil
}

// Bytes returns the closure as JSON. The same tables always give the same bytes.
func (c *Closure) Bytes() ([]byte, error) {
	var file struct {
		Tables []used `json:"tables"`
	}
	for _, t := range c.Tables {
		rows := strings.Split(strings.TrimSuffix(string(t.CSV()), "\n"), "\n")
		file.Tables = append(file.Tables, used{&t.Spec, rows})
	}
	data, err := json.MarshalIndent(&file, "", " ")
	return append(data, '\n'), err
}

// tablesOf returns the used tables with the columns that the document names. A table that is not the one that the head
// names is a mistake.
func (r *reader) tablesOf(d *Document, closure []byte) (list []*preset.Table) {
	if len(d.Uses) == 0 {
		if len(closure) > 0 {
			r.wrong(d.ID, "the document uses no table, and has a file of tables: remove the file, or write - from NAME: ID@VERSION into the head")
		}
		return nil
	}
	if len(closure) == 0 {
		r.wrong(d.Uses[0].ID, "the file of the tables that the document uses is missing: slipstick fmt --registry DIR writes it next to the document")
		return nil
	}
	c, err := ReadClosure(closure)
	if err != nil {
		r.wrong(d.Uses[0].ID, "the file of the tables that the document uses cannot be read: %v. Remove it, and run slipstick fmt", err)
		return nil
	}
	for _, u := range d.Uses {
		at := slices.IndexFunc(c.Tables, func(t *preset.Table) bool { return t.ID == u.ID.Text })
		switch {
		case u.Digest.Text == "":
			r.wrong(u.Version, "the digest of %s %s is missing: run slipstick fmt", u.ID.Text, u.Version.Text)
		case at < 0 || c.Tables[at].Version != u.Version.Text:
			r.wrong(u.ID, "the file of tables has no %s %s: run slipstick fmt", u.ID.Text, u.Version.Text)
		case c.Tables[at].Digest() != u.Digest.Text:
			r.wrong(u.Digest, "%s %s in the file of tables has another digest, %s: run slipstick fmt, and check what changed", u.ID.Text, u.Version.Text, c.Tables[at].Digest())
		default:
			list = append(list, c.Tables[at])
		}
	}
	if len(r.mistakes) == 0 && len(c.Tables) > len(d.Uses) {
		r.wrong(d.Uses[0].ID, "the file of tables has %d tables, and the head names %d: run slipstick fmt", len(c.Tables), len(d.Uses))
	}
	return list
}

// Names of the columns that identify a row.
const (
	rowKey  = "key"
	rowName = "name"
)

// addUses adds the used tables to a Spec: as data of the formula, with the sources of the values. A published Spec has
// them.
func (r *reader) addUses(s *sdk.Spec, d *Document, closure []byte, published *sdk.Spec) {
	if len(d.Uses) > 0 {
		s.Errors = append(s.Errors, CodeNoRow)
	}
	for _, u := range d.Uses {
		s.Uses = append(s.Uses, sdk.Use{Name: u.Name.Text, ID: u.ID.Text, Version: u.Version.Text, Digest: u.Digest.Text})
	}
	if published != nil {
		for i := range min(len(s.Uses), len(published.Uses)) {
			s.Uses[i].Title = published.Uses[i].Title
		}
		s.References = append(s.References, published.References[min(len(s.References), len(published.References)):]...)
		s.Tables = append(s.Tables, published.Tables[min(len(s.Tables), len(published.Tables)):]...)
		return
	}
	named := r.members()
	for i, t := range r.tablesOf(d, closure) {
		u := &d.Uses[i]
		s.Uses[i].Title = t.Title
		var sources []string
		for k := range t.Sources {
			sources = append(sources, t.Sources[k].String())
		}
		s.References = append(s.References, sdk.Reference{Title: "Table " + t.Title + ", version " + t.Version, Where: strings.Join(sources, "; ")})
		s.Tables = append(s.Tables, r.usedTable(u, t, named))
	}
}

// usedTable returns the columns of a published table that a document names, as a table of the formula.
func (r *reader) usedTable(u *Use, t *preset.Table, named map[string]bool) formula.Table {
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

var memberForm = regexp.MustCompile(`\.([A-Za-z][A-Za-z0-9_]*)`)

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

// Pin adds the missing digests to the head of a document, and returns the file of the tables that it uses. The error is of
// type [Mistakes] if a table is not in the list or has another digest.
func Pin(file string, source []byte, tables []*preset.Table) (pinned, closure []byte, err error) {
	d, err := Parse(file, source)
	if err != nil || len(d.Uses) == 0 {
		return source, nil, err
	}
	r := &reader{file: file, lines: strings.Split(string(source), "\n")}
	lines, c := slices.Clone(r.lines), new(Closure)
	for _, u := range d.Uses {
		at := slices.IndexFunc(tables, func(t *preset.Table) bool { return t.ID == u.ID.Text && t.Version == u.Version.Text })
		if at < 0 {
			r.wrong(u.ID, "%s %s is not published in this registry: publish it, or name another version", u.ID.Text, u.Version.Text)
			continue
		}
		digest := tables[at].Digest()
		switch u.Digest.Text {
		case "":
			lines[u.ID.Line-1] = strings.TrimRight(lines[u.ID.Line-1], " \t\r") + " " + digest
		case digest:
		default:
			r.wrong(u.Digest, "%s %s has the digest %s in this registry: check what changed, and remove the digest here", u.ID.Text, u.Version.Text, digest)
		}
		c.Tables = append(c.Tables, tables[at])
	}
	if len(r.mistakes) > 0 {
		return nil, nil, r.mistakes
	}
	closure, err = c.Bytes()
	return []byte(strings.Join(lines, "\n")), closure, err
}
