package system

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/text"
)

// described is a capability with its input schemas and the inputs to validate.
type described struct {
	id      string
	spec    sdk.Spec
	schemas map[string]json.RawMessage // schemas by the place of their publication
	texts   []string                   // inputs as they are sent
}

// checkSchemas makes sure that every published input schema accepts the inputs that the service accepts, under
// every name and alias. It must refuse refused inputs if a schema can express the reason. Two independent
// validators check this.
func (h *server) checkSchemas(t *testing.T) {
	all := h.describedAll(t)
	if want := capabilities(t); len(all) != len(want) {
		t.Fatalf("%d capabilities have vectors, want %d", len(all), len(want))
	}
	judges := []map[string][]string{h.validateWithGo(t, all), validateWithAjv(t, all)}
	admitted, refused, silent := 0, 0, 0
	for i := range all {
		c := &all[i]
		for k, text := range c.texts {
			status, body := h.post(t, "/api/v1/calc", fmt.Sprintf(`{"id":%q,"inputs":%s}`, c.id, text))
			accepts, says := status == http.StatusOK, schemaRefuses(t, &c.spec, text)
			switch {
			case accepts:
				admitted++
			case says:
				refused++
			default:
				silent++ // a domain rule
			}
			for _, judged := range judges {
				for place, faults := range judged {
					if !strings.HasPrefix(place, c.id+" ") {
						continue
					}
					if fault := faults[k]; accepts && fault != "" || says && fault == "" {
						t.Errorf("%s says %q of %s; the service: %s", place, fault, text, body)
					}
				}
			}
		}
	}
	t.Logf("%d inputs admitted, %d refused, of %d more only the engine can tell", admitted, refused, silent)
	if admitted < 2000 || refused < 300 {
		t.Error("hardly anything was judged")
	}
}

// schemaRefuses reports whether a schema can refuse the inputs: by a name, a type, a choice, or a missing required
// input.
func schemaRefuses(t *testing.T, spec *sdk.Spec, text string) bool {
	t.Helper()
	inputs, err := strictjson.ParseObject([]byte(text))
	if err != nil {
		t.Fatal(text, err)
	}
	_, _, err = request.Read(spec, inputs)
	var refusal *sdk.Error
	if !errors.As(err, &refusal) {
		return false
	}
	return slices.Contains([]string{request.CodeUnknownInput, request.CodeInvalidNumber, sdk.CodeMissingRequiredInput, request.CodeInvalidMode}, refusal.Code)
}

// describedAll reads the capabilities with their schemas, and collects the inputs. These are all vectors of their
// engines and the reference cases. The first vector with a result is sent under each alias, too, and with a wrong type of
// each input.
func (h *server) describedAll(t *testing.T) []described {
	t.Helper()
	texts := map[string][]string{}
	add := func(id, text string) {
		if v, err := strictjson.ParseObject([]byte(text)); err == nil && !v.Has("calculation_version") && !slices.Contains(texts[id], text) {
			texts[id] = append(texts[id], text)
		}
	}
	first := map[string]json.RawMessage{}
	for _, list := range append(libraryCases(t), allReferences(t, "vectors.json"), allReferences(t, "errors.json")) {
		for _, c := range list {
			add(c.Capability, c.text())
			if _, refused := c.Expected["code"]; !refused && c.Status == 0 && first[c.Capability] == nil {
				first[c.Capability] = c.Inputs
			}
		}
	}
	var list []described
	for _, id := range slices.Sorted(maps.Keys(texts)) {
		c := described{id: id, schemas: map[string]json.RawMessage{}}
		h.readSchemas(t, &c)
		for _, text := range slices.Concat(renamed(t, c.spec.Inputs, first[id]), mistyped(t, c.spec.Inputs, first[id])) {
			add(id, text)
		}
		c.texts = texts[id]
		list = append(list, c)
	}
	return list
}

func casesOf(t *testing.T, file string) (cases []reference) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &cases)
	}
	if err != nil {
		t.Fatal(file, err)
	}
	return cases
}

// libraryCases returns the vectors of each calculation of the library.
func libraryCases(t *testing.T) (all [][]reference) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "plugins", "*", "*", "*", "vectors.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		all = append(all, casesOf(t, file))
	}
	for _, file := range documents(t) {
		source, err := text.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		engine, err := text.BindWith(file, source)
		if err != nil {
			t.Fatal(err)
		}
		var list []reference
		err = json.Unmarshal(engine.Vectors(), &list)
		if err != nil {
			t.Fatal(file, err)
		}
		for i := range list {
			list[i].Capability = engine.Spec().Capability
		}
		all = append(all, list)
	}
	if want := capabilities(t); len(all) < len(want) {
		t.Fatalf("%d calculations have vectors, want at least %d", len(all), len(want))
	}
	return all
}

// readSchemas reads the published schemas of the capability: the ones that results link to, and the ones in MCP.
func (h *server) readSchemas(t *testing.T, c *described) {
	t.Helper()
	var answer struct{ Spec sdk.Spec }
	h.getJSON(t, "/api/v1/calc/"+c.id, &answer)
	c.spec = answer.Spec
	_, linked := h.get(t, "/api/v1/capabilities/"+c.id+"/schema/input")
	c.schemas["link"] = json.RawMessage(linked)
	text, _ := h.tool(t, "describe_capability", fmt.Sprintf(`{"capability_id":%q,"schema":true}`, c.id))
	var logged struct {
		InputSchema json.RawMessage `json:"input_schema"`
	}
	if err := json.Unmarshal([]byte(text), &logged); err != nil {
		t.Fatal(err)
	}
	c.schemas["mcp"] = logged.InputSchema
	for name, value := range defaultsOf(t, c.schemas["link"]) {
		if at := c.spec.Input(name); c.spec.Inputs[at].Name != name {
			t.Errorf("the schema of %s has the default %s of the alias %s", c.id, value, name)
		}
	}
}

