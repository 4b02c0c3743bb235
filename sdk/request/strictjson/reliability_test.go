package strictjson_test

import (
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// accepted and refused are the documents of the reliability rows, by row id.
// The fuzz target starts from them.
type accepted struct {
	row, name, doc string
	check          func(t *testing.T, v strictjson.Value)
}

type refused struct {
	row, name, doc string
	reason         string // a part of it
	offset         int
}

func nested(levels int) string {
	return strings.Repeat("[", levels) + strings.Repeat("]", levels)
}

func nestedObjects(levels int) string {
	return strings.Repeat(`{"a":`, levels-1) + "{}" + strings.Repeat("}", levels-1)
}

func number(r strictjson.Range, f float64) func(*testing.T, strictjson.Value) {
	return func(t *testing.T, v strictjson.Value) {
		t.Helper()
		if v.Kind != strictjson.Number || v.Range != r {
			t.Fatalf("got %v %v, want a number %v", v.Kind, v.Range, r)
		}
		if r == strictjson.InRange && math.Float64bits(v.Float) != math.Float64bits(f) {
			t.Errorf("got %v, want %v", v.Float, f)
		}
	}
}

func text(want string) func(*testing.T, strictjson.Value) {
	return func(t *testing.T, v strictjson.Value) {
		t.Helper()
		if v.Kind != strictjson.String || v.Text != want {
			t.Errorf("got %v %q, want a string %q", v.Kind, v.Text, want)
		}
	}
}

func kind(want strictjson.Kind) func(*testing.T, strictjson.Value) {
	return func(t *testing.T, v strictjson.Value) {
		t.Helper()
		if v.Kind != want {
			t.Errorf("got %v, want %v", v.Kind, want)
		}
	}
}

// overflowEdge is halfway between the largest binary64 and the next power of two. It is the
// smallest integer that rounds to infinity; the integer below it is the largest that does not.
// Both have 309 digits, so they fit a literal.
var overflowEdge = new(big.Int).Lsh(big.NewInt(1<<54-1), 970)

func overflowBelow() string {
	return new(big.Int).Sub(overflowEdge, big.NewInt(1)).String()
}

// underflowEdge returns the first 380 digits of 2^-1075, half the smallest binary64. This
// literal is just below the exact number. With raise 1 its last digit is raised, and it is
// just above the number.
func underflowEdge(raise int64) string {
	digits := new(big.Int).Exp(big.NewInt(5), big.NewInt(1075), nil).String()
	kept, _ := new(big.Int).SetString(digits[:380], 10)
	kept.Add(kept, big.NewInt(raise))
	return kept.String() + "e" + strconv.Itoa(len(digits)-380-1075)
}

const smallest = math.SmallestNonzeroFloat64

var acceptedDocs = []accepted{
	{"E1", "arrays 64 deep", nested(64), kind(strictjson.Array)},
	{"E1", "objects 64 deep", nestedObjects(64), kind(strictjson.Object)},
	{"E1", "depth is not counted across siblings", "[" + strings.TrimSuffix(strings.Repeat("[[]],", 100), ",") + "]", kind(strictjson.Array)},

	{"E2", "number of 400 characters", strings.Repeat("9", 300) + "." + strings.Repeat("0", 99), number(strictjson.InRange, 1e300)},
	{"E2", "document of 65536 bytes", `"` + strings.Repeat("a", strictjson.MaxBytes-2) + `"`, kind(strictjson.String)},

	{"E3", "1e400", "1e400", number(strictjson.Overflow, 0)},
	{"E3", "-1e400", "-1e400", number(strictjson.Overflow, 0)},
	{"E3", "largest", "1.7976931348623157e308", number(strictjson.InRange, math.MaxFloat64)},
	{"E3", "rounds down to largest", "1.797693134862315807e308", number(strictjson.InRange, math.MaxFloat64)},
	{"E3", "rounds up beyond largest", "1.797693134862315808e308", number(strictjson.Overflow, 0)},
	{"E3", "one below halfway", overflowBelow(), number(strictjson.InRange, math.MaxFloat64)},
	{"E3", "halfway", overflowEdge.String(), number(strictjson.Overflow, 0)},
	{"E3", "minus one below halfway", "-" + overflowBelow(), number(strictjson.InRange, -math.MaxFloat64)},
	{"E3", "minus halfway", "-" + overflowEdge.String(), number(strictjson.Overflow, 0)},
	{"E3", "huge exponent", "1e99999999999999999999", number(strictjson.Overflow, 0)},
	{"E3", "exponent undone by the significand", "0." + strings.Repeat("0", 350) + "1e351", number(strictjson.InRange, 1)},
	{"E3", "integer of 60000 digits", strings.Repeat("9", 60000), number(strictjson.Overflow, 0)},
	{"E3", "1 with 60000 decimals", "1." + strings.Repeat("0", 60000), number(strictjson.InRange, 1)},
	{"E3", "exponent of 400 digits", "7e" + strings.Repeat("0", 399) + "1", number(strictjson.InRange, 70)},
	{"E3", "exponent undone by 60000 zeros", "0." + strings.Repeat("0", 60000) + "1e60001", number(strictjson.InRange, 1)},
	{"E3", "exponent undone by 60000 digits", "1" + strings.Repeat("0", 60000) + "e-60000", number(strictjson.InRange, 1)},
	{"E3", "exponent that 60000 zeros do not undo", "0." + strings.Repeat("0", 60000) + "1e100000", number(strictjson.Overflow, 0)},
	{"E3", "decided by the 60000th digit", tie + strings.Repeat("0", 59000) + "1", number(strictjson.InRange, math.Nextafter(1, 2))},
	{"E3", "tie with 60000 digits", tie + strings.Repeat("0", 59000), number(strictjson.InRange, 1)},
	{"E4", "0 and 401 zeros and 1", "0." + strings.Repeat("0", 401) + "1", number(strictjson.Underflow, 0)},
	{"E4", "exponent that 60000 digits do not undo", "1" + strings.Repeat("0", 60000) + "e-100000", number(strictjson.Underflow, 0)},
	{"E4", "zero with 60000 decimals and a huge exponent", "0." + strings.Repeat("0", 60000) + "e-999999", number(strictjson.InRange, 0)},

	{"E4", "1e-400", "1e-400", number(strictjson.Underflow, 0)},
	{"E4", "-1e-400", "-1e-400", number(strictjson.Underflow, 0)},
	{"E4", "below half the smallest", "2.4703282292062327e-324", number(strictjson.Underflow, 0)},
	{"E4", "above half the smallest", "2.4703282292062328e-324", number(strictjson.InRange, smallest)},
	{"E4", "below half in 380 digits", underflowEdge(0), number(strictjson.Underflow, 0)},
	{"E4", "above half in 380 digits", underflowEdge(1), number(strictjson.InRange, smallest)},
	{"E4", "minus above half", "-2.4703282292062328e-324", number(strictjson.InRange, -smallest)},
	{"E4", "smallest", "5e-324", number(strictjson.InRange, smallest)},
	{"E4", "0e-400", "0e-400", number(strictjson.InRange, 0)},
	{"E4", "0E-400", "0E-400", number(strictjson.InRange, 0)},
	{"E4", "0.000e-99999", "0.000e-99999", number(strictjson.InRange, 0)},
	{"E4", "0e99999", "0e99999", number(strictjson.InRange, 0)},
	{"E4", "-0", "-0", number(strictjson.InRange, 0)},
	{"E4", "-0.0E+0", "-0.0E+0", number(strictjson.InRange, 0)},
	{"E4", "huge negative exponent", "1e-99999999999999999999", number(strictjson.Underflow, 0)},
	{"E4", "long fraction without exponent", "0." + strings.Repeat("0", 397) + "1", number(strictjson.Underflow, 0)},
	{"E4", "exponent undone by the significand", "1" + strings.Repeat("0", 390) + "e-390", number(strictjson.InRange, 1)},

	{"E5", "same name on two levels", `{"a":{"a":1},"b":{"a":2}}`, kind(strictjson.Object)},
	{"E5", "same name in siblings", `[{"a":1},{"a":2}]`, kind(strictjson.Array)},
	{"E5", "composed and decomposed", `{"\u00e9":1,"e\u0301":2}`, kind(strictjson.Object)},

	{"E6", "other case is another member", `{"a":1,"A":2}`, func(t *testing.T, v strictjson.Value) {
		lower, _ := v.Member("a")
		upper, _ := v.Member("A")
		if lower.Float != 1 || upper.Float != 2 {
			t.Errorf("got a=%v A=%v, want 1 and 2", lower.Float, upper.Float)
		}
	}},
	{"E6", "other case is no match", `{"A":1}`, func(t *testing.T, v strictjson.Value) {
		if _, found := v.Member("a"); found {
			t.Error(`"a" matched the member "A"`)
		}
	}},

	{"E7", "surrogate pair", `"\uD83D\uDE00"`, text("\U0001F600")},
	{"E7", "surrogate pair in lower case", `"\ud83d\ude00"`, text("\U0001F600")},
	{"E7", "last character", `"\uDBFF\uDFFF"`, text("\U0010FFFF")},
	{"E7", "escapes", `"\"\\\/\b\f\n\r\t\u0041"`, text("\"\\/\b\f\n\r\tA")},
	{"E7", "text around escapes", `"a\tbé\u00e9c"`, text("a\tbééc")},
	{"E7", "escaped control character", `"\u0001\u001f"`, text("\x01\x1f")},
	{"E7", "DEL and U+2028 are no JSON controls", "\"\x7f\u2028\"", text("\x7f\u2028")},
	{"E7", "U+FFFD and U+FEFF inside a string", "\"\uFFFD\uFEFF\"", text("\uFFFD\uFEFF")},
	{"E7", "two-, three- and four-byte text", `"é水😀"`, text("é水😀")},
	{"E7", "empty string", `""`, text("")},
	{"E7", "null", "null", kind(strictjson.Null)},
	{"E7", "whitespace around", " \t\r\n{ } \t\r\n", kind(strictjson.Object)},
}

// tie is halfway between 1 and the next binary64 number.
const tie = "1.00000000000000011102230246251565404236316680908203125"

var refusedDocs = []refused{
	{"E1", "arrays 65 deep", nested(65), "nesting level 65, expected at most 64", 64},
	{"E1", "objects 65 deep", nestedObjects(65), "nesting level 65", 64 * len(`{"a":`)},
	{"E1", "65536 opening brackets", strings.Repeat("[", strictjson.MaxBytes), "nesting level 65", 64},
	{"E1", "a million opening brackets", strings.Repeat("[", 1e6), "found 1000000 bytes", 0},

	{"E2", "number of five million digits", strings.Repeat("9", 5e6), "found 5000000 bytes, expected at most 65536", 0},
	{"E2", "document of 65537 bytes", `"` + strings.Repeat("a", strictjson.MaxBytes-1) + `"`, "found 65537 bytes", 0},
	{"E2", "whitespace counts", "0" + strings.Repeat(" ", strictjson.MaxBytes), "found 65537 bytes", 0},

	{"E5", "duplicate", `{"a":1,"a":1}`, `member "a" a second time`, 7},
	{"E5", "duplicate by escape", `{"a":1,"\u0061":2}`, `member "a" a second time`, 7},
	{"E5", "duplicate by escape first", `{"\u0061":2,"a":1}`, `member "a" a second time`, 12},
	{"E5", "duplicate nested", `{"x":[{"a":1,"b":2,"a":3}]}`, `member "a" a second time`, 19},
	{"E5", "duplicate nested by escape", `{"x":{"a":1,"\u0061":3}}`, `member "a" a second time`, 12},
	{"E5", "duplicate after a nested object", `{"a":{"b":1},"a":2}`, `member "a" a second time`, 13},
	{"E5", "duplicate empty name", `{"":1,"":2}`, `member "" a second time`, 6},
	{"E5", "duplicate by surrogate pair", `{"😀":1,"\ud83d\ude00":2}`, "a second time", 10},

	{"E7", "overlong", "\"\xC0\x80\"", "invalid UTF-8 byte 0xC0", 1},
	{"E7", "stray continuation byte", "\"a\x80\"", "invalid UTF-8 byte 0x80", 2},
	{"E7", "cut character", "\"\xE6\xB0\"", "invalid UTF-8 byte 0xE6", 1},
	{"E7", "surrogate in UTF-8", "\"\xED\xA0\x80\"", "invalid UTF-8 byte 0xED", 1},
	{"E7", "beyond U+10FFFF", "\"\xF4\x90\x80\x80\"", "invalid UTF-8 byte 0xF4", 1},
	{"E7", "invalid UTF-8 in a name", "{\"\xFF\":1}", "invalid UTF-8 byte 0xFF", 2},
	{"E7", "invalid UTF-8 outside a string", "[\xFF]", "invalid UTF-8 byte 0xFF", 1},
	{"E7", "UTF-16", "\xFE\xFF\x00{\x00}", "invalid UTF-8 byte 0xFE", 0},
	{"E7", "lone high surrogate", `"\uD800"`, `lone surrogate \uD800`, 1},
	{"E7", "lone low surrogate", `"\uDC00"`, `lone surrogate \uDC00`, 1},
	{"E7", "two high surrogates", `"\uD800\uD800"`, `lone surrogate \uD800`, 1},
	{"E7", "high surrogate and a letter", `"\uD800\u0041"`, `lone surrogate \uD800`, 1},
	{"E7", "high surrogate and text", `"\uD800A"`, `lone surrogate \uD800`, 1},
	{"E7", "swapped pair", `"\uDE00\uD83D"`, `lone surrogate \uDE00`, 1},
	{"E7", "lone surrogate in a name", `{"\uD800":1}`, `lone surrogate \uD800`, 2},
	{"E7", "raw NUL", "\"a\x00b\"", "found U+0000", 2},
	{"E7", "escaped NUL", `"a\u0000b"`, `found \u0000, expected no NUL`, 2},
	{"E7", "escaped NUL in a name", `{"\u0000":1}`, "no NUL", 2},
	{"E7", "NUL outside a string", "[\x00]", "found U+0000", 1},
	{"E7", "NUL after the document", "{}\x00", "found U+0000, expected the end", 2},
	{"E7", "byte order mark", "\uFEFF{}", "byte order mark", 0},
	{"E7", "byte order mark after a space", " \uFEFF{}", "found U+FEFF", 1},
	{"E7", "trailing text", `{} x`, `found "x", expected the end`, 3},
	{"E7", "second document", `{}{}`, `found "{", expected the end`, 2},
	{"E7", "trailing comma after the document", `{},`, `found ",", expected the end`, 2},
	{"E7", "empty", "", "empty document", 0},
	{"E7", "whitespace only", " \t\r\n", "empty document", 4},
}

func TestReliabilityRowsAccepted(t *testing.T) {
	for _, c := range acceptedDocs {
		t.Run(c.row+"/"+c.name, func(t *testing.T) {
			v, err := strictjson.Parse([]byte(c.doc))
			if err != nil {
				t.Fatal(err)
			}
			c.check(t, v)
		})
	}
}

func TestReliabilityRowsRefused(t *testing.T) {
	for _, c := range refusedDocs {
		t.Run(c.row+"/"+c.name, func(t *testing.T) {
			_, err := strictjson.Parse([]byte(c.doc))
			checkSyntaxError(t, err, c.reason, c.offset)
		})
	}
}

func checkSyntaxError(t *testing.T, err error, reason string, offset int) {
	t.Helper()
	var syntax *strictjson.SyntaxError
	if !errors.As(err, &syntax) {
		t.Fatalf("got %v, want a SyntaxError", err)
	}
	if !strings.Contains(syntax.Reason, reason) {
		t.Errorf("got reason %q, want it to contain %q", syntax.Reason, reason)
	}
	if syntax.Offset != offset {
		t.Errorf("got offset %d, want %d", syntax.Offset, offset)
	}
	if len(syntax.Reason) > 200 {
		t.Errorf("reason has %d bytes, want it short", len(syntax.Reason))
	}
}

func TestControlCharactersRefused(t *testing.T) {
	for c := range byte(' ') {
		if _, err := strictjson.Parse([]byte{'"', c, '"'}); err == nil {
			t.Errorf("accepted raw control character 0x%02X in a string", c)
		}
		isSpace := c == '\t' || c == '\n' || c == '\r'
		if _, err := strictjson.Parse([]byte{c, '1'}); (err == nil) != isSpace {
			t.Errorf("control character 0x%02X before a value: got error %v", c, err)
		}
	}
}

func TestParseObject(t *testing.T) {
	if v, err := strictjson.ParseObject([]byte(` {"a":1}`)); err != nil || len(v.Members) != 1 {
		t.Errorf("got %v, %v, want one member", v, err)
	}
	for doc, found := range map[string]string{
		"null": "null", " true": "a boolean", "1": "a number", `"{}"`: "a string", " []": "an array",
	} {
		t.Run("E7/"+doc, func(t *testing.T) {
			_, err := strictjson.ParseObject([]byte(doc))
			offset := len(doc) - len(strings.TrimSpace(doc))
			checkSyntaxError(t, err, "found "+found+", expected an object", offset)
		})
	}
	for _, c := range refusedDocs {
		if _, err := strictjson.ParseObject([]byte(c.doc)); err == nil {
			t.Errorf("%s/%s: accepted", c.row, c.name)
		}
	}
}
