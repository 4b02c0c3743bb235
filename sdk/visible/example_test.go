package visible_test

import (
	"fmt"

	"github.com/slipstick/slipstick/sdk/visible"
)

// A zero width space makes two names look equal.
func ExampleCheck() {
	fmt.Println(visible.Check("steel\u200b S235"))
	fmt.Printf("%+q\n", visible.Text("steel\u200b S235"))
	fmt.Println(visible.Check("Stahl für Brücken 🏗️"))
	// Output:
	// "steel\u200b S235" has the character U+200B, which readers cannot see: remove it
	// "steel\ufffd S235"
	// <nil>
}
