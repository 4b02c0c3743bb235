"""Checks of steel, timber and concrete members."""
from fractions import Fraction

from mpmath import mp

from quantities import binary64, capability, column, real


def above(x, y):
    """Whether x is greater than y after both are rounded to binary64, as documents compare."""
    return float(binary64(x)) > float(binary64(y))


@capability("structural.steel.tension")
def steel_tension(given):
    """The utilization is the greater of two stress ratios, and the resistance is the force at which it is 1."""
    force, gross, net = given.exact("axial_force"), given.exact("area"), given.exact("net_area")
    yielding = given.exact("yield_strength")/given.exact("partial_factor_m0", "1")
    rupture = given.exact("tensile_strength")*Fraction("0.9")/given.exact("partial_factor_m2", "1.25")
    ratio = max(1/gross/yielding, 1/net/rupture)
    return {"yielding_resistance": yielding*gross, "rupture_resistance": net*rupture, "resistance": 1/ratio,
            "utilization": ratio*force}


IMPERFECTION = {"a0": "0.13", "a": "0.21", "b": "0.34", "c": "0.49", "d": "0.76"}


def buckling(slenderness, defect, beta=1):
    """The lesser root of the interaction of Ayrton and Perry: (1 - x)(1 - beta s^2 x) = defect x."""
    square = beta*slenderness**2
    p = 1 + defect + square
    return (p - mp.sqrt(p**2 - 4*square))/(2*square)


@capability("structural.steel.compression")
def steel_compression(given):
    """Slenderness by radii of gyration, and the reduction factor as the root of its quadratic equation."""
    area, strength, e = given.real("area"), given.real("yield_strength"), given.real("elastic_modulus", "210e9")
    results, resistances = {}, []
    for axis in "y", "z":
        radius = mp.sqrt(given.real("second_moment_" + axis)/area)
        slenderness = given.real("buckling_length_" + axis)/radius/(mp.pi*mp.sqrt(e/strength))
        defect = real(Fraction(IMPERFECTION[given.word("buckling_curve_" + axis)]))*(slenderness - real(Fraction("0.2")))
        factor = buckling(slenderness, defect) if above(slenderness, Fraction("0.2")) else real(1)
        resistances.append(factor*area*strength/given.real("partial_factor_m1", "1"))
        results |= {"critical_force_" + axis: area*strength/slenderness**2, "slenderness_" + axis: slenderness,
                    "reduction_factor_" + axis: factor, "resistance_" + axis: resistances[-1]}
    return results | {"resistance": min(resistances), "utilization": given.real("axial_force")/min(resistances)}


@capability("structural.steel.lateral_torsional_buckling")
def steel_lateral_torsional_buckling(given):
    """The critical moment has the lever arm of the flanges and the torsion in one root. The factor is a root of its equation."""
    modulus, strength = given.real("section_modulus"), given.real("yield_strength")
    moment = given.real("critical_moment")
    if moment is None:
        length, second = given.real("length"), given.real("second_moment_z")
        e, g = given.real("elastic_modulus", "210e9"), given.real("shear_modulus", "81e9")
        euler = e*second*(mp.pi/length)**2
        arm = given.real("warping_constant")/second  # a quarter of the square of the distance of the flanges
        moment = given.real("moment_factor", "1")*euler*mp.sqrt(arm + g*given.real("torsion_constant")/euler)
    slenderness = mp.sqrt(modulus/moment*strength)
    rolled = given.word("method") == "rolled"
    start = given.real("plateau_slenderness", "0.4") if rolled else real(Fraction("0.2"))
    defect = real(Fraction(IMPERFECTION[given.word("buckling_curve")]))*(slenderness - start)
    factor = real(1)
    if above(slenderness, start):
        beta = given.real("plateau_factor", "0.75") if rolled else 1
        factor = min(buckling(slenderness, defect, beta), moment/modulus/strength)
    resistance = factor*modulus*strength/given.real("partial_factor_m1", "1")
    return {"critical_moment": moment, "slenderness": slenderness, "reduction_factor": factor, "resistance": resistance,
            "utilization": given.real("moment")/resistance}


@capability("structural.steel.shear")
def steel_shear(given):
    """Shear areas as the section less the parts of its flanges, and the force as a shear stress."""
    area, shear, section = given.exact("area"), given.exact("shear_area"), given.word("section")
    if shear is None:
        shear = real(area)
        if section in ("rolled_i", "rolled_channel"):
            width, flange, web, radius = (given.exact(n) for n in ("width", "flange_thickness", "web_thickness", "root_radius"))
            fillets = 2 if section == "rolled_i" else 1
            shear = area - flange*(2*width - web - fillets*radius)
            if section == "rolled_i":
                shear = max(shear, given.exact("web_factor", "1")*(given.exact("height") - 2*flange)*web)
        elif section == "rectangular_hollow":
            shear = area/(1 + given.exact("width")/given.exact("height"))
        elif section == "round_hollow":
            shear = real(area)/(mp.pi/2)
    shear = real(shear)
    ratio = given.real("shear_force")/shear*given.real("partial_factor_m0", "1")/(given.real("yield_strength")/mp.sqrt(3))
    return {"shear_area": shear, "resistance": shear*given.real("yield_strength")/given.real("partial_factor_m0", "1")/mp.sqrt(3),
            "utilization": ratio, "bending_reduction": (2*ratio - 1)**2 if above(2*ratio, 1) else 0}


