package formula

// fault and undecided are panics that end the evaluation of one definition. The calls of the
// arithmetic are deeply nested, and it cannot continue with either.
type (
	// fault is a mathematical error.
	fault struct {
		of, why string
		cause   *CallError
	}
	// undecided can be decided with more precision, unless it is final.
	undecided struct {
		of, why string
		final   bool
	}
	exhausted struct{}
)

// MaxWork bounds one evaluation, with the calculations that it calls, in units of at most 0.12 microseconds. Work is counted, not
// measured by a clock, so that verdicts are the same on every machine.
const MaxWork = 800_000

// work counts the operations of an evaluation, and ends it after too many.
type work struct {
	left int
	of   map[string]int // definitions, in all passes
}

// tooMuchWork is the reason of a value that takes more work than is left.
const tooMuchWork = "it takes more work than is allowed"

// spend counts the work of a definition since some was left.
func (w *work) spend(name string, left int) {
	if w.of == nil {
		w.of = map[string]int{}
	}
	w.of[name] += left - w.left
}

// most returns the definition that took most of the work, if it was more than allowed.
func (w *work) most() (name string) {
	if w.left >= 0 {
		return ""
	}
	for one, n := range w.of {
		if n > w.of[name] || n == w.of[name] && one < name {
			name = one
		}
	}
	return name
}

func (w *work) do(n int) {
	w.left -= n
	if w.left < 0 {
		panic(exhausted{})
	}
}

// step counts one node of an expression.
func (w *work) step() { w.do(3) }

// exact counts one operation with rational numbers of this number of bits.
func (w *work) exact(bits int) { w.do(4 + bits>>5 + bits*bits>>17) }

// rounded counts one operation with bounds.
func (w *work) rounded(prec uint) { w.do(10 + int(prec>>6+prec*prec>>18)) }

// series counts n operations with one number each.
func (w *work) series(prec uint, n int) { w.do(n * (4 + int(prec>>7+prec*prec>>18))) }
