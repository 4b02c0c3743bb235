package conformance

// VectorResult says whether the engine answered one vector as expected in every
// respect. If not, findings of the rules say why.
type VectorResult struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`    // how the expectation was made, such as "mpmath"
	Expects string `json:"expects"` // result or rejection
	Passed  bool   `json:"passed"`
}

func vectorResults(o *observed) []VectorResult {
	list := make([]VectorResult, 0, len(o.vectors))
	for i := range o.vectors {
		v := &o.vectors[i]
		r := VectorResult{ID: v.ID, Kind: v.Kind, Expects: "result", Passed: i < len(o.answers) && agreed(o, i)}
		if v.Rejection != nil {
			r.Expects = "rejection"
		}
		list = append(list, r)
	}
	return list
}

// agreed reports whether nothing can be said against the answer to a vector.
func agreed(o *observed, i int) bool {
	var j judgement
	judgeVector(o, i, &j)
	a := &o.answers[i]
	return (a.kind == answered || a.kind == rejected) && len(j.findings) == 0
}
