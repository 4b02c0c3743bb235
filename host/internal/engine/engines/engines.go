// Package engines runs published releases: it is the [calc.Engines] of a host, over a pool
// of processes, and counts and traces their calls.
package engines

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/engine/confine"
	"github.com/slipstick/slipstick/host/internal/engine/pool"
	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/host/internal/platform/telemetry"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// Options of Engines. The zero value is usable.
type Options struct {
	Confine *confine.Options   // nil: engines may do what the host may
	Log     *slog.Logger       // where failures of engines are reported; discarded if nil
	Metrics *telemetry.Metrics // nil: nothing is counted
	Tracer  *telemetry.Tracer  // nil: nothing is traced
	Unary   bool               // make every call a gRPC call

	Patience time.Duration // silence after which a process is asked whether it lives, and time for its answer; those of [pool.Options] if zero
	IdleStop time.Duration // time after which an unused process ends, unless it is kept warm; 5 min if zero
	Data     string        // data directory of the host, where executables are kept; "": in memory
}

// Engines run releases. They are safe for concurrent use.
type Engines struct {
	pool    *pool.Pool
	jail    *confine.Jail
	metrics *telemetry.Metrics
	tracer  *telemetry.Tracer
	options pool.Options
	own     sync.Map // *registry.Release to the bytes of its engine, of those that no registry has
}

var _ calc.Engines = (*Engines)(nil)

// New returns Engines, none of which runs yet. Close ends them.
func New(o *Options) (*Engines, error) {
	e := &Engines{metrics: o.Metrics, tracer: o.Tracer}
	if e.metrics == nil {
		e.metrics = telemetry.NewMetrics()
	}
	if e.tracer == nil {
		e.tracer = new(telemetry.Tracer)
	}
	var err error
	if o.Confine != nil {
		if e.jail, err = confine.Enter(o.Confine); err != nil {
			return nil, err
		}
	}
	e.options = pool.Options{
		Log: o.Log, Confiner: e.jail.Confiner(), Unary: o.Unary, IdleStop: o.IdleStop, Programs: o.Data, Observe: e.observe,
		ProbeEvery: o.Patience, ProbeTimeout: o.Patience,
	}
	if e.pool, err = pool.New(&e.options); err != nil {
		e.jail.Close()
		return nil, err
	}
	return e, nil
}

// Behind returns Engines in the same jail whose processes give way to everything else, and so
// have much more time to start and to show that they live. What happens to them is logged with the
// purpose, and neither counted nor traced with the others. They must be closed first.
func (e *Engines) Behind(purpose string) (*Engines, error) {
	b := &Engines{metrics: telemetry.NewMetrics(), tracer: new(telemetry.Tracer), options: e.options}
	b.options.Behind, b.options.Observe = true, nil
	b.options.StartTimeout, b.options.ProbeEvery, b.options.ProbeTimeout, b.options.StartRate = time.Minute, 10*time.Second, 30*time.Second, 1
	if b.options.Log != nil {
		b.options.Log = b.options.Log.With(purpose, true)
	}
	var err error
	b.pool, err = pool.New(&b.options)
	return b, err
}

// Differed counts, as an event of its engine, that results of a release are not what they should be.
func (e *Engines) Differed(r *registry.Release) {
	e.metrics.Engine(r.Capability, r.Version, "different")
}

// Close ends all processes, and then their jail.
func (e *Engines) Close() {
	_ = e.pool.Close()
	e.jail.Close()
}

// Jail is what confines the processes; nil if none was asked for.
func (e *Engines) Jail() *confine.Jail { return e.jail }

// observe counts what happens to processes.
func (e *Engines) observe(p pool.Program, event pool.Event) {
	switch event {
	case pool.Started:
		e.metrics.Running(p.Spec.Capability, p.Spec.Version, 1)
	case pool.Ended:
		e.metrics.Running(p.Spec.Capability, p.Spec.Version, -1)
	}
	e.metrics.Engine(p.Spec.Capability, p.Spec.Version, string(event))
}

// Own returns a release that these Engines can run, and no registry has.
func (e *Engines) Own(spec sdk.Spec, digest string, executable []byte) *registry.Release {
	r := &registry.Release{Capability: spec.Capability, Version: spec.Version, Spec: spec, EngineDigest: digest}
	e.own.Store(r, executable)
	return r
}

func (e *Engines) program(r *registry.Release) pool.Program {
	p := pool.Program{Digest: r.EngineDigest, Spec: r.EngineSpec(), Open: r.OpenEngine}
	if executable, own := e.own.Load(r); own {
		p.Open = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(executable.([]byte))), nil }
	}
	return p
}

// Calculate implements [calc.Engines].
func (e *Engines) Calculate(ctx context.Context, limit time.Duration, r *registry.Release, in value.Values) (sdk.Outcome, error) {
	ctx, end := e.trace(ctx, r)
	start := time.Now()
	o, err := e.pool.Calculate(ctx, limit, e.program(r), in)
	end(err)
	e.metrics.Calculation(r.Capability, r.Version, outcomeOf(err), time.Since(start))
	return o, problemOf(r, err)
}

// CalculateBatch implements [calc.Engines].
func (e *Engines) CalculateBatch(ctx context.Context, limit time.Duration, r *registry.Release, rows []value.Values) ([]response.Result, error) {
	ctx, end := e.trace(ctx, r)
	start := time.Now()
	results, err := e.pool.CalculateBatch(ctx, limit, e.program(r), rows)
	end(err)
	e.metrics.Batch(r.Capability, r.Version, len(rows), time.Since(start))
	for i := range results {
		results[i].Err = problemOf(r, results[i].Err)
	}
	return results, problemOf(r, err)
}

// Draw implements [calc.Engines].
func (e *Engines) Draw(ctx context.Context, limit time.Duration, r *registry.Release, plot string, in value.Values) (*sdk.Figure, error) {
	ctx, end := e.trace(ctx, r)
	f, err := e.pool.Draw(ctx, limit, e.program(r), plot, in)
	end(err)
	return f, problemOf(r, err)
}

// trace begins the span of a call of an engine. The returned function ends it.
func (e *Engines) trace(ctx context.Context, r *registry.Release) (_ context.Context, end func(error)) {
	ctx, traceparent, end := e.tracer.Engine(ctx, r.Capability, r.Version, r.EngineDigest)
	if traceparent != "" {
		ctx = process.WithTraceparent(ctx, traceparent)
	}
	return ctx, end
}

func outcomeOf(err error) string {
	if err == nil {
		return "success"
	}
	if _, rejected := errors.AsType[*sdk.Error](err); rejected {
		return "rejected"
	}
	return "failed"
}

func problemOf(r *registry.Release, err error) error {
	if errors.Is(err, pool.ErrUnavailable) || errors.Is(err, pool.ErrClosed) {
		return calc.Unavailable(r.Capability, r.Version, err)
	}
	return err
}