STRESS_AREAS = {"M8": "36.6", "M10": "58", "M12": "84.3", "M14": "115", "M16": "157", "M18": "192", "M20": "245", "M22": "303",
                "M24": "353", "M27": "459", "M30": "561", "M33": "694", "M36": "817", "M39": "976"}


@capability("structural.steel.bolt")
def steel_bolt(given):
    """Strengths from the name of the class. Ratios of distances are limited one by one, and the force is compared with each."""
    size, name = given.word("size"), given.word("property_class", "8.8")
    diameter, hole = Fraction(size[1:])/1000, given.exact("hole_diameter")
    strength, partial = int(name.split(".")[0])*Fraction(100000000), given.exact("partial_factor_m2", "1.25")
    if given.sent.get("threads_in_plane", True):
        area = real(Fraction(STRESS_AREAS[size])/1000000)
        area *= Fraction("0.6") if name in ("4.6", "5.6", "8.8") else Fraction("0.5")
    else:
        area = mp.pi*real(diameter/2)**2*3/5
    shear = real(given.exact("shear_planes", "1")*strength/partial)*area
    plate = given.exact("tensile_strength")
    along, across = [Fraction(1), strength/plate], [Fraction("2.5")]
    for distance, limits, factor, less in (("end_distance", along, Fraction(1, 3), 0), ("spacing_along", along, Fraction(1, 3), Fraction(1, 4)),
                                           ("edge_distance", across, Fraction("2.8"), Fraction("1.7")),
                                           ("spacing_across", across, Fraction("1.4"), Fraction("1.7"))):
        if given.has(distance):
            limits.append(given.exact(distance)/hole*factor - less)
    bearing = real(min(along)*min(across)*plate*diameter*given.exact("thickness")/partial)
    return {"shear_resistance": shear, "bearing_factor": min(along), "edge_factor": min(across), "bearing_resistance": bearing,
            "resistance": min(shear, bearing), "utilization": max(given.real("force")/shear, given.real("force")/bearing)}


@capability("structural.steel.fillet_weld")
def steel_fillet_weld(given):
    """Von Mises: the shear stress of the throat times sqrt(3) is compared with the strength over the correlation factor."""
    correlation = {"S235": "0.8", "S275": "0.85", "S355": "0.9"}.get(given.word("steel_grade"), "1")
    throat, length = given.exact("throat_thickness"), given.exact("length")
    if not given.sent.get("full_size_ends", False):
        length -= 2*throat
    limit = given.exact("tensile_strength")/Fraction(correlation)/given.exact("partial_factor_m2", "1.25")
    area = given.exact("weld_count", "1")*throat*length
    return {"shear_strength": real(limit)/mp.sqrt(3), "resistance_per_length": mp.sqrt(real(limit**2/3))*real(throat),
            "effective_length": length, "resistance": real(limit*area)/mp.sqrt(3),
            "utilization": mp.sqrt(3)*real(given.exact("force")/area/limit)}


@capability("structural.timber.beam")
def timber_beam(given):
    """Bending by the line load that the stress allows, deflection by the moment at midspan and the areas of diagrams."""
    b, h, span = (given.real(n) for n in ("width", "height", "span"))
    permanent, variable = given.real("permanent_load"), given.real("variable_load")
    duration, service = given.word("load_duration"), int(given.exact("service_class", "1"))
    solid = given.word("material", "solid") == "solid"
    tenths = {"permanent": (60, 50), "long": (70, 55), "medium": (80, 65), "short": (90, 70), "instantaneous": (110, 90)}
    k_mod = real(Fraction(tenths[duration][service == 3], 100))
    creep = real({1: Fraction(3, 5), 2: Fraction(4, 5), 3: Fraction(2)}[service])
    partial = given.real("material_factor", "1.3" if solid else "1.25")
    depth, power, most = (Fraction("0.15"), 5, "1.3") if solid else (Fraction("0.6"), 10, "1.1")
    k_h = real(1)
    if given.exact("height") < depth:
        k_h = min(mp.root(real(depth)/h, power), real(Fraction(most)))
    load = given.real("permanent_factor", "1.35")*permanent + given.real("variable_factor", "1.5")*variable
    second, area, strength = b*h**3/12, b*h, given.real("bending_strength")
    stress = load*span**2/8/second*(h/2)
    allowed = strength/partial*k_mod*k_h*given.real("system_factor", "1")
    k_crit = real(1)
    if given.has("effective_length"):
        critical = real(Fraction("0.78"))*given.real("elastic_modulus_05")/given.real("effective_length")*b*b/h
        slenderness = mp.sqrt(strength/critical)
        if above(slenderness, Fraction("1.4")):
            k_crit = critical/strength
        elif above(slenderness, Fraction("0.75")):
            k_crit = real(Fraction("1.56")) - 3*slenderness/4
    shear, resistance = load*span/2*3/2/area/given.real("crack_factor", "0.67"), given.real("shear_strength")/partial*k_mod

    def sag(q):
        moment = q*span**2/8
        return 5*moment*span**2/48/(given.real("elastic_modulus")*second) + real(Fraction("1.2"))*moment/(given.real("shear_modulus")*area)

    now = sag(permanent + variable)
    final = now + creep*sag(permanent + given.real("quasi_permanent_factor")*variable)
    ratios = [stress/allowed/k_crit, shear/resistance, now/(span/given.real("limit_instantaneous")), final/(span/given.real("limit_final"))]
    return {"modification_factor": k_mod, "height_factor": k_h, "lateral_buckling_factor": k_crit, "bending_stress": stress,
            "bending_resistance": allowed, "bending_utilization": ratios[0], "shear_stress": shear, "shear_resistance": resistance,
            "shear_utilization": ratios[1], "instantaneous_deflection": now, "final_deflection": final,
            "instantaneous_utilization": ratios[2], "final_utilization": ratios[3], "utilization": max(ratios)}


