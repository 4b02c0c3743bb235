package words

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"html"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Texts returns the texts that people read in a file. In Go they are comments, messages and help texts.
// In scripts they are comments and messages, and in style sheets comments. Markdown and HTML
// are read without their code. The name of a template without .tmpl is the kind of its text. Files of other
// kinds have no texts.
func Texts(name string, source []byte) ([]Text, error) {
	kind := path.Ext(name)
	if kind == ".tmpl" || kind == ".tpl" {
		source = action.ReplaceAllFunc(source, func(b []byte) []byte { return append([]byte("X"), notLineEnd.ReplaceAll(b, nil)...) })
		kind = path.Ext(strings.TrimSuffix(name, kind))
		if kind == ".go" {
			kind = ".js" // template actions are not Go syntax
		}
	}
	switch kind {
	case ".go":
		return goTexts(name, source)
	case ".md":
		return markdownTexts(name, source), nil
	case ".html":
		return templateTexts(name, source), nil
	case ".txt":
		return plainTexts(name, source), nil
	case ".js", ".mjs", ".ts", ".css":
		return slashTexts(name, source), nil
	case ".lua":
		return markedTexts(name, source, "--"), nil
	case ".py":
		return append(markedTexts(name, source, "#"), docstrings(name, string(source))...), nil
	case "", ".sh", ".yaml", ".yml", ".conf", ".toml", ".service":
		return markedTexts(name, source, "#"), nil
	}
	return nil, nil
}

func goTexts(name string, source []byte) ([]Text, error) {
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
		return texts, nil // the strings of tests are mostly data
	}
	parts := map[ast.Expr]bool{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.StructType:
			for _, field := range n.Fields.List {
				if field.Tag != nil {
					texts = append(texts, tagTexts(name, files.Position(field.Tag.Pos()).Line, field.Tag)...)
					field.Tag = nil
				}
			}
		case *ast.BasicLit, *ast.BinaryExpr:
			e := n.(ast.Expr)
			if parts[e] {
				return true
			}
			if body, isText := message(e, parts); isText {
				texts = append(texts, messageTexts(name, files.Position(e.Pos()).Line, body)...)
			}
		}
		return true
	})
	return texts, nil
}

// message returns the text of a string, or of a concatenation with at least one string. X replaces each part that
// is not a literal. It adds the expressions that it read to parts.
func message(e ast.Expr, parts map[ast.Expr]bool) (body string, isText bool) {
	parts[e] = true
	switch e := e.(type) {
	case *ast.BasicLit:
		if value, err := strconv.Unquote(e.Value); e.Kind == token.STRING && err == nil {
			return value, true
		}
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			left, isLeft := message(e.X, parts)
			right, isRight := message(e.Y, parts)
			return left + right, isLeft || isRight
		}
	}
	return "X", false
}

// output matches the first line of the output of an example.
var output = regexp.MustCompile(`^// (?:Unordered output|Output):`)

