package study

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/study/analysis"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/versions"
)

// Read reads a plan for a capability. id can be "" if the plan names the capability. Read resolves the given pins and the pin
// of the plan once. Every error is a *problem.Problem with texts in the given words, and its field is the path in the plan.
func Read(service *calc.Service, id string, plan strictjson.Value, pins []versions.Pin, words Words) (*Study, error) {
	r := &reader{service: service, plan: plan, Study: Study{service: service, words: words}}
	if err := r.read(id, pins); err != nil {
		return nil, problem.Of(err)
	}
	return &r.Study, nil
}

type reader struct {
	Study
	service *calc.Service
	plan    strictjson.Value
	request calc.Request
}

func (r *reader) read(id string, pins []versions.Pin) error {
	if named := cmp.Or(id, r.named()); named != "" { // an unknown capability is the first problem
		if _, err := r.service.Catalog().Find(named); err != nil {
			return err
		}
	}
	if err := r.readKind(); err != nil {
		return err
	}
	envelope := strictjson.Value{Kind: strictjson.Object, Members: []strictjson.Member{{Name: "inputs", Value: strictjson.Value{Kind: strictjson.Object}}}}
	for _, m := range r.plan.Members {
		switch {
		case m.Name == "inputs":
			envelope.Members[0].Value = m.Value
		case m.Name == versions.PinName || m.Name == versions.AsOfName || slices.Contains(calc.IDNames, m.Name):
			envelope.Members = append(envelope.Members, m)
		case !slices.Contains(Members(r.Plan.Kind), m.Name):
			return r.surplus(request.Clip(m.Name))
		}
	}
	var err error
	r.request, err = calc.ReadRequest(id, envelope)
	if err != nil {
		return err
	}
	r.request.Pins = append(r.request.Pins, pins...)
	_, r.Release, err = r.service.CatalogFor(r.request.Pins).Release(r.request.ID, r.request.Pins)
	if err != nil {
		return err
	}
	r.Plan.Version = r.Release.Version
	r.spec = &r.Release.Spec
	if err := r.readBase(); err != nil {
		return err
	}
	if err := r.readOutputs(); err != nil {
		return err
	}
	switch r.Plan.Kind {
	case Sweep, Compare:
		err = r.readSweep()
	case GoalSeek:
		err = r.readGoal()
	case Sensitivity:
		err = r.readSensitivity()
	default:
		err = r.readUncertain()
	}
	return err
}

// named returns the first capability id in the plan, "" if there is none.
func (r *reader) named() string {
	for _, name := range calc.IDNames {
		if v, _ := r.plan.Member(name); v.Kind == strictjson.String {
			return v.Text
		}
	}
	return ""
}

func (r *reader) readKind() error {
	v, sent := r.plan.Member("kind")
	kind := Kind(strings.ReplaceAll(v.Text, "-", "_"))
	if !sent || v.Kind != strictjson.String || !slices.Contains(Kinds, kind) {
		if !sent {
			return r.malformed("kind", "the plan does not name a kind of study")
		}
		return r.malformed("kind", "%q is not a kind of study", request.Clip(v.Text))
	}
	r.Plan.Kind = kind
	return nil
}

// readBase reads the inputs of the calculation at the centre of the study. Inputs that get their values from the study can be
// missing.
func (r *reader) readBase() error {
	inputs := r.request.Inputs
	have := map[int]bool{}
	for _, m := range inputs.Members {
		if at := r.spec.Input(m.Name); at >= 0 {
			have[at] = true
		}
	}
	var substituted []int // missing inputs with a value of the study
	for _, one := range r.substitutes() {
		at := r.spec.Input(one.name)
		if at < 0 {
			return r.unknown(one.named, one.name)
		}
		if have[at] {
			continue
		}
		if _, err := r.value(one.place, &r.spec.Inputs[at], one.value); err != nil {
			return err
		}
		have[at] = true
		substituted = append(substituted, at)
		inputs.Members = append(slices.Clip(inputs.Members), strictjson.Member{Name: r.spec.Inputs[at].Name, Value: one.value})
	}
	var err error
	r.base, r.notices, err = r.typed(r.Release, inputs)
	if err != nil {
		return err
	}
	if r.Plan.Kind == Compare {
		if err := r.readAgainst(inputs); err != nil {
			return err
		}
	}
	r.spec = r.spec.At(r.base)
	sent := slices.Clone(r.base)
	for _, at := range substituted {
		sent[at] = value.Value{}
	}
	r.Plan.Inputs = response.AppendRecord(nil, r.spec.Inputs, sent)
	return nil
}

