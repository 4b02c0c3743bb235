package formula

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk/value"
)

func parse(t testing.TB, source string) *Text {
	t.Helper()
	text, err := Parse(source)
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	return text
}

// in makes an input of a float64, string, bool, []float64 or value.Value.
func in(name string, of any) Input {
	one := Input{Name: name}
	switch v := of.(type) {
	case int:
		one.Value = value.NumberOf(float64(v))
	case float64:
		one.Value = value.NumberOf(v)
	case string:
		one.Value = value.TextOf(v)
	case bool:
		one.Value = value.BoolOf(v)
	case []float64:
		one.Value = listOf(v...)
	case value.Value:
		one.Value = v
	}
	return one
}

func listOf(list ...float64) value.Value {
	items := make([]value.Value, len(list))
	for i, x := range list {
		items[i] = value.NumberOf(x)
	}
	return value.ListOf(items...)
}

// near is the condition of a proof: bounds within 1e-14 of the nearest number.
func near(v *Value) bool {
	x, _ := v.Number()
	return v.Compare(x, 1e-14) == Agrees
}

// inputs has one input of each kind.
var inputs = []Input{
	in("a", 3), in("b", 0.5), in("zero_", 0), in("minus", -2), in("mode", "fast"), in("on", true), in("off", false),
	in("list", []float64{3, 1, 2, 10}), in("none", value.ListOf()), in("words", value.ListOf(value.TextOf("m"))),
	in("point", value.RecordOf(value.NumberOf(1))), in("exact", value.ExactOf("0.1")), in("unit", "ft"), in("angle", "deg"), in("warm", "degC"),
	in("corners", value.ListOf(listOf(0, 0), listOf(4, 0), listOf(4, 3))),
	{Name: "layers", Value: value.ListOf(value.RecordOf(value.NumberOf(0.1), value.NumberOf(2)), value.RecordOf(value.NumberOf(0.3), value.Value{})), Members: []string{"thickness", "conductivity"}},
}

// described returns a number, true, false or absent, or why there is no value.
func described(v *Value) string {
	got := map[State]string{Absent: "absent", Undecided: "undecided", Fault: "fault: " + v.Why}[v.State]
	if x, ok := v.Number(); ok {
		got = fmt.Sprint(x)
	}
	if is, ok := v.Bool(); ok {
		got = fmt.Sprint(is)
	}
	return got
}

