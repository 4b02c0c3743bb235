package system

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/units"
)

// Every reference case that the types can express is called through the client of each language, as a user writes
// it. The results are bit-identical to the service. It needs all engines, so scripts/soak runs it.
func TestClientVectors(t *testing.T) {
	if !soaking {
		t.Skip("in scripts/soak clients")
	}
	registry, dir := library(t), t.TempDir()
	writeClients(t, dir, registry)
	h := startServerWith(t, []string{"serve", "--addr", "127.0.0.1:0", "--registry", registry, "--data", t.TempDir(), "--limit", unlimited})
	h.drain(t)
	cases := append(allReferences(t, "vectors.json"), allReferences(t, "errors.json")...)
	specs := map[string]*sdk.Spec{}
	for _, c := range cases {
		if specs[c.Capability] == nil {
			_, body := h.get(t, "/api/v1/capabilities/"+c.Capability)
			var described struct{ Spec sdk.Spec }
			if err := json.Unmarshal([]byte(body), &described); err != nil {
				t.Fatal(err)
			}
			specs[c.Capability] = &described.Spec
		}
	}
	writers := []*callWriter{goCalls(), tsCalls(), pyCalls()}
	names := []string{"main.go", "main.ts", "main.py"}
	want := make([]string, len(writers))
	counts, refused := make([]int, len(writers)), make([][]string, len(writers))
	for i, w := range writers {
		var calls strings.Builder
		for _, c := range cases {
			call, ok := callOf(w, specs[c.Capability], c.ID, c.text())
			if !ok {
				refused[i] = append(refused[i], c.ID)
				continue
			}
			calls.WriteString(call + "\n")
			counts[i]++
			want[i] += c.ID + " " + h.bits(t, c.Capability, c.text()) + "\n"
		}
		template, err := os.ReadFile(filepath.Join("testdata", "vectors", names[i]))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Replace(string(template), "CALLS\n", calls.String(), 1)
		if err := os.WriteFile(filepath.Join(dir, names[i]), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i, program := range compileClients(t, dir) {
		out, err := exec.CommandContext(t.Context(), program[0], append(program[1:], h.url)...).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%.2000s", names[i], err, out)
			continue
		}
		got, wanted := strings.Split(string(out), "\n"), strings.Split(want[i], "\n")
		if len(got) != len(wanted) {
			t.Errorf("%s: %d answers to %d calls", names[i], len(got), len(wanted))
			continue
		}
		wrong := 0
		for k := range got {
			if got[k] != wanted[k] {
				wrong++
				t.Errorf("%s: %s\nwant %s", names[i], got[k], wanted[k])
			}
		}
		t.Logf("%s: %d of %d cases, %d differ in a bit; its types do not allow %v", names[i], counts[i], len(cases), wrong, refused[i])
		if counts[i] < 160 {
			t.Errorf("%s: hardly any case can be written", names[i])
		}
	}
}

// bits calls the service directly. It writes results with the bits of their numbers, sorted by name, or the code
// and field of a problem.
func (h *server) bits(t *testing.T, capability, inputs string) string {
	t.Helper()
	_, body := h.post(t, "/api/v1/calc/"+capability, inputs)
	var said struct {
		Code, Field string
		Result      map[string]any
	}
	if err := json.Unmarshal([]byte(body), &said); err != nil {
		t.Fatal(err)
	}
	if said.Code != "" {
		return said.Code + " " + said.Field
	}
	var list []string
	for name, v := range said.Result {
		if x, ok := v.(float64); ok {
			v = fmt.Sprintf("%016x", math.Float64bits(x))
		}
		list = append(list, fmt.Sprintf("%s=%v", name, v))
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// callWriter writes calls in one language.
type callWriter struct {
	call     func(id string, spec *sdk.Spec, fields []string) string
	member   func(name, value string) string
	list     func(owner string, f *sdk.Field, items []string) string
	record   func(fields []string) string
	quantity func(f *sdk.Field, number, unit string) string
	plain    func(f *sdk.Field, literal string) string
	optional bool // whether the language can omit required inputs
}

// callOf writes a call with the inputs of a case. It returns false if a typed call cannot have these inputs.
func callOf(w *callWriter, spec *sdk.Spec, id, inputs string) (string, bool) {
	decoder := json.NewDecoder(strings.NewReader(inputs))
	decoder.UseNumber()
	var sent map[string]any
	if decoder.Decode(&sent) != nil {
		return "", false
	}
	fields, ok := membersOf(w, camelOf(spec.Tool), spec.Inputs, sent)
	return w.call(id, spec, fields), ok
}

func membersOf(w *callWriter, owner string, inputs []sdk.Field, sent map[string]any) (members []string, ok bool) {
	known := sdk.Spec{Inputs: inputs}
	there := map[int]bool{}
	for name, v := range sent {
		i := known.Input(name)
		if i < 0 || there[i] {
			return nil, false
		}
		f := &inputs[i]
		there[i] = true
		text, ok := valueOf(w, owner+camelOf(f.Name), f, v)
		if !ok {
			return nil, false
		}
		members = append(members, w.member(f.Name, text))
	}
	for i := range inputs {
		if inputs[i].Required && !there[i] && !w.optional {
			return nil, false
		}
	}
	slices.Sort(members)
	return members, true
}

func valueOf(w *callWriter, owner string, f *sdk.Field, v any) (string, bool) {
	unit := f.Unit
	if object, ok := v.(map[string]any); ok && f.Type != sdk.TypeObject {
		v, unit = object["value"], fmt.Sprint(object["unit"])
		if u, known := units.Lookup(unit); !known || f.Unit == "" {
			return "", false
		} else if own, _ := units.Lookup(f.Unit); own.Quantity != u.Quantity {
			return "", false
		}
	}
	switch f.Type {
	case sdk.TypeArray:
		list, ok := v.([]any)
		items := make([]string, len(list))
		for i := range list {
			var fine bool
			items[i], fine = valueOf(w, owner, f.Items, list[i])
			ok = ok && fine
		}
		return w.list(owner, f, items), ok
	case sdk.TypeObject:
		object, _ := v.(map[string]any)
		members, ok := membersOf(w, owner, f.Fields, object)
		return w.record(members), ok
	case sdk.TypeBoolean:
		b, ok := v.(bool)
		return w.plain(f, strconv.FormatBool(b)), ok
	case sdk.TypeString:
		text, ok := v.(string)
		if len(f.Enum) > 0 {
			text, ok = f.EnumValue(text)
		}
		return strconv.Quote(text), ok
	}
	literal, isNumber := v.(json.Number)
	text, isText := v.(string)
	switch {
	case isText && f.Decimal:
		text = strconv.Quote(text)
	case isNumber:
		x, err := literal.Float64()
		if exact, ok := new(big.Rat).SetString(literal.String()); err != nil || !ok || x == 0 && exact.Sign() != 0 {
			return "", false // not a binary64
		}
		text = literal.String()
		if f.Decimal { // the exact value of the literal as a binary64
			exact := new(big.Rat).SetFloat64(x)
			digits, _ := exact.FloatPrec()
			text = strconv.Quote(exact.FloatString(digits))
		}
	default:
		return "", false
	}
	if f.Unit != "" {
		return w.quantity(f, text, unit), true
	}
	return w.plain(f, text), true
}

// camelOf returns the identifier that clients make of a name or unit.
func camelOf(name string) string {
	text := ""
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("-_ /().", r) }) {
		text += strings.ToUpper(word[:1]) + word[1:]
	}
	return text
}

func quantityName(f *sdk.Field) string {
	u, ok := units.Lookup(f.Unit)
	switch {
	case !ok:
		return map[string]string{"%": "Percent"}[f.Unit] + camelOf(strings.Trim(f.Unit, "%"))
	case f.Difference:
		u = u.Difference()
	}
	return camelOf(u.Quantity)
}

func goCalls() *callWriter {
	return &callWriter{
		optional: true,
		call: func(id string, spec *sdk.Spec, fields []string) string {
			name := camelOf(spec.Tool)
			return fmt.Sprintf("\ttell(%q)(c.%s(ctx, k.%sInput{%s}))", id, name, name, strings.Join(fields, ", "))
		},
		member: func(name, value string) string { return camelOf(name) + ": " + value },
		list: func(owner string, f *sdk.Field, items []string) string {
			return goType(owner, f) + "{" + strings.Join(items, ", ") + "}"
		},
		record: func(fields []string) string { return "{" + strings.Join(fields, ", ") + "}" },
		quantity: func(f *sdk.Field, number, unit string) string {
			kind := ""
			if f.Decimal {
				kind = "Decimal"
			}
			return fmt.Sprintf("k.New%s%s(%s, %q)", quantityName(f), kind, number, unit)
		},
		plain: func(f *sdk.Field, literal string) string {
			switch {
			case f.Name == "" || f.Decimal: // an item of a list, or a text
				return literal
			case f.Type == sdk.TypeInteger:
				return "k.Some[int64](" + literal + ")"
			case f.Type == sdk.TypeNumber:
				return "k.Some[float64](" + literal + ")"
			}
			return "k.Some(" + literal + ")"
		},
	}
}

func goType(owner string, f *sdk.Field) string {
	switch {
	case f.Type == sdk.TypeArray:
		return "[]" + goType(owner, f.Items)
	case f.Type == sdk.TypeObject:
		return "k." + owner
	case f.Unit != "":
		return "k." + quantityName(f)
	case f.Decimal:
		return "k.Decimal"
	}
	return "float64"
}

func tsCalls() *callWriter {
	return &callWriter{
		call: func(id string, spec *sdk.Spec, fields []string) string {
			name := camelOf(spec.Tool)
			return fmt.Sprintf("await tell(%q, () => c.%s({ %s }));", id, strings.ToLower(name[:1])+name[1:], strings.Join(fields, ", "))
		},
		member:   func(name, value string) string { return name + ": " + value },
		list:     func(_ string, _ *sdk.Field, items []string) string { return "[" + strings.Join(items, ", ") + "]" },
		record:   func(fields []string) string { return "{ " + strings.Join(fields, ", ") + " }" },
		quantity: func(_ *sdk.Field, number, unit string) string { return fmt.Sprintf("q(%s, %q)", number, unit) },
		plain:    func(_ *sdk.Field, literal string) string { return literal },
	}
}

func pyCalls() *callWriter {
	w := tsCalls()
	w.call = func(id string, spec *sdk.Spec, fields []string) string {
		return fmt.Sprintf("tell(%q, lambda: c.%s(%s))", id, strings.ReplaceAll(spec.Tool, "-", "_"), strings.Join(fields, ", "))
	}
	w.member = func(name, value string) string {
		if name == "from" {
			name = "from_"
		}
		return name + "=" + value
	}
	w.record = func(fields []string) string { return "dict(" + strings.Join(fields, ", ") + ")" }
	w.quantity = func(_ *sdk.Field, number, unit string) string { return fmt.Sprintf("Q(%s, %q)", number, unit) }
	w.plain = func(f *sdk.Field, literal string) string {
		if f.Type == sdk.TypeBoolean {
			return strings.ToUpper(literal[:1]) + literal[1:]
		}
		return literal
	}
	return w
}
