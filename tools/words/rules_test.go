package words_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/tools/words"
)

// examples has a sentence that breaks each rule, and one that breaks none. The second ones contain the allowed
// terms.
var examples = []struct{ rule, bad, good string }{
	{"Behind", "The codes follow behind the outputs.", "The server runs behind a reverse proxy."},
	{"Bodies", "Nobody reads this file.", "No client reads this file."},
	{"Canary", "The canary differs by one bit.", "The sampled recomputation differs by one bit."},
	{"Faces", "Every face answers with the same number.", "The bolts clamp the face of a flange."},
	{"Feelings", "The server insists on a pin.", "The server requires a pin."},
	{"Figures", "The figure names its table.", "The Figure of a plot shows four significant figures."},
	{"ForBecause", "The engine stops, for it has no memory.", "This is a report, for a reader who has no server."},
	{"Former", "The former is refused.", "The first value is refused."},
	{"Freeze", "The server freezes the result.", "The freezing point of water is 0 degC."},
	{"Glossary", "Each engine runs in a jail.", "Each engine runs in a sandbox after the load balancer."},
	{"Hosts", "The host answers in time.", "The host name is in the URL."},
	{"Inversion", "Below the table is a list of codes.", "A list of codes follows the table."},
	{"IsNo", "The column is no input.", "There is no input, and the engine is no longer served."},
	{"Length", strings.Repeat("word ", 25) + "more.", strings.Repeat("word ", 24) + "end."},
	{"Length", strings.Repeat("word ", 22) + "`a` `b c` pkg/d end.", strings.Repeat("word ", 21) + "`a` `b c` `d.e` end."},
	{"Moment", "Both stop at the same moment.", "The bending moment is zero."},
	{"Order", "The count begins anew.", "The count starts again, and all are all the same."},
	{"Rooms", "Each room has one question.", "The room temperature is 20 degC."},
	{"Semicolons", "One is read; two is refused; three is skipped.", "One is read; two is refused."},
	{"Stand", "The error stands in the last column.", "The rope carries a standing wave."},
	{"Tells", "The page tells the version.", "The page shows the version."},
	{"ThatOf", "The unit is that of the input.", "The unit is the unit of the input."},
	{"WhatClause", "What is executed has the body of REST.", "What is executed?"},
	{"Whoever", "Who can write to Redis can stop answers.", "An attacker with write access to Redis can block responses."},
}

// headings has the examples of the rules for headings, which exist only in Markdown.
var headings = []struct{ rule, bad, good string }{
	{"Headings", "Its life", "Version lifecycle"},
}

func rulesOf(found []words.Finding) (rules []string) {
	for _, f := range found {
		rules = append(rules, f.Rule)
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}

func TestEveryRuleHasExamples(t *testing.T) {
	files, err := fs.Glob(os.DirFS("styles"), words.Style+"/*.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yml")
		has := false
		for _, e := range slices.Concat(examples, headings) {
			has = has || e.rule == name
		}
		if !has {
			t.Errorf("%s has no examples", name)
		}
	}
}

// The rules find the bad sentences in comments, and report none of the good ones.
func TestRules(t *testing.T) {
	rules := readRules(t)
	for _, e := range examples {
		for _, sentence := range []string{e.bad, e.good} {
			found := rules.Check(&words.Text{Body: sentence})
			want := []string{e.rule}
			if sentence == e.good {
				want = nil
			}
			if got := rulesOf(found); !slices.Equal(got, want) {
				t.Errorf("%q breaks %v, want %v", sentence, got, want)
			}
		}
	}
}

// Vale and Check report the same findings, also in headings and under comments that turn Vale off.
func TestValeAgrees(t *testing.T) {
	var source strings.Builder
	source.WriteString("<!-- vale off -->\n\n")
	want := map[string]string{}
	add := func(prefix, rule, bad, good string) {
		source.WriteString("<!-- vale Slipstick." + rule + " = NO -->\n\n")
		source.WriteString(prefix + bad + "<!-- vale off -->\n\n" + prefix + good + "\n\n")
		want[bad], want[good] = rule, ""
	}
	for _, e := range examples {
		add("", e.rule, e.bad, e.good)
	}
	for _, e := range headings {
		add("## ", e.rule, e.bad, e.good)
	}
	texts, err := words.Texts("a.md", []byte(source.String()))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for i := range texts {
		got[texts[i].Sentences()[0].Body] = ""
	}
	for _, f := range byVale(t, texts) {
		if before := got[f.Body]; before != "" && before != f.Rule {
			t.Errorf("%q breaks %s, and %s too", f.Body, before, f.Rule)
		}
		got[f.Body] = f.Rule
	}
	for sentence, rule := range want {
		if is, has := got[sentence]; !has || is != rule {
			t.Errorf("%q breaks %q, want %q", sentence, is, rule)
		}
	}
}

func TestSubjects(t *testing.T) {
	for subject, ok := range map[string]bool{
		"publish: resolve tool id ownership without scanning every release": true,
		"kwh, loan, pipe: warn of impossible inputs":                        true,
		"sdk/wire: process calls in order":                                  true,
		"store: bring entries into order":                                   true,
		"Whose a tool id is, looked up by one function":                     false,
		"publish: resolves tool ids":                                        false,
		"publish: resolved tool ids":                                        false,
		"publish: the tool id is found":                                     false,
		"publish: Resolve tool ids":                                         false,
		"publish: resolve tool ids.":                                        false,
		"Publish: resolve tool ids":                                         false,
		"publish resolve tool ids":                                          false,
		"publish: " + strings.Repeat("a", 63):                               true,
		"publish: " + strings.Repeat("a", 64):                               false,
	} {
		if problem := words.CheckSubject(subject); (problem == "") != ok {
			t.Errorf("%q: %q", subject, problem)
		}
	}
}