func defaultsOf(t *testing.T, schema json.RawMessage) map[string]string {
	t.Helper()
	var s struct {
		Properties map[string]struct{ Default json.RawMessage }
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		t.Fatal(err)
	}
	defaults := map[string]string{}
	for name, p := range s.Properties {
		if p.Default != nil {
			defaults[name] = string(p.Default)
		}
	}
	return defaults
}

// mistyped returns inputs with a wrong type of one of them: true, or a number for an input that is yes or no.
func mistyped(t *testing.T, fields []sdk.Field, inputs json.RawMessage) (texts []string) {
	t.Helper()
	var members map[string]json.RawMessage
	err := json.Unmarshal(inputs, &members)
	if err != nil {
		t.Fatal(string(inputs), err)
	}
	spec := sdk.Spec{Inputs: fields}
	for name := range members {
		changed := maps.Clone(members)
		changed[name] = json.RawMessage("true")
		if fields[spec.Input(name)].Type == sdk.TypeBoolean {
			changed[name] = json.RawMessage("3")
		}
		text, err := json.Marshal(changed)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	return texts
}

// renamed returns the inputs with each of them under each of its other names, members of lists included.
func renamed(t *testing.T, fields []sdk.Field, inputs json.RawMessage) (texts []string) {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal(inputs, &members); err != nil {
		t.Fatal(string(inputs), err)
	}
	spec := sdk.Spec{Inputs: fields}
	write := func(without, name string, value json.RawMessage) {
		changed := maps.Clone(members)
		delete(changed, without)
		changed[name] = value
		text, err := json.Marshal(changed)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	for sent, value := range members {
		at := spec.Input(sent)
		if at < 0 {
			t.Fatalf("there is no input %s", sent)
		}
		f := &fields[at]
		for _, name := range append([]string{f.Name}, f.Aliases...) {
			write(sent, name, value)
		}
		var rows []json.RawMessage
		if f.Type != sdk.TypeArray || f.Items.Type != sdk.TypeObject || json.Unmarshal(value, &rows) != nil || len(rows) == 0 {
			continue
		}
		for _, row := range renamed(t, f.Items.Fields, rows[0]) {
			list, err := json.Marshal(append([]json.RawMessage{json.RawMessage(row)}, rows[1:]...))
			if err != nil {
				t.Fatal(err)
			}
			write(sent, sent, list)
		}
	}
	return texts
}

// validateWithGo returns the errors of all texts by id and place, "" for a valid text. It uses the schemas and the
// OpenAPI document.
func (h *server) validateWithGo(t *testing.T, all []described) map[string][]string {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	addSchema := func(name, text string) {
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err == nil {
			err = compiler.AddResource(name, document)
		}
		if err != nil {
			t.Fatal(name, err)
		}
	}
	_, document := h.get(t, "/openapi.json")
	addSchema("openapi.json", document)
	judged := map[string][]string{}
	for _, c := range all {
		addresses := map[string]string{"openapi": "openapi.json#/components/schemas/" + c.id + ".inputs"}
		for place, text := range c.schemas {
			addresses[place] = place + "/" + c.id
			addSchema(addresses[place], string(text))
		}
		for place, address := range addresses {
			schema, err := compiler.Compile(address)
			if err != nil {
				t.Fatal(err)
			}
			judged[c.id+" "+place] = faultsOf(t, schema, c.texts)
		}
	}
	return judged
}

func faultsOf(t *testing.T, schema *jsonschema.Schema, texts []string) []string {
	t.Helper()
	faults := make([]string, len(texts))
	for i, text := range texts {
		inputs, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(text, err)
		}
		if err := schema.Validate(inputs); err != nil {
			faults[i] = err.Error()
		}
	}
	return faults
}

// validateWithAjv returns the errors that Ajv finds with the schemas.
func validateWithAjv(t *testing.T, all []described) map[string][]string {
	t.Helper()
	type question struct {
		Schema json.RawMessage `json:"schema"`
		Texts  []string        `json:"texts"`
	}
	var questions []question
	var places []string
	for _, c := range all {
		for place, schema := range c.schemas {
			questions, places = append(questions, question{schema, c.texts}), append(places, c.id+" "+place)
		}
	}
	text, err := json.Marshal(questions)
	if err != nil {
		t.Fatal(err)
	}
	var complaints bytes.Buffer
	judge := exec.CommandContext(t.Context(), filepath.Join(root, "scripts", "node", "schemas", "judge"), write(t, "schemas.json", string(text)))
	judge.Stderr = &complaints
	out, err := judge.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, complaints.String())
	}
	var faults [][]string
	if err := json.Unmarshal(out, &faults); err != nil || len(faults) != len(places) {
		t.Fatal(len(faults), err)
	}
	judged := map[string][]string{}
	for i, place := range places {
		judged[place] = faults[i]
	}
	return judged
}
