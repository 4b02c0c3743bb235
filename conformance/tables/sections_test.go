package tables_test

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/slipstick/slipstick/sdk/preset"
)

// integral integrates f between neighbouring breaks, in steps that are shorter near them.
func integral(f func(float64) float64, breaks ...float64) float64 {
	const steps = 4000
	sum := 0.0
	for i := 1; i < len(breaks); i++ {
		from, span := breaks[i-1], breaks[i]-breaks[i-1]
		for k := range steps {
			u := (float64(k) + 0.5) / steps
			sum += f(from+span*u*u*(3-2*u)) * span * 6 * u * (1 - u) / steps
		}
	}
	return sum
}

// bending is what a doubly symmetric section has about one axis.
type bending struct{ area, second, elastic, plastic float64 }

// about integrates the width of a section from its axis to its edge, which is the last break.
func about(width func(float64) float64, breaks ...float64) bending {
	power := func(n float64) float64 {
		return 2 * integral(func(y float64) float64 { return width(y) * math.Pow(y, n) }, breaks...)
	}
	second := power(2)
	return bending{power(0), second, second / breaks[len(breaks)-1], power(1)}
}

// round is the distance between the end of a circular arc and its tangent, at a distance from the tangent point.
func round(r, x float64) float64 {
	if x <= 0 {
		return 0
	}
	return r - math.Sqrt(math.Max(0, r*r-x*x))
}

// row is a row of a table with its values in the units of the table.
type row struct {
	t     *testing.T
	table *preset.Table
	row   *preset.Row
}

func (r row) value(name string) float64 {
	r.t.Helper()
	k := r.table.Column(name)
	if k < 0 {
		r.t.Fatalf("no column %s", name)
	}
	return number(r.t, r.row.Cells[k].Literal)
}

// bends reports values that do not follow from the outline, which was integrated about both axes.
func (r row) bends(y, z bending) {
	r.t.Helper()
	near(r.t, fmt.Sprintf("%s: area from both sides", r.row.Key), y.area, z.area, 1e-6)
	r.is("area", y.area/1e2)
	r.is("mass_per_length", y.area*7850e-6)
	r.is("second_moment_y", y.second/1e4)
	r.is("section_modulus_y", y.elastic/1e3)
	r.is("plastic_section_modulus_y", y.plastic/1e3)
	r.is("second_moment_z", z.second/1e4)
	r.is("section_modulus_z", z.elastic/1e3)
	r.is("plastic_section_modulus_z", z.plastic/1e3)
}

// is reports a value that is not x rounded to four digits.
func (r row) is(name string, x float64) {
	r.t.Helper()
	step := math.Pow(10, math.Floor(math.Log10(x))-3)
	if got := r.value(name); math.Abs(got-x) > step*0.5001+x*1e-8 {
		r.t.Errorf("%s: %s is %v, and integration gives %.7g", r.row.Key, name, got, x)
	}
}

// printed reports a value that is not within a distance of the value in a publication.
func (r row) printed(name string, x, off float64) {
	r.t.Helper()
	if got := r.value(name); math.Abs(got-x) > off {
		r.t.Errorf("%s: %s is %v, and %v is printed", r.row.Key, name, got, x)
	}
}

func sections(t *testing.T, dir string) map[string]row {
	t.Helper()
	table := read(t, filepath.Join("..", "..", "plugins", "tables", dir))
	rows := map[string]row{}
	for i := range table.Rows {
		rows[table.Rows[i].Key] = row{t, table, &table.Rows[i]}
	}
	return rows
}

// The properties of I sections follow from their outline.
func TestEuropeanISections(t *testing.T) {
	rows := sections(t, "european_i")
	for _, r := range rows {
		h, b, r0 := r.value("height"), r.value("width"), r.value("root_radius")
		tw, tf := r.value("web_thickness"), r.value("flange_thickness")
		inner := h/2 - tf
		y := about(func(y float64) float64 {
			if y > inner {
				return b
			}
			return tw + 2*round(r0, y-(inner-r0))
		}, 0, inner-r0, inner, h/2)
		z := about(func(z float64) float64 {
			switch {
			case z < tw/2:
				return h
			case z < tw/2+r0:
				return 2*tf + 2*round(r0, tw/2+r0-z)
			}
			return 2 * tf
		}, 0, tw/2, tw/2+r0, b/2)
		r.bends(y, z)
	}
	// IPE 500: worked example DS-EC-07 of the program Diamonds, and shear area of eurocodepy. HEB 300 and HEM 600:
	// ArcelorMittal, in the data of XC. Others: eurocodepy, with torsion constants by finite elements.
	rows["HEA100"].printed("shear_area_z", 7.56, 0.005)
	rows["IPE500"].printed("shear_area_z", 59.87, 0.005)
	rows["IPE500"].printed("warping_constant", 1249400, 500)
	rows["IPE500"].printed("torsion_constant", 89.2870, 0.005)
	rows["HEB300"].printed("torsion_constant", 185, 0.05)
	rows["HEM600"].printed("torsion_constant", 1564, 0.5)
	rows["HEM600"].printed("plastic_section_modulus_y", 8772, 0.5)
	rows["IPE200"].printed("torsion_constant", 6.846, 0.15)
	rows["IPE600"].printed("torsion_constant", 164.6, 1)
}

