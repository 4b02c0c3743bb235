package strictjson

import (
	"slices"
	"strings"
)

const (
	// MaxBytes is the size of the largest document that is read.
	MaxBytes = 64 << 10
	// MaxDepth is how deep arrays and objects may nest.
	MaxDepth = 64
	// MaxNumber is the length of the longest number literal that is read.
	MaxNumber = 400
)

// byteOrderMark is U+FEFF in UTF-8, which RFC 8259 section 8.1 forbids senders to add.
const byteOrderMark = "\xEF\xBB\xBF"

// Parse reads one JSON value of any kind that fills data but for whitespace.
// Its error is a *SyntaxError. A number that binary64 cannot hold is no error:
// see Value.Range and Value.FirstOutOfRange.
func Parse(data []byte) (Value, error) {
	if len(data) > MaxBytes {
		return Value{}, tooLarge(len(data))
	}
	p := parser{text: string(data)}
	return p.document()
}

// ParseObject is Parse for a document whose top level must be an object.
func ParseObject(data []byte) (Value, error) {
	if len(data) > MaxBytes {
		return Value{}, tooLarge(len(data))
	}
	p := parser{text: string(data)}
	return p.objectDocument()
}

func tooLarge(size int) error {
	p := parser{}
	return p.fail(0, "found %d bytes, expected at most %d", size, MaxBytes)
}

// usualMembers is how many members wait at once for most calculations.
const usualMembers = 8

// parser walks the text once. Elements and members of containers that are
// still open wait on two stacks, so that each container is allocated once, at
// its exact size. An object that is the whole document takes the stack itself.
type parser struct {
	text    string
	pos     int
	depth   int
	items   []Value
	members []Member
	kept    *[]Member // where members of closed objects are kept; nil: each in its own place
}

func (p *parser) document() (Value, error) {
	if strings.HasPrefix(p.text, byteOrderMark) {
		return Value{}, p.fail(0, "found a byte order mark, expected JSON without one")
	}
	p.space()
	if p.pos == len(p.text) {
		return Value{}, p.fail(p.pos, "found an empty document, expected a value")
	}
	v, err := p.value()
	if err != nil {
		return Value{}, err
	}
	p.space()
	if p.pos < len(p.text) {
		return Value{}, p.unexpected("the end after the value")
	}
	return v, nil
}

func (p *parser) objectDocument() (Value, error) {
	v, err := p.document()
	if err == nil && v.Kind != Object {
		p.pos = 0
		p.space()
		return Value{}, p.fail(p.pos, "found %s, expected an object", v.Kind)
	}
	return v, err
}

func (p *parser) value() (Value, error) {
	switch c := p.peek(); {
	case c == '{' || c == '[':
		return p.nested(c)
	case c == '"':
		text, err := p.str()
		return Value{Kind: String, Text: text}, err
	case c == '-' || isDigit(c):
		return p.number()
	case p.skip("true"):
		return Value{Kind: Bool, Bool: true}, nil
	case p.skip("false"):
		return Value{Kind: Bool}, nil
	case p.skip("null"):
		return Value{}, nil
	default:
		return Value{}, p.unexpected("a value")
	}
}

// nested reads the container that c opens, if the cap allows one more level.
func (p *parser) nested(c byte) (v Value, err error) {
	if p.depth == MaxDepth {
		return Value{}, p.fail(p.pos, "found nesting level %d, expected at most %d", MaxDepth+1, MaxDepth)
	}
	p.depth++
	p.pos++
	if c == '{' {
		v, err = p.object()
	} else {
		v, err = p.array()
	}
	p.depth--
	return v, err
}

func (p *parser) array() (Value, error) {
	if p.space(); p.skip("]") {
		return Value{Kind: Array}, nil
	}
	base := len(p.items)
	for {
		p.space()
		v, err := p.value()
		if err != nil {
			return Value{}, err
		}
		p.items = append(p.items, v)
		if p.space(); p.skip("]") {
			break
		}
		if !p.skip(",") {
			return Value{}, p.unexpected(`"," or "]"`)
		}
	}
	v := Value{Kind: Array, Items: slices.Clone(p.items[base:])}
	p.items = p.items[:base]
	return v, nil
}

func (p *parser) object() (Value, error) {
	if p.space(); p.skip("}") {
		return Value{Kind: Object}, nil
	}
	if p.members == nil {
		p.members = make([]Member, 0, usualMembers)
	}
	base := len(p.members)
	var seen names
	for {
		m, err := p.member(&seen, base)
		if err != nil {
			return Value{}, err
		}
		p.members = append(p.members, m)
		if p.space(); p.skip("}") {
			break
		}
		if !p.skip(",") {
			return Value{}, p.unexpected(`"," or "}"`)
		}
	}
	v := Value{Kind: Object, Members: p.members}
	if p.depth > 1 {
		v.Members = p.keep(p.members[base:])
		p.members = p.members[:base]
	}
	return v, nil
}

// keep returns a copy of the members, which the stack needs no more.
func (p *parser) keep(members []Member) []Member {
	if p.kept == nil {
		return slices.Clone(members)
	}
	from := len(*p.kept)
	*p.kept = append(*p.kept, members...)
	return (*p.kept)[from:len(*p.kept):len(*p.kept)]
}

// member reads one member of the object whose earlier members stand on the
// stack from base on.
func (p *parser) member(seen *names, base int) (Member, error) {
	p.space()
	if p.peek() != '"' {
		return Member{}, p.unexpected("a member name in double quotes")
	}
	start := p.pos
	name, err := p.str()
	if err != nil {
		return Member{}, err
	}
	if seen.has(name, p.members[base:]) {
		return Member{}, p.fail(start, "found member %s a second time, expected each name once", quote(name))
	}
	if p.space(); !p.skip(":") {
		return Member{}, p.unexpected(`":"`)
	}
	p.space()
	v, err := p.value()
	return Member{Name: name, Value: v}, err
}

// peek returns the next byte, or 0 at the end; a NUL is never legal JSON.
func (p *parser) peek() byte {
	if p.pos < len(p.text) {
		return p.text[p.pos]
	}
	return 0
}

// skip steps over the token if it comes next.
func (p *parser) skip(token string) bool {
	if !strings.HasPrefix(p.text[p.pos:], token) {
		return false
	}
	p.pos += len(token)
	return true
}

// space steps over the four whitespace characters of RFC 8259 section 2.
func (p *parser) space() {
	for p.pos < len(p.text) {
		switch p.text[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}
