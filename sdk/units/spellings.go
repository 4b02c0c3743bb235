package units

import (
	"slices"
	"strings"
	"sync"
)

// Spelling is another way to write a unit, and a text that uses it.
type Spelling struct {
	Text   string
	Unit   string // its id
	Source string // such as NIST SP 811

	exact   bool // other capitals have another meaning
	isAlone bool // it is not a part of products
}

// spellings lists how people write units. Each line has a unit and its spellings, separated by
// commas. A spelling belongs to one unit of a quantity only; texts with several meanings, such as
// ton for a mass, are not in the list. The spelling of one unit is also read in products. A table
// with exact capitals is for texts in which a capital is another prefix, or can be one.
var spellings = []struct {
	source         string
	exact, isAlone bool
	lines          string
}{
	{source: "NIST SP 811", lines: `
		in = inch, inches
		ft = foot, feet
		yd = yard, yards
		mi = mile, miles
		nmi = nautical mile, nautical miles
		um = micron, microns
		mil = mils, thou
		uin = microinch, microinches, micro inch, u in
		ha = hectare, hectares
		acre = acres, ac
		cmil = circular mil, circular mils
		kcmil = thousand circular mils
		acre ft = acre-foot, acre-feet, ac-ft, acre-ft
		gal_us = gal, gals, gallon, gallons, US gal, US gallon, US gallons, gal US, USG, gallons (US)
		gal_imp = imp gal, imperial gallon, imperial gallons, gal imp, UK gal, UK gallon, UK gallons
		qt_us = qt, qts, quart, quarts, US quart, US quarts, liquid quart
		pt_us = pt, pts, pint, pints, US pint, US pints, liquid pint
		floz_us = fl oz, floz, fluid ounce, fluid ounces, US fl oz, fl. oz.
		bbl = barrel, barrels, bbls, barrel of petroleum, oil barrel
		oz = ounce, ounces
		lb = lbs, pound, pounds, lbm, pound mass, pounds mass
		gr = grain, grains
		t = tonne, tonnes, metric ton, metric tons
		ton_us = short ton, short tons, US ton, US tons
		ton_imp = long ton, long tons, UK ton, UK tons, imperial ton
		slug = slugs
		kgf = kilogram force, kilograms force, kg-force, kgs-force, kilopond, kiloponds, kp
		lbf = pound force, pounds force, lb-force, lbs-force, lb f, lbsf
		ozf = ounce force, ounces force, oz-force
		tonf_us = tonf, ton-force, tons-force, short ton-force
		kip = kips
		s = second, seconds, sec, secs
		min = minute, minutes, mins
		h = hour, hours, hr, hrs
		d = day, days
		deg = degree, degrees, degs
		rev = revolution, revolutions, turn, turns
		grad = gon, gons, gradian, gradians
		kn = knot, knots, kt, kts
		mph = mi/h, mile per hour, miles per hour
		Btu_it = Btu, British thermal unit, British thermal units, Btus
		hp = horsepower, horse power
		ton_refrigeration = ton of refrigeration, tons of refrigeration
		psi = lbf/in2, pound-force per square inch, pounds per square inch, pound per square inch
		ksi = kip/in2, kips per square inch
		psf = lbf/ft2, pounds per square foot
		Msi = msi
		inHg = in Hg, inches of mercury, inch of mercury, in of Hg, inches Hg
		mmHg = mm Hg, millimetres of mercury, millimeters of mercury, mm of Hg
		inH2O = in H2O, inches of water, inch of water, in of water, inches H2O, in wc, inches wc, in w.c., in. water, inch water
		ftH2O = ft H2O, feet of water, foot of water, ft of water, feet H2O
		mmH2O = mm H2O, mm of water, millimetres of water, millimeters of water
		mH2O = m H2O, metres of water, meters of water, metre of water, meter of water, m of water
		atm = atmosphere, atmospheres, standard atmosphere
		torr = Torr
		P = poise, poises
		cP = centipoise, centipoises, cps
		St = stokes
		cSt = centistokes, centistoke
		lm/ft2 = footcandle, footcandles, foot candle, foot candles, fc
		K = kelvins
		degC = Celsius, centigrade, deg C, degree Celsius, degrees Celsius, degrees C
		degF = Fahrenheit, deg F, degree Fahrenheit, degrees Fahrenheit, degrees F
		degR = Rankine, deg R, degrees Rankine, degree Rankine
	`},
	{source: "SI Brochure", lines: `
		m = metre, metres, meter, meters
		L = litre, litres, liter, liters
		cm3 = cc, ccm
		Hz = cps, cycles per second
		ohm = ohms
		N m = newton metre, newton metres, newton meter, newton meters
		kN m = kilonewton metre, kilonewton metres, kilonewton meter, kilonewton meters
		N/mm2 = newtons per square millimetre
		kN/m2 = kilonewtons per square metre
		kN/m = kilonewtons per metre
		m/s = metres per second, meters per second, mps
		1/K = 1/degC, 1/C, per degC, per K, /C
		1/degF = 1/F, per degF, per F, in/in/F
		ppm/K = ppm/C, ppm/degC
	`},
	{source: "SI Brochure", exact: true, lines: `
		L = l
		mL = ml
		uL = ul
		L/s = l/s
		Hz = 1/s
		MPa = MN/m2
		GPa = kN/mm2
		Pa = N/m2
		N/mm2 = N/mm^2
		kN/m2 = kN/m^2
		g/cm3 = g/mL, g/cc
		kg/L = kg/dm3
		m3/h = m3/hr
		kg/m3 = kg/cbm
		N m = N-m, Nm
		kN m = kN-m, kNm
		W/(m2 K) = W/m2K
		W/(m K) = W/mK
		kohm = kohms
		Mohm = Mohms
		mohm = mohms
		uohm = uohms
		V A = VA
		MVA = MV A
		kVA = kV A
		kvar = kVAr, kVAR, KVAR
		Mvar = MVAr, MVAR
		var = VAr, VAR
		Msi = Mpsi
	`},
	{source: "AISC Manual", lines: `
		lbf/ft = plf, pounds per foot, pound per foot, pounds per linear foot, pounds per lineal foot, lb/lf
		lbf/in = pli, pounds per inch, pound per inch
		kip/ft = klf, kips per foot, kip per foot, kips per linear foot
		kip/in = kli, kips per inch
		lbf ft = ft-lb, ft lb, lb-ft, lbf-ft, foot-pound, foot-pounds, pound-feet, pound-foot
		lbf in = in-lb, lb-in, lbf-in, inch-pound, inch-pounds, pound-inches
		kip ft = kip-ft, k-ft, ft-k, ft-kips, kip-feet, foot-kips
		kip in = kip-in, k-in, in-k, in-kips, inch-kips, kip-inches
		ksf = kip/ft2, kips per square foot
		tonf_us/ft2 = tsf, tons per square foot, ton/ft2, tons/ft2
	`},
	{source: "AISC Manual", exact: true, lines: `
		kip = k
	`},
	{source: "ASTM", lines: `
		Msi = million psi
	`},
	{source: "ASHRAE", lines: `
		Btu_it/h = Btuh, Btu/h, Btu/hr, Btu per hour
		kBtu_it = kBtu
		MMBtu_it = MMBtu, million Btu
		kBtu_it/h = MBH, kBtuh, kBtu/hr
		ton_refrigeration = ton, tons, TR, RT
		hp = HP
		inH2O = in wg, inwc, inwg, iwg
		in/s = ips
		ft/min = fpm
		ft3/h = cfh
		Btu_it/(h ft2 degF) = Btu/(h ft2 F), Btu/(hr ft2 F), Btu/h-ft2-F
		Btu_it/(h ft degF) = Btu/(h ft F), Btu/(hr ft F), Btu/h-ft-F
		Btu_it in/(h ft2 degF) = Btu in/(h ft2 F), Btu-in/hr-ft2-F
		Btu_it/(h ft2) = Btu/(h ft2), Btu/(hr ft2), Btu/h-ft2
		Btu_it/(h degF) = Btu/(h F), Btu/(hr F), Btu/h-F
		h ft2 degF/Btu_it = h ft2 F/Btu, hr ft2 F/Btu, ft2 h F/Btu
		h degF/Btu_it = h F/Btu, hr F/Btu
	`},
	{source: "Hydraulic Institute", lines: `
		gal_us/min = gpm, US gpm, usgpm, gpm US, gallons per minute, gallon per minute
		gal_us/h = gph, gallons per hour
		gal_us/d = gpd, gallons per day
		Mgal_us/d = mgd, million gallons per day
		L/min = lpm, litres per minute, liters per minute
		L/s = lps, litres per second, liters per second
		L/h = lph, litres per hour, liters per hour
		m3/h = cmh, cubic metres per hour, cubic meters per hour
		m3/s = cumec, cumecs
		kgf/cm2 = kg/cm2, kgf/cm^2
	`},
	{source: "NEC", lines: `
		kcmil = MCM
		ohm/kft = ohm/1000ft, ohm/1000 ft, ohms/1000 ft, ohms per 1000 ft
		ohm cmil/ft = ohm-cmil/ft, ohms-cmil/ft
	`},
	{source: "ISO 80000", lines: `
		rpm = rev/min, r/min, revs/min, revolutions per minute, RPMs
		rev/s = rps, r/s, revs/s, revolutions per second
		hp_metric = PS, metric horsepower, metric hp, hp (metric), cv, ch
		tf = tonne-force, tonnes-force, metric ton-force
	`},
	{source: "Unicode symbol", isAlone: true, lines: `
		ft = ', ′, ’
		in = ", ″, ”, ''
		arcmin = ', ′, minute, minutes
		arcsec = ", ″, second, seconds
		deg = °, º
		m2 = ㎡
		m3 = ㎥
		mm2 = ㎟
		mm3 = ㎣
		cm2 = ㎠
		cm3 = ㎤
		km2 = ㎢
		mm = ㎜
		cm = ㎝
		km = ㎞
		kg = ㎏
		mg = ㎎
		kPa = ㎪
		MPa = ㎫
		GPa = ㎬
		kW = ㎾
		MW = ㎿
		kHz = ㎑
		MHz = ㎒
		GHz = ㎓
	`},
	{source: "common American usage", lines: `
		degF = F
		degR = R
		degC = C
		lbf = pounds of force
		in2 = sqin, sq in, in sq
		ft2 = sqft, sq ft, sf
		yd2 = sqyd, sq yd, sy
		mi2 = sqmi, sq mi
		in3 = cuin, cu in
		ft3 = cuft, cu ft, cf
		yd3 = cuyd, cu yd, cy
		gal_us/min = gal per min
		km/h = kph, kmh, kmph
		ft/s = fps
		ft3/s = cfs
		ft3/min = cfm
		lb/ft3 = pcf
		lb/in3 = pci
		lb/gal_us = ppg
	`},
	{source: "IEC 60062 and SPICE", exact: true, isAlone: true, lines: `
		ohm = R
		kohm = k, K
		Mohm = M, meg, Meg, MEG
		uF = u, µ
		nF = n
		pF = p
		uH = u, µ
		nH = n
		kV = k
		uV = u, µ
		kA = k
		uA = u, µ
		nA = n
		kHz = k, K
		MHz = M, meg, Meg, MEG
		GHz = G
	`},
}