// The properties of hollow sections follow from their outline. Printed values are from the data of steelsnakes.
func TestRectangularHollowSections(t *testing.T) {
	rows := sections(t, "rectangular_en10210")
	for _, r := range rows {
		h, b, wall := r.value("height"), r.value("width"), r.value("wall_thickness")
		hollow := func(h, b float64) bending {
			solid := func(h, b, radius, y float64) float64 {
				if y > h/2 {
					return 0
				}
				return b - 2*round(radius, y-(h/2-radius))
			}
			return about(func(y float64) float64 {
				return solid(h, b, 1.5*wall, y) - solid(h-2*wall, b-2*wall, wall, y)
			}, 0, h/2-2*wall, h/2-1.5*wall, h/2-wall, h/2)
		}
		y, z := hollow(h, b), hollow(b, h)
		r.bends(y, z)
	}
	rows["RHS50x30x3.2"].printed("torsion_constant", 14.2, 0.05)
	rows["RHS50x30x3.2"].printed("torsion_modulus", 6.80, 0.005)
	rows["SHS40x40x4"].printed("torsion_constant", 19.5, 0.05)
	rows["SHS40x40x4"].printed("torsion_modulus", 8.54, 0.005)
}

func TestCircularHollowSections(t *testing.T) {
	rows := sections(t, "circular_en10210")
	for _, r := range rows {
		radius, wall := r.value("outside_diameter")/2, r.value("wall_thickness")
		disc := func(radius, y float64) float64 { return 2 * math.Sqrt(math.Max(0, radius*radius-y*y)) }
		x := about(func(y float64) float64 { return disc(radius, y) - disc(radius-wall, y) }, 0, radius-wall, radius)
		r.is("area", x.area/1e2)
		r.is("mass_per_length", x.area*7850e-6)
		r.is("second_moment", x.second/1e4)
		r.is("section_modulus", x.elastic/1e3)
		r.is("plastic_section_modulus", x.plastic/1e3)
		r.is("torsion_constant", 2*x.second/1e4)
		r.is("torsion_modulus", 2*x.elastic/1e3)
	}
	rows["CHS42.4x4"].printed("section_modulus", 4.24, 0.005)
	rows["CHS42.4x4"].printed("plastic_section_modulus", 5.92, 0.005)
}

// The properties of channels follow from their outline. Printed values are from amesweb.info, and torsion constants
// from the data of steelsnakes.
func TestEuropeanChannels(t *testing.T) {
	rows := sections(t, "european_upe")
	for _, r := range rows {
		h, b, r0 := r.value("height"), r.value("width"), r.value("root_radius")
		tw, tf := r.value("web_thickness"), r.value("flange_thickness")
		inner := h/2 - tf
		y := about(func(y float64) float64 {
			if y > inner {
				return b
			}
			return tw + round(r0, y-(inner-r0))
		}, 0, inner-r0, inner, h/2)
		depth := func(z float64) float64 {
			switch {
			case z < tw:
				return h
			case z < tw+r0:
				return 2*tf + 2*round(r0, tw+r0-z)
			}
			return 2 * tf
		}
		power := func(n float64) float64 {
			return integral(func(z float64) float64 { return depth(z) * math.Pow(z, n) }, 0, tw, tw+r0, b)
		}
		area := power(0)
		e := power(1) / area
		second := power(2) - area*e*e
		near(t, fmt.Sprintf("%s: area from both sides", r.row.Key), y.area, area, 1e-6)
		r.is("area", y.area/1e2)
		r.is("mass_per_length", y.area*7850e-6)
		r.is("second_moment_y", y.second/1e4)
		r.is("section_modulus_y", y.elastic/1e3)
		r.is("plastic_section_modulus_y", y.plastic/1e3)
		r.is("centroid_distance", e)
		r.is("second_moment_z", second/1e4)
		r.is("section_modulus_z", second/(b-e)/1e3)
	}
	for key, want := range map[string][2]float64{"UPE80": {37.1, 1.47}, "UPE200": {54.1, 8.89}, "UPE400": {60.6, 79.1}} {
		rows[key].printed("shear_centre_distance", want[0], 0.05)
		rows[key].printed("torsion_constant", want[1], 0.05)
	}
}

