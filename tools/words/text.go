package words

import (
	"regexp"
	"strings"
)

// Text is a paragraph, a comment or a message.
type Text struct {
	Path string
	Line int // of its first word
	Body string
}

type sentence struct {
	line int
	text string
}

var (
	sentenceEnd   = regexp.MustCompile(`[.!?]["')\]]*\s+["'(\[]?[A-Z0-9]`)
	abbreviations = regexp.MustCompile(`(?:\be\.g|\bi\.e|\betc|\bvs|\bv|\bcf|\bNo|\bapprox|\bincl)\.$`)
)

// sentences cuts a text into sentences.
func sentences(t *Text) []sentence {
	var list []sentence
	from, line := 0, t.Line
	for _, end := range append(ends(t.Body), len(t.Body)) {
		raw := t.Body[from:end]
		if trimmed := strings.TrimSpace(raw); trimmed != "" {
			lead := len(raw) - len(strings.TrimLeft(raw, " \t\r\n"))
			list = append(list, sentence{line + strings.Count(raw[:lead], "\n"), strings.Join(strings.Fields(trimmed), " ")})
		}
		line += strings.Count(raw, "\n")
		from = end
	}
	return list
}

// ends returns where sentences end, but for the last one: at full stops, question marks and exclamation
// marks in front of a capital letter.
func ends(text string) []int {
	var list []int
	from := 0
	for _, m := range sentenceEnd.FindAllStringIndex(text, -1) {
		end := m[0] + 1
		if !abbreviations.MatchString(text[from:end]) {
			list = append(list, end)
			from = end
		}
	}
	return list
}

// SentenceAt returns the sentence at a column of a line of Markdown. Lines and columns count from 1.
func SentenceAt(lines [][]byte, line, column int) string {
	isEdge := func(i int) bool { return i < 0 || i >= len(lines) || strings.TrimSpace(string(lines[i])) == "" }
	begins := func(i int) bool {
		return item.Match(lines[i]) || lines[i] != nil && strings.HasPrefix(string(lines[i]), "|")
	}
	first, last := line-1, line-1
	for !begins(first) && !isEdge(first-1) {
		first--
	}
	for !isEdge(last+1) && !begins(last+1) {
		last++
	}
	var body strings.Builder
	at := 0
	for i := first; i <= last; i++ {
		if i == line-1 {
			at = body.Len() + min(column-1, len(lines[i]))
		}
		body.Write(lines[i])
		body.WriteByte('\n')
	}
	text := body.String()
	from := 0
	for _, s := range ends(text) {
		if s > at {
			return text[from:s]
		}
		from = s
	}
	return text[from:]
}
