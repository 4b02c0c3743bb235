package documents

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"

	"github.com/slipstick/slipstick/sdk/value"
)

// accepted is a difference that is meant.
type accepted struct {
	what      string  // regular expression of the difference
	most      float64 // relative difference of the numbers, if it is about numbers
	threshold bool    // a number next to one of the request makes the answers of both agree
	reason    string
}

// ulps is the relative difference of two numbers that are next to each other, or nearly.
const ulps = 1e-15

const (
	rounds = "documents compare both sides rounded to 53 bits, as answers show them; the engine compares exact numbers"
	half   = "the engine refuses a length near 1e-323 whose half is not a binary64 number; the document computes with the exact half"
	tie    = "the engine takes a sum for a tie that a much smaller number decides, or rounds a tie to the odd neighbour"
	bits   = "the result is nearer to a tie than the largest number of bits can decide"
	long   = "ties between numbers of thousands of bits are not decided"
	panics = "the engine panics at numbers near the ends of binary64"
	two    = "a request with two mistakes: documents judge rules and what is missing before all else"
)

const (
	e24         = "the engine takes the resistance rounded to binary64, which decides at 12 digits, and has few digits below 1e-307"
	copper      = "the engine computes with the binary64 number next to the 0.00393 that it shows"
	fixedPinned = "the engine computes with the binary64 number next to the 0.7 that it shows"
)

// small is a regular expression of the warnings of numbers next to 0.
const small = "(warning RESULT_(SUBNORMAL|UNDERFLOW)(, )?)*"

var largeDeflection = accepted{what: "warnings .*LARGE_DEFLECTION.*", threshold: true, reason: rounds}

