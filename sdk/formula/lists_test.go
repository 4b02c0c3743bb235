package formula

import (
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk/value"
)

// Lists are computed item by item, with first items, cases and groups.
func TestLists(t *testing.T) {
	tests := []struct{ text, want string }{
		{"r[i in 1..4] = i^2; x = sum(v in r: v)", "30"},
		{"r[v in list] = 2*v; x = r[4] + count(r)", "24"},
		{"f[0] = 1; f[1] = 1; f[i in 2..10] = f[i-1] + f[i-2]; x = f[10]", "89"},
		{"f[0] = 1; f[i in 1..3] = 2*f[i-1]; x = f[0] + count(f)", "5"},
		{"f[0] = 1; f[i in 1..3] = 2*f[i-1]; x = argmax(v in f)", "3"},
		{"f[0] = 1; f[i in 1..3] = 2*f[i-1]; x = median(f) + sort(f)[1] + max(f) + mean(f)", "15.75"},
		{"f[i in 0..2] = i; x = f[0] + f[2]", "2"},
		{"r[i in 2..1] = i; x = count(r)", "0"},
		{"f[0] = 5; f[i in 1..0] = i; x = count(f)", "1"},
		{"r[i in 1..3] = i if i != 2; x = count(r)", "3"},
		{"r[i in 1..3] = i if i != 2; x = sum(v in r: v)", "absent"},
		{"r[i in 1..3] = i if i != 2; x = max(r)", "absent"},
		{"r[i in 1..3] = i if i != 2; x = sum(k in 1..3 if k != 2: r[k])", "4"},
		{"r[i in 1..3] = 1 if i < 2; r[i in 1..3] = 10 otherwise; x = sum(v in r: v)", "21"},
		{"f[0] = 1 if a > 5; f[0] = 7 otherwise; f[i in 1..1] = f[i-1] + 1; x = f[1]", "8"},
		// 1000 at 1 %, 3 payments of 340.02: the balance and the interest are computed row by row
		{"B[0] = 1000; z[k in 1..3] = round(B[k-1]*0.01, 0.01); B[k in 1..3] = B[k-1] + z[k] - 340.02; x = B[3]", "0.01"},
		{"B[0] = 1; z[k in 1..3] = B[k-1]; B[k in 1..3] = z[k] + 1; x = z[3]", "3"},
		{"r[i in 1..3] = 1/(i - 2); x = r[1]", "fault: r has no value: a division by zero"},
		{"r[i in 1..3] = i; x = r[4]", "fault: item 4 of a list of 3"},
		{"r[i in 1..missing] = i; x = count(r)", "absent"},
		{"r[i in 1..1001] = i; x = count(r)", "undecided"},
		{"r[i in 1..b] = i; x = count(r)", "fault: r has no value: a number that is not an integer, where one is needed"},
		{"r[i in 1..3] = r[i-1]; x = r[3]", "fault: r has no value: item 0 of a list of 0"},
		{"x = {20 degC} - {68 degF}", "0"},
		{"x = {20 degC}", "293.15"},
		{"x = {5 %}", "0.05"},
		{"x = {180 deg}/pi", "1"},
	}
	for _, test := range tests {
		text := parse(t, strings.ReplaceAll(test.text, "; ", "\n")).OfDocument(true)
		if got := described(text.Evaluate(inputs, nil, near).Value("x")); got != test.want {
			t.Errorf("%s: %s, want %s", test.text, got, test.want)
		}
		if again, err := Parse(text.Line()); err != nil || again.Line() != text.Line() {
			t.Errorf("%s is printed as %s: %v", test.text, text.Line(), err)
		}
	}
}

// All lists of a text have at most some number of items.
func TestListItems(t *testing.T) {
	var lines []string
	for _, name := range strings.Fields("a b c d e f g h k l m n o p q r s t u v w") {
		lines = append(lines, name+"_[i in 1..1000] = i")
	}
	r := parse(t, strings.Join(lines, "\n")).Evaluate(nil, nil, near)
	if v := r.Value("t_"); v.State != Known {
		t.Errorf("20 lists of 1000: %s", described(v))
	}
	if v := r.Value("w_"); v.State != Undecided || v.Why != "the lists have more than 20000 items" {
		t.Errorf("21 lists of 1000: %s, %s", described(v), v.Why)
	}
}

