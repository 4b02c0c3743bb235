package plane_stress

import (
	"math"
	"math/big"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../plane_stress.calc.md")

func of(t ask.Tester, sx, sy, tau float64) map[string]float64 {
	t.Helper()
	return ask.For(t, engine, ask.In{"sigma_x": sx, "sigma_y": sy, "tau_xy": tau}).Number
}

// signed draws a number of either sign that is zero or not tiny, so that products of some
// do not underflow.
func signed(t *rapid.T, name string, most float64) float64 {
	return float64(rapid.Int64Range(-1<<50, 1<<50).Draw(t, name)) * 0x1p-50 * most
}

func states(t *rapid.T) (sx, sy, tau float64) {
	return signed(t, "sx", 1e9), signed(t, "sy", 1e9), signed(t, "tau", 1e9)
}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}

// turned returns the stresses on planes that are turned counterclockwise.
func turned(sx, sy, tau, angle float64) (tx, ty, txy float64) {
	sin, cos := math.Sincos(angle)
	tx = sx*cos*cos + sy*sin*sin + 2*tau*sin*cos
	ty = sx*sin*sin + sy*cos*cos - 2*tau*sin*cos
	return tx, ty, (sy-sx)*sin*cos + tau*(cos*cos-sin*sin)
}

// TestTurningTheElement changes no invariant, and changes the principal angle by the same angle.
func TestTurningTheElement(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sx, sy, tau := states(t)
		angle := rapid.Float64Range(-3, 3).Draw(t, "angle")
		a := of(t, sx, sy, tau)
		tx, ty, txy := turned(sx, sy, tau, angle)
		b := of(t, tx, ty, txy)
		size := math.Abs(sx) + math.Abs(sy) + math.Abs(tau)
		for _, name := range []string{"sigma_1", "sigma_2", "tau_max_in_plane", "tau_max_absolute", "von_mises", "tresca"} {
			if math.Abs(a[name]-b[name]) > 1e-14*size {
				t.Fatalf("%s = %v, turned %v", name, a[name], b[name])
			}
		}
		if a["tau_max_in_plane"] > 1e-3*size {
			if off := math.Remainder(a["principal_angle"]-angle-b["principal_angle"], math.Pi); math.Abs(off) > 1e-11 {
				t.Fatalf("principal angle %v, turned by %v it is %v", a["principal_angle"], angle, b["principal_angle"])
			}
		}
	})
}

// TestPrincipalPlanes turns the planes by the principal angle: there is no shear, and the
// normal stresses are the principal stresses.
func TestPrincipalPlanes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sx, sy, tau := states(t)
		a := of(t, sx, sy, tau)
		p1, p2, shear := turned(sx, sy, tau, a["principal_angle"])
		size := math.Abs(sx) + math.Abs(sy) + math.Abs(tau)
		if math.Abs(p1-a["sigma_1"]) > 1e-14*size || math.Abs(p2-a["sigma_2"]) > 1e-14*size || math.Abs(shear) > 1e-14*size {
			t.Fatalf("on the principal faces %v, %v and %v, want %v, %v and 0", p1, p2, shear, a["sigma_1"], a["sigma_2"])
		}
		if angle := a["principal_angle"]; angle < -math.Pi/2 || angle > math.Pi/2 { // math.Pi/2 lies below pi/2
			t.Fatalf("principal angle %v", angle)
		}
	})
}

// decimal is the shortest decimal that reads as x, with which the document computes.
func decimal(x float64) *big.Rat {
	d, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
	return d
}

func TestInvariantsAndBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sx, sy, tau := states(t)
		a := of(t, sx, sy, tau)
		s1, s2, size := a["sigma_1"], a["sigma_2"], math.Abs(sx)+math.Abs(sy)+math.Abs(tau)
		product := new(big.Rat).Mul(decimal(sx), decimal(sy))
		product.Sub(product, new(big.Rat).Mul(decimal(tau), decimal(tau)))
		off, _ := product.Sub(product, new(big.Rat).Mul(decimal(s1), decimal(s2))).Float64()
		if math.Abs(s1+s2-sx-sy) > 4e-16*size || math.Abs(off) > 4e-16*size*size {
			t.Fatalf("sum %v, product %v of %v, %v, %v", s1+s2, s1*s2, sx, sy, tau)
		}
		if s1 < s2 || s1 < max(sx, sy) || s2 > min(sx, sy) {
			t.Fatalf("%v and %v do not enclose %v and %v", s1, s2, sx, sy)
		}
		if want := math.Sqrt(s1*s1 - s1*s2 + s2*s2); !near(a["von_mises"], want, 1e-14) {
			t.Fatalf("von Mises %v, of the principal stresses %v", a["von_mises"], want)
		}
		if vm, tresca := a["von_mises"], a["tresca"]; vm > tresca*(1+4e-16) || vm < tresca*math.Sqrt(3)/2*(1-4e-16) {
			t.Fatalf("von Mises %v and Tresca %v", vm, tresca)
		}
		if a["tresca"] != 2*a["tau_max_absolute"] || a["tau_max_absolute"] < a["tau_max_in_plane"] {
			t.Fatalf("Tresca %v, greatest shear %v, in the plane %v", a["tresca"], a["tau_max_absolute"], a["tau_max_in_plane"])
		}
	})
}

// TestSymmetry changes the signs, mirrors the element and exchanges the planes.
func TestSymmetry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sx, sy, tau := states(t)
		a, opposite, mirrored, exchanged := of(t, sx, sy, tau), of(t, -sx, -sy, -tau), of(t, sx, sy, -tau), of(t, sy, sx, tau)
		if a["sigma_1"] != -opposite["sigma_2"] || a["sigma_2"] != -opposite["sigma_1"] || a["von_mises"] != opposite["von_mises"] || a["tresca"] != opposite["tresca"] {
			t.Fatalf("%v, turned around %v", a, opposite)
		}
		for _, b := range []map[string]float64{mirrored, exchanged} {
			for _, name := range []string{"sigma_1", "sigma_2", "tau_max_in_plane", "tau_max_absolute", "von_mises", "tresca"} {
				if a[name] != b[name] {
					t.Fatalf("%s = %v, mirrored %v", name, a[name], b[name])
				}
			}
		}
		if tau != 0 && a["principal_angle"] != -mirrored["principal_angle"] {
			t.Fatalf("principal angle %v, mirrored %v", a["principal_angle"], mirrored["principal_angle"])
		}
	})
}
