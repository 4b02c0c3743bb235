package vary

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/page/show"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/host/internal/study/analysis"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/units"
)

// Limits of variations.
const (
	minPoints     = 2
	maxPoints     = 200 // along the horizontal axis
	maxFamily     = 8   // curves
	maxDrawn      = 4   // outputs
	defaultPoints = 25
	defaultFamily = 4
)

// variation is one varied input, and its values in order.
type variation struct {
	Field    *sdk.Field
	Unit     string // of From and To, "" for the unit of the field
	named    bool   // the URL has Unit, which differs from the unit of the sent input
	From, To string // as the reader typed them; "" for a choice
	Log      bool
	Values   []strictjson.Value // in the form of a request
	Numbers  []float64          // in Unit; nil for a choice
	Texts    []string           // for people
	Present  float64            // in Unit, NaN if there is none

	shown show.Unit // of numbers on the page
}

// varyError explains why an input cannot be varied.
type varyError struct{ text string }

func (e *varyError) Error() string { return e.text }

func varyErrorf(format string, args ...any) error { return &varyError{fmt.Sprintf(format, args...)} }

// readVariation reads a value of the key vary: FIELD for the default range or all choices, FIELD:FROM:TO:POINTS, or the same
// with :log. FROM and TO are in the unit of the sent input, or both have the same unit. most is the maximum number of values. The error is a *varyError,
// in words for people.
func readVariation(spec *sdk.Spec, sent strictjson.Value, text string, most int) (*variation, error) {
	parts := strings.Split(text, ":")
	at := spec.Input(parts[0])
	if at < 0 {
		return nil, varyErrorf("There is no input %q to vary. Choose one from the list.", request.Clip(parts[0]))
	}
	f := &spec.Inputs[at]
	v := &variation{Field: f, Present: math.NaN()}
	name := wording.Labels{}.Field(f)
	if wording.IsChoice(f) {
		return v, v.choices(parts, most)
	}
	if f.Type != sdk.TypeNumber && f.Type != sdk.TypeInteger {
		return nil, varyErrorf("%s is not a number or a choice, so it cannot be varied.", name)
	}
	v.readPresent(sent)
	if len(parts) == 1 {
		parts = v.defaultRange(most)
	}
	if len(parts) < 4 || len(parts) > 5 || len(parts) == 5 && parts[4] != "log" {
		return nil, varyErrorf("%q is not a valid variation of %s. Give the first value, the last value and the number of points, such as %s:1:5:9. Add :log for logarithmic steps.", request.Clip(text), name, f.Name)
	}
	v.Log = len(parts) == 5
	return v, v.steps(strings.TrimSpace(parts[1]), strings.TrimSpace(parts[2]), strings.TrimSpace(parts[3]), most)
}

// choices sets the values to all values of a choice.
func (v *variation) choices(parts []string, most int) error {
	name, values := wording.Labels{}.Field(v.Field), v.Field.Enum
	if v.Field.Type == sdk.TypeBoolean {
		values = []string{"false", "true"}
	}
	switch {
	case len(parts) > 1:
		return varyErrorf("%s is a choice, and the plot uses all its values. Remove the text after the name.", name)
	case most > maxFamily:
		return varyErrorf("%s is a choice, which has no axis. Choose a number first, and %s as the second input.", name, name)
	case len(values) > most:
		return varyErrorf("%s has %d choices, and a plot has at most %d curves. Vary another input.", name, len(values), most)
	}
	for _, choice := range values {
		value, err := typed.Value(v.Field, choice, nil, typed.Numbers)
		if err != nil {
			return err
		}
		v.Values, v.Texts = append(v.Values, value), append(v.Texts, wording.ChoiceText(v.Field, choice))
	}
	return nil
}

// readPresent sets the present number and its unit from the request, or the number from the default.
func (v *variation) readPresent(sent strictjson.Value) {
	text := v.Field.Default
	for _, m := range sent.Members {
		if m.Name != v.Field.Name && !slices.Contains(v.Field.Aliases, m.Name) {
			continue
		}
		text, v.Unit = show.Literal(v.Field, m.Value)
	}
	if x, err := strictjson.ParseNumber(text); err == nil && x.Range == strictjson.InRange {
		v.Present = x.Float
	}
}

