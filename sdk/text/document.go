// Package text reads and computes calculations that are documents. A document is a Markdown file
// NAME.calc.md. It has tables of inputs and outputs, and fenced blocks for the formula, the checks
// and the vectors. Use the package to check, format or serve such a file.
//
// [Parse] reads a document and reports every mistake with its place. [Bind] makes an [Engine] of
// it; [BindWith] also takes the files next to it. [Read] reads a document with these files.
// [Engine.Disagreements] compares the engine with its own vectors. [Format] writes the canonical
// form, which is the one that is published.
package text

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits on a document.
const (
	MaxBytes    = 64 << 10
	MaxFormula  = 16 << 10 // bytes of the block formula
	MaxMistakes = 50       // that Parse reports
	MaxRows     = 100      // of a table in the document
	MaxLike     = 16       // vectors in a chain of "like"
)

// Place is a place in a file. Lines and columns count from 1, columns in characters.
type Place struct{ Line, Column int }

// Phrase is a piece of text and its place.
type Phrase struct {
	Place
	Text string
}

// Block is a fenced block: its lines without the fences, and the place of the first line.
type Block struct {
	Place
	Lines []string
}

// String returns the lines.
func (b *Block) String() string { return strings.Join(b.Lines, "\n") }

// Document is a calculation as its author writes it. Units and numbers are checked, names in
// expressions are not: package formula binds them.
type Document struct {
	Title, Summary Phrase

	ID, Version, Tool, Group Phrase
	Keywords                 []Phrase
	Binary64                 bool   // inputs are the binary64 numbers that are sent, not the decimals that people type
	VectorFile               Phrase // a file of vectors next to the document, "" without one
	Uses                     []Use  // published tables and calculations

	Inputs   []Field
	Rules    []Rule
	Tables   []Table
	Formula  Block
	Formulas []FormulaLabel
	Outputs  []Field
	Checks   []Check
	Plots    []Plot
	Limits   []Limit
	Vectors  []Vector

	Assumptions, References, Changes, SignConvention, Notes []Phrase // items and sentences
}

// FormulaLabel is the label of the formula with an id.
type FormulaLabel struct{ ID, Label Phrase }

// Limit is a limit of validity. Outside of it results have a warning.
type Limit struct {
	Quantity, Code, Doc Phrase
	Unit                Unit
	Range               Range
}

// Mistake is a mistake in a document.
type Mistake struct {
	File string
	Place
	Message string // what is wrong, and what to write instead
	Source  string // the line
	Width   int    // of the wrong characters, at least 1
}

// Error returns the first line of a report: FILE:LINE:COLUMN: MESSAGE.
func (m *Mistake) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", m.File, m.Line, m.Column, m.Message)
}

// Report returns the mistake with its line and a mark below the wrong characters.
func (m *Mistake) Report() string {
	line := strings.ReplaceAll(m.Source, "\t", " ")
	return m.Error() + "\n  " + line + "\n  " + strings.Repeat(" ", max(0, m.Column-1)) + strings.Repeat("^", max(1, m.Width))
}

// Mistakes are the mistakes of a document in the order of their places.
type Mistakes []*Mistake

// Error returns one line for each mistake.
func (l Mistakes) Error() string {
	lines := make([]string, len(l))
	for i, m := range l {
		lines[i] = m.Error()
	}
	return strings.Join(lines, "\n")
}

// Parse reads a document. The file name is only shown in mistakes. The error is of type [Mistakes].
func Parse(file string, source []byte) (*Document, error) {
	return (&reader{file: file}).parse(source)
}

func (r *reader) parse(source []byte) (*Document, error) {
	if len(source) > MaxBytes {
		r.report(Place{1, 1}, 1, "the document has %d bytes, and at most %d are allowed: shorten it, or make two calculations of it", len(source), MaxBytes)
		return nil, r.mistakes
	}
	if !utf8.Valid(source) {
		r.lines = []string{""}
		r.report(r.invalid(source), 1, "this is not UTF-8: save the file as UTF-8")
		return nil, r.mistakes
	}
	text := strings.TrimPrefix(string(source), "\ufeff")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	r.lines = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	d := r.document()
	r.checkProse(d)
	if len(r.mistakes) > 0 {
		r.sort()
		return nil, r.mistakes
	}
	return d, nil
}

// sort sorts the mistakes by their places.
func (r *reader) sort() {
	slices.SortStableFunc(r.mistakes, func(a, b *Mistake) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
}

// reader reads the parts of a document, and collects mistakes.
type reader struct {
	file     string
	lines    []string
	mistakes Mistakes
	lean     bool // vectors are left out

	unreadable map[int]bool // lines with a wrong character
}

// report adds a mistake at a place.
func (r *reader) report(at Place, width int, format string, args ...any) {
	if r.unreadable[at.Line] || r.full() {
		return
	}
	line := ""
	if at.Line >= 1 && at.Line <= len(r.lines) {
		line = r.lines[at.Line-1]
	}
	r.mistakes = append(r.mistakes, &Mistake{File: r.file, Place: at, Message: fmt.Sprintf(format, args...), Source: line, Width: width})
}

// full reports whether the reader has as many mistakes as are reported.
func (r *reader) full() bool { return len(r.mistakes) >= MaxMistakes }

// wrong reports a mistake in a phrase.
func (r *reader) wrong(p Phrase, format string, args ...any) {
	r.report(p.Place, utf8.RuneCountInString(p.Text), format, args...)
}

// invalid returns the place of the first byte that is not UTF-8.
func (r *reader) invalid(source []byte) Place {
	at := Place{1, 1}
	for len(source) > 0 {
		c, size := utf8.DecodeRune(source)
		if c == utf8.RuneError && size == 1 {
			break
		}
		at.Column++
		if c == '\n' {
			at = Place{at.Line + 1, 1}
		}
		source = source[size:]
	}
	return at
}

// within returns the part of a phrase from one byte to another, without blanks at its ends.
func (p Phrase) within(from, to int) Phrase {
	part := p.Text[from:to]
	trimmed := strings.TrimLeft(part, " \t")
	from += len(part) - len(trimmed)
	return Phrase{Place{p.Line, p.Column + utf8.RuneCountInString(p.Text[:from])}, strings.TrimRight(trimmed, " \t")}
}

// line returns a line of the document as a phrase.
func (r *reader) line(n int) Phrase {
	whole := Phrase{Place{n, 1}, r.lines[n-1]}
	return whole.within(0, len(whole.Text))
}
