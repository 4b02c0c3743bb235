package formula

// fault and undecided end the evaluation of one definition, as panics: arithmetic is deep, and
// neither is a value that it could go on with.
type (
	// fault is a mathematical one.
	fault struct{ of, why string }
	// undecided may be decided with more precision, unless it is final.
	undecided struct {
		of, why string
		final   bool
	}
	exhausted struct{}
)

// maxWork is how much one evaluation may do, in units of at most 0.12 microseconds. It is
// counted, not measured by a clock, so that verdicts are the same on every machine.
const maxWork = 800_000

// work counts what an evaluation does, and ends it when that is too much.
type work struct{ left int }

func (w *work) do(n int) {
	w.left -= n
	if w.left < 0 {
		panic(exhausted{})
	}
}

// step is one node of an expression.
func (w *work) step() { w.do(3) }

// exact is one operation with rational numbers of so many bits.
func (w *work) exact(bits int) { w.do(4 + bits>>5 + bits*bits>>17) }

// rounded is one operation with bounds.
func (w *work) rounded(prec uint) { w.do(10 + int(prec>>6+prec*prec>>18)) }

// series is n operations with one number each.
func (w *work) series(prec uint, n int) { w.do(n * (4 + int(prec>>7+prec*prec>>18))) }
