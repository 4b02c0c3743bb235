package preset

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/sdk/spelling"
	"github.com/slipstick/slipstick/sdk/value"
)

// NoRowError reports a name for which a table has no row. Table is the id of the table, Name is the name as
// it was sent, and Noun is the Noun of the Spec.
type NoRowError struct {
	Table   string
	Name    string
	Noun    string
	Nearest []string // keys, the nearest first
}

// Error names the table and the row, without the nearest rows.
func (e *NoRowError) Error() string {
	return fmt.Sprintf("%s has no %s %.100q", e.Table, e.Noun, e.Name)
}

// Row finds a row by its key or name. It compares the results of [Fold]. The error is a
// [*NoRowError].
func (t *Table) Row(name string) (*Row, error) {
	if i, ok := t.byName[Fold(name)]; ok {
		return &t.Rows[i], nil
	}
	keys := make([]string, len(t.Rows))
	for i := range t.Rows {
		keys[i] = t.Rows[i].Key
	}
	return nil, &NoRowError{t.ID, name, t.Noun, spelling.Nearest(Fold(name), keys, 5)}
}

// OutsideError reports an argument outside the rows of an interpolated table.
type OutsideError struct {
	Table, Argument string
	Min, Max, Unit  string
}

// Error names the range of the argument.
func (e *OutsideError) Error() string {
	return fmt.Sprintf("%s has values for %s from %s to %s %s", e.Table, strings.ToLower(e.Argument), e.Min, e.Max, e.Unit)
}

// significant is the number of digits of an interpolated value. It is more than the digits of
// table values, and not so many that they suggest a higher accuracy.
const significant = 6

// At returns the value of a column at an argument in the unit of its column, and the source.
// At a row it is the value of that row. The error is an [*OutsideError].
func (t *Table) At(column int, x *big.Rat) (literal, source string, err error) {
	by := t.Argument()
	xs := make([]*big.Rat, len(t.Rows))
	for i := range t.Rows {
		xs[i] = Rat(t.Rows[i].Cells[by].Literal)
		if xs[i].Cmp(x) == 0 {
			return t.Rows[i].Cells[column].Literal, t.Rows[i].Cells[column].Source, nil
		}
	}
	last := len(xs) - 1
	if x.Cmp(xs[0]) < 0 || x.Cmp(xs[last]) > 0 {
		return "", "", &OutsideError{t.ID, t.Columns[by].Label, t.Rows[0].Cells[by].Literal, t.Rows[last].Cells[by].Literal, t.Columns[by].Unit}
	}
	at := 0
	for xs[at+1].Cmp(x) < 0 {
		at++
	}
	ys := make([]*big.Rat, len(t.Rows))
	for i := range t.Rows {
		ys[i] = Rat(t.Rows[i].Cells[column].Literal)
	}
	y := straight(xs, ys, at, x)
	if t.Interpolation.Kind == Cubic {
		y = cubic(xs, ys, at, x)
	}
	return decimal(y), t.Rows[at].Cells[column].Source, nil
}

// decimal writes a number with the digits of an interpolated value.
func decimal(y *big.Rat) string {
	exact, _ := y.Float64()
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(exact, 'e', significant-1, 64), 64)
	return string(value.AppendNumber(nil, rounded))
}

// straight returns the value at x of the line from point i to the next.
func straight(xs, ys []*big.Rat, i int, x *big.Rat) *big.Rat {
	y := new(big.Rat).Sub(x, xs[i])
	return y.Add(y.Mul(y, slope(xs, ys, i)), ys[i])
}

// slope returns the slope of the line from point i to the next.
func slope(xs, ys []*big.Rat, i int) *big.Rat {
	rise, run := new(big.Rat).Sub(ys[i+1], ys[i]), new(big.Rat).Sub(xs[i+1], xs[i])
	return rise.Quo(rise, run)
}

// cubic returns the value at x of the cubic from point i to the next. The cubic has the slopes
// of tangent at both points. It is the monotone interpolation of Fritsch and Butland (SIAM J.
// Sci. Stat. Comput. 5, 1984).
func cubic(xs, ys []*big.Rat, i int, x *big.Rat) *big.Rat {
	one, two, three := big.NewRat(1, 1), big.NewRat(2, 1), big.NewRat(3, 1)
	h := new(big.Rat).Sub(xs[i+1], xs[i])
	s := new(big.Rat).Sub(x, xs[i])
	s.Quo(s, h)
	r := new(big.Rat).Sub(one, s)
	term := func(y *big.Rat, factors ...*big.Rat) *big.Rat {
		p := new(big.Rat).Set(y)
		for _, f := range factors {
			p.Mul(p, f)
		}
		return p
	}
	y := term(ys[i], r, r, new(big.Rat).Add(one, term(two, s)))
	y.Add(y, term(ys[i+1], s, s, new(big.Rat).Sub(three, term(two, s))))
	y.Add(y, term(tangent(xs, ys, i), h, s, r, r))
	return y.Sub(y, term(tangent(xs, ys, i+1), h, s, s, r))
}

// tangent returns the slope at point i. It is the weighted harmonic mean of two lines that
// both rise or both fall, and otherwise 0.
func tangent(xs, ys []*big.Rat, i int) *big.Rat {
	last := len(xs) - 1
	switch {
	case last == 1:
		return slope(xs, ys, 0)
	case i == 0:
		return end(xs, ys, 0, 1)
	case i == last:
		return end(xs, ys, last-1, last-2)
	}
	left, right := slope(xs, ys, i-1), slope(xs, ys, i)
	if left.Sign()*right.Sign() <= 0 {
		return new(big.Rat)
	}
	h1, h2 := new(big.Rat).Sub(xs[i], xs[i-1]), new(big.Rat).Sub(xs[i+1], xs[i])
	w1 := new(big.Rat).Add(h1, new(big.Rat).Add(h2, h2))
	w2 := new(big.Rat).Add(h2, new(big.Rat).Add(h1, h1))
	sum := new(big.Rat).Add(w1, w2)
	bottom := new(big.Rat).Add(w1.Quo(w1, left), w2.Quo(w2, right))
	return sum.Quo(sum, bottom)
}

// end returns the slope at an end. It is the slope of the parabola through the last three
// points, limited so that the curve is monotone. Outer and inner are the lines at the end.
func end(xs, ys []*big.Rat, outer, inner int) *big.Rat {
	h0, h1 := new(big.Rat).Sub(xs[outer+1], xs[outer]), new(big.Rat).Sub(xs[inner+1], xs[inner])
	s0, s1 := slope(xs, ys, outer), slope(xs, ys, inner)
	sum := new(big.Rat).Add(h0, h1)
	d := new(big.Rat).Add(sum, h0)
	d.Mul(d, s0)
	d.Sub(d, new(big.Rat).Mul(h0, s1))
	d.Quo(d, sum)
	most := new(big.Rat).Mul(big.NewRat(3, 1), s0)
	switch {
	case d.Sign() != s0.Sign():
		return new(big.Rat)
	case new(big.Rat).Abs(d).Cmp(new(big.Rat).Abs(most)) > 0:
		return most
	}
	return d
}
