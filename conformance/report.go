package conformance

// Report is what the suite found. It passed if every rule did.
type Report struct {
	Suite         string   `json:"suite"`
	Capability    string   `json:"capability_id"`
	Version       string   `json:"calculation_version"`
	EngineDigests []string `json:"engine_digests"`
	Passed        bool     `json:"passed"`
	Vectors       Count    `json:"vectors"`
	Rules         []Result `json:"rules"` // in the order of Rules

	VectorResults []VectorResult `json:"vector_results"` // in the order of the vectors
}

// Count says how many vectors there are, and how many the engine answered as
// expected in every respect.
type Count struct {
	Total  int `json:"total"`
	Passed int `json:"passed"`
}

// Result is the judgement by one rule. A rule that failed has findings. One that
// has none and yet did not pass was not judged, because what it needs was missing:
// another rule says why.
type Result struct {
	ID       string    `json:"id"`
	Rule     string    `json:"rule"`
	Cites    string    `json:"cites"`
	Passed   bool      `json:"passed"`
	Checks   int       `json:"checks"`
	Findings []Finding `json:"findings"`
}

// Finding is one violation of a rule.
type Finding struct {
	Subject string `json:"subject"` // where, such as "vector P001, result.delta"
	Found   string `json:"found"`
	Want    string `json:"want"`
}

func (r *Result) judged() bool { return r.Passed || len(r.Findings) > 0 }

func newReport(o *observed, digests []string) *Report {
	r := &Report{
		Suite: Suite, EngineDigests: append([]string{}, digests...), Passed: true,
		Vectors: Count{Total: len(o.vectors), Passed: countPassed(o)},
	}
	r.VectorResults = vectorResults(o)
	if o.spec != nil {
		r.Capability, r.Version = o.spec.Capability, o.spec.Version
	}
	for i := range rules {
		result := rules[i].apply(o)
		r.Passed = r.Passed && result.Passed
		r.Rules = append(r.Rules, result)
	}
	return r
}

// countPassed counts the vectors that nothing can be said against.
func countPassed(o *observed) int {
	passed := 0
	for i := range o.answers {
		if agreed(o, i) {
			passed++
		}
	}
	return passed
}

// judgement collects what one rule has to say.
type judgement struct {
	checks   int
	findings []Finding
	spoiled  bool // a check was left out because of a fault that another rule reports
}

// check counts a check, and is a finding unless ok.
func (j *judgement) check(ok bool, subject, found, want string) {
	j.checks++
	if !ok {
		j.fail(subject, found, want)
	}
}

// fail adds a finding to a check that was counted.
func (j *judgement) fail(subject, found, want string) {
	j.findings = append(j.findings, Finding{clean(subject), clean(found), clean(want)})
}
