// Command elastic_constants is the engine of the constants of isotropic elasticity. See
// [Engine].
package main

import (
	"context"
	_ "embed"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/plugins/internal/needed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

const poissonsRatioRange = "POISSONS_RATIO_OUT_OF_RANGE"

// Input is exactly two of the four constants.
type Input struct {
	ElasticModulus *float64 `name:"elastic_modulus" alias:"E,youngs_modulus,young_modulus,modulus_of_elasticity" unit:"Pa" symbol:"E" range:"(0,)" presets:"data.materials.metals#elastic_modulus" doc:"Young's modulus."`
	ShearModulus   *float64 `name:"shear_modulus" alias:"G" unit:"Pa" symbol:"G" range:"(0,)" doc:"Shear modulus."`
	BulkModulus    *float64 `name:"bulk_modulus" alias:"K" unit:"Pa" symbol:"K" range:"(0,)" doc:"Bulk modulus."`
	PoissonsRatio  *float64 `name:"poissons_ratio" alias:"nu" symbol:"\\nu" label:"Poisson's ratio" range:"(-1,0.5)" presets:"data.materials.metals#poissons_ratio" doc:"Poisson's ratio."`
}

// Output is all constants.
type Output struct {
	ElasticModulus float64 `name:"elastic_modulus" unit:"Pa" symbol:"E" doc:"Young's modulus."`
	ShearModulus   float64 `name:"shear_modulus" unit:"Pa" symbol:"G" doc:"Shear modulus, Lame's second constant."`
	BulkModulus    float64 `name:"bulk_modulus" unit:"Pa" symbol:"K" doc:"Bulk modulus."`
	PoissonsRatio  float64 `name:"poissons_ratio" symbol:"\\nu" label:"Poisson's ratio" doc:"Poisson's ratio."`
	LameLambda     float64 `name:"lame_lambda" unit:"Pa" symbol:"\\lambda" label:"Lame's first constant" doc:"Lame's first constant."`
}

// Engine returns the engine of mechanical.materials.elastic_constants 1.0.0: from two of
// Young's modulus E, shear modulus G, bulk modulus K and Poisson's ratio nu of an
// isotropic material it computes the others and Lame's lambda. The formula is the
// Definition. Units are SI.
//
// Errors: exactly two must be sent. POISSONS_RATIO_OUT_OF_RANGE where nu does not lie in
// (-1, 0.5), also where it follows from two moduli: a material without a source of energy
// has E < 3 G and E < 9 K.
//
// Precision: each result is the binary64 nearest to the true value for the given inputs.
//
// Source: Hooke's law of isotropic materials, as in the references. The books were not
// opened for this.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "mechanical.materials.elastic_constants",
		Version:    "1.0.0",
		Tool:       "elastic-constants",
		Group:      "materials",
		Title:      "Elastic constants of an isotropic material",
		Summary:    "Young's modulus, shear modulus, bulk modulus, Poisson's ratio and Lame's constant from any two of the first four.",
		Keywords:   []string{"shear modulus from Young's modulus", "modulus of rigidity", "compressibility", "Lame parameters", "E G K nu", "convert moduli"},
		Definition: `E = 9*K*G/(3*K + G)             if given(K, G)   @elastic_constants_g_k_v1
E = 2*G*(1 + nu)                if given(G, nu)  @elastic_constants_g_nu_v1
E = 3*K*(1 - 2*nu)              if given(K, nu)  @elastic_constants_k_nu_v1
nu = E/(2*G) - 1                if given(E, G)   @elastic_constants_e_g_v1
nu = (3*K - E)/(6*K)            if given(E, K)   @elastic_constants_e_k_v1
nu = (3*K - 2*G)/(2*(3*K + G))  if given(K, G)   @elastic_constants_g_k_v1
G = E/(2*(1 + nu))              if given(E, nu)  @elastic_constants_e_nu_v1
G = 3*K*E/(9*K - E)             if given(E, K)   @elastic_constants_e_k_v1
G = E/(2*(1 + nu))              if given(K, nu)  @elastic_constants_k_nu_v1
K = E/(3*(1 - 2*nu))            if given(E, nu)  @elastic_constants_e_nu_v1
K = E*G/(3*(3*G - E))           if given(E, G)   @elastic_constants_e_g_v1
K = E/(3*(1 - 2*nu))            if given(G, nu)  @elastic_constants_g_nu_v1
lambda = K - 2*G/3`,
		Formulas: []sdk.Formula{
			{ID: "elastic_constants_e_nu_v1", Label: "From Young's modulus and Poisson's ratio"},
			{ID: "elastic_constants_e_g_v1", Label: "From Young's modulus and shear modulus"},
			{ID: "elastic_constants_e_k_v1", Label: "From Young's modulus and bulk modulus"},
			{ID: "elastic_constants_g_k_v1", Label: "From shear modulus and bulk modulus"},
			{ID: "elastic_constants_g_nu_v1", Label: "From shear modulus and Poisson's ratio"},
			{ID: "elastic_constants_k_nu_v1", Label: "From bulk modulus and Poisson's ratio"},
		},
		Assumptions: []string{"The material is linear elastic, homogeneous and isotropic."},
		References: []sdk.Reference{
			{Title: "Timoshenko and Goodier, Theory of Elasticity", Where: "relations between the elastic constants"},
			{Title: "Gere and Goodno, Mechanics of Materials", Where: "chapter 7, Hooke's law for triaxial stress; volume modulus"},
		},
		Errors: []string{poissonsRatioRange},
	}, calculate)
}

