package mcp_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// maxToolList is the size limit of tools/list, which agents read in every conversation. A usual tokenizer averages at
// least three bytes a token for such text. Every argument has a description.
const maxToolList = 10_700

// The list of tools has few tokens, and does not depend on the number of published capabilities.
func TestToolList(t *testing.T) {
	s := newSite(t, base, nil)
	before := s.ask(t, "tools/list", "{}")
	s.service.Publish(published(1000))
	after := s.ask(t, "tools/list", "{}")
	if before.text != after.text || before.status != 200 {
		t.Errorf("tools/list changes with what is published:\n%s\n%s", before.text, after.text)
	}
	if n := len(before.text); n > maxToolList {
		t.Errorf("tools/list has %d bytes, more than %d", n, maxToolList)
	}
	var list struct {
		Tools []struct {
			Name, Title, Description  string
			InputSchema, OutputSchema struct{ Type string }
			Annotations               map[string]bool
		}
	}
	if err := json.Unmarshal(before.Result, &list); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		if tool.Title == "" || tool.Description == "" || tool.InputSchema.Type != "object" || tool.OutputSchema.Type != "object" {
			t.Errorf("%+v is not described completely", tool)
		}
		reads := tool.Name != "create_snapshot"
		for hint, want := range map[string]bool{"readOnlyHint": reads, "idempotentHint": true, "destructiveHint": false, "openWorldHint": false} {
			if got, told := tool.Annotations[hint]; !told || got != want {
				t.Errorf("%s: %s is %v", tool.Name, hint, got)
			}
		}
	}
	slices.Sort(names)
	if want := "create_snapshot describe_capability execute_calculation get_snapshot list_versions run_study search_capabilities"; strings.Join(names, " ") != want {
		t.Errorf("tools %v, want %s", names, want)
	}
}

// search → describe → execute, each with arguments from the previous answer.
func TestPath(t *testing.T) {
	s := newSite(t, base, nil)
	found, _ := s.call(t, "search_capabilities", `{"query":"how big is a cube"}`)
	first := found["capabilities"].([]any)[0].(map[string]any)
	if first["capability_id"] != "test.geometry.volume" || first["tier"] != "candidate" || first["current_version"] != "2.0.0" {
		t.Fatalf("found %v", found)
	}
	found = first["inputs"].([]any)[0].(map[string]any)
	if found["name"] != "side" || found["unit"] != "m" || found["required"] != true || len(found) != 3 {
		t.Errorf("a hit has the input %v", found)
	}
	described, _ := s.call(t, "describe_capability", fmt.Sprintf(`{"capability_id":%q}`, first["capability_id"]))
	side := described["inputs"].([]any)[0].(map[string]any)
	if side["unit"] != "m" || side["range"] != "(0, inf)" || side["required"] != true || described["calculation_version"] != "2.0.0" || described["input_schema"] != nil {
		t.Errorf("description %v", described)
	}
	shape := described["inputs"].([]any)[2].(map[string]any)
	if fmt.Sprint(shape["choices"]) != "[cube ball]" || shape["default"] != "cube" || shape["type"] != "string" {
		t.Errorf("an input with choices %v", shape)
	}
	detailed, _ := s.call(t, "describe_capability", `{"capability_id":"volume","schema":true}`)
	schema := detailed["input_schema"].(map[string]any)["properties"].(map[string]any)
	if schema["side"] == nil || fmt.Sprint(schema["a"]) != "map[$ref:#/properties/side]" || !strings.Contains(fmt.Sprint(detailed["errors"]), "SIDE_MUST_BE_POSITIVE") || detailed["engine_digest"] != digest {
		t.Errorf("detailed description %v", detailed)
	}
	arguments, err := json.Marshal(described["example"])
	if err != nil {
		t.Fatal(err)
	}
	executed, _ := s.call(t, "execute_calculation", string(arguments))
	if volume := executed["result"].(map[string]any)["volume"]; volume != 16.0 || executed["links"].(map[string]any)["mcp"] != base+"/mcp" {
		t.Errorf("executed %v", executed)
	}
	older, _ := s.call(t, "describe_capability", `{"capability_id":"volume","calculation_version":"1.0.0"}`)
	if older["calculation_version"] != "1.0.0" || older["current_version"] != "2.0.0" || fmt.Sprint(older["available_versions"]) != "[3.0.0 2.0.0 1.0.0]" {
		t.Errorf("pinned description %v", older)
	}
	listed, _ := s.call(t, "list_versions", `{"capability_id":"volume"}`)
	if got := fmt.Sprint(listed["versions"]); !strings.HasPrefix(got, "[map[available:false calculation_version:3.0.0 changes:It is version 3.0.0. current:false state:active] map[available:true calculation_version:2.0.0 changes:It is version 2.0.0. current:true engine_digest:"+digest) {
		t.Errorf("versions %v", got)
	}
}

