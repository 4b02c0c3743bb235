package compare

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// mostWorded is the number of differences in the text.
const mostWorded = 3

// String describes the differences of the outcomes in one line.
func (c *Comparison) String() string {
	switch c.Verdict {
	case Refused:
		return "it is refused now with " + c.Is.refusal() + ", and was answered"
	case Answered:
		return "it is answered now, and was refused with " + c.Was.refusal()
	case Reworded:
		return "it is refused with " + c.Is.refusal() + ", and was with " + c.Was.refusal()
	}
	var parts []string
	for i := range min(len(c.Differences), mostWorded) {
		parts = append(parts, c.Differences[i].String())
	}
	if more := len(c.Differences) - mostWorded; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, "; ")
}

func (o *Outcome) refusal() string {
	if o.Field == "" {
		return o.Code
	}
	return o.Code + " for " + o.Field
}

// String describes the difference of the value in a sentence.
func (d *Difference) String() string {
	text := fmt.Sprintf("%s is %.300s, and was %.300s", d.Path, Show(d.Is, d.New), Show(d.Was, d.Old))
	switch {
	case !d.Numbers:
		return text
	case math.IsInf(d.Relative, 0):
		return fmt.Sprintf("%s (%s)", text, steps(d.Ulps))
	}
	return fmt.Sprintf("%s (by %.2g of it, %s)", text, d.Relative, steps(d.Ulps))
}

func steps(ulps uint64) string {
	if ulps == 1 {
		return "1 ulp"
	}
	return strconv.FormatUint(ulps, 10) + " ulps"
}

// Show returns the value of a field in the form of answers.
func Show(f *sdk.Field, v value.Value) string {
	if v.Kind() == value.Absent {
		return "absent"
	}
	return string(response.AppendValue(nil, f, v))
}
