package server

import (
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/shadow"
	"github.com/slipstick/slipstick/host/internal/platform/memory"
)

// Shadow has the settings of the comparison of shadow candidates with current versions. The zero
// value compares and counts.
type Shadow struct {
	Off    bool // compare nothing
	Inputs bool // keep and show the inputs of the largest differences
}

// openShadow creates the comparison of candidates, unless it is disabled.
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

// watching returns the comparison for the calculation service, nil if there is none.
func (s *Server) watching() calc.Shadow {
	if s.shadow == nil {
		return nil
	}
	return s.shadow
}

// compared returns the results of the comparison so far.
func (s *Server) compared() shadow.Report {
	if s.shadow == nil {
		return shadow.Report{Comparisons: []shadow.Comparison{}}
	}
	return s.shadow.Report()
}

// countShadow registers the metrics of the comparison.
func (s *Server) countShadow() {
	if s.shadow == nil {
		return
	}
	s.metrics.Counters("slipstick_shadow_comparisons_total", "Sampled calculations for the comparison of a shadow candidate with the current version, by outcome. The outcomes are same, changed, refused_now, answered_now, refused_otherwise, cannot_compare (the candidate does not accept the inputs), failed and dropped.",
		[]string{"capability", "version", "outcome"}, func(add func(float64, ...string)) { s.compared().Outcomes(add) })
	s.metrics.Gauges("slipstick_shadow_largest_difference", "Largest relative difference between an output of a shadow candidate and the same output of the current version.",
		[]string{"capability", "version", "output"}, func(add func(float64, ...string)) { s.compared().Largest(add) })
}
