package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/slipstick/slipstick/sdk"
)

const (
	instances       = 2
	calls           = 3 // of each vector, one after the other, on each instance
	rounds          = 3 // of all vectors at once
	patience        = 3 // late calls before an instance is asked no more
	startDeadlines  = 4 // starting may take this many deadlines
	defaultDeadline = 5 * time.Second
	leastGrace      = 100 * time.Millisecond
)

// observed is everything that was seen of an engine. Rules judge it; no rule asks
// the engine anything itself.
type observed struct {
	stopped      error // why the suite did not run to its end
	harness      error // why evidence is missing through no fault of the engine
	unread       bool  // the engine carries the vectors, and did not start
	starts       []start
	descriptions []description // in the order they were asked for
	spec         *sdk.Spec     // what the first instance said; nil if none did
	vectors      []Vector
	vectorsErr   error

	answers  []answer   // to the first call of each vector
	again    []sighting // to the other calls, one after the other
	together []sighting // to the calls made all at once
	ended    []sighting // to calls whose context had ended
	drawings []drawing  // of every plot, for each vector with an outcome
	unmade   []unmade

	generated generation
	schema    *jsonschema.Schema // of the outputs, once it is needed
}

type start struct {
	instance string
	err      error
}

// description is a Spec as JSON, or why there is none.
type description struct {
	where string
	text  string
	err   error
}

// sighting is one answer beside the first.
type sighting struct {
	vector int
	where  string
	answer
}

// unmade counts the calls that an instance was spared after late ones.
type unmade struct {
	instance string
	calls    int
}

// drawing is what became of one plot of one vector's calculation.
type drawing struct {
	vector int
	plot   string
	err    error
}

type instance struct {
	name   string
	engine sdk.Engine // nil when it could not be started again
	close  func()
	late   int
	unmade int
}

func (in *instance) usable() bool { return in.engine != nil && in.late < patience }

type observer struct {
	observed
	open     Open
	deadline time.Duration
	grace    time.Duration
	progress func(string)
	running  []*instance
}

// observe starts the engine, asks it everything once and for all, and ends it.
func observe(ctx context.Context, open Open, vectors []byte, o *Options) *observed {
	s := &observer{open: open, deadline: o.Deadline, progress: o.Progress}
	if s.deadline <= 0 {
		s.deadline = defaultDeadline
	}
	if s.progress == nil {
		s.progress = func(string) {}
	}
	s.grace = max(s.deadline/5, leastGrace)
	s.progress("starts")
	for i := range instances {
		s.start(ctx, fmt.Sprintf("instance %d", i+1))
	}
	defer s.stop()
	s.readVectors(vectors)
	if s.spec != nil {
		s.askAll(ctx)
		s.askGenerated(ctx)
	}
	for _, in := range s.running {
		if in.engine != nil {
			s.describe(ctx, in, "after all calls")
		}
		if in.late >= patience && in.unmade > 0 {
			s.unmade = append(s.unmade, unmade{in.name, in.unmade})
		}
	}
	if s.stopped = ctx.Err(); s.stopped != nil {
		s.harness = fmt.Errorf("the suite was stopped before its end: %w", s.stopped)
	}
	return &s.observed
}

// carrier is an engine that carries its vectors with it.
type carrier interface{ Vectors() []byte }

// readVectors reads those given, or those that the engine carries if none are.
func (s *observer) readVectors(given []byte) {
	if given == nil {
		if s.unread = len(s.running) == 0; s.unread {
			return
		}
		if c, ok := s.running[0].engine.(carrier); ok {
			given = c.Vectors()
		}
	}
	s.vectors, s.vectorsErr = ParseVectors(given)
}

func (s *observer) start(ctx context.Context, name string) {
	in, err := s.launch(ctx)
	if err == nil {
		in.name = name
		s.running = append(s.running, in)
		err = s.describe(ctx, in, "at the start")
	}
	s.started(ctx, name, err)
}

// started keeps what became of a start, unless the engine can do nothing for it.
func (s *observer) started(ctx context.Context, name string, err error) {
	if errors.Is(err, ErrHarness) {
		s.harness = fmt.Errorf("%s: %w", name, err)
		return
	}
	if err != nil && ctx.Err() != nil {
		return // the suite was stopped
	}
	s.starts = append(s.starts, start{name, err})
}

