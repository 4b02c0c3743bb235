package report

import (
	"strings"
	"testing"
)

func TestTables(t *testing.T) {
	rows := []Row{
		{Scenario: "rolling restart", LoadBalancer: "HAProxy", Calls: 100123, Figures: []string{"a|b", "c"}},
		{Scenario: "killed", LoadBalancer: "nginx", Calls: 12, Failed: 3, Mixed: 1, Faults: []string{"1 mixed"}},
	}
	var text, markdown strings.Builder
	if err := Text(&text, rows); err != nil {
		t.Fatal(err)
	}
	if err := Markdown(&markdown, rows); err != nil {
		t.Fatal(err)
	}
	const want = `| scenario | balancer | calls | failed | mixed | figures |  |
|---|---|---|---|---|---|---|
| rolling restart | HAProxy | 100,123 | 0 | 0 | a\|b; c | ok |
| killed | nginx | 12 | 3 | 1 |  | FAILED: 1 mixed |
`
	if markdown.String() != want {
		t.Errorf("Markdown:\n%s\nwant:\n%s", markdown.String(), want)
	}
	if lines := strings.Split(text.String(), "\n"); len(lines) != 4 || !strings.Contains(lines[1], "100,123  0") {
		t.Errorf("text:\n%s", text.String())
	}
}