// substitute is the first value of an input that gets its values from the study.
type substitute struct {
	named, name string // named is the path of the name in the plan
	place       string // path of the value
	value       strictjson.Value
}

// substitutes returns the substitutes of a plan, in its order.
func (r *reader) substitutes() []substitute {
	var list []substitute
	if vary, ok := r.plan.Member("vary"); ok {
		for _, m := range vary.Members {
			named := "vary." + request.Clip(m.Name)
			one := substitute{named, m.Name, named, m.Value}
			for _, inner := range []string{"values", "from"} {
				if v, ok := m.Value.Member(inner); ok {
					one.place, one.value = named+"."+inner, v
					break
				}
			}
			if one.value.Kind == strictjson.Array && len(one.value.Items) > 0 {
				one.value = one.value.Items[0]
			}
			list = append(list, one)
		}
	}
	unknown, _ := r.plan.Member("unknown")
	if bracket, ok := r.plan.Member("bracket"); ok && unknown.Kind == strictjson.String && len(bracket.Items) > 0 {
		list = append(list, substitute{"unknown", unknown.Text, "bracket.0", bracket.Items[0]})
	}
	return list
}

// typed returns inputs with the types and units of exactly this release.
func (r *reader) typed(release *catalog.Release, inputs strictjson.Value) (value.Values, []sdk.Warning, error) {
	return r.service.Typed(calc.Request{
		ID: release.Capability, Inputs: inputs, Pins: []versions.Pin{{Place: versions.InBody, Name: "calculation_version", Value: release.Version}},
	})
}

func (r *reader) readAgainst(inputs strictjson.Value) error {
	v, sent := r.plan.Member("against")
	if !sent {
		return r.missing("against")
	}
	_, other, err := r.service.CatalogFor(nil).Release(r.Release.Capability, []versions.Pin{{Place: versions.InBody, Name: "against", Value: calc.PinValue(v)}})
	if err != nil {
		p := problem.Of(err)
		p.Field = "against"
		return p
	}
	r.Against, r.Plan.Against = other, other.Version
	r.other, r.others, err = r.typed(other, inputs)
	return err
}

// readOutputs reads the outputs of the plan. The default is one output: a headline, otherwise one that is not an input of the
// request, otherwise the first number.
func (r *reader) readOutputs() error {
	v, sent := r.plan.Member("output")
	names := v.Items
	if v.Kind == strictjson.String {
		names = []strictjson.Value{v}
	}
	if sent && len(names) == 0 {
		return fault(problem.CodeInvalidPlan, "output", "Name at least one output.", "no output is named")
	}
	if len(names) > maxOutputs {
		return fault(problem.CodeInvalidPlan, "output", "Study the others separately.", "the plan has %d outputs, and at most %d are possible", len(names), maxOutputs)
	}
	for _, name := range names {
		at := slices.IndexFunc(r.spec.Outputs, func(f sdk.Field) bool { return f.Name == name.Text && name.Kind == strictjson.String })
		if at < 0 || !isNumber(&r.spec.Outputs[at]) {
			return fault(request.CodeUnknownOutput, "output", r.numbers(), "%q is not the name of an output that is a number", request.Clip(name.Text))
		}
		if !slices.Contains(r.outputs, at) {
			r.outputs = append(r.outputs, at)
		}
	}
	if !sent {
		for _, wanted := range []func(f *sdk.Field) bool{
			func(f *sdk.Field) bool { return f.Headline },
			func(f *sdk.Field) bool {
				at := r.spec.Input(f.Name)
				return at < 0 || r.base[at].Kind() == value.Absent
			},
			func(*sdk.Field) bool { return true },
		} {
			for at := range r.spec.Outputs {
				if f := &r.spec.Outputs[at]; len(r.outputs) == 0 && isNumber(f) && wanted(f) {
					r.outputs = append(r.outputs, at)
				}
			}
		}
		if r.outputs == nil {
			return fault(problem.CodeInvalidPlan, "output", "Use another capability.", "%s has no output that is a number", r.Release.Capability)
		}
	}
	for _, at := range r.outputs {
		name := r.spec.Outputs[at].Name
		r.Plan.Output = append(r.Plan.Output, name)
		if r.Against != nil && !slices.ContainsFunc(r.Against.Spec.Outputs, func(f sdk.Field) bool { return f.Name == name && isNumber(&f) }) {
			return fault(problem.CodeInvalidPlan, "output", "Compare an output that both versions have.", "version %s has no output %s that is a number", r.Against.Version, name)
		}
	}
	return nil
}

