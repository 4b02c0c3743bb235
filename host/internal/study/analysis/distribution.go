package analysis

import (
	"fmt"
	"math"
)

// Kind is a kind of distribution. JCGM 101:2008, 6.4 assigns one to the knowledge about an input.
type Kind string

// Kinds of distributions, with their parameters.
const (
	Normal      Kind = "normal"                // standard uncertainty
	Student     Kind = "t"                     // scale and degrees of freedom
	Rectangular Kind = "rectangular"           // half-width
	Curved      Kind = "curvilinear_trapezoid" // a curvilinear trapezoid: a rectangle with an uncertain half-width
	Trapezoidal Kind = "trapezoidal"           // half-width, and half-width of the flat top
	Triangular  Kind = "triangular"            // half-width
	Arcsine     Kind = "arcsine"               // half-width
	Exponential Kind = "exponential"           // from zero on; the estimate is its mean
	Gamma       Kind = "gamma"                 // of a count: the estimate is the count, and the shape is the count plus 1
)

// Distribution is the knowledge about an input.
type Distribution struct {
	Kind     Kind
	Estimate float64
	Standard float64 // standard uncertainty of a normal distribution, scale of Student's t
	Width    float64 // half-width
	Inner    float64 // half-width of the top of a trapezoid; uncertainty of the half-width of a curved one
	Freedom  float64 // degrees of freedom of Student's t, or of the standard uncertainty; 0 if infinite
}

// Parameter is a parameter of a distribution.
type Parameter string

// Parameters of distributions, with their names in plans.
const (
	OfEstimate Parameter = ""
	OfKind     Parameter = "distribution"
	OfStandard Parameter = "standard_uncertainty"
	OfWidth    Parameter = "half_width"
	OfInner    Parameter = "inner_half_width"
	OfFreedom  Parameter = "degrees_of_freedom"
)

// DistributionError explains why a distribution does not exist.
type DistributionError struct {
	Parameter Parameter
	Detail    string
}

// Error implements error.
func (e *DistributionError) Error() string { return e.Detail }

// Check returns a [DistributionError] if the distribution does not exist.
func (d *Distribution) Check() error {
	bad := func(p Parameter, format string, args ...any) error {
		return &DistributionError{p, fmt.Sprintf(format, args...)}
	}
	switch d.Kind {
	case Normal, Student:
		if d.Standard <= 0 {
			return bad(OfStandard, "its standard uncertainty is %g, and must be above 0", d.Standard)
		}
		if d.Kind == Student && d.Freedom <= 2 {
			return bad(OfFreedom, "its degrees of freedom are %g, and must be above 2: else it has no standard deviation", d.Freedom)
		}
	case Rectangular, Triangular, Arcsine, Trapezoidal, Curved:
		if d.Width <= 0 {
			return bad(OfWidth, "its half-width is %g, and must be above 0", d.Width)
		}
		if (d.Kind == Trapezoidal || d.Kind == Curved) && (d.Inner < 0 || d.Inner > d.Width) {
			return bad(OfInner, "its inner half-width is %g, and must be from 0 to the half-width %g", d.Inner, d.Width)
		}
	case Exponential:
		if d.Estimate <= 0 {
			return bad(OfEstimate, "its estimate is %g, and must be above 0: it is the mean", d.Estimate)
		}
	case Gamma:
		if d.Estimate < 0 {
			return bad(OfEstimate, "its estimate is %g, and must be a count", d.Estimate)
		}
	default:
		return bad(OfKind, "there is no distribution %q", d.Kind)
	}
	if u := d.StandardDeviation(); !finite(u) {
		return bad(OfStandard, "its standard deviation is beyond the range of binary64 numbers")
	}
	return nil
}

// Mean returns the expectation.
func (d *Distribution) Mean() float64 {
	if d.Kind == Gamma {
		return d.Estimate + 1
	}
	return d.Estimate
}

// StandardDeviation returns the standard deviation.
func (d *Distribution) StandardDeviation() float64 {
	switch d.Kind {
	case Student:
		return d.Standard * math.Sqrt(d.Freedom/(d.Freedom-2))
	case Rectangular:
		return d.Width / math.Sqrt(3)
	case Curved:
		return inRange(func(scale float64) float64 {
			width, inner := d.Width*scale, d.Inner*scale
			return math.Sqrt(float64(width*width/3) + float64(inner*inner/9))
		})
	case Trapezoidal:
		return inRange(func(scale float64) float64 {
			width, inner := d.Width*scale, d.Inner*scale
			return math.Sqrt((float64(width*width) + float64(inner*inner)) / 6)
		})
	case Triangular:
		return d.Width / math.Sqrt(6)
	case Arcsine:
		return d.Width / math.Sqrt2
	case Exponential:
		return d.Estimate
	case Gamma:
		return math.Sqrt(d.Estimate + 1)
	}
	return d.Standard
}

// draw returns a value of the distribution.
func (d *Distribution) draw(s *source) float64 {
	switch d.Kind {
	case Student:
		return d.Estimate + float64(d.Standard*s.student(d.Freedom))
	case Rectangular:
		return d.Estimate + float64(d.Width*s.even())
	case Curved:
		width := d.Width + float64(d.Inner*s.even())
		return d.Estimate + float64(width*s.even())
	case Trapezoidal:
		return d.Estimate + float64((d.Width+d.Inner)/2*s.even()) + float64((d.Width-d.Inner)/2*s.even())
	case Triangular:
		return d.Estimate + float64(d.Width/2*(s.even()+s.even()))
	case Arcsine:
		return d.Estimate + float64(d.Width*s.sine())
	case Exponential:
		return d.Estimate * s.exponential()
	case Gamma:
		return s.gamma(d.Estimate + 1)
	}
	return d.Estimate + float64(d.Standard*s.normal())
}
