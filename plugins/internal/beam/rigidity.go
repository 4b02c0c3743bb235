package beam

import (
	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/sdk"
)

// Rigidity has the inputs that say how stiff a beam is in bending: elastic_modulus and
// second_moment_of_area, or in their place flexural_rigidity. The inputs of beams embed it.
type Rigidity struct {
	ElasticModulus     *float64 `name:"elastic_modulus" alias:"E,youngs_modulus,young_modulus,modulus_of_elasticity" unit:"Pa" range:"(0,)" symbol:"E" presets:"data.materials.metals#elastic_modulus,data.materials.concrete#elastic_modulus,data.materials.timber#elastic_modulus" doc:"Young's modulus. Needed unless flexural_rigidity is given."`
	SecondMomentOfArea *float64 `name:"second_moment_of_area" alias:"I,moment_of_inertia,area_moment_of_inertia,second_moment" unit:"m4" range:"(0,)" code:"SECOND_MOMENT_MUST_BE_POSITIVE" symbol:"I" presets:"data.sections.european_i#second_moment_y,data.sections.american_w#second_moment_y" doc:"Second moment of area about the axis of bending. Needed unless flexural_rigidity is given."`
	FlexuralRigidity   *float64 `name:"flexural_rigidity" alias:"EI" unit:"N m2" range:"(0,)" symbol:"EI" advanced:"true" doc:"Flexural rigidity, in place of elastic_modulus and second_moment_of_area."`
}

// Check returns the rejection of inputs that do not say what the rigidity is, or say it
// twice.
func (r Rigidity) Check() error {
	if err := r.Missing(); err != nil {
		return err
	}
	return r.Conflict()
}

// Missing returns the rejection of inputs that do not define the rigidity.
func (r Rigidity) Missing() error {
	const orRigidity = " is needed, or flexural_rigidity in place of elastic_modulus and second_moment_of_area"
	switch {
	case r.FlexuralRigidity == nil && r.ElasticModulus == nil:
		return sdk.Missing("elastic_modulus", "elastic_modulus (Pa)"+orRigidity)
	case r.FlexuralRigidity == nil && r.SecondMomentOfArea == nil:
		return sdk.Missing("second_moment_of_area", "second_moment_of_area (m4)"+orRigidity)
	}
	return nil
}

// Conflict returns the rejection of inputs that define the rigidity twice.
func (r Rigidity) Conflict() error {
	if r.FlexuralRigidity != nil && (r.ElasticModulus != nil || r.SecondMomentOfArea != nil) {
		return sdk.Conflict("flexural_rigidity", "flexural_rigidity stands in place of elastic_modulus and second_moment_of_area").
			Suggest("Give either flexural_rigidity or the other two.")
	}
	return nil
}

// Of returns EI. The inputs have passed Check.
func (r Rigidity) Of(x *adaptive.X) adaptive.Num {
	if r.FlexuralRigidity != nil {
		return x.Of(*r.FlexuralRigidity)
	}
	return x.Of(*r.ElasticModulus).Mul(x.Of(*r.SecondMomentOfArea))
}
