package formula

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// mistakes are texts with a mistake, with its place and message.
var mistakes = []struct{ text, want string }{
	{"", "1:1 the text defines nothing"},
	{"# only a comment\n\n", "1:1 the text defines nothing"},
	{strings.Repeat("#", MaxBytes+1), "1:1 the text has 16385 bytes, and 16384 are allowed"},
	{"x = 1\ny = \xff", "2:5 the text is not UTF-8"},
	{"x = 1 # \u202e1 = x", "1:9 U+202E cannot be seen, and has no place in a formula"},
	{"x = 1\x00", "1:6 U+0000 cannot be seen, and has no place in a formula"},
	{"x = 2 a", `1:7 "a" is left over: a product is written with *`},
	{"x = 2a", `1:6 "a" is left over: a product is written with *`},
	{"x = (a)(b)", `1:8 "(" is left over: a product is written with *`},
	{"x = a {2 m}", `1:7 "{" is left over: a product is written with *`},
	{"x = a 2", `1:7 "2" is left over: a product is written with *`},
	{"x = a)", `1:6 ")" is left over`},
	{"x = b*(1 + 6a/c)", `1:13 "a" is left over: a product is written with *`},
	{"x = sqrt(2 a)", `1:12 "a" is left over: a product is written with *`},
	{"x = 0,5*a", `1:6 "," is left over: a decimal point is a point, such as 0.5`},
	{"x = a : b", `1:7 ":" is left over: a quotient is written with /`},
	{"x = 1 if a =< b", `1:12 write <=`},
	{"x = 1 if a => b", `1:12 write >=`},
	{"x = P*x for x <= a", `1:9 "for" is left over: a product is written with *`},
	{"x = a if b otherwise", `1:12 "otherwise" is left over`},
	{"x = 1\n\ty = 2", `2:2 "y" starts a line after a blank, so the line continues the one above: start a statement at the margin`},
	{"2 = x", `1:1 a line starts with the name that it defines, and not with "2"`},
	{"x = 1; = 2", `1:8 a line starts with the name that it defines, and not with "="`},
	{"taken", "1:6 a name is missing here, and the end of the text is in its place"},
	{"taken\nx = 1", "1:6 a name is missing here, and the end of the line is in its place"},
	{"solve 3 in [1, 2]: x = 1", `1:7 a name is missing here, and "3" is in its place`},
	{"pi = 3", "1:1 pi is the number 3.14159..., and cannot be defined: give the quantity another symbol, such as p_i"},
	{"sqrt = 3", `1:1 "sqrt" has a meaning of its own, and cannot be defined`},
	{"x 3", `1:3 "=" is missing before "3"`},
	{"x == 3", "1:3 = defines, == compares"},
	{"x = a = 3", "1:7 = defines, == compares"},
	{"x = 1 if a = 3", "1:12 = defines, == compares"},
	{"solve x in [1, 2]: x == 1", "1:22 = defines, == compares"},
	{"solve x [1, 2]: x = 1", `1:9 "in" is missing before "["`},
	{"solve x in [1]: x = 1", `1:14 "," is missing before "]"`},
	{"solve x in [1, 2] x = 1", `1:19 ":" is missing before "x"`},
	{"solve x in [1, 2]: x", `1:21 "=" is missing before the end of the text`},
	{"f(x y) = 1", `1:5 ")" is missing before "y"`},
	{"f(x, x) = 1", "1:6 x is a parameter or an index here already: give this one another name"},
	{"f(i) = sum(i in 1..2: i)", "1:12 i is a parameter or an index here already: give this one another name"},
	{"x = sum(i in 1..2: sum(i in 1..2: i))", "1:24 i is a parameter or an index here already: give this one another name"},
	{"x = 1 if a @", "1:12 the id of a formula is missing after @"},
	{"x = 1 if a @ id", "1:12 the id of a formula is missing after @"},
	{"f(x) = x otherwise @id", "1:20 a function belongs to no formula: write the id on a case of a quantity"},
	{"x = 1\ny = 2\nx = 3", "3:1 x is defined above: write its cases one after the other"},
	{"x := 1\nx = 2", "2:1 x is defined twice"},
	{"x := 1\nx := 2", "2:1 x is defined twice"},
	{"taken x\ntaken x", "2:1 x is defined twice"},
	{"f(x) = x if x > 1\nf(y) = y", "2:1 f has other parameters above: each case repeats them"},
	{"f(x) = x if x > 1\nf(y, x) = y", "2:1 f has other parameters above: each case repeats them"},
	{"x = 1\nx = 2", "2:1 x is defined for every case by the line above: a case before the last one needs an if"},
	{"x = 1 otherwise\nx = 2 if a", "2:1 x is defined for every case by the line above: a case before the last one needs an if"},
	{"σ = 3", "1:1 'σ' has no meaning here: names are such as sigma_x, and signs such as * / ^ <="},
	{"x = 3 $", "1:7 '$' has no meaning here: names are such as sigma_x, and signs such as * / ^ <="},
	{"x = a != b ! c", "1:12 '!' has no meaning here: names are such as sigma_x, and signs such as * / ^ <="},
	{"x = ", "1:5 a number or a name is missing before the end of the text"},
	{"x = a +\ny = 2", "1:8 a number or a name is missing before the end of the line"},
	{"x = a + * b", `1:9 a number or a name is missing before "*"`},
	{"x = --a", `1:6 a number or a name is missing before "-"`},
	{"x = if", `1:5 "if" is in the place of a number or a name`},
	{"x = sqrt", `1:5 "sqrt" is a function: its argument is missing`},
	{"x = sqrt()", `1:10 a number or a name is missing before ")"`},
	{"x = sqrt(2", `1:11 ")" is missing before the end of the text`},
	{"x = sqrt(2, 3)", `1:5 "sqrt" has 2 arguments, and takes 1`},
	{"x = atan2(2)", `1:5 "atan2" has 1 argument, and needs 2`},
	{"f(x, y) = x\nz = f(1)", `2:5 "f" has 1 argument, and needs 2`},
	{"x = foo(2)", `1:5 "foo" is not a function of the language or of the text above; a product is written with *`},
	{"a = 2\nx = a(2)", `2:5 "a" is not a function of the language or of the text above; a product is written with *`},
	{"f(x) = f(x - 1)", `1:8 "f" calls itself: a formula has no recursion`},
	{"f(x) = 1 if x < 1\nf(x) = f(x - 1)", `2:8 "f" calls itself: a formula has no recursion`},
	{"x = given(1)", "1:11 given asks whether an input was sent: its arguments are names of inputs"},
	{"x = given(a + b)", "1:11 given asks whether an input was sent: its arguments are names of inputs"},
	{"x = given(pi)", "1:11 given asks whether an input was sent: its arguments are names of inputs"},
	{"f(x) = given(x)", "1:14 given asks whether an input was sent: its arguments are names of inputs"},
	{"x = sum(i in 1+2: i)", "1:14 a sum goes over a list, or from one number to another: sum(i in 1..n: term)"},
	{"x = max(i in 1+2: i)", "1:14 a max goes over a list, or from one number to another: max(i in 1..n: term)"},
	{"x = all(v in y if v > 1)", "1:24 a condition is missing: all(i in 1..n: x[i] > 0)"},
	{"x = sum(i in 1..2: sum(j in 1..2: sum(k in 1..2: sum(l in 1..2: l))))", "1:50 folds are nested more than 3 deep: name a part of it"},
	{"x = a.5", "1:7 a name is missing after the point"},
	{"x = 5.", "1:6 digits are missing after the point of a number"},
	{"x = 1.e5", "1:6 digits are missing after the point of a number"},
	{"x = .5", `1:5 a number or a name is missing before "."`},
	{"x = {2}", "1:5 a unit is missing: braces are for numbers with units, such as {11000 m}"},
	{"x = {m}", `1:6 a number is missing before "m"`},
	{"x := a", `1:6 a number is missing before "a"`},
	{"x := - a", `1:8 a number is missing before "a"`},
	{"x = {2 m", `1:9 "}" is missing before the end of the text`},
	{`x = 1 if a == "b`, "1:17 a quotation mark is missing before the end of the text"},
	{"x = 1 if a == \"b\ny = 1", "1:17 a quotation mark is missing before the end of the line"},
	{`x = 1 if a == ""`, "1:15 a word is missing between the quotation marks"},
	{`x = 1 "b"`, "1:7 a quotation mark is left over"},
	{"x = " + strings.Repeat("1", MaxDigits+1), "1:5 the number has more than 80 digits, or an exponent beyond 999"},
	{"x = 1e-1000", "1:5 the number has more than 80 digits, or an exponent beyond 999"},
	{repeat("x%d = 1", 0, MaxDefinitions), "257:1 the text defines more than 256 names"},
	{"x = 1" + strings.Repeat("+a", MaxNodes/2), "1:4004 the text has more than 4000 numbers, names and operations"},
	{"x = 1e999" + strings.Repeat("*1e-999", 370), "1:2545 the text has more than 4000 numbers, names and operations"},
	{"x = " + strings.Repeat("(", MaxDepth) + "1", "1:37 expressions are nested more than 32 deep: name a part of it"},
	{"x = 2" + strings.Repeat("^2", MaxDepth), "1:69 expressions are nested more than 32 deep: name a part of it"},
	{"x = 1 if " + strings.Repeat("not ", MaxDepth) + "a", "1:138 expressions are nested more than 32 deep: name a part of it"},
	{"x[i in 1..2] = 1 if i < 2\nx[i in 1..3] = 2", "2:1 x has another range above: each case repeats it"},
	{"x[i in 1+2] = i", "1:8 a list goes over another list, or from one number to another: x[i in 1..n] = ..."},
	{"x[1.5] = 1", "1:1 the index of an item is an integer of at most 1000: x[0] = ..."},
	{"x[0] = 1", "1:1 x[0] is an item before a list: write the list below it, x[i in 1..n] = ..."},
	{"x[0] = 1\nx[0] = 2\nx[i in 1..3] = 1", "2:1 x[0] is defined for every case by the line above: a case before the last one needs an if"},
	{"x[0] = 1\nx[2] = 2\nx[i in 3..5] = 1", "2:1 x[2] follows x[0]: items before the range have no gap"},
	{"x[0] = 1\nx[i in 2..5] = 1", "1:1 x[0] needs a range that starts at 1: x[i in 1..n] = ..."},
	{"x[0] = 1\nx[i in 1..5] = 1 if i < 3\nx[0] = 1\nx[i in 1..5] = 2", "4:1 x[0] comes before the range of x"},
	{"f0(x) = x\n" + repeat("f%d(x) = f%[2]d(x)", 1, MaxCalls) + "\nx = f16(1)", "18:5 more than 16 functions call one another"},
	{"f0(x) = x+x+x\n" + repeat("f%d(x) = f%[2]d(x) + f%[2]d(x)", 1, 11), "11:18 functions call one another too often: written out, the text has more than 20000 numbers, names and operations"},
}

