package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/conformance/proof"
	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
)

var ofDefinition = ofSpec.At("definition")

// judgeDefined checks that there is a Definition, if the contract demands one. Rule spec-valid
// reports a Definition that cannot be read, or that leaves an output out.
func judgeDefined(o *evidence, j *judgement) {
	numbers := slices.ContainsFunc(o.Spec.Outputs, func(f sdk.Field) bool { return f.Type == sdk.TypeNumber || f.Type == sdk.TypeInteger })
	if numbers && o.Spec.Follows("1.1.0") {
		j.check(o.Spec.Definition != "", ofDefinition, "none", "a text with the formula of each number of the result: see docs/reference/formula-language.md")
	}
}

// eachWorked makes a rule of a function that judges the Definition at one request.
func eachWorked(look func(d *definition, w *worked, j *judgement)) func(*evidence, *judgement) {
	return func(o *evidence, j *judgement) {
		d := o.definition()
		if d == nil {
			j.spoiled = o.Spec.Definition != ""
			return
		}
		for i := range d.worked {
			look(d, d.worked[i], j)
		}
		j.spoiled = len(d.worked) == 0
	}
}

// eachOutput makes a rule of a function that judges one output at one request, by the
// comparison of the result with the Definition.
func eachOutput(look func(c proof.Verdict, w *worked, out *proof.Output, j *judgement)) func(*evidence, *judgement) {
	return eachWorked(func(d *definition, w *worked, j *judgement) {
		for i, c := range w.compared {
			look(c, w, &d.Outputs[i], j)
		}
	})
}

func judgeFormulaValue(c proof.Verdict, w *worked, out *proof.Output, j *judgement) {
	switch c {
	case proof.Agrees:
		j.checks++
	case proof.Differs:
		j.check(false, w.at(out), w.found(out), w.gives(out)+"; correct the text or the engine, or declare a tolerance with its reason")
	}
}

func judgeFormulaPresence(c proof.Verdict, w *worked, out *proof.Output, j *judgement) {
	switch c {
	case proof.Presence:
		want := w.gives(out) + "; give the cases of the text the conditions under which the engine answers it"
		j.check(false, w.at(out), w.found(out), want)
	case proof.Agrees, proof.Differs, proof.NotCompared:
		j.checks++
	}
}

func judgeFormulaFault(c proof.Verdict, w *worked, out *proof.Output, j *judgement) {
	if c != proof.Faulty {
		j.checks++
		return
	}
	j.check(false, w.at(out), w.found(out), "no such answer, since the text has a fault: "+w.result.Value(out.Name).Why+
		"; say what holds here in a case before it, or reject the inputs")
}

// judgeFormulaBranch compares the id of the formula that the engine reports with the ids of
// the computed cases. If no computed case has an id, the engine's id must not belong to any
// case.
func judgeFormulaBranch(d *definition, w *worked, j *judgement) {
	var taken, all []string
	open := w.coarse
	for i := range w.result.Values {
		v := &w.result.Values[i]
		ids := idsOf(d.Definition(v.Name))
		all = append(all, ids...)
		if v.State == formula.Known && v.ID != "" {
			taken = append(taken, v.ID)
		}
		open = open || len(ids) > 0 && (v.State == formula.Undecided || v.State == formula.Fault)
	}
	got := w.formula
	switch {
	case len(all) == 0:
	case slices.Contains(taken, got), len(taken) == 0 && !slices.Contains(all, got):
		j.checks++
	case !open:
		want := "a formula that no case has, since none of those computed has one"
		if len(taken) > 0 {
			want = strings.Join(taken, " or ") + ", by the cases that were computed"
		}
		j.check(false, w.subject.At("formula"), quote(got), want+"; report it with sdk.UseFormula, or put its id after the right case, as @"+got)
	}
}

// idsOf returns the ids of formulas that the cases of a definition have.
func idsOf(d *formula.Definition) (ids []string) {
	for i := range d.Cases {
		if id := d.Cases[i].ID; id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// judgeFormulaCoverage checks that each case is computed for some vector. If a definition is
// not decided, each of its cases may be the computed one.
func judgeFormulaCoverage(o *evidence, j *judgement) {
	d := o.definition()
	if d == nil || !slices.ContainsFunc(d.worked, (*worked).ofVector) {
		j.spoiled = o.Spec.Definition != ""
		return
	}
	for _, one := range d.Definitions {
		if one.Kind == formula.Constant {
			continue
		}
		for i := range one.Cases {
			reached := slices.ContainsFunc(d.worked, func(w *worked) bool {
				v := w.result.Value(one.Name) // nil for a function
				return w.ofVector() && (w.undecided(v) || w.result.Reached(one, i) && (v == nil || v.State != formula.Absent))
			})
			j.check(reached, ofDefinition, fmt.Sprintf("%s, which no vector computes", nameOfCase(one, i)), "a vector for which it holds, or a text without it")
		}
	}
}

func judgeFormulaProved(o *evidence, j *judgement) {
	d := o.definition()
	if d == nil || len(d.worked) == 0 {
		j.spoiled = o.Spec.Definition != ""
		return
	}
	if len(d.Outputs) == 0 {
		return
	}
	compared, open, taken := 0, 0, 0
	for _, p := range d.proofs() {
		compared += p.Compared()
		open += p.Undecided
		if p.Verdict == report.Taken {
			taken++
		}
	}
	tabulated := taken == len(d.Outputs) // a table has no formula; each output gives the reason, and the evidence reports that none is proved
	j.check(compared > 0 || tabulated, ofDefinition, fmt.Sprintf("no number that could be compared: %d undecided, %d of %d outputs taken", open, taken, len(d.Outputs)),
		"a text with at least one number that can be computed within its bounds: use fewer steps, or less cancellation")
}

// at returns the subject of a finding about an output.
func (w *worked) at(out *proof.Output) report.Subject {
	return w.subject.At("result." + out.Field.Name)
}

// found returns the engine's answer.
func (w *worked) found(out *proof.Output) string {
	if x, ok := w.number(out); ok {
		return digits17(x)
	}
	return "absent"
}

// gives returns the number of the Definition, and its case.
func (w *worked) gives(out *proof.Output) string {
	v := w.result.Value(out.Name)
	if v.Sent {
		x, _ := v.Number()
		return digits17(x) + ", as " + out.Name + " was sent"
	}
	text := "nothing"
	if x, ok := v.Number(); ok {
		text = digits17(x)
		if out.Tolerance > sdk.LeastTolerance {
			text += fmt.Sprintf(" within %g of it", out.Tolerance)
		}
	}
	if v.Case < 0 {
		return text + ", since no case of " + out.Name + " holds, or what it needs was not sent"
	}
	return text + ", by " + nameOfCase(out.Definition, v.Case)
}

func digits17(x float64) string { return strconv.FormatFloat(x, 'g', 17, 64) }

// nameOfCase names a case of a definition in the terms of the author.
func nameOfCase(d *formula.Definition, i int) string {
	text := fmt.Sprintf("%s in line %d", d.Name, d.Line)
	if len(d.Cases) > 1 {
		text = fmt.Sprintf("case %d of %s, from line %d", i+1, d.Name, d.Line)
	}
	return text
}
