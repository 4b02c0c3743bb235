package terminal

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/shadow"
	"github.com/slipstick/slipstick/registry/evidence"
)

// Shadow writes the declaration of a shadow candidate.
func Shadow(w io.Writer, capability, version string, s evidence.Shadow) {
	if s.Sample == 0 {
		Printf(w, "no longer compared: %s %s\n", capability, version)
		return
	}
	Printf(w, "compared with the current version: %s %s, %s of the inputs", capability, version, s.Part())
	if !s.Until.IsZero() {
		Printf(w, " until %s", s.Until.Format(time.RFC3339))
	}
	Printf(w, "\n")
}

// Compared writes the comparisons of servers with shadow candidates.
func Compared(w io.Writer, report shadow.Report, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(Plain(w)).Encode(report)
	}
	if len(report.Comparisons) == 0 {
		Printf(w, "nothing is compared; slipstick shadow CAPABILITY VERSION --sample 10%% declares a version\n")
	}
	for i := range report.Comparisons {
		if i > 0 {
			Printf(w, "\n")
		}
		if err := compared(w, &report.Comparisons[i]); err != nil {
			return err
		}
	}
	return nil
}

func compared(w io.Writer, c *shadow.Comparison) error {
	state := "ended"
	if c.Running {
		state = "running"
	}
	Printf(w, "%s %s, compared with %s: %s of the inputs since %s, %s\n", c.Capability, c.Candidate.Version, c.Current.Version, c.Part(), c.Began.UTC().Format(time.RFC3339), state)
	t := columns(w, 2)
	row := func(what string, n uint64, detail string) {
		if n > 0 {
			Printf(t, "  %s\t%d\t%s\n", what, n, detail)
		}
	}
	Printf(t, "  compared\t%d\t\n", c.Compared())
	row("same", c.Same, "bit-identical")
	row("changed", c.Changed, "another result")
	for _, o := range c.Outputs {
		row("  "+o.Name, o.Differs, "the largest difference: "+distance(o.Largest))
		for _, e := range o.Worst {
			Printf(t, "\t\t%s for %s: %s is %s, and was %s\n", distance(e.Distance), e.Inputs, e.Path, e.New, e.Old)
		}
	}
	row("refused now", c.Refused, "by the candidate, and answered by the current version")
	for _, r := range c.Refusals {
		row("  "+r.Code, r.Count, r.Field)
	}
	row("answered now", c.Answered, "by the candidate, and refused by the current version")
	row("refused otherwise", c.Reworded, "with another code or for another field")
	row("cannot compare", c.Incomparable, "the candidate does not accept the inputs")
	for _, o := range c.Obstacles {
		row("  "+o.Field, o.Count, o.Reason.Words())
	}
	row("failed", c.Failed, c.Failure)
	row("dropped", c.Dropped.Busy, "too many waited for the candidate")
	row("dropped", c.Dropped.Large, "too large to be kept")
	row("dropped", c.Dropped.Memory, "memory was too short to start the candidate")
	return t.Flush()
}

// distance describes the difference of two values.
func distance(d shadow.Distance) string {
	switch {
	case d.Relative != nil:
		return fmt.Sprintf("%.2g of it, %s", *d.Relative, Count(int(d.Ulps), "ulp"))
	case d.Ulps > 0:
		return "from zero"
	}
	return "no number"
}
