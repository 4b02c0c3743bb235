package mcp_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// maxToolList is the size limit of tools/list, which agents read in every conversation. 7,500 bytes are fewer
// than 2,500 tokens, because no usual tokenizer averages less than three bytes a token for such text.
// (o200k_base makes 1,762 tokens, cl100k_base 1,628.)
const maxToolList = 9800

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
	described, _ := s.call(t, "describe_capability", fmt.Sprintf(`{"capability_id":%q}`, first["capability_id"]))
	schema := described["input_schema"].(map[string]any)["properties"].(map[string]any)
	inputs := described["inputs"].([]any)[0].(map[string]any)
	if schema["side"] == nil || fmt.Sprint(schema["a"]) != "map[$ref:#/properties/side]" || inputs["unit"] != "m" || fmt.Sprint(inputs["aliases"]) != "[a]" || inputs["range"] != "(0, inf)" ||
		inputs["code"] != "SIDE_MUST_BE_POSITIVE" || described["calculation_version"] != "2.0.0" {
		t.Errorf("description %v", described)
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
