// Package docs embeds the documentation of Slipstick, as Markdown, together with its examples. A
// server shows it at /docs, and tests run its examples. Read a page from [Files] by its path in
// this directory, such as README.md.
package docs

import (
	"embed"
	"strings"
	"unicode"
)

// Files are the pages, their pictures, and the directories of pages and examples.
//
//go:embed *.md start guides concepts reference internals images examples
var Files embed.FS

// Slug returns the anchor of a heading on GitHub and on the pages of a server.
func Slug(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ' || r == '-':
			return '-'
		case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(heading))
}
