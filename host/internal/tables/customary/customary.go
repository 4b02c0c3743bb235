// Package customary chooses the unit in which people read a quantity. Use [NewReader] and [Reader.Unit]
// on pages. The API answers in the units of Specs, independent of this package.
//
// A reader can choose a [System] of units. Without a choice, pages show the units in which the inputs
// were entered. Other units follow from these: with kip and ft a moment is in kip ft.
// All other numbers are in SI units, with the usual prefix for a number of that size.
package customary

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/units"
	"github.com/slipstick/slipstick/sdk/value"
)

// System is a system of units that a reader prefers.
type System string

// The systems of units.
const (
	AsEntered System = "" // the units of the inputs decide
	SI        System = "si"
	Metric    System = "metric" // such as °C, cm and L/min
	US        System = "us"
)

// Systems returns all systems.
func Systems() []System { return []System{AsEntered, Metric, US, SI} }

// entered is the key of [AsEntered].
const entered = "entered"

// Key returns the name of the system in URLs and forms.
func (s System) Key() string { return cmp.Or(string(s), entered) }

// ReadSystem returns the system with a key.
func ReadSystem(key string) (System, bool) {
	for _, s := range Systems() {
		if s.Key() == key {
			return s, true
		}
	}
	return AsEntered, false
}

// Quantity is a quantity to show: its unit in the Spec, and all other facts that decide on the unit for
// people.
type Quantity struct {
	Unit       units.Unit
	Difference bool   // whether it is a difference of two temperatures
	Domain     string // of the calculator, such as thermo
	Group      string // of the capability, such as gas; pages can list it in another group
	Field      string // the field with the unit, such as length; "" if it does not matter
}

// Of returns the quantity of a unit in a Spec. It reports false if the unit is not in the table of
// units, so that the quantity has no other unit.
func Of(spec *sdk.Spec, unit string, difference bool) (Quantity, bool) {
	u, ok := units.Lookup(unit)
	if !ok {
		return Quantity{}, false
	}
	domain, rest, _ := strings.Cut(spec.Capability, ".")
	group, _, _ := strings.Cut(rest, ".")
	return Quantity{Unit: u, Difference: difference, Domain: domain, Group: group}, true
}

// Convert returns the number in another unit. It converts the decimal from the API response exactly and
// rounds once: 273.15 K is 32 degF. Differences have no zero point: 10 degC are 18 degF.
func (q Quantity) Convert(x float64, to units.Unit) float64 {
	from := q.Unit
	if from.ID == to.ID {
		return x
	}
	exact, ok := new(big.Rat).SetString(string(value.AppendNumber(nil, x)))
	if !ok {
		return x // x is not finite
	}
	if q.Difference {
		from, to = from.Difference(), to.Difference()
	}
	converted, _ := units.Convert(exact, from, to).Float64()
	return converted
}

// Reader is a reader of the numbers of one calculation.
type Reader struct {
	system  System
	entered []units.Unit
	forces  []units.Unit // the parts of entered units
	lengths []units.Unit
}

// NewReader returns a reader who prefers a system, and who has entered inputs in the units. It ignores
// units that are not in the table.
func NewReader(system System, entered ...string) *Reader {
	r := &Reader{system: system}
	for _, id := range entered {
		u, ok := units.Lookup(id)
		if !ok {
			continue
		}
		r.entered = append(r.entered, u)
		for _, part := range partsOf(u) {
			switch part.Quantity {
			case "force":
				r.forces = append(r.forces, part)
			case "length":
				r.lengths = append(r.lengths, part)
			}
		}
	}
	return r
}

// partsOf returns the forces and lengths in a unit: kip and ft for kip/ft.
func partsOf(u units.Unit) []units.Unit {
	id := u.ID
	switch id {
	case "ksi":
		id = "kip in"
	case "psi":
		id = "lbf in"
	case "psf":
		id = "lbf ft"
	}
	var parts []units.Unit
	for _, word := range words(id) {
		if part, ok := units.Lookup(word); ok {
			parts = append(parts, part)
		}
	}
	return parts
}

// words returns the units in a product, without exponents.
func words(id string) []string {
	return strings.FieldsFunc(id, func(r rune) bool { return strings.ContainsRune(" /().-0123456789", r) })
}

// Unit returns the unit in which the reader sees a number of the quantity. For several numbers, pass
// the largest.
func (r *Reader) Unit(q Quantity, x float64) units.Unit {
	x = math.Abs(x)
	u, ok := units.Unit{}, false
	if x == 0 {
		u, ok = r.EnteredFor(q)
	}
	if !ok && r.system == AsEntered {
		u, ok = r.fromEntered(q, x)
	}
	if !ok {
		u = r.ladder(q).pick(q, x)
	}
	if !q.Fits(x, u) {
		return q.Unit
	}
	return u
}

