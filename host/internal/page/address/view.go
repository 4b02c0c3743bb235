package address

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/units"
)

// UnitsKey chooses the units of a page. An input of this name has precedence.
const UnitsKey = "units"

// digitsKey chooses the number of significant digits. An input of this name has precedence.
const digitsKey = "digits"

// StepsKey asks for all worked steps, however long they take. An input of this name has precedence.
const StepsKey = "steps"

// View is the reader's choice of how to show the answer. It comes from keys of the URL that are not inputs, and never
// changes the answer. The zero value is the default view.
type View struct {
	Units  customary.System
	Chosen []chosenUnit // of outputs, in the order of the Spec
	named  bool         // the URL has Units
	Digits wording.Precision
	Steps  bool // all worked steps, also if they take long
	Study

	Faults []Fault
}

// chosenUnit is the unit that the reader chose for an output.
type chosenUnit struct {
	Output, Unit string
	inForm       bool // chosen at the empty input of the same name
}

// Fault is a key of the URL with an invalid value. Text has the reason and a remedy.
type Fault struct {
	Key, Text string
	unknown   bool // there is no such output
}

// add reads a key of a query, and reports whether it belongs to the view. An input of the Spec, or the unit of one, does not.
func (v *View) add(spec *sdk.Spec, key, text string) bool {
	name, isUnit := strings.CutSuffix(key, UnitSuffix)
	switch {
	case spec.Input(name) >= 0:
		return false
	case v.Study.add(key, text):
	case key == UnitsKey:
		v.setUnits(text)
	case key == digitsKey:
		v.setDigits(text)
	case key == StepsKey && (text == "1" || text == "true"): // the API uses true
		v.Steps = true
	case key == StepsKey && text != "false":
		v.fail(StepsKey, "%q is not a valid value for steps. Use 1.", request.Clip(text))
	case isUnit:
		v.choose(spec, name, text)
	default:
		return false
	}
	return true
}

// takeFromForm uses the unit at an empty input for the result of the same name, unless the form also has a unit for the
// result.
func (v *View) takeFromForm(spec *sdk.Spec, f *sdk.Field, unit string) {
	q, measured := customary.Of(spec, f.Unit, wording.IsDifference(f))
	q.Field = f.Name
	u, known := units.Lookup(unit)
	isResult := slices.ContainsFunc(spec.Outputs, func(out sdk.Field) bool { return out.Name == f.Name && out.Unit == f.Unit })
	if measured && known && isResult && u.Quantity == q.Unit.Quantity && u.ID != customary.Preset(v.Units, q).ID {
		v.Chosen = append(v.Chosen, chosenUnit{f.Name, u.ID, true})
	}
}

// setDigits sets the number of significant digits.
func (v *View) setDigits(text string) {
	n, err := strconv.Atoi(text)
	digits := wording.Precision(n)
	switch {
	case err != nil || digits < wording.LeastDigits || digits > wording.MostDigits:
		v.fail(digitsKey, "%q is not a number of digits. Choose 3 to 10.", request.Clip(text))
	case v.Digits != 0:
		v.fail(digitsKey, "The number of digits appears more than once. Give it once.")
	default:
		v.Digits = digits
	}
}

func (v *View) setUnits(text string) {
	system, known := customary.ReadSystem(text)
	switch {
	case !known:
		v.fail(UnitsKey, "%q is not a system of units. Choose us, metric, si or entered.", request.Clip(text))
	case v.named:
		v.fail(UnitsKey, "The system of units appears more than once. Give it once.")
	default:
		v.Units, v.named = system, true
	}
}

// Suit sets the units of the reader's language, unless the URL chooses units. If an input is given in a unit, the units stay
// as entered.
func (v *View) Suit(given bool, language Language) {
	if !v.named && !given && language != nil {
		v.Units = language().System
	}
}

// OfUnits returns a view with the system of units and the digits of v.
func (v *View) OfUnits() *View { return &View{Units: v.Units, named: v.named, Digits: v.Digits} }

// Named returns the view with its units in its query, also if they follow from the language of the reader.
func (v View) Named() *View {
	v.named = v.named || v.Units != customary.AsEntered
	return &v
}

// Systems returns the systems of units to choose from.
func (v *View) Systems() []wording.Option {
	var list []wording.Option
	for _, system := range customary.Systems() {
		list = append(list, wording.Option{Value: system.Key(), Text: systemNames[system], Chosen: system == v.Units})
	}
	return list
}

var systemNames = map[customary.System]string{customary.AsEntered: "As entered", customary.Metric: "Metric", customary.US: "US", customary.SI: "SI"}

