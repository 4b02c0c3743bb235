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
	engine  sdk.Engine // nil when it could not be started again
	close   func()
	late    int // calls that were not over at their deadline
	skipped int // calls that it was spared, since earlier ones were late
}

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

// started keeps what became of a start, unless the engine can do nothing for it.
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

// again is when a fresh engine was put in place of another.
const again = "started again"

// restart puts a fresh engine in place of one whose call failed or was late, so
// that a process that died, or is still busy, does not answer for other vectors.
func (s *observer) restart(ctx context.Context, in *instance) {
	s.end(in.close)
	fresh, err := s.launch(ctx)
	if err == nil {
		in.engine, in.close = fresh.engine, fresh.close
		err = s.describe(ctx, in, again)
	} else {
		in.engine, in.close = nil, nil
	}
	s.started(ctx, in.name, again, err)
}

// launch waits for an instance. One that comes too late is closed, whenever it
// comes.
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
		if opened = (&instance{engine: engine, close: end}); tooLate {
			s.end(end)
		}
		return struct{}{}, err
	})
	mu.Lock()
	defer mu.Unlock()
	if err == nil {
		return opened, nil
	}
	if tooLate = true; opened != nil {
		s.end(opened.close)
	}
	return nil, err
}

// describe asks an instance for its Spec. What is kept is a copy made through
// JSON, the form in which a Spec is published.
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

// end closes an instance. One that does not let itself be closed is left behind.
func (s *observer) end(close func()) {
	if close == nil {
		return
	}
	_, _ = within(context.Background(), s.deadline, s.grace, func(context.Context) (struct{}, error) {
		close()
		return struct{}{}, nil
	})
}
