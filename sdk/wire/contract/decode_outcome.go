package contract

import (
	"cmp"
	"errors"
	"fmt"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/document"
	"github.com/slipstick/slipstick/sdk/value"
)

// Outcome decodes an Outcome. The error is an *sdk.Error if the engine rejected the inputs. It
// wraps ErrContract if the message is not a valid outcome. Any other error is a failure that
// the engine reports.
func (d *Decoder) Outcome(b []byte) (sdk.Outcome, error) {
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
	return sdk.Outcome{}, contractError(cmp.Or(m.err(), errors.New("empty outcome")))
}

// Drawing decodes a Drawing. It checks the size of the drawing before allocating memory. The
// errors are the same as in Outcome.
func (d *Decoder) Drawing(b []byte) (*sdk.Figure, error) {
	m := message{rest: b}
	for m.next() {
		switch {
		case m.is(drawingFigure, protowire.BytesType):
			f, err := document.ParseFigure(m.bytes)
			if err != nil {
				return nil, contractError(fmt.Errorf("its drawing: %w", err))
			}
			return f, nil
		case m.is(drawingRejection, protowire.BytesType):
			e, err := d.rejection(m.bytes)
			if err != nil {
				return nil, contractError(err)
			}
			return nil, e
		case m.is(drawingFailure, protowire.BytesType):
			return nil, engineFailure(m.bytes)
		}
	}
	return nil, contractError(cmp.Or(m.err(), errors.New("empty drawing")))
}

func (d *Decoder) answer(b []byte) (o sdk.Outcome, err error) {
	if err := d.take((len(d.spec.Outputs) + len(d.spec.Inputs)) * valueSize); err != nil {
		return o, err
	}
	if !d.measuring { // one allocation, which starts with the result
		outputs := len(d.spec.Outputs)
		values := make(value.Values, outputs+len(d.spec.Inputs))
		o.Result, o.Inputs = values[:0:outputs], values[outputs:outputs]
	}
	results, inputs, assumptions, warnings := 0, 0, 0, 0
	m := message{rest: b}
	for m.next() && err == nil {
		if m.kind != protowire.BytesType {
			continue
		}
		switch m.field {
		case answerResult:
			err = d.next(&o.Result, d.spec.Outputs, &results, m.bytes)
		case answerInputs:
			err = d.next(&o.Inputs, d.spec.Inputs, &inputs, m.bytes)
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

// next reads the value of the field with index *i, appends it, and increments *i. The capacity
// must be enough for all fields, and the added elements must be unused.
func (d *Decoder) next(values *value.Values, fields []sdk.Field, i *int, b []byte) error {
	if *i >= len(fields) {
		return fmt.Errorf("more than %d values", len(fields))
	}
	f := &fields[*i]
	*i++
	if d.measuring {
		_, err := d.value(f, b)
		return named(f, err)
	}
	*values = (*values)[:*i]
	v := &(*values)[*i-1]
	if number, ok := numberIn(b); ok {
		*v = number
		return nil
	}
	if len(b) == 0 {
		return nil // absent, as it is already
	}
	var err error
	*v, err = d.value(f, b)
	return named(f, err)
}

// named adds the name of a field to an error about it.
func named(f *sdk.Field, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", f.Name, err)
}

// formula reads the id of a formula.
func (d *Decoder) formula(b []byte) (string, error) {
	for i := range d.spec.Formulas { // by index: a Formula is large
		if id := d.spec.Formulas[i].ID; string(b) == id {
			return id, nil
		}
	}
	return d.text(b)
}

// reserve makes space for one more element of a list, after seen elements have been read. It
// counts the elements in the rest of the message, and allocates space for all of them at once.
func reserve[T any](d *Decoder, list []T, seen *int, m *message) ([]T, error) {
	*seen++
	if *seen > sdk.MaxNotes {
		return nil, fmt.Errorf("more than %d notes of a kind", sdk.MaxNotes)
	}
	var one T
	if err := d.take(int(unsafe.Sizeof(one))); err != nil || d.measuring || *seen > 1 {
		return list, err
	}
	n, err := countFields(m.rest, m.field)
	return make([]T, 0, min(n+1, sdk.MaxNotes)), err
}

// note appends an element for which there is space. A decoder that measures does nothing.
func note[T any](d *Decoder, list []T, one T) []T {
	if d.measuring {
		return nil
	}
	return append(list, one)
}

func (d *Decoder) assumption(list []string, seen *int, m *message) ([]string, error) {
	list, err := reserve(d, list, seen, m)
	if err != nil {
		return nil, err
	}
	text, err := d.text(m.bytes)
	return note(d, list, text), err
}

func (d *Decoder) warning(list []sdk.Warning, seen *int, m *message) ([]sdk.Warning, error) {
	list, err := reserve(d, list, seen, m)
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

func (d *Decoder) severity(b []byte) (sdk.Severity, error) {
	switch s := sdk.Severity(b); s { // the conversion does not copy
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

func (d *Decoder) rejection(b []byte) (*sdk.Error, error) {
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

func (d *Decoder) invalid(list []sdk.InvalidParameter, seen *int, m *message) ([]sdk.InvalidParameter, error) {
	list, err := reserve(d, list, seen, m)
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
