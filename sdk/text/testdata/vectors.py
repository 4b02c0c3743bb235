"""Computes what vectors of steel_column and wall_dew_point expect, with 50 digits and without the documents.

Usage: vectors.py
"""
from mpmath import exp, log, mp, mpf, nstr, pi, sqrt

mp.dps = 50


def short(x):
    return nstr(x, 8, strip_zeros=False)


def column(force=1000, y=4, z=None, area="78.1", second_y=5700, second_z=2000, strength=235, modulus=210, curves="b c", factor=1):
    """A column in kN, m, cm2, cm4, MPa and GPa."""
    imperfection = {"a0": "0.13", "a": "0.21", "b": "0.34", "c": "0.49", "d": "0.76"}
    limit = pi*sqrt(mpf(modulus)*1000/strength)
    found = []
    for length, second, curve in zip((y, y if z is None else z), (second_y, second_z), curves.split()):
        slenderness = mpf(length)*100/sqrt(second/mpf(area))/limit
        by = (1 + mpf(imperfection[curve])*(slenderness - mpf("0.2")) + slenderness**2)/2
        # binary64: the document compares nearest numbers
        reduction = 1 if float(slenderness) <= 0.2 else min(1, 1/(by + sqrt(by**2 - slenderness**2)))
        found.append((slenderness, reduction))
    (slender_y, chi_y), (slender_z, chi_z) = found
    resistance = min(chi_y, chi_z)*mpf(area)*strength/10/mpf(factor)
    text = f"N_b_Rd = {short(resistance)} kN, eta = {short(force/resistance)}, axis = {'y' if chi_y <= chi_z else 'z'}, "
    text += f"chi_y = {short(chi_y)}, chi_z = {short(chi_z)}, lambda_y = {short(slender_y)}, lambda_z = {short(slender_z)}"
    most = float(max(slender_y, slender_z))
    for code, holds in ("OVERSTRESSED", float(force/resistance) > 1), ("BUCKLING_DOES_NOT_GOVERN", most <= 0.2), ("SLENDER", most > 3):
        text += f", warns {code}" if holds else ""
    return text


def saturation(t):
    """The pressure of vapour in Pa at t in degC."""
    factor, offset = ("17.269", "237.3") if t >= 0 else ("21.875", "265.5")
    return mpf("610.5")*exp(mpf(factor)*t/(mpf(offset) + t))


def wall(layers, inside=20, outside=-10, wet_inside="0.5", wet_outside="0.8", surface="0.13", outer="0.04"):
    """A wall of layers of thickness in mm, conductivity in W/(m K) and vapour factor."""
    layers = [[mpf(x) for x in layer] for layer in layers]
    resistances = [d/1000/k for d, k, mu in layers]
    obstacles = [d/1000*mu for d, k, mu in layers]
    inside, outside = mpf(inside), mpf(outside)
    transmittance = 1/(mpf(surface) + sum(resistances) + mpf(outer))
    flux = transmittance*(inside - outside)
    temperatures, pressures = [inside - flux*mpf(surface)], [mpf(wet_inside)*saturation(inside)]
    flow = (pressures[0] - mpf(wet_outside)*saturation(outside))/sum(obstacles)
    for r, s in zip(resistances, obstacles):
        temperatures.append(temperatures[-1] - flux*r)
        pressures.append(pressures[-1] - flow*s)
    b = log(pressures[0]/mpf("610.5"))
    dew = mpf("237.3")*b/(mpf("17.269") - b) if b >= 0 else mpf("265.5")*b/(mpf("21.875") - b)
    # binary64: the document compares nearest numbers
    wet = [i for i, (t, p) in enumerate(zip(temperatures, pressures)) if float(p) > float(saturation(t))]
    cold = [i for i, t in enumerate(temperatures) if float(t + mpf("273.15")) < float(dew + mpf("273.15"))]
    margin = min(saturation(t) - p for t, p in zip(temperatures, pressures))

    def items(numbers, unit):
        return "[" + ", ".join(f"{nstr(x, 8, strip_zeros=False)} {unit}" for x in numbers) + "]"
    text = f"U = {short(transmittance)} W/(m2 K), q = {short(flux)} W/m2, T = {items(temperatures, 'degC')},\n     "
    text += f"p = {items(pressures, 'Pa')},\n     T_dew = {short(dew)} degC, "
    text += (f"wet == {wet[0]}, " if wet else "wet is absent, ") + (f"cold == {cold[0]}" if cold else "cold is absent")
    return text + (", warns CONDENSATION" if float(margin) < 0 else "")


four = [(15, "0.7", 10), (240, "0.5", 8), (120, "0.035", 40), (10, "0.9", 15)]
three = [("12.5", "0.25", 8), (80, "0.035", 1), (240, "0.5", 8)]
tight = [(1, 1, 10000), (200, "0.035", 1)]
for name, expected in {
    "steel_column V1": column(),
    "steel_column V2": column(2000, z="1.5", curves="a a0"),
    "steel_column V3": column(modulus=200, curves="b d", factor="1.1"),
    "steel_column V4": column(y="0.5"),
    "steel_column V5": column(second_z=5700, curves="b b"),
    "steel_column V6": column(y=20),
    "steel_column V7": column(curves="d a"),
    "steel_column V8": column(y="0.951"),
    "steel_column V9": column(y="0.5", factor="1.83535"),
    "steel_column V10": column(z="0.5"),
    "steel_column V11": column(y=25, z=4),
    "steel_column V12": column(area="4.409823243039927"),
    "steel_column V13": column(area="992.2102296839835"),
    "wall_dew_point V1": wall(four),
    "wall_dew_point V2": wall(three),
    "wall_dew_point V3": wall(four, 10, 25, "0.4", "0.6", "0.1", 0),
    "wall_dew_point V4": wall(four, wet_inside="0.2"),
    "wall_dew_point V5": wall(four, inside="0.5"),
    "wall_dew_point V6": wall(tight, wet_inside="0.9", surface=1),
    "wall_dew_point V7": wall(four, wet_inside="0.9427"),
    "wall_dew_point V8": wall(four, wet_inside=1),
    "wall_dew_point V9": wall(four, wet_inside="0.9427652791363482"),
    "wall_dew_point V10": wall(four, wet_outside="0.9578811954630161"),
}.items():
    print(f"{name}\n  => {expected}")