// repeat returns lines with the numbers from low to high, each with its previous number.
func repeat(format string, low, high int) string {
	var lines []string
	for i := low; i <= high; i++ {
		line := fmt.Sprintf(strings.ReplaceAll(format, "%d", "%[1]d"), i, i-1)
		lines = append(lines, strings.ReplaceAll(line, "%!(EXTRA int="+strconv.Itoa(i-1)+")", ""))
	}
	return strings.Join(lines, "\n")
}

func TestMistakes(t *testing.T) {
	for _, test := range mistakes {
		text, err := Parse(test.text)
		var mistake *Error
		if !errors.As(err, &mistake) || text != nil {
			t.Errorf("%q: text %v, error %v", test.text, text, err)
			continue
		}
		if got := fmt.Sprintf("%d:%d %s", mistake.Line, mistake.Column, mistake.Message); got != test.want {
			t.Errorf("%q:\n got %s\nwant %s", test.text, got, test.want)
		}
		if line, err := strings.CutPrefix(mistake.Error(), fmt.Sprintf("line %d, column %d: ", mistake.Line, mistake.Column)); !err || line != mistake.Message {
			t.Errorf("Error() is %q", mistake.Error())
		}
	}
}

// The place of a mistake is marked below its line, also after tabs and letters of several
// bytes.
func TestExcerpt(t *testing.T) {
	tests := []struct{ text, want string }{
		{"a = 1\ndelta = P*x for x <= a\n", "delta = P*x for x <= a\n            ^"},
		{"x = 1\t+\t* 2", "x = 1 + * 2\n        ^"},
		{"x = \"ü\" if y = 2\r\nz = 1", "x = \"ü\" if y = 2\n             ^"},
		{"x = 2 +\n", "x = 2 +\n       ^"},
	}
	for _, test := range tests {
		_, err := Parse(test.text)
		if got := err.(*Error).Excerpt(); got != test.want {
			t.Errorf("%q:\n%s\nwant:\n%s", test.text, got, test.want)
		}
	}
}