// numbers returns a suggestion with the outputs that are numbers.
func (r *reader) numbers() string {
	var names []string
	for i := range r.spec.Outputs {
		if isNumber(&r.spec.Outputs[i]) {
			names = append(names, r.spec.Outputs[i].Name)
		}
	}
	return "Use one of " + strings.Join(names, ", ") + "."
}

func isNumber(f *sdk.Field) bool { return f.Type == sdk.TypeNumber || f.Type == sdk.TypeInteger }

// unknown returns the problem of a name that is not an input.
func (r *reader) unknown(place, name string) error {
	f := request.Fault{Kind: request.Unknown, Got: request.Clip(name), Known: r.spec.Inputs}
	return fault(f.Code(), place, f.Suggestion(request.AsSent), "%s", f.Detail(request.AsSent))
}

// input returns the input that a path of the plan names. It must be a real number, unless a sweep varies it.
func (r *reader) input(place, name string, swept bool) (int, error) {
	at := r.spec.Input(name)
	if at < 0 {
		return 0, r.unknown(place, name)
	}
	f := &r.spec.Inputs[at]
	switch {
	case swept && (f.Type == sdk.TypeArray || f.Type == sdk.TypeObject):
		return 0, fault(problem.CodeInvalidPlan, place, "Vary a number or a choice.", "%s is of type %s, which cannot be varied", f.Name, f.Type)
	case !swept && f.Type != sdk.TypeNumber:
		return 0, fault(problem.CodeInvalidPlan, place, "Use an input that is a real number; a sweep also takes integers and choices.", "%s is of type %s, and cannot change by small steps", f.Name, f.Type)
	case slices.Contains(r.changed, at):
		return 0, fault(problem.CodeInvalidPlan, place, "Name it once.", "%s is named twice", f.Name)
	}
	r.changed = append(r.changed, at)
	return at, nil
}

// value reads a value for a field of the Spec at a path of the plan.
func (r *reader) value(place string, f *sdk.Field, v strictjson.Value) (value.Value, error) {
	one := *f
	one.Name, one.Aliases, one.Required, one.Default, one.UnitBy, one.Decimal = place, nil, true, "", nil, false
	values, _, err := request.Read(&sdk.Spec{Inputs: []sdk.Field{one}}, strictjson.Value{Kind: strictjson.Object, Members: []strictjson.Member{{Name: place, Value: v}}})
	var faults request.Faults
	if errors.As(err, &faults) {
		n, f := namer{r.words}, &faults[0]
		p := problem.Of(err)
		p.Detail, p.Suggestion = f.Detail(n), f.Suggestion(n)
		return value.Value{}, p
	}
	if err != nil {
		return value.Value{}, err
	}
	return values[0], nil
}

// number reads a number in the unit of a field. A width is converted as a difference.
func (r *reader) number(place string, f *sdk.Field, v strictjson.Value, width bool) (float64, error) {
	one := *f
	one.Type, one.Enum = sdk.TypeNumber, nil
	one.Difference = one.Difference || width
	read, err := r.value(place, &one, v)
	if err != nil {
		return 0, err
	}
	x, _ := number(read)
	return x, nil
}

func number(v value.Value) (float64, bool) {
	switch v.Kind() {
	case value.Number:
		return v.Number(), true
	case value.Exact:
		x, err := strconv.ParseFloat(v.Text(), 64)
		return x, err == nil
	}
	return 0, false
}

// whole reads a whole number of the plan, or returns the default.
func (r *reader) whole(name string, least, most, otherwise int) (int, error) {
	v, sent := r.plan.Member(name)
	if !sent {
		return otherwise, nil
	}
	return r.wholeOf(name, v, least, most)
}

func (r *reader) wholeOf(place string, v strictjson.Value, least, most int) (int, error) {
	if v.Kind != strictjson.Number || v.Range != strictjson.InRange || v.Float != math.Trunc(v.Float) || v.Float < float64(least) || v.Float > float64(most) {
		return 0, fault(request.CodeInvalidNumber, place, fmt.Sprintf("Give a whole number from %d to %d.", least, most), "%s must be a whole number from %d to %d", r.words.Part(place), least, most)
	}
	return int(v.Float), nil
}

