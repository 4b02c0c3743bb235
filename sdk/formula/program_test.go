package formula

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk/doubled"
	"github.com/slipstick/slipstick/sdk/value"
)

// programSymbols are the inputs of random texts.
var programSymbols = []Symbol{
	{Name: "a", Input: "a", Required: true},
	{Name: "b", Input: "b", Required: true},
	{Name: "n", Input: "n", Required: true},
	{Name: "o", Input: "o"},
	{Name: "mode", Input: "mode", Kind: WordField, Values: []string{"ft", "deg", "degC"}},
	{Name: "on", Input: "on", Kind: BoolField},
	{Name: "l", Input: "l", Kind: ListField, Item: &Symbol{}, Required: true},
	{Name: "v", Input: "v", Kind: ListField, Item: &Symbol{Kind: ListField, Item: &Symbol{}}},
	{Name: "r", Input: "r", Kind: ListField, Item: &Symbol{Kind: RecordField, Members: []Symbol{{Name: "t"}, {Name: "w", Kind: WordField}}}},
	{Name: "y2", Input: "y2", Output: "y2"},
	{Name: "D", Input: "D", Output: "D", Kind: ListField, Item: &Symbol{}},
}

// author writes random texts.
type author struct {
	*rand.Rand
	numbers []string // names in force
	lists   bool     // the text has computed lists
	depth   int
}

func (w *author) pick(list ...string) string { return list[w.IntN(len(list))] }

// number writes a random expression that is a number.
func (w *author) number() string {
	w.depth++
	defer func() { w.depth-- }()
	if w.depth > 4 || w.IntN(4) == 0 {
		return w.leaf()
	}
	switch w.IntN(28) {
	case 0, 1, 2, 3:
		return "(" + w.number() + w.pick(" + ", " - ") + w.number() + ")"
	case 4, 5, 6:
		return w.number() + "*" + w.number()
	case 7, 8, 9:
		return w.number() + "/" + w.pick(w.number(), "("+w.number()+")")
	case 10, 11:
		return "(" + w.number() + ")^" + w.pick("2", "3", "-1", "0.5", "1.5", "0", "0.3", "(-2/3)", "(1/3)")
	case 12:
		return "(" + w.number() + ")^(" + w.number() + ")"
	case 13, 14, 15, 16:
		return w.pick("sqrt", "exp", "ln", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "abs", "sign", "f", "g") + "(" + w.number() + ")"
	case 17:
		return w.pick("atan2", "min", "max") + "(" + w.number() + ", " + w.number() + ")"
	case 18:
		return w.pick("mean", "median", "min", "max", "count") + "(l)"
	case 19:
		return w.pick("floor", "ceil", "round") + "(" + w.number() + w.pick("", ", "+w.number(), ", 0.1", ", 5") + ")"
	case 20, 21:
		return w.fold()
	case 22:
		return w.pick("l", "sort(l)") + "[" + w.pick("1", "2", "n", "count(l)", w.number()) + "]"
	case 23:
		return "interpolate(" + w.number() + ", sort(l), l)"
	case 24:
		return w.pick("v[1][2]", "v[2][1]", "r[1].t", "factor(mode)", "zero(mode)", "(2*(n + 1) - n)")
	case 25, 26:
		if w.lists {
			return w.pick("R[1]", "R[n]", "T[0]", "T[n - 1]", "B[2]", "I[3]", "median(T)", "max(R)", "count(B)", "mean(D)", "sort(T)[1]", "sum(r.t)", "D[2]", "interpolate(a, sort(B), B)")
		}
	}
	return "-" + w.leaf()
}

// someLists writes computed lists: one by itself, two that use earlier items, and two of a group.
func (w *author) someLists() (source string, results []string) {
	w.numbers = append(w.numbers, "i")
	item, other, when := w.number(), w.number(), w.condition()
	w.numbers = w.numbers[:len(w.numbers)-1]
	w.lists = true
	return "R[i in " + w.pick("1..n", "0..n", "n..3") + "] = " + item + "\nT[0] = a if b > 0\nT[0] = b otherwise\n" +
		"T[i in 1..n] = (T[i-1] + " + other + ")/3 if " + when + "\nT[i in 1..n] = T[i-1]*0.7 otherwise\nD[z in l] = z*a\n" +
		"B[0] = a\nI[k in 1..3] = B[k-1]*0.1\nB[k in 1..3] = round(B[k-1] - I[k]" + w.pick("", "*b") + ", 0.01)\n", []string{"R", "T", "B", "D"}
}

