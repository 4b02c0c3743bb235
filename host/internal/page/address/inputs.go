package address

import (
	"github.com/slipstick/slipstick/host/internal/page/site"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// QueryOf returns the query that passes the inputs, a JSON object, to the page of the Spec with the view.
// It leaves out defaults. It returns "" and false if no query can have these inputs.
func QueryOf(spec *sdk.Spec, inputs strictjson.Value, v *View) (query string, ok bool) {
	s := NewValues(spec)
	s.View = *v
	for i := range inputs.Members {
		m := &inputs.Members[i]
		at := spec.Input(m.Name)
		if at < 0 {
			return "", false
		}
		if ref, ok := presetText(&m.Value); ok {
			s.Values[at].Preset = ref
			continue
		}
		text, unit, ok := typed.Text(&spec.Inputs[at], typed.AsComputed(spec, at, m.Value))
		if !ok {
			return "", false
		}
		if f := &spec.Inputs[at]; text == f.Default && unit == "" && !(f.Decimal && m.Value.Kind == strictjson.String) {
			continue // the default of a decimal string is a binary64 number
		}
		e := &s.Values[at]
		e.names, e.texts = []string{m.Name}, []string{text}
		if unit != "" {
			e.Units = typed.Units{"": unit}
		}
	}
	query = s.Query()
	return query, query != "" && len(query) <= site.MaxQuery
}
