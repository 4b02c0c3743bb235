package elementary_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/elementary"
)

// off is how far a is from b, relative to b, as a power of two.
func off(a, b elementary.Num) float64 {
	if a.Cmp(b) == 0 {
		return math.Inf(-1)
	}
	return math.Log2(math.Abs(a.Sub(b).Div(b).Float()))
}

// right is what the package promises.
const right = -170

// TestFunctions holds them to values that mpmath 1.3 gives with 420 bits. The arguments
// are decimals, so some are rounded to 192 bits first.
func TestFunctions(t *testing.T) {
	for _, c := range []struct {
		name     string
		f        func(elementary.Num) elementary.Num
		at, want string
	}{
		{"Exp", elementary.Num.Exp, "1", "2.71828182845904523536028747135266249775724709369995957496696762772407663035"},
		{"Exp", elementary.Num.Exp, "-1", "0.367879441171442321595523770161460867445811131031767834507836801697461495745"},
		{"Exp", elementary.Num.Exp, "0.3", "1.34985880757600310398374431332800733037829969735936580304991798993961258740"},
		{"Exp", elementary.Num.Exp, "-745.2", "2.31074533900948124367212233471835135497481270599389534285749696776377929707e-324"},
		{"Exp", elementary.Num.Exp, "709.7", "1.65498402768018914312001558409930971667305624176505431761086440487146861215e+308"},
		{"Exp", elementary.Num.Exp, "1e-30", "1.00000000000000000000000000000100000000000000000000000000000050000000000000"},
		{"Exp", elementary.Num.Exp, "123.456", "413294435277809344957685441227343146614594393746575438.725293690189945929385"},
		{"Expm1", elementary.Num.Expm1, "1e-300", "1.00000000000000000000000000000000000000000000000000000000000000000000000000e-300"},
		{"Expm1", elementary.Num.Expm1, "-1e-9", "-0.000000000999999999500000000166666666625000000008333333331944444444642857142832341270"},
		{"Expm1", elementary.Num.Expm1, "0.3", "0.349858807576003103983744313328007330378299697359365803049917989939612587400"},
		{"Expm1", elementary.Num.Expm1, "0.3466", "0.414250911850528647098583828214660284891310279774809949510368919332288092768"},
		{"Expm1", elementary.Num.Expm1, "-0.3466", "-0.292911893058981166161711958065197729571890215996064940505287927793290123196"},
		{"Expm1", elementary.Num.Expm1, "1", "1.71828182845904523536028747135266249775724709369995957496696762772407663035"},
		{"Expm1", elementary.Num.Expm1, "-40", "-0.999999999999999995751645744708411004670765217141341982120434445833553711949"},
		{"Expm1", elementary.Num.Expm1, "700", "1.01423205473500450945532959523126761520467957224307334878053628124935170251e+304"},
		{"Log", elementary.Num.Log, "2", "0.693147180559945309417232121458176568075500134360255254120680009493393621970"},
		{"Log", elementary.Num.Log, "10", "2.30258509299404568401799145468436420760110148862877297603332790096757260968"},
		{"Log", elementary.Num.Log, "0.5", "-0.693147180559945309417232121458176568075500134360255254120680009493393621970"},
		{"Log", elementary.Num.Log, "0.99999999999999988897769753748434595763683319091796875", "-0.000000000000000111022302462515660205338988848237217180973272006529009577798707340512938872"},
		{"Log", elementary.Num.Log, "1.0000000000000002220446049250313080847263336181640625", "0.000000000000000222044604925031283432823045461548792598233180790111470255693426654403462711"},
		{"Log", elementary.Num.Log, "5e-324", "-744.428132217636701247228471984507815623231280961453926512885592022019346548"},
		{"Log", elementary.Num.Log, "1.7976931348623157e308", "709.782712893383996727692430716700560975726491305897349505777616134960104873"},
		{"Log", elementary.Num.Log, "0.7071067811865475", "-0.346573590279972689216621090972839474840161234508135768865546851968564376845"},
		{"Log", elementary.Num.Log, "1.4142135623730951", "0.346573590279972690911289149140089473404211320821956855773366205286555752052"},
		{"Log1p", elementary.Num.Log1p, "1e-300", "1.00000000000000000000000000000000000000000000000000000000000000000000000000e-300"},
		{"Log1p", elementary.Num.Log1p, "-1e-9", "-0.00000000100000000050000000033333333358333333353333333350000000014285714298214285725"},
		{"Log1p", elementary.Num.Log1p, "0.2499", "0.223063548114039078858973019949505028882582168934436378501785111063243845185"},
		{"Log1p", elementary.Num.Log1p, "-0.2499", "-0.287548748006546438541903069901449818597047179999077542203911517182164269061"},
		{"Log1p", elementary.Num.Log1p, "0.25", "0.223143551314209755766295090309834503374601085548007213671287872487391743768"},
		{"Log1p", elementary.Num.Log1p, "3", "1.38629436111989061883446424291635313615100026872051050824136001898678724394"},
		{"Log1p", elementary.Num.Log1p, "1e9", "20.7232658379464111556619230924926112014932467311922901174666177755176772965"},
		{"Log1p", elementary.Num.Log1p, "-0.999999", "-13.8155105579642741041079487281061852456066089317726378561999674058054356581"},
		{"Log1p", elementary.Num.Log1p, "1e-400", "1.00000000000000000000000000000000000000000000000000000000000000000000000000e-400"},
		{"Sqrt", elementary.Num.Sqrt, "2", "1.41421356237309504880168872420969807856967187537694807317667973799073247846"},
		{"Sqrt", elementary.Num.Sqrt, "1e-300", "1.00000000000000000000000000000000000000000000000000000000000000000000000000e-150"},
	} {
		got := c.f(elementary.Literal(c.at))
		if o := off(got, elementary.Literal(c.want)); o > right {
			t.Errorf("%s(%s): off by 2^%.1f, want at most 2^%d", c.name, c.at, o, right)
		}
	}
}