// restart puts a fresh engine in place of one whose call failed or was late, so
// that a process that died, or is still busy, does not answer for other vectors.
func (s *observer) restart(ctx context.Context, in *instance) {
	s.end(in.close)
	fresh, err := s.launch(ctx)
	if err == nil {
		in.engine, in.close = fresh.engine, fresh.close
		err = s.describe(ctx, in, "started again")
	} else {
		in.engine, in.close = nil, nil
	}
	s.started(ctx, in.name+", started again", err)
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
	} else if s.spec == nil {
		s.spec = spec
	}
	s.descriptions = append(s.descriptions, description{in.name + ", " + when, string(text), err})
	return err
}

// askAll makes every call there is to make.
func (s *observer) askAll(ctx context.Context) {
	s.answers = make([]answer, len(s.vectors))
	for call := range calls {
		for n, in := range s.running {
			if call == 0 && n == 0 {
				s.progress("vectors-results")
				s.askFirst(ctx, in)
				s.progress("determinism")
				continue
			}
			s.askAgain(ctx, in, fmt.Sprintf("call %d of %s", call+1, in.name))
		}
	}
	last := s.running[len(s.running)-1]
	s.progress("concurrency")
	for round := range rounds {
		s.askTogether(ctx, last, fmt.Sprintf("round %d of all at once", round+1))
	}
	if len(s.spec.Plots) > 0 {
		s.progress("plots")
		s.drawAll(ctx, last)
	}
	s.progress("deadline")
	s.askEnded(ctx, last)
}

// ask makes one call, unless the instance is gone or has been late too often.
func (s *observer) ask(ctx context.Context, in *instance, i int) answer {
	if !in.usable() || ctx.Err() != nil {
		in.unmade++
		return answer{}
	}
	a := ask(ctx, in.engine, s.spec, s.vectors[i].Inputs, s.deadline, s.grace)
	if a.kind == late {
		in.late++
	}
	if (a.kind == late || a.kind == failed) && in.usable() && ctx.Err() == nil {
		s.restart(ctx, in)
	}
	return a
}

func (s *observer) askFirst(ctx context.Context, in *instance) {
	for i := range s.vectors {
		s.answers[i] = s.ask(ctx, in, i)
	}
}

// askAgain repeats the vectors that the engine could answer.
func (s *observer) askAgain(ctx context.Context, in *instance, where string) {
	for i := range s.vectors {
		if s.answers[i].byEngine() {
			s.again = append(s.again, sighting{i, where, s.ask(ctx, in, i)})
		}
	}
}

// askTogether asks all those vectors at once.
func (s *observer) askTogether(ctx context.Context, in *instance, where string) {
	if !in.usable() || ctx.Err() != nil {
		return
	}
	from := len(s.together)
	for i := range s.vectors {
		if s.answers[i].byEngine() {
			s.together = append(s.together, sighting{vector: i, where: where})
		}
	}
	var all sync.WaitGroup
	gate := make(chan struct{})
	for n := range s.together[from:] {
		one := &s.together[from+n]
		all.Go(func() {
			<-gate
			one.answer = ask(ctx, in.engine, s.spec, s.vectors[one.vector].Inputs, s.deadline, s.grace)
		})
	}
	close(gate)
	all.Wait()
	for _, one := range s.together[from:] {
		if one.kind == late {
			in.late++
		}
	}
}

// drawAll asks for every plot of the vectors that have an outcome.
func (s *observer) drawAll(ctx context.Context, in *instance) {
	for i := range s.vectors {
		if s.answers[i].kind != answered || ctx.Err() != nil || !in.usable() {
			continue
		}
		for _, p := range s.spec.Plots {
			_, err := within(ctx, s.deadline, s.grace, func(ctx context.Context) (struct{}, error) {
				return struct{}{}, draw(ctx, in.engine, s.spec, s.vectors[i].Inputs, p.ID)
			})
			s.drawings = append(s.drawings, drawing{i, p.ID, err})
		}
	}
}

// askEnded makes a call that nobody waits for any more.
func (s *observer) askEnded(ctx context.Context, in *instance) {
	ended, end := context.WithCancel(ctx)
	end()
	for i := range s.vectors {
		if s.answers[i].byEngine() && in.usable() {
			a := ask(ended, in.engine, s.spec, s.vectors[i].Inputs, s.grace, s.grace)
			s.ended = append(s.ended, sighting{i, "its context had ended before the call", a})
			return
		}
	}
}

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
