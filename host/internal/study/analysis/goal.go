package analysis

import (
	"context"
	"math"
)

// Goal asks for the input of a model at which its first output has a wanted value. The model has one input.
type Goal struct {
	From, To float64 // bracket: the output is at most Wanted at one end, and at least Wanted at the other
	Wanted   float64
}

// Found is the outcome of a search for a goal.
type Found int

// Outcomes of a search.
const (
	AtGoal   Found = iota // Best is the input with the output nearest to the goal
	NoChange              // the output is on the same side of the goal at both ends of the bracket
	Jump                  // the output jumps over the goal between two neighbouring numbers
	Refused               // the model rejected an input in the bracket: Best has the rejection
)

// Trial is an input and its answer.
type Trial struct {
	Input  float64
	Answer Answer
}

// Seeking is the result of a search.
type Seeking struct {
	Found        Found
	Best         Trial
	Below, Above Trial // the binary64 numbers next to Best; the ends of a bracket without a change
	Bracket      [2]float64
	Asked        int // number of computed points
}

// maxSteps is the maximum number of steps of a search. The second half of the steps halves the number of binary64 numbers
// in the bracket, which takes 64 steps at most.
const maxSteps = 200

// jumping is the smallest jump, relative to the larger distance to the goal at the ends of the bracket. An output jumps if it
// changes by more from one number to the next.
const jumping = 1e-6

// seeker asks a model for one input at a time, and remembers the answers.
type seeker struct {
	ctx   context.Context
	model Model
	goal  *Goal
	asked int
	known map[float64]Answer
}

// at returns the distance to the goal, and false if the model rejects the input.
func (s *seeker) at(x float64) (distance float64, ok bool, err error) {
	a, known := s.known[x]
	if !known {
		answers, err := ask(s.ctx, s.model, [][]float64{{x}})
		if err != nil {
			return 0, false, err
		}
		s.asked++
		a = answers[0]
		s.known[x] = a
	}
	if a.Rejected != nil {
		return 0, false, nil
	}
	return a.Values[0] - s.goal.Wanted, true, nil
}

func (s *seeker) trial(x float64) Trial { return Trial{x, s.known[x]} }

// Seek finds the input. It never interpolates the answer: the model computed the input and its neighbours.
//
// Method: Chandrupatla, A new hybrid quadratic/bisection algorithm for finding the zero of a nonlinear
// function without using derivatives. Advances in Engineering Software 28 (1997) 145. Seek applies it down to
// neighbouring numbers.
func (g *Goal) Seek(ctx context.Context, m Model) (*Seeking, error) {
	s := &seeker{ctx: ctx, model: m, goal: g, known: map[float64]Answer{}}
	a, b := g.From, g.To
	if a > b {
		a, b = b, a
	}
	done := func(found Found, best, below, above float64) (*Seeking, error) {
		return &Seeking{found, s.trial(best), s.trial(below), s.trial(above), [2]float64{a, b}, s.asked}, nil
	}
	a, fa, err := s.end(a, b)
	if err != nil || math.IsNaN(fa) {
		return &Seeking{Found: Refused, Best: s.trial(a), Asked: s.asked}, err
	}
	b, fb, err := s.end(b, a)
	if err != nil || math.IsNaN(fb) {
		return &Seeking{Found: Refused, Best: s.trial(b), Asked: s.asked}, err
	}
	if fa != 0 && fb != 0 && (fa > 0) == (fb > 0) {
		if math.Abs(fa) <= math.Abs(fb) {
			return done(NoChange, a, a, b)
		}
		return done(NoChange, b, a, b)
	}
	low, high, refused, err := s.narrow(a, fa, b, fb)
	switch {
	case err != nil:
		return nil, err
	case refused != nil:
		return done(Refused, *refused, low, high)
	}
	fl, _, _ := s.at(low)
	fh, _, _ := s.at(high)
	if fl != 0 && fh != 0 && math.Abs(fh-fl) > jumping*math.Max(math.Abs(fa), math.Abs(fb)) {
		return done(Jump, low, low, high)
	}
	best := low
	if math.Abs(fh) < math.Abs(fl) {
		best = high
	}
	below, above := math.Nextafter(best, math.Inf(-1)), math.Nextafter(best, math.Inf(1))
	for _, x := range []float64{below, above} {
		if _, _, err := s.at(x); err != nil {
			return nil, err
		}
	}
	return done(AtGoal, best, below, above)
}

// end returns the accepted number nearest to an end of the bracket, and its distance to the goal. The end itself can be just
// outside of the model's range. The distance is NaN if the model accepts none.
func (s *seeker) end(x, other float64) (float64, float64, error) {
	for _, inwards := range []float64{0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3} {
		at := between(x, other, inwards)
		switch f, ok, err := s.at(at); {
		case err != nil:
			return 0, 0, err
		case ok:
			return at, f, nil
		}
	}
	return x, math.NaN(), nil
}

// narrow narrows a bracket with a change of sign to neighbouring numbers, or to a number at the goal. A rejected input ends
// the search.
func (s *seeker) narrow(a, fa, b, fb float64) (low, high float64, refused *float64, err error) {
	if fa == 0 {
		return a, a, nil, nil
	}
	if fb == 0 {
		return b, b, nil, nil
	}
	c, fc := a, fa
	t := 0.5
	for step := range maxSteps {
		x := between(a, b, t)
		if x == a || x == b { // the interpolation is exhausted: halve the rest
			x = between(a, b, 0.5)
		}
		if step >= maxSteps/2 { // the bracket spans many powers of two
			x = halfway(a, b)
		}
		if x == a || x == b {
			break
		}
		f, ok, err := s.at(x)
		if err != nil {
			return 0, 0, nil, err
		}
		if !ok {
			return math.Min(a, b), math.Max(a, b), &x, nil
		}
		if f == 0 {
			return x, x, nil, nil
		}
		if (f > 0) == (fa > 0) {
			c, fc = a, fa
		} else {
			c, fc, b, fb = b, fb, a, fa
		}
		a, fa = x, f
		xi, phi := (a-b)/(c-b), (fa-fb)/(fc-fb)
		t = 0.5
		if phi*phi < xi && (1-phi)*(1-phi) < 1-xi {
			t = float64(fa/(fb-fa)*fc/(fb-fc)) + float64((c-a)/(b-a)*fa/(fc-fa)*fb/(fc-fb))
		}
		if math.IsNaN(t) { // the distances overflow binary64
			t = 0.5
		}
		if least := math.Abs(math.Nextafter(a, b)-a) / math.Abs(b-a); !(t >= least && t <= 1-least) {
			t = math.Min(math.Max(t, least), 1-least)
		}
	}
	return math.Min(a, b), math.Max(a, b), nil, nil
}
