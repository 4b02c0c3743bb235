package text

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/enginefile"
	"github.com/slipstick/slipstick/sdk/formula"
)

// Bind makes an engine of a document. Source is the document as [Format] writes it; the Spec has it for readers. The
// error is of type [Mistakes]: names, units, dimensions and values in the formula, the checks and the vectors.
// A document that names files needs [BindWith].
func Bind(file string, source []byte) (*Engine, error) {
	return BindWith(file, &enginefile.Text{Document: source})
}

// BindWith is [Bind] with the files next to the document: the file of vectors, and the file of what it uses. Mistakes in
// the file of vectors follow the mistakes in the document.
func BindWith(file string, t *enginefile.Text) (*Engine, error) {
	return bindIn(&reader{file: file}, t, nil, nil)
}

// BindToServe is BindWith for an engine that passed its checks when it was published. It leaves out the vectors, which take
// up to half of the time and memory, and does not validate the Spec again.
func BindToServe(file string, t *enginefile.Text) (*Engine, error) {
	return bindIn(&reader{file: file, lean: true}, t, nil, nil)
}

// BindPublished binds the document of a Spec. The engine lacks the vectors of the file that the document names.
func BindPublished(s *sdk.Spec) (*Engine, error) {
	return bindIn(&reader{file: "document"}, &enginefile.Text{Document: []byte(s.Document)}, s, nil)
}

// bindIn binds a document with the files that it names. The file of vectors is left out for the document of a published
// Spec, and if r is lean.
func bindIn(r *reader, t *enginefile.Text, published *sdk.Spec, outer *closure) (*Engine, error) {
	source := t.Document
	d, err := r.parse(source)
	if err != nil {
		return nil, err
	}
	r.lines = strings.Split(strings.TrimSuffix(string(source), "\n"), "\n")
	e := &Engine{document: d}
	rows := &reader{file: VectorsFile(r.file, d)}
	switch {
	case published != nil || r.lean:
	case d.VectorFile.Text == "" && len(t.Vectors) > 0:
		r.wrong(d.ID, "the document names no file of vectors, and has one: write - vectors: and its name into the head")
	case d.VectorFile.Text != "" && len(t.Vectors) == 0:
		r.wrong(d.VectorFile, "the file of vectors is empty or missing: save it as CSV next to the document")
	case d.VectorFile.Text != "":
		e.rows = rows.readVectorFile(d, t.Vectors)
	}
	r.spec(e, string(source))
	own := outer
	if published == nil && outer == nil {
		own = r.readClosure(d, t.Closure)
	}
	r.addUses(e, own, published)
	if outer == nil && own != nil && len(r.mistakes) == 0 && len(own.used) < len(own.Documents)+len(own.Tables) {
		r.wrong(d.Uses[0].ID, "the file of what the document uses has more than the head names: run slipstick fmt")
	}
	if len(r.mistakes) == 0 {
		r.program(e)
	}
	if len(r.mistakes) == 0 {
		d.write(&e.spec, nil)
	}
	if len(r.mistakes) == 0 && !r.lean {
		err := e.spec.Validate()
		if err != nil {
			r.wrong(d.Title, "%v", err)
		}
	}
	if len(r.mistakes) == 0 {
		e.spec.Express()
		r.bindVectors(e, d.Vectors, nil)
		rows.bindVectors(e, e.rows, rows)
	}
	if len(r.mistakes)+len(rows.mistakes) > 0 {
		r.sort()
		rows.sort()
		return nil, append(r.mistakes, rows.mistakes...)
	}
	return e, nil
}

