package spreadsheet

import (
	"bytes"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk/text"
)

// No formula and no name makes the import panic, and each draft is a document.
func FuzzImport(f *testing.F) {
	for _, formula := range []string{"a*2", "-2^2", "IF(a>1,2,3)", "VLOOKUP(a,D1:D3,1,FALSE)", "SUM(A1:B3,c)", "ROUND(a,2)&\"x\"", "INDEX(D1:D3,MATCH(a,D1:D3,-1))", "'S'!A1%%", "SUMPRODUCT(D1:D3,E1:E3)"} {
		f.Add(formula, "a", "S!$A$1")
	}
	f.Fuzz(func(t *testing.T, formula, name, refer string) {
		var b bytes.Buffer
		for _, s := range []string{name, "|", refer, "|", formula} {
			if err := xml.EscapeText(&b, []byte(s)); err != nil {
				t.Skip()
			}
		}
		parts := strings.SplitN(b.String(), "|", 3)
		cells := strings.Replace(cellOf("a*2"), "<f>a*2</f>", "<f>"+parts[2]+"</f>", 1)
		file := zipped(t, book(t, cells, names+`<definedName name="`+parts[0]+`">`+parts[1]+`</definedName>`))
		draft, err := Import(file, Options{Capability: "a.b.c", Title: "C", File: "c.xlsx"})
		if err != nil {
			return
		}
		if _, err := text.Bind("c.calc.md", draft.Source); err != nil {
			t.Errorf("%v\n%s", err, draft.Source)
		}
	})
}