// Mistakes in the use of lists and of points on a scale of temperature are reported.
func TestListAndPointMistakes(t *testing.T) {
	degC := Symbol{Name: "T", Input: "t", Unit: "K", Point: true, Required: true}
	symbols := []Symbol{
		degC, {Name: "S", Input: "s", Unit: "K", Point: true, Required: true}, {Name: "D", Input: "d", Unit: "K", Required: true},
		{Name: "a", Input: "a", Unit: "1/K", Required: true}, {Name: "n", Input: "n", Required: true}, {Name: "L", Input: "l", Unit: "m", Required: true},
		{Name: "Ts", Input: "ts", Kind: ListField, Item: &degC, Required: true},
		{Name: "x", Output: "x"}, {Name: "P", Output: "p", Unit: "K", Point: true}, {Name: "Q", Output: "q", Unit: "K"}, {Name: "list", Output: "list", Kind: ListField, Item: &Symbol{Unit: "m"}},
	}
	tests := []struct{ text, want string }{
		{"r[i in 1..n] = r[i+1]", "r[i + 1] is not computed yet where r[i] is: a list uses its earlier items, such as r[i-1]"},
		{"r[i in 1..n] = r[i]", "r[i] is not computed yet where r[i] is: a list uses its earlier items, such as r[i-1]"},
		{"r[i in 1..n] = r[i-n]", "r[i - n] is not computed yet"},
		{"r[i in 1..n] = r[1]", "r[1] is not computed yet"},
		{"r[i in 1..n] = sum(v in r: v)", "r is used in its own definition"},
		{"b[0] = 1\nr[i in 1..n] = b[i-1]\nb[i in 1..n] = sum(v in r: v)", "r is computed row by row with b: use its items, such as r[i-1]"},
		{"b[0] = 1\nr[i in 1..n] = b[i]\nb[i in 1..n] = r[i]", "b[i] is not computed yet where r[i] is"},
		{"b[0] = L\nr[i in 1..n] = b[i-1] + 1\nb[i in 1..n] = r[i]", "a number without a unit is added to m"},
		{"r[i in 1..n] = L if i < 2\nr[i in 1..n] = D otherwise", "r is in m, and this is in K"},
		{"r[i in 1..L] = i", "a number without a unit is needed here, and this is m"},
		{"r[n in 1..2] = n", "the list calls its index n, which is a name already: give the index another one"},
		{"r[v in L] = v", "a list goes over a list, and this is m"},
		{"T_m = (T + S)/2", "T is a point on a scale, and so is S: points cannot be added. Write the first one plus a difference"},
		{"r = a*T*L", "T is a point on a scale: a*T counts from -273.15 degC. If a rise of temperature is meant, give it the unit K difference; otherwise write T - {0 degC}"},
		{"r = -T", "T is a point on a scale: -T counts"},
		{"r = T^2", "T is a point on a scale: T^2 counts"},
		{"r = abs(T)", "T is a point on a scale: abs(T) counts"},
		{"r = round(T, D)", "T is a point on a scale: round(T, D) counts"},
		{"r = sum(v in Ts: v)", "v is a point on a scale: sum(v in Ts: v) counts"},
		{"r = D - T", "a point on a scale of temperature cannot be subtracted from K: only from another point"},
		{"r = T - 5", "only a number of kelvins is added to a point on a scale of temperature, and this is a number without a unit"},
		{"r = T + 0", "only a number of kelvins is added"},
		{"r = 1 if T < 0", "a point on a scale of temperature is compared with a number without a unit"},
		{"r = 1 if T < D", "a point on a scale of temperature is compared with K"},
		{"r = max(T, D)", "the arguments of max are alike, and these are a point on a scale of temperature and K"},
		{"P = D", "P is a point on a scale of temperature, and this is in K"},
		{"Q = T", "Q is in K, and this is a point on a scale of temperature"},
		{"x[i in 1..2] = i", "x is the symbol of output x, which is not a list"},
		{"list[i in 1..2] = D", "list is in m, and this is in K"},
	}
	for _, test := range tests {
		var all []string
		for _, err := range parse(t, test.text).Check(symbols, nil) {
			all = append(all, err.Error())
		}
		if !strings.Contains(strings.Join(all, "\n"), test.want) {
			t.Errorf("%s: %q, want %s", test.text, all, test.want)
		}
	}
	right := "list[i in 1..2] = L\nm_ = mean(Ts) - min(T, S) + (S - T) + (median(Ts) - sort(Ts)[1]) + (first(v in Ts if v > {0 degC}) - T)\n" +
		"P = S + (T - S)/2 if T < {0 degC}\nP = interpolate(L, list, Ts) otherwise\nQ = m_ + D*a*{1 K}\nx = (T - {-273.15 degC})/D*n"
	if errs := parse(t, right).Check(symbols, nil); len(errs) > 0 {
		t.Errorf("%q", errs)
	}
}

// A sent list takes the place of the computed one.
func TestSentList(t *testing.T) {
	text := parse(t, "r[i in 1..2] = i\nx = sum(v in r: v)")
	r := text.Evaluate([]Input{{Name: "r", Value: value.ListOf(value.NumberOf(5))}}, nil, near)
	if got := described(r.Value("x")); got != "5" {
		t.Error(got)
	}
}

// Quantities and functions of a text can have the names of newer functions.
func TestNamesOfNewerFunctions(t *testing.T) {
	text := parse(t, "round = 2.5\nfloor(x) = x + 1\nx = floor(round) + ceil(round)")
	if got := described(text.Evaluate(nil, nil, near).Value("x")); got != "6.5" {
		t.Error(got)
	}
}
