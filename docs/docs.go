// Package docs contains the documentation of Slipstick, as Markdown, together with its examples.
package docs

import "embed"

// Files are the pages, their pictures, and the directories of pages and examples.
//
//go:embed *.md start guides concepts reference internals images examples
var Files embed.FS
