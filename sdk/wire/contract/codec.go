package contract

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// Call is one calculation.
type Call struct {
	ID      uint64
	Timeout time.Duration // left for the call; 0 for no bound
	Trace   string        // traceparent (W3C Trace Context); "" for none
	Inputs  value.Values  // one per input of the Spec
	Request RequestID     // of the request that the call belongs to
}

// AppendCall appends a Call.
func AppendCall(b []byte, c *Call) []byte {
	b = appendUint(b, messageID, c.ID)
	b = appendUint(b, callTimeout, uint64(c.Timeout))
	b = appendValues(b, callInputs, c.Inputs)
	b = appendString(b, callTrace, c.Trace)
	return appendRequest(b, callRequest, &c.Request)
}

// DecodeCall decodes a Call for an engine with the Spec.
func DecodeCall(b []byte, spec *sdk.Spec) (Call, error) {
	c := Call{Inputs: make(value.Values, 0, len(spec.Inputs))}
	err := c.Decode(b, spec)
	return c, err
}

// Decode decodes a Call as DecodeCall does, into the memory of c.Inputs. Its capacity must be
// enough for all inputs of the Spec.
func (c *Call) Decode(b []byte, spec *sdk.Spec) error {
	clear(c.Inputs)
	*c = Call{Inputs: c.Inputs[:0]}
	d, inputs := trusting(spec), 0
	m := message{rest: b}
	for m.next() {
		switch {
		case m.is(messageID, protowire.VarintType):
			c.ID = m.bits
		case m.is(callTimeout, protowire.VarintType):
			c.Timeout = time.Duration(m.bits)
		case m.is(callTrace, protowire.BytesType):
			c.Trace = string(m.bytes)
		case m.is(callInputs, protowire.BytesType):
			if err := d.next(&c.Inputs, spec.Inputs, &inputs, m.bytes); err != nil {
				return err
			}
		case m.is(callRequest, protowire.BytesType):
			setRequest(&c.Request, m.bytes)
		}
	}
	return m.err()
}

// trusting returns the decoder for messages from the server to an engine with the Spec. The
// server is trusted; an engine is not.
func trusting(spec *sdk.Spec) Decoder {
	return Decoder{spec: spec, most: math.MaxInt, trusting: true}
}

// AppendID appends a message that has only an id. It can also be the start of a longer
// message.
func AppendID(b []byte, id uint64) []byte { return appendUint(b, messageID, id) }

// DecodeID decodes the id of a message. It is 0 if the message has none.
func DecodeID(b []byte) (uint64, error) {
	m := message{rest: b}
	if m.next() && m.is(messageID, protowire.VarintType) {
		return m.bits, nil
	}
	return 0, m.err()
}

// CheckID returns an error that wraps ErrContract unless a message has the id.
func CheckID(b []byte, id uint64) error {
	switch got, err := DecodeID(b); {
	case err != nil:
		return contractError(err)
	case got != id:
		return contractError(fmt.Errorf("outcome of call %d for call %d", got, id))
	}
	return nil
}

// AppendOutcome appends the Outcome of a call: the answer, or err if it is not nil.
func AppendOutcome(b []byte, id uint64, o *sdk.Outcome, err error) []byte {
	b = AppendID(b, id)
	if err != nil {
		return appendFault(b, outcomeRejection, err)
	}
	return appendMessage(b, outcomeAnswer, func(b []byte) []byte { return appendAnswer(b, o) })
}

// appendFault appends the reason why there is no answer. It writes an *sdk.Error as a
// rejection, to the given field. It writes any other error as a failure of the engine, to the
// next field.
func appendFault(b []byte, field protowire.Number, err error) []byte {
	var rejection *sdk.Error
	if errors.As(err, &rejection) && rejection != nil {
		return appendMessage(b, field, func(b []byte) []byte { return appendRejection(b, rejection) })
	}
	// An empty failure is written too, because the oneof must be set.
	return appendText(b, field+1, err.Error())
}

func appendAnswer(b []byte, o *sdk.Outcome) []byte {
	b = appendValues(b, answerResult, o.Result)
	b = appendValues(b, answerInputs, o.Inputs)
	b = appendString(b, answerFormula, o.Formula)
	return appendNotes(b, answerAssumptions, o)
}

// appendNotes appends the assumptions to the given field, and the warnings to the next one.
func appendNotes(b []byte, field protowire.Number, o *sdk.Outcome) []byte {
	for _, a := range o.Assumptions {
		b = appendText(b, field, a)
	}
	for _, w := range o.Warnings {
		b = appendMessage(b, field+1, func(b []byte) []byte {
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

// AppendDrawRequest appends the request for a plot of a calculation.
func AppendDrawRequest(b []byte, plot string, c *Call) []byte {
	return appendBytes(appendString(b, drawPlot, plot), drawCall, AppendCall(nil, c))
}

// DecodeDrawRequest decodes the request for a plot of an engine with the Spec.
func DecodeDrawRequest(b []byte, spec *sdk.Spec) (plot string, c Call, err error) {
	var call []byte
	m := message{rest: b}
	for m.next() {
		switch {
		case m.is(drawPlot, protowire.BytesType):
			plot = string(m.bytes)
		case m.is(drawCall, protowire.BytesType):
			call = m.bytes
		}
	}
	if err := m.err(); err != nil {
		return "", c, err
	}
	c, err = DecodeCall(call, spec)
	return plot, c, err
}

// AppendDrawing appends the Drawing of a call: the drawing as a JSON document, or err if it is
// not nil.
func AppendDrawing(b []byte, id uint64, figure []byte, err error) []byte {
	b = AppendID(b, id)
	if err != nil {
		return appendFault(b, drawingRejection, err)
	}
	return appendBytes(b, drawingFigure, figure)
}

// AppendDescribeRequest appends the request for a description, of the Spec and features alone if withoutVectors is true.
func AppendDescribeRequest(b []byte, withoutVectors bool) []byte {
	if withoutVectors {
		b = appendUint(b, describeWithoutVectors, 1)
	}
	return b
}

// DecodeDescribeRequest decodes the request for a description.
func DecodeDescribeRequest(b []byte) (withoutVectors bool, err error) {
	m := message{rest: b}
	for m.next() {
		if m.is(describeWithoutVectors, protowire.VarintType) {
			withoutVectors = m.bits != 0
		}
	}
	return withoutVectors, m.err()
}

// Description is the description that an engine gives of itself.
type Description struct {
	Spec, Vectors []byte // JSON documents
	Stream        bool   // the engine serves the stream
}

// AppendDescription appends a DescribeReply.
func AppendDescription(b []byte, d *Description) []byte {
	b = appendBytes(b, describeSpec, d.Spec)
	b = appendBytes(b, describeVectors, d.Vectors)
	if d.Stream {
		b = appendText(b, describeFeatures, StreamFeature)
	}
	return b
}

// DecodeDescription decodes a DescribeReply. The error wraps ErrContract.
func DecodeDescription(b []byte) (d Description, err error) {
	var spec, vectors []byte
	m := message{rest: b}
	for m.next() {
		switch {
		case m.is(describeSpec, protowire.BytesType):
			spec = m.bytes
		case m.is(describeVectors, protowire.BytesType):
			vectors = m.bytes
		case m.is(describeFeatures, protowire.BytesType):
			d.Stream = d.Stream || string(m.bytes) == StreamFeature
		}
	}
	d.Spec, d.Vectors = bytes.Clone(spec), bytes.Clone(vectors)
	return d, contractError(m.err())
}
