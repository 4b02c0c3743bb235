package beam

import "github.com/slipstick/slipstick/plugins/internal/adaptive"

// Force is a load at one place, positive downwards.
type Force struct {
	Label     string
	At, Force float64
}

// Load is a load between two places, positive downwards. Its intensity runs straight
// from one to the other.
type Load struct {
	Label      string
	From, To   float64
	Start, End float64 // intensities
}

// resultants are the force of a load on the part of the beam left of a section, and its
// moment about the section.
func (l *Load) resultants(x *adaptive.X, at float64) (force, moment adaptive.Num) {
	if at <= l.From || l.To <= l.From {
		return x.Int(0), x.Int(0)
	}
	from, start := x.Of(l.From), x.Of(l.Start)
	covered := x.Of(min(at, l.To)).Sub(from)
	rise := x.Of(l.End).Sub(start).Mul(covered).Div(x.Of(l.To).Sub(from)) // of the intensity, where the cover ends
	force = start.Add(rise.Div(x.Int(2))).Mul(covered)
	moment = start.Div(x.Int(2)).Add(rise.Div(x.Int(6))).Mul(covered.Pow(2))
	if at > l.To {
		moment = moment.Add(force.Mul(x.Of(at).Sub(x.Of(l.To))))
	}
	return force, moment
}

// Balance sets Shear and Moment by what the left support does: its reaction, and its
// moment where it hogs, which is nil for a support that holds none. The rest are the
// loads.
func (b *Beam) Balance(reaction, hogging Value) {
	b.Shear = func(x *adaptive.X, at float64) adaptive.Num {
		sum := reaction(x)
		for _, f := range b.Forces {
			if f.At <= at {
				sum = sum.Sub(x.Of(f.Force))
			}
		}
		for _, l := range b.Loads {
			force, _ := l.resultants(x, at)
			sum = sum.Sub(force)
		}
		return sum
	}
	b.Moment = func(x *adaptive.X, at float64) adaptive.Num {
		sum := reaction(x).Mul(x.Of(at))
		if hogging != nil {
			sum = sum.Sub(hogging(x))
		}
		for _, f := range b.Forces {
			if f.At < at {
				sum = sum.Sub(x.Of(f.Force).Mul(x.Of(at).Sub(x.Of(f.At))))
			}
		}
		for _, l := range b.Loads {
			_, moment := l.resultants(x, at)
			sum = sum.Sub(moment)
		}
		return sum
	}
}
