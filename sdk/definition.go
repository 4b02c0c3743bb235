package sdk

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/units"
	"github.com/slipstick/slipstick/sdk/value"
)

// Text reads the Definition. It is nil if the Spec has none.
func (s *Spec) Text() (*formula.Text, error) {
	if s.Definition == "" {
		return nil, nil
	}
	text, err := formula.Parse(s.Definition)
	if err != nil {
		return nil, err
	}
	if len(s.Tables) > 0 {
		text, err = text.WithTables(s.Tables)
		if err != nil {
			return nil, err
		}
	}
	if s.hasSteps() {
		text = text.WithCallees(s.callees())
	}
	if s.Evaluation != "" {
		text = text.OfDocument(s.Evaluation == DecimalInputs)
	}
	return text, nil
}

// callees returns the calculations that the Definition calls. They can be checked, and not computed: package text does
// that.
func (s *Spec) callees() (list []formula.Callee) {
	for _, u := range s.Uses {
		if u.Spec != nil && len(u.Spec.Outputs) > 0 {
			list = append(list, u.Spec.Callee(u.Name))
		}
	}
	return list
}

// Callee returns the calculation for a Definition that calls it by a name. Arguments and results have the names of fields.
func (s *Spec) Callee(name string) formula.Callee {
	c := formula.Callee{Name: name, Result: formula.Symbol{Name: name, Kind: formula.RecordField}}
	for i := range s.Inputs {
		f := &s.Inputs[i]
		symbol := s.symbolOf(f)
		symbol.Name, symbol.Input, symbol.Required = f.Name, f.Name, f.Required
		c.Inputs = append(c.Inputs, symbol)
	}
	for i := range s.Outputs {
		f := &s.Outputs[i]
		symbol := s.symbolOf(f)
		symbol.Name, symbol.Output, symbol.Required = f.Name, f.Name, f.Required
		c.Result.Members = append(c.Result.Members, symbol)
	}
	return c
}

// Symbols returns the quantities of the Definition: first the inputs in their order, and then
// the outputs that are not inputs. The name of a field is its Symbol in letters, or its Name.
// An input and an output are one quantity if their names, types and units are equal.
func (s *Spec) Symbols() []formula.Symbol {
	list := make([]formula.Symbol, 0, len(s.Inputs)+len(s.Outputs))
	inputs := map[string]int{}
	for i := range s.Inputs {
		f := &s.Inputs[i]
		symbol := s.symbolOf(f)
		symbol.Input, symbol.Required = f.Name, f.Required || f.Default != ""
		inputs[symbol.Name] = len(list)
		list = append(list, symbol)
	}
	for i := range s.Outputs {
		f := &s.Outputs[i]
		symbol := s.symbolOf(f)
		at, ok := inputs[symbol.Name]
		if ok && list[at].Output == "" && list[at].Kind == symbol.Kind && list[at].Unit == symbol.Unit {
			list[at].Output = f.Name
			continue
		}
		symbol.Output = f.Name
		list = append(list, symbol)
	}
	return list
}

// symbolOf returns the symbol of a field.
func (s *Spec) symbolOf(f *Field) formula.Symbol {
	symbol := symbolOf(f)
	if s.Evaluation != "" {
		inDocument(&symbol, f)
	}
	return symbol
}

// inDocument sets the units that a symbol, its items and its members have in documents only. Money has a dimension.
// A number that callers send in a unit that is not of SI is a plain number in the formula.
func inDocument(symbol *formula.Symbol, f *Field) {
	isPlain := f.UnitBy != nil
	if f.Unit != "" { // the error of Coherent names the nearest units, which takes long
		coherent, _ := units.Coherent(f.Unit)
		isPlain = isPlain || coherent != f.Unit
	}
	switch {
	case f.Money:
		symbol.Unit = "money"
	case isPlain:
		symbol.Unit, symbol.AnyUnit = "", false
	}
	if symbol.Item != nil && f.Items != nil {
		inDocument(symbol.Item, f.Items)
	}
	for i := range symbol.Members {
		inDocument(&symbol.Members[i], &f.Fields[i])
	}
}

func symbolOf(f *Field) formula.Symbol {
	s := formula.Symbol{Name: nameInText(f), Unit: f.Unit, AnyUnit: f.UnitBy != nil, Point: f.isPoint()}
	switch f.Type {
	case TypeBoolean:
		s.Kind = formula.BoolField
	case TypeString:
		s.Kind, s.Values = formula.WordField, f.Enum
	case TypeArray:
		var item formula.Symbol
		if f.Items != nil {
			item = symbolOf(f.Items)
		}
		if item.Kind == formula.NumberField && item.Unit == "" {
			item.Unit = f.Unit
		}
		s.Kind, s.Item = formula.ListField, &item
	case TypeObject:
		s.Kind = formula.RecordField
		for i := range f.Fields {
			member := symbolOf(&f.Fields[i])
			member.Name = f.Fields[i].Name // its name in the record
			s.Members = append(s.Members, member)
		}
	}
	return s
}

