package server

import (
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/shadow"
	"github.com/slipstick/slipstick/host/internal/platform/memory"
)

// Shadow determines whether candidates that the registry declares are compared with what this
// host answers, and what is kept of it. The zero value compares and counts.
type Shadow struct {
	Off    bool // compare nothing
	Inputs bool // keep and show the inputs that make the largest differences
}

// openShadow makes ready what compares candidates.
func (s *Server) openShadow() {
	if s.config.Shadow.Off {
		return
	}
	s.shadow = shadow.New(&shadow.Options{
		Engines: s.shadowEngines, Inputs: s.config.Shadow.Inputs, Short: memory.Short, Log: s.log,
	})
	s.closers = append(s.closers, s.shadow.Close)
}

func (s *Server) shadowEngines() (shadow.Engines, error) {
	b, err := s.engines.Background("shadow")
	if err != nil {
		return nil, err
	}
	return b, nil
}

// watching is the shadow as those see it who answer.
func (s *Server) watching() calc.Shadow {
	if s.shadow == nil {
		return nil
	}
	return s.shadow
}

// compared is what was compared so far.
func (s *Server) compared() shadow.Report {
	if s.shadow == nil {
		return shadow.Report{Comparisons: []shadow.Comparison{}}
	}
	return s.shadow.Report()
}

// countShadow shows the figures of what was compared.
func (s *Server) countShadow() {
	if s.shadow == nil {
		return
	}
	s.metrics.Counters("slipstick_shadow_comparisons_total", "Answers that were sampled for a candidate, by outcome: same, changed, refused_now, answered_now, refused_otherwise, cannot_compare (the candidate cannot be given these inputs), failed, dropped.",
		[]string{"capability", "version", "outcome"}, func(add func(float64, ...string)) { s.compared().Outcomes(add) })
	s.metrics.Gauges("slipstick_shadow_largest_difference", "Largest difference of an output of a candidate from that of the current version, as a part of its magnitude.",
		[]string{"capability", "version", "output"}, func(add func(float64, ...string)) { s.compared().Largest(add) })
}
