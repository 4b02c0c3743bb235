package units_test

import (
	"fmt"
	"math/big"

	"github.com/slipstick/slipstick/sdk/units"
)

// A conversion is exact; the caller rounds once.
func ExampleConvert() {
	feet, _ := units.Lookup("ft")
	metres, _ := units.Lookup("m")
	exact := units.Convert(big.NewRat(10, 3), feet, metres)
	rounded, _ := exact.Float64()
	fmt.Println(exact, rounded)
	// Output:
	// 127/125 1.016
}

// An id has an exact spelling, since mW is not MW. Nearest guesses the intended unit.
func ExampleNearest() {
	_, known := units.Lookup("Kn")
	fmt.Println(known, units.Nearest("Kn", 1))
	// Output:
	// false [kN]
}

// An author can use a unit that is not in the table, if it is a unit of SI.
func ExampleCoherent() {
	for _, id := range []string{"mm", "kN m", "kJ/(kg K)", "cubit2"} {
		fmt.Println(units.Coherent(id))
	}
	// Output:
	// m <nil>
	// N m <nil>
	// J/(kg K) <nil>
	//  unit "cubit2": there is no unit cubit; the nearest are uin, cmil, cal_it
}
