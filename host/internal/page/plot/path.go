package plot

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// spot is a place in the picture, in pixels.
type spot struct{ x, y float64 }

func (a spot) plus(dx, dy float64) spot { return spot{a.x + dx, a.y + dy} }

// pixels writes a coordinate with one decimal.
func pixels(v float64) string {
	return strconv.FormatFloat(math.Round(v*10)/10+0, 'f', -1, 64)
}

// path collects the d attribute of an SVG path.
type path struct{ b strings.Builder }

func (p *path) move(s spot) *path { p.b.WriteString("M" + pixels(s.x) + " " + pixels(s.y)); return p }
func (p *path) line(s spot) *path { p.b.WriteString("L" + pixels(s.x) + " " + pixels(s.y)); return p }
func (p *path) close() *path      { p.b.WriteByte('Z'); return p }

// poly adds lines through spots. SVG reads coordinates without a letter as lines.
func (p *path) poly(spots []spot) *path {
	for i, s := range spots {
		switch i {
		case 0:
			p.b.WriteByte('L')
		default:
			p.b.WriteByte(' ')
		}
		p.b.WriteString(pixels(s.x) + " " + pixels(s.y))
	}
	return p
}

func (p *path) String() string { return p.b.String() }

// simplify returns the indexes of spots that suffice to draw the line. All other spots are closer to it than a reader can
// see.
func simplify(spots []spot) []int {
	kept := columns(spots)
	some := make([]spot, len(kept))
	for i, k := range kept {
		some[i] = spots[k]
	}
	var out []int
	for _, i := range thin(some, 0.05) {
		out = append(out, kept[i])
	}
	return out
}

// columns thins a very dense line. Of successive spots within a column of half a pixel it keeps the first, the last, the
// highest and the lowest.
func columns(spots []spot) []int {
	var kept []int
	column := func(i int) float64 { return math.Floor(2 * spots[i].x) }
	for start := 0; start < len(spots); {
		end, low, high := start+1, start, start
		for ; end < len(spots) && column(end) == column(start); end++ {
			if spots[end].y < spots[low].y {
				low = end
			}
			if spots[end].y > spots[high].y {
				high = end
			}
		}
		kept = append(kept, start, min(low, high), max(low, high), end-1)
		start = end
	}
	return slices.Compact(kept)
}

// thin removes spots that are within the tolerance of the line from the last kept spot to the next. It extends that line as
// long as a cone of directions from the last kept spot includes all spots in between.
func thin(spots []spot, tolerance float64) []int {
	if len(spots) == 0 {
		return nil
	}
	kept := []int{0}
	low, high := math.Inf(-1), math.Inf(1) // of the directions, from base
	base, far := 0.0, 0.0
	open := false
	for i := 1; i < len(spots); i++ {
		from := spots[kept[len(kept)-1]]
		dx, dy := spots[i].x-from.x, spots[i].y-from.y
		distance := math.Hypot(dx, dy)
		direction := math.Atan2(dy, dx)
		if open {
			turned := math.Remainder(direction-base, 2*math.Pi)
			if distance < far || turned < low || turned > high {
				kept = append(kept, i-1)
				open = false
				from = spots[i-1]
				dx, dy = spots[i].x-from.x, spots[i].y-from.y
				distance, direction = math.Hypot(dx, dy), math.Atan2(dy, dx)
			}
		}
		if distance <= tolerance { // no direction yet
			continue
		}
		if !open {
			open, base, far = true, direction, 0
			low, high = -math.Pi/2, math.Pi/2
		}
		turned := math.Remainder(direction-base, 2*math.Pi)
		wide := math.Asin(min(1, tolerance/distance))
		low, high, far = max(low, turned-wide), min(high, turned+wide), distance
	}
	if last := len(spots) - 1; kept[len(kept)-1] != last {
		kept = append(kept, last)
	}
	return kept
}
