"""Heat, gases and the atmosphere."""
from fractions import Fraction

from mpmath import mp

from quantities import capability, real

# Constants of the SI of 2019: Boltzmann, Planck, Avogadro, speed of light.
BOLTZMANN, PLANCK = Fraction("1.380649e-23"), Fraction("6.62607015e-34")
AVOGADRO, LIGHT = Fraction("6.02214076e23"), Fraction(299792458)

# U.S. Standard Atmosphere, 1976, table 4: geopotential altitudes in m, with the temperatures in K there.
LEVELS = [(0, "288.15"), (11000, "216.65"), (20000, "216.65"), (32000, "228.65"), (47000, "270.65"),
          (51000, "270.65"), (71000, "214.65"), (Fraction("84852"), "186.946")]


@capability("thermo.atmosphere.standard_1976")
def standard_1976(given):
    """Integrates dp/p = -g0 M/(R T) dH upwards, over temperatures that are straight between the levels."""
    z = given.exact("geometric_altitude")
    h = 6356766 - Fraction(6356766)**2/(6356766 + z)
    molar, gas = Fraction("0.0289644"), Fraction("8.31432")
    exponent, levels = real(0), [(Fraction(h), Fraction(t)) for h, t in LEVELS]
    for (low, cold), (high, warm) in zip(levels, levels[1:]):
        gradient = (warm - cold)/(high - low)
        end = high if h >= high and high < 84852 else h
        t = cold + gradient*(end - low)
        # the mean of 1/T over the layer
        exponent += real((end - low)/t) if t == cold else mp.log(real(t/cold))/real(gradient)
        if end == h:
            break
    p = 101325*mp.exp(-real(Fraction("9.80665")*molar/gas)*exponent)
    rho = p/real(gas*t/molar)
    return {"temperature": t, "pressure": p, "density": rho, "speed_of_sound": mp.sqrt(real(Fraction("1.4"))*p/rho),
            "dynamic_viscosity": real(Fraction("1.458e-6"))*mp.sqrt(real(t))/real(1 + Fraction("110.4")/t),
            "geopotential_altitude": h}


@capability("thermo.conduction.cylinder")
def cylinder(given):
    """Adds the resistances of 1 m of pipe. The mean area of a shell is by the logarithmic mean of its radii."""
    r = given.real("inner_diameter")/2
    total, length = real(0), given.real("length", "1")
    if given.has("film_inner"):
        total += 1/(given.real("film_inner")*2*mp.pi*r)
    for layer in given.records("layers"):
        thickness = layer.real("thickness")
        mean = thickness/(2*mp.atanh(thickness/(2*r + thickness)))
        total += thickness/(layer.real("conductivity")*2*mp.pi*mean)
        r += thickness
    if given.has("film_outer"):
        total += 1/(given.real("film_outer")*2*mp.pi*r)
    warmer = real(given.exact("temperature_inner") - given.exact("temperature_outer"))
    return {"thermal_resistance": total/length, "ua": length/total, "heat_flow": length*warmer/total,
            "outer_diameter": 2*r}


@capability("thermo.conduction.plane_wall")
def plane_wall(given):
    """Adds the drops of temperature by a heat flux of 1 W/m2."""
    drop = sum(layer.exact("thickness")/layer.exact("conductivity") for layer in given.records("layers"))
    drop += sum(1/given.exact(film) for film in ("film_hot", "film_cold") if given.has(film))
    warmer, area = given.exact("temperature_hot") - given.exact("temperature_cold"), given.exact("area", "1")
    return {"r_value": drop, "u_value": 1/drop, "heat_flux": warmer/drop, "heat_flow": warmer*area/drop,
            "thermal_resistance": drop/area}


@capability("thermo.gas.ideal_gas")
def ideal_gas(given):
    """Counts molecules: p V = N k T."""
    p, v, n, t = (given.exact(name) for name in ("pressure", "volume", "amount", "temperature"))
    if n is None:
        n = p*v/t/BOLTZMANN/AVOGADRO
    energy = n*AVOGADRO*BOLTZMANN*t if t is not None else p*v
    return {"pressure": energy/v if p is None else p, "volume": energy/p if v is None else v, "amount": n,
            "temperature": energy/(n*AVOGADRO*BOLTZMANN) if t is None else t}


def grown(rate, ntu):
    """The integral of exp(-rate s) for s from 0 to ntu."""
    return ntu if rate == 0 else -mp.expm1(-rate*ntu)/rate


