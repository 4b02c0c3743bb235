"""Elements of machines: bolts, vessels, bearings and gears."""
from fractions import Fraction

from mpmath import mp

from quantities import capability, real


@capability("mechanical.fasteners.bolt_torque")
def bolt_torque(given):
    """Finds the stress first, and multiplies it by the area of a circle with the stress diameter."""
    d, k, torque = given.real("diameter"), given.real("nut_factor", "0.2"), given.real("torque")
    area = given.real("stress_area")
    if area is None:
        area = mp.pi*((d - given.real("pitch")*real(Fraction("0.9382")))/2)**2
    proof = given.real("proof_strength")
    stress = given.real("preload_fraction")*proof if torque is None else torque/k/d/area
    preload, scatter = stress*area, given.real("scatter", "0.3")
    return {"torque": preload*d*k if torque is None else torque, "preload": preload, "stress_area": area,
            "least_preload": preload - preload*scatter, "greatest_preload": preload + preload*scatter,
            "proof_load": proof*area, "stress": stress, "proof_fraction": stress/proof, "safety_factor": proof/stress,
            "utilization": stress/(proof*given.real("fraction_limit", "0.9"))}


@capability("mechanical.vessels.thin_shell")
def thin_shell(given):
    """Solves the balance of stress and pressure for their ratio: pressure = stress*thickness/(radius + part*thickness)."""
    pressure, stress, lost = given.exact("pressure"), given.exact("allowable_stress"), given.exact("corrosion_allowance", "0")
    radius, thickness = given.exact("inside_radius") + lost, given.exact("thickness")
    joint, around = given.exact("joint_efficiency", "1"), given.exact("circumferential_efficiency", "1")
    if given.word("shape", "cylinder") == "cylinder":
        walls = [(stress*joint, Fraction(3, 5)), (2*stress*around, Fraction(-2, 5))]
    else:
        walls = [(2*stress*joint, Fraction(1, 5))]
    needed = max(radius/(strength/pressure - part) for strength, part in walls)
    required = max(needed, given.exact("least_thickness", "0.0015")) + lost
    results = {"required_thickness": required, "pressure_thickness": needed}
    if thickness is not None:
        left = thickness - lost
        results |= {"greatest_pressure": min(strength/(radius/left + part) for strength, part in walls),
                    "utilization": required/thickness}
    return results


@capability("mechanical.bearings.rating_life")
def rating_life(given):
    """Takes logarithms of the load rating, and counts radians."""
    rating, load, speed = given.real("load_rating"), given.real("equivalent_load"), given.real("speed")
    if load is None:
        load = given.real("radial_load")*given.real("radial_factor", "1")
        load += given.real("axial_load", "0")*given.real("axial_factor", "0")
    exponent = real(Fraction(3) if given.word("kind") == "ball" else Fraction(10, 3))
    factors = given.real("reliability_factor", "1")*given.real("modification_factor", "1")
    millions = mp.exp(exponent*(mp.log(rating) - mp.log(load)))
    basic = 2*mp.pi*10**6*millions/speed
    results = {"rating_life_revolutions": millions, "basic_rating_life": basic, "modified_rating_life": basic*factors,
               "equivalent_load": load, "load_ratio": rating/load}
    if given.has("required_life"):
        results["utilization"] = mp.exp(mp.log(given.real("required_life")/basic/factors)/exponent)
        results["required_rating"] = results["utilization"]*rating
    return results


@capability("mechanical.gears.lewis_bending")
def lewis_bending(given):
    """Finds the stress for a force of 1 N; the force follows from the work in one turn."""
    module, teeth, width = given.real("module"), given.real("teeth"), given.real("face_width")
    turns = given.real("speed")/(2*mp.pi)
    around = mp.pi*module*teeth
    force = given.real("tangential_force")
    if force is None:
        work = 2*mp.pi*given.real("torque") if given.has("torque") else given.real("power")/turns
        force = work/around
    speed, finish = around*turns, given.word("finish", "milled")
    ratio = {"none": 0, "cast": speed*100/305, "milled": speed*10/61, "hobbed": mp.sqrt(speed)*100/356,
             "ground": mp.sqrt(speed)*100/556}[finish]
    factor = mp.sqrt(1 + ratio) if finish == "ground" else 1 + ratio
    unit = factor/width/module/given.real("form_factor")
    allowable = given.real("allowable_stress")
    return {"bending_stress": unit*force, "pitch_diameter": around/mp.pi, "velocity": speed, "tangential_force": force,
            "velocity_factor": real(factor), "tangential_resistance": allowable/unit, "utilization": force*unit/allowable}