// choose sets the unit of an output. The unit must have the quantity of the output.
func (v *View) choose(spec *sdk.Spec, name, id string) {
	at := slices.IndexFunc(spec.Outputs, func(f sdk.Field) bool { return f.Name == name })
	if at < 0 {
		v.Faults = append(v.Faults, Fault{key(name), fmt.Sprintf("There is no result %q, so it cannot have a unit.", request.Clip(name)), true})
		return
	}
	f := &spec.Outputs[at]
	own, measured := units.Lookup(f.Unit)
	measured = measured && f.UnitBy == nil
	to, known := units.Lookup(id)
	switch {
	case v.Unit(name) != "":
		v.fail(key(name), "There are two units for %s. Give one.", wording.Labels{}.Field(f))
	case !measured:
		v.fail(key(name), "%s does not have other units.", wording.Labels{}.Field(f))
	case !known:
		v.fail(key(name), "%q is not a unit. Choose a unit for %s, such as %s.", request.Clip(id), wording.Labels{}.Field(f), strings.Join(idsOf(own.Quantity), ", "))
	case to.Quantity != own.Quantity:
		v.fail(key(name), "%s cannot be shown in %s. Choose a unit such as %s.", wording.Labels{}.Field(f), id, strings.Join(idsOf(own.Quantity), ", "))
	default:
		v.Chosen = append(v.Chosen, chosenUnit{Output: name, Unit: to.ID})
	}
}

// idsOf returns a few units of a quantity.
func idsOf(quantity string) []string {
	const most = 4
	var ids []string
	for _, u := range units.Of(quantity) {
		if len(ids) < most {
			ids = append(ids, u.ID)
		}
	}
	return ids
}

func (v *View) fail(at, format string, args ...any) {
	v.Faults = append(v.Faults, Fault{Key: at, Text: fmt.Sprintf(format, args...)})
}

// key returns the key that chooses the unit of an output.
func key(output string) string { return request.Clip(output) + UnitSuffix }

// ForgetUnknown removes faults for units of outputs that do not exist. A form that asks for another version
// can contain units of fields that only this version has.
func (v *View) ForgetUnknown() {
	v.Faults = slices.DeleteFunc(v.Faults, func(f Fault) bool { return f.unknown })
}

// Unit returns the unit chosen for an output, "" if there is none.
func (v *View) Unit(output string) string {
	for _, c := range v.Chosen {
		if c.Output == output {
			return c.Unit
		}
	}
	return ""
}

// uncontrolled returns the pairs for which a page has no control. The units of results have controls next to the results.
func (v *View) uncontrolled(results bool) []Pair {
	rest := *v
	rest.named, rest.Digits = false, 0
	rest.Chosen = slices.DeleteFunc(slices.Clone(v.Chosen), func(c chosenUnit) bool { return results || c.inForm })
	return rest.pairs()
}

// Problem returns the first fault of the view, nil if there is none. A page with a fault shows no result, because it would
// not be the result that the reader asked for.
func (v *View) Problem() *problem.Problem {
	if len(v.Faults) == 0 {
		return nil
	}
	f := v.Faults[0]
	return problem.InvalidParameter(f.Key, "Change "+f.Key+" in the URL, or remove it.", "%s", strings.TrimSuffix(f.Text, "."))
}

// Pair is a key of a URL with its value.
type Pair struct{ Key, Value string }

// pairs returns the keys of a URL with the same view.
func (v *View) pairs() []Pair {
	var list []Pair
	if v.named {
		list = append(list, Pair{UnitsKey, v.Units.Key()})
	}
	if v.Digits != 0 {
		list = append(list, Pair{digitsKey, strconv.Itoa(int(v.Digits))})
	}
	for _, c := range v.Chosen {
		list = append(list, Pair{c.Output + UnitSuffix, c.Unit})
	}
	if v.Steps {
		list = append(list, Pair{StepsKey, "1"})
	}
	return append(list, v.Study.pairs()...)
}

// Query returns the pairs as a query, "" if there are none.
func (v *View) Query() string {
	var b strings.Builder
	for _, p := range v.pairs() {
		AppendPair(&b, p.Key, p.Value)
	}
	return b.String()
}

// ReadView reads the view of a request without inputs from its query.
func ReadView(spec *sdk.Spec, raw string) (*View, error) {
	s := ReadQuery(spec, raw)
	s.RefuseMisspelt()
	if s.Broken != nil {
		return nil, s.Broken
	}
	if problem := s.View.Problem(); problem != nil {
		return nil, problem
	}
	return &s.View, nil
}
