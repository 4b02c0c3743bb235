package text

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// A calculation that takes more work than is allowed is rejected. The message names the definition with most of the work,
// and the input that determines how often it repeats a computation.
func TestTooMuchWork(t *testing.T) {
	const document = `# Growth

A population by a map with chaos.

- id: test.growth.logistic
- version: 1.0.0
- keywords: growth

## Inputs

| symbol | name  | unit            | range     | default | doc             |
| ------ | ----- | --------------- | --------- | ------- | --------------- |
| a      | start |                 | [0,1]     | 0.3     | First value.    |
| n      | steps | integer         | [1, 1000] | 3       | Steps.          |
| l      | list  | list of numbers |           | optional | More numbers.  |

## Formula

FENCEformula
small = 2*a
x[0] = a
x[i in 1..n] = sin(30*x[i-1])
last = x[n]
y = small + 1
f(q) = sum(i in l: sum(k in l: sum(j in l: sin(q*i*j*k))))
z = f(a)  if given(l)
FENCE

## Outputs

| symbol | name   | unit | doc           |
| ------ | ------ | ---- | ------------- |
| y      | other  |      | A number.     |
| last   | last   |      | Last value.   |
| z      | series? |     | A series.     |

## Checks

FENCEchecks
warn info LONG if sum(i in 1..n: sum(j in 1..n: sin(i*j))) > 1e9
  Long.
FENCE

## References

- none

## Vectors

FENCEvectors
V1: hand: 2*0.3+1
  n = 1
  => y == 1.6
FENCE
`
	source := strings.ReplaceAll(document, "FENCE", "```")
	bind := func(source string) *Engine {
		t.Helper()
		e, err := Bind("t.calc.md", []byte(source))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	e := bind(source)
	constant := bind(strings.Replace(source, "1..n] = sin", "1..1000] = sin", 1))
	short := bind(strings.Replace(source, "sum(i in 1..n: sum(j in 1..n: sin(i*j))) > 1e9", "n > 10", 1))
	long := make([]value.Value, 300)
	for i := range long {
		long[i] = value.NumberOf(float64(i))
	}
	for _, c := range []struct {
		name                  string
		engine                *Engine
		in                    value.Values
		field, most, proposal string
	}{
		{"a recurrence", short, value.Values{value.NumberOf(0.3), value.NumberOf(1000), {}}, "steps", "Most of the work is for x", "Give a smaller value of steps."},
		{"a recurrence of constant length", constant, value.Values{value.NumberOf(0.3), value.NumberOf(1), {}}, "start", "Most of the work is for x", "Give another value of start, such as one with fewer digits."},
		{"a list in a function", short, value.Values{value.NumberOf(0.3), value.NumberOf(1), value.ListOf(long...)}, "list", "Most of the work is for z", "Give fewer items in list."},
		{"a condition", e, value.Values{value.NumberOf(0), value.NumberOf(1000), {}}, "steps", "Most of the work is for the condition sum(i in 1..n: sum(j in 1..n: sin(i*j))) > 1e9", "Give a smaller value of steps."},
	} {
		_, err := c.engine.Calculate(context.Background(), c.in)
		rejection, ok := errors.AsType[*sdk.Error](err)
		switch {
		case !ok || rejection.Code != sdk.CodeUndecided || rejection.Field != c.field || rejection.Suggestion != c.proposal:
			t.Errorf("%s: %v", c.name, err)
			if ok {
				t.Logf("%+v", rejection)
			}
		case !strings.HasSuffix(rejection.Detail, c.most), !strings.Contains(rejection.Detail, "it takes more work than is allowed"):
			t.Errorf("%s: %s, want %s", c.name, rejection.Detail, c.most)
		case e.spec.CheckRejection(rejection) != nil:
			t.Errorf("%s: %v", c.name, e.spec.CheckRejection(rejection))
		}
	}
}
