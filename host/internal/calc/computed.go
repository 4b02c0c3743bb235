package calc

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// computed is an engine's result for certain inputs: an outcome or a rejection. Engines are
// pure functions, so it stays correct as long as the engine's bytes are the same.
type computed struct {
	outcome   sdk.Outcome
	rejection *sdk.Error

	repeated atomic.Bool // it was requested more than once
	body     atomic.Pointer[Body]
}

// Body is an answer rendered for requests with the same id, while the catalog that owns the
// template is published. It is kept if its result was requested more than once.
type Body struct {
	Text       []byte                 // the JSON object and a line end; must not be changed
	Compressed atomic.Pointer[[]byte] // the text in the gzip format, once a caller needed it

	id       string
	template *response.Template
}

// kept returns the body for the answer if it is kept, or else nil.
func (c *computed) kept(s *response.Success) *Body {
	b := c.body.Load()
	if b == nil || b.id != s.ID || b.template != s.Template {
		return nil
	}
	return b
}

// appendJSON appends the answer's JSON object and a line end. The text of a result that was
// requested more than once is kept.
func (c *computed) appendJSON(dst []byte, s *response.Success) []byte {
	from := len(dst)
	dst = append(s.AppendJSON(dst), '\n')
	if c.repeated.Load() {
		c.body.Store(&Body{Text: append([]byte(nil), dst[from:]...), id: s.ID, template: s.Template})
	}
	return dst
}

// keys reuses buffers for cache keys.
var keys = sync.Pool{New: func() any { return new([]byte) }}

// maxKey is the maximum size in bytes of inputs whose results are cached.
const maxKey = 16 << 10

// compute returns the result of the inputs, and whether it was in the cache. Call is as in ask. The error is a
// *problem.Problem, or any other error for an internal failure.
func (s *Service) compute(ctx context.Context, call string, engine *Engine, in value.Values) (c *computed, hit bool, err error) {
	r := engine.Release
	if s.cache == nil {
		c, err = s.ask(ctx, call, r, in)
		return c, false, err
	}
	buffer := keys.Get().(*[]byte)
	defer keys.Put(buffer)
	*buffer = value.AppendKey(append((*buffer)[:0], r.EngineDigest...), in)
	if len(*buffer) > maxKey {
		c, err = s.ask(ctx, call, r, in)
		return c, false, err
	}
	c, hit, err = s.cache.Do(ctx, *buffer, func() (*computed, int64, error) {
		c, err := s.ask(ctx, call, r, in)
		if err != nil {
			return nil, 0, err
		}
		return c, c.size() + engine.Template.Size(), nil
	})
	if hit && !c.repeated.Load() {
		c.repeated.Store(true)
	}
	return c, hit, err
}

// ask lets an engine compute for the call; "" means the call of the context.
func (s *Service) ask(ctx context.Context, call string, r *catalog.Release, in value.Values) (*computed, error) {
	if call != "" {
		ctx = WithCall(ctx, call)
	}
	o, err := s.engines.Calculate(ctx, s.options.Timeout, r, in)
	err = problem.Complete(&r.Spec, in, err)
	c := &computed{outcome: o}
	// A rejection is a result like any other and may be cached; other errors may not.
	if errors.As(err, &c.rejection) && c.rejection != nil {
		err = nil
	}
	if err == nil && s.options.Samples != nil && rand.IntN(s.options.Samples.Every()) == 0 {
		s.options.Samples.Keep(r, in, outcomeOf(o.Result, c.rejection))
	}
	return c, err
}

// size estimates the memory that c takes in bytes, including its rendered body and the compressed form.
// The estimate is rather too large than too small.
func (c *computed) size() int64 {
	n := valuesSize(c.outcome.Result) + valuesSize(c.outcome.Inputs)
	for _, a := range c.outcome.Assumptions {
		n += len(a)
	}
	for _, w := range c.outcome.Warnings {
		n += len(w.Code) + len(w.Detail) + len(w.Suggestion)
	}
	const fixed = 500
	return int64(fixed + 3*n)
}

func valuesSize(values []value.Value) int {
	const each = 64
	n := each * len(values)
	for i := range values {
		if v := &values[i]; v.Kind() > value.Number {
			n += len(v.Text()) + valuesSize(v.Items())
		}
	}
	return n
}