// flag reads true or false.
func (r *reader) flag(name string) (bool, error) {
	v, sent := r.plan.Member(name)
	if sent && v.Kind != strictjson.Bool {
		return false, fault(problem.CodeInvalidPlan, name, "Give true or false, without quotes.", "%s must be true or false", name)
	}
	return v.Bool, nil
}

// missing returns the problem of a missing member.
func (r *reader) missing(member string) error {
	return r.malformed(member, "%s needs %s", r.words.Kind(r.Plan.Kind), r.words.Part(member))
}

// surplus returns the problem of a member that this kind of study does not have.
func (r *reader) surplus(member string) error {
	var parts []string
	for _, m := range members[r.Plan.Kind] {
		parts = append(parts, r.words.Part(m))
	}
	kind := r.words.Kind(r.Plan.Kind)
	return fault(problem.CodeInvalidPlan, member, "Leave it out. "+kind+" takes "+strings.Join(parts, ", ")+".", "%s takes no %s", kind, r.words.Part(member))
}

// readSweep reads the axes of a sweep.
func (r *reader) readSweep() (err error) {
	r.Plan.Zip, err = r.flag("zip")
	if err != nil {
		return err
	}
	vary, sent := r.plan.Member("vary")
	if !sent && r.Plan.Kind == Sweep || sent && (vary.Kind != strictjson.Object || len(vary.Members) == 0) {
		return r.missing("vary")
	}
	if len(vary.Members) > maxAxes {
		return fault(problem.CodeInvalidPlan, "vary", "Leave some out.", "%d inputs are varied, and at most %d are possible", len(vary.Members), maxAxes)
	}
	points := 1
	for _, m := range vary.Members {
		place := "vary." + request.Clip(m.Name)
		at, err := r.input(place, m.Name, true)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(slices.Concat(r.spec.Inputs, r.spec.Outputs), func(f sdk.Field) bool {
			return f.UnitBy != nil && r.spec.Input(f.UnitBy.Input) == at
		}) {
			return fault(problem.CodeInvalidPlan, place, "Make a study for each of its values.", "%s selects the unit of another quantity, so it cannot vary", m.Name)
		}
		values, span, err := r.axis(place, &r.spec.Inputs[at], m.Value)
		if err != nil {
			return err
		}
		switch {
		case r.Plan.Zip && len(r.axes) > 0 && len(values) != len(r.axes[0]):
			return fault(problem.CodeInvalidPlan, place, "Give each input the same number of values, or leave "+r.words.Part("zip")+" out for every combination.", "%s has %d values, and the input before it has %d", m.Name, len(values), len(r.axes[0]))
		case r.Plan.Zip:
			points = len(values)
		default:
			points *= len(values)
		}
		if points > MaxPoints {
			return fault(problem.CodeInvalidPlan, "vary", "Use fewer values, or compute a batch.", "the plan has more than %d points", MaxPoints)
		}
		axis := Axis{Input: r.spec.Inputs[at].Name, Range: span}
		if span == nil {
			axis.Values = raw(&r.spec.Inputs[at], values)
		}
		r.axes, r.Plan.Vary = append(r.axes, values), append(r.Plan.Vary, axis)
	}
	return nil
}

// raw returns values as JSON.
func raw(f *sdk.Field, values []value.Value) []json.RawMessage {
	list := []json.RawMessage{}
	for _, v := range values {
		list = append(list, response.AppendValue(nil, f, v))
	}
	return list
}

// axis reads the values of one input: a list or a range.
func (r *reader) axis(place string, f *sdk.Field, v strictjson.Value) ([]value.Value, *Range, error) {
	list := v
	if v.Kind == strictjson.Object && v.Has("values") {
		list, _ = v.Member("values")
		place += ".values"
	}
	if list.Kind == strictjson.Array {
		if len(list.Items) == 0 {
			return nil, nil, fault(problem.CodeInvalidPlan, place, "Give at least one value.", "%s has no value", r.words.Part(place))
		}
		var values []value.Value
		for _, item := range list.Items {
			one, err := r.value(place, f, item)
			if err != nil {
				return nil, nil, err
			}
			values = append(values, one)
		}
		return values, nil, nil
	}
	if v.Kind != strictjson.Object || !isNumber(f) {
		return nil, nil, r.malformed("vary", "%s must be a list of values, or for a number an object with from, to and count or step", r.words.Part(place))
	}
	for _, m := range v.Members {
		if !slices.Contains([]string{"from", "to", "count", "step", "spacing"}, m.Name) {
			return nil, nil, fault(problem.CodeInvalidPlan, place+"."+request.Clip(m.Name), "Give from, to, and count or step. spacing can be logarithmic.", "%q is not a member of a range", request.Clip(m.Name))
		}
	}
	return r.steps(place, f, v)
}