// isPoint reports whether numbers of the field are points on a scale of temperature, because people use it in degC or
// degF.
func (f *Field) isPoint() bool {
	u, ok := units.Lookup(f.Shown)
	return ok && u.Offset != nil && !f.Difference
}

// nameInText returns the name of a field in a Definition. A symbol such as R^2 is not a name.
func nameInText(f *Field) string {
	if name, ok := formula.NameOf(f.Symbol); ok {
		return name
	}
	return f.Name
}

// FormulaInputs returns the values at which the Definition is evaluated. These are the values
// that the engine got, with the declared defaults, as request.Read returns them. The inputs of
// an Outcome differ: the engine derives some of them, and may have rounded them.
func (s *Spec) FormulaInputs(sent value.Values) []formula.Input {
	var list []formula.Input
	for i := range min(len(sent), len(s.Inputs)) {
		if sent[i].Kind() == value.Absent {
			continue
		}
		f := &s.Inputs[i]
		list = append(list, formula.Input{Name: nameInText(f), Value: sent[i], Members: members(f)})
	}
	return list
}

// members returns the names of the fields of a record, or of the records in a list.
func members(f *Field) []string {
	for f.Type == TypeArray && f.Items != nil {
		f = f.Items
	}
	var names []string
	for i := range f.Fields {
		names = append(names, f.Fields[i].Name)
	}
	return names
}

// FormulaOutputs returns the numbers of a result, by their names in the Definition.
func (s *Spec) FormulaOutputs(result value.Values) map[string]float64 {
	numbers := map[string]float64{}
	for i := range min(len(result), len(s.Outputs)) {
		if result[i].Kind() == value.Number {
			numbers[nameInText(&s.Outputs[i])] = result[i].Number()
		}
	}
	return numbers
}

// maxFormulas bounds the formulas that are made from a Definition, since making each one reads
// the whole text.
const maxFormulas = 16 // formulas in addition to a definition

// made returns the formulas of the Definition, or an error if they are not made.
func (s *Spec) made(text *formula.Text) ([]formula.Expressed, error) {
	if n := len(s.Formulas); n > maxFormulas {
		return nil, fmt.Errorf("%d formulas for one Definition: at most %d", n, maxFormulas)
	}
	var ids, outputs []string
	for i := range s.Formulas {
		ids = append(ids, s.Formulas[i].ID)
	}
	for i := range s.Outputs {
		outputs = append(outputs, nameInText(&s.Outputs[i]))
	}
	made, ok := text.Express(ids, outputs, s.typesets())
	if !ok {
		return nil, fmt.Errorf("the formulas that are made from the Definition have more than %d bytes with their LaTeX: give it fewer cases, or fewer formulas", formula.MaxExpressed)
	}
	return made, nil
}

// Express makes the Expression and the LaTeX of each formula from the Definition, if it can be
// read. [New] and the readers of documents of Specs call Express. So an engine cannot show a
// formula that it does not define.
func (s *Spec) Express() {
	if text, err := s.Text(); text != nil && err == nil {
		made, _ := s.made(text)
		s.express(made)
	}
}

func (s *Spec) express(made []formula.Expressed) {
	s.Formulas = slices.Clone(s.Formulas)
	for i, one := range made {
		s.Formulas[i].Expression, s.Formulas[i].LaTeX = one.Line, one.LaTeX
	}
}

// Prepare makes the formulas as [Spec.Express] does, and returns an error unless s is a usable
// Spec. It reads the Definition and makes the formulas only once, because servers prepare the
// Spec of each release that they open. A Spec that was published before [Spec.Validate]
// refused hidden characters can still have them in texts for people.
func (s *Spec) Prepare() error {
	made, errs := s.validate()
	s.express(made)
	return errors.Join(append(errs, checkChoices(s.Inputs)...)...)
}

// Typeset returns the LaTeX of a name in the Definition, or "" if it is derived from the name.
func (s *Spec) Typeset(name string) string {
	return s.typesets()(name)
}

// typesets returns Typeset for many names.
func (s *Spec) typesets() func(name string) string {
	symbols := map[string]string{}
	for _, fields := range [][]Field{s.Inputs, s.Outputs} {
		for i := range fields {
			if f := &fields[i]; f.Symbol != "" {
				symbols[nameInText(f)] = f.Symbol
			}
		}
	}
	return func(name string) string {
		latex := cmp.Or(symbols[name], s.Typesetting[name])
		if len(latex) > maxTypesetting || strings.Count(latex, "_") > 1 && formula.IsName(latex) {
			return "" // Validate refuses it, or it is made from the name
		}
		return latex
	}
}

