package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/conformance/internal/observe"
	"github.com/slipstick/slipstick/conformance/vector"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/units"
	"github.com/slipstick/slipstick/sdk/verification"
	"github.com/slipstick/slipstick/versions"
)

func judgeStarts(o *evidence, j *judgement) {
	reported := map[string]bool{} // why: every instance fails alike, as a rule
	for _, s := range o.Starts {
		why := fmt.Sprint(s.Err)
		j.check(s.Err == nil || reported[why], s.Subject(), why, "an engine that starts and describes itself")
		reported[why] = true
	}
}

func judgeSpec(o *evidence, j *judgement) {
	j.checks++
	for _, err := range split(o.Spec.Validate()) {
		j.fail(ofSpec, err.Error(), "a Spec without this fault")
	}
}

// split returns the parts of a joined error, or err itself if it is not joined.
func split(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

func judgeCapability(o *evidence, j *judgement) {
	id := o.Spec.Capability
	j.check(sdk.IsCapability(id), ofSpec.At("capability_id"), quote(id), "an id such as thermo.radiation.grey_surface")
	for i := range o.Vectors {
		judgeNamed(o, i, j)
	}
}

// judgeNamed checks that a vector with a capability names the capability of the engine.
func judgeNamed(o *evidence, i int, j *judgement) {
	v := &o.Vectors[i]
	j.check(v.Capability == "" || v.Capability == o.Spec.Capability, about(v).At("capability"), quote(v.Capability), quote(o.Spec.Capability))
}

func judgeVersion(o *evidence, j *judgement) {
	_, err := versions.Parse(o.Spec.Version)
	j.check(err == nil, ofSpec.At("calculation_version"), fmt.Sprint(err), "a version such as 1.0.0")
}

func judgeReservedNames(o *evidence, j *judgement) {
	for _, f := range o.Spec.Inputs {
		for _, name := range append([]string{f.Name}, f.Aliases...) {
			j.check(!slices.Contains(sdk.Reserved, name), ofSpec.At("input "+f.Name), quote(name),
				"a name other than "+strings.Join(sdk.Reserved, ", "))
		}
	}
}

// judgeUnits checks that inputs have units of the table, so that callers can send other units.
// Since the second contract they may also have products of units.
func judgeUnits(o *evidence, j *judgement) {
	eachUnit("input ", o.Spec.Inputs, func(path, unit string) {
		if !o.Spec.Follows("1.1.0") {
			_, known := units.Lookup(unit)
			j.check(known, ofSpec.At(path), "the unit "+quote(unit), "a unit of the table, such as "+strings.Join(units.Nearest(unit, 3), ", "))
			return
		}
		_, err := units.Coherent(unit)
		j.check(err == nil || slices.Contains(named, unit), ofSpec.At(path), fmt.Sprint(err), unitWanted)
	})
}

const unitWanted = "a unit of the table, or a product of units of SI such as kg/(m s2)"

// named are the units of the interface that are not SI units. They occur in the interface and
// in the names of its fields: hours, kw, kva, kvar, kwh, price_per_kwh and percent. Tables of
// conductors give resistivities at temperatures in degC.
var named = []string{"h", "kW", "kVA", "kvar", "kWh", "1/kWh", "%", "degC"}

// judgeCoherent checks that bare numbers are in SI. Units of inputs that cannot be read are reported
// by units-known.
func judgeCoherent(o *evidence, j *judgement) {
	if !o.Spec.Follows("1.1.0") {
		return
	}
	check := func(path, unit string) {
		coherent, err := units.Coherent(unit)
		switch {
		case slices.Contains(named, unit):
			j.checks++
		case err == nil:
			j.check(unit == coherent, ofSpec.At(path), "the unit "+quote(unit), coherent+", since bare numbers are in SI")
		case strings.HasPrefix(path, "output "):
			j.check(false, ofSpec.At(path), err.Error(), unitWanted)
		}
	}
	eachUnit("input ", o.Spec.Inputs, check)
	eachUnit("output ", o.Spec.Outputs, check)
}

// eachUnit calls look with the unit of each field that has one, including fields inside lists
// and objects.
func eachUnit(path string, fields []sdk.Field, look func(path, unit string)) {
	for i := range fields {
		f := &fields[i]
		if f.Unit != "" {
			look(path+f.Name, f.Unit)
		}
		if f.UnitBy != nil {
			for _, choice := range slices.Sorted(maps.Keys(f.UnitBy.Units)) {
				look(path+f.Name, f.UnitBy.Units[choice])
			}
		}
		eachUnit(path+f.Name+".", f.Fields, look)
		if f.Items != nil {
			eachUnit(path+f.Name, []sdk.Field{*f.Items}, look)
		}
	}
}

// judgeConstants checks that every description of the engine is the same as the first one that
// succeeded. A Spec must not change while the engine runs, nor between instances.
func judgeConstants(o *evidence, j *judgement) {
	first := slices.IndexFunc(o.Descriptions, func(d observe.Description) bool { return d.Err == nil })
	for _, d := range o.Descriptions[first+1:] {
		if d.Err != nil {
			j.check(false, d.Subject(), d.Err.Error(), "the same Spec again")
			continue
		}
		found, want := contrast(d.Text, o.Descriptions[first].Text)
		j.check(d.Text == o.Descriptions[first].Text, d.Subject(), found, want+", as "+o.Descriptions[first].Subject().String())
	}
}

func judgeTier(o *evidence, j *judgement) {
	claim := o.Spec.Verification
	if claim == nil {
		claim = &verification.Record{Tier: verification.Candidate}
	}
	j.check(slices.Contains(verification.Tiers, claim.Tier), ofSpec.At("verification.tier"), quote(string(claim.Tier)),
		fmt.Sprintf("one of %v", verification.Tiers))
}

// judgeClaim checks a claim to the tier t against the consistency rules of that tier.
func judgeClaim(t verification.Tier, o *evidence, j *judgement) {
	for _, r := range verification.Rules {
		if claim := o.Spec.Verification; r.Tier == t && claim != nil && claim.Tier == t {
			j.check(r.Holds(*claim), ofSpec.At("verification"), describeClaim(claim), r.Rule)
		}
	}
}

func describeClaim(v *verification.Record) string {
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

func judgeParse(o *evidence, j *judgement) {
	j.checks++
	for _, err := range split(o.VectorsErr) {
		j.fail(ofVectors, err.Error(), "vectors as conformance.ParseVectors describes them")
	}
}

func judgePresence(o *evidence, j *judgement) {
	expects := func(v vector.Vector) bool { return v.Rejection == nil }
	j.check(slices.ContainsFunc(o.Vectors, expects), ofVectors,
		fmt.Sprintf("%d vectors, and none expects a result", len(o.Vectors)), "at least one vector that expects a result")
}
