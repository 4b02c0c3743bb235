package contract

import (
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// Decoder decodes one message from an engine, over either transport. An engine is not trusted,
// so the Spec guides the decoder. Parts that no answer can need are an error before memory is
// allocated for them. The decoder also counts the memory that it allocates, and fails if it
// exceeds the bound.
//
// A decoder that measures reads the same message without allocating anything. It computes the
// memory that the answer will take.
type Decoder struct {
	spec      *sdk.Spec
	most      int // bytes of memory
	taken     int // so far
	measuring bool
	trusting  bool // the message comes from the server, so texts may have any length
}

// NewDecoder returns the decoder for one message of an engine with the Spec. The decoded
// message may take at most this number of bytes of memory.
func NewDecoder(spec *sdk.Spec, most int) Decoder { return Decoder{spec: spec, most: most} }

// MeasureOutcome returns the size of an Outcome in memory, in bytes. It returns the same
// errors as Outcome.
func (d Decoder) MeasureOutcome(b []byte) (int, error) {
	d.measuring = true
	_, err := d.Outcome(b)
	return d.taken, err
}

// MeasureBatch returns the size of a BatchOutcome in memory, in bytes. It returns the same
// errors as Batch.
func (d Decoder) MeasureBatch(b []byte, sent []value.Values) (int, error) {
	d.measuring = true
	_, err := d.Batch(b, sent)
	return d.taken, err
}

// Sizes of the parts of an answer in memory, in bytes.
const (
	valueSize   = int(unsafe.Sizeof(value.Value{}))
	listSize    = int(unsafe.Sizeof([]value.Value{})) // the slice header to which a list points
	textSize    = int(unsafe.Sizeof(""))
	errorSize   = int(unsafe.Sizeof(sdk.Error{}))
	resultSize  = int(unsafe.Sizeof(response.Result{}))
	failureSize = 4 * maxFailure // the text, and the errors around it
)

// errTwice is the error for a field that appears twice in a message.
var errTwice = fmt.Errorf("%w: it has one member twice", errEncoding)

// take counts memory that is about to be allocated. The error means that it exceeds the bound.
func (d *Decoder) take(bytes int) error {
	d.taken += bytes
	if d.taken > d.most {
		return fmt.Errorf("the answer would take more than %d bytes of memory", d.most)
	}
	return nil
}

// text returns a copy of a text in a message. The length is bounded.
func (d *Decoder) text(b []byte) (string, error) {
	if len(b) > sdk.MaxText && !d.trusting {
		return "", fmt.Errorf("text of %d bytes: at most %d", len(b), sdk.MaxText)
	}
	if err := d.take(len(b)); err != nil || d.measuring {
		return "", err
	}
	return string(b), nil
}

// word is text for one that is probably a known text, which then takes no memory.
func (d *Decoder) word(b []byte, known []string) (string, error) {
	for _, k := range known {
		if string(b) == k {
			return k, nil
		}
	}
	return d.text(b)
}

// numberIn reads a Value that is one number, the most frequent case.
func numberIn(b []byte) (value.Value, bool) {
	if len(b) != numberContent || b[0] != valueNumber<<3|byte(protowire.Fixed64Type) {
		return value.Value{}, false
	}
	return value.NumberOf(math.Float64frombits(binary.LittleEndian.Uint64(b[1:]))), true
}

// value reads a Value of a field. It does not read the content of a kind that the field cannot
// have, because sdk.CheckOutcome reports that mistake with a better message.
func (d *Decoder) value(f *sdk.Field, b []byte) (v value.Value, err error) {
	if number, ok := numberIn(b); ok {
		return number, nil
	}
	var text string
	m := message{rest: b}
	for m.next() {
		if m.field < valueNumber || m.field > valueRecord {
			continue
		}
		if v.Kind() != value.Absent {
			return v, errTwice
		}
		switch {
		case m.is(valueNumber, protowire.Fixed64Type):
			v = value.NumberOf(math.Float64frombits(m.bits))
		case m.is(valueText, protowire.BytesType):
			text, err = d.word(m.bytes, f.Enum)
			v = value.TextOf(text)
		case m.is(valueTruth, protowire.VarintType):
			v = value.BoolOf(protowire.DecodeBool(m.bits))
		case m.is(valueExact, protowire.BytesType):
			text, err = d.text(m.bytes)
			v = value.ExactOf(text)
		case m.is(valueList, protowire.BytesType):
			v, err = d.list(f, m.bytes)
		case m.is(valueRecord, protowire.BytesType):
			v, err = d.record(f, m.bytes)
		default:
			err = errEncoding
		}
		if err != nil {
			return v, err
		}
	}
	return v, m.err()
}

func (d *Decoder) list(f *sdk.Field, b []byte) (value.Value, error) {
	if f.Type != sdk.TypeArray || f.Items == nil {
		return value.ListOf(), nil
	}
	items, err := d.items(b, -1, func(i int, b []byte) (value.Value, error) {
		v, err := d.value(f.Items, b)
		if err == nil && v.Kind() == value.Absent {
			err = fmt.Errorf("item %d is missing", i)
		}
		return v, err
	})
	return value.ListOf(items...), err
}

func (d *Decoder) record(f *sdk.Field, b []byte) (value.Value, error) {
	if f.Type != sdk.TypeObject {
		return value.RecordOf(), nil
	}
	items, err := d.items(b, len(f.Fields), func(i int, b []byte) (value.Value, error) {
		return d.value(&f.Fields[i], b)
	})
	return value.RecordOf(items...), err
}

// items reads the elements of a Values message. There must be exactly want elements; a
// negative want allows any number.
func (d *Decoder) items(b []byte, want int, read func(int, []byte) (value.Value, error)) ([]value.Value, error) {
	n, err := countFields(b, valuesValues)
	if err != nil {
		return nil, err
	}
	if want >= 0 && n != want {
		return nil, fmt.Errorf("%d values for %d fields", n, want)
	}
	if err := d.take(listSize + n*valueSize); err != nil {
		return nil, err
	}
	var items []value.Value
	if !d.measuring && n > 0 {
		items = make([]value.Value, 0, n)
	}
	i := 0
	for m := (message{rest: b}); m.next(); {
		if !m.is(valuesValues, protowire.BytesType) {
			continue
		}
		v, err := read(i, m.bytes)
		if err != nil {
			return nil, err
		}
		i++
		if !d.measuring {
			items = append(items, v)
		}
	}
	return items, nil
}

// countFields counts the length-delimited fields of the number in a message.
func countFields(b []byte, field protowire.Number) (n int, err error) {
	m := message{rest: b}
	for m.next() {
		if m.is(field, protowire.BytesType) {
			n++
		}
	}
	return n, m.err()
}