// Each message of the parser is among the mistakes above.
func TestMessagesAreTested(t *testing.T) {
	call := regexp.MustCompile(`(?:fail|mistake)\([^"\n]*"((?:[^"\\]|\\.)*)"`)
	verb := regexp.MustCompile(`%[a-zA-Z]`)
	found := 0
	for _, file := range []string{"lex.go", "parse.go", "expression.go", "lists.go"} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range call.FindAllStringSubmatch(string(source), -1) {
			found++
			pattern := regexp.MustCompile(`^\d+:\d+ ` + verb.ReplaceAllString(regexp.QuoteMeta(m[1]), ".*") + "$")
			tested := false
			for _, test := range mistakes {
				tested = tested || pattern.MatchString(test.want)
			}
			if !tested {
				t.Errorf("%s: no text is wrong in this way: %s", file, m[1])
			}
		}
	}
	if found < 40 {
		t.Errorf("%d messages were found", found)
	}
}

// A text at each limit is read. TestMistakes has texts beyond the limits.
func TestLimits(t *testing.T) {
	for _, text := range []string{
		"x = 1 #" + strings.Repeat(" ", MaxBytes-7),
		repeat("x%d = 1", 1, MaxDefinitions),
		"x = 1" + strings.Repeat("+a", MaxNodes/2-1) + " if b",
		"x = " + strings.Repeat("(", MaxDepth-1) + "1" + strings.Repeat(")", MaxDepth-1),
		"x = 2" + strings.Repeat("^2", MaxDepth-1),
		"x = 1 if " + strings.Repeat("not ", MaxDepth-1) + "a",
		"x = " + strings.Repeat("1", MaxDigits),
		"x = 1." + strings.Repeat("1", MaxDigits-1) + "e-0999",
		"x = 1e+999",
		"f0(x) = x\n" + repeat("f%d(x) = f%[2]d(x)", 1, MaxCalls-1) + "\nx = f15(1)",
		"f0(x) = x+x\n" + repeat("f%d(x) = f%[2]d(x) + f%[2]d(x)", 1, 10),
	} {
		if _, err := Parse(text); err != nil {
			t.Errorf("%.100q: %v", text, err)
		}
	}
}

