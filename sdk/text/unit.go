package text

import (
	"math/big"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/units"
)

// Kind is the kind of the values of a field.
type Kind string

// The kinds of values.
const (
	Number  Kind = "number"
	Integer Kind = "integer"
	YesNo   Kind = "yes or no"
	Text    Kind = "text"
	OneOf   Kind = "one of"
	List    Kind = "list of"
	Records Kind = "records"
)

// Type is the cell of the unit column: the kind of the values, and the unit of numbers.
type Type struct {
	Phrase
	Kind  Kind
	Exact bool        // a number may be sent as text, and then counts digit by digit
	Unit  Unit        // of a number
	By    *sdk.UnitBy // the unit of a number that a choice determines, in place of Unit
	Words []Word      // of OneOf
	Items *Type       // of List
}

// Word is a value that an input of the kind OneOf can have, with its other spellings.
type Word struct {
	Phrase
	Aliases  []Phrase
	Unlisted bool // accepted, and not offered by forms
}

// Unit is the unit of a number as the author writes it. The zero Unit belongs to a plain number.
type Unit struct {
	ID         string   // as it is written; "" for a plain number
	SI         string   // the coherent unit of SI for the same dimension
	Factor     *big.Rat // of the unit in SI, without pi; nil: 1
	Pi         bool     // Factor is to be multiplied by pi
	Offset     *big.Rat // of a scale of temperature, in the unit; nil: 0
	Difference bool     // of temperatures
	Money      bool
	Bare       bool // numbers are in ID wherever they have no unit, also in the formula, where they are plain
}

// Point reports whether numbers are points on a scale of temperature.
func (u Unit) Point() bool { return u.Offset != nil }

// readUnit returns the unit that a text names, and reports a mistake if there is none.
func (r *reader) readUnit(p Phrase) (Unit, bool) {
	u, ok := unitOf(p.Text)
	if ok || r.full() {
		return u, ok
	}
	si, err := units.Coherent(p.Text)
	if err == nil {
		r.wrong(p, "unit %q is a product that is not in the list of units: write %s, with the number for it", p.Text, si)
	} else {
		r.wrong(p, "unit %q is not known%s", p.Text, nearestUnit(p.Text))
	}
	return u, false
}

// unitOf returns the unit that a text names.
func unitOf(text string) (Unit, bool) {
	switch text {
	case "":
		return Unit{}, true
	case "%":
		return Unit{ID: text, Factor: big.NewRat(1, 100)}, true
	case "money":
		return Unit{ID: text, Money: true}, true
	}
	if u, ok := units.Lookup(text); ok {
		return Unit{ID: text, SI: units.SI(u.Quantity).ID, Factor: u.Factor, Pi: u.Pi, Offset: u.Offset}, true
	}
	si, err := units.Coherent(text)
	return Unit{ID: text, SI: si}, err == nil && units.SameProduct(text, si) // the factor of another product is not known
}

// sameQuantity reports whether two coherent units of SI are of one quantity.
func sameQuantity(a, b string) bool { return a == b || units.SameProduct(a, b) }

// nearestUnit returns a guess for the unit that a text means. A unit with the same beginning comes first:
// kNewton is kN.
func nearestUnit(text string) string {
	const longest = 30
	if len(text) > longest {
		return ""
	}
	best := ""
	for _, quantity := range units.Quantities() {
		same, ok := units.Respelled(text, units.Of(quantity))
		if ok {
			return ": is it " + same.ID + "?"
		}
		for _, u := range units.Of(quantity) {
			if len(u.ID) > len(best) && len(u.ID) > 1 && strings.HasPrefix(text, u.ID) {
				best = u.ID
			}
		}
	}
	if best == "" {
		if near := units.Nearest(text, 1); len(near) > 0 {
			best = near[0]
		}
	}
	return ": is it " + best + "?"
}

