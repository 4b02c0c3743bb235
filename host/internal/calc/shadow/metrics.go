package shadow

// series are the labels of a metric: capability, version of the candidate, and the counted outcome.
type series [3]string

// Outcomes passes the number of answers for each outcome to add, with the labels of the metric.
func (r Report) Outcomes(add func(n float64, labels ...string)) {
	sums := map[series]uint64{}
	for i := range r.Comparisons {
		c := &r.Comparisons[i]
		for outcome, n := range map[string]uint64{
			"same": c.Same, "changed": c.Changed, "refused_now": c.Refused, "answered_now": c.Answered, "refused_otherwise": c.Reworded,
			"cannot_compare": c.Incomparable, "failed": c.Failed, "dropped": c.Dropped.All(),
		} {
			sums[series{c.Capability, c.Candidate.Version, outcome}] += n
		}
	}
	for labels, n := range sums {
		add(float64(n), labels[:]...)
	}
}

// Largest passes the largest relative difference of each numeric output to add. It is infinite if the
// current value is zero.
func (r Report) Largest(add func(relative float64, labels ...string)) {
	largest := map[series]float64{}
	for i := range r.Comparisons {
		c := &r.Comparisons[i]
		for _, o := range c.Outputs {
			if size := o.Largest.size(); size >= 0 {
				s := series{c.Capability, c.Candidate.Version, o.Name}
				largest[s] = max(largest[s], size)
			}
		}
	}
	for labels, size := range largest {
		add(size, labels[:]...)
	}
}
