// Package words holds the texts of the project against its writing rules: Markdown, comments, help
// texts, messages and templates. The rules are Vale rules in styles/Slipstick, so that Vale judges
// Markdown by them and [Rules.Check] judges everything that Vale cannot read.
package words

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/dlclark/regexp2"
	"go.yaml.in/yaml/v3"
)

// Finding is a place in a text that breaks a rule.
type Finding struct {
	Path     string
	Line     int
	Rule     string // such as Slipstick.Stand
	Match    string
	Message  string
	Sentence string
}

// Key identifies a finding wherever its sentence moves to: rule, match and sentence, without white space.
func (f *Finding) Key() string {
	return strings.Join([]string{f.Rule, f.Match, strings.Join(strings.Fields(f.Sentence), " ")}, "\x00")
}

// Rules are writing rules in the order of their names.
type Rules []rule

type rule struct {
	name       string
	message    string
	pattern    *regexp2.Regexp
	exceptions []string          // matches that are allowed, in lower case
	better     map[string]string // what to write instead, by pattern
	most       int               // occurrences in a sentence, -1 if the pattern must not occur
}

// file is a rule as Vale reads it.
type file struct {
	Extends    string
	Message    string
	IgnoreCase bool `yaml:"ignorecase"`
	Tokens     []string
	Raw        []string
	Swap       yaml.Node // a mapping, whose order decides
	Token      string
	Max        int
	Exceptions []string
}

// Read reads the rules in a directory of Vale rules. It understands the extension points existence,
// substitution and occurrence.
func Read(dir fs.FS, style string) (Rules, error) {
	names, err := fs.Glob(dir, path.Join(style, "*.yml"))
	if err != nil {
		return nil, err
	}
	var rules Rules
	for _, name := range names {
		text, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, err
		}
		r, err := read(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		r.name = style + "." + strings.TrimSuffix(path.Base(name), ".yml")
		rules = append(rules, r)
	}
	return rules, nil
}

func read(text []byte) (rule, error) {
	var f file
	if err := yaml.Unmarshal(text, &f); err != nil {
		return rule{}, err
	}
	r := rule{message: f.Message, most: -1}
	for _, allowed := range f.Exceptions {
		r.exceptions = append(r.exceptions, strings.ToLower(allowed))
	}
	var pattern string
	switch f.Extends {
	case "existence":
		pattern = strings.Join(f.Raw, "")
		if len(f.Tokens) > 0 {
			pattern = whole(f.Tokens)
		}
	case "substitution":
		var patterns []string
		r.better = map[string]string{}
		for i := 0; i+1 < len(f.Swap.Content); i += 2 {
			word := f.Swap.Content[i].Value
			patterns = append(patterns, word)
			r.better[word] = f.Swap.Content[i+1].Value
		}
		pattern = whole(patterns)
	case "occurrence":
		pattern, r.most = f.Token, f.Max
	default:
		return rule{}, fmt.Errorf("the extension point %q is not supported", f.Extends)
	}
	options := regexp2.RegexOptions(regexp2.None)
	if f.IgnoreCase {
		options = regexp2.IgnoreCase
	}
	var err error
	r.pattern, err = regexp2.Compile(pattern, options)
	return r, err
}

func whole(words []string) string { return `\b(?:` + strings.Join(words, "|") + `)\b` }

// Check returns the findings in a text.
func (rules Rules) Check(t *Text) []Finding {
	var found []Finding
	for _, s := range sentences(t) {
		for i := range rules {
			found = append(found, rules[i].check(t.Path, s)...)
		}
	}
	return found
}

func (r *rule) check(path string, s sentence) []Finding {
	var found []Finding
	count := 0
	for m, err := r.pattern.FindStringMatch(s.text); m != nil && err == nil; m, err = r.pattern.FindNextMatch(m) {
		count++
		if r.most < 0 && !slices.Contains(r.exceptions, strings.ToLower(m.String())) {
			found = append(found, Finding{Path: path, Line: s.line, Rule: r.name, Match: m.String(), Message: r.explain(m.String()), Sentence: s.text})
		}
	}
	if r.most >= 0 && count > r.most {
		found = append(found, Finding{Path: path, Line: s.line, Rule: r.name, Message: r.message, Sentence: s.text})
	}
	return found
}

// explain fills a match into the message of the rule.
func (r *rule) explain(match string) string {
	for word, better := range r.better {
		if same, _ := regexp2.MustCompile(`^(?:`+word+`)$`, regexp2.IgnoreCase).MatchString(match); same {
			return strings.Replace(strings.Replace(r.message, "%s", better, 1), "%s", match, 1)
		}
	}
	return strings.Replace(r.message, "%s", match, 1)
}
