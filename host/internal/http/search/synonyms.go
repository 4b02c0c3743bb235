package search

import (
	"strings"
	"sync"
)

// synonyms holds readings of words and phrases that people use and capabilities do not, such as everyday words
// for a technical term.
var synonyms = sync.OnceValue(func() map[string]concept { return readSynonyms(synonymTable) })

// longestPhrase is the maximum number of words in a phrase of the tables.
const longestPhrase = 4

// synonymTable lists words and phrases, separated by commas. Their technical terms follow after =>, with bars
// between alternatives. It contains general meanings in engineering and not the names of single capabilities.
const synonymTable = `
bend, sag, droop, flex, bow, dip, give way, deform, displacement, move => deflection
shelf bracket, wall bracket, diving board, balcony, overhang, awning, flagpole, jib, outrigger, sticking out => cantilever
wall anchored, retaining wall => cantilever wall
joist, plank, girder, rafter, lintel, purlin, bridge, floor beam, bookshelf, bench, shelf, two supports, pinned ends => simply supported beam
both ends, built in, encastre, clamped at both ends => fixed fixed | clamped
fixed at both ends => fixed fixed
prop, propped, roller => propped
weight, force, heavy, hang, single force, concentrated, stand on, hung => point load | force
evenly, evenly spread, spread, distributed, self weight, own weight, snow, row of books, udl, per metre => uniform load
increase along, growing, triangular, hydrostatic, earth pressure, ramp => triangular load
beam theory => euler bernoulli
moment of inertia, area moment, stiff, stiffness => second moment | stiffness | modulus
cross section, profile => section
h beam, i beam, wide flange, ipe, hea, universal beam, rolled beam => i section
box, rectangular, square tube, hollow section, rhs, shs => rectangle
round, rod, bar, cylinder bar, tube => circle | round
corner, l shape, angle section, irregular, outline, t section => polygon
buckle, buckling, strut, post, pillar, leg, slender, crush => column buckling
stretch, elongate, pull, tension, tie rod, lengthen, extension => elongation axial
expand when hot, thermal expansion, expansion => thermal expansion
young, poisson, lame, elasticity => elastic constants | elastic modulus
mohr, principal, von mises, tresca, yield criterion => principal stress
hoop, burst, pressure vessel, hydraulic cylinder, gun barrel, lame => thick cylinder hoop
twist, torque on a shaft, drive shaft, axle, propeller shaft, torsion bar => torsion shaft
coil spring, spring constant, spring rate, suspension spring => helical spring
bounce, oscillate, shake, resonate, wobble, eigenfrequency, swing, damper, shock absorber => vibration natural frequency
amp, amperage, draw, fuse, breaker, mains current => amps | current
volt, voltage, potential => voltage | volts
watt, wattage, heater, kettle, appliance, bulb, motor, load power, oven, toaster, dryer, lamp, pump power => power watts
kilowatt, kw => power watts | kw
ohm, resistor => resistance
electricity bill, electricity cost, cost to run, energy bill, consumption, running cost, price, cost, bill => energy cost
fridge, left on, all day, overnight => energy hours
transformer, generator size, apparent power => kva | apparent
real power, active power => kw | active power
reactive, kvar, lagging => reactive power
improve power factor, raise power factor, capacitor bank => power factor correction
extension cord, long cable, long wire, cable run, voltage loss, cable size, line loss => voltage drop
cable, wire, lead, copper, aluminium, gauge, awg => conductor
charge, discharge, charged, capacitor charging => capacitor charging
low pass, high pass, filter, cut off, time constant => cutoff time constant
relay, inductor, solenoid, coil current => inductor
coil => inductor | inductance | spring
resonance, tuned circuit, tank circuit, tuning, resonant => resonant resonance
led, diode, light emitting diode => led
two resistors, level shift, halve a voltage => voltage divider
side by side, parallel, combined, in parallel => parallel
three phase, three phases => three phases
turbulent, laminar, flow regime => reynolds laminar turbulent
moody, friction coefficient, rough pipe => friction factor
pressure loss, head loss, pressure drop, pumping, hose, pipe resistance => pressure drop head loss
uphill, hill, higher, venturi, elevation, height difference, nozzle => elevation downstream pressure
ditch, canal, river, gutter, stream, drain, drainage, sewer, channel => open channel flow
water => fluid flow
steel, iron, brass, titanium => material
wood, wooden, lumber => timber
rebar, reinforcing bar, reinforcing steel, stirrup => reinforcement | reinforced
brick, masonry, cavity => wall
mold, mildew => mould
exterior, external => outside
last => life | runtime
add, adding, total, together => sum
capacity => resistance | buckling
wifi, wi fi, bluetooth, wireless => radio
car suspension, suspension => spring mass damper
heat loss, insulation, insulate, insulated, u value, r value, wall of a house, window, loft => heat conduction | resistance
lagging, lagged, insulated pipe, hot water pipe => conduction cylinder pipe
radiator, cooler, heat transfer unit, condenser, evaporator => heat exchanger
effective, efficiency => effectiveness
gas, bottle, balloon, cylinder of gas, mole => ideal gas
altitude, mountain, aircraft, flight level, elevation above sea, air density, high up => altitude atmosphere
air => air atmosphere
glow, infrared, radiate, hot plate, emit, black body, red hot => radiation radiant emissivity
average, mean, spread of data, deviation, sample, measurement => mean summary statistics
best fit, trend, trendline, correlation, fit a line, least squares, line through => regression slope
mortgage, instalment, interest, borrow, repay, repayment, car finance => loan payment
degree => angle | temperature
convert, conversion, change => convert
temperature, hot, cold, warm => temperature
speed, fast, velocity => velocity | speed
flow rate, how much water => flow
hertz => frequency
`

