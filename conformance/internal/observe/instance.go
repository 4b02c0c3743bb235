package observe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/slipstick/slipstick/sdk"
)

// instance is one running engine.
type instance struct {
	name    string
	engine  sdk.Engine // nil if it could not be started again
	close   func()     // ends it; may be nil
	late    int        // calls that missed their deadline
	skipped int        // calls that were not made after too many late ones
}

// usable reports whether the instance runs and has not missed too many deadlines.
func (in *instance) usable() bool { return in.engine != nil && in.late < MostLate }

// start starts an instance for the first time.
func (s *observer) start(ctx context.Context, name string) {
	in, err := s.launch(ctx)
	if err == nil {
		in.name = name
		s.running = append(s.running, in)
		err = s.describe(ctx, in, "at the start")
	}
	s.started(ctx, name, "", err)
}

// started records the result of a start. It ignores a failure that is not the engine's fault.
// Instead, ErrHarness is recorded separately, and the end of the suite not at all.
func (s *observer) started(ctx context.Context, name, when string, err error) {
	if errors.Is(err, ErrHarness) {
		s.Harness = fmt.Errorf("%s: %w", Start{Instance: name, When: when}.Subject(), err)
		return
	}
	if err != nil && ctx.Err() != nil {
		return // the suite was stopped
	}
	s.Starts = append(s.Starts, Start{name, when, err})
}

// repeated is the value of Start.When for an instance that replaced a failed one.
const repeated = "started again"

// restart replaces an engine whose call failed or was late. Otherwise a process that has
// died, or is still busy with that call, would fail other requests too.
func (s *observer) restart(ctx context.Context, in *instance) {
	s.end(in.close)
	fresh, err := s.launch(ctx)
	if err == nil {
		in.engine, in.close = fresh.engine, fresh.close
		err = s.describe(ctx, in, repeated)
	} else {
		in.engine, in.close = nil, nil
	}
	s.started(ctx, in.name, repeated, err)
}

// launch starts an instance and waits for it. If the instance appears after its time is over,
// it is closed at once.
func (s *observer) launch(ctx context.Context) (*instance, error) {
	var (
		mu      sync.Mutex
		opened  *instance
		tooLate bool
	)
	_, err := within(ctx, startDeadlines*s.deadline, s.grace, func(ctx context.Context) (struct{}, error) {
		engine, end, err := s.open(ctx)
		if err == nil && engine == nil {
			err = errors.New("there is no engine")
		}
		mu.Lock()
		defer mu.Unlock()
		opened = (&instance{engine: engine, close: end})
		if tooLate {
			s.end(end)
		}
		return struct{}{}, err
	})
	mu.Lock()
	defer mu.Unlock()
	if err == nil {
		return opened, nil
	}
	tooLate = true
	if opened != nil {
		s.end(opened.close)
	}
	return nil, err
}

// describe asks an instance for its Spec and records the answer. It copies the Spec by way
// of JSON, the form in which a Spec is published.
func (s *observer) describe(ctx context.Context, in *instance, when string) error {
	text, err := within(ctx, s.deadline, s.grace, func(context.Context) ([]byte, error) {
		return json.Marshal(in.engine.Spec())
	})
	spec := new(sdk.Spec)
	if err == nil {
		err = json.Unmarshal(text, spec)
	}
	if err != nil {
		err = fmt.Errorf("its Spec: %w", err)
	} else if s.Spec == nil {
		s.Spec = spec
	}
	s.Descriptions = append(s.Descriptions, Description{in.name, when, string(text), err})
	return err
}

// stop ends every instance.
func (s *observer) stop() {
	for _, in := range s.running {
		s.end(in.close)
	}
}

// end closes an instance. If closing hangs or panics, end abandons the instance.
func (s *observer) end(close func()) {
	if close == nil {
		return
	}
	_, _ = within(context.Background(), s.deadline, s.grace, func(context.Context) (struct{}, error) {
		close()
		return struct{}{}, nil
	})
}