// acceptedOf has the accepted differences by capability.
var acceptedOf = map[string][]accepted{
	"electrical.circuits.led_series_resistor": {
		{what: "standard_resistance_e24|current_with_standard", reason: e24},
		{what: "NON_FINITE_RESULT at (standard_resistance_e24|current_with_standard) and a result", reason: e24},
		{what: "warnings " + small + " and " + small, reason: e24},
	},
	"electrical.power.power_triangle": {
		{what: "phase_angle", most: ulps, reason: tie},
		{what: "warnings " + small + " and " + small, reason: tie},
	},
	"electrical.circuits.rl_transient": {
		{what: "current|inductor_voltage", most: ulps, reason: tie},
		{what: "a result and UNDECIDED at resistance", reason: bits},
	},
	"electrical.circuits.voltage_drop": {
		{what: "conductor_loss|voltage_drop|load_voltage|percent", reason: copper}, // the voltage of the load can cancel
		{what: "warnings .*(LOAD_VOLTAGE|VOLTAGE_DROP).*", threshold: true, reason: copper},
		{what: ".* and MISSING_REQUIRED_INPUT at temperature_coefficient", reason: two},
	},
	"finance.loan.payment": {
		{what: "warnings .*RATE_ABOVE_100_PERCENT.*", threshold: true, reason: rounds},
		{what: "a result and UNDECIDED at principal", reason: bits},
		{what: "payment|total_paid|total_interest", most: ulps, reason: tie},
	},
	"fluids.bernoulli.downstream_pressure": {
		{what: "warnings warning RESULT_UNDERFLOW and warning PRESSURE_BELOW_ABSOLUTE_ZERO, warning RESULT_UNDERFLOW", reason: "the engine judges a pressure below 0 after it was rounded to 0"},
	},
	"fluids.open_channel.manning": {
		{what: "wetted_perimeter|flow_area|top_width|hydraulic_radius", most: ulps, reason: tie},
		{what: "warnings " + small + " and " + small, reason: tie},
		{what: "a result and UNDECIDED at roughness_n", reason: bits},
	},
	"fluids.pipe.darcy_weisbach": {
		{what: "a failure and .*", reason: panics},
		{what: "pressure_drop", most: ulps, reason: tie},
		{what: "RELATIVE_ROUGHNESS_OUT_OF_RANGE at roughness and .*", threshold: true, reason: rounds},
	},
	"mechanical.columns.euler_johnson": {
		{what: "slenderness_ratio|critical_slenderness|euler_load|critical_load|critical_stress", most: ulps, reason: fixedPinned},
		{what: "formula .*|regime .*|NON_FINITE_RESULT at (euler_load|critical_load|critical_stress) and a result", threshold: true, reason: fixedPinned},
		{what: "warnings " + small + " and " + small, reason: fixedPinned},
	},
	"mechanical.sections.polygon":            {{what: "perimeter", most: ulps, reason: tie}},
	"mechanical.sections.rectangle":          {{what: "torsion_constant", most: ulps, reason: tie}},
	"mechanical.springs.helical_compression": {{what: "warnings .*SPRING_INDEX_UNUSUAL.*", threshold: true, reason: rounds}},
	"mechanical.stress.plane_stress": {
		{what: "tresca", most: ulps, reason: "the engine doubles half of 5e-324 after it was rounded to 0"},
		{what: "warnings " + small + " and " + small, reason: "the engine doubles half of 5e-324 after it was rounded to 0"},
		{what: "NON_FINITE_RESULT at sigma_1 and .*", reason: "sigma_1 is finite, and the engine computes it from numbers that are not"},
	},
	"mechanical.vibration.sdof":     {{what: "regime .*|damped_angular_frequency: .*|damped_frequency: .*|formula .*|warnings .*", threshold: true, reason: rounds}},
	"statistics.regression.linear":  {{what: "a result and UNDECIDED at x", reason: long}},
	"statistics.univariate.summary": {{what: "(a result|NON_FINITE_RESULT at .*) and UNDECIDED at data", reason: "a thousand numbers over hundreds of powers of ten take more work than is allowed"}},
	"thermo.heat_exchanger.lmtd":    {{what: "a failure and .*", reason: panics}},
	"thermo.conduction.cylinder":    {{what: "outer_diameter", most: ulps, reason: tie}},
	"thermo.conduction.plane_wall":  {{what: "heat_flow|heat_flux|r_value", most: ulps, reason: tie}},
	"mechanical.statics.cantilever_wall_triangle_outer_moment_at_deflection": {
		{what: "MISSING_REQUIRED_INPUT at (shear_rigidity|outer_start) and CONFLICTING_INPUTS at (flexural_rigidity|outer_length)", reason: two},
		{what: "a result and UNDECIDED at length", reason: "fifty deflections at numbers near the ends of binary64 take more work than is allowed"},
		{what: "warnings .*SIGN_REVERSAL_ALONG_SPAN.*", reason: "the document looks at 50 places; the engine finds reversals next to the wall, too"},
		largeDeflection,
	},
	"mechanical.statics.cantilever_point_load_at_deflection":            {largeDeflection},
	"mechanical.statics.fixed_fixed_point_load_at_deflection":           {halfOfLength, largeDeflection},
	"mechanical.statics.fixed_fixed_uniform_load_at_deflection":         {largeDeflection},
	"mechanical.statics.propped_cantilever_point_load_at_deflection":    {halfOfLength, largeDeflection},
	"mechanical.statics.propped_cantilever_uniform_load_at_deflection":  {largeDeflection},
	"mechanical.statics.simply_supported_point_load_at_deflection":      {halfOfLength, largeDeflection},
	"mechanical.statics.simply_supported_triangular_load_at_deflection": {largeDeflection},
	"mechanical.statics.simply_supported_uniform_load_at_deflection":    {largeDeflection},
	"units.convert.temperature": {
		{what: "TEMPERATURE_BELOW_ABSOLUTE_ZERO at a and a result", threshold: true, reason: rounds},
	},
}

var halfOfLength = accepted{what: "LOAD_POSITION_OUT_OF_RANGE at load_position and .*", reason: half}

// accepts reports whether a difference is meant.
func (c *comparisonOf) accepts(what string, by float64, in value.Values) bool {
	return slices.ContainsFunc(acceptedOf[c.id], func(a accepted) bool {
		return regexp.MustCompile("^("+a.what+")$").MatchString(what) && by <= cmp.Or(a.most, math.Inf(1)) && (!a.threshold || c.isThreshold(in))
	})
}

// isThreshold replaces one number of a request by one next to it. It reports whether the Go engine then gives the kind of
// answer of the document.
func (c *comparisonOf) isThreshold(in value.Values) bool {
	kind := c.kindOfText()
	for i, v := range in {
		x := v.Number()
		switch v.Kind() {
		case value.Exact:
			x, _ = strconv.ParseFloat(v.Text(), 64)
		case value.Number:
		default:
			continue
		}
		for k := order(x) - 4; k <= order(x)+4; k++ {
			next := slices.Clone(in)
			next[i] = value.NumberOf(ofOrder(k))
			if math.Abs(ofOrder(k)) <= math.MaxFloat64 && c.kind(next) == kind {
				return true
			}
		}
	}
	return false
}
