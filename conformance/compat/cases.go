package compat

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/slipstick/slipstick/conformance/vector"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// Case is one request to both engines: inputs as a caller sends them.
type Case struct {
	Name   string // such as "vector P1"
	Inputs string // JSON text
}

// Generator returns n requests that are legal by the Spec, the same ones at every call.
type Generator func(spec *sdk.Spec, n int) []Case

// ofVectors returns the vectors as requests, and requests near them, in which one number is
// slightly or considerably larger or smaller. Some inputs are legal only in certain
// combinations; requests near a vector are likely to be such combinations.
func ofVectors(vectors []vector.Vector) (cases, near []Case) {
	for i := range vectors {
		v := &vectors[i]
		cases = append(cases, Case{"vector " + v.ID, v.Inputs})
		if v.Rejection == nil {
			near = append(near, around(v)...)
		}
	}
	return cases, near
}

// factors are the multipliers for a number of a vector.
var factors = []float64{1 + 0x1p-30, 0.5, 3.1}

// around returns the requests near a vector. It changes only numbers at the top level.
func around(v *vector.Vector) []Case {
	var inputs map[string]json.RawMessage
	if err := json.Unmarshal([]byte(v.Inputs), &inputs); err != nil {
		return nil // the inputs of some vectors are deliberately not JSON
	}
	var cases []Case
	for _, name := range slices.Sorted(maps.Keys(inputs)) {
		x, err := strconv.ParseFloat(string(inputs[name]), 64)
		if err != nil {
			continue
		}
		for _, factor := range factors {
			changed := maps.Clone(inputs)
			changed[name] = json.RawMessage(literal(x * factor))
			text, err := json.Marshal(changed)
			if err == nil {
				cases = append(cases, Case{"near vector " + v.ID, string(text)})
			}
		}
	}
	return cases
}

// literal returns x as a JSON number. Infinities become the largest finite numbers.
func literal(x float64) string {
	return string(value.AppendNumber(nil, max(-math.MaxFloat64, min(math.MaxFloat64, x))))
}

// Legal is a Generator. Its requests use names and aliases, enum values, numbers within the
// ranges and at their ends, and optional inputs both present and absent.
func Legal(spec *sdk.Spec, n int) []Case {
	seed := fnv.New64a()
	seed.Write([]byte(spec.Capability))
	g := &generator{random: rand.New(rand.NewPCG(seed.Sum64(), 0))}
	cases := make([]Case, n)
	for i := range cases {
		cases[i] = Case{fmt.Sprintf("generated %d", i+1), string(g.object(spec.Inputs, true))}
	}
	return cases
}

type generator struct {
	random  *rand.Rand
	numbers map[string]float64 // chosen so far, by input; ranges of other inputs may end at them
}

// chance is true with a probability of percent %.
func (g *generator) chance(percent int) bool { return g.random.IntN(100) < percent }

// object returns a JSON object with values for the fields. If inputs is true, the fields
// belong to a request, which may use aliases. Fields with a range that ends at another input
// come last, when that input has its value.
func (g *generator) object(fields []sdk.Field, inputs bool) []byte {
	if inputs {
		g.numbers = map[string]float64{}
	}
	texts := make([][]byte, len(fields))
	for _, bound := range []bool{false, true} {
		for i := range fields {
			f := &fields[i]
			if bound == endsAtInput(f) && (f.Required || g.chance(50)) {
				texts[i] = g.value(f)
			} else if x, err := f.DefaultValue(); err == nil && x.Kind() == value.Number && texts[i] == nil {
				g.numbers[f.Name] = x.Number()
			}
		}
	}
	out := []byte{'{'}
	for i := range fields {
		if texts[i] == nil {
			continue
		}
		name := fields[i].Name
		if aliases := fields[i].Aliases; inputs && len(aliases) > 0 && g.chance(25) {
			name = aliases[g.random.IntN(len(aliases))]
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(strconv.AppendQuote(out, name), ':'), texts[i]...)
	}
	return append(out, '}')
}

func endsAtInput(f *sdk.Field) bool {
	return f.Range != nil && (f.Range.MinInput != "" || f.Range.MaxInput != "")
}

func (g *generator) value(f *sdk.Field) []byte {
	switch f.Type {
	case sdk.TypeBoolean:
		return strconv.AppendBool(nil, g.chance(50))
	case sdk.TypeString:
		return g.text(f)
	case sdk.TypeObject:
		return g.object(f.Fields, false)
	case sdk.TypeArray:
		out := []byte{'['}
		for i := range 1 + g.random.IntN(4) {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, g.value(f.Items)...)
		}
		return append(out, ']')
	}
	x := g.number(f)
	g.numbers[f.Name] = x
	text := literal(x)
	if f.Decimal && g.chance(50) {
		text = strconv.Quote(text)
	}
	return []byte(text)
}

func (g *generator) text(f *sdk.Field) []byte {
	if len(f.Enum) == 0 {
		return []byte(`"text"`)
	}
	if n := len(f.EnumAliases); n > 0 && g.chance(25) {
		return strconv.AppendQuote(nil, f.EnumAliases[g.random.IntN(n)].Alias)
	}
	return strconv.AppendQuote(nil, f.Enum[g.random.IntN(len(f.Enum))])
}

// number returns a number within the range of the field, sometimes one of its ends. It may
// have any order of magnitude, and often has few digits. After 20 attempts it returns a
// number that may lie outside.
func (g *generator) number(f *sdk.Field) float64 {
	low, high, in := math.Inf(-1), math.Inf(1), func(float64) bool { return true }
	if f.Range != nil {
		within := f.Range.Within(func(name string) (float64, bool) { x, ok := g.numbers[name]; return x, ok })
		if within.Min != nil {
			low = *within.Min
		}
		if within.Max != nil {
			high = *within.Max
		}
		in = within.Contains
	}
	const tries = 20
	x := 0.0
	for range tries {
		x = g.between(low, high)
		if f.Type == sdk.TypeInteger {
			x = math.Round(max(-1e6, min(1e6, x)))
		} else if short, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 4, 64), 64); err == nil && g.chance(50) {
			x = short
		}
		if in(x) {
			break
		}
	}
	return x
}

// between returns a number between low and high. Both may be infinite. If the bounds are far
// apart, its logarithm is evenly distributed.
func (g *generator) between(low, high float64) float64 {
	size := math.Pow(10, 9*g.random.Float64()-4) // 1e-4 to 1e5
	switch bounded := !math.IsInf(low, 0) && !math.IsInf(high, 0); {
	case g.chance(5) && !math.IsInf(low, 0):
		return low
	case g.chance(5) && !math.IsInf(high, 0):
		return high
	case bounded && low > 0 && high/low > 100:
		return low * math.Pow(high/low, g.random.Float64())
	case bounded:
		return low + (high-low)*g.random.Float64()
	case !math.IsInf(low, 0):
		return low + size
	case !math.IsInf(high, 0):
		return high - size
	case g.chance(50):
		return -size
	}
	return size
}
