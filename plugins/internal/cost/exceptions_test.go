package cost_test

// exception is a bound above the common one.
type exception struct {
	allocations float64
	reason      string
}

// exceptions are by the directory of the engine.
var exceptions = map[string]exception{}
