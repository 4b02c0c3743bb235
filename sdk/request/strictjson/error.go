package strictjson

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// SyntaxError reports why a document was refused, with the place. Every error of this package
// is a *SyntaxError.
type SyntaxError struct {
	Offset int    // bytes before the place, from 0
	Line   int    // from 1
	Column int    // in characters, from 1
	Reason string // the text that was found, and the expected one

	// Path is the member at fault, or the member with the value that contains the place, such
	// as "inputs.layers.0". It is empty outside of members.
	Path string
}

// Error returns the place and the reason.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Reason)
}

// within adds a step to the path of an error in the value of a member or an element.
func within(step string, err error) error {
	if e, ok := err.(*SyntaxError); ok {
		if e.Path != "" {
			step += "." + e.Path
		}
		e.Path = step
	}
	return err
}

// fail describes the place at offset in the text.
func (p *parser) fail(offset int, format string, args ...any) error {
	before := p.text[:offset]
	lineStart := strings.LastIndexByte(before, '\n') + 1
	return &SyntaxError{
		Offset: offset,
		Line:   strings.Count(before, "\n") + 1,
		Column: utf8.RuneCountInString(before[lineStart:]) + 1,
		Reason: fmt.Sprintf(format, args...),
	}
}

// unexpected refuses the text at the current position.
func (p *parser) unexpected(expected string) error {
	return p.fail(p.pos, "found %s, expected %s", p.found(), expected)
}

// found names the text at the current position.
func (p *parser) found() string {
	if p.pos == len(p.text) {
		return "the end"
	}
	r, size := utf8.DecodeRuneInString(p.text[p.pos:])
	switch {
	case r == utf8.RuneError && size == 1:
		return fmt.Sprintf("invalid UTF-8 byte 0x%02X", p.text[p.pos])
	case unicode.IsPrint(r):
		return strconv.Quote(string(r))
	default:
		return fmt.Sprintf("%U", r)
	}
}

// maxQuoted bounds the part of the document in a reason.
const maxQuoted = 40

// quote quotes s for a reason, cut when it is long.
func quote(s string) string {
	if len(s) <= maxQuoted {
		return strconv.Quote(s)
	}
	return strconv.Quote(strings.ToValidUTF8(s[:maxQuoted], "")) + "..."
}