// The properties of angles follow from their outline. Printed values with four digits are from ArcelorMittal, in the
// data of XC. Others are from the data of steelsnakes.
func TestEqualAngles(t *testing.T) {
	rows := sections(t, "equal_angles")
	for _, r := range rows {
		a, thick, r1, r2 := r.value("leg_width"), r.value("thickness"), r.value("root_radius"), r.value("toe_radius")
		width := func(y float64) float64 {
			if y < thick {
				return a - round(r2, y-(thick-r2))
			}
			return thick + round(r1, thick+r1-y) - round(r2, y-(a-r2))
		}
		moment := func(f func(y, w float64) float64) float64 {
			return integral(func(y float64) float64 { return f(y, width(y)) }, 0, thick-r2, thick, thick+r1, a-r2, a)
		}
		area := moment(func(_, w float64) float64 { return w })
		e := moment(func(y, w float64) float64 { return y * w }) / area
		second := moment(func(y, w float64) float64 { return y * y * w }) - area*e*e
		product := moment(func(y, w float64) float64 { return y * w * w / 2 }) - area*e*e
		r.is("area", area/1e2)
		r.is("mass_per_length", area*7850e-6)
		r.is("centroid_distance", e)
		r.is("second_moment", second/1e4)
		r.is("section_modulus", second/(a-e)/1e3)
		r.is("second_moment_u", (second-product)/1e4)
		r.is("second_moment_v", (second+product)/1e4)
		r.is("radius_of_gyration_v", math.Sqrt((second+product)/area))
	}
	rows["L100x100x10"].printed("area", 19.15, 0.005)
	rows["L100x100x10"].printed("second_moment", 176.7, 0.05)
	rows["L100x100x10"].printed("second_moment_u", 280, 0.5)
	rows["L100x100x10"].printed("second_moment_v", 73.0, 0.05)
	rows["L100x100x10"].printed("torsion_constant", 6.97, 0.005)
	rows["L200x200x24"].printed("second_moment", 3331, 0.5)
}

// The radii of American shapes follow from their other values. W18X50 is printed in the AISC Design Examples, F.1-2B.
func TestAmericanShapes(t *testing.T) {
	rows := sections(t, "american_w")
	for _, r := range rows {
		second, warping := r.value("second_moment_z"), r.value("warping_constant")
		radius := math.Sqrt(math.Sqrt(second*warping) / r.value("section_modulus_y"))
		near(t, r.row.Key+": effective radius", r.value("effective_radius"), radius, 5e-3)
	}
	for name, want := range map[string]float64{
		"plastic_section_modulus_y": 101, "torsion_constant": 1.24, "effective_radius": 1.98, "flange_distance": 17.4,
	} {
		rows["W18X50"].printed(name, want, 0)
	}
}

// The properties of channels with taper flanges are integrated over their outline, which is in slices along the web.
// Printed values are from ArcelorMittal, in the data of XC, and the centroid is from DIN 1026-1.
func TestTaperChannels(t *testing.T) {
	rows := sections(t, "european_upn")
	for _, r := range rows {
		h, b, r1, r2 := r.value("height"), r.value("width"), r.value("root_radius"), r.value("toe_radius")
		tw, tf := r.value("web_thickness"), r.value("flange_thickness")
		slope, middle := 0.08, b/2
		if h > 300 {
			slope, middle = 0.05, (b+tw)/2
		}
		inner := func(x float64) float64 { return h/2 - tf - slope*(middle-x) }
		long := math.Hypot(1, slope)
		root, toe := tw+r1, b-r2 // centres of the arcs
		rootEnd, toeStart := root-r1*slope/long, toe+r2*slope/long
		from := func(x float64) float64 { // half of the opening between the flanges
			switch {
			case x < tw:
				return 0
			case x < rootEnd:
				return inner(root) - r1*long + math.Sqrt(math.Max(0, r1*r1-(x-root)*(x-root)))
			case x < toeStart:
				return inner(x)
			}
			return inner(toe) + r2*long - math.Sqrt(math.Max(0, r2*r2-(x-toe)*(x-toe)))
		}
		over := func(f func(x, from float64) float64) float64 {
			return 2 * integral(func(x float64) float64 { return f(x, from(x)) }, 0, tw, rootEnd, toeStart, b)
		}
		area := over(func(_, y float64) float64 { return h/2 - y })
		e := over(func(x, y float64) float64 { return x * (h/2 - y) }) / area
		strong := over(func(_, y float64) float64 { return (h*h*h/8 - y*y*y) / 3 })
		weak := over(func(x, y float64) float64 { return x * x * (h/2 - y) }) - area*e*e
		r.is("area", area/1e2)
		r.is("mass_per_length", area*7850e-6)
		r.is("second_moment_y", strong/1e4)
		r.is("section_modulus_y", 2*strong/h/1e3)
		r.is("plastic_section_modulus_y", over(func(_, y float64) float64 { return (h*h/4 - y*y) / 2 })/1e3)
		r.is("second_moment_z", weak/1e4)
		r.is("section_modulus_z", weak/(b-e)/1e3)
		r.is("centroid_distance", e)
	}
	rows["UPN80"].printed("centroid_distance", 14.5, 0.05)
	rows["UPN200"].printed("area", 32.2, 0.05)
	rows["UPN200"].printed("second_moment_y", 1910, 5)
	rows["UPN200"].printed("second_moment_z", 148, 0.5)
	rows["UPN200"].printed("torsion_constant", 11.9, 0)
	rows["UPN200"].printed("warping_constant", 9070, 0)
}
