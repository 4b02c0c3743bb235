"""Materials, sections, springs, shafts, columns, stresses and vibration."""
from fractions import Fraction

from mpmath import mp

from quantities import capability, real

ENDS = {"fixed_free": "2", "fixed_pinned": "0.7", "fixed_fixed": "0.5"}


@capability("mechanical.columns.euler_johnson")
def euler_johnson(given):
    """Stresses over the slenderness. Johnson's parabola touches Euler's curve at half the yield strength."""
    e, area, strength = given.real("elastic_modulus"), given.real("area"), given.real("yield_strength")
    factor = given.real("effective_length_factor")
    if factor is None:
        factor = real(Fraction(ENDS.get(given.word("end_condition"), "1")))
    radius = mp.sqrt(given.real("second_moment_of_area")/area)
    slenderness = factor*given.real("length")/radius
    euler = e*(mp.pi/slenderness)**2
    stress, results = euler, {}
    if strength is not None:
        results["transition_slenderness"] = mp.pi*mp.sqrt(e/(strength/2))
        if euler > strength/2:
            stress = strength - strength**2/4/euler
    return results | {"slenderness_ratio": slenderness, "radius_of_gyration": radius, "euler_load": euler*area,
                      "critical_stress": stress, "critical_load": stress*area}


@capability("mechanical.materials.axial_member")
def axial_member(given):
    """The member is a spring: its work is half of force times elongation."""
    force, length, area = given.exact("axial_force"), given.exact("length"), given.exact("area")
    stiffness = area/length*given.exact("elastic_modulus")
    pulled = force/stiffness
    heated = given.exact("temperature_change", "0")*given.exact("thermal_expansion", "0")
    return {"stiffness": stiffness, "stress": force/area, "mechanical_strain": pulled/length, "thermal_strain": heated,
            "elongation": pulled + length*heated, "strain_energy": force*pulled/2}


@capability("mechanical.materials.elastic_constants")
def elastic_constants(given):
    """Solves for the compliances 1/G and 1/K: 1/E = 1/(3 G) + 1/(9 K), and nu/E = 1/(6 G) - 1/(9 K)."""
    e, g, k, nu = (given.exact(name) for name in ("elastic_modulus", "shear_modulus", "bulk_modulus", "poissons_ratio"))
    rows = []  # a/G + b/K = c
    if e is not None:
        rows.append((Fraction(1, 3), Fraction(1, 9), 1/e))
    if g is not None:
        rows.append((1, 0, 1/g))
    if k is not None:
        rows.append((0, 1, 1/k))
    if nu is not None:
        rows.append((Fraction(1, 6) - nu/3, -Fraction(1, 9) - nu/9, 0))
    (a, b, c), (p, q, r) = rows
    shear, bulk = (c*q - b*r)/(a*q - b*p), (a*r - c*p)/(a*q - b*p)
    stretch = shear/3 + bulk/9
    return {"elastic_modulus": 1/stretch, "shear_modulus": 1/shear, "bulk_modulus": 1/bulk,
            "poissons_ratio": (shear/6 - bulk/9)/stretch, "lame_lambda": 1/bulk - Fraction(2, 3)/shear}


@capability("mechanical.sections.circle")
def circle(given):
    """Integrals over rings, with radii. The centroid of a half disc is at 4 r/(3 pi)."""
    outer, inner = given.real("outer_diameter")/2, given.real("inner_diameter", "0")/2
    area = mp.pi*(outer - inner)*(outer + inner)
    polar = area*(outer**2 + inner**2)/2
    halves = [mp.pi*r**2/2*(4*r/(3*mp.pi)) for r in (outer, inner)]
    return {"area": area, "polar_moment": polar, "second_moment": polar/2, "section_modulus": polar/2/outer,
            "plastic_modulus": 2*(halves[0] - halves[1]), "radius_of_gyration": mp.sqrt(outer**2 + inner**2)/2}


