package table_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/tables/table"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
)

// Parts of a file have the same answers with and without a place. If each part starts at the place of the previous
// part, the file is read about once.
func TestResume(t *testing.T) {
	const rows, parts = 30_000, 40
	csv := func(begin, end string) string {
		var b strings.Builder
		b.WriteString(begin + "L;beam" + end)
		for i := range rows {
			switch {
			case i%503 == 17: // a record that is not CSV
				fmt.Fprintf(&b, "%d;a \"quote%s", i, end)
			case i%31 == 0: // quotes around line ends, after a space that the converter of line ends does not know
				fmt.Fprintf(&b, "%d;\u00a0\"a,\"\"%s,b\"%s", i, "\r\n", end)
			case i%29 == 0:
				fmt.Fprintf(&b, "\"%d\";\"a%s\"%s%s", i, end, end, end)
			case i%997 == 0:
				fmt.Fprintf(&b, "long;%d%s", i, end)
			default:
				fmt.Fprintf(&b, "%d;beam %080d%s", i, i, end)
			}
		}
		return b.String()
	}
	var lines strings.Builder
	for i := range rows {
		if i%2503 == 3 {
			fmt.Fprintf(&lines, "%s\n", strings.Repeat(" ", 150<<10))
		}
		fmt.Fprintf(&lines, "{\"inputs\":{\"L\":%d}}\n", i)
	}
	for name, text := range map[string]string{
		"line feeds.csv": csv("", "\n"), "both.csv": csv("", "\r\n"), "carriage returns.csv": csv("", "\r"),
		"mark.csv": csv("\ufeff", "\n"), "separator.csv": csv("\ufeffsep=;\r\n", "\r\n"), "rows.ndjson": lines.String(),
	} {
		t.Run(name, func(t *testing.T) {
			file := write(t, name, text)
			var read int64
			answers := func(first, count uint64, place *table.Place) string {
				var out bytes.Buffer
				o := new(observer)
				b := table.Batch{
					From: file, Format: table.FormatOf(name), Out: &out, As: table.FormatOf(name), Lean: true, ID: "twice", Observer: o,
					Table: table.Options{Decimals: typed.Point}, Only: []batch.Span{{First: first, Count: count}}, Resume: place,
				}
				if err := b.Run(t.Context(), service()); err != nil {
					t.Fatal(err)
				}
				if place != nil {
					read += o.read
				}
				return out.String()
			}
			var place table.Place
			for _, part := range []uint64{0, 1, 2, 3, 9, 10, 30, 31, 39, 38} { // the last is before the place
				const each = rows / parts
				got, want := answers(part*each, each, &place), answers(part*each, each, nil)
				if got != want || strings.Count(got, "\n") < each {
					t.Fatalf("part %d differs: %.300s\nwant %.300s", part, got, want)
				}
			}
			if read > 7*int64(len(text))/2 {
				t.Errorf("%d bytes of %d were read", read, len(text))
			}
		})
	}
}
