package strictjson

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// str reads a string from its opening quote. Without escapes the result is a part of the
// document, and allocates nothing.
func (p *parser) str() (string, error) {
	open := p.pos
	p.pos++
	start := p.pos
	for p.pos < len(p.text) && plain[p.text[p.pos]] { // the usual case: only such bytes
		p.pos++
	}
	var decoded []byte // the text before start, after an escape
	for p.pos < len(p.text) {
		switch c := p.text[p.pos]; {
		case c == '"':
			tail := p.text[start:p.pos]
			p.pos++
			if decoded == nil {
				return tail, nil
			}
			return string(append(decoded, tail...)), nil
		case c == '\\':
			decoded = append(decoded, p.text[start:p.pos]...)
			r, err := p.escape()
			if err != nil {
				return "", err
			}
			decoded = utf8.AppendRune(decoded, r)
			start = p.pos
		case c < ' ':
			return "", p.unexpected("no raw control character in a string")
		case c < utf8.RuneSelf:
			p.pos++
		default:
			if err := p.multibyte(); err != nil {
				return "", err
			}
		}
	}
	return "", p.fail(open, "found a string without end, expected a closing double quote")
}

// plain has the ASCII characters that need no escape in a string.
var plain = func() (table [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		table[c] = c != '"' && c != '\\'
	}
	return table
}()

// multibyte steps over one character that is not ASCII.
func (p *parser) multibyte() error {
	r, size := utf8.DecodeRuneInString(p.text[p.pos:])
	if r == utf8.RuneError && size == 1 {
		return p.unexpected("UTF-8")
	}
	p.pos += size
	return nil
}

// escape reads an escape from its backslash and returns the character it means.
func (p *parser) escape() (rune, error) {
	if p.skip(`\u`) {
		return p.unicodeEscape()
	}
	p.pos++
	r, ok := shortEscape(p.peek())
	if !ok {
		return 0, p.unexpected(`one of " \ / b f n r t u after a backslash`)
	}
	p.pos++
	return r, nil
}

// shortEscape returns the meaning of a backslash before c.
func shortEscape(c byte) (rune, bool) {
	switch c {
	case '"', '\\', '/':
		return rune(c), true
	case 'b':
		return '\b', true
	case 'f':
		return '\f', true
	case 'n':
		return '\n', true
	case 'r':
		return '\r', true
	case 't':
		return '\t', true
	}
	return 0, false
}

// unicodeEscape reads the part after \u: four hex digits, and a second escape if the first is
// the high half of a surrogate pair.
func (p *parser) unicodeEscape() (rune, error) {
	start := p.pos - len(`\u`)
	r, err := p.hex4()
	if err != nil {
		return 0, err
	}
	if r == 0 {
		return 0, p.fail(start, `found \u0000, expected no NUL in a string`)
	}
	if !utf16.IsSurrogate(r) {
		return r, nil
	}
	if p.skip(`\u`) {
		low, err := p.hex4()
		if err != nil {
			return 0, err
		}
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, nil
		}
	}
	return 0, p.fail(start, `found the lone surrogate \u%04X, expected a pair such as \uD83D\uDE00`, r)
}

// hex4 reads four hex digits.
func (p *parser) hex4() (rune, error) {
	end := p.pos + 4
	for p.pos < end {
		if !isHex(p.peek()) {
			return 0, p.unexpected(`four hex digits after \u`)
		}
		p.pos++
	}
	n, err := strconv.ParseUint(p.text[end-4:end], 16, 16)
	return rune(n), err
}

func isHex(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