def plates(parts, width, height):
    """Properties of a doubly symmetric section of plates: width, height and centre of each, by Steiner's theorem.

    A plate is on one side of each axis, or its centre is on the axis.
    """
    area = sum(b*h for b, h, _, _ in parts)
    ix = sum(b*h**3/12 + b*h*y**2 for b, h, _, y in parts)
    iy = sum(h*b**3/12 + b*h*x**2 for b, h, x, _ in parts)
    zx = sum(b*h*(abs(y) if y else h/4) for b, h, _, y in parts)
    zy = sum(b*h*(abs(x) if x else b/4) for b, h, x, _ in parts)
    return {"area": area, "second_moment_x": ix, "second_moment_y": iy, "section_modulus_x": ix/(height/2),
            "section_modulus_y": iy/(width/2), "plastic_modulus_x": zx, "plastic_modulus_y": zy,
            "radius_of_gyration_x": mp.sqrt(real(ix/area)), "radius_of_gyration_y": mp.sqrt(real(iy/area))}


@capability("mechanical.sections.i_section")
def i_section(given):
    d, b, f, w = (given.exact(name) for name in ("depth", "flange_width", "flange_thickness", "web_thickness"))
    return plates([(b, f, 0, (d - f)/2), (b, f, 0, (f - d)/2), (w, d - 2*f, 0, 0)], b, d)


@capability("mechanical.sections.rectangle")
def rectangle(given):
    """A hollow section is four plates: two flanges of the whole width, and two webs."""
    b, h, t = given.exact("width"), given.exact("height"), given.exact("wall_thickness")
    if t is None:
        results = plates([(b, h, 0, 0)], b, h)
        results["torsion_constant"] = saint_venant(real(max(b, h)), real(min(b, h)))
        return results
    inner = h - 2*t
    return plates([(b, t, 0, (h - t)/2), (b, t, 0, (t - h)/2), (t, inner, (b - t)/2, 0), (t, inner, (t - b)/2, 0)], b, h)


def saint_venant(long, short):
    """Torsion constant by the series along the short side. It is summed to the last digit.

    The hyperbolic tangent is its limit, which sums to a value of the zeta function, less a rest that vanishes quickly.
    """
    ratio, rest, n = long/short, real(0), 1
    base = power = mp.exp(mp.pi*ratio)
    while power < 1/mp.eps:
        rest += 2/(1 + power)/n**5  # 1 - tanh(n pi ratio/2)
        n, power = n + 2, power*base*base
    total = mp.zeta(5)*31/32 - rest
    return long*short**3/3*(1 - 192/mp.pi**5/ratio*total)


@capability("mechanical.sections.polygon")
def polygon(given):
    """Adds triangles between the first corner and each edge, by Steiner's theorem. Axes are principal by eigenvalues."""
    corners = given.list("vertices")
    x0, y0 = corners[0]
    points = [(x - x0, y - y0) for x, y in corners]
    area = mx = my = xx = yy = xy = Fraction(0)
    for (x1, y1), (x2, y2) in zip(points, points[1:]):
        a = (x1*y2 - x2*y1)/2
        # three points at the middles of the sides, with a third of the area each, have the moments of a triangle
        for x, y in ((x1/2, y1/2), (x2/2, y2/2), ((x1 + x2)/2, (y1 + y2)/2)):
            area, mx, my = area + a/3, mx + a*x/3, my + a*y/3
            xx, yy, xy = xx + a*x*x/3, yy + a*y*y/3, xy + a*x*y/3
    cx, cy = mx/area, my/area
    sign = 1 if area > 0 else -1
    ix, iy, ixy = sign*(yy - area*cy*cy), sign*(xx - area*cx*cx), sign*(xy - area*cx*cy)
    area *= sign
    perimeter = sum(mp.hypot(real(x2 - x1), real(y2 - y1)) for (x1, y1), (x2, y2) in zip(points, points[1:] + points[:1]))
    # eigenvalues: their sum is the trace, their product the determinant
    major = (real(ix + iy) + mp.sqrt(real((ix + iy)**2 - 4*(ix*iy - ixy**2))))/2
    return {"area": area, "perimeter": perimeter, "centroid_x": x0 + cx, "centroid_y": y0 + cy,
            "second_moment_x": ix, "second_moment_y": iy, "product_moment": ixy, "principal_moment_1": major,
            "principal_moment_2": real(ix*iy - ixy**2)/major, "radius_of_gyration_x": mp.sqrt(real(ix/area)),
            "radius_of_gyration_y": mp.sqrt(real(iy/area))}