// EnteredFor returns the first entered unit of the quantity that belongs to the system of the reader. Zero has no size, so it
// is in this unit.
func (r *Reader) EnteredFor(q Quantity) (units.Unit, bool) {
	for _, u := range r.entered {
		if _, ok := r.Entered(u.ID); ok && u.Quantity == q.Unit.Quantity && isOther(u) && q.name() != "temperature" {
			return u, true
		}
	}
	return units.Unit{}, false
}

// Fits reports whether binary64 can represent the number in the unit with all its digits, if that is
// not its own unit.
func (q Quantity) Fits(x float64, u units.Unit) bool {
	const smallest = 0x1p-1022
	in := math.Abs(q.Convert(x, u))
	return !math.IsInf(in, 0) && (in >= smallest || x == 0 || u.ID == q.Unit.ID || u.Offset != nil)
}

// ladder returns the candidate units. The size of the number decides among them.
func (r *Reader) ladder(q Quantity) rungs {
	system := r.system
	if system == AsEntered {
		system = r.leaning()
	}
	if system == AsEntered && q.name() == "angle" { // without an entered angle, people read degrees
		system = Metric
	}
	if r.system == AsEntered && system != US && isOther(q.Unit) {
		return rungs{{unit: q.Unit}} // the author of the engine has chosen it for people
	}
	return laddersOf(q).of(system, q)
}

// isOther reports whether the unit is not the SI unit.
func isOther(u units.Unit) bool { return units.SI(u.Quantity).ID != u.ID }

// leaning returns the system of the entered units, or AsEntered if they are all SI units.
func (r *Reader) leaning() System {
	americans, others := 0, 0
	for _, u := range r.entered {
		switch {
		case isAmerican(u):
			americans++
		case isOther(u):
			others++
		}
	}
	if americans > others {
		return US
	}
	return AsEntered
}

func isAmerican(u units.Unit) bool {
	return slices.ContainsFunc(strings.FieldsFunc(u.ID, func(r rune) bool { return strings.ContainsRune(" /()", r) }), func(word string) bool {
		return slices.Contains(american, word)
	})
}

// least returns the smallest number that is easy to read in an entered unit. Half a kip is an ordinary
// load, half a foot is 6 in.
func (q Quantity) least() float64 {
	switch q.Unit.Quantity {
	case "force", "line_load", "torque":
		return 0.1
	}
	return 1
}

// fromEntered returns the unit that follows from the units of the inputs.
func (r *Reader) fromEntered(q Quantity, x float64) (units.Unit, bool) {
	candidates := r.sameQuantity(q)
	if len(candidates) == 0 {
		candidates = r.derived(q)
	}
	if q.name() == "temperature" && len(candidates) > 0 {
		return candidates[0], true
	}
	var best units.Unit
	least := math.Inf(1)
	for _, u := range candidates {
		if in := math.Abs(q.Convert(sized(x), u)); in >= q.least() && in < 10_000 && in < least {
			best, least = u, in
		}
	}
	return best, best.ID != ""
}

// sized returns a number for comparing sizes. Zero counts as one.
func sized(x float64) float64 {
	if x == 0 {
		return 1
	}
	return x
}

// sameQuantity returns the units in which inputs of the quantity were entered, or nil if all of them
// are SI units.
func (r *Reader) sameQuantity(q Quantity) []units.Unit {
	var found []units.Unit
	other := false
	for _, u := range slices.Concat(r.entered, r.parts(q)) {
		if u.Quantity == q.Unit.Quantity {
			found, other = append(found, u), other || isOther(u)
		}
	}
	if q.Difference && slices.ContainsFunc(found, func(u units.Unit) bool { return u.Offset != nil && !isAmerican(u) }) {
		return nil // the step of a degree Celsius is a kelvin
	}
	if !other {
		return nil
	}
	return found
}

func (r *Reader) parts(q Quantity) []units.Unit {
	switch q.Unit.Quantity {
	case "force":
		return r.forces
	case "length":
		return r.lengths
	}
	return nil
}

// products has the product of a unit of force and a unit of length for each quantity.
var products = map[string]string{
	"area": "L2", "volume": "L3", "second_moment_of_area": "L4", "warping_constant": "L6", "torque": "F L", "line_load": "F/L", "flexural_rigidity": "F L2",
}