// unclear are texts that do not decide between units of a quantity, and the units to choose from.
var unclear = []struct {
	quantity, texts string
	ids             []string
}{
	{"mass", "ton tons", []string{"t", "ton_us", "ton_imp"}},
	{"force", "ton tons t", []string{"tf", "tonf_us"}},
	{"force", "kg kgs kilogram kilograms", []string{"kgf", "N"}},
	{"energy", "cal calorie calories", []string{"cal_th", "cal_it"}},
	{"energy", "kcal Cal kilocalorie kilocalories", []string{"kcal_th", "kcal_it"}},
	{"energy", "MBtu MBTU", []string{"kBtu_it", "MMBtu_it"}},
	{"power", "bhp BHP", []string{"hp", "kBtu_it/h"}},
	{"volume", "oz ounce ounces", []string{"floz_us", "mL"}},
	{"angular_speed", "1/min min-1 Hz", []string{"rpm", "rev/s", "rad/s"}},
	{"resistance", "m", []string{"mohm", "Mohm"}},
	{"voltage", "M", []string{"mV", "MV"}},
	{"frequency", "m mhz", []string{"Hz", "MHz"}},
}

// Unclear returns the units that a text could mean, if the text is in use and does not decide
// between them: ton for a mass.
func Unclear(text, quantity string) []string {
	for _, u := range unclear {
		if u.quantity == quantity && slices.Contains(strings.Fields(u.texts), strings.TrimSpace(text)) {
			return u.ids
		}
	}
	return nil
}