func readSynonyms(table string) map[string]concept {
	senses := map[string]concept{}
	for line := range strings.Lines(table) {
		plain, technical, ok := strings.Cut(line, "=>")
		if !ok {
			continue
		}
		var c concept
		for sense := range strings.SplitSeq(technical, "|") {
			c = append(c, reading{stems(sense), asSynonym})
		}
		for phrase := range strings.SplitSeq(plain, ",") {
			k := key(split(phrase))
			senses[k] = append(senses[k], c...)
		}
	}
	return senses
}

// unitNames maps words and phrases to the units that they name, unless they are the spelling
// of the unit itself.
var unitNames = sync.OnceValue(func() map[string][]string { return readUnitNames(unitTable) })

const unitTable = `
metre, meter = m
millimetre, millimeter = mm
centimetre, centimeter = cm
kilometre, kilometer = km
micron, micrometre, micrometer = um
inch, inches = in
foot, feet = ft
yard = yd
mile = mi
nautical mile = nmi
square metre, square meter, sq m = m2
square millimetre, square millimeter = mm2
square foot, square feet, sq ft = ft2
square inch = in2
square kilometre, square kilometer = km2
square mile = mi2
hectare = ha
acre = acre
cubic metre, cubic meter = m3
cubic foot, cubic feet = ft3
cubic inch = in3
litre, liter = L
millilitre, milliliter = mL
gallon = gal_us, gal_imp
gpm, gallon per minute = gal_us/min
kilogram, kilo, kilogramme = kg
gram, gramme = g
tonne, metric ton = t
ton = t, ton_us, ton_imp
pound = lb, lbf
ounce = oz
newton = N
kilonewton = kN
kilogram force, kilopond = kgf
pound force = lbf
pascal = Pa
kilopascal = kPa
megapascal = MPa
atmospheres of pressure = atm
pound per square inch, pounds per square inch = psi
millimetre of mercury = mmHg
joule = J
kilojoule = kJ
calorie = cal_th
kilocalorie = kcal_th
btu, british thermal unit = Btu_it
kilowatt hour, kwh = kWh
watt hour = Wh
horsepower, horse power = hp
metre per second, meter per second = m/s
kilometre per hour, kilometer per hour, kph, kmh = km/h
mile per hour = mph
knot = kn
foot per second, feet per second = ft/s
radian = rad
newton metre, newton meter, nm = N m
foot pound, pound foot, pound feet, ft lb, lb ft = lbf ft
inch pound, pound inch = lbf in
newton per metre, newton per meter = N/m
kilonewton per metre, kilonewton per meter = kN/m
pound per foot, plf = lbf/ft
pound per inch = lbf/in
fahrenheit, degree fahrenheit = degF
celsius, centigrade, degree celsius = degC
kelvin = K
rankine = degR
`

func readUnitNames(table string) map[string][]string {
	names := map[string][]string{}
	for line := range strings.Lines(table) {
		plain, ids, ok := strings.Cut(strings.TrimSpace(line), "=")
		if !ok {
			continue
		}
		for phrase := range strings.SplitSeq(plain, ",") {
			k := key(split(phrase))
			for id := range strings.SplitSeq(ids, ",") {
				names[k] = append(names[k], strings.TrimSpace(id))
			}
		}
	}
	return names
}

// everyday holds spellings of units that mean something else in a sentence, unless they follow
// a number.
var everyday = map[string]bool{"in": true, "t": true, "g": true, "A": true, "L": true, "C": true, "K": true, "m": true, "s": true, "h": true, "d": true, "min": true, "ha": true}
