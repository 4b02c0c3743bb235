package words

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

var (
	markdown    = goldmark.New(goldmark.WithExtensions(extension.GFM))
	wordList    = regexp.MustCompile(`^(keywords: |one of )`)
	htmlComment = regexp.MustCompile(`(?s)<!--.*?(?:-->|$)`)
)

// markdownTexts returns headings, paragraphs, items of lists and cells of tables, without code blocks. It skips
// comments, so that no comment turns a rule off, and lists of words in calculations.
func markdownTexts(name string, source []byte) []Text {
	source = htmlComment.ReplaceAllFunc(source, func(comment []byte) []byte { return notLineEnd.ReplaceAll(comment, []byte(" ")) })
	var texts []Text
	add := func(n ast.Node) {
		lines := n.Lines()
		if lines.Len() == 0 || strings.HasSuffix(name, ".calc.md") && wordList.Match(lines.Value(source)) {
			return
		}
		_, isHeading := n.(*ast.Heading)
		line := 1 + bytes.Count(source[:lines.At(0).Start], []byte("\n"))
		texts = append(texts, Text{name, line, isHeading, string(lines.Value(source))})
	}
	// The walk returns no error of its own.
	_ = ast.Walk(markdown.Parser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n.(type) {
		case *ast.Paragraph, *ast.TextBlock, *ast.Heading, *extast.TableCell:
			add(n)
			return ast.WalkSkipChildren, nil
		case *ast.HTMLBlock:
			var block bytes.Buffer
			lines := n.Lines()
			block.Write(lines.Value(source))
			if lines.Len() > 0 {
				for _, t := range templateTexts(name, block.Bytes()) {
					t.Line += bytes.Count(source[:lines.At(0).Start], []byte("\n"))
					texts = append(texts, t)
				}
			}
		}
		return ast.WalkContinue, nil
	})
	return texts
}