@capability("thermo.heat_exchanger.effectiveness_ntu")
def effectiveness_ntu(given):
    """Integrates over the exchanger; in counterflow by the hyperbolic cotangent."""
    n, c, arrangement = given.real("ntu"), given.real("capacity_ratio"), given.word("arrangement")
    if arrangement == "parallel":
        return {"effectiveness": grown(1 + c, n)}
    if arrangement == "crossflow_cmax_mixed":
        return {"effectiveness": grown(c, grown(1, n))}
    if arrangement == "crossflow_cmin_mixed":
        return {"effectiveness": grown(1, grown(c, n))}
    if n == 0:
        return {"effectiveness": real(0)}
    return {"effectiveness": 2/(1 + c + (2/n if c == 1 else (1 - c)*mp.coth(n*(1 - c)/2)))}


@capability("thermo.heat_exchanger.lmtd")
def lmtd(given):
    """The logarithm of a ratio as an inverse hyperbolic tangent."""
    hot_in, hot_out, cold_in, cold_out = (given.exact(name) for name in ("hot_in", "hot_out", "cold_in", "cold_out"))
    if given.word("flow", "counterflow") == "counterflow":
        cold_in, cold_out = cold_out, cold_in
    first, second = hot_in - cold_in, hot_out - cold_out
    if first*second == 0:
        mean = real(0)
    elif first == second:
        mean = real(first)
    else:
        mean = real(first - second)/(2*mp.atanh(real((first - second)/(first + second))))
    results = {"delta_t_1": first, "delta_t_2": second, "lmtd": mean}
    if given.has("ua"):
        results["heat_flow"] = mean*given.real("ua")*given.real("correction_factor", "1")
    return results


@capability("thermo.radiation.grey_surface")
def grey_surface(given):
    """Planck's law over all frequencies: the integral of x^3/(e^x - 1) is 6 zeta(4)."""
    older = {"1.0.0": Fraction("5.670367e-8"), "2.0.0": Fraction("5.670374419184429e-8")}  # CODATA 2014; SI, rounded
    black = real(older.get(given.version) or 12*mp.pi*mp.zeta(4)*real(BOLTZMANN**4/PLANCK**3/LIGHT**2))
    t, around = given.exact("temperature"), given.exact("surroundings_temperature", "0")
    flux = given.real("emissivity")*black*real((t - around)*(t + around)*(t*t + around*around))
    return {"heat_flux": flux, "heat_flow": flux*given.real("area", "1")}


def vapour(t):
    """The logarithm of the saturation pressure over 610.5 Pa, at degrees Celsius: EN ISO 13788, annex E."""
    slope, pole = ("17.269", "237.3") if t >= 0 else ("21.875", "265.5")
    return real(Fraction(slope))*(1 - real(Fraction(pole))/(real(Fraction(pole)) + t))


def condenses(logarithm):
    """The temperature in degrees Celsius at which the logarithm is the logarithm of the saturation pressure."""
    slope, pole = ("17.269", "237.3") if logarithm >= 0 else ("21.875", "265.5")
    return real(Fraction(pole))/(real(Fraction(slope))/logarithm - 1) if logarithm != 0 else real(Fraction(0))


@capability("thermo.air.dew_point")
def dew_point(given):
    """Adds logarithms of pressures. The wall is a chain of two resistances with the flux of heat through both."""
    zero = Fraction("273.15")
    inside, outside, surface = (given.exact(name) for name in
                                ("air_temperature", "outside_temperature", "surface_temperature"))
    humidity = mp.log(given.real("relative_humidity"))
    saturated = vapour(real(inside - zero))
    limit = mp.log(given.real("humidity_limit", "0.8"))
    results = {"saturation_pressure": mp.exp(saturated)*1221/2,
               "vapour_pressure": mp.exp(saturated + humidity)*1221/2,
               "dew_point": real(zero) + condenses(saturated + humidity),
               "least_surface_temperature": real(zero) + condenses(saturated + humidity - limit)}
    if given.has("total_resistance"):
        flux = (inside - outside)/given.exact("total_resistance")
        surface = inside - flux*given.exact("surface_resistance", "0.25")
    if surface is not None:
        excess = saturated + humidity - vapour(real(surface - zero))
        results |= {"surface_temperature": surface, "surface_humidity": mp.exp(excess), "utilization": mp.exp(excess - limit)}
        if outside is not None and outside != inside:
            results["temperature_factor"] = 1 - (inside - surface)/(inside - outside)
    return results


def passed(x):
    """A number that one calculation passes to another: the shortest decimal of its nearest binary64."""
    return Fraction(repr(float(x)))