// defaultRange returns the parts of a value of vary from half of the present number to twice the number, within the range
// of the field.
func (v *variation) defaultRange(most int) []string {
	from, to := "0", "1"
	if v.Present != 0 && !math.IsNaN(v.Present) {
		half, twice := v.Present/2, v.Present*2
		if r := v.Field.Range; r != nil && v.Unit == "" {
			if r.Max != nil && twice > *r.Max {
				twice = *r.Max
			}
			if r.Min != nil && half < *r.Min {
				half = *r.Min
			}
		}
		from, to = wording.Shortest(half), wording.Shortest(twice)
	}
	points := defaultPoints
	if most <= maxFamily {
		points = defaultFamily
	}
	return []string{v.Field.Name, from, to, strconv.Itoa(points)}
}

// steps sets the values from the first to the last.
func (v *variation) steps(from, to, points string, most int) error {
	name, sent := wording.Labels{}.Field(v.Field), from
	unit := ""
	for i, end := range []*string{&from, &to} {
		if *end == "" {
			return varyErrorf("Enter the first and the last value of %s.", name)
		}
		r, err := typed.Read(v.Field, *end, typed.Numbers)
		if e, ok := errors.AsType[*typed.TextError](err); ok {
			return varyErrorf("%s %s Enter the first and the last value of %s.", wording.AsSentence(e.Detail()), e.Remedy(), name)
		}
		if i == 0 {
			unit = r.Unit
		}
		if i == 1 && r.Unit != unit && (cmp.Or(r.Unit, v.unit()) != v.unit() || cmp.Or(unit, v.unit()) != v.unit()) {
			return varyErrorf("%q and %q have different units. Enter both numbers for %s in %s, or both in the same unit.", request.Clip(sent), request.Clip(*end), name, v.UnitText())
		}
		if x, err := strictjson.ParseNumber(r.Literal); err != nil || x.Range != strictjson.InRange {
			return varyErrorf("%s is too large or too small for %s. Choose another value.", request.Clip(*end), name)
		}
		*end = r.Literal
	}
	v.From, v.To = from, to
	if unit != "" && !v.setUnit(unit) {
		return varyErrorf("%q is not a unit of %s. Enter both numbers in %s.", unit, name, v.UnitText())
	}
	n, err := strconv.Atoi(points)
	if err != nil || n < minPoints || n > most {
		return varyErrorf("%q is not a valid number of points for %s. Enter %d to %d.", request.Clip(points), name, minPoints, most)
	}
	low, high := ratOf(from), ratOf(to)
	switch {
	case low.Cmp(high) == 0:
		return varyErrorf("%s starts and ends at %s. Choose two different values.", name, request.Clip(from))
	case v.Log && (low.Sign() <= 0 || high.Sign() <= 0):
		return varyErrorf("Logarithmic steps need values above zero, but %s goes from %s to %s. Choose even steps, or other values.", name, request.Clip(from), request.Clip(to))
	}
	return v.between(low, high, n)
}

// setUnit sets the unit of the range. It reports false if the unit has another quantity.
func (v *variation) setUnit(id string) bool {
	if id == v.unit() {
		v.Unit = id
		return true
	}
	q, ok := customary.Of(new(sdk.Spec), v.unit(), wording.IsDifference(v.Field))
	u, known := units.Lookup(id)
	if !ok || !known || u.Quantity != q.Unit.Quantity {
		return false
	}
	v.Present, v.Unit, v.named = q.Convert(v.Present, u), id, true
	return true
}

// show chooses the unit of numbers on the page: the unit in the URL, otherwise the unit of the reader.
func (v *variation) show(of *show.Reading) {
	v.shown = show.Unit{ID: v.unit()}
	at := of.Spec.Input(v.Field.Name)
	own, ok := customary.Of(of.Spec, v.unit(), wording.IsDifference(v.Field))
	if at < 0 || !ok || v.named || v.Field.UnitBy != nil {
		return
	}
	in := of.InputIn(at, 0)
	if u, known := units.Lookup(in.ID); known && u.Quantity == own.Unit.Quantity {
		v.shown = own.In(u)
	}
}