// steps reads a range of numbers.
func (r *reader) steps(place string, f *sdk.Field, v strictjson.Value) ([]value.Value, *Range, error) {
	span := &Range{Spacing: Linear}
	ends := [2]*big.Rat{}
	for i, name := range []string{"from", "to"} {
		end, sent := v.Member(name)
		if !sent {
			return nil, nil, fault(problem.CodeInvalidPlan, place+"."+name, "Give from and to.", "%s has no %s", place, name)
		}
		x, err := r.number(place+"."+name, f, end, false)
		if err != nil {
			return nil, nil, err
		}
		ends[i] = ratOf(x)
		*[]*float64{&span.From, &span.To}[i] = x
	}
	low, high := ends[0], ends[1]
	spacing, _ := v.Member("spacing")
	logarithmic := spacing.Text == string(Logarithmic)
	if v.Has("spacing") && !logarithmic && spacing.Text != string(Linear) {
		return nil, nil, fault(problem.CodeInvalidPlan, place+".spacing", "Give linear or logarithmic.", "the spacing is neither linear nor logarithmic")
	}
	if logarithmic && (low.Sign() <= 0 || high.Sign() <= 0) {
		return nil, nil, fault(problem.CodeInvalidPlan, place+".from", "Give ends above zero, or use linear spacing.", "logarithmic spacing needs ends above zero")
	}
	count, byCount := v.Member("count")
	step, byStep := v.Member("step")
	var n int
	switch {
	case byCount == byStep || byStep && logarithmic:
		return nil, nil, fault(problem.CodeInvalidPlan, place, "Give count; or step, with linear spacing.", "%s must have either count or step", r.words.Part(place))
	case byCount:
		var err error
		n, err = r.wholeOf(place+".count", count, 2, MaxPoints)
		if err != nil {
			return nil, nil, err
		}
	default:
		x, err := r.number(place+".step", f, step, true)
		if err != nil {
			return nil, nil, err
		}
		n = stepsOf(low, high, ratOf(x))
		if n == 0 {
			return nil, nil, fault(problem.CodeInvalidPlan, place+".step", "Give a step that divides the range, or give count.", "the step does not divide the range into whole steps, at most %d", MaxPoints-1)
		}
	}
	if low.Cmp(high) == 0 {
		return nil, nil, fault(problem.CodeInvalidPlan, place+".to", "Give two different ends.", "%s starts and ends at the same number", r.words.Part(place))
	}
	numbers := analysis.Even
	if logarithmic {
		numbers, span.Spacing = analysis.Logarithmic, Logarithmic
	}
	span.Count = n
	var values []value.Value
	for _, x := range numbers(low, high, n) {
		if f.Type == sdk.TypeInteger {
			x = math.RoundToEven(x)
		}
		if one := value.NumberOf(x); len(values) == 0 || !one.Equal(values[len(values)-1]) {
			values = append(values, one)
		}
	}
	return values, span, nil
}

// stepsOf returns the number of values from low to high, 0 if the step does not divide the range.
func stepsOf(low, high, step *big.Rat) int {
	if step.Sign() == 0 {
		return 0
	}
	n := new(big.Rat).Sub(high, low)
	n.Quo(n, step)
	if !n.IsInt() || !n.Num().IsInt64() || n.Sign() <= 0 || n.Num().Int64() >= MaxPoints {
		return 0
	}
	return int(n.Num().Int64()) + 1
}

// ratOf returns the shortest decimal that reads as this number, because people mean this decimal.
func ratOf(x float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
	return r
}

