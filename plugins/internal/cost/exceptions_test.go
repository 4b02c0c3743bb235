package cost_test

// exception is a bound above the common one.
type exception struct {
	allocations float64
	reason      string
}

// The reasons why a question is left to exact numbers.
const (
	tie   = "values that lie half way between two binary64, or cancel altogether, take exact fractions"
	lists = "lists whose digits cancel take exact integers, one or two for each number"
)

// exceptions are by the directory of the engine. Each bounds the engine's worst question. Most
// of those were made to be hard, but any long list, or wall of many layers, exceeds the common
// bound, and with some engines a question with ordinary numbers may, too.
var exceptions = map[string]exception{
	"electrical/circuits/led_series_resistor":  {110, tie},
	"electrical/power/power_factor_correction": {75, "equal power factors, whose difference is zero to all 224 bits"},
	"finance/loan/payment":                     {180, "payments of a few of the least numbers there are, half way between two of those, take powers of several hundred bits"},
	"fluids/bernoulli/downstream_pressure":     {70, tie},
	"fluids/pipe/friction_factor":              {140, "factors beyond the range in which a step of Newton has a proved bound take 224 bits"},
	"mechanical/materials/elastic_constants":   {150, tie},
	"mechanical/sections/circle":               {210, "a wall of a few units in the last place: the moments of both circles cancel"},
	"mechanical/sections/i_section":            {320, "a web that vanishes beside a flange of 1e110: sums cancel"},
	"mechanical/sections/polygon":              {130, "sums over all corners that cancel altogether are made again in integers, and the results they decide in fractions"},
	"mechanical/sections/rectangle":            {390, "a wall of 1e-15: the moments of both rectangles cancel"},
	"mechanical/stress/plane_stress":           {160, "the nearest binary64 of a principal value is proved by signs of exact differences"},
	"mechanical/stress/thick_cylinder":         {120, tie},
	"mechanical/torsion/circular_shaft":        {280, "a wall of a few units in the last place: the moments of both circles cancel"},
	"statistics/regression/linear":             {380, lists},
	"statistics/univariate/summary":            {520, lists},
	"thermo/conduction/plane_wall":             {540, "250 layers have a temperature each, and their resistances cancel"},
	"thermo/heat_exchanger/effectiveness_ntu":  {60, "1e300 transfer units: an exponential beyond all numbers takes 224 bits"},
	"thermo/heat_exchanger/lmtd":               {60, tie},
	"thermo/radiation/grey_surface":            {120, tie},
	"thermo/radiation/grey_surface_v1":         {120, tie},
	"units/convert/angle":                      {65, "the least number there is, times pi: it lies half way to the next"},
	"units/convert/temperature":                {130, "absolute zero, which cancels altogether, is rejected in exact numbers"},
}