// control returns the unit that the controls of the range must send, "" for the unit of the sent input.
func (v *variation) control() string {
	if v.named || v.shown.Converts() {
		return v.shown.ID
	}
	return ""
}

// end returns an end of the range in the shown unit.
func (v *variation) end(text string) string {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !v.shown.Converts() {
		return text
	}
	return rounded(v.shown.Of(x))
}

// text returns a value for a table: as it was typed, or in the shown unit.
func (v *variation) text(i int, write func(float64) string) string {
	if v.Numbers == nil || !v.shown.Converts() {
		return v.Texts[i]
	}
	return write(v.shown.Of(v.Numbers[i]))
}

// ratOf returns the exact value of a literal that binary64 can represent.
func ratOf(literal string) *big.Rat {
	r, _ := new(big.Rat).SetString(literal)
	return r
}

// between sets n values from low to high. The ends keep their typed text. An even step is the binary64 nearest to its exact
// value, and a logarithmic step the nearest number with six digits. Integers are rounded, and do not repeat.
func (v *variation) between(low, high *big.Rat, n int) error {
	steps, write := analysis.Even, wording.Shortest
	if v.Log {
		steps, write = analysis.Logarithmic, rounded
	}
	for i, at := range steps(low, high, n) {
		text := v.From
		switch i {
		case 0:
		case n - 1:
			text = v.To
		default:
			text = write(at)
		}
		if v.Field.Type == sdk.TypeInteger && i > 0 && i < n-1 {
			x, _ := strconv.ParseFloat(text, 64)
			text = wording.Shortest(math.RoundToEven(x))
		}
		x, err := strictjson.ParseNumber(text)
		if err != nil {
			return fmt.Errorf("step %d of %s: %w", i, v.Field.Name, err)
		}
		if last := len(v.Numbers) - 1; last >= 0 {
			if v.Field.Type == sdk.TypeInteger && x.Float == v.Numbers[last] {
				continue
			}
			if (x.Float > v.Numbers[last]) != (high.Cmp(low) > 0) || x.Float == v.Numbers[last] {
				return varyErrorf("There are no %[3]d different numbers from %[1]s to %[2]s for %[4]s. Choose fewer points, or a larger range.", request.Clip(v.From), request.Clip(v.To), n, wording.Labels{}.Field(v.Field))
			}
		}
		v.Numbers = append(v.Numbers, x.Float)
		value, err := typed.Value(v.Field, text, typed.Units{"": v.Unit}, typed.Numbers)
		if err != nil {
			return err
		}
		v.Values = append(v.Values, value)
		v.Texts = append(v.Texts, text)
	}
	return nil
}

// rounded returns the number with the digits that a page shows.
func rounded(x float64) string {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', wording.Digits-1, 64), 64)
	return wording.Shortest(y)
}

// unit returns the unit of the values, and UnitText its text on pages.
func (v *variation) unit() string { return cmp.Or(v.Unit, v.Field.Unit) }

func (v *variation) UnitText() string { return formula.FormatUnit(cmp.Or(v.shown.ID, v.unit())) }

// place returns the label of a curve, such as Span 3 m.
func (v *variation) place(i int) string {
	text := v.Texts[i]
	if v.Numbers != nil {
		text = strings.TrimSpace(plain(v.shown.Of(v.Numbers[i])) + " " + v.UnitText())
	}
	return wording.Label(v.Field) + " " + text
}

// plain returns a number with six digits as plain text.
func plain(x float64) string { return plainIn(x, 0) }

func plainIn(x float64, digits wording.Precision) string {
	n := digits.Format(x)
	if n.Exponent != "" {
		return n.Mantissa + "e" + n.Exponent
	}
	return n.Mantissa
}

// canVary reports whether an input can be varied, and whether along an axis.
func canVary(f *sdk.Field) (can, along bool) {
	switch {
	case f.Type == sdk.TypeBoolean:
		return true, false
	case len(f.Enum) > 0:
		return len(f.Enum) >= 2 && len(f.Enum) <= maxFamily, false
	}
	number := f.Type == sdk.TypeNumber || f.Type == sdk.TypeInteger
	return number, number
}
