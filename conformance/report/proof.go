package report

import "fmt"

// Verdict is how one output compares with the Definition of the engine.
type Verdict string

// The verdicts.
const (
	Proved   Verdict = "proved"   // every compared number is within 1e-12 of the Definition
	Declared Verdict = "declared" // the same, within a looser tolerance that the Spec declares with its reason
	Unproved Verdict = "unproved" // no number could be compared
	Taken    Verdict = "taken"    // the Definition does not compute it, for a reason
	Differs  Verdict = "differs"  // some number differs from the Definition
)

// Proof is the result of the comparison for one output that is a number.
type Proof struct {
	Output    string  `json:"output"`
	Verdict   Verdict `json:"verdict"`
	Vectors   int     `json:"vectors"`             // results of vectors that were compared
	Generated int     `json:"generated"`           // results of generated requests that were compared
	Differing int     `json:"differing,omitempty"` // of these
	Undecided int     `json:"undecided,omitempty"` // results that could not be compared, because no bounds were narrow enough
	Tolerance float64 `json:"tolerance,omitempty"` // relative; of Proved and Declared
	Reason    string  `json:"reason,omitempty"`    // of Declared and Taken
}

// Compared counts the results that were compared.
func (p *Proof) Compared() int { return p.Vectors + p.Generated }

// ProofCount counts outputs by verdict, and the results that were compared.
type ProofCount struct {
	Outputs  int `json:"outputs"`
	Proved   int `json:"proved"`
	Declared int `json:"declared"`
	Unproved int `json:"unproved"`
	Taken    int `json:"taken"`
	Differs  int `json:"differs,omitempty"`

	Compared  int `json:"compared"`
	Undecided int `json:"undecided,omitempty"`
}

// CountProofs counts the proofs of the report. It returns nil if there are none, as for an engine
// without a Definition.
func (r *Report) CountProofs() *ProofCount {
	if len(r.Proofs) == 0 {
		return nil
	}
	c := &ProofCount{Outputs: len(r.Proofs)}
	for i := range r.Proofs {
		p := &r.Proofs[i]
		switch p.Verdict {
		case Proved:
			c.Proved++
		case Declared:
			c.Declared++
		case Taken:
			c.Taken++
		case Differs:
			c.Differs++
		default:
			c.Unproved++
		}
		c.Compared += p.Compared()
		c.Undecided += p.Undecided
	}
	return c
}

// Whole reports whether every output is within its tolerance.
func (c *ProofCount) Whole() bool { return c != nil && c.Proved+c.Declared == c.Outputs }

// String returns the counts in one line for people.
func (c *ProofCount) String() string {
	text := fmt.Sprintf("%d of %d %s proved", c.Proved, c.Outputs, plural(c.Outputs, "output"))
	for _, more := range []struct {
		n    int
		text string
	}{
		{c.Declared, "within a declared tolerance"}, {c.Unproved, "unproved"}, {c.Taken, "taken"}, {c.Differs, "not as in the text"},
	} {
		if more.n > 0 {
			text += fmt.Sprintf(", %d %s", more.n, more.text)
		}
	}
	text += fmt.Sprintf("; %d %s compared", c.Compared, plural(c.Compared, "number"))
	if c.Undecided > 0 {
		text += fmt.Sprintf(", %d undecided", c.Undecided)
	}
	return text
}

// String returns the proof in one line for people.
func (p *Proof) String() string {
	text := string(p.Verdict)
	switch p.Verdict {
	case Declared:
		text = fmt.Sprintf("within the declared %g", p.Tolerance)
	case Differs:
		text = "not as in the text"
	}
	if p.Reason != "" {
		text += " (" + p.Reason + ")"
	}
	if p.Verdict != Taken {
		text += fmt.Sprintf("; %d compared", p.Compared())
	}
	if p.Undecided > 0 {
		text += fmt.Sprintf(", %d undecided", p.Undecided)
	}
	return p.Output + ": " + text
}