// checkDefinition checks the Definition and the parts of the Spec that refer to it. It returns
// the formulas that are made from it.
func (s *Spec) checkDefinition() ([]formula.Expressed, []error) {
	used := s.Definition != "" || len(s.Tolerances) > 0 || len(s.Typesetting) > 0
	switch {
	case !used:
		return nil, nil
	case s.Evaluation != "" && s.Evaluation != DecimalInputs && s.Evaluation != Binary64Inputs:
		return nil, []error{fmt.Errorf("evaluation %q is not %s or %s", s.Evaluation, DecimalInputs, Binary64Inputs)}
	case s.Contract != "" && !s.Follows("1.1.0"):
		return nil, []error{fmt.Errorf("spec_version %s has no Definition, Tolerances or Typesetting: send 1.1.0", s.Contract)}
	case s.Definition == "":
		return nil, []error{errors.New("tolerances and typesetting are about a definition, and there is none")}
	}
	text, err := s.Text()
	if err != nil {
		return nil, []error{fmt.Errorf("definition: %w", err)}
	}
	var errs []error
	made, err := s.made(text)
	if err != nil {
		errs = append(errs, err)
	}
	var ids []string
	for _, f := range s.Formulas {
		ids = append(ids, f.ID)
		if len(f.Symbols) > 0 {
			errs = append(errs, fmt.Errorf("formula %s has Symbols, and a Definition uses the symbols of the fields: leave them out", f.ID))
		}
	}
	var mistakes []error
	if s.Document == "" {
		mistakes = text.Check(s.Symbols(), ids)
	} else {
		mistakes = text.CheckPart(s.Symbols(), ids) // the checks of the document use the rest
	}
	for _, err := range mistakes {
		errs = append(errs, fmt.Errorf("definition: %w", err))
	}
	return made, slices.Concat(errs, s.checkTolerances(text), s.checkTypesetting(text))
}

// The bounds of a [Tolerance]. The smaller one applies to an output without a Tolerance.
// Beyond the larger one a proof would mean little.
const (
	LeastTolerance = 1e-12
	MostTolerance  = 1e-3
)

func (s *Spec) checkTolerances(text *formula.Text) []error {
	var errs []error
	seen := map[string]bool{}
	for _, t := range s.Tolerances {
		bad := func(format string, args ...any) {
			errs = append(errs, fmt.Errorf("tolerance of %q: %s", t.Output, fmt.Sprintf(format, args...)))
		}
		at := output(s.Outputs, t.Output)
		switch {
		case at == nil || at.Type != TypeNumber && at.Type != TypeInteger:
			bad("no output with a number has this name")
		case seen[t.Output]:
			bad("it has two")
		case text.Definition(nameInText(at)) == nil || text.Definition(nameInText(at)).Kind == formula.Taken:
			bad("the Definition does not say how it follows from the inputs")
		}
		if !(t.Relative > LeastTolerance && t.Relative <= MostTolerance) {
			bad("%v is not above %v, which counts without it, and at most %v", t.Relative, LeastTolerance, MostTolerance)
		}
		if t.Reason == "" {
			bad("the Reason is missing: what makes the engine's number differ?")
		}
		seen[t.Output] = true
	}
	return errs
}

// maxTypesetting bounds the LaTeX of one name.
const maxTypesetting = 100 // bytes of the LaTeX of a name

func (s *Spec) checkTypesetting(text *formula.Text) []error {
	var errs []error
	known := map[string]bool{}
	for _, name := range text.Names() {
		known[name] = true
	}
	for _, f := range slices.Concat(s.Inputs, s.Outputs) {
		known[nameInText(&f)] = f.Symbol == ""
	}
	for _, name := range slices.Sorted(maps.Keys(s.Typesetting)) {
		latex := s.Typesetting[name]
		switch {
		case !known[name]:
			errs = append(errs, fmt.Errorf("typesetting of %q: the Definition has no such name, or it is the name of a field with a symbol", name))
		case latex == "" || len(latex) > maxTypesetting:
			errs = append(errs, fmt.Errorf("typesetting of %q has %d bytes: write LaTeX of 1 to %d", name, len(latex), maxTypesetting))
		}
	}
	return errs
}

// output returns the field of a name, or nil if there is none.
func output(fields []Field, name string) *Field {
	for i := range fields {
		if fields[i].Name == name {
			return &fields[i]
		}
	}
	return nil
}