@capability("structural.concrete.rectangular_bending")
def rectangular_bending(given):
    """Balances forces with the force of the steel as the unknown: M = T (d - T/(2 b f)), a quadratic equation."""
    moment, b, d = given.real("moment"), given.real("width"), given.real("effective_depth")
    concrete = given.real("concrete_strength")*given.real("long_term_factor", "1")/given.real("concrete_factor", "1.5")
    strength = given.real("steel_strength", "500e6")
    steel = strength/given.real("steel_factor", "1.15")
    yielding = 700/(700 + steel/1000000)  # strains times the elastic modulus, in MPa
    limit = min(given.real("depth_limit", "0.45"), yielding)

    def resistance(force):
        return force*(d - force/concrete/b/2)

    most = resistance(4*limit*d*b*concrete/5)
    tension = 3*mp.cbrt((given.real("concrete_strength")/1000000)**2)*100000
    least = b*d*max(tension*26/100/strength, real(Fraction("0.0013")))
    results = {"concrete_design_strength": concrete, "steel_design_strength": steel, "relative_moment": moment/concrete/b/d**2,
               "limit_moment": most, "steel_area_minimum": least}
    if not above(moment, most):
        force = b*d*concrete - mp.sqrt((b*d*concrete)**2 - 2*b*concrete*moment)
        results |= {"lever_arm": d - force/(2*b*concrete), "steel_area_required": max(force/steel, least)}
    bearing = most
    if given.has("steel_area"):
        force = given.real("steel_area")*steel
        results["relative_depth"] = force/concrete/b/d*5/4
        if not above(results["relative_depth"], limit):
            bearing = resistance(force)
    return results | {"resistance": bearing, "utilization": moment/bearing}


@capability("structural.steel.beam_by_deflection")
def beam_by_deflection(given):
    """Tries sections from the lightest to the heaviest, with the deflection by the moment at midspan."""
    span, load, e = given.exact("length"), given.exact("uniform_load"), given.exact("elastic_modulus", "210e9")
    limit = span/given.exact("span_ratio", "250")
    bending = 5*(load*span**2/8)*span**2/48/e
    results = {"required_second_moment_of_area": bending/limit, "deflection_limit": limit}
    sections = sorted(zip(column("european_i_1", "area", Fraction(1, 10**4)), column("european_i_1", "second_moment_y", Fraction(1, 10**8))))
    for area, second in sections:
        if not above(bending/limit, second):
            return results | {"area": area, "second_moment_of_area": second,
                              "deflection": bending/second, "utilization": bending/second/limit}
    return results


@capability("structural.steel.column_by_buckling")
def column_by_buckling(given):
    """Tries sections from the lightest to the heaviest, with the reduction factor as the root of its quadratic equation."""
    force, length, strength = given.real("axial_force"), given.real("buckling_length"), given.real("yield_strength", "235e6")
    e, alpha = given.real("elastic_modulus", "210e9"), given.real("imperfection_factor", "0.49")
    for area, second in sorted(zip(column("european_i_1", "area", Fraction(1, 10**4)), column("european_i_1", "second_moment_z", Fraction(1, 10**8)))):
        critical = mp.pi**2*e*real(second)/length**2
        slenderness = mp.sqrt(real(area)*strength/critical)
        chi = real(1)
        if above(slenderness, Fraction("0.2")):
            chi = buckling(slenderness, alpha*(slenderness - real(Fraction("0.2"))))
        resistance = chi*real(area)*strength/given.real("partial_factor", "1")
        if not above(force, resistance):
            return {"area": area, "second_moment_of_area": second, "relative_slenderness": slenderness, "reduction_factor": chi,
                    "buckling_resistance": resistance, "utilization": force/resistance}
    return {}