func (r *reader) readGoal() error {
	unknown, sent := r.plan.Member("unknown")
	if !sent || unknown.Kind != strictjson.String {
		return r.missing("unknown")
	}
	at, err := r.input("unknown", unknown.Text, false)
	if err != nil {
		return err
	}
	if len(r.outputs) != 1 {
		return fault(problem.CodeInvalidPlan, "output", "Name exactly one output.", "%s solves for one output", r.words.Kind(r.Plan.Kind))
	}
	f := &r.spec.Inputs[at]
	r.Plan.Unknown = f.Name
	bracket, _ := r.plan.Member("bracket")
	if bracket.Kind != strictjson.Array || len(bracket.Items) != 2 {
		return r.missing("bracket")
	}
	for i, end := range bracket.Items {
		x, err := r.number("bracket."+strconv.Itoa(i), f, end, false)
		if err != nil {
			return err
		}
		r.Plan.Bracket = append(r.Plan.Bracket, x)
	}
	if r.Plan.Bracket[0] == r.Plan.Bracket[1] {
		return r.malformed("bracket", "the two values of %s are equal", r.words.Part("bracket"))
	}
	goal, sent := r.plan.Member("goal")
	if !sent {
		return r.missing("goal")
	}
	x, err := r.number("goal", &r.spec.Outputs[r.outputs[0]], goal, false)
	r.Plan.Goal = &x
	return err
}

// defaultChange is the default relative change of inputs for a tornado chart.
const defaultChange = 0.1

func (r *reader) readSensitivity() error {
	r.Plan.Change = defaultChange
	if v, sent := r.plan.Member("change"); sent {
		if v.Kind != strictjson.Number || v.Range != strictjson.InRange || v.Float <= 0 || v.Float > 1 {
			return fault(request.CodeInvalidNumber, "change", "Give 0.1 for 10 %.", "%s must be a number above 0, up to 1", r.words.Part("change"))
		}
		r.Plan.Change = v.Float
	}
	vary, sent := r.plan.Member("vary")
	if sent && (vary.Kind != strictjson.Array || len(vary.Items) == 0) {
		return r.malformed("vary", "%s changes inputs by a part of their value, so it takes names only", r.words.Kind(r.Plan.Kind))
	}
	for _, v := range vary.Items {
		if v.Kind != strictjson.String {
			return fault(problem.CodeInvalidPlan, "vary", "Give names of inputs as strings.", "vary has %s instead of a name", v.Kind)
		}
		if _, err := r.input("vary", v.Text, false); err != nil {
			return err
		}
	}
	if !sent {
		for i := range r.spec.Inputs {
			if _, is := number(r.base[i]); is && r.spec.Inputs[i].Type == sdk.TypeNumber {
				r.changed = append(r.changed, i)
			}
		}
	}
	for _, at := range r.changed {
		name := r.spec.Inputs[at].Name
		if _, is := number(r.base[at]); !is {
			return sdk.Missing(name, "%s has no value around which it could be changed", name)
		}
		r.Plan.Vary = append(r.Plan.Vary, Axis{Input: name})
	}
	if len(r.changed) == 0 {
		return fault(problem.CodeInvalidPlan, "vary", "Use a sweep.", "no input is a real number")
	}
	return nil
}

// defaultProbability is the default probability of coverage intervals.
const defaultProbability = "0.95"

func (r *reader) readUncertain() (err error) {
	uncertain, _ := r.plan.Member("uncertain")
	if uncertain.Kind != strictjson.Object || len(uncertain.Members) == 0 {
		return r.missing("uncertain")
	}
	if len(uncertain.Members) > maxUncertain {
		return fault(problem.CodeInvalidPlan, "uncertain", "Leave out the inputs that contribute least.", "%d inputs are uncertain, and at most %d are possible", len(uncertain.Members), maxUncertain)
	}
	for _, m := range uncertain.Members {
		if err := r.readUncertainInput(m); err != nil {
			return err
		}
	}
	if err := r.readCorrelation(); err != nil {
		return err
	}
	r.Plan.Probability = defaultProbability
	if v, sent := r.plan.Member("coverage_probability"); sent {
		if v.Kind != strictjson.Number || v.Range != strictjson.InRange || v.Float < 0.5 || v.Float > 0.9999 {
			return fault(request.CodeInvalidNumber, "coverage_probability", "Give 0.95 for 95 %.", "%s must be a number from 0.5 to 0.9999", r.words.Part("coverage_probability"))
		}
		r.Plan.Probability = json.Number(strconv.FormatFloat(v.Float, 'f', -1, 64))
	}
	if r.Plan.Kind == GUM {
		r.Plan.SecondOrder, err = r.flag("second_order")
		if err == nil && r.Plan.SecondOrder && r.Plan.Correlation != nil {
			err = fault(problem.CodeInvalidPlan, "second_order", "Leave it out, or use "+r.words.Kind(MonteCarlo)+".", "%s needs independent inputs", r.words.Part("second_order"))
		}
		return err
	}
	return r.readDraws()
}

