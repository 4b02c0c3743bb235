package calc

import (
	"sync"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
)

// Scratch is memory that requests use one after the other. It is not safe for concurrent use.
//
// A request that [Read] has read into a Scratch, and the [Answer] to it, are valid until the
// Scratch is freed or reads another request. Texts in them stay valid, and so does everything
// that the service keeps: results in the cache have memory of their own.
type Scratch struct {
	scanner strictjson.Scanner
	inputs  value.Values
	answer  Answer
}

var scratches = sync.Pool{New: func() any { return new(Scratch) }}

// NewScratch returns a Scratch that is free.
func NewScratch() *Scratch { return scratches.Get().(*Scratch) }

// Free gives the Scratch back, and drops the result that it refers to. Its other memory, which is
// small, still refers to the request.
func (s *Scratch) Free() {
	s.answer = Answer{}
	scratches.Put(s)
}

// Read is [ReadObject] and [ReadRequest] of a body, in the memory of a Scratch. The body may
// be reused when Read has returned. With a nil Scratch, the request and every answer to it have
// memory of their own.
func Read(id string, body []byte, scratch *Scratch) (Request, error) {
	object, err := scratch.readObject(body)
	if err != nil {
		return Request{}, err
	}
	req, err := ReadRequest(id, object)
	req.scratch = scratch
	return req, err
}

func (s *Scratch) readObject(body []byte) (strictjson.Value, error) {
	if s == nil {
		return ReadObject(body)
	}
	if len(body) > strictjson.MaxBytes {
		return strictjson.Value{}, problem.TooLarge()
	}
	object, err := s.scanner.ParseObject(string(body))
	if err != nil {
		return object, problem.InvalidObject(err)
	}
	return object, nil
}

// maxInputs is how many inputs a Scratch keeps the memory of.
const maxInputs = 256

// values returns memory for the inputs of a request. A nil Scratch allocates it.
func (s *Scratch) values(n int) value.Values {
	if s == nil || n > maxInputs {
		return make(value.Values, n)
	}
	if cap(s.inputs) < n {
		s.inputs = make(value.Values, n)
	}
	return s.inputs[:n]
}

// newAnswer returns memory for the answer to a request. A nil Scratch allocates it.
func (s *Scratch) newAnswer() *Answer {
	if s == nil {
		return new(Answer)
	}
	return &s.answer
}