// The value of an expression is a number, true, false or absent, or the reason why it has
// none.
func TestExpressions(t *testing.T) {
	tests := []struct{ text, want string }{
		{"1 + 2*a", "7"},
		{"-a^2", "-9"},
		{"2^-2", "0.25"},
		{"0.1 + 0.2 - 0.3", "0"},
		{"exact*10", "1"},
		{"zero_^0", "1"},
		{"2^0.5 - sqrt(2)", "0"},
		{"4^1.5", "8"},
		{"4^-0.5", "0.5"},
		{"(-8)^3", "-512"},
		{"(-8)^(1/3)", "fault: a power of a negative number, with an exponent that is not an integer"},
		{"sqrt(0.0625)", "0.25"},
		{"sqrt(1e-600)", "1e-300"},
		{"1e300*1e300/1e300", "1e+300"},
		{"a/zero_", "fault: a division by zero"},
		{"zero_^-1", "fault: a division by zero"},
		{"sqrt(minus)", "fault: the square root of a negative number"},
		{"minus^0.5", "fault: the square root of a negative number"},
		{"ln(zero_)", "fault: the logarithm of a number that is not positive"},
		{"ln(minus)", "fault: the logarithm of a number that is not positive"},
		{"ln(1)", "0"},
		{"acos(a)", "fault: the arc cosine of a number beyond 1"},
		{"asin(-a)", "fault: the arc sine of a number beyond 1"},
		{"acos(1)", "0"},
		{"exp(0)", "1"},
		{"sin(0) + cos(0) + atan(0) + atan2(0, 1) + atan2(0, 0)", "1"},
		{"atan2(0, -1) - pi", "0"},       // within the distance from 0 that binary64 can represent
		{"sign(atan2(0, -1) - pi)", "0"}, // multiples of pi are compared exactly
		{"sign(sqrt(2)*sqrt(2) - 2)", "undecided"},
		{"sign(minus) + sign(zero_)", "-1"},
		{"abs(minus)", "2"},
		{"min(a, minus, b)", "-2"},
		{"max(a, minus, b)", "3"},
		{"{3 km}", "3000"},
		{"{180 deg}/pi", "1"},
		{"{20 degC}", "293.15"},
		{"a*factor(unit)", "0.9144"},
		{"180*factor(angle)/pi", "1"},
		{"(a + zero(warm))*factor(warm)", "276.15"},
		{"zero(unit)", "0"},
		{"factor(mode)", "fault: no unit fast"},
		{"factor(a)", "fault: a number where a word is needed"},
		// absence
		{"a + missing", "absent"},
		{"missing + a/zero_", "fault: a division by zero"},
		{"a/zero_ + missing", "fault: a division by zero"},
		{"-missing", "absent"},
		{"missing < a", "absent"},
		{"not missing", "absent"},
		{"missing == \"fast\"", "false"},
		{"missing != \"fast\"", "false"},
		{"mode == missing", "false"},
		{"missing == also_missing", "absent"},
		{"mode == \"fast\" and missing < 1", "absent"},
		{"mode == \"slow\" and missing < 1", "false"},
		{"missing < 1 and mode == \"slow\"", "false"},
		{"missing < 1 or on", "true"},
		{"missing < 1 or off", "absent"},
		{"missing[1]", "absent"},
		{"list[missing]", "absent"},
		{"missing.x", "absent"},
		{"layers[2].conductivity", "absent"},
		{"sqrt(missing)", "absent"},
		{"min(a, missing)", "absent"},
		{"count(missing)", "absent"},
		{"sum(v in missing: v)", "absent"},
		{"sum(i in 1..missing: i)", "absent"},
		{"sum(k in layers: k.conductivity)", "absent"},
		{"f(missing)", "absent"},
		{"constant(missing)", "absent"},
		{"given(a)", "true"},
		{"given(a, missing)", "false"},
		{"not given(missing)", "true"},
		// conditions
		{"on", "true"},
		{"not on", "false"},
		{"on == off", "false"},
		{"mode == \"fast\"", "true"},
		{"mode != \"slow\"", "true"},
		{"1 < a < 3", "false"},
		{"1 < a <= 3", "true"},
		{"b == 0.5 and a != 2", "true"},
		{"on and zero_ == 0", "true"},
		{"off and 1/zero_ > 1", "false"},
		{"on or 1/zero_ > 1", "true"},
		{"sqrt(2)^2 == 2 or on", "true"},
		{"sqrt(2)*sqrt(2) == 2 and off", "false"},
		{"sqrt(2)*sqrt(2) == 2 and on", "undecided"},
		{"sqrt(2)*sqrt(2) == 2 and missing", "undecided"},
		{"1/zero_ > 1 or on", "fault: a division by zero"},
		{"sqrt(2)*sqrt(2) == 2", "undecided"},
		{"sqrt(2)*sqrt(2) < 2.000001", "true"},
		{"mode < mode", "fault: a word has no order"},
		{"on == 1", "fault: true or false is compared with a number"},
		{"a + on", "fault: true or false where a number is needed"},
		{"not a", "fault: a number where true or false is needed"},
		{"a and on", "fault: a number where true or false is needed"},
		{"list == list", "fault: a list has no order"},
		// lists and records
		{"list[1] + list[4]", "13"},
		{"list[0]", "fault: item 0 of a list of 4"},
		{"list[5]", "fault: item 5 of a list of 4"},
		{"list[b]", "fault: a number that is not an integer, where one is needed"},
		{"list[1e300]", "fault: item 1099511627776 of a list of 4"},
		{"list[2*sqrt(2)/sqrt(2)]", "undecided"},
		{"a[1]", "fault: a number where a list is needed"},
		{"a.x", "fault: a number where a record is needed"},
		{"corners[3][2]", "3"},
		{"layers[2].thickness", "0.3"},
		{"count(list) + count(none) + count(layers)", "6"},
		{"count(a)", "fault: a number where a list is needed"},
		{"mean(list)", "4"},
		{"median(list)", "2.5"},
		{"median(none)", "fault: median of an empty list"},
		{"min(list) + max(list)", "11"},
		{"max(none)", "fault: max of an empty list"},
		{"max(list, 3)", "fault: a list where a number is needed"},
		{"mean(words)", "fault: a word where a number is needed"},
		{"sqrt(list)", "fault: a list where a number is needed"},
		{"sum(v in list: v^2)", "114"},
		{"sum(v in none: v)", "0"},
		{"sum(v in a: v)", "fault: a number where a list is needed"},
		{"sum(i in 1..4: i*list[i])", "51"},
		{"sum(i in 3..1: i)", "0"},
		{"sum(i in 1..2: sum(k in 1..i: i*k))", "7"},
		{"sum(i in 1..1000: i)", "500500"},
		{"sum(i in 0..1000: i)", "undecided"},
		{"sum(k in layers: k.thickness)", "0.4"},
		// folds; list is 3, 1, 2, 10
		{"sum(v in list)", "16"},
		{"sum(v in list if v > 1: v^2)", "113"},
		{"sum(v in list if missing < v: v)", "0"},
		{"min(v in list: -v)", "-10"},
		{"max(v in list if v < 10)", "3"},
		{"max(v in none)", "absent"},
		{"mean(i in 1..4: i^2)", "7.5"},
		{"mean(v in none: v)", "absent"},
		{"min(k in layers: k.conductivity)", "absent"},
		{"count(v in list if v > 1)", "3"},
		{"count(v in list: v > 2)", "2"},
		{"count(v in none)", "0"},
		{"any(v in list: v == 3)", "true"},
		{"any(v in list if v > 3: v < 5)", "false"},
		{"any(v in list if v > 3)", "true"},
		{"any(v in none: true)", "false"},
		{"all(v in list: v > 0)", "true"},
		{"all(v in list if v > 2: v > 3)", "false"},
		{"all(v in none: false)", "true"},
		{"first(i in 1..4 if list[i] < 3: i)", "2"},
		{"last(i in 1..4 if list[i] < 10)", "3"},
		{"first(v in list if v > 10)", "absent"},
		{"first(k in layers if k.thickness < 1: k).thickness > 0", "true"},
		{"last(v in list: v/(v - 1))", "1.1111111111111112"},
		{"argmin(v in list: abs(v - 2))", "3"},
		{"argmax(i in -2..2: i^2)", "-2"},
		{"argmax(v in none)", "absent"},
		{"sum(i in 1..2: count(k in 1..2 if k <= i))", "3"},
		// rounding and lists
		{"floor(2.7) + floor(-2.2)", "-1"},
		{"ceil(2.2) + ceil(-2.7)", "1"},
		{"round(2.5) + round(-2.5)", "0"},
		{"round(2.5)", "3"},
		{"round(2.4999999999999999999)", "3"}, // 2.5 with 53 bits
		{"floor(0.3/0.1)", "3"},
		{"floor(sqrt(9))", "3"},
		{"floor(sqrt(2)^2)", "2"},
		{"round(pi, 0.01)", "3.14"},
		{"ceil(0.301, 0.1)", "0.4"},
		{"round(1, 0)", "fault: a division by zero"},
		{"sort(list)[1] + sort(list)[4]", "11"},
		{"sort(words)", "fault: a word where a number is needed"},
		{"interpolate(2.5, sort(list), list)", "1.5"},
		{"interpolate(10, sort(list), list)", "10"},
		{"interpolate(11, sort(list), list)", "fault: interpolate outside of its numbers"},
		{"interpolate(1, list, list)", "fault: interpolate needs ascending numbers"},
		{"interpolate(1, none, none)", "fault: interpolate needs two lists of one length, with two numbers or more"},
		// functions of the text
		{"f(2)", "4"},
		{"f(f(2))", "16"},
		{"g(2) + g(-2)", "fault: the square root of a negative number"},
		{"hypot(3, 4)", "5"},
		{"none_above(1)", "absent"},
	}
	for _, test := range tests {
		text := parse(t, `f(x) = x^2
constant(x) = 7
g(x) = sqrt(x) if x > -3
hypot(x, y) = sqrt(f(x) + f(y))
none_above(x) = 1 if x > 1
result = `+test.text)
		v := text.Evaluate(inputs, nil, near).Value("result")
		got := described(v)
		if got != test.want {
			t.Errorf("%s gives %s (%s), want %s", test.text, got, v.Why, test.want)
		}
	}
}

