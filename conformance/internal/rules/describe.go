package rules

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/conformance/internal/observe"
	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/conformance/vector"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
)

// The subjects of findings about the whole Spec and about all vectors.
var (
	ofSpec    = report.Subject{Name: "Spec"}
	ofVectors = report.Subject{Name: "vectors"}
)

func about(v *vector.Vector) report.Subject { return report.Subject{Vector: v.ID} }

func quote(s string) string { return strconv.Quote(s) }

// contrast shortens the common start of two texts, so that a reader sees the difference. It
// keeps 60 bytes before the difference.
func contrast(a, b string) (string, string) {
	const context = 60
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	if same <= context {
		return a, b
	}
	from := same - context
	return "..." + a[from:], "..." + b[from:]
}

// describeParts writes an answer as a list of texts, one per part. Two answers are equal if
// and only if all their parts are equal.
func describeParts(spec *sdk.Spec, a *observe.Answer) []string {
	if a.Kind == observe.Rejected {
		e := a.Rejection
		return []string{"rejection " + e.Error(), "suggestion " + quote(e.Suggestion), fmt.Sprintf("invalid parameters %q", e.Invalid)}
	}
	o := &a.Outcome
	return []string{
		"result " + string(appendValues(nil, spec.Outputs, o.Result)),
		"inputs " + string(appendValues(nil, spec.Inputs, o.Inputs)),
		"formula " + quote(o.Formula),
		fmt.Sprintf("assumptions %q", o.Assumptions),
		fmt.Sprintf("warnings %q", o.Warnings),
	}
}

func describeCodes(warnings []sdk.Warning) string {
	if len(warnings) == 0 {
		return "no warnings"
	}
	codes := make([]string, len(warnings))
	for i, w := range warnings {
		codes[i] = quote(w.Code)
	}
	return "only the warnings " + strings.Join(codes, ", ")
}

func describeValue(f *sdk.Field, v value.Value) string { return string(appendValue(nil, f, v)) }

// appendValue writes any value, even one that does not fit its field. The writer of the SDK
// requires values that fit.
func appendValue(dst []byte, f *sdk.Field, v value.Value) []byte {
	switch v.Kind() {
	case value.Absent:
		return append(dst, "absent"...)
	case value.Number:
		if x := v.Number(); math.IsNaN(x) || math.IsInf(x, 0) {
			return strconv.AppendFloat(dst, x, 'g', -1, 64)
		}
		return value.AppendNumber(dst, v.Number())
	case value.Bool:
		return strconv.AppendBool(dst, v.Bool())
	case value.Exact:
		return strconv.AppendQuote(append(dst, "exact "...), v.Text())
	case value.List:
		dst = append(dst, '[')
		for i, item := range v.Items() {
			dst = appendValue(comma(dst, i), itemsOf(f), item)
		}
		return append(dst, ']')
	case value.Record:
		return appendValues(dst, orAny(f).Fields, v.Items())
	}
	return strconv.AppendQuote(dst, v.Text())
}

func appendValues(dst []byte, fields []sdk.Field, values []value.Value) []byte {
	dst = append(dst, '{')
	for i, v := range values {
		dst = append(comma(dst, i), fieldAt(fields, i).Name...)
		dst = appendValue(append(dst, ": "...), fieldAt(fields, i), v)
	}
	return append(dst, '}')
}

func comma(dst []byte, i int) []byte {
	if i > 0 {
		dst = append(dst, ", "...)
	}
	return dst
}

// fieldAt returns field i, or an empty field if there are more values than fields.
func fieldAt(fields []sdk.Field, i int) *sdk.Field {
	if i < len(fields) {
		return &fields[i]
	}
	return new(sdk.Field)
}

func itemsOf(f *sdk.Field) *sdk.Field { return orAny(orAny(f).Items) }

// orAny replaces a nil field by an empty one.
func orAny(f *sdk.Field) *sdk.Field {
	if f == nil {
		return new(sdk.Field)
	}
	return f
}

// describeExpected writes an expected value as a vector spells it.
func describeExpected(v strictjson.Value) string {
	switch v.Kind {
	case strictjson.Number:
		return v.Text
	case strictjson.String:
		return quote(v.Text)
	case strictjson.Bool:
		return strconv.FormatBool(v.Bool)
	case strictjson.Array:
		items := make([]string, len(v.Items))
		for i, item := range v.Items {
			items[i] = describeExpected(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case strictjson.Object:
		members := make([]string, len(v.Members))
		for i, m := range v.Members {
			members[i] = m.Name + ": " + describeExpected(m.Value)
		}
		return "{" + strings.Join(members, ", ") + "}"
	}
	return "null"
}
