package wire

import (
	"errors"
	"math"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/slipstick/slipstick/sdk"
)

// The messages Call and Outcome of the lane are written here without the generated
// structs, which would cost a call more than the socket does. What an engine sends is
// read by the decoder, on whatever way it comes. The generated code is the reference of
// the tests.

// Field numbers of engine.proto.
const (
	callID, callTimeout, callInputs, callTrace                                  = 1, 2, 3, 4
	valueNumber, valueText, valueTruth, valueExact, valueList, valueRecord      = 1, 2, 3, 4, 5, 6
	valuesValues                                                                = 1
	outcomeID, outcomeAnswer, outcomeRejection, outcomeFailure                  = 1, 2, 3, 4
	answerResult, answerInputs, answerFormula, answerAssumptions, answerWarning = 1, 2, 3, 4, 5
	warningCode, warningSeverity, warningDetail, warningSuggestion              = 1, 2, 3, 4
	rejectionCode, rejectionField, rejectionDetail, rejectionSuggestion         = 1, 2, 3, 4
	rejectionInvalid                                                            = 5
	invalidName, invalidConstraint                                              = 1, 2

	batchResult, batchInputs, batchFormula, batchNotes, batchFaults, batchFailure = 2, 3, 4, 5, 6, 7
	columnNumbers, columnTexts, columnValues, columnConstant, columnUnchanged     = 1, 2, 3, 4, 5
	textsDictionary, textsIndexes                                                 = 1, 2
	notesRow, notesAssumptions, notesWarnings                                     = 1, 2, 3
	faultRow, faultRejection, faultFailure                                        = 1, 2, 3
	drawingFigure, drawingRejection, drawingFailure                               = 2, 3, 4
	describeSpec, describeVectors, describeFeatures                               = 1, 2, 3
)

// errEncoding is all there is to say about bytes that are no message.
var errEncoding = errors.New("not a message of the contract")

// call is a decoded Call.
type call struct {
	id      uint64
	timeout time.Duration
	inputs  sdk.Values
	trace   string
}

func appendCall(b []byte, id uint64, timeout time.Duration, trace string, inputs sdk.Values) []byte {
	b = appendUint(b, callID, id)
	b = appendUint(b, callTimeout, uint64(timeout))
	b = appendValues(b, callInputs, inputs)
	return appendString(b, callTrace, trace)
}

func appendUint(b []byte, field protowire.Number, v uint64) []byte {
	if v == 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}

func appendString(b []byte, field protowire.Number, s string) []byte {
	if s == "" {
		return b
	}
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
}

// appendValues appends one element of a repeated field per value.
func appendValues(b []byte, field protowire.Number, values []sdk.Value) []byte {
	for _, v := range values {
		b = protowire.AppendTag(b, field, protowire.BytesType)
		b = appendValue(protowire.AppendVarint(b, uint64(sizeValue(v))), v)
	}
	return b
}

func appendValue(b []byte, v sdk.Value) []byte {
	switch v.Kind() {
	case sdk.Number:
		b = protowire.AppendTag(b, valueNumber, protowire.Fixed64Type)
		return protowire.AppendFixed64(b, math.Float64bits(v.Number()))
	case sdk.Text:
		return protowire.AppendString(protowire.AppendTag(b, valueText, protowire.BytesType), v.Text())
	case sdk.Exact:
		return protowire.AppendString(protowire.AppendTag(b, valueExact, protowire.BytesType), v.Text())
	case sdk.Bool:
		return protowire.AppendVarint(protowire.AppendTag(b, valueTruth, protowire.VarintType), protowire.EncodeBool(v.Bool()))
	case sdk.List, sdk.Record:
		field := protowire.Number(valueList)
		if v.Kind() == sdk.Record {
			field = valueRecord
		}
		b = protowire.AppendTag(b, field, protowire.BytesType)
		return appendValues(protowire.AppendVarint(b, uint64(sizeValues(v.Items()))), valuesValues, v.Items())
	}
	return b
}

const tagSize = 1 // of every field number here: all are below 16

func sizeValue(v sdk.Value) int {
	switch v.Kind() {
	case sdk.Number:
		return tagSize + 8
	case sdk.Text, sdk.Exact:
		return tagSize + protowire.SizeBytes(len(v.Text()))
	case sdk.Bool:
		return tagSize + 1
	case sdk.List, sdk.Record:
		return tagSize + protowire.SizeBytes(sizeValues(v.Items()))
	}
	return 0
}

