package formula

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// lexer cuts a text into tokens.
type lexer struct {
	source  string
	at      int // after token
	ended   int // after the previous token
	token   token
	comment string // the last one before token
}

type token struct {
	kind tokenKind
	pos  int // of its first byte
	text string
}

type tokenKind uint8

const (
	endToken tokenKind = iota
	newlineToken
	nameToken
	numberToken
	signToken
)

// is reports whether the token is the sign or the word.
func (t token) is(text string) bool {
	return t.text == text && (t.kind == signToken || t.kind == nameToken)
}

// String names the token in messages.
func (t token) String() string {
	switch {
	case t.kind == endToken:
		return "the end of the text"
	case t.kind == newlineToken:
		return "the end of the line"
	case t.text == `"`:
		return "a quotation mark"
	}
	return `"` + t.text + `"`
}

// place returns line and column of a byte, from 1.
func (l *lexer) place(pos int) (line, column int) {
	before := l.source[:min(pos, len(l.source))]
	return 1 + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
}

// fail ends the parser with a mistake.
func (l *lexer) fail(pos int, format string, args ...any) { panic(l.mistake(pos, format, args...)) }

// mistake returns an error at a byte.
func (l *lexer) mistake(pos int, format string, args ...any) *Error {
	line, column := l.place(pos)
	start := strings.LastIndexByte(l.source[:min(pos, len(l.source))], '\n') + 1
	source, _, _ := strings.Cut(l.source[start:], "\n")
	return &Error{Line: line, Column: column, Message: fmt.Sprintf(format, args...), Source: strings.TrimRight(strings.ToValidUTF8(source, "?"), "\r")}
}

var signs = []string{":=", "<=", ">=", "==", "!=", "..", "+", "-", "*", "/", "^", "(", ")", "[", "]", "{", "}", "<", ">", "=", ",", ":", ".", "@", `"`}

// next reads the next token.
func (l *lexer) next() {
	l.ended = l.at
	l.skip()
	pos, rest := l.at, l.source[l.at:]
	if rest == "" {
		l.token = token{endToken, pos, ""}
		return
	}
	switch c := rest[0]; {
	case c == '\n' || c == ';':
		l.token = token{newlineToken, pos, rest[:1]}
	case isLetter(c):
		n := 1
		for n < len(rest) && (isLetter(rest[n]) || isDigit(rest[n]) || rest[n] == '_') {
			n++
		}
		l.token = token{nameToken, pos, rest[:n]}
	case isDigit(c):
		l.token = token{numberToken, pos, rest[:numberLength(rest)]}
	default:
		l.token = token{signToken, pos, l.sign(rest)}
	}
	l.at = pos + len(l.token.text)
}

func (l *lexer) sign(rest string) string {
	for _, s := range signs {
		if strings.HasPrefix(rest, s) {
			return s
		}
	}
	c, _ := utf8.DecodeRuneInString(rest)
	l.fail(l.at, "%q has no meaning here: names are such as sigma_x, and signs such as * / ^ <=", c)
	return ""
}

// skip skips blanks, comments and ends of lines that the next line continues.
func (l *lexer) skip() {
	for l.at < len(l.source) {
		switch c := l.source[l.at]; {
		case c == ' ' || c == '\t' || c == '\r':
			l.at++
		case c == '\n' && l.continued():
			l.at++
		case c == '#':
			comment, _, _ := strings.Cut(l.source[l.at+1:], "\n")
			l.comment = strings.TrimSpace(comment)
			l.at += 1 + len(comment)
		default:
			return
		}
	}
}

// continued reports whether the line after this end of a line continues it. Such a line starts
// with a blank, and has something after it.
func (l *lexer) continued() bool {
	line, _, _ := strings.Cut(l.source[l.at+1:], "\n")
	rest := strings.TrimLeft(line, " \t\r")
	return rest != line && rest != "" && rest[0] != '#'
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

// numberLength returns the length of the number at the start of s. 1..n starts with 1.
func numberLength(s string) int {
	digits := func(n int) int {
		for n < len(s) && isDigit(s[n]) {
			n++
		}
		return n
	}
	n := digits(0)
	if n+1 < len(s) && s[n] == '.' && isDigit(s[n+1]) {
		n = digits(n + 1)
	}
	if n < len(s) && s[n]|0x20 == 'e' {
		exponent := n + 1
		if exponent < len(s) && (s[exponent] == '+' || s[exponent] == '-') {
			exponent++
		}
		if end := digits(exponent); end > exponent {
			n = end
		}
	}
	return n
}

// raw returns the text after the token, up to one of the bytes, without blanks around it. The
// next token is the one after this text.
func (l *lexer) raw(ends string) string {
	rest := l.source[l.at:]
	if n := strings.IndexAny(rest, ends); n >= 0 {
		rest = rest[:n]
	}
	l.at += len(rest)
	return strings.TrimSpace(rest)
}
