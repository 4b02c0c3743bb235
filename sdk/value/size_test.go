package value_test

import (
	"reflect"
	"testing"

	"github.com/slipstick/slipstick/sdk/value"
)

// The compiler keeps up to four words in registers. With five, a row of a batch takes an
// eighth longer.
func TestSize(t *testing.T) {
	if words := reflect.TypeFor[value.Value]().Size() / reflect.TypeFor[uintptr]().Size(); words > 4 {
		t.Errorf("a Value has %d words", words)
	}
}