// tree returns an expression with all its parentheses.
func tree(x *Expr) string {
	if x == nil {
		return ""
	}
	args := make([]string, len(x.Args))
	for i, arg := range x.Args {
		args[i] = tree(arg)
	}
	switch x.Op {
	case Number:
		return strings.TrimSpace(x.Literal + " " + x.Unit)
	case Name:
		return x.Name
	case Literal:
		return `"` + x.Name + `"`
	case Fold:
		return x.Fold.Func + " " + x.Name + "(" + strings.Join(args, ", ") + ")"
	case Call, Member:
		return map[Op]string{Call: "", Member: "."}[x.Op] + x.Name + "(" + strings.Join(args, ", ") + ")"
	}
	sign := map[Op]string{Neg: "-", Add: "+", Sub: "-", Mul: "*", Div: "/", Pow: "^", Less: "<", LessEqual: "<=", Greater: ">", GreaterEqual: ">=",
		Equal: "==", NotEqual: "!=", And: "and", Or: "or", Not: "not", Index: "[]"}[x.Op]
	return "(" + strings.Join(append([]string{sign}, args...), " ") + ")"
}

func TestPrecedence(t *testing.T) {
	tests := []struct{ text, want string }{
		{"-x^2", "(- (^ x 2))"},
		{"2*x^2", "(* 2 (^ x 2))"},
		{"a^b^c", "(^ a (^ b c))"},
		{"a^-b^c", "(^ a (- (^ b c)))"},
		{"2^-3", "(^ 2 (- 3))"},
		{"a*-b", "(* a (- b))"},
		{"a - -b", "(- a (- b))"},
		{"-a - b", "(- (- a) b)"},
		{"a - b - c", "(- (- a b) c)"},
		{"a - (b - c)", "(- a (- b c))"},
		{"a/b/c", "(/ (/ a b) c)"},
		{"a/b*c", "(* (/ a b) c)"},
		{"a + b*c", "(+ a (* b c))"},
		{"(a + b)*c", "(* (+ a b) c)"},
		{"a < b", "(< a b)"},
		{"a < b <= c", "(and (< a b) (<= b c))"},
		{"a < b < c < d", "(and (and (< a b) (< b c)) (< c d))"},
		{"a + 1 < 2*b", "(< (+ a 1) (* 2 b))"},
		{"not a < b", "(not (< a b))"},
		{"not not a", "(not (not a))"},
		{"not a and b", "(and (not a) b)"},
		{"a or b and c", "(or a (and b c))"},
		{"(a or b) and c", "(and (or a b) c)"},
		{`a == "x" or a != "y"`, `(or (== a "x") (!= a "y"))`},
		{"x[i]^2", "(^ ([] x i) 2)"},
		{"v[i][1]", "([] ([] v i) 1)"},
		{"x[i + 1]", "([] x (+ i 1))"},
		{"layers[k].thickness/2", "(/ .thickness(([] layers k)) 2)"},
		{"sum(i in 1..n: x[i]) + 1", "(+ sum i(1, n, ([] x i)) 1)"},
		{"sum(i in 1..n-1: i)", "sum i(1, (- n 1), i)"},
		{"sum(v in y: v^2)", "sum v(y, (^ v 2))"},
		{"atan2(y, -x)", "atan2(y, (- x))"},
		{"2.5e-3*E", "(* 2.5e-3 E)"},
		{"2E3", "2E3"},
		{"{-1.5 kg/(m s K(1/2))}*2", "(* -1.5 kg/(m s K(1/2)) 2)"},
		{"a # a note\n + b # another", "(+ a b)"},
		{"a\n\n", "a"},
		{"a\r\n\t+ b\r\n", "(+ a b)"},
		{"true and not false", "(and true (not false))"},
		{"2*pi", "(* 2 pi)"},
	}
	for _, test := range tests {
		text, err := Parse("result = " + test.text)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		if got := tree(text.Definition("result").Cases[0].Value); got != test.want {
			t.Errorf("%s is %s, want %s", test.text, got, test.want)
		}
	}
}

