package response

import (
	"cmp"
	"slices"
	"sync"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/verification"
)

// Template has the common part of all results of one release, which is rendered at the first use. After that
// the fields must not change. A Template is safe for concurrent use, and must not be copied.
type Template struct {
	Spec         *sdk.Spec
	Verification verification.Record
	APIVersion   string // left out, with APIContract, when empty
	APIContract  string
	Page         string        // URL of the calculator's page; left out when empty
	Warnings     []sdk.Warning // about the release itself, after the warnings of each outcome
	Links        []Link

	prepare  sync.Once
	head     []byte // from status to the tool
	engine   []byte // from the engine to the inputs
	inputs   [][]byte
	outputs  [][]byte
	plain    bool // names and units of outputs need no escapes
	formulas [][]byte
	assumed  []byte   // assumptions of the Spec, each with a comma
	tail     []byte   // from the verification to the end
	endings  [][]byte // from the formula to the end, without a formula and with each of them, of outcomes that add nothing
	size     int64
}

// render makes the constant parts.
func (t *Template) render() {
	spec := t.Spec
	t.head = appendMember(appendMember(nil, "status", "success"), "capability_id", spec.Capability)
	t.engine = append(appendMember(nil, "engine", spec.Tool+"@"+spec.Version), `"inputs":`...)
	t.inputs, t.outputs, t.plain = renderNames(spec.Inputs), renderNames(spec.Outputs), plainNames(spec.Outputs)
	for i := range spec.Formulas {
		t.formulas = append(t.formulas, appendFormula(nil, &spec.Formulas[i]))
	}
	for _, text := range spec.Assumptions {
		t.assumed = append(AppendText(t.assumed, text), ',')
	}
	tail := append([]byte(nil), `],"verification":`...)
	tail = append(appendMarshalled(tail, t.Verification), ',')
	tail = appendMember(tail, "calculation_version", spec.Version)
	if t.APIVersion != "" {
		tail = appendMember(tail, "api_version", t.APIVersion)
		tail = appendMember(tail, "api_contract_version", t.APIContract)
	}
	tail = appendMember(tail, "spec_version", spec.Contract)
	if t.Page != "" {
		tail = appendMember(tail, "page", t.Page)
	}
	if len(t.Links) > 0 {
		tail = append(tail, `"links":{`...)
		for _, l := range t.Links {
			tail = appendMember(tail, l.Name, l.URI)
		}
		tail = append(trimComma(tail), "},"...)
	}
	t.tail = append(trimComma(tail), '}')
	for i := -1; i < len(spec.Formulas); i++ {
		t.endings = append(t.endings, (&Success{Template: t}).appendEnding(nil, i))
	}
	t.measure()
}

// Size returns the approximate number of bytes that are the same in every rendered result.
func (t *Template) Size() int64 {
	t.prepare.Do(t.render)
	return t.size
}

func (t *Template) measure() {
	n := len(t.head) + len(t.engine)
	for _, part := range slices.Concat(t.inputs, t.outputs, t.outputs) {
		n += len(part)
	}
	n += len(slices.MaxFunc(t.endings, func(a, b []byte) int { return cmp.Compare(len(a), len(b)) }))
	t.size = int64(n)
}

func renderNames(fields []sdk.Field) [][]byte {
	names := make([][]byte, len(fields))
	for i := range fields {
		names[i] = appendName(nil, fields[i].Name)
	}
	return names
}