@capability("thermo.air.wall_condensation")
def wall_condensation(given):
    """Follows the heat from the outside to the inside; the air has the formulas of the dew point."""
    zero = Fraction("273.15")
    inside, outside = given.exact("inside_temperature"), given.exact("outside_temperature")
    within = sum(layer.exact("thickness")/layer.exact("conductivity") for layer in given.records("layers"))
    within += 1/passed(1/given.exact("outside_surface_resistance", "0.04"))
    resting, warm = given.exact("inside_surface_resistance", "0.25"), given.exact("heat_surface_resistance", "0.13")
    cold, heat = passed(within + 1/passed(1/resting)), within + 1/passed(1/warm)
    surface = outside + (inside - outside)*(cold - resting)/cold
    humidity, limit = mp.log(given.real("relative_humidity")), mp.log(given.real("humidity_limit", "0.8"))
    pressure = vapour(real(inside - zero)) + humidity
    excess = pressure - vapour(real(surface - zero))
    results = {"surface_temperature": surface, "dew_point": real(zero) + condenses(pressure),
               "least_surface_temperature": real(zero) + condenses(pressure - limit), "surface_humidity": mp.exp(excess),
               "utilization": mp.exp(excess - limit), "u_value": 1/heat, "heat_flux": (inside - outside)/heat}
    if inside != outside:
        results["temperature_factor"] = 1 - resting/cold
    return results


# Hyland and Wexler: coefficients of 1/T, 1, T, T^2, T^3 and T^4, and of the logarithm of T.
ICE = ["-5674.5359", "6.3925247", "-0.009677843", "6.2215701e-7", "2.0747825e-9", "-9.484024e-13", "4.1635019"]
WATER = ["-5800.2206", "1.3914993", "-0.048640239", "4.1764768e-5", "-1.4452093e-8", "0", "6.5459673"]


def hyland_wexler(coefficients, kelvins):
    """The saturation pressure in Pa."""
    *powers, logarithm = (real(Fraction(c)) for c in coefficients)
    polynomial = sum(c*kelvins**k for k, c in enumerate(powers))
    return mp.exp(polynomial/kelvins + logarithm*mp.log(kelvins))


def secant(function, a, b):
    """A root near two numbers."""
    low, high = function(a), function(b)
    while high != 0 and abs(b - a) > mp.eps*2**30*(1 + abs(b)):
        a, b, low = b, b - high*(b - a)/(high - low), high
        high = function(b)
    return b


@capability("thermo.air.psychrometrics")
def psychrometrics(given):
    """Balances enthalpies of adiabatic saturation, with the water or ice that the air takes up."""
    zero = Fraction("273.15")
    t, p = real(given.exact("dry_bulb") - zero), given.real("pressure", "101325")
    number = {name: real(Fraction(text)) for name, text in
              {"air": "1.006", "steam": "1.86", "water": "4.186", "melting": "2.326", "ice": "2.1", "cooling": "0.24",
               "ratio": "0.621945", "volume": "1.607858"}.items()}

    def saturated(x, wet):
        return hyland_wexler(WATER if wet else ICE, x + real(zero))

    def excess(x, w, wet):
        """The enthalpy that is missing for saturation at x, per mass of dry air, times p minus the saturation pressure."""
        q = saturated(x, wet)
        latent = 2501 - number["melting"]*x if wet else 2830 - number["cooling"]*x
        warming = (2501 + number["steam"]*t - number["water"]*x) if wet else 2830 + number["steam"]*t - number["ice"]*x
        return latent*number["ratio"]*q - (p - q)*(w*warming + number["air"]*(t - x))

    at_t = saturated(t, t >= 0)
    w = given.real("humidity_ratio")
    if given.has("relative_humidity"):
        vapour_pressure = given.real("relative_humidity")*at_t
        w = number["ratio"]/(p/vapour_pressure - 1)
    elif given.has("wet_bulb"):
        x = real(given.exact("wet_bulb") - zero)
        none, one = excess(x, 0, x >= 0), excess(x, 1, x >= 0)  # linear in w
        w = none/(none - one)
    results = {"humidity_ratio": w, "saturation_pressure": at_t}
    if w <= 0:
        return results
    vapour_pressure = p/(1 + number["ratio"]/w)
    above = float(mp.log(vapour_pressure)) >= float(mp.log(saturated(real(Fraction(0)), True)))
    form = WATER if above else ICE
    kelvins = secant(lambda x: mp.log(hyland_wexler(form, x)/vapour_pressure), real(zero) - 1, real(zero) + t/2)
    none, one = excess(real(Fraction(0)), 0, True), excess(real(Fraction(0)), 1, True)
    wet = float(w) >= float(none/(none - one))
    if given.has("wet_bulb"):
        bulb = real(given.exact("wet_bulb") - zero)
    else:
        bulb = secant(lambda x: excess(x, w, wet), t + 1, kelvins - real(zero))
    volume = real(Fraction("287.042"))*(t + real(zero))*(1 + number["volume"]*w)/p
    enthalpy = number["air"]*t + w*(2501 + number["steam"]*t)
    return results | {
        "relative_humidity": given.real("relative_humidity") if given.has("relative_humidity") else vapour_pressure/at_t,
        "dew_point": kelvins, "wet_bulb": bulb + real(zero), "vapour_pressure": vapour_pressure, "enthalpy": 1000*enthalpy,
        "specific_volume": volume, "density": (1 + w)/volume}