func (w *author) leaf() string {
	if w.IntN(2) == 0 {
		return w.pick(w.numbers...)
	}
	return w.pick("0", "1", "2", "3", "0.5", "0.1", "10", "1e-9", "pi", "{3 ft}", "1e20", "0.75", "1.1")
}

// fold writes a random fold.
func (w *author) fold() string {
	over := w.pick("l", "1..3", "1..n", "1..count(l)")
	if w.lists {
		over = w.pick(over, "T", "B")
	}
	i := fmt.Sprint("i", w.depth)
	w.numbers = append(w.numbers, i)
	when, body := "", w.number()
	if w.IntN(2) == 0 {
		when = " if " + w.condition()
	}
	w.numbers = w.numbers[:len(w.numbers)-1]
	return w.pick("sum", "min", "max", "mean", "first", "last", "argmin", "argmax") + "(" + i + " in " + over + when + ": " + body + ")"
}

func (w *author) condition() string {
	w.depth++
	defer func() { w.depth-- }()
	switch w.IntN(9) {
	case 0:
		return "(" + w.condition() + w.pick(" and ", " or ") + w.condition() + ")"
	case 1:
		return "not (" + w.condition() + ")"
	case 2:
		return `mode ` + w.pick("==", "!=") + ` "ft"`
	case 3:
		return w.pick("on", "given(o)", "given(v, r)", "on == (a < b)", "any(z in l if z > a)", "all(z in l: z > b)", `any(z in r: z.w == "x")`)
	}
	return w.number() + w.pick(" < ", " <= ", " > ", " >= ", " == ", " != ") + w.number()
}

// text writes a random text with the results y1, y2 and so on.
func (w *author) text() (source string, results []string) {
	var b strings.Builder
	b.WriteString("f(x) = x^2 + a if x > b\nf(x) = x/3 otherwise\ng(x) = f(x + 1) - x\n")
	w.numbers = []string{"a", "b", "n", "o", "a", "b"}
	if w.IntN(3) == 0 {
		lists, names := w.someLists()
		b.WriteString(lists)
		results = append(results, names...)
	}
	for i := 1; i <= 3; i++ {
		name := fmt.Sprint("y", i)
		if w.IntN(3) == 0 {
			fmt.Fprintf(&b, "%s = %s if %s\n", name, w.number(), w.condition())
		}
		fmt.Fprintf(&b, "%s = %s%s\n", name, w.number(), w.pick("", " if "+w.condition()))
		w.numbers = append(w.numbers, name)
		results = append(results, name)
	}
	if w.IntN(4) == 0 {
		b.WriteString("t = \"long\" if " + w.condition() + "\nt = \"short\" otherwise\nc = " + w.condition() + "\ns = sort(l)\n")
		results = append(results, "t", "c", "s")
	}
	return b.String(), results
}

// sample returns a random number: mostly one that people type, sometimes an extreme one or one near another.
func (w *author) sample() float64 {
	sign := float64(1 - 2*w.IntN(5)/4)
	switch w.IntN(12) {
	case 0:
		return 0
	case 1:
		return sign * math.Ldexp(1+w.Float64(), w.IntN(2000)-1000)
	case 2:
		return sign * w.Float64()
	case 3:
		return sign * math.Nextafter(float64(w.IntN(10)), 100)
	case 4:
		return sign * float64(w.IntN(1000)) * math.Pow10(w.IntN(30)-20)
	case 5:
		return 1 + sign*math.Ldexp(1, -w.IntN(60))
	case 6:
		return math.Pi / 2 * float64(w.IntN(5))
	case 7:
		return sign * math.Ldexp(1, w.IntN(20)-10)
	}
	return sign * float64(w.IntN(200)) / 10
}

