package terminal

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Count returns a number of items in words: 1 version, 2 versions.
func Count(n int, one string) string {
	switch {
	case n == 1:
		return "1 " + one
	case strings.HasSuffix(one, "ty"), strings.HasSuffix(one, "ry"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(one, "y"))
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// Holdings returns the numbers of capabilities and of tables in words. Tables are left out if there are none.
func Holdings(capabilities, tables int) string {
	text := Count(capabilities, "capability")
	if tables > 0 {
		text += " and " + Count(tables, "table")
	}
	return text
}

// columns writes cells that end with tabs, in columns with some spaces between them.
func columns(w io.Writer, apart int) *tabwriter.Writer {
	return tabwriter.NewWriter(w, 0, 8, apart, ' ', 0)
}

// list writes items below their title, and nothing if there are none.
func list(w io.Writer, title string, items []string) {
	if len(items) == 0 {
		return
	}
	Printf(w, "\n%s\n", title)
	for _, item := range items {
		Printf(w, "  - %s\n", item)
	}
}
