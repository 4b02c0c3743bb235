package tables_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/slipstick/slipstick/sdk/preset"
)

var update = flag.Bool("update", false, "write the rows of the table of water")

// term is one term of the Gibbs energy of IAPWS-IF97, region 1.
type term struct {
	i, j int
	n    float64
}

var region1 = []term{
	{0, -2, 0.14632971213167}, {0, -1, -0.84548187169114}, {0, 0, -0.37563603672040e1}, {0, 1, 0.33855169168385e1},
	{0, 2, -0.95791963387872}, {0, 3, 0.15772038513228}, {0, 4, -0.16616417199501e-1}, {0, 5, 0.81214629983568e-3},
	{1, -9, 0.28319080123804e-3}, {1, -7, -0.60706301565874e-3}, {1, -1, -0.18990068218419e-1}, {1, 0, -0.32529748770505e-1},
	{1, 1, -0.21841717175414e-1}, {1, 3, -0.52838357969930e-4}, {2, -3, -0.47184321073267e-3}, {2, 0, -0.30001780793026e-3},
	{2, 1, 0.47661393906987e-4}, {2, 3, -0.44141845330846e-5}, {2, 17, -0.72694996297594e-15}, {3, -4, -0.31679644845054e-4},
	{3, 0, -0.28270797985312e-5}, {3, 6, -0.85205128120103e-9}, {4, -5, -0.22425281908000e-5}, {4, -2, -0.65171222895601e-6},
	{4, 10, -0.14341729937924e-12}, {5, -8, -0.40516996860117e-6}, {8, -11, -0.12734301741641e-8}, {8, -6, -0.17424871230634e-9},
	{21, -29, -0.68762131295531e-18}, {23, -31, 0.14478307828521e-19}, {29, -38, 0.26335781662795e-22}, {30, -39, -0.11947622640071e-22},
	{31, -40, 0.18228094581404e-23}, {32, -41, -0.93537087283453e-25},
}

// if97 returns the specific volume in m3/kg and the specific heat in J/(kg K) at a temperature in
// K and a pressure in MPa.
func if97(t, p float64) (v, cp float64) {
	const r = 461.526
	pi, tau := p/16.53, 1386/t
	var gp, gtt float64
	for _, m := range region1 {
		a, b := 7.1-pi, tau-1.222
		gp -= m.n * float64(m.i) * math.Pow(a, float64(m.i-1)) * math.Pow(b, float64(m.j))
		gtt += m.n * math.Pow(a, float64(m.i)) * float64(m.j*(m.j-1)) * math.Pow(b, float64(m.j-2))
	}
	return pi * gp * r * t / (p * 1e6), -r * tau * tau * gtt
}

// viscosity is IAPWS R12-08 in uPa s, without the critical enhancement.
func viscosity(t, rho float64) float64 {
	h := map[[2]int]float64{
		{0, 0}: 5.20094e-1, {1, 0}: 8.50895e-2, {2, 0}: -1.08374, {3, 0}: -2.89555e-1,
		{0, 1}: 2.22531e-1, {1, 1}: 9.99115e-1, {2, 1}: 1.88797, {3, 1}: 1.26613, {5, 1}: 1.20573e-1,
		{0, 2}: -2.81378e-1, {1, 2}: -9.06851e-1, {2, 2}: -7.72479e-1, {3, 2}: -4.89837e-1, {4, 2}: -2.57040e-1,
		{0, 3}: 1.61913e-1, {1, 3}: 2.57399e-1, {0, 4}: -3.25372e-2, {3, 4}: 6.98452e-2, {4, 5}: 8.72102e-3,
		{3, 6}: -4.35673e-3, {5, 6}: -5.93264e-4,
	}
	tr, d := t/647.096, rho/322
	sum := 0.0
	for i, c := range []float64{1.67752, 2.20462, 0.6366564, -0.241605} {
		sum += c / math.Pow(tr, float64(i))
	}
	exponent := 0.0
	for at, c := range h {
		exponent += c * math.Pow(1/tr-1, float64(at[0])) * math.Pow(d-1, float64(at[1]))
	}
	return 100 * math.Sqrt(tr) / sum * math.Exp(d*exponent)
}

