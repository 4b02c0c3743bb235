package beam

import (
	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/sdk"
)

// Rigidity is the bending stiffness of a beam as it was sent: by elastic_modulus and
// second_moment_of_area, or in their place by flexural_rigidity.
type Rigidity struct{ e, i, ei *float64 }

// RigidityOf takes the three inputs, nil where nothing was sent.
func RigidityOf(elasticModulus, secondMoment, flexuralRigidity *float64) Rigidity {
	return Rigidity{elasticModulus, secondMoment, flexuralRigidity}
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
	case r.ei == nil && r.e == nil:
		return sdk.Missing("elastic_modulus", "elastic_modulus (Pa)"+orRigidity)
	case r.ei == nil && r.i == nil:
		return sdk.Missing("second_moment_of_area", "second_moment_of_area (m4)"+orRigidity)
	}
	return nil
}

// Conflict returns the rejection of inputs that define the rigidity twice.
func (r Rigidity) Conflict() error {
	if r.ei != nil && (r.e != nil || r.i != nil) {
		return sdk.Conflict("flexural_rigidity", "flexural_rigidity stands in place of elastic_modulus and second_moment_of_area").
			Suggest("Send either flexural_rigidity or the other two.")
	}
	return nil
}

// Of returns EI. The inputs have passed Check.
func (r Rigidity) Of(x *adaptive.X) adaptive.Num {
	if r.ei != nil {
		return x.Of(*r.ei)
	}
	return x.Of(*r.e).Mul(x.Of(*r.i))
}
