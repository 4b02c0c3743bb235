package documents_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/registry/documents"
)

type part struct {
	Where string `json:"where" validate:"required"`
}

type document struct {
	Name  string   `json:"name" validate:"required,maxbytes=4"`
	Kind  string   `json:"kind,omitempty" validate:"omitempty,oneof=a b"`
	Parts []part   `json:"parts" validate:"max=2,dive"`
	Words []string `json:"words" validate:"dive,loud"`
}

var checker = documents.New(map[string]documents.Rule{
	"loud": func(text, _ string) bool { return text == strings.ToUpper(text) },
})

func TestCheckFindsTheFirstField(t *testing.T) {
	for _, tt := range []struct {
		name string
		doc  document
		want string // path, field, rule and parameter; "" if the document is in order
	}{
		{"in order", document{Name: "ok", Kind: "a", Parts: []part{{"here"}}, Words: []string{"A"}}, ""},
		{"nothing", document{}, "name name required "},
		{"bytes are counted, not characters", document{Name: "ääa"}, "name name maxbytes 4"},
		{"another kind", document{Name: "ok", Kind: "c"}, "kind kind oneof a b"},
		{"too many", document{Name: "ok", Parts: make([]part, 3)}, "parts parts max 2"},
		{"in a list", document{Name: "ok", Parts: []part{{"here"}, {}}}, "parts[1].where where required "},
		{"own rule", document{Name: "ok", Words: []string{"A", "b"}}, "words[1] words loud "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			err := checker.Check(&tt.doc, func(f documents.Finding) error {
				got = fmt.Sprintf("%s %s %s %s", f.Path, f.Field, f.Rule, f.Param)
				return errors.New("worded")
			})
			if got != tt.want || (err != nil) != (tt.want != "") {
				t.Errorf("finding = %q, error %v; want %q", got, err, tt.want)
			}
		})
	}
}

func TestCheckNamesFieldAndRuleByDefault(t *testing.T) {
	err := checker.Check(document{Name: "ok", Parts: make([]part, 3)}, func(documents.Finding) error { return nil })
	if want := "parts does not satisfy the rule max=2: correct it in the document"; err == nil || err.Error() != want {
		t.Errorf("error = %v, want %q", err, want)
	}
}