func (w *author) inputs() []value.Value {
	number := func() value.Value { return value.NumberOf(w.sample()) }
	optional := func(v value.Value) value.Value {
		if w.IntN(3) == 0 {
			return value.Value{}
		}
		return v
	}
	list := func() value.Value {
		var items []value.Value
		for range w.IntN(5) {
			items = append(items, number())
		}
		return value.ListOf(items...)
	}
	return []value.Value{
		number(), number(), value.NumberOf(float64(w.IntN(5))), optional(number()),
		optional(value.TextOf(w.pick("ft", "deg", "degC"))), optional(value.BoolOf(w.IntN(2) == 0)),
		list(), optional(value.ListOf(value.ListOf(number(), number()), value.ListOf(number()))),
		optional(value.ListOf(value.RecordOf(optional(number()), value.TextOf(w.pick("x", "y"))))),
		optional(number()), optional(list()),
	}
}

// modes are the texts of documents with decimals and without, and of definitions.
func modes(text *Text) []*Text { return []*Text{text, text.OfDocument(false), text.OfDocument(true)} }

// alike fails unless the fast path and the exact evaluator agree. It returns whether the fast path decided all.
func alike(t *testing.T, p *Program, inputs []value.Value) bool {
	t.Helper()
	got, want := make([]Outcome, len(p.results)), make([]Outcome, len(p.results))
	fast := p.Evaluate(got, inputs)
	if !fast {
		return false
	}
	p.Evaluation().exact(want, p.results, inputs, MaxWork)
	for i := range got {
		if strings.Contains(want[i].Why, "more work") || got[i].State == want[i].State && got[i].Case == want[i].Case && got[i].Sent == want[i].Sent && equalValues(got[i].Value, want[i].Value) {
			continue
		}
		t.Fatalf("%s\nof %v: %s is %+v on the fast path, and %+v", p.text, inputs, p.results[i], got[i], want[i])
	}
	return true
}

func equalValues(a, b value.Value) bool {
	if a.Kind() != b.Kind() || a.Kind() == value.List && len(a.Items()) != len(b.Items()) {
		return false
	}
	if a.Kind() == value.List {
		for i := range a.Items() {
			if !equalValues(a.Items()[i], b.Items()[i]) {
				return false
			}
		}
		return true
	}
	return math.Float64bits(a.Number()) == math.Float64bits(b.Number()) && a.Text() == b.Text()
}

// count counts programs and evaluations.
type count struct{ programs, fast, evaluations int }

// compare compares both evaluators on a text, and counts.
func (c *count) compare(t *testing.T, w *author, source string, results []string) {
	text, err := Parse(source)
	if err != nil {
		return // it is too deep
	}
	for _, of := range modes(text) {
		p, ok := of.Compile(programSymbols, results)
		if !ok {
			continue
		}
		c.programs++
		for range 4 {
			c.evaluations++
			if alike(t, p, w.inputs()) {
				c.fast++
			}
		}
	}
}

func newAuthor(seed uint64) *author { return &author{Rand: rand.New(rand.NewPCG(seed, 35))} }

// The fast path and the exact evaluator agree on random texts and inputs, and find the same roots of equations.
func TestProgramsOfRandomTexts(t *testing.T) {
	seeds := uint64(300)
	if testing.Short() {
		seeds = 50
	}
	var texts, equations count
	for seed := range seeds {
		w := newAuthor(seed)
		source, results := w.text()
		texts.compare(t, w, source, results)
		equations.compare(t, w, w.equation(), []string{"y", "z"})
	}
	t.Logf("texts %+v, equations %+v", texts, equations)
	if texts.programs < int(seeds) || texts.fast < texts.evaluations/10 || equations.programs < int(seeds)/2 || equations.fast < int(seeds)/10 {
		t.Fatal("too few")
	}
}

func FuzzPrograms(f *testing.F) {
	f.Add(uint64(1 << 40))
	f.Fuzz(func(t *testing.T, seed uint64) {
		w, c := newAuthor(seed), new(count)
		source, results := w.text()
		c.compare(t, w, source, results)
		c.compare(t, w, w.equation(), []string{"y", "z"})
	})
}

