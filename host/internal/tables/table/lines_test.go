package table

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// Line ends outside quotes become line feeds, however the bytes arrive.
func TestLineEnds(t *testing.T) {
	for text, want := range map[string]string{
		"a,b\n1,2\n":                     "a,b\n1,2\n",
		"a,b\r\n1,2\r\n":                 "a,b\n1,2\n",
		"a,b\r1,2\r":                     "a,b\n1,2\n",
		"a\rb\r\nc\nd\r\re":              "a\nb\nc\nd\n\ne",
		"\"a\rb\",c\rd":                  "\"a\rb\",c\nd",
		"\"a\r\nb\"\r\nc":                "\"a\r\nb\"\nc",
		"\"a\"\"\r\"\"b\"\rc":            "\"a\"\"\r\"\"b\"\nc",
		"5\",b\rc\r":                     "5\",b\nc\n", // a quote within a cell does not start quotes
		"a;\"b\r\";c\r":                  "a;\"b\r\";c\n",
		"a, \"b\r\", c\r":                "a, \"b\r\", c\n",
		"\ufeff\"a\r\",b\r":              "\ufeff\"a\r\",b\n",
		"\r":                             "\n",
		"":                               "",
		"\"never closed\r\nto the end\r": "\"never closed\r\nto the end\r",
	} {
		for name, r := range map[string]io.Reader{
			"whole": strings.NewReader(text), "bytes": iotest.OneByteReader(strings.NewReader(text)), "halves": iotest.HalfReader(strings.NewReader(text)), "at the end": iotest.DataErrReader(strings.NewReader(text)),
		} {
			got, err := io.ReadAll(newLineEnds(r))
			if err != nil || string(got) != want {
				t.Errorf("%q as %s: %q, %v", text, name, got, err)
			}
		}
	}
}
