"""Conversions of units. A unit is a product of units with prefixes and powers, which leads back to few definitions."""
import re
from fractions import Fraction

from mpmath import mp

from quantities import capability, real

PREFIXES = {"n": "1e-9", "u": "1e-6", "m": "1e-3", "c": "1e-2", "h": "1e2", "k": "1e3", "M": "1e6", "G": "1e9"}

# Definitions: NIST Special Publication 811, appendix B. A unit that is not a number of SI leads to other units.
DEFINITIONS = {
    "m": "1", "kg": "1", "s": "1", "N": "1", "Pa": "1", "J": "1", "W": "1", "rad": "1", "K": "1",
    "min": "60 s", "h": "60 min", "Wh": "1 W h", "in": "2.54 cm", "ft": "12 in", "yd": "3 ft", "mi": "1760 yd",
    "nmi": "1852 m", "ha": "10000 m2", "acre": "4840 yd2", "L": "0.001 m3", "gal_us": "231 in3", "gal_imp": "4.54609 L",
    "g": "0.001 kg", "t": "1000 kg", "lb": "0.45359237 kg", "oz": "0.0625 lb", "ton_us": "2000 lb", "ton_imp": "2240 lb",
    "g_n": "9.80665 m/s2", "slug": "1 lbf s2/ft", "kgf": "1 kg g_n", "lbf": "1 lb g_n", "kip": "1000 lbf",
    "bar": "100 kPa", "psi": "1 lbf/in2", "ksi": "1 kip/in2", "psf": "1 lbf/ft2", "atm": "101325 Pa",
    "torr": "101325/760 Pa", "mmHg": "133.322387415 Pa", "cal_th": "4.184 J", "cal_it": "4.1868 J",
    # 1 Btu_it/lb is 2.326 kJ/kg; a ton of refrigeration is 12000 Btu_it/h
    "Btu_it": "2.326 kJ/kg lb", "ton_refrigeration": "12000 Btu_it/h", "hp": "550 ft lbf/s", "hp_metric": "75 kgf m/s",
    "mph": "1 mi/h", "kn": "1 nmi/h", "mil": "0.001 in", "cmil": "1 mil2", "gr": "1/7000 lb",
    "qt_us": "1/4 gal_us", "pt_us": "1/2 qt_us", "floz_us": "1/16 pt_us", "bbl": "42 gal_us",
    "ozf": "1 oz g_n", "tf": "1 t g_n", "tonf_us": "1 ton_us g_n", "Msi": "1000 ksi", "ksf": "1 kip/ft2",
    "MMBtu_it": "1000000 Btu_it", "inHg": "25.4 mmHg",
    # water of 1000 kg/m3 at the standard acceleration of gravity
    "mH2O": "9806.65 Pa", "mmH2O": "1/1000 mH2O", "inH2O": "25.4 mmH2O", "ftH2O": "12 inH2O",
}
# Circles: a circular mil has pi/4 of the area of its square.
CIRCLES = ("cmil", "kcmil")
# Parts of a turn, which is 2 pi rad.
TURNS = {"rev": 1, "deg": 360, "grad": 400, "arcmin": 360*60, "arcsec": 360*60*60}


def si(unit):
    """The exact factor to SI of a product of units: each after a slash divides."""
    if unit in DEFINITIONS:
        return one(unit)
    factor = Fraction(1)
    for sign, name, power in re.findall(r"([/ .]?)([A-Za-z_]+)(\d?)", unit):
        factor *= one(name)**(int(power or 1)*(-1 if sign == "/" else 1))
    return factor


def one(name):
    if name in DEFINITIONS:
        number, _, rest = DEFINITIONS[name].partition(" ")
        return Fraction(number)*si(rest)
    return Fraction(PREFIXES[name[0]])*one(name[1:])


def convert(given):
    a, source, target = given.exact("a"), given.word("from"), given.word("to")
    return {"value": a*si(source)/si(target)}


for quantity in ("energy", "force", "length", "line_load", "mass", "power", "pressure",
                 "second_moment_of_area", "speed", "torque", "volume"):
    capability("units.convert." + quantity)(convert)


@capability("units.convert.area")
def area(given):
    """In squares first: from a circle the number of squares has pi, and back."""
    value, circles = convert(given)["value"], (given.word("from") in CIRCLES) - (given.word("to") in CIRCLES)
    return {"value": value if circles == 0 else real(value)*(mp.pi/4)**circles}


@capability("units.convert.angle")
def angle(given):
    """In turns first: from radians the number of turns has pi, and back."""
    a, source, target = given.exact("a"), given.word("from"), given.word("to")
    if source in TURNS and target in TURNS:
        return {"value": a/TURNS[source]*TURNS[target]}
    if source not in TURNS and target not in TURNS:
        return {"value": a*si(source)/si(target)}
    if source in TURNS:
        return {"value": real(a/TURNS[source]/si(target))*2*mp.pi}
    return {"value": real(a*si(source)*TURNS[target])/(2*mp.pi)}


@capability("units.convert.temperature")
def temperature(given):
    """On the scale of Rankine, with 491.67 at the freezing point of water. The nearest number to absolute zero is it."""
    a, source, target = given.exact("a"), given.word("from"), given.word("to")
    freezing, degrees = Fraction("491.67"), Fraction(9, 5)
    rankine = {"K": a*degrees, "degC": a*degrees + freezing, "degF": a + freezing - 32, "degR": a}[source]
    rankine = max(rankine, Fraction(0))
    return {"value": {"K": rankine/degrees, "degC": (rankine - freezing)/degrees, "degF": rankine - freezing + 32,
                      "degR": rankine}[target]}
