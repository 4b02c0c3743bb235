package catalog

import (
	"math/big"

	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/units"
)

// UnitListing has the table of units.
type UnitListing struct {
	Quantities []QuantityUnits `json:"quantities"`
	Count      int             `json:"count"`
}

// QuantityUnits are the units of a quantity, the SI unit first.
type QuantityUnits struct {
	Quantity string        `json:"quantity"`
	SI       string        `json:"si_unit"`
	Units    []UnitSummary `json:"units"`
}

// UnitSummary is a unit with the texts that are read as this unit.
type UnitSummary struct {
	ID         string         `json:"id"`
	Shown      string         `json:"shown"`
	Definition string         `json:"definition"` // of the factor, a product of decimals and pi
	Factor     float64        `json:"factor"`
	Offset     float64        `json:"offset,omitempty"`
	Spellings  []UnitSpelling `json:"spellings"`
}

// UnitSpelling is a text that is read as a unit, and where it is used.
type UnitSpelling struct {
	Text   string `json:"text"`
	Source string `json:"source"`
}

// ListUnits returns the units of a quantity, or of all quantities for "".
func ListUnits(quantity string) UnitListing {
	list := UnitListing{Quantities: []QuantityUnits{}}
	for _, name := range units.Quantities() {
		if quantity == "" || quantity == name {
			list.Quantities = append(list.Quantities, unitsOf(name))
		}
	}
	list.Count = len(list.Quantities)
	return list
}

func unitsOf(quantity string) QuantityUnits {
	q := QuantityUnits{Quantity: quantity, SI: units.SI(quantity).ID}
	at := map[string]int{}
	for i, u := range units.Of(quantity) {
		at[u.ID] = i
		one := UnitSummary{ID: u.ID, Shown: formula.FormatUnit(u.ID), Definition: u.Definition, Spellings: []UnitSpelling{}}
		one.Factor, _ = units.Convert(big.NewRat(1, 1), u.Difference(), units.SI(quantity).Difference()).Float64()
		if u.Offset != nil {
			one.Offset, _ = u.Offset.Float64()
		}
		q.Units = append(q.Units, one)
	}
	for _, s := range units.Spellings(quantity) {
		one := &q.Units[at[s.Unit]]
		one.Spellings = append(one.Spellings, UnitSpelling{s.Text, s.Source})
	}
	return q
}
