package conformance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/units"
	"github.com/slipstick/slipstick/versions"
)

func judgeStarts(o *observed, j *judgement) {
	for _, s := range o.starts {
		j.check(s.err == nil, s.instance, fmt.Sprint(s.err), "an engine that starts and describes itself")
	}
}

func judgeSpec(o *observed, j *judgement) {
	j.checks++
	for _, err := range split(o.spec.Validate()) {
		j.fail("Spec", err.Error(), "a Spec without this fault")
	}
}

// split takes joined errors apart.
func split(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

func judgeCapability(o *observed, j *judgement) {
	id := o.spec.Capability
	j.check(sdk.IsCapability(id), "Spec, capability_id", quote(id), "an id such as thermo.radiation.grey_surface")
	for i := range o.vectors {
		judgeNamed(o, i, j)
	}
}

func judgeNamed(o *observed, i int, j *judgement) {
	v := &o.vectors[i]
	j.check(v.Capability == "" || v.Capability == o.spec.Capability, subject(v)+", capability", quote(v.Capability), quote(o.spec.Capability))
}

func judgeVersion(o *observed, j *judgement) {
	_, err := versions.Parse(o.spec.Version)
	j.check(err == nil, "Spec, calculation_version", fmt.Sprint(err), "a version such as 1.0.0")
}

func judgeReservedNames(o *observed, j *judgement) {
	for _, f := range o.spec.Inputs {
		for _, name := range append([]string{f.Name}, f.Aliases...) {
			j.check(!slices.Contains(sdk.Reserved, name), "Spec, input "+f.Name, quote(name),
				"a name other than "+strings.Join(sdk.Reserved, ", "))
		}
	}
}

func judgeUnits(o *observed, j *judgement) { judgeFieldUnits("input ", o.spec.Inputs, j) }

func judgeFieldUnits(path string, fields []sdk.Field, j *judgement) {
	for i := range fields {
		f := &fields[i]
		if f.Unit != "" {
			_, known := units.Lookup(f.Unit)
			j.check(known, "Spec, "+path+f.Name, "the unit "+quote(f.Unit),
				"a unit of the table, such as "+strings.Join(units.Nearest(f.Unit, 3), ", "))
		}
		judgeFieldUnits(path+f.Name+".", f.Fields, j)
		if f.Items != nil {
			judgeFieldUnits(path+f.Name, []sdk.Field{*f.Items}, j)
		}
	}
}

func judgeConstants(o *observed, j *judgement) {
	first := slices.IndexFunc(o.descriptions, func(d description) bool { return d.err == nil })
	for _, d := range o.descriptions[first+1:] {
		if d.err != nil {
			j.check(false, d.where, d.err.Error(), "the same Spec again")
			continue
		}
		found, want := contrast(d.text, o.descriptions[first].text)
		j.check(d.text == o.descriptions[first].text, d.where, found, want+", as "+o.descriptions[first].where)
	}
}

func judgeTier(o *observed, j *judgement) {
	claim := o.spec.Verification
	if claim == nil {
		claim = &sdk.Verification{Tier: sdk.Candidate}
	}
	j.check(slices.Contains(sdk.Tiers, claim.Tier), "Spec, verification.tier", quote(string(claim.Tier)),
		fmt.Sprintf("one of %v", sdk.Tiers))
}

// judgeClaim compares a claim with the consistency rule of one tier.
func judgeClaim(t sdk.Tier, o *observed, j *judgement) {
	for _, r := range sdk.TierRules {
		if claim := o.spec.Verification; r.Tier == t && claim != nil && claim.Tier == t {
			j.check(r.Holds(*claim), "Spec, verification", describeClaim(claim), r.Rule)
		}
	}
}

func describeClaim(v *sdk.Verification) string {
	text := func(s *string) string {
		if s == nil {
			return "null"
		}
		return quote(*s)
	}
	return fmt.Sprintf("tier %s, engine_tested %t, internally_reviewed %t, expert_reviewed %t, source_checked %t, "+
		"reviewed_by %s, reviewer_role %s, last_reviewed %s", v.Tier, v.EngineTested, v.InternallyReviewed, v.ExpertReviewed,
		v.SourceChecked, text(v.ReviewedBy), text(v.ReviewerRole), text(v.LastReviewed))
}

func judgeParse(o *observed, j *judgement) {
	j.checks++
	for _, err := range split(o.vectorsErr) {
		j.fail("vectors", err.Error(), "vectors as conformance.ParseVectors describes them")
	}
}

func judgePresence(o *observed, j *judgement) {
	expects := func(v Vector) bool { return v.Rejection == nil }
	j.check(slices.ContainsFunc(o.vectors, expects), "vectors",
		fmt.Sprintf("%d vectors, none of which expects a result", len(o.vectors)), "at least one that does")
}