// The first case that holds counts, also at its boundary, and determines the formula.
func TestCases(t *testing.T) {
	text := parse(t, `y = 1/x     if x < 0.1        @low_v1
y = absent_ if x == 0.1
y = 1/0     if x < 0.3        @fault_v1
y = 3       if sqrt(2)*sqrt(2) == 2 and x == 0.3
y = 4       if missing < x
y = 5       if x > 7
z = y + 1
w = z`)
	tests := []struct {
		x     float64
		state State
		index int
		id    string
		why   string
	}{
		{0.05, Known, 0, "low_v1", ""},
		{0.1, Fault, 2, "fault_v1", "a division by zero"}, // the binary64 number is above 0.1
		{0.2, Fault, 2, "fault_v1", "a division by zero"},
		{math.Nextafter(0.1, 0), Known, 0, "low_v1", ""},
		{0, Fault, 0, "low_v1", "a division by zero"},
		{7, Absent, -1, "", ""},
		{math.Nextafter(7, 8), Known, 5, "", ""},
	}
	for _, test := range tests {
		r := text.Evaluate([]Input{in("x", test.x)}, nil, near)
		v := r.Value("y")
		if v.State != test.state || v.Case != test.index || v.ID != test.id || v.Why != test.why {
			t.Errorf("x = %v: state %d, case %d of %q, %q, want %d, %d, %q, %q", test.x, v.State, v.Case, v.ID, v.Why, test.state, test.index, test.id, test.why)
		}
		for i := range text.Definition("y").Cases {
			if got := r.Reached(text.Definition("y"), i); got != (i == test.index) {
				t.Errorf("x = %v: case %d was reached: %t", test.x, i, got)
			}
		}
		if w := r.Value("w"); test.state == Fault && (w.State != Fault || w.Why != "y has no value: a division by zero") {
			t.Errorf("x = %v: w is %d, %q", test.x, w.State, w.Why)
		}
	}
	// An exact 0.1, and a condition that no bounds decide.
	exact := func(s string) *Value {
		return text.Evaluate([]Input{in("x", value.ExactOf(s))}, nil, near).Value("y")
	}
	if v := exact("0.1"); v.State != Absent || v.Case != 1 {
		t.Errorf("x = 0.1: state %d, case %d", v.State, v.Case)
	}
	if v := exact("0.3"); v.State != Undecided || v.Case != -1 || v.Why != "the bounds of two numbers that are compared overlap" {
		t.Errorf("x = 0.3: state %d, case %d, %q", v.State, v.Case, v.Why)
	}
}