// commentTexts returns the paragraphs of a comment without directives, code and the output of examples.
func commentTexts(name string, line int, group *ast.CommentGroup) []Text {
	var lines []string
	for _, c := range group.List {
		if output.MatchString(c.Text) && strings.HasSuffix(name, "_test.go") {
			break // of an example: data
		}
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

var directive = regexp.MustCompile(`^//(?:go:(?:build|embed|generate|linkname|noinline|nosplit|norace)\b|export )`)

var tagPair = regexp.MustCompile(`(\w+):("(?:[^"\\]|\\.)*")`)

// forPeople lists the tag keys that contain only text, however short.
var forPeople = []string{"help", "doc", "label"}

// tagTexts returns the texts in the tag of a field.
func tagTexts(name string, line int, tag *ast.BasicLit) (texts []Text) {
	value, err := strconv.Unquote(tag.Value)
	if err != nil {
		return nil
	}
	for _, pair := range tagPair.FindAllStringSubmatch(value, -1) {
		if text, err := strconv.Unquote(pair[2]); err == nil && (isProse(text) || slices.Contains(forPeople, pair[1])) {
			texts = append(texts, Text{Path: name, Line: line, Body: text})
		}
	}
	return texts
}

var prose = regexp.MustCompile(`(?:^|\s)[A-Za-z]+(?:'s)?[,;:]?\s+[a-z]+[,;:]?\s+(?:[a-z]+|%)`)

// isProse reports whether a string is a sentence or a part of one.
func isProse(s string) bool { return prose.MatchString(s) }

// messageTexts returns the prose in a message. A message of several lines may have lines of code.
func messageTexts(name string, line int, body string) []Text {
	lines := strings.Split(body, "\n")
	if len(lines) > 1 {
		blankCode(lines)
	}
	return slices.DeleteFunc(paragraphs(name, line, lines), func(t Text) bool { return !isProse(t.Body) })
}

// plainTexts returns the paragraphs of a help text.
func plainTexts(name string, source []byte) []Text {
	lines := strings.Split(string(source), "\n")
	blankCode(lines)
	return paragraphs(name, 1, lines)
}

var codeLine = regexp.MustCompile(`^\t|^\s*(?:\$ |slipstick |curl |[a-z_]+=|[{<])|:=|[=-]>|==|&&|\|\||[{};]$|^\s*[\w(),. \[\]]+ = `)

func blankCode(lines []string) {
	continued := false
	for i, l := range lines {
		isCode := continued || codeLine.MatchString(l)
		if isCode {
			lines[i] = ""
		}
		continued = isCode && strings.HasSuffix(l, `\`)
	}
}

var (
	item = regexp.MustCompile(`^\s*(?:[-*•]|[0-9]+\.)\s`)
	row  = regexp.MustCompile(`^(\s*\S(?:.*?[^.!?\s])?)\s{2,}(\S.*)$`)
)

// paragraphs joins lines up to the next blank line, item of a list or row of a table. Each cell of a row is a text.
func paragraphs(name string, line int, lines []string) []Text {
	var texts []Text
	var body []string
	start := line
	flush := func() {
		if joined := strings.Join(body, "\n"); strings.TrimSpace(joined) != "" {
			texts = append(texts, Text{Path: name, Line: start, Body: joined})
		}
		body = nil
	}
	for i, l := range lines {
		cells := row.FindStringSubmatch(l)
		if cells != nil || strings.TrimSpace(l) == "" || item.MatchString(l) {
			flush()
		}
		if cells != nil {
			start, body = line+i, cells[1:2]
			flush()
			l = cells[2]
		}
		if len(body) == 0 {
			start = line + i
		}
		body = append(body, l)
	}
	flush()
	return texts
}

var (
	action      = regexp.MustCompile(`\{\{.*?\}\}`)
	invisible   = regexp.MustCompile(`(?is)<(script|style|svg)\b.*?</(?:script|style|svg)>|<!--.*?-->`)
	inline      = regexp.MustCompile(`(?i)</?(?:a|abbr|b|code|em|i|kbd|q|small|span|strong|sub|sup|time|var)\b[^>]*>`)
	element     = regexp.MustCompile(`<[^>]*>`)
	letters     = regexp.MustCompile(`[a-z]{2}`)
	notLineEnd  = regexp.MustCompile(`[^\n]`)
	wordsInTags = regexp.MustCompile(`(?:title|placeholder|aria-label|alt)="([^"]*)"`)
)

func templateTexts(name string, source []byte) []Text {
	blanked := func(s string) string { return notLineEnd.ReplaceAllString(s, "") }
	text := invisible.ReplaceAllStringFunc(string(source), blanked)
	text = action.ReplaceAllStringFunc(text, func(s string) string { return "X" + blanked(s) })
	text = inline.ReplaceAllStringFunc(text, func(s string) string { return attributes(s) + blanked(s) })
	var texts []Text
	at, line := 0, 1
	add := func(end int) {
		if body := html.UnescapeString(text[at:end]); letters.MatchString(body) {
			lead := len(body) - len(strings.TrimLeft(body, " \t\n"))
			texts = append(texts, Text{Path: name, Line: line + strings.Count(body[:lead], "\n"), Body: strings.TrimSpace(body)})
		}
		line += strings.Count(text[at:end], "\n")
	}
	for _, tag := range element.FindAllStringIndex(text, -1) {
		add(tag[0])
		if words := attributes(text[tag[0]:tag[1]]); letters.MatchString(words) {
			texts = append(texts, Text{Path: name, Line: line, Body: html.UnescapeString(words)})
		}
		line += strings.Count(text[tag[0]:tag[1]], "\n")
		at = tag[1]
	}
	add(len(text))
	return texts
}

// attributes returns the words in a tag that a reader sees.
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
	rest := slashComment.ReplaceAllStringFunc(text, func(s string) string { return notLineEnd.ReplaceAllString(s, " ") })
	for _, at := range slashComment.FindAllStringIndex(text, -1) {
		texts = append(texts, paragraphs(name, lineOf(at[0]), strings.Split(slashMarks.ReplaceAllString(strings.TrimLeft(text[at[0]:at[1]], " \t;{}(),"), ""), "\n"))...)
	}
	if path.Ext(name) == ".css" {
		return texts
	}
	for _, at := range quoted.FindAllStringIndex(rest, -1) {
		texts = append(texts, messageTexts(name, lineOf(at[0]), rest[at[0]+1:at[1]-1])...)
	}
	return texts
}

// markedTexts returns the comments of a file, from a mark to the end of a line.
func markedTexts(name string, source []byte, mark string) []Text {
	comment := regexp.MustCompile(`(?:^|\s)` + mark + `(?:\s(.*)|)$`)
	lines := strings.Split(string(source), "\n")
	for i, l := range lines {
		lines[i] = ""
		if found := comment.FindStringSubmatch(l); found != nil {
			lines[i] = found[1]
		}
	}
	return paragraphs(name, 1, lines)
}

var docstring = regexp.MustCompile(`(?s)"""(.*?)"""`)

// docstrings returns the paragraphs of the documentation in Python.
func docstrings(name, source string) (texts []Text) {
	for _, at := range docstring.FindAllStringSubmatchIndex(source, -1) {
		texts = append(texts, paragraphs(name, 1+strings.Count(source[:at[0]], "\n"), strings.Split(source[at[2]:at[3]], "\n"))...)
	}
	return texts
}
