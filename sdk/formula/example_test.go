package formula_test

import (
	"fmt"

	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/value"
)

// A program reads the text of a formula once, checks it, and computes it for many inputs.
func ExampleParse() {
	text, err := formula.Parse("S = a^3/6\nsigma = M/S if a > 0")
	if err != nil {
		fmt.Println(err)
		return
	}
	symbols := []formula.Symbol{
		{Name: "M", Input: "moment", Unit: "N m", Required: true},
		{Name: "a", Input: "side", Unit: "m", Required: true},
		{Name: "sigma", Output: "stress", Unit: "Pa"},
	}
	for _, mistake := range text.Check(symbols, nil) {
		fmt.Println(mistake)
	}
	fmt.Println(text.Line())

	program, _ := text.Compile(symbols, []string{"sigma"})
	results := make([]formula.Outcome, 1)
	for _, side := range []float64{0.5, 0.25} {
		program.Evaluate(results, []value.Value{value.NumberOf(1000), value.NumberOf(side)})
		fmt.Println(results[0].Value.Number())
	}
	// Output:
	// S = a^3/6; sigma = M/S if a > 0
	// 48000
	// 384000
}