// execute_calculation and create_snapshot return the bodies of REST, byte-identical.
func TestParity(t *testing.T) {
	s := newSite(t, base, nil)
	for _, inputs := range []string{`{"a":2}`, `{"side":0.1,"shape":"ball"}`, `{"side":{"value":10,"unit":"ft"}}`, `{"side":1e-110}`, `{"side":1.7976931348623157e100}`} {
		for _, pin := range []string{"", `,"calculation_version":"1.0.0"`} {
			request := fmt.Sprintf(`{"capability_id":"volume","inputs":%s%s}`, inputs, pin)
			rest := s.send(t, "POST", "/api/v1/calc", request)
			_, executed := s.call(t, "execute_calculation", request)
			if rest.status != 200 || rest.text != string(executed.StructuredContent)+"\n" {
				t.Errorf("%s: REST answers\n%s\nMCP\n%s", request, rest.text, executed.StructuredContent)
			}
			created, _ := s.call(t, "create_snapshot", request)
			if again, _ := s.call(t, "get_snapshot", fmt.Sprintf(`{"id":%q}`, created["id"])); fmt.Sprint(again) != fmt.Sprint(created) {
				t.Errorf("%s: created\n%v\nread\n%v", request, created, again)
			}
			shared := s.send(t, "GET", "/api/v1/share/"+created["id"].(string), "")
			var record struct{ Result json.RawMessage }
			if err := json.Unmarshal([]byte(shared.text), &record); err != nil || string(record.Result)+"\n" != rest.text {
				t.Errorf("%s: the snapshot holds\n%s\nwant %s", request, record.Result, rest.text)
			}
		}
	}
	for _, a := range []reply{s.ask(t, "tools/call", `{"name":"execute_calculation","arguments":{"capability_id":"volume","inputs":{"a":2},"calculation_version":"1.0.0"}}`)} {
		if a.header.Get("Service-Spec-Version") != "1.0.0" || a.header.Get("Slipstick-Engine-Digest") != digest {
			t.Errorf("headers %v", a.header)
		}
	}
}

// Pages of results are complete, in order, and belong to one search.
func TestPages(t *testing.T) {
	s := newSite(t, base, nil)
	s.service.Publish(published(50))
	seen := map[any]bool{}
	cursor := ""
	for page := range 100 {
		arguments := fmt.Sprintf(`{"query":"","domain":"test.more","limit":7,"cursor":%q}`, cursor)
		found, _ := s.call(t, "search_capabilities", arguments)
		list := found["capabilities"].([]any)
		for _, c := range list {
			id := c.(map[string]any)["capability_id"]
			if seen[id] {
				t.Errorf("%v is on two pages", id)
			}
			seen[id] = true
		}
		if found["total"] != 50.0 || len(list) > 7 {
			t.Fatalf("page %d: %d of %v", page, len(list), found["total"])
		}
		next, more := found["next_cursor"].(string)
		if !more {
			break
		}
		if body, result := s.call(t, "search_capabilities", fmt.Sprintf(`{"query":"weight","cursor":%q}`, next)); !result.IsError || body["field"] != "cursor" {
			t.Errorf("the cursor of another search: %v", body)
		}
		cursor = next
	}
	if len(seen) != 50 {
		t.Errorf("%d of 50 on all pages", len(seen))
	}
	nothing, _ := s.call(t, "search_capabilities", `{"query":"qwertz"}`)
	if nothing["total"] != 0.0 || nothing["suggestion"] == nil {
		t.Errorf("nothing is found: %v", nothing)
	}
}

