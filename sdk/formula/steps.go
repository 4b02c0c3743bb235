package formula

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Step is one line of a calculation by hand.
type Step struct {
	Kind    StepKind `json:"kind"`
	Field   string   `json:"field,omitempty"`   // of an input or a result: its name in requests and answers
	Name    string   `json:"name"`              // of the quantity, or a call of a helper function
	Rule    string   `json:"rule,omitempty"`    // how it is computed, in symbols; of an input, the number and unit that were sent
	With    string   `json:"with,omitempty"`    // Rule with numbers, of SI units or with their units
	Value   string   `json:"value"`             // of a result, the engine's number with all its digits
	Unit    string   `json:"unit,omitempty"`    // of Value; "" also where it is not known
	Because string   `json:"because,omitempty"` // why this case of the definition counts
	Note    string   `json:"note,omitempty"`    // the source of a constant, or why a quantity is taken
	Text    string   `json:"text"`              // the whole line

	line *line
}

// StepKind is the kind of a Step.
type StepKind string

// The kinds of steps.
const (
	GivenStep    StepKind = "given"    // an input that was sent
	DefaultStep  StepKind = "default"  // an input that was not
	ConstantStep StepKind = "constant" // with its source
	ComputedStep StepKind = "computed"
	SolvedStep   StepKind = "solved" // the root of the equation that Rule is
	TakenStep    StepKind = "taken"  // from the engine
	ResultStep   StepKind = "result" // what the engine computed
	CalledStep   StepKind = "called" // the results of another calculation
)

// StepOptions are the inputs and the answer of the engine. Names are names of the text.
type StepOptions struct {
	Given   []Given
	Results []Figure
	Units   map[string]string // of numbers by their names, as [Text.Units] returns them

	Symbols []Symbol // of the text, for the units of items and arguments; only with Shown
	Shown   Shown    // the units of the reader; nil for numbers of SI units without a unit
}

// Shown returns a number of a quantity in the unit in which the reader of a step sees it. The name is "" if the quantity
// has none, and the unit is as in [StepOptions]. The number stays without a unit if the returned unit is "".
type Shown func(name, unit string, x float64) (shown float64, in string)

// Given is one input as its caller sent it, or its default.
type Given struct {
	Field   string // the name of the input
	Name    string // in the text
	Value   string // as it was sent; a list in its form for people, with its units, or "" for its first items without units
	Unit    string // as it was sent; "" for the SI unit
	Default bool   // it was not sent
}

// Figure is a number from the engine's answer.
type Figure struct {
	Field string // the name of the output
	Name  string // in the text
	Value string // with all its digits
	Unit  string

	Headline bool // the main result of the engine: its steps come before the steps of others
}

const (
	maxSteps = 200 // lines
	maxItems = 4   // of a list that is shown
)

// The work for steps. StepWork is the limit for a request for steps. LittleStepWork, one or
// two milliseconds, is the limit for steps without a request.
const (
	StepWork       = MaxWork / 2
	LittleStepWork = 10_000
)

// EvaluateBriefly is Evaluate for people who read the values. It needs only 14 digits, and
// leaves at least a quarter of the work for [Steps].
func (t *Text) EvaluateBriefly(inputs []Input, taken map[string]float64, work int) *Result {
	r := t.evaluate(inputs, taken, work-work/4, func(v *Value) bool {
		x, _ := v.Number()
		return v.Compare(x, 1e-14) == Agrees
	})
	r.rest = max(0, r.env.work.left) + work/4
	return r
}