// A sent input has precedence, and a taken value comes from the engine.
func TestSentAndTaken(t *testing.T) {
	text := parse(t, "c := 2 m # source\ny = c*x\ntaken z # table\nw = y + z\ntaken none # table\nv = none + 1")
	r := text.Evaluate([]Input{in("x", 1.5), in("y", 10)}, map[string]float64{"z": 0.25, "none": math.NaN()}, near)
	if v := r.Value("y"); !v.Sent || v.Case != -1 || v.State != Known {
		t.Errorf("y: %+v", v)
	}
	if v := r.Value("z"); v.State != IsTaken {
		t.Errorf("z: %+v", v)
	}
	if x, ok := r.Value("w").Number(); x != 10.25 || !ok {
		t.Errorf("w = %v", x)
	}
	if v := r.Value("v"); v.State != Absent {
		t.Errorf("v: %+v", v)
	}
	if x, _ := r.Value("c").Number(); x != 2 || r.Value("x") != nil {
		t.Errorf("c = %v", x)
	}
}

func number64(t testing.TB, r *Result, name string) float64 {
	t.Helper()
	v := r.Value(name)
	x, ok := v.Number()
	if !ok || v.Compare(x, 1e-14) != Agrees {
		t.Fatalf("%s is not known: state %d, %s", name, v.State, v.Why)
	}
	return x
}