const everything = `g := 9.80665 m/s2  # standard gravity, CGPM 1901
n_0 := -2.5; taken R_24 # a table
# a remark

T(x, b) = x^2*(10*b^3
    - x^3)/120    if x <= b   # near
T(x, b) = 7       otherwise
solve f in [1e-8, 1e303]: 1/sqrt(f) = g*log10(f)  if a == "on" @rough_v1
f = 2 @smooth
`

func TestStatements(t *testing.T) {
	text, err := Parse(strings.Replace(everything, "f = 2 @", "f = 2 otherwise @", 1))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range text.Definitions {
		got = append(got, fmt.Sprintf("%d %d %s%s [%s] %s", d.Line, d.Kind, d.Name, d.Params, d.Unit, d.Note))
		for _, c := range d.Cases {
			what := tree(c.Value)
			if s := c.Solve; s != nil {
				what = fmt.Sprintf("%s..%s: %s = %s", tree(s.Low), tree(s.High), tree(s.Left), tree(s.Right))
			}
			got = append(got, fmt.Sprintf("  %s | %s | %t | %s", what, tree(c.When), c.Otherwise, c.ID))
		}
	}
	want := []string{
		"1 2 g[] [m/s2] standard gravity, CGPM 1901",
		"  9.80665 m/s2 |  | false | ",
		"2 2 n_0[] [] ",
		"  -2.5 |  | false | ",
		"2 3 R_24[] [] a table",
		"5 1 T[x b] [] near",
		"  (/ (* (^ x 2) (- (* 10 (^ b 3)) (^ x 3))) 120) | (<= x b) | false | ",
		"  7 |  | true | ",
		"8 0 f[] [] ",
		`  1e-8..1e303: (/ 1 sqrt(f)) = (* g log10(f)) | (== a "on") | false | rough_v1`,
		"  2 |  | true | smooth",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestReserved(t *testing.T) {
	for name := range functions {
		if Reserved(name) == newer[name] {
			t.Errorf("%s is not reserved", name)
		}
	}
	for _, name := range []string{"if", "otherwise", "and", "or", "not", "in", "solve", "taken", "sum", "pi", "true", "false", "sqrt", "median", "given"} {
		_, err := Parse(name + " = 1")
		_, err2 := Parse("f(" + name + ") = 1")
		_, err3 := Parse("x = sum(" + name + " in 1..2: 1)")
		if !Reserved(name) || err == nil || err2 == nil || err3 == nil {
			t.Errorf("%s can be defined", name)
		}
	}
	for _, name := range []string{"e", "E", "If", "PI", "i", "sums", "T_0", "a1"} {
		if _, err := Parse(name + " = 1"); Reserved(name) || err != nil {
			t.Errorf("%s cannot be defined: %v", name, err)
		}
	}
}

// Each node has its range of bytes; read alone, these bytes give the same node.
func TestPlaces(t *testing.T) {
	source := "x = -(a + b)^2*sum(i in 1..n: v[i].y) - {-2 m}/f(\"w\", 3) if not (a < b < c or d) and given(e)"
	text, err := Parse("f(p, q) = q\n" + source)
	if err != nil {
		t.Fatal(err)
	}
	nodes := 0
	var visit func(x *Expr)
	visit = func(x *Expr) {
		part := text.source[x.from:x.to]
		alone, err := Parse("f(p, q) = q\nx = 1 if " + part)
		if err != nil {
			t.Fatalf("%q: %v", part, err)
		}
		if got, want := tree(alone.Definition("x").Cases[0].When), tree(x); got != want {
			t.Errorf("%q is %s, want %s", part, got, want)
		}
		nodes++
		for _, arg := range x.Args {
			visit(arg)
		}
	}
	c := text.Definition("x").Cases[0]
	visit(c.Value)
	visit(c.When)
	if nodes < 30 {
		t.Errorf("%d nodes", nodes)
	}
}
