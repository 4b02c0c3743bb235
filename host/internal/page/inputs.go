package page

import (
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// queryOf returns the query that passes the inputs, a JSON object, to the page of the Spec, to be
// shown as in the view.
// It returns "" if no query can. Defaults are left out.
func queryOf(spec *sdk.Spec, inputs strictjson.Value, v *view) (query string, ok bool) {
	s := &formValues{spec: spec, values: make([]formValue, len(spec.Inputs)), view: *v}
	for i := range inputs.Members {
		m := &inputs.Members[i]
		at := spec.Input(m.Name)
		if at < 0 {
			return "", false
		}
		if ref, ok := presetText(&m.Value); ok {
			s.values[at].preset = ref
			continue
		}
		text, unit, ok := typed.Text(&spec.Inputs[at], m.Value)
		if !ok {
			return "", false
		}
		if f := &spec.Inputs[at]; text == f.Default && unit == "" && !(f.Decimal && m.Value.Kind == strictjson.String) {
			continue // the default of a decimal string is a binary64 number
		}
		e := &s.values[at]
		e.names, e.texts = []string{m.Name}, []string{text}
		if unit != "" {
			e.units = typed.Units{"": unit}
		}
	}
	query = s.query()
	return query, query != "" && len(query) <= maxQuery
}