// A capability that is published while the server runs is found, described and suggested.
func TestPublish(t *testing.T) {
	s := newSite(t, base, nil)
	if found, _ := s.call(t, "search_capabilities", `{"query":"m0003"}`); found["total"] != 0.0 {
		t.Errorf("before: %v", found)
	}
	s.service.Publish(published(10))
	if found, _ := s.call(t, "search_capabilities", `{"query":"m0003"}`); found["total"] != 1.0 {
		t.Errorf("after: %v", found)
	}
	body, _ := s.call(t, "execute_calculation", `{"capability_id":"m003","inputs":{}}`)
	if ids := fmt.Sprint(body["acceptable_ids"]); body["code"] != "CAPABILITY_NOT_FOUND" || !strings.Contains(ids, "m0003") {
		t.Errorf("suggested: %v", body)
	}
}

// A study over MCP has the same answer as over REST, byte-identical. Its problems have the form of the
// protocol.
func TestStudy(t *testing.T) {
	s := newSite(t, base, nil)
	const plan = `"kind":"monte_carlo","inputs":{"a":2},"uncertain":{"side":{"standard_uncertainty":0.1}},"draws":3000`
	rest := s.send(t, "POST", "/api/v1/study/volume", "{"+plan+"}")
	body, studied := s.call(t, "run_study", `{"capability_id":"volume",`+plan+`}`)
	if rest.status != 200 || rest.text != string(studied.StructuredContent)+"\n" || body["calculations"] != 3000.0 {
		t.Errorf("REST answers\n%s\nMCP\n%s", rest.text, studied.StructuredContent)
	}
	rest = s.send(t, "POST", "/api/v1/study/volume?units=us&unit=side=mm", "{"+plan+"}")
	body, studied = s.call(t, "run_study", `{"capability_id":"volume","units":"us","unit":["side=mm"],`+plan+`}`)
	if rest.status != 200 || rest.text != string(studied.StructuredContent)+"\n" || body["shown"] == nil {
		t.Errorf("in units REST answers\n%s\nMCP\n%s", rest.text, studied.StructuredContent)
	}
	for arguments, code := range map[string]string{`"units":"imperial",`: "INVALID_ARGUMENT", `"unit":"mm",`: "INVALID_ARGUMENT", `"unit":["side=kg"],`: "INCOMPATIBLE_UNIT"} {
		if body, _ := s.call(t, "run_study", `{"capability_id":"volume",`+arguments+plan+`}`); body["code"] != code {
			t.Errorf("%s: %v, want %s", arguments, body, code)
		}
	}
	if body, _ := s.call(t, "run_study", `{"capability_id":"volume","kind":"goal_seek","inputs":{},"unknown":"side","bracket":[1,2],"goal":1000}`); body["code"] != "NO_BRACKET" || body["field"] != "bracket" {
		t.Errorf("without a bracket: %v", body)
	}
	if body, _ := s.call(t, "run_study", `{"capability_id":"nothing","kind":"gum"}`); body["code"] != "CAPABILITY_NOT_FOUND" {
		t.Errorf("of nothing: %v", body)
	}
}

// Every argument of every tool has a description and a type, and so has every member of an answer.
func TestSchemasDescribe(t *testing.T) {
	var list struct {
		Tools []struct {
			Name                      string
			InputSchema, OutputSchema map[string]any
		}
	}
	if err := json.Unmarshal(newSite(t, base, nil).ask(t, "tools/list", "{}").Result, &list); err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, tool := range list.Tools {
		for _, schema := range []map[string]any{tool.InputSchema, tool.OutputSchema} {
			properties, _ := schema["properties"].(map[string]any)
			for name, p := range properties {
				property := p.(map[string]any)
				count++
				if text, _ := property["description"].(string); text == "" || !isTyped(property) {
					t.Errorf("%s: %s is %v", tool.Name, name, property)
				}
			}
		}
	}
	if count < 50 {
		t.Errorf("%d properties", count)
	}
}

// isTyped reports whether a schema has a type, or only alternatives with types. The items of an array need one, too.
func isTyped(schema map[string]any) bool {
	if items, ok := schema["items"].(map[string]any); ok && !isTyped(items) || !ok && schema["type"] == "array" {
		return false
	}
	if schema["type"] != nil {
		return true
	}
	alternatives, _ := schema["anyOf"].([]any)
	return len(alternatives) > 0 && !slices.ContainsFunc(alternatives, func(a any) bool { return !isTyped(a.(map[string]any)) })
}