// equation writes a random equation for y.
func (w *author) equation() string {
	return "solve y in [" + w.pick("0", "1e-8", "-3", "a", "1e-300") + ", " + w.pick("1", "10", "1e303", "1e700", "b", "b + 5") + "]: " +
		w.side() + " = " + w.side() + "\nz = y^2 - a"
}

// side writes a random side of an equation for y.
func (w *author) side() string {
	w.depth++
	defer func() { w.depth-- }()
	c := w.pick("2", "0.3", "a", "b", "abs(a)", "o", "(1 + b^2)", "-1")
	if w.depth > 4 {
		return w.pick("y", c)
	}
	switch w.IntN(9) {
	case 0:
		return "(" + w.side() + w.pick(" + ", " - ") + w.side() + ")"
	case 1:
		return c + w.pick("*", "/") + w.side()
	case 2:
		return w.side() + "*" + w.side()
	case 3:
		return "(" + w.side() + ")^" + w.pick("2", "3", "0.5", "-1", "(1/3)", "-2.5")
	case 4, 5:
		return w.pick("sqrt", "ln", "log10", "exp", "sinh", "tanh", "atan", "-", "sin") + "(" + w.side() + ")"
	case 6:
		return c
	}
	return "y"
}

// ball returns a ball around a random number, and a number in it.
func (w *author) ball() (doubled.Ball, number) {
	hi := w.sample()
	switch w.IntN(5) {
	case 0:
		return doubled.Of(hi), exactly(new(big.Rat).SetFloat64(hi))
	case 1:
		x, _ := new(big.Rat).SetString(strconv.FormatFloat(hi, 'g', -1, 64))
		return doubled.OfDecimal(hi), exactly(x)
	}
	lo := math.Ldexp(hi*(w.Float64()-0.5), -52-w.IntN(2))
	bound := math.Ldexp(math.Abs(hi), -60-w.IntN(50))
	x := new(big.Rat).SetFloat64(hi)
	x.Add(x, new(big.Rat).SetFloat64(lo))
	x.Add(x, new(big.Rat).SetFloat64(bound*(2*w.Float64()-1)))
	return doubled.Near(hi, lo, bound), exactly(x)
}

// The result of each operation and function is within its bound, for any number within the bounds of the operands.
func TestBallsHoldTheirNumbers(t *testing.T) {
	w := &author{Rand: rand.New(rand.NewPCG(2, 35))}
	a := &arithmetic{prec: 400}
	unary := map[string]func(*arithmetic, number) number{
		"square": func(a *arithmetic, x number) number { return a.integerPower(x, 2) },
		"cube":   func(a *arithmetic, x number) number { return a.integerPower(x, -3) },
	}
	balls := maps.Clone(balls)
	balls["square"] = func(x doubled.Ball) doubled.Ball { return x.Mul(x) }
	balls["cube"] = func(x doubled.Ball) doubled.Ball { return x.Pow(-3) }
	maps.Copy(unary, ofOne)
	binary := map[string]func(a *arithmetic, x, y number) number{
		"add": (*arithmetic).add, "sub": (*arithmetic).sub, "mul": (*arithmetic).mul, "div": (*arithmetic).div,
		"pow": (*arithmetic).power, "atan2": (*arithmetic).atan2,
		"min": func(a *arithmetic, x, y number) number { return a.least(x, y, 1) },
		"max": func(a *arithmetic, x, y number) number { return a.least(x, y, -1) },
	}
	pairs := map[string]func(x, y doubled.Ball) doubled.Ball{
		"add": doubled.Ball.Add, "sub": doubled.Ball.Sub, "mul": doubled.Ball.Mul, "div": doubled.Ball.Div,
		"pow": powerOf, "atan2": doubled.Ball.Atan2, "min": doubled.Ball.Min, "max": doubled.Ball.Max,
	}
	known, worst := map[string]int{}, map[string]float64{}
	check := func(name string, got doubled.Ball, of func() number, from ...doubled.Ball) {
		if !got.IsKnown() {
			return
		}
		a.work = &work{left: MaxWork}
		want := of()
		hi, lo, bound := got.Parts()
		known[name]++
		low, high := want.bounds(400)
		middle := float(400).Add(big.NewFloat(hi), big.NewFloat(lo))
		least, most := float(400).Sub(middle, big.NewFloat(bound)), float(400).Add(middle, big.NewFloat(bound))
		if low.Cmp(most) > 0 || high.Cmp(least) < 0 {
			t.Fatalf("%s of %v is %v, and not between %v and %v", name, from, got, low, high)
		}
		if hi != 0 && len(from) == 1 && from[0] == doubled.Of(from[0].Float()) {
			worst[name] = max(worst[name], bound/math.Abs(hi))
		}
	}
	for range 1000 {
		x, of := w.ball()
		y, and := w.ball()
		for name, f := range balls {
			check(name, f(x), func() number { return unary[name](a, of) }, x)
		}
		for name, f := range pairs {
			check(name, f(x, y), func() number { return binary[name](a, of, and) }, x, y)
		}
	}
	for name := range known {
		t.Logf("%s: %d, bounds of exact numbers to 2^%.1f", name, known[name], math.Log2(worst[name]))
		if known[name] < 200 {
			t.Errorf("%s is known %d times", name, known[name])
		}
	}
	if len(known) != len(balls)+len(pairs) {
		t.Errorf("%d functions", len(known))
	}
}

