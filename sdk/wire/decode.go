package wire

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/slipstick/slipstick/sdk"
)

// decoder reads what an engine sends, on the lane and by gRPC, and is led by the Spec:
// what no answer can need is an error before memory is made for it. It counts the
// memory that it makes, and stops where that passes its bound.
//
// A decoder that weighs reads the same and makes nothing: it tells how much memory the
// answer will take.
type decoder struct {
	spec     *sdk.Spec
	most     int // bytes of memory
	taken    int
	weighing bool
	trusting bool // the host wrote it: texts may have any length
}

// What the parts of an answer take in memory, in bytes.
const (
	valueSize   = int(unsafe.Sizeof(sdk.Value{}))
	listSize    = int(unsafe.Sizeof([]sdk.Value{})) // the header, which a list has a pointer to
	textSize    = int(unsafe.Sizeof(""))
	errorSize   = int(unsafe.Sizeof(sdk.Error{}))
	resultSize  = int(unsafe.Sizeof(sdk.Result{}))
	failureSize = 4 * maxFailure // the text, and the errors around it
)

// errTwice is the error of a message that has twice what it may have once.
var errTwice = fmt.Errorf("%w: it says one thing twice", errEncoding)

// take counts memory that is about to be made.
func (d *decoder) take(bytes int) error {
	if d.taken += bytes; d.taken > d.most {
		return fmt.Errorf("the answer would take more than %d bytes of memory", d.most)
	}
	return nil
}

// text returns the text of a message, which has an end as every text of an answer.
func (d *decoder) text(b []byte) (string, error) {
	if len(b) > sdk.MaxText && !d.trusting {
		return "", fmt.Errorf("text of %d bytes: at most %d", len(b), sdk.MaxText)
	}
	if err := d.take(len(b)); err != nil || d.weighing {
		return "", err
	}
	return string(b), nil
}

// word is text for a text that is likely one of the known, which then takes no memory.
func (d *decoder) word(b []byte, known []string) (string, error) {
	for _, k := range known {
		if string(b) == k {
			return k, nil
		}
	}
	return d.text(b)
}