// spec makes the Spec of a document.
func (r *reader) spec(e *Engine, source string) {
	d := e.document
	s := &e.spec
	*s = sdk.Spec{
		Contract: sdk.ContractVersion, Capability: d.ID.Text, Version: d.Version.Text, Tool: d.Tool.Text, Group: d.Group.Text,
		Title: d.Title.Text, Keywords: texts(d.Keywords),
		Definition: d.Formula.String(), Evaluation: sdk.DecimalInputs, Document: source,
		References: make([]sdk.Reference, len(d.References)),
	}
	if slices.ContainsFunc(d.Rules, func(r Rule) bool { return r.Kind == SameLength }) {
		s.Errors = append(s.Errors, CodeLengthMismatch)
	}
	if d.Binary64 {
		s.Evaluation = sdk.Binary64Inputs
	}
	for i := range d.Inputs {
		r.addInput(s, &d.Inputs[i], d.Inputs)
	}
	headline := slices.IndexFunc(d.Outputs, func(f Field) bool { return f.Headline })
	if headline < 0 {
		headline = slices.IndexFunc(d.Outputs, func(f Field) bool {
			return !slices.ContainsFunc(d.Inputs, func(in Field) bool { return in.Name.Text == f.Name.Text })
		})
	}
	for i := range d.Outputs {
		f := r.field(&d.Outputs[i])
		f.Required, f.Headline = !d.Outputs[i].Absent, i == headline
		s.Outputs = append(s.Outputs, f)
	}
	for i := range d.Limits {
		s.Limits = append(s.Limits, d.Limits[i].data())
	}
	for i := range d.Tables {
		s.Tables = append(s.Tables, r.table(&d.Tables[i]))
	}
	for _, c := range d.Checks {
		list := &s.Errors
		if c.Kind == Warn {
			list = &s.Warnings
		}
		isImplied := c.Kind == Reject && new(sdk.Spec).MayReject(c.Code.Text) // the code of a range is not: a check also uses it
		if c.Kind != Assume && !isImplied && !slices.Contains(*list, c.Code.Text) {
			*list = append(*list, c.Code.Text)
		}
		if c.Kind == Reject && s.Input(c.At.Text) < 0 {
			r.wrong(c.At, "%s is not the name of an input%s", c.At.Text, suggest(c.At.Text, names(s.Inputs)))
		}
	}
	r.formulas(e)
}

func texts(list []Phrase) (out []string) {
	for _, p := range list {
		out = append(out, p.Text)
	}
	return out
}

func names(fields []sdk.Field) (list []string) {
	for i := range fields {
		list = append(list, fields[i].Name)
	}
	return list
}

// formulas sets the ids of formulas. They are the ids of cases, or the one of the section Formulas. Without both, the id is
// made from the id of the capability.
func (r *reader) formulas(e *Engine) {
	text, err := formula.Parse(e.spec.Definition)
	var mistake *formula.Error
	if errors.As(err, &mistake) {
		if slices.ContainsFunc(e.document.Uses, func(u Use) bool { return u.Calculation && u.Name.Text == mistake.Unknown }) {
			mistake.Message = "the arguments of " + mistake.Unknown + " have names: write " + mistake.Unknown + "(length=L), with the names of its inputs"
		}
		r.inFormula(&e.document.Formula, mistake)
		return
	}
	for _, d := range text.Definitions {
		if d.Kind == formula.Taken {
			r.report(Place{e.document.Formula.Line + d.Line - 1, 1}, 1, "a document computes all of its outputs: write how %s follows from the inputs", d.Name)
		}
		for _, c := range d.Cases {
			known := slices.ContainsFunc(e.spec.Formulas, func(f sdk.Formula) bool { return f.ID == c.ID })
			if c.ID != "" && !known {
				e.spec.Formulas = append(e.spec.Formulas, sdk.Formula{ID: c.ID, Label: label(c.ID)})
			}
		}
	}
	r.labels(e)
	if len(e.spec.Formulas) == 0 {
		id := e.spec.Capability[strings.LastIndexByte(e.spec.Capability, '.')+1:]
		major, _, _ := strings.Cut(e.spec.Version, ".")
		e.spec.Formulas = []sdk.Formula{{ID: id + "_v" + major, Label: e.spec.Title}}
	}
}

