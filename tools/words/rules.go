// Package words checks the texts of the project against its writing rules: Markdown, comments, help texts,
// messages and templates. The rules are Vale rules in styles/Slipstick. [Vale] applies them to Markdown;
// [Rules.Check] applies them to texts that Vale cannot read. [Ratchet] lists the findings in older texts.
package words

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/dlclark/regexp2"
	"go.yaml.in/yaml/v3"
)

// Finding is a sentence that breaks a rule.
type Finding struct {
	Sentence
	Rule    string // such as Bodies
	Message string
}

// Rules are writing rules in the order of their names.
type Rules []rule

type rule struct {
	name    string
	message string
	scope   string
	pattern *regexp2.Regexp
	allowed *regexp2.Regexp   // terms that may contain a match
	better  map[string]string // replacements by pattern
	most    int               // allowed occurrences in a sentence, or -1 if the pattern must not occur
}

// Style is the directory of the rules.
const Style = "Slipstick"

// ReadRules reads the Vale rules in the directory [Style] of styles. It understands the extension
// points existence, substitution and occurrence.
func ReadRules(styles fs.FS) (Rules, error) {
	names, err := fs.Glob(styles, path.Join(Style, "*.yml"))
	if err != nil {
		return nil, err
	}
	var rules Rules
	for _, name := range names {
		text, err := fs.ReadFile(styles, name)
		if err != nil {
			return nil, err
		}
		r, err := readRule(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		r.name = strings.TrimSuffix(path.Base(name), ".yml")
		rules = append(rules, r)
	}
	return rules, nil
}

func readRule(text []byte) (rule, error) {
	var file struct {
		Extends, Message, Scope, Token string
		IgnoreCase                     bool `yaml:"ignorecase"`
		Tokens, Raw, Exceptions        []string
		Swap                           yaml.Node // a mapping in which the order matters
		Max                            int
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		return rule{}, err
	}
	r := rule{message: file.Message, scope: file.Scope, most: -1}
	var pattern string
	switch file.Extends {
	case "existence":
		pattern = strings.Join(file.Raw, "")
		if len(file.Tokens) > 0 {
			pattern += anyOf(file.Tokens)
		}
	case "substitution":
		var words []string
		r.better = map[string]string{}
		for i := 0; i+1 < len(file.Swap.Content); i += 2 {
			word := file.Swap.Content[i].Value
			words = append(words, word)
			r.better[word] = file.Swap.Content[i+1].Value
		}
		pattern = anyOf(words)
	case "occurrence":
		pattern, r.most = file.Token, file.Max
	default:
		return rule{}, fmt.Errorf("the extension point %q is not supported", file.Extends)
	}
	options := regexp2.RegexOptions(regexp2.None)
	if file.IgnoreCase {
		options = regexp2.IgnoreCase
	}
	var err error
	r.pattern, err = regexp2.Compile(pattern, options)
	if err != nil {
		return rule{}, err
	}
	if len(file.Exceptions) > 0 {
		r.allowed, err = regexp2.Compile(anyOf(file.Exceptions), regexp2.IgnoreCase)
	}
	return r, err
}

func anyOf(words []string) string { return `\b(?:` + strings.Join(words, "|") + `)\b` }

// code matches the parts that Vale skips in Markdown too: code spans, links of doc comments, paths and selectors.
var code = regexp.MustCompile("`[^`]*`|\\[[\\w.*/]+\\]|[\\w.@$~-]*/[\\w./@$*-]*\\w|\\b\\w+\\.\\w[\\w.]*|\\b\\w+_\\w+\\b")

// Check returns the findings in a text.
func (rules Rules) Check(t *Text) []Finding {
	var found []Finding
	for _, s := range t.Sentences() {
		judged := code.ReplaceAllString(s.Body, "X")
		for i := range rules {
			for _, message := range rules[i].check(judged) {
				found = append(found, Finding{s, rules[i].name, message})
			}
		}
	}
	return found
}

// check returns a message for each finding in a sentence.
func (r *rule) check(sentence string) (messages []string) {
	if r.scope == "heading" {
		return nil // the scope exists only in Markdown
	}
	count := 0
	for m, err := r.pattern.FindStringMatch(sentence); m != nil && err == nil; m, err = r.pattern.FindNextMatch(m) {
		count++
		if r.most < 0 && !r.allows(sentence, m) {
			messages = append(messages, r.explain(m.String()))
		}
	}
	if r.most >= 0 && count > r.most {
		messages = append(messages, r.message)
	}
	return messages
}

// allows reports whether a match is a part of an allowed term.
func (r *rule) allows(sentence string, match *regexp2.Match) bool {
	if r.allowed == nil {
		return false
	}
	for term, err := r.allowed.FindStringMatch(sentence); term != nil && err == nil; term, err = r.allowed.FindNextMatch(term) {
		if term.Index <= match.Index && match.Index+match.Length <= term.Index+term.Length {
			return true
		}
	}
	return false
}

// explain inserts a match into the message of the rule, as Vale does.
func (r *rule) explain(match string) string {
	message := r.message
	for word, better := range r.better {
		if same, err := regexp2.MustCompile(`^(?:`+word+`)$`, regexp2.IgnoreCase).MatchString(match); same && err == nil {
			message = strings.Replace(message, "%s", better, 1)
			break
		}
	}
	return strings.Replace(message, "%s", match, 1)
}
