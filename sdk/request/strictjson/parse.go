package strictjson

import (
	"slices"
	"strconv"
	"strings"
)

const (
	// MaxBytes is the size of the largest document that Parse reads, in bytes.
	MaxBytes = 64 << 10
	// MaxDepth is the largest depth of nested arrays and objects.
	MaxDepth = 64
)

// byteOrderMark is U+FEFF in UTF-8, which RFC 8259 section 8.1 forbids senders to add.
const byteOrderMark = "\xEF\xBB\xBF"

// Parse reads one JSON value of any kind. Only whitespace may surround it in data. The error
// is a *SyntaxError. A number beyond binary64 is not an error: see Value.Range and
// Value.FirstOutOfRange.
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

// usualMembers is how many members are on the stack at once for most calculations.
const usualMembers = 8

// parser reads the text once. Members of open objects are on a stack, so that each object is
// allocated once, with its exact size. An object that is the whole document takes the stack
// itself.
type parser struct {
	text    string
	pos     int
	depth   int
	members []Member
	kept    *[]Member // memory for members of closed objects; nil: each object has its own
}

func (p *parser) document() (Value, error) {
	if strings.HasPrefix(p.text, byteOrderMark) {
		return Value{}, p.fail(0, "found a byte order mark, expected JSON without one")
	}
	p.space()
	if p.pos == len(p.text) {
		return Value{}, p.fail(p.pos, "found an empty document, expected a value")
	}
	var v Value
	if err := p.value(&v); err != nil {
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

// value reads a value into v, which is empty. A Value is large, and returning it would copy it
// several times.
func (p *parser) value(v *Value) (err error) {
	switch c := p.peek(); {
	case c == '{' || c == '[':
		return p.nested(c, v)
	case c == '"':
		v.Kind = String
		v.Text, err = p.str()
		return err
	case c == '-' || isDigit(c):
		return p.number(v)
	case p.skip("true"):
		v.Kind, v.Bool = Bool, true
	case p.skip("false"):
		v.Kind = Bool
	case p.skip("null"):
	default:
		return p.unexpected("a value")
	}
	return nil
}

// nested reads the container that c opens, if the cap allows one more level.
func (p *parser) nested(c byte, v *Value) (err error) {
	if p.depth == MaxDepth {
		return p.fail(p.pos, "found nesting level %d, expected at most %d", MaxDepth+1, MaxDepth)
	}
	p.depth++
	p.pos++
	if c == '{' {
		v.Kind = Object
		v.Members, err = p.object()
	} else {
		v.Kind = Array
		v.Items, err = p.array()
	}
	p.depth--
	return err
}

func (p *parser) array() ([]Value, error) {
	p.space()
	if p.skip("]") {
		return nil, nil
	}
	items := make([]Value, 0, p.scalars())
	for {
		p.space()
		var v Value
		if err := p.value(&v); err != nil {
			return nil, within(strconv.Itoa(len(items)), err)
		}
		items = append(items, v)
		p.space()
		if p.skip("]") {
			return items, nil
		}
		if !p.skip(",") {
			return nil, p.unexpected(`"," or "]"`)
		}
	}
}

// scalars estimates the number of elements in the rest of an array. For an array of numbers, it is
// exact. It ends at the first array, text and object, so that no comma counts for two arrays. The next
// array is found first, so that the searches of all arrays together are as long as the text.
func (p *parser) scalars() int {
	rest := p.text[p.pos:]
	for _, end := range []byte(`[]"{`) {
		if at := strings.IndexByte(rest, end); at >= 0 {
			rest = rest[:at]
		}
	}
	return 1 + strings.Count(rest, ",")
}

func (p *parser) object() ([]Member, error) {
	p.space()
	if p.skip("}") {
		return nil, nil
	}
	if p.members == nil {
		p.members = make([]Member, 0, usualMembers)
	}
	base := len(p.members)
	var seen names
	for {
		if err := p.member(&seen, base); err != nil {
			return nil, err
		}
		p.space()
		if c := p.peek(); c == '}' {
			p.pos++
			break
		} else if c != ',' {
			return nil, p.unexpected(`"," or "}"`)
		}
		p.pos++
	}
	if p.depth == 1 {
		return p.members, nil
	}
	members := p.keep(p.members[base:])
	p.members = p.members[:base]
	return members, nil
}

// keep returns a copy of the members, which then leave the stack.
func (p *parser) keep(members []Member) []Member {
	if p.kept == nil {
		return slices.Clone(members)
	}
	from := len(*p.kept)
	*p.kept = append(*p.kept, members...)
	return (*p.kept)[from:len(*p.kept):len(*p.kept)]
}

// member reads one member of an object and pushes it on the stack. The earlier members of the
// object are on the stack from base on.
func (p *parser) member(seen *names, base int) error {
	p.space()
	if p.peek() != '"' {
		return p.unexpected("a member name in double quotes")
	}
	start := p.pos
	name, err := p.str()
	if err != nil {
		return err
	}
	if seen.has(name, p.members[base:]) {
		return within(name, p.fail(start, "found member %s a second time, expected each name once", quote(name)))
	}
	p.space()
	if p.peek() != ':' {
		return p.unexpected(`":"`)
	}
	p.pos++
	p.space()
	at := len(p.members)
	p.members = append(p.members, Member{Name: name})
	if c := p.peek(); c != '{' && c != '[' {
		err = p.value(&p.members[at].Value) // in place: a scalar adds nothing to the stack
	} else {
		var v Value
		err = p.value(&v)
		p.members[at].Value = v
	}
	if err != nil {
		return within(name, err)
	}
	return nil
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
	if p.pos < len(p.text) && p.text[p.pos] <= ' ' {
		p.spaces()
	}
}

func (p *parser) spaces() {
	for p.pos < len(p.text) {
		switch p.text[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}
