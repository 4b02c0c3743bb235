package contract

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/slipstick/slipstick/sdk/value"
)

// appendUint appends a number, unless it is 0, the value of an absent field.
func appendUint(b []byte, field protowire.Number, v uint64) []byte {
	if v == 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}

// appendString appends a text, unless it is empty, the value of an absent field.
func appendString(b []byte, field protowire.Number, s string) []byte {
	if s == "" {
		return b
	}
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
}

// appendText appends a text even if it is empty, as an element of a repeated field or of a
// oneof.
func appendText(b []byte, field protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
}

// appendBytes is appendText for bytes.
func appendBytes(b []byte, field protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), content)
}

// appendLength appends the tag and length of a nested message, which must follow.
func appendLength(b []byte, field protowire.Number, size int) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.BytesType), uint64(size))
}

// appendValues appends one element of a repeated field per value.
func appendValues(b []byte, field protowire.Number, values []value.Value) []byte {
	tag := byte(field)<<3 | byte(protowire.BytesType)
	for i := range values {
		switch v := &values[i]; v.Kind() { // most are numbers, or absent
		case value.Number:
			b = append(b, tag, numberContent, valueNumber<<3|byte(protowire.Fixed64Type))
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v.Number()))
		case value.Absent:
			b = append(b, tag, 0)
		default:
			b = appendValue(appendLength(b, field, sizeValue(*v)), *v)
		}
	}
	return b
}

// numberContent is the size of the content of a Value that is a number, in bytes.
const numberContent = tagSize + 8

// appendValue appends the content of a Value.
func appendValue(b []byte, v value.Value) []byte {
	switch v.Kind() {
	case value.Number:
		b = protowire.AppendTag(b, valueNumber, protowire.Fixed64Type)
		return protowire.AppendFixed64(b, math.Float64bits(v.Number()))
	case value.Text:
		return appendText(b, valueText, v.Text())
	case value.Exact:
		return appendText(b, valueExact, v.Text())
	case value.Bool:
		return protowire.AppendVarint(protowire.AppendTag(b, valueTruth, protowire.VarintType), protowire.EncodeBool(v.Bool()))
	case value.List, value.Record:
		field := protowire.Number(valueList)
		if v.Kind() == value.Record {
			field = valueRecord
		}
		return appendValues(appendLength(b, field, sizeValues(v.Items())), valuesValues, v.Items())
	}
	return b
}

const tagSize = 1 // of every field number here: all are below 16

// sizeValue returns the number of bytes that appendValue appends.
func sizeValue(v value.Value) int {
	switch v.Kind() {
	case value.Number:
		return numberContent
	case value.Text, value.Exact:
		return tagSize + protowire.SizeBytes(len(v.Text()))
	case value.Bool:
		return tagSize + 1
	case value.List, value.Record:
		return tagSize + protowire.SizeBytes(sizeValues(v.Items()))
	}
	return 0
}

// sizeValues returns the number of bytes that appendValues appends.
func sizeValues(values []value.Value) int {
	n := 0
	for _, v := range values {
		n += tagSize + protowire.SizeBytes(sizeValue(v))
	}
	return n
}

// appendMessage appends a nested message with a length that is not known before it is written.
func appendMessage(b []byte, field protowire.Number, body func([]byte) []byte) []byte {
	b = protowire.AppendTag(b, field, protowire.BytesType)
	start := len(b)
	b = body(append(b, 0, 0, 0, 0)) // reserved for a varint of up to 28 bits
	n := len(b) - start - 4
	for i := range 4 { // padded: this is legal, and no bytes have to move
		b[start+i] = byte(n>>(7*i))&0x7f | 0x80
	}
	b[start+3] &^= 0x80
	return b
}

// message is an encoded message that is read field by field.
type message struct {
	rest  []byte
	field protowire.Number
	kind  protowire.Type
	bits  uint64 // of a varint or fixed64
	bytes []byte // of a length-delimited field
	bad   bool
}

// next reads the next field. If it returns false, bad distinguishes broken bytes from the end.
func (m *message) next() bool {
	if len(m.rest) == 0 || m.bad {
		return false
	}
	if m.nextShort() {
		return true
	}
	var n int
	m.field, m.kind, n = protowire.ConsumeTag(m.rest)
	if n < 0 {
		m.bad = true
		return false
	}
	m.rest = m.rest[n:]
	switch m.kind {
	case protowire.VarintType:
		m.bits, n = protowire.ConsumeVarint(m.rest)
	case protowire.Fixed64Type:
		m.bits, n = protowire.ConsumeFixed64(m.rest)
	case protowire.BytesType:
		m.bytes, n = protowire.ConsumeBytes(m.rest)
	case protowire.Fixed32Type:
		_, n = protowire.ConsumeFixed32(m.rest)
	default: // the contract has no groups
		n = -1
	}
	if n < 0 {
		m.bad = true
		return false
	}
	m.rest = m.rest[n:]
	return true
}

// nextShort is next for a length-delimited field of less than 128 bytes, the most frequent
// kind. For any other field it reads nothing, and reports false.
func (m *message) nextShort() bool {
	if len(m.rest) < 2 || m.rest[0]&7 != byte(protowire.BytesType) {
		return false
	}
	tag, end := m.rest[0], 2+int(m.rest[1])
	if tag >= 0x80 || tag < 8 || end >= 2+0x80 || end > len(m.rest) {
		return false
	}
	m.field, m.kind = protowire.Number(tag>>3), protowire.BytesType
	m.bytes, m.rest = m.rest[2:end:end], m.rest[end:]
	return true
}

// is reports whether the field just read has the number and the form.
func (m *message) is(field protowire.Number, kind protowire.Type) bool {
	return m.field == field && m.kind == kind
}

func (m *message) err() error {
	if m.bad {
		return errEncoding
	}
	return nil
}
