package text

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Format returns the canonical form of a document. It has LF line ends, the head and the sections in their
// order, and aligned tables. Lines have no blanks at their ends, and there is one empty line between parts. The error is of type
// [Mistakes]. The canonical form is the one that is published, so digests do not depend on an editor.
func Format(file string, source []byte) ([]byte, error) {
	if _, err := Parse(file, source); err != nil {
		return nil, err
	}
	text := strings.TrimPrefix(string(source), "\ufeff")
	r := &reader{lines: strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")}
	headings := r.headings()
	end := len(r.lines) + 1
	if len(headings) > 0 {
		end = headings[0].Line
	}
	parts := formatHead(r, end)
	type canonical struct {
		order int
		lines []string
	}
	var sections []canonical
	for i, h := range headings {
		last := len(r.lines)
		if i+1 < len(headings) {
			last = headings[i+1].Line - 1
		}
		lines := append([]string{"## " + h.Text, ""}, formatLines(r, h.Line+1, last)...)
		sections = append(sections, canonical{slices.Index(sectionNames, h.Text), lines})
	}
	slices.SortStableFunc(sections, func(a, b canonical) int { return a.order - b.order })
	for _, s := range sections {
		parts = append(append(parts, ""), s.lines...)
	}
	return []byte(strings.Join(parts, "\n") + "\n"), nil
}

// formatHead returns the title, the summary and the keys in their order.
func formatHead(r *reader, end int) (lines []string) {
	var title, summary, uses []string
	keys := map[string]string{}
	for n := 1; n < end; n++ {
		text := r.line(n).Text
		if entry, ok := strings.CutPrefix(text, "- "); ok {
			key, value, _ := strings.Cut(entry, ":")
			key, value = strings.TrimSpace(key), strings.TrimSpace(value)
			keys[key] = value
			if isUse(key) {
				uses = append(uses, "- "+strings.Join(strings.Fields(key), " ")+": "+strings.Join(strings.Fields(value), " "))
			}
		} else if strings.HasPrefix(text, "# ") && title == nil {
			title = []string{"# " + strings.TrimSpace(text[2:])}
		} else if text != "" {
			summary = append(summary, text)
		}
	}
	lines = append(append(append(title, ""), summary...), "")
	for _, key := range headKeys {
		if value, ok := keys[key]; ok {
			lines = append(lines, "- "+key+": "+value)
		}
	}
	return append(lines, uses...)
}

// formatLines returns the lines of a section without empty lines at its ends. Tables are aligned, and
// blocks keep their lines.
func formatLines(r *reader, first, last int) (lines []string) {
	var table [][]string
	flush := func() {
		lines = append(lines, align(table)...)
		table = nil
	}
	block := false
	for n := first; n <= last; n++ {
		line := r.line(n)
		isFence := strings.HasPrefix(line.Text, "```")
		if !block && strings.HasPrefix(line.Text, "|") {
			var cells []string
			for _, c := range r.cells(line) {
				cells = append(cells, strings.ReplaceAll(c.Text, "|", `\|`))
			}
			table = append(table, cells)
			continue
		}
		flush()
		switch {
		case isFence:
			block = !block
			lines = append(lines, line.Text)
		case block:
			lines = append(lines, strings.ReplaceAll(strings.TrimRight(r.lines[n-1], " \t"), "\t", "  "))
		case line.Text != "" || len(lines) > 0 && lines[len(lines)-1] != "":
			lines = append(lines, line.Text)
		}
	}
	flush()
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// align returns the rows of a table with columns of one width.
func align(rows [][]string) (lines []string) {
	if len(rows) == 0 {
		return nil
	}
	widths := make([]int, len(rows[0]))
	for k, row := range rows {
		for i, cell := range row {
			if k != 1 && i < len(widths) {
				widths[i] = max(widths[i], utf8.RuneCountInString(cell), 3)
			}
		}
	}
	for k, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			if k == 1 {
				cell = strings.Repeat("-", widths[i])
			}
			b.WriteString("| " + cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)) + " ")
		}
		lines = append(lines, b.String()+"|")
	}
	return lines
}