// The fast path of a hostile text makes at most a few MiB of closures, and ends within its steps. Its outcome is the
// exact one.
func TestProgramsOfHostileTexts(t *testing.T) {
	symbols := []Symbol{{Name: "list", Input: "list", Kind: ListField, Item: &Symbol{}}, {Name: "a", Input: "a", Required: true}}
	inputs := []value.Value{hostileInputs[0].Value, hostileInputs[1].Value}
	compiled, fast := 0, 0
	for name, source := range hostile {
		text, err := Parse(source)
		if err != nil {
			continue
		}
		var results []string
		for _, d := range text.Definitions {
			if d.Kind != Function {
				results = append(results, d.Name)
			}
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p, ok := text.OfDocument(false).Compile(symbols, results)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
			t.Errorf("%s: %d bytes", name, n)
		}
		if !ok {
			continue
		}
		compiled++
		m := p.newMachine()
		m.steps = maxFast
		m.run(p, make([]Outcome, len(results)), inputs)
		if m.steps < -2*MaxSteps {
			t.Errorf("%s: %d steps too many", name, -m.steps)
		}
		if alike(t, p, inputs) {
			fast++
		}
	}
	t.Logf("%d of %d texts have a fast path, and %d are decided on it", compiled, len(hostile), fast)
	if compiled < 20 || fast < 10 {
		t.Error("too few")
	}
}

// A later result is what Evaluate gives for it, whether it is asked or not, and whichever path computes it.
func TestLater(t *testing.T) {
	text := parse(t, "y = x^2\nnear = (x + {1 m})^2\nopen = sin({1 rad}*floor(x/x)) - sin(1)\nbad = 1/(x - x)\nwide = sqrt(y)\n")
	later := []string{"near", "open", "bad", "wide"}
	symbols := []Symbol{{Name: "x", Input: "x", Unit: "m", Required: true}}
	p, fast := text.Compile(symbols, []string{"y"}, later...)
	all, _ := text.Compile(symbols, later)
	if !fast {
		t.Fatal("there is no fast path")
	}
	e := p.Evaluation()
	defer e.Close()
	var into [1]Outcome
	for _, x := range []float64{2, 0.1, 1e200, 3} { // 1e200 has no fast path
		inputs := []value.Value{value.NumberOf(x)}
		want := make([]Outcome, len(later))
		all.Evaluation().exact(want, later, inputs, MaxWork)
		for _, order := range [][]int{{}, {0}, {3, 2, 1, 0}, {1, 3, 0, 0}} {
			if e.Evaluate(into[:], inputs) != (x < 1e200) || into[0].Value.Number() != x*x {
				t.Fatalf("y of %v is %+v", x, into[0])
			}
			for _, i := range order {
				got := e.Later(i)
				if got.State != want[i].State || !equalValues(got.Value, want[i].Value) {
					t.Errorf("%s of %v is %+v, want %+v", later[i], x, got, want[i])
				}
			}
		}
	}
}