// derived returns the units of the quantity that are products of entered ones.
func (r *Reader) derived(q Quantity) []units.Unit {
	if q.Unit.Quantity == "pressure" {
		return r.stresses()
	}
	product, ok := products[q.Unit.Quantity]
	if !ok {
		return nil
	}
	forces := r.forces
	if !strings.Contains(product, "F") {
		forces = []units.Unit{{}}
	}
	var found []units.Unit
	for _, f := range forces {
		for _, l := range r.lengths {
			if !isOther(l) && (f.ID == "" || !isOther(f)) {
				continue
			}
			if u, ok := units.Lookup(strings.NewReplacer("F", f.ID, "L", l.ID).Replace(product)); ok {
				found = append(found, u)
			}
		}
	}
	return found
}

// stresses returns the units of force per area with their own names.
func (r *Reader) stresses() []units.Unit {
	var found []units.Unit
	for _, f := range r.forces {
		if id, ok := map[string]string{"kip": "ksi", "lbf": "psi"}[f.ID]; ok {
			u, _ := units.Lookup(id)
			found = append(found, u)
		}
	}
	return found
}

// rung is a unit, and the smallest number for it.
type rung struct {
	from float64
	unit units.Unit
}

type rungs []rung

// pick returns the unit for a number: the largest unit for which the number is large enough.
func (l rungs) pick(q Quantity, x float64) units.Unit {
	best := l[0].unit
	for _, r := range l[1:] {
		if math.Abs(q.Convert(sized(x), r.unit)) >= r.from*(1-1e-12) {
			best = r.unit
		}
	}
	return best
}

// ladder holds the rungs of each system as text.
type ladder struct{ si, metric, us, also string }

func (q Quantity) name() string {
	if q.Difference && q.Unit.Quantity == "temperature" {
		return "temperature_difference"
	}
	return q.Unit.Quantity
}

// find returns the line of a table for the quantity: the line of its group, of its domain, or the general one.
func find(table map[string]ladder, q Quantity) (ladder, bool) {
	for _, at := range []string{"@" + q.Group + "." + q.Field, "@" + q.Group, "@" + q.Domain, ""} {
		if l, ok := table[q.name()+at]; ok {
			return l, true
		}
	}
	return ladder{}, false
}

func laddersOf(q Quantity) ladder {
	l, ok := find(ladders, q)
	if !ok {
		return ladder{si: q.Unit.ID}
	}
	return l
}

func (l ladder) of(system System, q Quantity) rungs {
	text := l.si
	if (system == Metric || system == US) && l.metric != "" {
		text = l.metric
	}
	if system == US && l.us != "" {
		text = l.us
	}
	if list := parse(text); len(list) > 0 {
		return list
	}
	return rungs{{unit: q.Unit}}
}

// parse parses the text of rungs.
func parse(text string) rungs {
	var list rungs
	for part := range strings.SplitSeq(text, ", ") {
		r := rung{}
		id := part
		if number, rest, ok := strings.Cut(part, " "); ok {
			if from, err := strconv.ParseFloat(number, 64); err == nil {
				r.from, id = from, rest
			}
		}
		var ok bool
		r.unit, ok = units.Lookup(id)
		if ok {
			list = append(list, r)
		}
	}
	return list
}

// Preset returns the unit in which people of the system usually enter the quantity.
func Preset(system System, q Quantity) units.Unit {
	if isOther(q.Unit) && q.name() != "temperature" {
		return q.Unit
	}
	if q.name() == "temperature_difference" || q.name() == "temperature" && system != AsEntered {
		return laddersOf(q).of(system, q)[0].unit
	}
	if l, ok := find(presets, q); ok && system != AsEntered {
		return l.of(system, q)[0].unit
	}
	if system == US {
		if own := laddersOf(q); own.us != "" {
			return own.of(US, q)[0].unit
		}
	}
	return q.Unit
}

// most is the number of other units that are worth showing.
const most = 4

// Common returns the units that people use for a number of the quantity: at most four, without the
// shown unit.
func (r *Reader) Common(q Quantity, x float64, shown units.Unit) []units.Unit {
	l := laddersOf(q)
	var list []units.Unit
	add := func(u units.Unit, from, below float64) {
		in := math.Abs(q.Convert(sized(x), u))
		if u.ID == shown.ID || slices.ContainsFunc(list, func(other units.Unit) bool { return other.ID == u.ID }) ||
			q.name() != "temperature" && (in < from || in >= below) {
			return
		}
		if q.Fits(x, u) {
			list = append(list, u)
		}
	}
	for _, system := range []System{r.system, Metric, US, SI} {
		if system != AsEntered {
			add(l.of(system, q).pick(q, math.Abs(x)), 0, math.Inf(1))
		}
	}
	if l.also != "" {
		for _, r := range parse(l.also) {
			add(r.unit, 0.01, 1e5)
		}
	}
	for _, system := range []System{Metric, US} {
		for _, r := range l.of(system, q) {
			add(r.unit, 0.5, 5e3)
		}
	}
	return list[:min(most, len(list))]
}