func sizeValues(values []sdk.Value) int {
	n := 0
	for _, v := range values {
		n += tagSize + protowire.SizeBytes(sizeValue(v))
	}
	return n
}

// appendOutcome appends the Outcome of a call.
func appendOutcome(b []byte, id uint64, o *sdk.Outcome, err error) []byte {
	b = appendUint(b, outcomeID, id)
	var rejection *sdk.Error
	switch {
	case err == nil:
		return appendMessage(b, outcomeAnswer, func(b []byte) []byte { return appendAnswer(b, o) })
	case errors.As(err, &rejection) && rejection != nil:
		return appendMessage(b, outcomeRejection, func(b []byte) []byte { return appendRejection(b, rejection) })
	}
	// An empty failure is still one: the oneof must be set.
	return protowire.AppendString(protowire.AppendTag(b, outcomeFailure, protowire.BytesType), err.Error())
}

// appendMessage appends a nested message whose length is not known before it is
// written.
func appendMessage(b []byte, field protowire.Number, body func([]byte) []byte) []byte {
	b = protowire.AppendTag(b, field, protowire.BytesType)
	start := len(b)
	b = body(append(b, 0, 0, 0, 0)) // room for a varint of up to 28 bits
	n := len(b) - start - 4
	for i := range 4 { // padded: legal, and nothing has to move
		b[start+i] = byte(n>>(7*i))&0x7f | 0x80
	}
	b[start+3] &^= 0x80
	return b
}

func appendAnswer(b []byte, o *sdk.Outcome) []byte {
	b = appendValues(b, answerResult, o.Result)
	b = appendValues(b, answerInputs, o.Inputs)
	b = appendString(b, answerFormula, o.Formula)
	for _, a := range o.Assumptions {
		b = protowire.AppendString(protowire.AppendTag(b, answerAssumptions, protowire.BytesType), a)
	}
	for _, w := range o.Warnings {
		b = appendMessage(b, answerWarning, func(b []byte) []byte {
			b = appendString(b, warningCode, w.Code)
			b = appendString(b, warningSeverity, string(w.Severity))
			b = appendString(b, warningDetail, w.Detail)
			return appendString(b, warningSuggestion, w.Suggestion)
		})
	}
	return b
}

func appendRejection(b []byte, e *sdk.Error) []byte {
	b = appendString(b, rejectionCode, e.Code)
	b = appendString(b, rejectionField, e.Field)
	b = appendString(b, rejectionDetail, e.Detail)
	b = appendString(b, rejectionSuggestion, e.Suggestion)
	for _, p := range e.Invalid {
		b = appendMessage(b, rejectionInvalid, func(b []byte) []byte {
			return appendString(appendString(b, invalidName, p.Name), invalidConstraint, p.Constraint)
		})
	}
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

// next reads the next field. Afterwards bad tells an end from broken bytes.
func (m *message) next() bool {
	if len(m.rest) == 0 || m.bad {
		return false
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

// decodeID reads the id of a Call, Outcome or batch, which is its first field.
func decodeID(b []byte) (uint64, error) {
	m := message{rest: b}
	if m.next() && m.is(callID, protowire.VarintType) {
		return m.bits, nil
	}
	return 0, m.err()
}

// decodeCall reads a Call, in the engine.
func decodeCall(b []byte, spec *sdk.Spec) (call, error) {
	c := call{inputs: make(sdk.Values, 0, len(spec.Inputs))}
	d, inputs := decoder{spec: spec, most: math.MaxInt, trusting: true}, 0
	m := message{rest: b}
	for m.next() {
		switch {
		case m.is(callID, protowire.VarintType):
			c.id = m.bits
		case m.is(callTimeout, protowire.VarintType):
			c.timeout = time.Duration(m.bits)
		case m.is(callTrace, protowire.BytesType):
			c.trace = string(m.bytes)
		case m.is(callInputs, protowire.BytesType):
			var err error
			if c.inputs, err = d.next(c.inputs, spec.Inputs, &inputs, m.bytes); err != nil {
				return c, err
			}
		}
	}
	return c, m.err()
}