// Steps returns the calculation line by line, so that people can check it. It lists the
// inputs, each definition that the results need, and the engine's own numbers. The result is
// the result of the text at the sent inputs, by [Text.EvaluateBriefly]. Steps is false if both
// took more work than allowed; then lines are missing.
func Steps(t *Text, r *Result, o *StepOptions) ([]Step, bool) {
	env := *r.env
	done := env.work.left >= 0
	env.arithmetic = &arithmetic{prec: minPrecision, work: &work{left: r.rest}}
	s := &stepper{text: t, env: &env, o: o, digits: map[string]int{}, needed: map[string]bool{}, seen: map[string]bool{}, values: map[evaluated]val{}}
	if o.Shown != nil {
		s.checked = check(t, o.Symbols)
	}
	lines := s.lines()
	var steps []Step
	for _, g := range o.Given {
		if step, ok := s.given(g); ok {
			steps = append(steps, step)
		}
	}
	for _, l := range lines {
		if s.spend(lineWork) {
			steps = append(steps, s.step(l))
		}
	}
	for _, result := range o.Results {
		steps = append(steps, Step{Kind: ResultStep, Field: result.Field, Name: result.Name, Value: result.Value, Unit: result.Unit})
	}
	for i := range steps {
		steps[i].Text = steps[i].text()
	}
	r.rest = max(0, env.work.left)
	return steps, done && env.work.left >= 0
}

// Rest returns the work, in the units of [MaxWork], that [Text.EvaluateBriefly] and [Steps] left.
func (r *Result) Rest() int { return r.rest }

// given returns the line of an input, if a result needs it.
func (s *stepper) given(g Given) (Step, bool) {
	step := Step{Kind: GivenStep, Field: g.Field, Name: g.Name, Value: g.Value, Unit: s.o.Units[g.Name]}
	if g.Default {
		step.Kind = DefaultStep
	}
	v, ok := s.env.inputs[g.Name]
	if !ok || !s.needed[g.Name] {
		return step, false
	}
	switch {
	case v.kind == listKind && step.Value == "":
		step.Value = s.listText(v)
	case v.kind == numberKind:
		value := s.shown(v.number, 17, g.Name, step.Unit)
		if value.Unit != "" && value.Unit != step.Unit && value.Unit != g.Unit {
			value = s.shown(v.number, figures, g.Name, step.Unit)
		}
		step.Value, step.Unit = value.Literal, cmp.Or(value.Unit, step.Unit)
		switch {
		case g.Unit == "" || g.Unit == step.Unit && s.o.Shown == nil:
		case g.Unit == step.Unit:
			step.Value = g.Value
		default:
			step.Rule = g.Value + " " + g.Unit
			step.line = &line{name: &Expr{Op: Name, Name: g.Name}, rule: &Expr{Op: Number, Literal: g.Value, Unit: g.Unit}}
		}
	}
	return step, true
}

// shown returns a number with some significant digits, in the unit of the reader.
func (s *stepper) shown(x number, digits int, name, unit string) *Expr {
	if s.o.Shown != nil && unit != "" {
		if y, in := s.o.Shown(name, unit, x.nearest()); in != "" {
			return &Expr{Op: Number, Literal: Rounded(y, digits), Unit: in}
		}
	}
	return numberNode(x, digits)
}

// listText returns the first items of a list.
func (s *stepper) listText(v val) string {
	var items []string
	for i, item := range v.list {
		if i == maxItems-1 && len(v.list) > maxItems {
			items = append(items, "... "+Rounded(float64(len(v.list)), 17)+" items")
			break
		}
		items = append(items, s.valueText(item))
	}
	return "[" + strings.Join(items, ", ") + "]"
}

func (s *stepper) valueText(v val) string {
	switch v.kind {
	case numberKind:
		return Rounded(v.number.nearest(), 17)
	case boolKind:
		if v.is {
			return "true"
		}
		return "false"
	case listKind:
		return s.listText(v)
	case recordKind:
		var fields []string
		for _, name := range slices.Sorted(maps.Keys(v.fields)) {
			fields = append(fields, name+" "+s.valueText(v.fields[name]))
		}
		return "{" + strings.Join(fields, ", ") + "}"
	}
	return v.text
}