// labels checks the section Formulas, whose labels [Document.write] sets. An item without a case is the formula of the whole
// document.
func (r *reader) labels(e *Engine) {
	list := e.document.Formulas
	if len(e.spec.Formulas) == 0 && len(list) == 1 {
		e.spec.Formulas = []sdk.Formula{{ID: list[0].ID.Text}}
	}
	for _, f := range list {
		at := slices.IndexFunc(e.spec.Formulas, func(known sdk.Formula) bool { return known.ID == f.ID.Text })
		if at < 0 {
			r.wrong(f.ID, "no case of the formula ends with @%s", f.ID.Text)
			continue
		}
	}
}

// label makes a label of the id of a formula: johnson_column_v1 is Johnson column.
func label(id string) string {
	words := strings.Split(id, "_")
	if last := words[len(words)-1]; len(words) > 1 && strings.HasPrefix(last, "v") {
		words = words[:len(words)-1]
	}
	text := strings.Join(words, " ")
	return strings.ToUpper(text[:1]) + text[1:]
}

// inFormula reports a mistake of package formula at its place in the document.
func (r *reader) inFormula(b *Block, m *formula.Error) {
	r.report(Place{b.Line + m.Line - 1, m.Column}, 1, "%s", m.Message)
}

// addInput adds an input, or a member of records to the input above.
func (r *reader) addInput(s *sdk.Spec, f *Field, all []Field) {
	of := r.field(f)
	if f.Range != nil {
		of.Range = r.rangeOf(f, all)
	}
	if f.Member == "" {
		of.Required = f.Default.Text == ""
		of.Default = defaultText(f)
		s.Inputs = append(s.Inputs, of)
		return
	}
	at := s.Input(f.Name.Text)
	if at < 0 || s.Inputs[at].Type != sdk.TypeArray || s.Inputs[at].Items.Type != sdk.TypeObject {
		r.wrong(f.Name, "%s.%s is a member of records: write a row for %s with the unit records above it", f.Name.Text, f.Member, f.Name.Text)
		return
	}
	if of.UnitBy != nil {
		r.wrong(f.Type.Phrase, "the unit of a member cannot depend on an input: write its unit")
	}
	of.Name, of.Required = f.Member, f.Default.Text == ""
	of.Default = defaultText(f)
	s.Inputs[at].Items.Fields = append(s.Inputs[at].Items.Fields, of)
}

// field makes a field without its range and default.
func (r *reader) field(f *Field) sdk.Field {
	of := sdk.Field{
		Name: f.Name.Text, Aliases: texts(f.Aliases), Label: f.Label.Text, Presets: texts(f.Presets), Advanced: f.Advanced,
	}
	if f.Symbol.Text != of.Name {
		of.Symbol = formula.Typeset(f.Symbol.Text)
		if name, ok := formula.NameOf(of.Symbol); !ok || name != f.Symbol.Text {
			of.Symbol = f.Symbol.Text
		}
	}
	setType(&of, &f.Type)
	for _, n := range f.Names {
		of.Names = append(of.Names, sdk.Named{Name: n.Text, Value: n.Number.binary64()})
	}
	if f.Example != nil && f.Example.SI != nil {
		of.Example = &sdk.Example{Number: decimalText(f.Example)}
	}
	return of
}

// setType sets the type of a field, and what belongs to it.
func setType(f *sdk.Field, t *Type) {
	switch t.Kind {
	case Number:
		f.Type, f.Unit, f.Difference, f.Money, f.Decimal = sdk.TypeNumber, t.Unit.SI, t.Unit.Difference, t.Unit.Money, t.Exact
		f.UnitBy = t.By
		switch {
		case t.Unit.Bare:
			f.Unit = t.Unit.ID
		case t.Unit.ID != t.Unit.SI && !t.Unit.Money:
			f.Shown = t.Unit.ID
		}
	case Integer:
		f.Type = sdk.TypeInteger
	case YesNo:
		f.Type = sdk.TypeBoolean
	case Text:
		f.Type = sdk.TypeString
	case OneOf:
		f.Type = sdk.TypeString
		for _, w := range t.Words {
			f.Enum = append(f.Enum, w.Text)
			for _, a := range w.Aliases {
				f.EnumAliases = append(f.EnumAliases, sdk.Alias{Alias: a.Text, Value: w.Text})
			}
			if w.Unlisted {
				f.Unlisted = append(f.Unlisted, w.Text)
			}
		}
	case List:
		f.Type, f.Items = sdk.TypeArray, new(sdk.Field)
		setType(f.Items, t.Items)
		f.Unit, f.Difference = f.Items.Unit, f.Items.Difference
		if t.Items.Kind == List { // the input and its numbers have the unit
			f.Items.Unit, f.Items.Difference = "", false
		}
	case Records:
		f.Type, f.Items = sdk.TypeArray, &sdk.Field{Type: sdk.TypeObject}
	}
}