// In these cases a fixed number of digits is not enough.
func TestHardCases(t *testing.T) {
	tests := []struct {
		name, text string
		inputs     []Input
		want       float64
	}{
		{"loads that cancel", "y = (P*a^2*(3*L - a)/6 - P*a^2*(3*L - a)/6 + 0.1 - 0.3 + 0.2)*sqrt(2)", []Input{in("P", 1e17), in("a", 0.1), in("L", 3)}, 0},
		{"effectiveness with C of 1e-300", "y = 1 - exp(-(1 - exp(-C*N))/C)", []Input{in("C", 1e-300), in("N", 0.9)}, 1 - math.Exp(-0.9)},
		{"counterflow near C = 1", "y = (1 - exp(-N*(1 - C)))/(1 - C*exp(-N*(1 - C)))", []Input{in("C", math.Nextafter(1, 0)), in("N", 1)}, 0.5},
		{"a growth beyond binary64", "g = (1 + r)^n; y = P*g*r/(g - 1)/1e300", []Input{in("r", 1e300), in("n", 100_000), in("P", 2)}, 2},
		{"1 - cos of a small number", "y = (1 - cos(x))/x^2", []Input{in("x", 1e-150)}, 0.5},
		{"tanh of a large number", "y = tanh(x)", []Input{in("x", 1e300)}, 1},
		{"atan of a large number", "y = 1e300*(pi/2 - atan(x))", []Input{in("x", 1e300)}, 1},
		{"sin of a large number", "y = sin(x)", []Input{in("x", 1e22)}, math.Sin(1e22)},
		{"sin of a huge number", "y = sin(x)", []Input{in("x", 1e300)}, math.Sin(1e300)},
		{"cos of a huge negative number", "y = cos(x)", []Input{in("x", -1e300)}, math.Cos(1e300)},
		{"a root of a square", "y = sqrt((x - z)^2) - (z - x)", []Input{in("x", 0.1), in("z", 0.3)}, 0},
		{"an exact line", "S = sum(i in 1..3: (x[i] - mean(x))*(z[i] - mean(z))); y = sqrt(sum(i in 1..3: (z[i] - mean(z))^2) - S^2/sum(i in 1..3: (x[i] - mean(x))^2))",
			[]Input{in("x", []float64{1, 2, 4}), in("z", []float64{0.5, 1, 2})}, 0},
		{"exp that is too small", "y = 1/(1 + exp(-x)) + exp(-x*x)", []Input{in("x", 1e300)}, 1},
	}
	for _, test := range tests {
		if got := number64(t, parse(t, test.text).Evaluate(test.inputs, nil, near), "y"); math.Abs(got-test.want) > 2e-16*math.Abs(test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// TestLongLists has sums and statistics of as many items as the largest requests.
func TestLongLists(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	list := make([]float64, 1000)
	sum, exact := 0.0, new(big.Rat)
	for i := range list {
		list[i] = math.Round(1e4*r.Float64()) / 1e2
		exact.Add(exact, new(big.Rat).SetFloat64(list[i]))
	}
	sum, _ = exact.Float64()
	text := parse(t, `n = count(y)
m = sum(v in y: v)/n
S = sum(v in y: (v - m)^2)
s = sqrt(S/(n - 1))
middle = median(y)
r_1 = sum(i in 1..n-1: (y[i] - m)*(y[i+1] - m))/S`)
	result := text.Evaluate([]Input{in("y", list)}, nil, near)
	if got := number64(t, result, "m"); math.Abs(got-sum/1000) > 1e-15*sum {
		t.Errorf("mean %v, want %v", got, sum/1000)
	}
	for _, name := range []string{"s", "middle", "r_1"} {
		number64(t, result, name)
	}
}

// Compare reports that a number agrees, that it differs, or that the bounds are too wide.
func TestCompare(t *testing.T) {
	within := func(low, high float64) *Value {
		return &Value{State: Known, value: ofNumber(number{low: big.NewFloat(low), high: big.NewFloat(high)})}
	}
	exact := func(x float64) *Value {
		return &Value{State: Known, value: ofNumber(exactly(new(big.Rat).SetFloat64(x)))}
	}
	tests := []struct {
		v              *Value
		got, tolerance float64
		want           Agreement
	}{
		{exact(1), 1, 0, Agrees},
		{exact(1), math.Nextafter(1, 2), 0, Differs},
		{exact(1), math.Nextafter(1, 2), 1e-15, Agrees},
		{exact(1), 1 + 1.5e-12, 1e-12, Differs},
		{exact(-1), -1 - 1.5e-12, 1e-12, Differs},
		{exact(-1), -1 + 0.5e-12, 1e-12, Agrees},
		{exact(0), 0, 1e-12, Agrees},
		{exact(0), 1e-300, 1e-12, Differs},
		{exact(math.SmallestNonzeroFloat64), 0, 0, Agrees},
		{within(1, 1+1e-13), 1, 1e-12, Agrees},
		{within(1, 1.1), 1, 1e-12, Unproved},
		{within(1.01, 1.1), 1, 1e-12, Differs},
		{within(-1e-320, 1e-320), 0, 1e-12, Unproved},
		{exact(1), math.NaN(), 1e-12, Unproved},
		{exact(1), math.Inf(1), 1e-12, Unproved},
		{exact(1), 1, math.Inf(1), Unproved},
		{&Value{State: Fault}, 1, 1e-12, Unproved},
		{&Value{State: Known, value: ofBool(true)}, 1, 1e-12, Unproved},
	}
	for _, test := range tests {
		if got := test.v.Compare(test.got, test.tolerance); got != test.want {
			t.Errorf("%v within %v of %v: %d, want %d", test.v.value.number, test.tolerance, test.got, got, test.want)
		}
	}
}

// writer makes random expressions of the names a, b, c and the continuous functions.
type writer struct{ *rand.Rand }

func (w writer) expr(depth int) string {
	if depth == 0 {
		return []string{"a", "b", "c", "2", "0.1", "1e-9", "pi", "1.5"}[w.IntN(8)]
	}
	x, y := w.expr(depth-1), w.expr(w.IntN(depth))
	switch w.IntN(12) {
	case 0, 1:
		return "(" + x + " + " + y + ")"
	case 2, 3:
		return "(" + x + " - " + y + ")"
	case 4, 5:
		return x + "*" + y
	case 6:
		return "(" + x + ")/(" + y + ")"
	case 7:
		return "(" + x + ")^" + []string{"2", "3", "-1", "0.5", "(1/3)"}[w.IntN(5)]
	case 8:
		return []string{"min", "max", "atan2"}[w.IntN(3)] + "(" + x + ", " + y + ")"
	case 9:
		i := fmt.Sprint("i", depth)
		return "sum(" + i + " in 1..3: " + i + "*" + x + " - " + y + ")"
	}
	names := []string{"sqrt", "exp", "ln", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "abs"}
	return names[w.IntN(len(names))] + "(" + x + ")"
}

// The bounds of random expressions with 128 bits contain the bounds with 1,024 and 4,096 bits.
// A fault with few bits is also a fault with many.
func TestBoundsOfExpressions(t *testing.T) {
	w := writer{rand.New(rand.NewPCG(11, 12))}
	count := map[State]int{}
	for range 1500 {
		source := "y = " + w.expr(1+w.IntN(5))
		text, err := Parse(source)
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		args := []Input{in("a", w.NormFloat64()), in("b", w.ExpFloat64()), in("c", math.Ldexp(w.Float64(), w.IntN(80)-40))}
		e := &env{text: text, inputs: map[string]val{}, brackets: map[*Solve]bracket{}}
		for _, one := range args {
			e.inputs[one.Name] = new(Text).fromValue(one.Value, nil)
		}
		rough := e.all(with(128), nil).Value("y")
		count[rough.State]++
		for _, prec := range []uint{1024, 4096} {
			fine := e.all(with(prec), nil).Value("y")
			switch {
			case rough.State == Known && (fine.State != Known || !contains(rough.value.number, fine.value.number)):
				t.Fatalf("%s of %v: %v with 128 bits, %v with %d", source, args, rough, fine, prec)
			case rough.State == Fault && fine.State != Fault:
				t.Fatalf("%s of %v: %s with 128 bits, %v with %d", source, args, rough.Why, fine, prec)
			}
		}
	}
	if count[Known] < 600 || count[Fault] < 100 {
		t.Errorf("%v of 1500 were known", count)
	}
}

// An evaluation that needs more work than allowed is undecided, in the first pass or a later
// one. It keeps the earlier results, and the verdicts are the same each time.
func TestWork(t *testing.T) {
	hard := strings.Repeat("+ sum(i in 1..n: exp(sin(i)))", 20)
	text := parse(t, "x = sqrt(2)\ny = 0 "+hard+"\nz = sqrt(3) + x\nw = y + 1")
	for _, n := range []float64{1, 30, 1000} {
		var first string
		for range 2 {
			r := text.Evaluate([]Input{in("n", n)}, nil, func(v *Value) bool { return false })
			states := ""
			for _, v := range r.Values {
				states += fmt.Sprintln(v.Name, v.State, v.Why)
				if v.State == Known {
					states += fmt.Sprintln(v.value.number.bounds(64))
				}
			}
			if first == "" {
				first = states
			}
			if states != first {
				t.Errorf("n = %v: another result the second time", n)
			}
			if x := r.Value("x"); x.State != Known {
				t.Errorf("n = %v: x is not known: %s", n, x.Why)
			}
			y, w := r.Value("y"), r.Value("w")
			if exhausted := n == 1000; exhausted && (y.State != Undecided || y.Why != "it takes more work than is allowed") || !exhausted && w.State != Known {
				t.Errorf("n = %v: y is in state %d, %s, and w in %d, %s", n, y.State, y.Why, w.State, w.Why)
			}
		}
	}
}