func (r *reader) readDraws() (err error) {
	r.Plan.Draws, err = r.whole("draws", 2, MaxDraws, 0)
	if err != nil {
		return err
	}
	r.Plan.Digits, err = r.whole("digits", 1, 2, 0)
	if err != nil {
		return err
	}
	r.Plan.MaxDraws, err = r.whole("max_draws", 2, MaxDraws, 0)
	if err != nil {
		return err
	}
	r.Plan.Bins, err = r.whole("bins", 1, maxBins, defaultBins)
	if err != nil {
		return err
	}
	seed, err := r.whole("seed", 0, maxSeed, 1)
	if err != nil {
		return err
	}
	r.Plan.Seed = new(uint64)
	*r.Plan.Seed = uint64(seed)
	switch adaptive := r.Plan.Digits > 0; {
	case adaptive && r.Plan.Draws > 0:
		return fault(problem.CodeInvalidPlan, "draws", "Leave one of them out.", "%s and %s exclude each other", r.words.Part("draws"), r.words.Part("digits"))
	case adaptive:
		r.Plan.MaxDraws = cmp.Or(r.Plan.MaxDraws, MaxDraws)
	case r.Plan.MaxDraws > 0:
		return fault(problem.CodeInvalidPlan, "max_draws", "Add "+r.words.Part("digits")+", or use "+r.words.Part("draws")+".", "%s needs %s", r.words.Part("max_draws"), r.words.Part("digits"))
	default:
		r.Plan.Draws = cmp.Or(r.Plan.Draws, defaultDraws)
	}
	return nil
}

// parameters are the parameters of distributions, by kind. Student's t needs degrees of freedom. Other distributions can have
// them, as a measure of the reliability of the standard uncertainty.
var parameters = map[analysis.Kind][]analysis.Parameter{
	analysis.Normal:      {analysis.OfStandard},
	analysis.Student:     {analysis.OfStandard, analysis.OfFreedom},
	analysis.Rectangular: {analysis.OfWidth},
	analysis.Curved:      {analysis.OfWidth, analysis.OfInner},
	analysis.Trapezoidal: {analysis.OfWidth, analysis.OfInner},
	analysis.Triangular:  {analysis.OfWidth},
	analysis.Arcsine:     {analysis.OfWidth},
	analysis.Exponential: {},
	analysis.Gamma:       {},
}

// Distributions returns the names of the distributions.
func Distributions() []string {
	var names []string
	for k := range parameters {
		names = append(names, string(k))
	}
	slices.Sort(names)
	return names
}

// Parameters returns the names of the parameters that a distribution needs, in their order.
func Parameters(distribution string) []string {
	var names []string
	for _, p := range parameters[analysis.Kind(distribution)] {
		names = append(names, string(p))
	}
	return names
}

func (r *reader) readUncertainInput(m strictjson.Member) error {
	place := "uncertain." + request.Clip(m.Name)
	at, err := r.input(place, m.Name, false)
	if err != nil {
		return err
	}
	f := &r.spec.Inputs[at]
	estimate, is := number(r.base[at])
	if !is {
		return sdk.Missing(f.Name, "%s has no estimate", f.Name)
	}
	kind, _ := m.Value.Member("distribution")
	u := UncertainInput{Input: f.Name, Distribution: cmp.Or(kind.Text, string(analysis.Normal))}
	u.at = analysis.Distribution{Kind: analysis.Kind(u.Distribution), Estimate: estimate}
	wanted, known := parameters[u.at.Kind]
	if !known || m.Value.Kind != strictjson.Object {
		return fault(problem.CodeInvalidDistribution, place+".distribution", "Use one of "+strings.Join(Distributions(), ", ")+".", "%s has an unknown distribution", f.Name)
	}
	places := map[analysis.Parameter]struct {
		sent **float64
		to   *float64
	}{
		analysis.OfStandard: {&u.Standard, &u.at.Standard}, analysis.OfWidth: {&u.Width, &u.at.Width},
		analysis.OfInner: {&u.Inner, &u.at.Inner}, analysis.OfFreedom: {&u.Freedom, &u.at.Freedom},
	}
	for _, sent := range m.Value.Members {
		if sent.Name == "distribution" {
			continue
		}
		p := analysis.Parameter(sent.Name)
		to, is := places[p]
		if !is || p != analysis.OfFreedom && !slices.Contains(wanted, p) {
			return fault(problem.CodeInvalidDistribution, place+"."+request.Clip(sent.Name), "Leave it out.", "the %s distribution has no %s", u.Distribution, request.Clip(sent.Name))
		}
		of := f
		if p == analysis.OfFreedom {
			of = &sdk.Field{Type: sdk.TypeNumber}
		}
		x, err := r.number(place+"."+sent.Name, of, sent.Value, p != analysis.OfFreedom)
		if err != nil {
			return err
		}
		*to.sent, *to.to = &x, x
		if p == analysis.OfFreedom && x <= 0 {
			return fault(problem.CodeInvalidDistribution, place+"."+sent.Name, "Give a number above 0, or leave it out if it is infinite.", "the degrees of freedom are %g", x)
		}
	}
	for _, p := range wanted {
		if *places[p].sent == nil {
			return fault(problem.CodeInvalidDistribution, place+"."+string(p), r.words.Form(r.Plan.Kind, "uncertain", f.Name), "the %s distribution needs %s", u.Distribution, p)
		}
	}
	var bad *analysis.DistributionError
	if errors.As(u.at.Check(), &bad) {
		field := place + "." + string(bad.Parameter)
		if bad.Parameter == analysis.OfEstimate {
			field = f.Name
		}
		return fault(problem.CodeInvalidDistribution, field, "Change "+r.words.Part(field)+".", "%s: %s", f.Name, bad.Detail)
	}
	r.Plan.Uncertain = append(r.Plan.Uncertain, u)
	return nil
}