// From the revision with structured content on, the text is a summary. Before it, the text is the whole answer.
func TestSummaries(t *testing.T) {
	s := newSite(t, base, nil)
	created, _ := s.call(t, "create_snapshot", `{"capability_id":"volume","inputs":{"a":2}}`)
	for _, tt := range []struct{ tool, arguments, want string }{
		{"search_capabilities", `{"query":"how big is a cube"}`, "test.geometry.volume 2.0.0: Volume <of> a cube & more. Needs side m"},
		{"search_capabilities", `{"query":"qwertz"}`, "Nothing was found. Say it with other words, without domain, or send an empty query to list what there is."},
		{"describe_capability", `{"capability_id":"volume"}`, "test.geometry.volume 2.0.0 (candidate): Volume <of> a cube & more\nneeds: side m\noptional: count; shape"},
		{"describe_capability", `{"capability_id":"volume","schema":true}`, "test.geometry.volume 2.0.0 (candidate): Volume <of> a cube & more\nneeds: side m\noptional: count; shape"},
		{"list_versions", `{"capability_id":"volume"}`, "test.geometry.volume: current 2.0.0\n3.0.0 active\n2.0.0 active candidate\n1.0.0 active candidate"},
		{"execute_calculation", `{"capability_id":"volume","inputs":{"a":2}}`, "16 m3\ntest.geometry.volume 2.0.0, candidate"},
		{"execute_calculation", `{"capability_id":"volume","inputs":{"a":-2}}`, "SIDE_MUST_BE_POSITIVE at side: side is -2: it must be greater than 0. Give a value of side greater than 0, in m."},
		{"execute_calculation", `{"capability_id":"volum","inputs":{}}`, `CAPABILITY_NOT_FOUND at capability_id: no capability or tool has the id "volum". Did you mean volume? search_capabilities finds capabilities by what they are for.` + "\nacceptable_ids: volume, test.broken.layout"},
		{"execute_calculation", `{"capability_id":"volume","inputs":{"a":2},"calculation_version":"9.0.0"}`, "VERSION_MISMATCH at calculation_version: version \"9.0.0\" is not published. "},
		{"create_snapshot", `{"capability_id":"volume","inputs":{"a":2}}`, "snapshot " + created["id"].(string)},
		{"get_snapshot", `{"id":"` + created["id"].(string) + `"}`, "snapshot " + created["id"].(string)},
		{"run_study", `{"capability_id":"volume","kind":"sweep","vary":{"side":[1,2]}}`, "sweep of test.geometry.volume 2.0.0: 2 calculations\nside = 1 m: volume = 2 m3\nside = 2 m: volume = 16 m3"},
		{"run_study", `{"capability_id":"volume","kind":"goal_seek","unknown":"side","bracket":[1,3],"goal":16}`, "goal_seek of test.geometry.volume 2.0.0: "},
		{"run_study", `{"capability_id":"volume","kind":"gum","inputs":{"a":2},"uncertain":{"side":{"standard_uncertainty":0.1}}}`, "gum of test.geometry.volume 2.0.0: "},
	} {
		whole, before := s.call(t, tt.tool, tt.arguments)
		short, result := s.call(t, tt.tool, tt.arguments, "MCP-Protocol-Version", "2025-06-18")
		text := result.Content[0].Text
		if !strings.HasPrefix(text, tt.want) || strings.HasPrefix(text, "{") {
			t.Errorf("%s %s: the text is\n%s\nwant\n%s", tt.tool, tt.arguments, text, tt.want)
		}
		if fmt.Sprint(whole) != fmt.Sprint(short) {
			t.Errorf("%s: the structured content differs: %v, %v", tt.tool, whole, short)
		}
		if _, old := s.call(t, tt.tool, tt.arguments, "MCP-Protocol-Version", "2024-11-05"); old.Content[0].Text != before.Content[0].Text {
			t.Errorf("%s: in the oldest revision the text is %s", tt.tool, old.Content[0].Text)
		}
	}
	body, headers := rpc("tools/call", execute(cube))
	if a := s.send(t, "POST", "/mcp", body, append(headers, "Mcp-Name", "execute_calculation")...); !strings.Contains(a.text, `"text":"16 m3\n`) {
		t.Errorf("in the newest revision: %s", a.text)
	}
	if body, result := s.call(t, "execute_calculation", `{"capability_id":"volume","inputs":{"a":2},"calculation_version":"9.0.0"}`, "MCP-Protocol-Version", "2025-11-25"); !strings.Contains(result.Content[0].Text, "available_versions: 3.0.0, 2.0.0, 1.0.0") {
		t.Errorf("%v: %s", body, result.Content[0].Text)
	}
}
