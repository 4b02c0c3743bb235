package formula_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk/formula"
)

// TestSent checks that the text determines which inputs replace each other, for all values.
func TestSent(t *testing.T) {
	const (
		drop     = "r = rho/A\nz = r                   if circuit == \"dc\"\nz = r + x*sqrt(1 - pf^2)  otherwise\nU = I*z"
		reynolds = "Re = rho*V*L/mu  if given(mu)  @dynamic_v1\nRe = V*L/nu  otherwise  @kinematic_v1"
		pair     = "E = 2*G*(1 + nu)  if given(G, nu)\nnu = E/(2*G) - 1  if given(E, G)\nG = E/(2*(1 + nu))  if given(E, nu)"
		column   = "C = sqrt(E/S_y)\nP = S_y*A  if given(S_y) and lambda < C\nP = E*A/lambda^2  otherwise"
		flow     = "V = 4*Q/(pi*D^2)\nRe = V*D/nu"
		helper   = "b = L\nT(x) = x^2*c  if not given(b)\nT(x) = x*b/L  otherwise\nS = sum(k in layers: k.d/T(k.c)) + sum(i in 1..n: i*L)\ny = T(a) + S"
		both     = "y = a  if given(a) or given(b) and q > 0\ny = b  otherwise"
	)
	for _, tt := range []struct {
		text, outputs, sent string
		want                formula.Sent
	}{
		{drop, "U", "r I", formula.Sent{Needed: []string{"circuit", "pf", "x"}}},
		{drop, "U", "rho A I", formula.Sent{Needed: []string{"circuit", "pf", "x"}}},
		{drop, "U", "r A", formula.Sent{Unused: []string{"A"}, Needed: []string{"I", "circuit", "pf", "x"}}},
		{drop, "U", "r rho A", formula.Sent{Unused: []string{"A", "rho"}, Given: []string{"r"}, Needed: []string{"I", "circuit", "pf", "x"}}},
		{drop, "U", "A", formula.Sent{Needed: []string{"I", "circuit", "pf", "rho", "x"}}},
		{reynolds, "Re", "rho mu nu", formula.Sent{Unused: []string{"nu"}, Needed: []string{"L", "V"}}},
		{reynolds, "Re", "rho nu", formula.Sent{Unused: []string{"rho"}, Needed: []string{"L", "V"}}},
		{reynolds, "Re", "mu", formula.Sent{Needed: []string{"L", "V", "rho"}}},
		{pair, "E nu G", "E nu", formula.Sent{}},
		{pair, "E nu G", "E G nu", formula.Sent{Given: []string{"E", "G", "nu"}}},
		{column, "P", "E A S_y", formula.Sent{Needed: []string{"lambda"}}},
		{column, "P", "E A", formula.Sent{Needed: []string{"lambda"}}},
		{flow, "Re", "Q D", formula.Sent{Needed: []string{"nu"}}},
		{flow, "Re", "V Q D", formula.Sent{Unused: []string{"Q"}, Given: []string{"V"}, Needed: []string{"nu"}}},
		{helper, "y", "L", formula.Sent{Needed: []string{"a", "c", "layers", "n"}}},
		{helper, "y", "L b c", formula.Sent{Unused: []string{"c"}, Given: []string{"b"}, Needed: []string{"a", "layers", "n"}}},
		{both, "y", "b", formula.Sent{Needed: []string{"a", "q"}}},
		{both, "y", "a b", formula.Sent{Unused: []string{"b"}}},
	} {
		text, err := formula.Parse(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		sent := map[string]bool{"unknown": false}
		for name := range strings.FieldsSeq(tt.sent) {
			sent[name] = true
		}
		if got := text.Sent(strings.Fields(tt.outputs), sent); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s\nwith %v: %+v, want %+v", tt.text, slices.Sorted(maps.Keys(sent)), got, tt.want)
		}
	}
}