// value reads a Value of the field. A kind that the field cannot have is left to
// sdk.CheckOutcome, which says it better; its content is not read.
func (d *decoder) value(f *sdk.Field, b []byte) (v sdk.Value, err error) {
	if len(b) == 9 && b[0] == valueNumber<<3|byte(protowire.Fixed64Type) { // most are
		bits, _ := protowire.ConsumeFixed64(b[1:])
		return sdk.NumberOf(math.Float64frombits(bits)), nil
	}
	var text string
	m := message{rest: b}
	for m.next() {
		if m.field < valueNumber || m.field > valueRecord {
			continue
		}
		if v.Kind() != sdk.Absent {
			return v, errTwice
		}
		switch {
		case m.is(valueNumber, protowire.Fixed64Type):
			v = sdk.NumberOf(math.Float64frombits(m.bits))
		case m.is(valueText, protowire.BytesType):
			text, err = d.word(m.bytes, f.Enum)
			v = sdk.TextOf(text)
		case m.is(valueTruth, protowire.VarintType):
			v = sdk.BoolOf(protowire.DecodeBool(m.bits))
		case m.is(valueExact, protowire.BytesType):
			text, err = d.text(m.bytes)
			v = sdk.ExactOf(text)
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

func (d *decoder) list(f *sdk.Field, b []byte) (sdk.Value, error) {
	if f.Type != sdk.TypeArray || f.Items == nil {
		return sdk.ListOf(), nil
	}
	items, err := d.items(b, -1, func(i int, b []byte) (sdk.Value, error) {
		v, err := d.value(f.Items, b)
		if err == nil && v.Kind() == sdk.Absent {
			err = fmt.Errorf("item %d is missing", i)
		}
		return v, err
	})
	return sdk.ListOf(items...), err
}

func (d *decoder) record(f *sdk.Field, b []byte) (sdk.Value, error) {
	if f.Type != sdk.TypeObject {
		return sdk.RecordOf(), nil
	}
	items, err := d.items(b, len(f.Fields), func(i int, b []byte) (sdk.Value, error) {
		return d.value(&f.Fields[i], b)
	})
	return sdk.RecordOf(items...), err
}

// items reads the elements of a Values message, which are want, or any number if that
// is negative.
func (d *decoder) items(b []byte, want int, read func(int, []byte) (sdk.Value, error)) ([]sdk.Value, error) {
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
	var items []sdk.Value
	if !d.weighing && n > 0 {
		items = make([]sdk.Value, 0, n)
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
		if i++; !d.weighing {
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

// outcome reads an Outcome. The error is an *sdk.Error for a rejection, wraps
// ErrContract for what is no outcome, and is else the engine's own failure.
func (d *decoder) outcome(b []byte) (sdk.Outcome, error) {
	m := message{rest: b}
	for m.next() {
		switch {
		case m.is(outcomeAnswer, protowire.BytesType):
			o, err := d.answer(m.bytes)
			return o, contractError(err)
		case m.is(outcomeRejection, protowire.BytesType):
			e, err := d.rejection(m.bytes)
			if err != nil {
				return sdk.Outcome{}, contractError(err)
			}
			return sdk.Outcome{}, e
		case m.is(outcomeFailure, protowire.BytesType):
			return sdk.Outcome{}, engineFailure(m.bytes)
		}
	}
	if err := m.err(); err != nil {
		return sdk.Outcome{}, contractError(err)
	}
	return sdk.Outcome{}, contractError(errors.New("empty outcome"))
}

func (d *decoder) answer(b []byte) (o sdk.Outcome, err error) {
	if err := d.take((len(d.spec.Outputs) + len(d.spec.Inputs)) * valueSize); err != nil {
		return o, err
	}
	if !d.weighing {
		o.Result, o.Inputs = make(sdk.Values, 0, len(d.spec.Outputs)), make(sdk.Values, 0, len(d.spec.Inputs))
	}
	results, inputs, assumptions, warnings := 0, 0, 0, 0
	m := message{rest: b}
	for m.next() && err == nil {
		if m.kind != protowire.BytesType {
			continue
		}
		switch m.field {
		case answerResult:
			o.Result, err = d.next(o.Result, d.spec.Outputs, &results, m.bytes)
		case answerInputs:
			o.Inputs, err = d.next(o.Inputs, d.spec.Inputs, &inputs, m.bytes)
		case answerFormula:
			o.Formula, err = d.formula(m.bytes)
		case answerAssumptions:
			o.Assumptions, err = d.assumption(o.Assumptions, &assumptions, &m)
		case answerWarning:
			o.Warnings, err = d.warning(o.Warnings, &warnings, &m)
		}
	}
	if err != nil {
		return o, err
	}
	return o, m.err()
}

// next reads the value of the next of the fields.
func (d *decoder) next(values sdk.Values, fields []sdk.Field, i *int, b []byte) (sdk.Values, error) {
	if *i >= len(fields) {
		return values, fmt.Errorf("more than %d values", len(fields))
	}
	f := &fields[*i]
	v, err := d.value(f, b)
	if err != nil {
		return values, fmt.Errorf("%s: %w", f.Name, err)
	}
	if *i++; d.weighing {
		return nil, nil
	}
	return append(values, v), nil
}

// formula reads the id of a formula.
func (d *decoder) formula(b []byte) (string, error) {
	for i := range d.spec.Formulas { // by index: a Formula is large
		if id := d.spec.Formulas[i].ID; string(b) == id {
			return id, nil
		}
	}
	return d.text(b)
}

// roomFor makes room for one more of the notes that stand in the message from here on,
// of which seen have been read: for all of them at once.
func roomFor[T any](d *decoder, list []T, seen *int, m *message) ([]T, error) {
	if *seen++; *seen > sdk.MaxNotes {
		return nil, fmt.Errorf("more than %d notes of a kind", sdk.MaxNotes)
	}
	var one T
	if err := d.take(int(unsafe.Sizeof(one))); err != nil || d.weighing || *seen > 1 {
		return list, err
	}
	n, err := countFields(m.rest, m.field)
	return make([]T, 0, min(n+1, sdk.MaxNotes)), err
}

// note adds what has been read to what there is room for.
func note[T any](d *decoder, list []T, one T) []T {
	if d.weighing {
		return nil
	}
	return append(list, one)
}

func (d *decoder) assumption(list []string, seen *int, m *message) ([]string, error) {
	list, err := roomFor(d, list, seen, m)
	if err != nil {
		return nil, err
	}
	text, err := d.text(m.bytes)
	return note(d, list, text), err
}

func (d *decoder) warning(list []sdk.Warning, seen *int, m *message) ([]sdk.Warning, error) {
	list, err := roomFor(d, list, seen, m)
	if err != nil {
		return nil, err
	}
	var w sdk.Warning
	err = eachPart(m.bytes, func(field protowire.Number, b []byte) (err error) {
		switch field {
		case warningCode:
			w.Code, err = d.word(b, d.spec.Warnings)
		case warningSeverity:
			w.Severity, err = d.severity(b)
		case warningDetail:
			w.Detail, err = d.text(b)
		case warningSuggestion:
			w.Suggestion, err = d.text(b)
		}
		return err
	})
	return note(d, list, w), err
}

func (d *decoder) severity(b []byte) (sdk.Severity, error) {
	switch s := sdk.Severity(b); s { // compared where it stands
	case sdk.Info:
		return sdk.Info, nil
	case sdk.Caution:
		return sdk.Caution, nil
	case sdk.Critical:
		return sdk.Critical, nil
	}
	text, err := d.text(b)
	return sdk.Severity(text), err
}

func (d *decoder) rejection(b []byte) (*sdk.Error, error) {
	if err := d.take(errorSize); err != nil {
		return nil, err
	}
	e, invalid := new(sdk.Error), 0
	m := message{rest: b}
	for m.next() {
		if m.kind != protowire.BytesType {
			continue
		}
		var err error
		switch m.field {
		case rejectionCode:
			e.Code, err = d.word(m.bytes, d.spec.Errors)
		case rejectionField:
			e.Field, err = d.text(m.bytes)
		case rejectionDetail:
			e.Detail, err = d.text(m.bytes)
		case rejectionSuggestion:
			e.Suggestion, err = d.text(m.bytes)
		case rejectionInvalid:
			e.Invalid, err = d.invalid(e.Invalid, &invalid, &m)
		}
		if err != nil {
			return nil, err
		}
	}
	return e, m.err()
}

func (d *decoder) invalid(list []sdk.InvalidParameter, seen *int, m *message) ([]sdk.InvalidParameter, error) {
	list, err := roomFor(d, list, seen, m)
	if err != nil {
		return nil, err
	}
	var p sdk.InvalidParameter
	err = eachPart(m.bytes, func(field protowire.Number, b []byte) (err error) {
		switch field {
		case invalidName:
			p.Name, err = d.text(b)
		case invalidConstraint:
			p.Constraint, err = d.text(b)
		}
		return err
	})
	return note(d, list, p), err
}

// eachPart reads the length-delimited fields of a message.
func eachPart(b []byte, read func(field protowire.Number, b []byte) error) error {
	m := message{rest: b}
	for m.next() {
		if m.kind != protowire.BytesType {
			continue
		}
		if err := read(m.field, m.bytes); err != nil {
			return err
		}
	}
	return m.err()
}