// rangeOf makes the range of an input. The ends are the nearest binary64 numbers.
func (r *reader) rangeOf(f *Field, all []Field) *sdk.Range {
	rng := &sdk.Range{MinOpen: f.Range.MinOpen, MaxOpen: f.Range.MaxOpen}
	end := func(e *End) (*float64, string) {
		if e == nil || e.Number == nil && e.Symbol.Text == "" {
			return nil, ""
		}
		if e.Number != nil {
			x := e.Number.binary64()
			return &x, ""
		}
		for i := range all {
			if all[i].Symbol.Text == e.Symbol.Text {
				if all[i].Member != "" {
					return nil, all[i].Member
				}
				return nil, all[i].Name.Text
			}
		}
		return nil, ""
	}
	rng.Min, rng.MinInput = end(f.Range.Min)
	rng.Max, rng.MaxInput = end(f.Range.Max)
	name := f.Name.Text
	if f.Member != "" {
		name = f.Member
	}
	rng.SetCode(name)
	if f.Code.Text != "" {
		rng.Code = f.Code.Text
	}
	return rng
}

// binary64 returns the number in the coherent unit of SI.
func (v *Value) binary64() float64 {
	if v.Unit.Pi {
		x := new(big.Float).SetPrec(200).SetRat(v.SI)
		f, _ := x.Mul(x, piDigits).Float64()
		return f
	}
	f, _ := v.SI.Float64()
	return f
}

var piDigits = func() *big.Float {
	x, _, _ := big.ParseFloat("3.14159265358979323846264338327950288419716939937510582097494459", 10, 200, big.ToNearestEven)
	return x
}()

// decimalText returns the number as a decimal, in the coherent unit of SI.
func decimalText(v *Value) string { return strconv.FormatFloat(v.binary64(), 'g', -1, 64) }

// defaultText returns the default of an input as text of JSON.
func defaultText(f *Field) string {
	v := f.Default.Value
	switch {
	case v == nil:
		return ""
	case v.Kind == NumberValue:
		return decimalText(v)
	case f.Type.Kind == YesNo:
		return strconv.FormatBool(v.Word == "yes")
	}
	return v.Word
}

// table makes a constant table of the formula.
func (r *reader) table(t *Table) formula.Table {
	of := formula.Table{Name: t.Name.Text}
	for _, c := range t.Columns {
		if c.Unit.Pi {
			r.wrong(c.Name, "write the column %s in rad: numbers of a table are decimals in SI", c.Name.Text)
		}
		unit := c.Unit.SI
		if c.Unit.Money {
			unit = "money"
		}
		of.Columns = append(of.Columns, formula.Column{Name: c.Name.Text, Unit: unit, Word: c.Text})
	}
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for i := range row {
			cells[i] = row[i].Word
			if row[i].SI != nil {
				cells[i] = row[i].SI.RatString()
			}
		}
		of.Rows = append(of.Rows, cells)
	}
	return of
}

