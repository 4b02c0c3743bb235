package terminal

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/slipstick/slipstick/conformance/compare"
	"github.com/slipstick/slipstick/host/internal/archive/replay"
)

// obstacles are the reasons why a stored result was not computed, in words.
var obstacles = map[replay.Obstacle]string{
	replay.NotPublished: "not published", replay.OtherRelease: "by another release", replay.Revoked: "revoked", replay.Platform: "no engine for this platform",
	replay.Damaged: "the release cannot be served", replay.Hashed: "inputs not kept", replay.Unreadable: "not of its release", replay.Failed: "the engine failed",
	replay.InputRemoved: "an input is gone", replay.InputNew: "an input is new", replay.OtherUnit: "a result has another unit", replay.OtherForm: "an input has another form or unit", replay.OtherDefault: "an input has another default", replay.NotAnswered: "nothing was answered", replay.Figures: "the table of a value is not known",
	replay.NotMade: "cannot be made with the step",
}

// Replayed writes the outcomes of the replayed results.
func Replayed(w io.Writer, r *replay.Report) error {
	table := columns(w, 2)
	Printf(table, "CAPABILITY\tVERSION\tSAME\tDIFFERENT\tNOT COMPUTED\n")
	for _, g := range byVersion(r.Groups) {
		Printf(table, "%s\t%s\t%d\t%d\t%d\n", g.Capability, g.Version, g.Verdicts[compare.Same], g.Different(), g.Blocked())
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, g := range r.Groups {
		exceptions(w, g, g.Different())
	}
	gaps(w, r)
	_, err := fmt.Fprintf(w, "%s read: %d bit-identical, %d different, %d not computed%s\n",
		Count(int(r.Read), "result"), r.Same(), r.Different(), r.Blocked(), missed(r))
	return err
}

// byVersion adds the numbers of sorted groups with the same version. Such groups differ in digests, platforms or the form
// of results.
func byVersion(groups []*replay.Group) []*replay.Group {
	var list []*replay.Group
	for _, g := range groups {
		if len(list) == 0 || list[len(list)-1].Capability != g.Capability || list[len(list)-1].Version != g.Version {
			list = append(list, &replay.Group{})
		}
		sum := list[len(list)-1]
		sum.Capability, sum.Version = g.Capability, g.Version
		for i, n := range g.Verdicts {
			sum.Verdicts[i] += n
		}
		sum.Obstructed = append(sum.Obstructed, g.Obstructed...)
	}
	return list
}

// versionOf returns the version of a group, with the form of results in tables.
func versionOf(g *replay.Group) string {
	text := g.Version
	if g.Form.In != "" {
		text += ", " + string(g.Form.In)
	}
	if g.Form.Units != "" {
		text += ", " + g.Form.Units
	}
	return text
}

func more(w io.Writer, indent string, n uint64) {
	if n > 0 {
		Printf(w, indent+"and %d more\n", n)
	}
}

// exceptions writes examples of different results of a release, and results that were not computed.
func exceptions(w io.Writer, g *replay.Group, of uint64) {
	if of == 0 && g.Blocked() == 0 {
		return
	}
	Printf(w, "\n%s %s\n", g.Capability, versionOf(g))
	for i := range g.Examples {
		Printf(w, "  %s: %s\n", g.Examples[i].Name, g.Examples[i].String())
	}
	more(w, "  ", of-uint64(len(g.Examples)))
	for _, o := range g.Obstructed {
		Printf(w, "  not computed: %d, %s\n", o.Count, obstacles[o.Obstacle])
		for i := range o.Examples {
			Printf(w, "    %s: %s\n", o.Examples[i].Name, o.Examples[i].Why)
		}
		more(w, "    ", o.Count-uint64(len(o.Examples)))
	}
}

func gaps(w io.Writer, r *replay.Report) {
	if len(r.Gaps) > 0 {
		Printf(w, "\ngaps\n")
	}
	for _, g := range r.Gaps {
		count := ""
		if g.Count > 1 {
			count = fmt.Sprintf("%d results: ", g.Count)
		}
		Printf(w, "  %s: %s%v\n", g.Name, count, g.Err)
	}
	more(w, "  ", r.Holes-uint64(len(r.Gaps)))
	if len(r.Groups) > 0 || len(r.Gaps) > 0 {
		Printf(w, "\n")
	}
}

func missed(r *replay.Report) string {
	if r.Holes == 0 {
		return ""
	}
	return fmt.Sprintf(", %s with %d", Count(int(r.Holes), "gap"), r.Missed)
}

// Effect writes the effect of another release on stored results, and on results of releases that call it as a step.
func Effect(w io.Writer, e *replay.Effect) error {
	for i, one := range e.All() {
		if i > 0 {
			Printf(w, "\n")
		}
		if err := effect(w, one); err != nil {
			return err
		}
	}
	return nil
}

// effectTitle returns the heading of an effect.
func effectTitle(e *replay.Effect) string {
	if e.Step == nil {
		return e.Capability + " with " + e.Version
	}
	return fmt.Sprintf("%s %s with %s %s", e.Capability, e.Version, e.Step.Capability, e.Step.Version)
}

func effect(w io.Writer, e *replay.Effect) error {
	Printf(w, "%s\n\n", effectTitle(e))
	table := columns(w, 2)
	Printf(table, "STORED BY\tSAME\tCHANGED\tREFUSED NOW\tANSWERED NOW\tREFUSED OTHERWISE\tNOT COMPUTED\n")
	for _, g := range byVersion(e.Groups) {
		Printf(table, "%s", g.Version)
		for _, n := range g.Verdicts {
			Printf(table, "\t%d", n)
		}
		Printf(table, "\t%d\n", g.Blocked())
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if len(e.Outputs) > 0 {
		Printf(w, "\nrelative differences\n")
		Printf(table, "  OUTPUT\tCHANGED\tLARGER NOW\tMEDIAN\tP90\tP99\tMAX\tMAX ULPS\tLARGEST\n")
		for _, o := range e.Outputs {
			Printf(table, "  %s\t%d\t%d", o.Path, o.Changed, o.Up)
			for _, x := range []float64{o.Relative.Median, o.Relative.P90, o.Relative.P99, o.Relative.Most} {
				Printf(table, "\t%s", part(o, x))
			}
			Printf(table, "\t%d\t%s\n", o.Ulps, largest(o))
		}
		if err := table.Flush(); err != nil {
			return err
		}
		for _, o := range e.Outputs {
			Printf(w, "\nlargest differences of %s\n", o.Path)
			for i := range o.Worst {
				Printf(w, "  %s: %s\n", o.Worst[i].Name, o.Worst[i].Difference.String())
			}
		}
	}
	for _, g := range e.Groups {
		exceptions(w, g, g.Different()-g.Verdicts[compare.Changed])
	}
	gaps(w, e.Report)
	others := ""
	if e.Others > 0 {
		others = fmt.Sprintf(", %d of other capabilities", e.Others)
	}
	_, err := fmt.Fprintf(w, "%s read%s: %d bit-identical, %d changed, %d refused now, %d answered now, %d refused otherwise, %d not computed%s\n",
		Count(int(e.Read), "result"), others, e.Same(), e.Count(compare.Changed), e.Count(compare.Refused), e.Count(compare.Answered),
		e.Count(compare.Reworded), e.Blocked(), missed(e.Report))
	return err
}

// part returns a relative difference, "-" if the output has none.
func part(o *replay.Output, x float64) string {
	if o.Numbers == o.Zeros {
		return "-"
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

func largest(o *replay.Output) string {
	if o.Numbers == 0 {
		return "-"
	}
	text := strconv.FormatFloat(o.Absolute, 'g', 3, 64)
	if o.Unit != "" {
		text += " " + o.Unit
	}
	return text
}

// Replaying returns a function that shows the progress of a replay with its rate and the remaining time. The other function
// clears the line.
func Replaying(w io.Writer) (show func(compared uint64, read float64), end func()) {
	line := Progress(w)
	begun := time.Now()
	var last time.Time
	show = func(compared uint64, read float64) {
		now := time.Now()
		if now.Sub(last) < time.Second/4 {
			return
		}
		last = now
		passed := now.Sub(begun)
		text := fmt.Sprintf("%d compared, %.0f a second", compared, float64(compared)/passed.Seconds())
		if read > 0 && read < 1 {
			left := time.Duration(float64(passed) * (1 - read) / read)
			text += fmt.Sprintf(", %s left", left.Round(time.Second))
		}
		line(text)
	}
	return show, func() { line("") }
}
