package contract

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/sdk/value"
)

// A column that is collected row by row has the same bytes as one that is written at once.
func TestOutputColumn(t *testing.T) {
	var c outputColumn // reuses its memory each time
	rapid.Check(t, func(t *rapid.T) {
		one := rapid.SampledFrom([]*rapid.Generator[value.Value]{
			rapid.Map(rapid.Float64(), value.NumberOf), scalars, rapid.Just(value.Value{}), rapid.Just(value.NumberOf(1)),
			rapid.Map(rapid.SampledFrom([]string{"", "a", "b"}), value.TextOf), rapid.Map(rapid.SampledFrom([]float64{1, 2}), value.NumberOf),
			rapid.SampledFrom([]value.Value{{}, value.NumberOf(0), value.TextOf(""), value.BoolOf(false), value.ListOf()}),
		}).Draw(t, "kind")
		rows := rapid.SliceOfN(one, 1, 12).Draw(t, "rows")
		if rapid.Bool().Draw(t, "other") {
			rows[rapid.IntRange(0, len(rows)-1).Draw(t, "row")] = scalars.Draw(t, "value")
		}
		c.reset()
		for i, v := range rows {
			c.add(i, v)
		}
		got := c.append(nil, batchResult, len(rows))
		if want := appendColumn(nil, batchResult, len(rows), func(row int) *value.Value { return &rows[row] }); !bytes.Equal(got, want) {
			t.Fatalf("%v is\n%x, want\n%x", rows, got, want)
		}
	})
}