// readCorrelation reads the coefficients of correlation, and checks that such inputs can exist.
func (r *reader) readCorrelation() error {
	v, sent := r.plan.Member("correlation")
	if !sent {
		return nil
	}
	form := r.malformed("correlation", "a correlation is two uncertain inputs and a number")
	form.Code = problem.CodeInvalidCorrelation
	if v.Kind != strictjson.Array {
		return form
	}
	for _, item := range v.Items {
		of, _ := item.Member("of")
		coefficient, _ := item.Member("r")
		if item.Kind != strictjson.Object || len(item.Members) != 2 || len(of.Items) != 2 || coefficient.Kind != strictjson.Number || coefficient.Range != strictjson.InRange {
			return form
		}
		one := Correlated{R: coefficient.Float}
		for _, name := range of.Items {
			at := r.spec.Input(name.Text)
			if at < 0 || !slices.Contains(r.changed, at) {
				return fault(problem.CodeInvalidCorrelation, "correlation", "Name two uncertain inputs.", "%q is not among the uncertain inputs", request.Clip(name.Text))
			}
			one.Of = append(one.Of, r.spec.Inputs[at].Name)
		}
		for _, before := range r.Plan.Correlation {
			if slices.Contains(before.Of, one.Of[0]) && slices.Contains(before.Of, one.Of[1]) {
				return fault(problem.CodeInvalidCorrelation, "correlation", "Name each pair once.", "the correlation of %s and %s is given twice", one.Of[0], one.Of[1])
			}
		}
		if one.Of[0] == one.Of[1] {
			return fault(problem.CodeInvalidCorrelation, "correlation", "Name two inputs.", "%s is correlated with itself", one.Of[0])
		}
		r.Plan.Correlation = append(r.Plan.Correlation, one)
	}
	m := &analysis.MonteCarlo{Correlation: r.Plan.correlation()}
	for _, u := range r.Plan.Uncertain {
		m.Inputs = append(m.Inputs, u.at)
	}
	if err := m.Check(); err != nil && r.Plan.Kind == MonteCarlo {
		return fault(problem.CodeInvalidCorrelation, "correlation", "Change the coefficients, or the distributions.", "%v", err)
	}
	if m.Correlation != nil {
		if err := analysis.CheckCorrelation(m.Correlation); err != nil {
			return fault(problem.CodeInvalidCorrelation, "correlation", "Change the coefficients: the matrix that they make must be positive semidefinite.", "%v", err)
		}
	}
	return nil
}

// correlation returns the matrix of the coefficients, nil if all inputs are independent.
func (p *Plan) correlation() [][]float64 {
	if p.Correlation == nil {
		return nil
	}
	all := make([][]float64, len(p.Uncertain))
	place := map[string]int{}
	for i := range all {
		all[i] = make([]float64, len(p.Uncertain))
		all[i][i] = 1
		place[p.Uncertain[i].Input] = i
	}
	for _, c := range p.Correlation {
		i, j := place[c.Of[0]], place[c.Of[1]]
		all[i][j], all[j][i] = c.R, c.R
	}
	return all
}