// prefixes and bases are the names of SI units. Together they are the spelling of a unit: kilonewton of kN.
var (
	prefixes = map[string]string{"G": "giga", "M": "mega", "k": "kilo", "h": "hecto", "c": "centi", "m": "milli", "u": "micro", "n": "nano", "p": "pico", "": ""}
	bases    = map[string]string{
		"m": "metre metres meter meters", "g": "gram grams gramme grammes", "N": "newton newtons", "Pa": "pascal pascals", "J": "joule joules",
		"W": "watt watts", "V": "volt volts", "A": "amp amps ampere amperes", "F": "farad farads", "H": "henry henries henrys", "Hz": "hertz",
		"s": "second seconds", "L": "litre litres liter liters", "bar": "bar bars", "rad": "radian radians", "lm": "lumen lumens", "lx": "lux",
		"mol": "mole moles", "ohm": "ohm ohms", "Wh": "watt-hour watt-hours", "K": "kelvin kelvins",
	}
)

// customary are the words of units that can have any capitals, because no prefix of SI is among their letters.
var customary = []string{
	"in", "ft", "yd", "mi", "nmi", "mil", "uin", "acre", "cmil", "kcmil", "bbl", "lb", "oz", "gr",
	"slug", "lbf", "ozf", "kip", "psi", "ksi", "psf", "ksf", "atm", "torr", "hp", "kn", "mph",
	"rpm", "deg", "degC", "degF", "degR",
}