func positive(t *rapid.T, name string) elementary.Num {
	e := rapid.IntRange(-1000, 1000).Draw(t, name+" exponent")
	return elementary.Of(math.Ldexp(rapid.Float64Range(0.5, 1).Draw(t, name), e))
}

func TestThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := positive(t, "a")
		if o := off(a.Log().Exp(), a); o > right {
			t.Fatalf("exp(ln %v): off by 2^%.1f", a.Float(), o)
		}
		if root := a.Sqrt(); off(root.Mul(root), a) > right {
			t.Fatalf("the square of the root of %v is another", a.Float())
		}
		small := elementary.Of(rapid.Float64Range(-0.6, 5).Draw(t, "small")).Mul(positive(t, "scale"))
		if small.Cmp(elementary.Int(20)) > 0 || small.Cmp(elementary.Int(-1)) < 0 || small.Sign() == 0 {
			return
		}
		if o := off(small.Expm1().Log1p(), small); o > right+3 { // at -1 the logarithm magnifies
			t.Fatalf("ln(1 + (e^%v - 1)): off by 2^%.1f", small.Float(), o)
		}
	})
}

func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := positive(t, "a"), positive(t, "b")
		if o := off(a.Log().Add(b.Log()).Exp(), a.Mul(b)); o > right {
			t.Fatalf("ln %v + ln %v is off by 2^%.1f", a.Float(), b.Float(), o)
		}
		if o := off(a.Pow(elementary.Int(3)), a.Mul(a, a)); o > right {
			t.Fatalf("%v to the power 3 is off by 2^%.1f", a.Float(), o)
		}
		x := elementary.Of(rapid.Float64Range(-700, 700).Draw(t, "x"))
		if o := off(x.Exp().Mul(x.Neg().Exp()), elementary.Int(1)); o > right {
			t.Fatalf("e^%v e^-%v is off by 2^%.1f", x.Float(), x.Float(), o)
		}
	})
}

