package words

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"html"
	"path"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// Texts returns the texts that people read in a file: comments, messages and help texts of Go,
// comments of scripts and style sheets, and the words of templates. A file of another kind has none.
func Texts(name string, source []byte) ([]Text, error) {
	switch path.Ext(name) {
	case ".go":
		return goTexts(name, source)
	case ".html", ".tmpl":
		if path.Ext(strings.TrimSuffix(name, ".tmpl")) != "" && !strings.HasSuffix(name, ".html") {
			return nil, nil // a template of source code, which its own tests compile
		}
		return templateTexts(name, source), nil
	case ".txt":
		return plainTexts(name, source), nil
	case ".js", ".mjs", ".ts", ".css":
		return slashTexts(name, source), nil
	case "", ".sh", ".py", ".yaml", ".yml", ".conf", ".toml", ".service":
		return hashTexts(name, source), nil
	}
	return nil, nil
}

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

func goTexts(name string, source []byte) ([]Text, error) {
	if generated.Match(source) {
		return nil, nil
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var texts []Text
	for _, group := range parsed.Comments {
		texts = append(texts, commentTexts(name, files.Position(group.Pos()).Line, group)...)
	}
	if strings.HasSuffix(name, "_test.go") {
		return texts, nil // what tests say, their authors read alone
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			if n.Tag != nil {
				texts = append(texts, tagTexts(name, files.Position(n.Tag.Pos()).Line, n.Tag)...)
			}
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				if value, err := strconv.Unquote(n.Value); err == nil && isProse(value) {
					texts = append(texts, Text{name, files.Position(n.Pos()).Line, value})
				}
			}
		}
		return true
	})
	return texts, nil
}

// commentTexts returns the paragraphs of a comment without directives and code.
func commentTexts(name string, line int, group *ast.CommentGroup) []Text {
	var lines []string
	for _, c := range group.List {
		text, isLine := strings.CutPrefix(c.Text, "//")
		if !isLine {
			text = strings.TrimSuffix(strings.TrimPrefix(c.Text, "/*"), "*/")
		}
		if isLine && directive.MatchString(c.Text) || strings.HasPrefix(text, "\t") {
			text = ""
		}
		lines = append(lines, strings.Split(text, "\n")...)
	}
	return paragraphs(name, line, lines)
}

var directive = regexp.MustCompile(`^//(?:[a-z0-9]+:[a-z0-9]|line |export )`)

// tagTexts returns the help text in the tag of a field.
func tagTexts(name string, line int, tag *ast.BasicLit) []Text {
	value, err := strconv.Unquote(tag.Value)
	if err != nil {
		return nil
	}
	help, _ := reflect.StructTag(value).Lookup("help")
	if help == "" {
		return nil
	}
	return []Text{{name, line, help}}
}

var prose = regexp.MustCompile(`(?:^|\s)[A-Za-z]+(?:'s)?,? [a-z]+,? (?:[a-z]+|%)`)

// isProse reports whether a string is a sentence or a part of one.
func isProse(s string) bool {
	return prose.MatchString(s) && !strings.HasPrefix(s, `help:"`) && !strings.Contains(s, "`json:") && !strings.Contains(s, `{{`)
}

// paragraphs joins lines up to the next blank line or item of a list.
func paragraphs(name string, line int, lines []string) []Text {
	var texts []Text
	var body []string
	start := line
	flush := func() {
		if joined := strings.Join(body, "\n"); strings.TrimSpace(joined) != "" {
			texts = append(texts, Text{name, start, joined})
		}
		body = nil
	}
	for i, l := range lines {
		if strings.TrimSpace(l) == "" || item.MatchString(l) {
			flush()
		}
		if len(body) == 0 {
			start = line + i
		}
		body = append(body, l)
	}
	flush()
	return texts
}

var item = regexp.MustCompile(`^\s*(?:[-*•]|[0-9]+\.)\s`)

var command = regexp.MustCompile(`^\s*(?:\$ |slipstick |curl |[a-z_]+=|\{|<)`)

func plainTexts(name string, source []byte) []Text {
	lines := strings.Split(string(source), "\n")
	for i, l := range lines {
		if command.MatchString(l) {
			lines[i] = ""
		}
	}
	return paragraphs(name, 1, lines)
}