// conductivity is IAPWS R15-11 in mW/(m K), without the critical enhancement.
func conductivity(t, rho float64) float64 {
	l := [5][6]float64{
		{1.60397357, -0.646013523, 0.111443906, 0.102997357, -0.0504123634, 0.00609859258},
		{2.33771842, -2.78843778, 1.53616167, -0.463045512, 0.0832827019, -0.00719201245},
		{2.19650529, -4.54580785, 3.55777244, -1.40944978, 0.275418278, -0.0205938816},
		{-1.21051378, 1.60812989, -0.621178141, 0.0716373224, 0, 0},
		{-2.7203370, 4.57586331, -3.18369245, 1.1168348, -0.19268305, 0.012913842},
	}
	tr, d := t/647.096, rho/322
	sum := 0.0
	for i, c := range []float64{2.443221e-3, 1.323095e-2, 6.770357e-3, -3.454586e-3, 4.096266e-4} {
		sum += c / math.Pow(tr, float64(i))
	}
	exponent := 0.0
	for i := range l {
		for j, c := range l[i] {
			exponent += c * math.Pow(1/tr-1, float64(i)) * math.Pow(d-1, float64(j))
		}
	}
	return math.Sqrt(tr) / sum * math.Exp(d*exponent)
}

func near(t *testing.T, what string, got, want, relative float64) {
	t.Helper()
	if math.Abs(got-want) > relative*math.Abs(want) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// The formulations give the values that their releases publish for verification.
func TestFormulationsOfWater(t *testing.T) {
	for _, tt := range []struct{ t, p, v, cp float64 }{
		{300, 3, 0.100215168e-2, 0.417301218e4},
		{300, 80, 0.971180894e-3, 0.401008987e4},
		{500, 3, 0.120241800e-2, 0.465580682e4},
	} {
		v, cp := if97(tt.t, tt.p)
		near(t, fmt.Sprintf("volume at %v K and %v MPa", tt.t, tt.p), v, tt.v, 5e-9)
		near(t, fmt.Sprintf("specific heat at %v K and %v MPa", tt.t, tt.p), cp, tt.cp, 2e-9)
	}
	near(t, "viscosity", viscosity(298.15, 998), 889.735100, 1e-8)
	near(t, "viscosity of dense water", viscosity(298.15, 1200), 1437.649467, 1e-8)
	near(t, "viscosity of hot water", viscosity(373.15, 1000), 307.883622, 1e-8)
	near(t, "conductivity without density", conductivity(298.15, 0), 18.4341883, 1e-8)
	near(t, "conductivity", conductivity(298.15, 998), 607.712868, 1e-8)
	near(t, "conductivity of dense water", conductivity(298.15, 1200), 799.038144, 1e-8)
}

const waterPressure = 0.101325 // MPa

// waterAt returns the table values at a temperature in degC.
func waterAt(celsius float64) []float64 {
	t := celsius + 273.15
	v, cp := if97(t, waterPressure)
	mu := viscosity(t, 1/v) / 1000
	return []float64{1 / v, mu, mu * v * 1e3, cp, conductivity(t, 1/v)}
}

// The published rows match the formulations, and so do interpolated values.
func TestTableOfWater(t *testing.T) {
	dir := filepath.Join("..", "..", "plugins", "tables", "water")
	var rows bytes.Buffer
	rows.WriteString("temperature,density,dynamic_viscosity,kinematic_viscosity,specific_heat,thermal_conductivity\n")
	for celsius := 0.0; celsius <= 100; celsius += 5 {
		x := waterAt(celsius)
		fmt.Fprintf(&rows, "%v,%s,%s,%s,%s,%s\n", celsius, digits(x[0], 5), digits(x[1], 5), digits(x[2], 5), digits(x[3], 5), digits(x[4], 4))
	}
	if *update {
		if err := os.WriteFile(filepath.Join(dir, "rows.csv"), rows.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	published := read(t, dir)
	if got := published.CSV(); !bytes.Equal(got, rows.Bytes()) {
		t.Errorf("rows:\n%s\nwant:\n%s", got, rows.Bytes())
	}
	for celsius := 2.5; celsius < 100; celsius += 5 {
		want := waterAt(celsius)
		for k, most := range []float64{2e-5, 1e-3, 1e-3, 2e-4, 2e-4} {
			literal, _, err := published.At(k+1, new(big.Rat).SetFloat64(celsius))
			if err != nil {
				t.Fatal(err)
			}
			near(t, fmt.Sprintf("%s at %v degC", published.Columns[k+1].Name, celsius), number(t, literal), want[k], most)
		}
	}
}

func digits(x float64, n int) string {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', n-1, 64), 64)
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

func number(t *testing.T, literal string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(literal, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func read(t *testing.T, dir string) *preset.Table {
	t.Helper()
	spec, err := os.ReadFile(filepath.Join(dir, "table.json"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := os.ReadFile(filepath.Join(dir, "rows.csv"))
	if err != nil {
		t.Fatal(err)
	}
	table, err := preset.Parse(spec, rows)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func file(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