// TestNearPackageMath compares with functions that are right to about one unit in the
// last place, over the whole range.
func TestNearPackageMath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(0x1p-1022, math.MaxFloat64).Draw(t, "x") // below, math.Log is wrong on amd64
		y := rapid.Float64Range(-700, 700).Draw(t, "y")
		z := rapid.Float64Range(-0.9, 10).Draw(t, "z")
		for _, c := range []struct {
			name      string
			got, want float64
		}{
			{"ln x", elementary.Of(x).Log().Float(), math.Log(x)},
			{"e^y", elementary.Of(y).Exp().Float(), math.Exp(y)},
			{"e^y - 1", elementary.Of(y).Expm1().Float(), math.Expm1(y)},
			{"ln(1 + z)", elementary.Of(z).Log1p().Float(), math.Log1p(z)},
		} {
			if math.Abs(c.got-c.want) > 4e-16*math.Abs(c.want) {
				t.Errorf("%s = %v, package math says %v", c.name, c.got, c.want)
			}
		}
	})
}

func TestBeyondBinary64(t *testing.T) {
	huge, zero := elementary.Of(1e300), elementary.Num{}
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"e^1e300", huge.Exp().Float(), math.Inf(1)},
		{"e^-1e300", huge.Neg().Exp().Float(), 0},
		{"e^-1e300 - 1", huge.Neg().Expm1().Float(), -1},
		{"e^0", zero.Exp().Float(), 1},
		{"e^0 - 1", zero.Expm1().Float(), 0},
		{"ln 1", elementary.Int(1).Log().Float(), 0},
		{"ln(1 + 0)", zero.Log1p().Float(), 0},
		{"1e300^2/1e300", huge.Mul(huge).Div(huge).Float(), 1e300},
		{"-0", zero.Neg().Add(zero).Float(), 0},
	} {
		if c.got != c.want {
			t.Errorf("%s = %v, want %v", c.name, c.got, c.want)
		}
	}
}

func TestPanics(t *testing.T) {
	for name, f := range map[string]func(){
		"ln 0":       func() { elementary.Num{}.Log() },
		"ln -1":      func() { elementary.Int(-1).Log() },
		"ln(1 - 1)":  func() { elementary.Int(-1).Log1p() },
		"1/0":        func() { elementary.Int(1).Div(elementary.Num{}) },
		"root of -1": func() { elementary.Int(-1).Sqrt() },
		"literal":    func() { elementary.Literal("five") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s does not panic", name)
				}
			}()
			f()
		}()
	}
}

func BenchmarkLog(b *testing.B) {
	x := elementary.Of(1.7)
	for b.Loop() {
		x.Log()
	}
}

func BenchmarkExp(b *testing.B) {
	x := elementary.Of(1.7)
	for b.Loop() {
		x.Exp()
	}
}

// TestSlowWay asks for all digits of numbers that look like simple ones.
func TestSlowWay(t *testing.T) {
	one, tiny := elementary.Int(1), elementary.Of(0x1p-60)
	if got := one.Add(tiny); got.Literal() == one.Literal() {
		t.Errorf("1 + 2^-60 is %s", got.Literal())
	}
	if got, want := elementary.Int(1<<60).Add(one).Literal(), elementary.Literal("1152921504606846977").Literal(); got != want {
		t.Errorf("2^60 + 1 is %s, want %s", got, want)
	}
	if got := elementary.Int(0).Sqrt(); got.Sign() != 0 {
		t.Errorf("the root of 0 is %v", got.Float())
	}
	if !math.Signbit(elementary.Of(math.Copysign(0, -1)).Float()) || math.Signbit(elementary.Int(0).Float()) {
		t.Error("zeros lose their signs")
	}
	if got := elementary.Int(2).Within(1e-3, elementary.Int(3)).Float(); got != 2 {
		t.Errorf("2, which is known, is %v", got)
	}
}

// TestAbout: also where bounds say nothing, and beyond the range.
func TestAbout(t *testing.T) {
	huge, small := elementary.Of(1e200), elementary.Literal("1e-40")
	for name, c := range map[string]struct {
		a    elementary.Num
		want float64
	}{
		"a third":    {elementary.Int(1).Div(elementary.Int(3)), 1.0 / 3},
		"cancelling": {elementary.Int(1).Add(small).Sub(elementary.Int(1)), 1e-40},
		"huge":       {huge.Mul(huge), math.Inf(1)},
		"back":       {huge.Mul(huge).Div(huge), 1e200},
	} {
		if got := c.a.About(); got != c.want && (math.IsInf(c.want, 0) || !(math.Abs(got-c.want) <= 0x1p-29*c.want)) {
			t.Errorf("%s: about %v, want %v", name, got, c.want)
		}
	}
}