// readType reads a cell of the unit column.
func (r *reader) readType(cell Phrase) Type {
	t := Type{Phrase: cell, Kind: Number}
	switch name, isDifference := strings.CutSuffix(cell.Text, " difference"); {
	case cell.Text == string(Integer), cell.Text == string(YesNo), cell.Text == string(Text), cell.Text == string(Records):
		t.Kind = Kind(cell.Text)
	case strings.HasPrefix(cell.Text, "one of "):
		t.Kind = OneOf
		t.Words = r.readWords(cell.within(len("one of "), len(cell.Text)))
	case strings.HasPrefix(cell.Text, "list of "):
		t.Kind = List
		t.Items = r.readItems(cell.within(len("list of "), len(cell.Text)))
	case cell.Text == "exact number", cell.Text == "exact money":
		t.Exact, t.Unit.Money = true, cell.Text == "exact money"
		if t.Unit.Money {
			t.Unit.ID = "money"
		}
	case strings.HasPrefix(cell.Text, "number of "):
		t.Unit = r.readBare(cell.within(len("number of "), len(cell.Text)))
	case strings.HasPrefix(cell.Text, "number by "):
		t.By = r.readUnitBy(cell.within(len("number by "), len(cell.Text)))
	case isDifference:
		u, ok := units.Lookup(name)
		if !ok || units.SI(u.Quantity).ID != "K" {
			r.wrong(cell, "a difference is of temperatures: write K difference or degC difference")
			break
		}
		t.Unit = Unit{ID: name, SI: "K", Factor: u.Factor, Difference: true}
	default:
		t.Unit, _ = r.readUnit(cell)
	}
	return t
}

// readBare reads a unit in which numbers are plain.
func (r *reader) readBare(cell Phrase) Unit {
	if _, ok := r.readUnit(cell); !ok {
		return Unit{}
	}
	return Unit{ID: cell.Text, Bare: true}
}

// readUnitBy reads an input and the units of its values, such as dir: kVA if to_amps, A if to_kva.
func (r *reader) readUnitBy(cell Phrase) *sdk.UnitBy {
	input, rest, found := cut(cell, ':')
	by := &sdk.UnitBy{Input: input.Text, Units: map[string]string{}}
	for _, item := range split(rest) {
		unit, choice, isChoice := strings.Cut(item.Text, " if ")
		if !found || !isChoice || by.Units[choice] != "" {
			r.wrong(cell, "write the input and a unit for each of its values, such as number by dir: kVA if kva_to_amps, A if amps_to_kva")
			return nil
		}
		if _, ok := r.readUnit(item.within(0, len(unit))); !ok {
			return nil
		}
		by.Units[choice] = unit
	}
	return by
}

// readItems reads the type of the items of a list.
func (r *reader) readItems(cell Phrase) *Type {
	switch cell.Text {
	case "numbers":
		return &Type{Phrase: cell, Kind: Number}
	case "exact numbers":
		return &Type{Phrase: cell, Kind: Number, Exact: true}
	case "integers":
		return &Type{Phrase: cell, Kind: Integer}
	}
	t := r.readType(cell)
	isInner := t.Kind == List && t.Items.Kind != List
	if t.Kind != Number && !isInner || t.By != nil || cell.Text == "" {
		r.wrong(cell, "a list has numbers, exact numbers, integers or a unit, such as list of kN. Its items can be such lists, as in list of list of kN")
		return &Type{Phrase: cell, Kind: Number}
	}
	return &t
}

// inner returns the type of the values that are in lists, also in lists of lists.
func (t Type) inner() Type {
	for t.Kind == List {
		t = *t.Items
	}
	return t
}

// readWords reads the values of a field that has one of some words.
func (r *reader) readWords(cell Phrase) (words []Word) {
	var all []string
	for _, item := range split(cell) {
		w := Word{}
		if strings.HasPrefix(item.Text, "~") {
			w.Unlisted = true
			item = item.within(1, len(item.Text))
		}
		spellings := splitAt(item, '=')
		w.Phrase, w.Aliases = spellings[0], spellings[1:]
		for i, s := range spellings {
			switch {
			case !wordForm.MatchString(s.Text) && (i == 0 || !wordsForm.MatchString(s.Text)):
				r.wrong(s, "%q is not a word: words have letters, digits, and _ . + - /; other spellings may also have blanks", s.Text)
			case slices.Contains(all, s.Text):
				r.wrong(s, "the word %s is there twice", s.Text)
			}
			all = append(all, s.Text)
		}
		words = append(words, w)
	}
	return words
}
