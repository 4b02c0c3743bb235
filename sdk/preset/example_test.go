package preset_test

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/slipstick/slipstick/sdk/preset"
)

// The density of water follows from its temperature, between the rows of a table.
func ExampleTable_At() {
	table, err := preset.Parse([]byte(`{"table_format": 1, "table_id": "data.fluids.water", "table_version": "1.0.0",
		"title": "Water", "summary": "Properties of water.", "noun": "temperature",
		"interpolation": {"argument": "temperature", "kind": "linear"},
		"columns": [
			{"name": "temperature", "label": "Temperature", "unit": "degC", "source": "a", "monotonic": "rising"},
			{"name": "density", "label": "Density", "unit": "kg/m3", "source": "a"}
		],
		"sources": [{"id": "a", "title": "Handbook A"}]}`),
		[]byte("temperature,density\n10,999.7\n20,998.2\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	density, source, err := table.At(table.Column("density"), big.NewRat(15, 1))
	fmt.Println(density, source, err)
	_, _, err = table.At(table.Column("density"), big.NewRat(25, 1))
	var outside *preset.OutsideError
	fmt.Println(errors.As(err, &outside), outside.Min, outside.Max, outside.Unit)
	// Output:
	// 998.95 a <nil>
	// true 10 20 degC
}

// A caller names a value of a table by its row.
func ExampleParseRef() {
	ref, err := preset.ParseRef("data.materials.metals/S235@1.0.0")
	fmt.Println(ref.Table, ref.Row, ref.Version, err)
	// Output: data.materials.metals S235 1.0.0 <nil>
}
