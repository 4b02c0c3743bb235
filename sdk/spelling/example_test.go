package spelling_test

import (
	"fmt"

	"github.com/slipstick/slipstick/sdk/spelling"
)

// Guess returns a word only if one is near.
func ExampleGuess() {
	known := []string{"length", "position", "tip_moment"}
	for _, word := range []string{"lenght", "mass"} {
		guess, found := spelling.Guess(word, known)
		fmt.Printf("%q %t\n", guess, found)
	}
	// Output:
	// "length" true
	// "" false
}