@capability("mechanical.springs.helical_compression")
def helical_compression(given):
    """Torsion of the straight wire: the force turns the coils by its work, and the shear stress is T r/J."""
    wire, coil, coils = given.real("wire_diameter"), given.real("mean_coil_diameter"), given.real("active_coils")
    force, polar = given.real("force"), mp.pi*(wire/2)**4/2
    length, arm = mp.pi*coil*coils, coil/2
    rate = given.real("shear_modulus")*polar/length/arm**2
    index = arm/(wire/2)
    wahl = 1 + real(Fraction(3, 4))/(index - 1) + real(Fraction("0.615"))/index
    return {"spring_rate": rate, "spring_index": index, "wahl_factor": wahl, "deflection": force/rate,
            "shear_stress": wahl*force*arm*(wire/2)/polar}


@capability("mechanical.stress.plane_stress")
def plane_stress(given):
    """Mohr's circle in the complex plane; the criteria of yielding by the three principal stresses."""
    x, y, t = (given.real(name) for name in ("sigma_x", "sigma_y", "tau_xy"))
    arrow = mp.mpc((x - y)/2, t)
    centre, radius = (x + y)/2, abs(arrow)
    principal = [centre + radius, centre - radius, real(0)]
    differences = [principal[i] - principal[i - 1] for i in range(3)]
    return {"sigma_1": principal[0], "sigma_2": principal[1], "tau_max_in_plane": radius,
            "tau_max_absolute": max(abs(d) for d in differences)/2, "tresca": max(abs(d) for d in differences),
            "von_mises": mp.sqrt(sum(d**2 for d in differences)/2), "principal_angle": mp.arg(arrow)/2 if arrow else 0}


@capability("mechanical.stress.thick_cylinder")
def thick_cylinder(given):
    """Solves Lame's constants from the radial stresses at both surfaces."""
    inner, outer, pressure = given.exact("inner_radius"), given.exact("outer_radius"), given.exact("internal_pressure")
    outside, r = given.exact("external_pressure", "0"), given.exact("radius")
    r = inner if r is None else r
    b = (pressure - outside)/(1/inner**2 - 1/outer**2)
    a = b/inner**2 - pressure
    return {"radial_stress": a - b/r**2, "hoop_stress": a + b/r**2, "axial_stress_closed_ends": a}


@capability("mechanical.torsion.circular_shaft")
def circular_shaft(given):
    """The twist follows from the shear strain of the surface."""
    outer, inner = given.real("outer_diameter")/2, given.real("inner_diameter", "0")/2
    length, g, torque = given.real("length"), given.real("shear_modulus"), given.real("torque")
    if torque is None:  # the work of one turn, over its angle
        torque = given.real("power")*(2*mp.pi/given.real("rotational_speed"))/(2*mp.pi)
    polar = mp.pi/2*(outer - inner)*(outer + inner)*(outer**2 + inner**2)
    stress = torque*outer/polar
    return {"polar_moment": polar, "shear_stress_max": stress, "angle_of_twist": stress/g*length/outer,
            "torsional_stiffness": polar/length*g, "torque": torque}


@capability("mechanical.vibration.sdof")
def sdof(given):
    """Free motion by the discriminant of m s^2 + c s + k."""
    k, m, c = given.exact("stiffness"), given.exact("mass"), given.exact("damping", "0")
    discriminant, omega = c*c - 4*k*m, mp.sqrt(real(k/m))
    results = {"natural_angular_frequency": omega, "natural_frequency": omega/mp.pi/2,
               "critical_damping": 2*real(m)*omega, "damping_ratio": mp.sqrt(real(c*c/(4*k*m)))}
    if discriminant < 0:
        results["damped_angular_frequency"] = mp.sqrt(real(-discriminant/(2*m)**2))
    return results