// closing returns the index of the bracket that closes the one at an index, or -1.
func closing(text string, at int) int {
	open, depth := text[at], 0
	closes := map[byte]byte{'{': '}', '(': ')'}[open]
	for i := at; i < len(text); i++ {
		switch text[i] {
		case open:
			depth++
		case closes:
			depth--
		}
		if depth == 0 {
			return i
		}
	}
	return -1
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// part is an expression of a check in the program of a document.
type part struct {
	at     Phrase
	prefix string // before it, on its line
	what   string // for messages, because authors do not know its name
	local  map[string]string
}

// inParts reports a mistake of package formula in a text that consists of the formula and parts, a line for each.
func (r *reader) inParts(b *Block, lines int, parts []part, m *formula.Error) {
	if m.Line <= lines {
		r.inFormula(b, m)
		return
	}
	p := parts[min(m.Line-lines, len(parts))-1]
	message := m.Message
	name, _, generated := strings.Cut(p.prefix, " ")
	if generated {
		message = strings.ReplaceAll(message, name, p.what)
	}
	column := max(0, m.Column-1-len(p.prefix))
	for _, mark := range localMarks.FindAllStringIndex(rename(p.at.Text, p.local), -1) {
		if mark[0] < column {
			column -= mark[1] - mark[0]
		}
	}
	r.report(Place{p.at.Line, p.at.Column + max(0, column)}, 1, "%s", localMarks.ReplaceAllString(message, ""))
}

// program binds the formula, and the expressions of the checks, to the fields.
func (r *reader) program(e *Engine) {
	d := e.document
	source := strings.TrimRight(e.spec.Definition, "\n") + "\n"
	lines := strings.Count(source, "\n")
	var parts []part
	add := func(name string, at Phrase) {
		p := part{at: at, prefix: name + " = ", what: "the condition"}
		source += p.prefix + at.Text + "\n"
		parts = append(parts, p)
	}
	for i := range d.Checks {
		c := &check{Check: &d.Checks[i], holds: fmt.Sprintf("holds__%d", i+1)}
		add(c.holds, c.Condition)
		for _, text := range []struct {
			of *message
			at Phrase
		}{{&c.text, c.Text}, {&c.suggestion, c.Suggestion}} {
			*text.of = r.message(text.at)
			for k := range text.of.holes {
				h := &text.of.holes[k]
				if h.of != nil {
					continue
				}
				h.name = fmt.Sprintf("shown__%d_%d", i+1, len(parts))
				add(h.name, h.at)
				r.define(e, h)
			}
		}
		c.severity = severityOf[c.Severity]
		e.checks = append(e.checks, c)
	}
	slices.SortStableFunc(e.checks, func(a, b *check) int {
		switch {
		case a.isOfSent() == b.isOfSent():
			return 0
		case a.isOfSent():
			return -1
		}
		return 1
	})
	if len(r.mistakes) > 0 {
		return
	}
	place := func(m *formula.Error) { r.inParts(&d.Formula, lines, parts, m) }
	text, err := formula.Parse(source)
	var mistake *formula.Error
	if errors.As(err, &mistake) {
		place(mistake)
		return
	}
	text, err = e.complete(text)
	if err != nil {
		r.report(d.Formula.Place, 1, "%v", err)
		return
	}
	symbols := e.spec.Symbols()
	r.checkDefined(e, text)
	if len(r.mistakes) > 0 {
		return
	}
	for _, c := range e.checks {
		symbols = append(symbols, formula.Symbol{Name: c.holds, Output: c.holds, Kind: formula.BoolField})
		for _, h := range slices.Concat(c.text.holes, c.suggestion.holes) {
			if h.of != nil {
				continue
			}
			symbols = append(symbols, formula.Symbol{Name: h.name, Output: h.name, Kind: formula.AnyField, AnyUnit: true})
		}
	}
	drawings := r.drawings(e)
	var ids []string
	for _, f := range e.spec.Formulas {
		ids = append(ids, f.ID)
	}
	for _, err := range text.Check(symbols, ids, drawings.names...) {
		if errors.As(err, &mistake) {
			place(mistake)
		} else {
			r.report(d.Formula.Place, 1, "%v", err)
		}
	}
	e.text = text
	if len(r.mistakes) > 0 {
		return
	}
	named := text.Units(symbols)
	r.prepare(e, named)
	r.lookups(e, place)
	r.unitsBy(e, place)
	for _, f := range drawings.list {
		r.bindDrawing(e, f, ids)
	}
}

// checkDefined reports outputs without a definition, and names that a formula cannot have.
func (r *reader) checkDefined(e *Engine, text *formula.Text) {
	d := e.document
	inputs := map[string]bool{}
	for i := range d.Inputs {
		f := &d.Inputs[i]
		if f.Member == "" {
			inputs[f.Symbol.Text] = true
		}
		if f.Member == "" && f.Default.Formula && text.Definition(f.Symbol.Text) == nil {
			r.wrong(f.Default.Phrase, "%s has the default formula, and the formula does not define it", f.Symbol.Text)
		}
		if formula.Reserved(f.Symbol.Text) {
			r.wrong(f.Symbol, "%s has a meaning of its own in formulas: give the input another symbol", f.Symbol.Text)
		}
	}
	for i := range d.Outputs {
		f := &d.Outputs[i]
		of := text.Definition(f.Symbol.Text)
		switch {
		case formula.Reserved(f.Symbol.Text):
			r.wrong(f.Symbol, "%s has a meaning of its own in formulas: give the output another symbol", f.Symbol.Text)
		case of == nil && !inputs[f.Symbol.Text]:
			var known []string
			for _, one := range text.Definitions {
				if !strings.Contains(one.Name, "__") {
					known = append(known, one.Name)
				}
			}
			r.wrong(f.Symbol, "the formula does not define %s%s", f.Symbol.Text, suggest(f.Symbol.Text, known))
		}
	}
}

// prepare collects what each calculation needs.
func (r *reader) prepare(e *Engine, unitOf map[string]string) {
	var results, shown []string
	outcome := func(name string) int {
		at := slices.Index(results, name)
		if at < 0 {
			at = len(results)
			results = append(results, name)
		}
		return at
	}
	bySymbol := map[string]int{}
	at := -1
	for i := range e.document.Inputs {
		f := &e.document.Inputs[i]
		if f.Member != "" {
			continue
		}
		at++
		e.symbols = append(e.symbols, f.Symbol.Text)
		bySymbol[f.Symbol.Text] = at
		if f.Default.Formula {
			e.derived = append(e.derived, derived{at, outcome(f.Symbol.Text)})
		}
	}
	for i := range e.spec.Outputs {
		name := e.document.Outputs[i].Symbol.Text
		if e.text.Definition(name) == nil {
			e.results = append(e.results, -1-bySymbol[name])
		} else {
			e.results = append(e.results, outcome(name))
		}
	}
	for _, d := range e.text.Definitions {
		if slices.ContainsFunc(d.Cases, func(c formula.Case) bool { return c.ID != "" }) {
			e.formulas = append(e.formulas, ofFormula{d, outcome(d.Name)})
		}
	}
	r.steps(e, outcome)
	for i := range e.document.Rules {
		of := &e.document.Rules[i]
		one := rule{Rule: of}
		for _, s := range of.Symbols {
			one.inputs = append(one.inputs, bySymbol[s.Text])
		}
		e.rules = append(e.rules, one)
	}
	for _, c := range e.checks {
		c.outcome = outcome(c.holds)
		c.field = c.At.Text
		if c.Kind != Reject {
			c.field = ""
		}
		for _, m := range []*message{&c.text, &c.suggestion} {
			for k := range m.holes {
				h := &m.holes[k]
				if h.of != nil {
					continue
				}
				h.later = len(shown)
				shown = append(shown, h.name)
				r.unitOfHole(e, unitOf[h.name], h)
				h.prepare()
			}
		}
	}
	var sent []string
	for _, c := range e.checks {
		if c.isOfSent() {
			sent = append(sent, c.holds)
		}
	}
	e.ofSent = len(sent)
	symbols := e.spec.Symbols()
	e.sent, _ = e.text.Compile(symbols, sent)
	e.outcomes = results
	e.program, e.fast = e.text.Compile(symbols, results, shown...)
	e.count = len(results)
}
