package calc

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// computed is what an engine made of some inputs: an outcome, or a rejection. Engines
// are pure, so it holds for as long as the engine exists.
type computed struct {
	outcome   sdk.Outcome
	rejection *sdk.Error

	again atomic.Bool // it was asked for more than once
	body  atomic.Pointer[body]
}

// body is a rendered answer to requests under one id, while a catalog was published.
type body struct {
	id    string
	frame *response.Template
	text  []byte
}

// appendJSON appends the answer's JSON object and a line end. What is asked for again
// is rendered once.
func (c *computed) appendJSON(dst []byte, s *response.Success) []byte {
	if kept := c.body.Load(); kept != nil && kept.id == s.ID && kept.frame == s.Template {
		return append(dst, kept.text...)
	}
	from := len(dst)
	dst = append(s.AppendJSON(dst), '\n')
	if c.again.Load() {
		c.body.Store(&body{s.ID, s.Template, append([]byte(nil), dst[from:]...)})
	}
	return dst
}

// keys are buffers for cache keys.
var keys = sync.Pool{New: func() any { return new([]byte) }}

// maxKey bounds the inputs whose results are kept.
const maxKey = 16 << 10

// compute computes, or finds what was computed before from equal inputs. The error is
// an *sdk.Error, a *Problem, or our own fault.
func (s *Service) compute(ctx context.Context, r *Release, f *response.Template, in value.Values) (*computed, error) {
	c, err := s.find(ctx, r, f, in)
	switch {
	case err != nil:
		return nil, err
	case c.rejection != nil:
		return nil, c.rejection
	}
	return c, nil
}

func (s *Service) find(ctx context.Context, r *Release, f *response.Template, in value.Values) (*computed, error) {
	if s.cache == nil {
		return s.ask(ctx, r, in)
	}
	buffer := keys.Get().(*[]byte)
	defer keys.Put(buffer)
	*buffer = value.AppendKey(append((*buffer)[:0], r.EngineDigest...), in)
	if len(*buffer) > maxKey {
		return s.ask(ctx, r, in)
	}
	c, hit, err := s.cache.Do(ctx, *buffer, func() (*computed, int64, error) {
		c, err := s.ask(ctx, r, in)
		if err != nil {
			return nil, 0, err
		}
		return c, c.size() + f.Size(), nil
	})
	if hit && !c.again.Load() {
		c.again.Store(true)
	}
	return c, err
}

// ask computes on an engine.
func (s *Service) ask(ctx context.Context, r *Release, in value.Values) (*computed, error) {
	o, err := s.engines.Calculate(ctx, s.options.Timeout, r, in)
	err = completed(&r.Spec, in, err)
	c := &computed{outcome: o}
	if errors.As(err, &c.rejection) && c.rejection != nil {
		return c, nil
	}
	return c, err
}

// size is how many bytes c takes at most, its rendered body included.
func (c *computed) size() int64 {
	n := valuesSize(c.outcome.Result) + valuesSize(c.outcome.Inputs)
	for _, a := range c.outcome.Assumptions {
		n += len(a)
	}
	for _, w := range c.outcome.Warnings {
		n += len(w.Code) + len(w.Detail) + len(w.Suggestion)
	}
	const fixed = 500
	return int64(fixed + 2*n)
}

func valuesSize(values []value.Value) int {
	const each = 64
	n := each * len(values)
	for _, v := range values {
		n += len(v.Text()) + valuesSize(v.Items())
	}
	return n
}
