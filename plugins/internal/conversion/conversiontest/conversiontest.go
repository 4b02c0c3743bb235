// Package conversiontest holds what is true of every engine of package conversion.
package conversiontest

import (
	"math"
	"math/big"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/units"
)

// Run holds the engine of a quantity against the table of units and against what is true
// of any conversion.
func Run(t *testing.T, engine sdk.Engine, quantity string) {
	c := &conversion{engine: engine, units: units.Of(quantity)}
	spec := engine.Spec()
	if got := len(spec.Inputs[spec.Input("from")].Enum); got != len(c.units) || got < 2 {
		t.Errorf("%d units to choose from, want the %d of %s", got, len(c.units), quantity)
	}
	for name, law := range map[string]func(*rapid.T){
		"rounded once": c.roundedOnce, "identity": c.identity, "there and back": c.thereAndBack,
		"detours": c.detours, "order": c.order,
	} {
		t.Run(name, func(t *testing.T) { rapid.Check(t, law) })
	}
}

// Equal checks that an amount is exactly another in a second unit, by definition.
func Equal(t *testing.T, engine sdk.Engine, a, from string, want float64, to string) {
	t.Helper()
	if got := ask.For(t, engine, ask.In{"a": a, "from": from, "to": to}).Number["value"]; got != want {
		t.Errorf("%s %s = %v %s, want %v", a, from, got, to, want)
	}
}

type conversion struct {
	engine sdk.Engine
	units  []units.Unit
}

func (c *conversion) unit(t *rapid.T, name string) units.Unit {
	return rapid.SampledFrom(c.units).Draw(t, name)
}

// value draws a number that is legal in any unit: temperatures must not be negative.
func (c *conversion) value(t *rapid.T) float64 {
	v := rapid.OneOf(
		rapid.Map(rapid.IntRange(0, 100_000), func(i int) float64 { return float64(i) / 100 }),
		rapid.Float64Range(1e-6, 1e6), rapid.Float64Range(1e-250, 1e250),
	).Draw(t, "value")
	if c.units[0].Quantity != "temperature" && rapid.Bool().Draw(t, "negative") {
		return -v
	}
	return v
}

func (c *conversion) ask(t *rapid.T, a any, from, to units.Unit) float64 {
	return ask.For(t, c.engine, ask.In{"a": a, "from": from.ID, "to": to.ID}).Number["value"]
}

// roundedOnce compares numbers and decimal strings with the rational arithmetic of the
// table.
func (c *conversion) roundedOnce(t *rapid.T) {
	from, to, a := c.unit(t, "from"), c.unit(t, "to"), c.value(t)
	text := strconv.FormatFloat(a, 'e', -1, 64)
	decimal, _ := new(big.Rat).SetString(text)
	for sent, exact := range map[any]*big.Rat{a: new(big.Rat).SetFloat64(a), text: decimal} {
		want, _ := units.Convert(exact, from, to).Float64()
		if got := c.ask(t, sent, from, to); got != want {
			t.Fatalf("%v %s = %v %s, want %v", sent, from.ID, got, to.ID, want)
		}
	}
}

func (c *conversion) identity(t *rapid.T) {
	unit, a := c.unit(t, "unit"), c.value(t)
	if got := c.ask(t, a, unit, unit); got != a {
		t.Fatalf("%v %s = %v %s", a, unit.ID, got, unit.ID)
	}
}

// near allows n roundings, of numbers that are larger by the offset than those compared.
func near(got, want float64, n int, offset *big.Rat) bool {
	size := math.Abs(want)
	if offset != nil {
		zero, _ := offset.Float64()
		size += zero
	}
	return math.Abs(got-want) <= float64(n)*0x1p-52*size
}

func (c *conversion) thereAndBack(t *rapid.T) {
	from, to, a := c.unit(t, "from"), c.unit(t, "to"), c.value(t)
	there := c.ask(t, a, from, to)
	if back := c.ask(t, there, to, from); !near(back, a, 2, c.offset()) {
		t.Fatalf("%v %s = %v %s = %v %s", a, from.ID, there, to.ID, back, from.ID)
	}
}

func (c *conversion) detours(t *rapid.T) {
	from, via, to, a := c.unit(t, "from"), c.unit(t, "via"), c.unit(t, "to"), c.value(t)
	direct := c.ask(t, a, from, to)
	if detour := c.ask(t, c.ask(t, a, from, via), via, to); !near(detour, direct, 3, c.offset()) {
		t.Fatalf("%v %s = %v %s, and by way of %s %v", a, from.ID, direct, to.ID, via.ID, detour)
	}
}

// offset is the largest of the quantity's units, nil if they have none.
func (c *conversion) offset() *big.Rat {
	var largest *big.Rat
	for _, u := range c.units {
		if u.Offset != nil && (largest == nil || u.Offset.Cmp(largest) > 0) {
			largest = u.Offset
		}
	}
	return largest
}

func (c *conversion) order(t *rapid.T) {
	from, to, a, b := c.unit(t, "from"), c.unit(t, "to"), c.value(t), c.value(t)
	if x, y := c.ask(t, min(a, b), from, to), c.ask(t, max(a, b), from, to); x > y {
		t.Fatalf("%v %s = %v %s, but %v %s = %v %s", min(a, b), from.ID, x, to.ID, max(a, b), from.ID, y, to.ID)
	}
}