// Complete demands exactly two inputs.
func (in *Input) Complete(context.Context) error {
	return needed.Exactly(2,
		needed.Input{Name: "elastic_modulus", Value: in.ElasticModulus},
		needed.Input{Name: "shear_modulus", Value: in.ShearModulus},
		needed.Input{Name: "bulk_modulus", Value: in.BulkModulus},
		needed.Input{Name: "poissons_ratio", Value: in.PoissonsRatio},
	)
}

func calculate(ctx context.Context, in Input) (Output, error) {
	formula, ratio := in.poissonsRatio()
	sdk.UseFormula(ctx, "elastic_constants_"+formula+"_v1")
	if err := checkRatio(ratio); err != nil {
		return Output{}, err
	}
	modulus := in.elasticModulus(ratio)
	shear := func(x *adaptive.X) adaptive.Num {
		return modulus(x).Div(x.Int(1).Add(ratio(x)).Mul(x.Int(2)))
	}
	bulk := func(x *adaptive.X) adaptive.Num {
		return modulus(x).Div(x.Int(1).Sub(ratio(x).Mul(x.Int(2))).Mul(x.Int(3)))
	}
	return Output{
		ElasticModulus: adaptive.Round(ctx, "elastic_modulus", modulus),
		ShearModulus:   adaptive.Round(ctx, "shear_modulus", shear),
		BulkModulus:    adaptive.Round(ctx, "bulk_modulus", bulk),
		PoissonsRatio:  adaptive.Round(ctx, "poissons_ratio", ratio),
		LameLambda: adaptive.Round(ctx, "lame_lambda", func(x *adaptive.X) adaptive.Num {
			return bulk(x).Sub(shear(x).Mul(x.Int(2)).Div(x.Int(3)))
		}),
	}, nil
}

// constant is a formula for package adaptive.
type constant = func(x *adaptive.X) adaptive.Num

func given(value *float64) constant {
	return func(x *adaptive.X) adaptive.Num { return x.Of(*value) }
}

// poissonsRatio returns Poisson's ratio, and the part of the name of the formula that
// says what it and all others come from.
func (in *Input) poissonsRatio() (formula string, ratio constant) {
	e, g, k := given(in.ElasticModulus), given(in.ShearModulus), given(in.BulkModulus)
	switch {
	case in.PoissonsRatio != nil:
		return in.modulusBesideRatio(), given(in.PoissonsRatio)
	case in.BulkModulus == nil:
		return "e_g", func(x *adaptive.X) adaptive.Num { return e(x).Div(g(x).Mul(x.Int(2))).Sub(x.Int(1)) }
	case in.ShearModulus == nil:
		return "e_k", func(x *adaptive.X) adaptive.Num {
			return k(x).Mul(x.Int(3)).Sub(e(x)).Div(k(x).Mul(x.Int(6)))
		}
	}
	return "g_k", func(x *adaptive.X) adaptive.Num {
		k3 := k(x).Mul(x.Int(3))
		return k3.Sub(g(x).Mul(x.Int(2))).Div(k3.Add(g(x)).Mul(x.Int(2)))
	}
}

func (in *Input) modulusBesideRatio() string {
	switch {
	case in.ElasticModulus != nil:
		return "e_nu"
	case in.ShearModulus != nil:
		return "g_nu"
	}
	return "k_nu"
}

// elasticModulus returns Young's modulus, for a Poisson's ratio within its range.
func (in *Input) elasticModulus(ratio constant) constant {
	switch {
	case in.ElasticModulus != nil:
		return given(in.ElasticModulus)
	case in.ShearModulus != nil:
		return func(x *adaptive.X) adaptive.Num {
			return x.Of(*in.ShearModulus).Mul(x.Int(2), x.Int(1).Add(ratio(x)))
		}
	}
	return func(x *adaptive.X) adaptive.Num {
		return x.Of(*in.BulkModulus).Mul(x.Int(3), x.Int(1).Sub(ratio(x).Mul(x.Int(2))))
	}
}

// checkRatio rejects moduli that lead to a Poisson's ratio that no material has.
func checkRatio(ratio constant) error {
	switch {
	case adaptive.Sign(func(x *adaptive.X) adaptive.Num { return x.Int(1).Add(ratio(x)) }) <= 0:
		return sdk.Reject(poissonsRatioRange, "poissons_ratio", "Poisson's ratio would be -1 or less: the elastic modulus is at least nine times the bulk modulus").
			Suggest("Give an elastic_modulus below nine times bulk_modulus.")
	case adaptive.Sign(func(x *adaptive.X) adaptive.Num { return x.Int(1).Sub(ratio(x).Mul(x.Int(2))) }) <= 0:
		return sdk.Reject(poissonsRatioRange, "poissons_ratio", "Poisson's ratio would be 0.5 or more: the elastic modulus is at least three times the shear modulus").
			Suggest("Give an elastic_modulus below three times shear_modulus.")
	}
	return nil
}
