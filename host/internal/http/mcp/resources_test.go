package mcp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// read reads a resource and returns its text and its cache lifetime.
func (s *site) read(t *testing.T, uri string, headers ...string) (text string, ttl float64, a reply) {
	t.Helper()
	address, err := json.Marshal(uri)
	if err != nil {
		t.Fatal(err)
	}
	a = s.ask(t, "resources/read", fmt.Sprintf(`{"uri":%s}`, address), headers...)
	var result struct {
		Contents []struct{ URI, MIMEType, Text string }
		TTLMs    float64
	}
	if a.Error != nil {
		return "", 0, a
	}
	if err := json.Unmarshal(a.Result, &result); err != nil || len(result.Contents) != 1 || result.Contents[0].URI != uri || result.Contents[0].MIMEType != "application/json" {
		t.Fatalf("%s: %s", uri, a.text)
	}
	return result.Contents[0].Text, result.TTLMs, a
}

// Resources contain the answers of the tools.
func TestResources(t *testing.T) {
	s := newSite(t, base, nil)
	_, described := s.call(t, "describe_capability", `{"capability_id":"volume","calculation_version":"1.0.0","schema":true}`)
	if text, ttl, _ := s.read(t, "calc://capabilities/test.geometry.volume@1.0.0"); text != string(described.StructuredContent) || ttl != 60_000 {
		t.Errorf("a capability, kept for %g: %s", ttl, text)
	}
	if text, _, _ := s.read(t, "calc://capabilities/volume@1.0.0"); text != string(described.StructuredContent) {
		t.Errorf("a capability by its tool id: %s", text)
	}
	created, snapshot := s.call(t, "create_snapshot", cube)
	if text, ttl, _ := s.read(t, "calc://snapshots/"+created["id"].(string)); text != string(snapshot.StructuredContent) || ttl != 3_600_000 {
		t.Errorf("a snapshot, kept for %g: %s", ttl, text)
	}
	if text, ttl, _ := s.read(t, "calc://capabilities"); !strings.Contains(text, `"capability_id":"test.geometry.volume"`) || !strings.Contains(text, `"count":2`) || ttl != 60_000 {
		t.Errorf("the catalog, kept for %g: %s", ttl, text)
	}
	if _, _, a := s.read(t, "calc://capabilities/test.geometry.volume@1.0.0", "Service-Spec-Version", "2.0.0"); a.Error == nil || a.Error.Code != -32602 || !strings.Contains(string(a.Error.Data), "VERSION_PIN_CONFLICT") {
		t.Errorf("a pin next to the URI: %s", a.text)
	}
	if _, _, a := s.read(t, "calc://capabilities/test.geometry.volume@3.0.0"); a.Error == nil || a.Error.Code != -32603 || a.status != 500 {
		t.Errorf("a damaged release: %s", a.text)
	}
	for _, uri := range []string{
		"calc://capabilities/test.geometry.volume", "calc://capabilities/test.geometry.volume@9.9.9", "calc://capabilities/test.geometry.volume@", "calc://capabilities/volume@9.9.9",
		"calc://capabilities/nothing@1.0.0", "calc://capabilities/../../etc/passwd@1.0.0", "calc://capabilities/%2e%2e@1.0.0", "calc://snapshots/", "calc://snapshots/cx_e1_nothing",
		"calc://snapshots/../x", "file:///etc/passwd", "", "\x00", "calc://\x01\"\\", "calc://capabilities/é@\U0001F600",
	} {
		_, _, a := s.read(t, uri)
		var data struct{ URI string }
		if a.Error == nil || a.Error.Code != -32602 || json.Unmarshal(a.Error.Data, &data) != nil || data.URI != uri {
			if uri != "\x00" || a.Error.Code != -32600 { // the scanner does not accept this text
				t.Errorf("%q: %s", uri, a.text)
			}
		}
	}
}

