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
