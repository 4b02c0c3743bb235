package words

import (
	"regexp"
	"strings"
)

// Text is a paragraph, a heading, a comment or a message.
type Text struct {
	Path    string
	Line    int // the line of its first word
	Heading bool
	Body    string
}

// Sentence is a sentence of a text, on one line.
type Sentence struct {
	Path    string
	Line    int
	Heading bool
	Body    string
}

var (
	mark          = regexp.MustCompile(`[.!?]["'*)\]]*\s+`)
	abbreviations = regexp.MustCompile(`(?:\b(?:[Ee]\.g|[Ii]\.e|etc|vs|[Cc]f|[Nn]o|approx|incl|[Ff]igs?|[Ee]qs?|pp?|vol|[A-Z]|Dr|St)|^\s*[0-9]+|\.\.)\.\s+$`)
	codeSpan      = regexp.MustCompile("`[^`]*`")
)

// Sentences splits a text into sentences.
func (t *Text) Sentences() []Sentence {
	// A full stop inside code does not end a sentence.
	body := codeSpan.ReplaceAllStringFunc(t.Body, func(code string) string { return strings.NewReplacer(".", "_", "!", "_", "?", "_").Replace(code) })
	var list []Sentence
	from, line := 0, t.Line
	cut := func(to int) {
		raw := t.Body[from:to]
		if words := strings.Fields(raw); len(words) > 0 {
			lead := strings.Index(raw, words[0])
			list = append(list, Sentence{t.Path, line + strings.Count(raw[:lead], "\n"), t.Heading, strings.Join(words, " ")})
		}
		line += strings.Count(raw, "\n")
		from = to
	}
	for _, m := range mark.FindAllStringIndex(body, -1) {
		if !abbreviations.MatchString(body[from:m[1]]) {
			cut(m[1])
		}
	}
	cut(len(t.Body))
	return list
}
