package layers

import (
	"fmt"
	"math"
	"slices"

	"github.com/slipstick/slipstick/sdk"
)

// Profile is the temperature across a wall, as a figure shows it.
type Profile struct {
	Faces        []float64 // where layers begin and end: one more than layers
	Temperatures []float64 // at the faces, and before and after them where there is a film
	FirstFilm    bool
	LastFilm     bool
	Film         float64 // how thick films are drawn, which have no thickness that anybody knows

	// Drop is the part of the temperature drop of a layer that lies between its first
	// face and a place in it; nil for a straight line.
	Drop func(first, last, at float64) float64
}

// What a figure has room for.
const (
	most    = 190    // points and boundaries
	samples = 15_000 // of the curve
)

// Figure draws the profile.
func (p *Profile) Figure() (*sdk.Figure, error) {
	n := len(p.Faces) - 1
	first, last := p.Faces[0], p.Faces[n]
	if math.IsInf(last, 0) {
		return nil, sdk.Reject(sdk.CodeNonFiniteResult, "layers", "the wall is too thick to be drawn").
			Suggest("Use layers of smaller thickness.")
	}
	at, names := slices.Clone(p.Faces), faceNames(n)
	if p.FirstFilm {
		at, names = slices.Insert(at, 0, first-p.Film), slices.Insert(names, 0, "first fluid")
	}
	if p.LastFilm {
		at, names = append(at, last+p.Film), append(names, "last fluid")
	}
	f := &sdk.Figure{Curves: []sdk.Curve{p.curve(at)}}
	if len(at) > most {
		return f, nil
	}
	for i, x := range at {
		f.Points = append(f.Points, sdk.Point{Label: names[i], X: x, Y: p.Temperatures[i]})
	}
	low, high := slices.Min(p.Temperatures), slices.Max(p.Temperatures)
	for _, x := range p.Faces {
		f.Curves = append(f.Curves, sdk.Curve{Label: "face of a layer", Style: sdk.Guide, X: []float64{x, x}, Y: []float64{low, high}})
	}
	return f, nil
}

func faceNames(layers int) []string {
	names := []string{"first face"}
	for i := range layers - 1 {
		names = append(names, fmt.Sprintf("between layers %d and %d", i+1, i+2))
	}
	return append(names, "last face")
}

// curve joins the temperatures at the places, within layers as Drop says.
func (p *Profile) curve(at []float64) sdk.Curve {
	c := sdk.Curve{Label: "temperature"}
	begin := 0
	if p.FirstFilm {
		begin = 1
	}
	steps := max(1, min(16, samples/len(at)))
	for i, x := range at {
		inLayer := i > begin && i < begin+len(p.Faces) && x > at[i-1]
		for k := 1; p.Drop != nil && inLayer && k < steps; k++ {
			from, t0, t1 := at[i-1], p.Temperatures[i-1], p.Temperatures[i]
			between := from + float64((x-from)*float64(k)/float64(steps))
			c.X = append(c.X, between)
			c.Y = append(c.Y, t0+float64((t1-t0)*p.Drop(from, x, between)))
		}
		c.X, c.Y = append(c.X, x), append(c.Y, p.Temperatures[i])
	}
	return c
}