// Lists contain everything that exists, and their cache lifetime.
func TestLists(t *testing.T) {
	s := newSite(t, base, nil)
	for method, want := range map[string]string{
		"resources/list":           `"uri":"calc://capabilities"`,
		"resources/templates/list": `"uriTemplate":"calc://capabilities/{capability_id}@{version}"`,
		"prompts/list":             `"name":"recheck_snapshot"`,
	} {
		if a := s.ask(t, method, "{}"); a.status != 200 || !strings.Contains(a.text, want) || !strings.Contains(a.text, `"ttlMs":3600000,"cacheScope":"public"`) {
			t.Errorf("%s: %s", method, a.text)
		}
	}
	body, headers := rpc("server/discover", "{}")
	a := s.send(t, "POST", "/mcp", body, headers...)
	for _, want := range []string{`"supportedVersions":["2026-07-28",`, `search_capabilities with the problem`, `"tools":{}`, `"completions":{}`, `"name":"slipstick"`} {
		if !strings.Contains(a.text, want) {
			t.Errorf("discover has no %s: %s", want, a.text)
		}
	}
	for _, unwanted := range []string{"logging", "listChanged", "subscribe"} {
		if strings.Contains(a.text, unwanted) {
			t.Errorf("discover lists %s: %s", unwanted, a.text)
		}
	}
	if a := s.ask(t, "tools/list", `{"cursor":"bm9uc2Vuc2U="}`); a.Error == nil || a.Error.Code != -32602 {
		t.Errorf("a cursor that was never given: %s", a.text)
	}
	if a := s.ask(t, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`); !strings.Contains(a.text, `"protocolVersion":"2025-06-18"`) {
		t.Errorf("initialize: %s", a.text)
	}
}

func TestCompletion(t *testing.T) {
	s := newSite(t, base, nil)
	s.service.Publish(published(150))
	const template = `{"type":"ref/resource","uri":"calc://capabilities/{capability_id}@{version}"}`
	for _, tt := range []struct{ ref, argument, context, want string }{
		{template, `{"name":"capability_id","value":"test.g"}`, `{}`, `"values":["test.geometry.volume"]`},
		{template, `{"name":"capability_id","value":"volu"}`, `{}`, `"values":["test.geometry.volume"]`},
		{template, `{"name":"capability_id","value":"size of a cube"}`, `{}`, `"values":["test.geometry.volume"`},
		{template, `{"name":"capability_id","value":"test.more"}`, `{}`, `"hasMore":true,"total":150`},
		{template, `{"name":"capability_id","value":"qwertz"}`, `{}`, `"values":[]`},
		{template, `{"name":"version","value":""}`, `{"arguments":{"capability_id":"test.geometry.volume"}}`, `"values":["3.0.0","2.0.0","1.0.0"]`},
		{template, `{"name":"version","value":"2"}`, `{"arguments":{"capability_id":"test.geometry.volume"}}`, `"values":["2.0.0"]`},
		{template, `{"name":"version","value":""}`, `{}`, `"values":[]`},
		{`{"type":"ref/prompt","name":"solve"}`, `{"name":"capability_id","value":"test.g"}`, `{}`, `"values":["test.geometry.volume"]`},
		{`{"type":"ref/prompt","name":"nothing"}`, `{"name":"capability_id","value":""}`, `{}`, `"code":-32602`},
		{`{"type":"ref/resource","uri":"calc://nothing"}`, `{"name":"capability_id","value":""}`, `{}`, `"code":-32602`},
		{`{"type":"ref/other"}`, `{"name":"capability_id","value":""}`, `{}`, `"code":-32602`},
	} {
		a := s.ask(t, "completion/complete", fmt.Sprintf(`{"ref":%s,"argument":%s,"context":%s}`, tt.ref, tt.argument, tt.context))
		if !strings.Contains(a.text, tt.want) {
			t.Errorf("%s of %s: %s, want %s", tt.argument, tt.ref, a.text, tt.want)
		}
	}
}

func TestPrompts(t *testing.T) {
	s := newSite(t, base, nil)
	for params, want := range map[string]string{
		`{"name":"solve","arguments":{"question":"How \"heavy\"?"}}`:             `How \\\"heavy\\\"?`,
		`{"name":"solve","arguments":{"question":"q","capability_id":"volume"}}`: `Use the calculation \"volume\"`,
		`{"name":"recheck_snapshot","arguments":{"id":"cx_1"}}`:                  `Recheck the snapshot \"cx_1\"`,
		`{"name":"solve"}`: `"code":-32602`,
		`{"name":"solve","arguments":{"question":1}}`: `"code":-32602`,
		`{"name":"nothing","arguments":{}}`:           `"code":-32602`,
		`{"name":"solve","arguments":{"a":1,"a":2}}`:  `"code":-32600`,
		`{"name":"solve","arguments":["q"]}`:          `"code":-32602`,
	} {
		a := s.ask(t, "prompts/get", params)
		if !strings.Contains(a.text, want) && !strings.Contains(a.text, strings.ReplaceAll(want, `\\\"`, `\"`)) {
			t.Errorf("%s: %s, want %s", params, a.text, want)
		}
	}
}