// reading are the spellings of the units of one quantity, in the form of [tidy].
type reading struct {
	list        []Spelling
	whole, fold map[string]Unit // fold has small letters
	products    map[string]Unit // by [product.key]
	common      map[string]bool // spellings that are also read without knowledge of the quantity
	hasDegF     bool
}

var readings = sync.OnceValue(func() map[string]*reading {
	all, generated := map[string]*reading{}, siNames()
	for i := range table {
		r := &reading{whole: map[string]Unit{}, fold: map[string]Unit{}, products: map[string]Unit{}, common: map[string]bool{}}
		all[table[i].name] = r
		for _, u := range table[i].all() {
			r.hasDegF = r.hasDegF || strings.Contains(u.ID, "degF")
		}
		for _, u := range table[i].all() {
			r.add(Spelling{Text: u.ID, exact: !isCustomary(u.ID)}, u)
		}
	}
	for _, s := range slices.Concat(listed(), generated) {
		u, _ := unit(s.Unit)
		r := all[u.Quantity]
		if !slices.ContainsFunc(r.list, func(of Spelling) bool { return of.Text == s.Text }) {
			r.list = append(r.list, s)
		}
		r.add(s, u)
	}
	return all
})

// add adds a spelling, which must not be the spelling of another unit.
func (r *reading) add(s Spelling, u Unit) {
	text := tidy(s.Text)
	put := func(m map[string]Unit, key string) {
		if _, taken := m[key]; !taken {
			m[key] = u
		}
	}
	put(r.whole, text)
	r.common[text] = r.common[text] || !s.isAlone
	if !s.exact {
		put(r.fold, strings.ToLower(text))
	}
	if s.isAlone || u.Quantity == "temperature" || text != u.ID && factorForm.MatchString(text) {
		return // one word has no factors: K for kip is not a product with kelvins
	}
	for _, p := range r.productsIn(text) {
		put(r.products, p.key())
		put(r.products, strings.NewReplacer("lbf:", "lb:", "ozf:", "oz:").Replace(p.key())) // no unit of the quantity has both
	}
}