// step returns the Step of a line.
func (s *stepper) step(l *line) Step {
	step := Step{Kind: ComputedStep, Name: l.name.String(), Unit: l.unit, Note: l.note, line: l}
	switch {
	case l.def != nil && l.def.Kind == Constant:
		x := s.literals(l.def.Cases[0].Value, l)
		step.Kind, step.Value, step.Unit = ConstantStep, x.Literal, cmp.Or(x.Unit, step.Unit)
		return step
	case l.def != nil && l.def.Kind == Taken:
		step.Kind = TakenStep
	}
	switch l.value.kind {
	case numberKind:
		name := l.name.Name
		if l.name.Op != Name {
			name = ""
		}
		l.result = s.shown(l.value.number, max(figures, s.digits[l.name.Name]), name, s.unitOfLine(l))
		step.Value, step.Unit = l.result.Literal, cmp.Or(l.result.Unit, l.unit)
	default:
		step.Value = s.valueText(l.value)
	}
	for _, r := range l.reasons {
		if step.Because != "" {
			step.Because += " and "
		}
		step.Because += r.String()
	}
	if c := l.taken(); c != nil {
		s.rule(c, l, &step)
	}
	return step
}

// rule sets the rule of the case, in symbols and with numbers. It leaves out numbers that only
// repeat the value.
func (s *stepper) rule(c *Case, l *line, step *Step) {
	if c.Solve != nil {
		step.Kind = SolvedStep
		l.with = &Expr{Op: Equal, Args: []*Expr{s.substitute(c.Solve.Left, l), s.substitute(c.Solve.Right, l)}}
		l.rule = &Expr{Op: Equal, Args: []*Expr{s.literals(c.Solve.Left, l), s.literals(c.Solve.Right, l)}}
		step.Rule, step.With = equationText(l.rule), equationText(l.with)
		return
	}
	if c.Value.Op == Number && Rounded(exactly(siValue(c.Value)).nearest(), figures) == step.Value && (c.Value.Unit == "" || c.Value.Unit == step.Unit) {
		return
	}
	rule := s.literals(c.Value, l)
	if c.Value.Op == Number && same(rule, l.result) {
		return
	}
	l.rule = rule
	step.Rule = rule.String()
	if l.value.kind != numberKind {
		return
	}
	if with := s.substitute(c.Value, l); !same(with, l.result) && !same(with, rule) {
		l.with, step.With = with, with.String()
	}
}

func equationText(x *Expr) string { return x.Args[0].String() + " = " + x.Args[1].String() }

// text returns the whole line.
func (p *Step) text() string {
	value := strings.TrimSpace(p.Value + " " + p.Unit)
	parts := []string{p.Name}
	add := func(part string) {
		if part != "" {
			parts = append(parts, part)
		}
	}
	switch p.Kind {
	case SolvedStep:
		add(value + ", the root of " + p.Rule)
	case ResultStep:
		return "engine: " + p.Name + " = " + value
	default:
		add(p.Rule)
		add(p.With)
		add(value)
	}
	text := strings.Join(parts, " = ")
	switch {
	case p.Kind == DefaultStep:
		return text + ", by default"
	case p.Kind == TakenStep:
		text += ", taken from the engine"
	}
	if p.Because != "" {
		text += ", because " + p.Because
	}
	if p.Note != "" {
		text += " (" + p.Note + ")"
	}
	return text
}

// Lines returns the text. If it is longer than width characters, it has several lines: the
// rule, the numbers, the value, and the reason.
func (p *Step) Lines(width int) []string {
	parts := []string{p.Rule, p.With, strings.TrimSpace(p.Value + " " + p.Unit)}
	if len(p.Text) <= width || p.Kind != ComputedStep || p.Rule == "" {
		return []string{p.Text}
	}
	indent := strings.Repeat(" ", len(p.Name))
	lines := []string{p.Name + " = " + p.Rule}
	for _, part := range parts[1:] {
		if part != "" {
			lines = append(lines, indent+" = "+part)
		}
	}
	if p.Because != "" {
		lines = append(lines, indent+"   because "+p.Because)
	}
	return lines
}
