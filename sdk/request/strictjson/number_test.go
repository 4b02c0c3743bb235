package strictjson_test

import (
	"math"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

func TestParseNumber(t *testing.T) {
	for _, c := range acceptedDocs {
		if c.row != "E3" && c.row != "E4" {
			continue
		}
		t.Run(c.row+"/"+c.name, func(t *testing.T) {
			v, err := strictjson.ParseNumber(c.doc)
			if err != nil {
				t.Fatal(err)
			}
			c.check(t, v)
			if v.Text != c.doc {
				t.Errorf("got text %q, want the literal as written", v.Text)
			}
		})
	}
	for literal, want := range map[string]float64{
		"0": 0, "7": 7, "-7": -7, "1.50": 1.5, "1E2": 100, "1e+2": 100, "10e-1": 1, "0.1": 0.1, "123456789012345678": 123456789012345680,
	} {
		if v, err := strictjson.ParseNumber(literal); err != nil || v.Float != want {
			t.Errorf("%s: got %v, %v, want %v", literal, v.Float, err, want)
		}
	}
}

var badNumbers = []struct {
	literal, reason string
	offset          int
}{
	{"", "found the end, expected a digit", 0},
	{"-", "found the end, expected a digit", 1},
	{"+1", `found "+", expected a digit`, 0},
	{"--1", `found "-", expected a digit`, 1},
	{"01", `found "1", expected no digit after a leading zero`, 1},
	{"-01", `found "1", expected no digit after a leading zero`, 2},
	{"00", `found "0", expected no digit after a leading zero`, 1},
	{".5", `found ".", expected a digit`, 0},
	{"1.", "found the end, expected a digit after the decimal point", 2},
	{"1.e2", `found "e", expected a digit after the decimal point`, 2},
	{"1e", "found the end, expected a digit in the exponent", 2},
	{"1e+", "found the end, expected a digit in the exponent", 3},
	{"1e+-1", `found "-", expected a digit in the exponent`, 3},
	{"1e1.5", `found ".", expected the end of the number`, 3},
	{"1,5", `found ",", expected the end of the number`, 1},
	{"1_000", `found "_", expected the end of the number`, 1},
	{"0x10", `found "x", expected the end of the number`, 1},
	{"1p4", `found "p", expected the end of the number`, 1},
	{" 1", `found " ", expected a digit`, 0},
	{"1 ", `found " ", expected the end of the number`, 1},
	{"1\n", `found U+000A, expected the end of the number`, 1},
	{"1\x00", `found U+0000, expected the end of the number`, 1},
	{"\x00", `found U+0000, expected a digit`, 0},
	{"１", `found "１", expected a digit`, 0},
	{"−1", `found "−", expected a digit`, 0},
	{"Inf", `found "I", expected a digit`, 0},
	{"-Infinity", `found "I", expected a digit`, 1},
	{"NaN", `found "N", expected a digit`, 0},
	{"null", `found "n", expected a digit`, 0},
	{`"1"`, `found "\"", expected a digit`, 0},
	{"1\xff", "found invalid UTF-8 byte 0xFF, expected the end of the number", 1},
	{"1" + strings.Repeat(" ", 400), `found " ", expected the end of the number`, 1},
	{strings.Repeat("9", 5e6), "found 5000000 bytes, expected at most 65536", 0},
}

func TestParseNumberRefused(t *testing.T) {
	for _, c := range badNumbers {
		_, err := strictjson.ParseNumber(c.literal)
		checkSyntaxError(t, err, c.reason, c.offset)
	}
}

func TestBadNumbersInDocument(t *testing.T) {
	for _, c := range badNumbers {
		if strings.TrimSpace(c.literal) != c.literal {
			continue
		}
		if v, err := strictjson.Parse([]byte(c.literal)); err == nil && v.Kind == strictjson.Number {
			t.Errorf("accepted %q", c.literal)
		}
	}
}

func TestMinusZeroHasNoSign(t *testing.T) {
	for _, literal := range []string{"-0", "-0.0", "-0e5", "-1e-400"} {
		v, err := strictjson.ParseNumber(literal)
		if err != nil {
			t.Fatal(err)
		}
		if math.Signbit(v.Float) {
			t.Errorf("%s: got -0, want 0", literal)
		}
	}
}