// listed returns the spellings of the list.
func listed() []Spelling {
	var list []Spelling
	for _, group := range spellings {
		for line := range strings.Lines(group.lines) {
			id, texts, ok := strings.Cut(strings.TrimSpace(line), " = ")
			if !ok {
				continue
			}
			for text := range strings.SplitSeq(texts, ",") {
				list = append(list, Spelling{Text: strings.TrimSpace(text), Unit: id, Source: group.source, exact: group.exact, isAlone: group.isAlone})
			}
		}
	}
	return list
}

// siNames returns the names of the units that are a prefix and a symbol of SI.
func siNames() []Spelling {
	var list []Spelling
	for id := range places() {
		for symbol, names := range bases {
			prefix, ok := strings.CutSuffix(id, symbol)
			name, known := prefixes[prefix]
			if !ok || !known {
				continue
			}
			for _, base := range strings.Fields(names) {
				list = append(list, Spelling{Text: name + base, Unit: id, Source: "SI Brochure"})
			}
		}
	}
	slices.SortFunc(list, func(a, b Spelling) int { return strings.Compare(a.Text, b.Text) })
	return list
}

// Spellings returns the spellings of the units of a quantity, next to their ids.
func Spellings(quantity string) []Spelling {
	r := readings()[quantity]
	if r == nil {
		return nil
	}
	return slices.Clone(r.list)
}

// Spelled returns the unit of a quantity that a text means. It reads ids, spellings of the list, and
// products of them in any order, with per, square and cubic. Force or mass follows from the quantity:
// lb/ft is lbf/ft for a line load. A text that means two units of the quantity is not a spelling.
func Spelled(text, quantity string) (Unit, bool) {
	r := readings()[quantity]
	if r == nil || len(text) > maxProduct {
		return Unit{}, false
	}
	text = tidy(text)
	if u, ok := r.whole[text]; ok {
		return u, true
	}
	_, isOther := places()[text] // kN is a force, and not knots
	if u, ok := r.fold[strings.ToLower(text)]; ok && !isOther {
		return u, true
	}
	var found Unit
	if quantity == "temperature" {
		return found, false // a product has differences of temperatures
	}
	for _, p := range r.productsIn(text) {
		u, ok := r.products[p.key()]
		if ok && found.ID != "" && found.ID != u.ID {
			return Unit{}, false
		}
		if ok {
			found = u
		}
	}
	return found, found.ID != ""
}

// Named returns the units, of any quantity, with this id or this spelling. A letter that is a unit only
// after the number of a part, such as 10k, is not among them.
func Named(text string) []Unit {
	var list []Unit
	if u, ok := Lookup(text); ok {
		list = append(list, u)
	}
	text = tidy(text)
	for _, quantity := range Quantities() {
		u, ok := readings()[quantity].named(text)
		if ok && !slices.ContainsFunc(list, func(of Unit) bool { return of.Quantity == quantity }) {
			list = append(list, u)
		}
	}
	return list
}

func (r *reading) named(text string) (Unit, bool) {
	u, ok := r.whole[text]
	if !ok {
		u, ok = r.fold[strings.ToLower(text)]
	}
	return u, ok && (len(text) > 1 || r.common[text])
}

// isCustomary reports whether all words of a unit are customary. A time can be among them.
func isCustomary(id string) bool {
	any := false
	for _, word := range wordsOf(id) {
		isOne := slices.Contains(customary, word)
		any = any || isOne
		if !isOne && word != "s" && word != "h" && word != "min" {
			return false
		}
	}
	return any
}
