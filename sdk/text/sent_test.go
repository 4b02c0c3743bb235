package text

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// A check of what is sent comes before the ranges and before other checks, wherever it is in the document. The outcome
// Complete has the same outcome.
func TestChecksOfWhatIsSent(t *testing.T) {
	const document = `# Load

A load of a beam.

- id: test.loads.beam
- version: 1.0.0
- keywords: load

## Inputs

| symbol | name   | unit | range | default  | doc              |
| ------ | ------ | ---- | ----- | -------- | ---------------- |
| L      | length | m    | (0,)  |          | Length.          |
| q      | load   | N/m  |       | optional | Uniform load.    |
| a      | start  | m    | [0,L] | optional | Start of it.     |
| F      | force  | N    |       | optional | Force at an end. |

## Formula

FENCEformula
M = q*(L - a)^2/2  if given(q, a)
M = F*L            if given(F)
s = sqrt(L/{1 m})
FENCE

## Outputs

| symbol | name    | unit | doc          |
| ------ | ------- | ---- | ------------ |
| M      | moment? | N m  | Moment.      |
| s      | root    |      | Some number. |

## Checks

FENCEchecks
reject TOO_LONG at length if L > {10 m}
  The length is {L}.
warn info LONG if L > {5 m}
  The length is {L exactly}.
reject MISSING_REQUIRED_INPUT at start if given(q) and not given(a)
  A load of {q} needs its start.
reject CONFLICTING_INPUTS at force if s > 2 and given(F)
  A force is for short beams.
FENCE

## References

- none

## Vectors

FENCEvectors
V1: hand: 2*(4-1)^2/2
  L = 4 m, q = 2 N/m, a = 1 m
  => M == 9 N m, s == 2
E1: hand: the length is wrong, and the start is missing
  L = -4 m, q = 2 N/m
  => reject MISSING_REQUIRED_INPUT at start
E2: hand: the start is beyond the end
  L = 4 m, q = 2 N/m, a = 5 m
  => reject START_OUT_OF_RANGE at start
E3: hand: sqrt(-4) has no value
  L = -4 m, F = 2 N
  => reject LENGTH_MUST_BE_POSITIVE at length
E4: hand: sqrt(9) is 3
  L = 9 m, F = 2 N, a = -1 m
  => reject CONFLICTING_INPUTS at force
E5: hand: the check above also holds
  L = 11 m, q = 2 N/m
  => reject MISSING_REQUIRED_INPUT at start
E6: hand: 11 m is too long
  L = 11 m
  => reject TOO_LONG at length
FENCE
`
	source := strings.ReplaceAll(document, "FENCE", "```")
	e, err := Bind("t.calc.md", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range e.Disagreements("t.calc.md", []byte(source)) {
		t.Error(m.Report())
	}
	_, err = e.Calculate(context.Background(), value.Values{value.NumberOf(-4), value.NumberOf(2), {}, {}})
	rejection, ok := errors.AsType[*sdk.Error](err)
	if !ok || rejection.Detail != "A load of 2 N/m needs its start." {
		t.Errorf("error %v", err)
	}
}