var (
	action      = regexp.MustCompile(`\{\{.*?\}\}`)
	invisible   = regexp.MustCompile(`(?is)<(script|style|svg)\b.*?</(?:script|style|svg)>|<!--.*?-->`)
	inline      = regexp.MustCompile(`(?i)</?(?:a|abbr|b|code|em|i|kbd|q|small|span|strong|sub|sup|time|var)\b[^>]*>`)
	element     = regexp.MustCompile(`<[^>]*>`)
	lineEndsOf  = regexp.MustCompile(`[^\n]`)
	wordsInTags = regexp.MustCompile(`(?:title|placeholder|aria-label|alt)="([^"]*)"`)
)

func templateTexts(name string, source []byte) []Text {
	blanked := func(s string) string { return lineEndsOf.ReplaceAllString(s, "") }
	text := invisible.ReplaceAllStringFunc(string(source), blanked)
	text = action.ReplaceAllStringFunc(text, func(s string) string { return "X" + blanked(s) })
	text = inline.ReplaceAllStringFunc(text, func(s string) string { return attributes(s) + blanked(s) })
	var texts []Text
	at, line := 0, 1
	add := func(end int) {
		if body := html.UnescapeString(text[at:end]); isProse(body) {
			lead := len(body) - len(strings.TrimLeft(body, " \t\n"))
			texts = append(texts, Text{name, line + strings.Count(body[:lead], "\n"), strings.TrimSpace(body)})
		}
		line += strings.Count(text[at:end], "\n")
	}
	for _, tag := range element.FindAllStringIndex(text, -1) {
		add(tag[0])
		if words := attributes(text[tag[0]:tag[1]]); isProse(words) {
			texts = append(texts, Text{name, line, html.UnescapeString(words)})
		}
		line += strings.Count(text[tag[0]:tag[1]], "\n")
		at = tag[1]
	}
	add(len(text))
	return texts
}

// attributes returns the words in a tag that a reader meets.
func attributes(tag string) string {
	var words []string
	for _, m := range wordsInTags.FindAllStringSubmatch(tag, -1) {
		words = append(words, m[1])
	}
	return strings.Join(words, ". ")
}

var (
	slashComment = regexp.MustCompile(`(?m)(?:^|[\s;{}(),])//[^\n]*(?:\n\s*//[^\n]*)*|(?s:/\*.*?\*/)`)
	slashMarks   = regexp.MustCompile(`(?m)^\s*(?://|/\*+|\*)?|\*/`)
	quoted       = regexp.MustCompile("\"(?:[^\"\\\\\n]|\\\\.)*\"|'(?:[^'\\\\\n]|\\\\.)*'|`(?:[^`\\\\]|\\\\.)*`")
)

func slashTexts(name string, source []byte) []Text {
	text := string(source)
	var texts []Text
	lineOf := func(at int) int { return 1 + strings.Count(text[:at], "\n") }
	rest := slashComment.ReplaceAllStringFunc(text, func(s string) string { return lineEndsOf.ReplaceAllString(s, " ") })
	for _, at := range slashComment.FindAllStringIndex(text, -1) {
		texts = append(texts, paragraphs(name, lineOf(at[0]), strings.Split(slashMarks.ReplaceAllString(strings.TrimLeft(text[at[0]:at[1]], " \t;{}(),"), ""), "\n"))...)
	}
	if path.Ext(name) == ".css" {
		return texts
	}
	for _, at := range quoted.FindAllStringIndex(rest, -1) {
		if s := rest[at[0]+1 : at[1]-1]; isProse(s) {
			texts = append(texts, Text{name, lineOf(at[0]), s})
		}
	}
	return texts
}

var hashComment = regexp.MustCompile(`^\s*#(?:[^!]|$)|\s#\s`)

func hashTexts(name string, source []byte) []Text {
	lines := strings.Split(string(source), "\n")
	for i, l := range lines {
		at := hashComment.FindStringIndex(l)
		if at == nil {
			lines[i] = ""
			continue
		}
		l = l[at[0]:]
		lines[i] = strings.TrimPrefix(strings.TrimSpace(l), "#")
	}
	return paragraphs(name, 1, lines)
}
