"""Beams by the method of initial parameters: the equation EI w'''' = q is integrated with Macaulay's brackets."""
from fractions import Fraction
from math import factorial

from quantities import capability, real

# Derivatives of the deflection that are zero at an end.
CLAMPED, PINNED, FREE = (0, 1), (0, 2), (2, 3)


class Beam:
    """A beam with a rigidity of 1. A load (a, n, q) is q (x - a)^n from a on, and the force q at a if n is -1.

    Deflection and loads are positive downwards. The bending moment is -w'' and the shear force -w'''.
    """

    def __init__(self, length, left, right, loads, couple=0):
        self.length, self.loads, self.start = length, loads, [Fraction(0)]*4
        unknown = [d for d in range(4) if d not in left]
        rows = []
        for order in right:
            at = [length**(d - order)/Fraction(factorial(d - order)) if d >= order else Fraction(0) for d in unknown]
            rows.append((*at, (couple if order == 2 else 0) - self.derivative(length, order)))
        (a, b, c), (p, q, r) = rows
        self.start[unknown[0]], self.start[unknown[1]] = (c*q - b*r)/(a*q - b*p), (a*r - c*p)/(a*q - b*p)

    def derivative(self, x, order):
        """The derivative of the deflection at a place."""
        y = sum(c*x**(d - order)/factorial(d - order) for d, c in enumerate(self.start) if d >= order)
        for a, n, q in self.loads:
            power = n + 4 - order
            if x >= a and power >= 0:
                y += q*factorial(max(n, 0))*(x - a)**power/factorial(power)
        return y

    def change(self, order, sign):
        """The place where a derivative, which has the sign from the left end on, changes it: bisection, then Newton."""
        low, high = Fraction(0), self.length
        while high - low > self.length/2**30:
            middle = (low + high)/2
            if sign*self.derivative(middle, order) > 0:
                low = middle
            else:
                high = middle
        exact = Beam.__new__(Beam)
        exact.start, exact.loads = [real(c) for c in self.start], [(real(a), n, real(q)) for a, n, q in self.loads]
        x = real((low + high)/2)
        for _ in range(16):  # each step doubles the digits
            x -= exact.derivative(x, order)/exact.derivative(x, order + 1)
        return x, exact


def rigidity(given):
    ei = given.exact("flexural_rigidity")
    return given.exact("elastic_modulus")*given.exact("second_moment_of_area") if ei is None else ei


def place(given, name, default):
    x = given.exact(name)
    return default if x is None else x


def largest(beam, scale):
    """The greatest deflection and its place."""
    x, exact = beam.change(1, 1)
    return {"delta_max": exact.derivative(x, 0)*real(scale), "position_of_delta_max": x}


@capability("mechanical.statics.cantilever_point_load_at_deflection")
def cantilever_point(given):
    length, load, ei = given.exact("length"), given.exact("point_load"), rigidity(given)
    beam = Beam(length, CLAMPED, FREE, [(place(given, "load_position", length), -1, load)])
    return {"delta": beam.derivative(place(given, "position", length), 0)/ei, "slope_tip": beam.derivative(length, 1)/ei,
            "wall_shear": -beam.derivative(Fraction(0), 3),
            "wall_moment": beam.derivative(Fraction(0), 2)}


@capability("mechanical.statics.cantilever_wall_triangle_outer_moment_at_deflection")
def cantilever_triangle(given):
    """The shear deformation is the change of the bending moment over the shear rigidity."""
    length, ei, x = given.exact("length"), rigidity(given), place(given, "position", given.exact("length"))
    b, peak, w = place(given, "triangle_length", length), given.exact("triangle_peak_load", "0"), given.exact("outer_uniform_load", "0")
    loads = [(Fraction(0), 0, peak), (Fraction(0), 1, -peak/b), (b, 1, peak/b)]
    if w != 0:
        outer = given.exact("outer_length")
        loads.append((given.exact("outer_start") if outer is None else length - outer, 0, w))
    beam = Beam(length, CLAMPED, FREE, loads, given.exact("tip_moment", "0"))
    delta = beam.derivative(x, 0)/ei
    if given.word("model", "euler_bernoulli") == "timoshenko":
        delta += (beam.derivative(Fraction(0), 2) - beam.derivative(x, 2))/given.exact("shear_rigidity")
    return {"delta": delta}


def single(given, left, right):
    """A beam between two supports under a unit load, with the load and the place of it."""
    length, a = given.exact("length"), place(given, "load_position", given.exact("length")/2)
    load, beam = given.exact("point_load"), Beam(length, left, right, [(a, -1, Fraction(1))])
    results = {"delta": beam.derivative(place(given, "position", a), 0)*load/rigidity(given)}
    return beam, load, a, results


def uniform(given, left, right, load=None):
    """A beam between two supports under a distributed unit load, with the load."""
    length = given.exact("length")
    load, shape = (given.exact("uniform_load"), (Fraction(0), 0, Fraction(1))) if load is None else load
    beam = Beam(length, left, right, [shape])
    results = {"delta": beam.derivative(place(given, "position", length/2), 0)*load/rigidity(given)}
    return beam, load, results


def ends(beam, load, names):
    """Reactions upwards, and moments that hog, at both ends."""
    values = (-beam.derivative(Fraction(0), 3), beam.derivative(beam.length, 3),
              beam.derivative(Fraction(0), 2), beam.derivative(beam.length, 2))
    return {name: v*load for name, v in zip(names, values) if name}


@capability("mechanical.statics.simply_supported_point_load_at_deflection")
def simple_point(given):
    beam, load, a, results = single(given, PINNED, PINNED)
    return (results | largest(beam, load/rigidity(given)) | ends(beam, load, ("reaction_left", "reaction_right"))
            | {"moment_max": -beam.derivative(a, 2)*load})


@capability("mechanical.statics.fixed_fixed_point_load_at_deflection")
def fixed_point(given):
    beam, load, a, results = single(given, CLAMPED, CLAMPED)
    names = ("reaction_left", "reaction_right", "moment_left", "moment_right")
    return (results | largest(beam, load/rigidity(given)) | ends(beam, load, names)
            | {"moment_at_load": -beam.derivative(a, 2)*load})


@capability("mechanical.statics.propped_cantilever_point_load_at_deflection")
def propped_point(given):
    beam, load, a, results = single(given, CLAMPED, PINNED)
    return (results | ends(beam, load, ("reaction_wall", "reaction_roller", "moment_wall"))
            | {"moment_at_load": -beam.derivative(a, 2)*load})


@capability("mechanical.statics.simply_supported_uniform_load_at_deflection")
def simple_uniform(given):
    beam, load, results = uniform(given, PINNED, PINNED)
    middle = beam.length/2
    return (results | ends(beam, load, ("reaction_left", "reaction_right"))
            | {"moment_max": -beam.derivative(middle, 2)*load, "delta_max": beam.derivative(middle, 0)*load/rigidity(given)})


@capability("mechanical.statics.fixed_fixed_uniform_load_at_deflection")
def fixed_uniform(given):
    beam, load, results = uniform(given, CLAMPED, CLAMPED)
    middle = beam.length/2
    return (results | ends(beam, load, ("reaction_left", "reaction_right", "moment_left", "moment_right"))
            | {"moment_midspan": -beam.derivative(middle, 2)*load, "delta_max": beam.derivative(middle, 0)*load/rigidity(given)})


@capability("mechanical.statics.propped_cantilever_uniform_load_at_deflection")
def propped_uniform(given):
    """The moment is greatest where the shear force is zero: as far from the wall as its reaction over the load."""
    beam, load, results = uniform(given, CLAMPED, PINNED)
    return (results | largest(beam, load/rigidity(given)) | ends(beam, load, ("reaction_wall", "reaction_roller", "moment_wall"))
            | {"moment_span_max": -beam.derivative(-beam.derivative(Fraction(0), 3), 2)*load})


@capability("mechanical.statics.simply_supported_triangular_load_at_deflection")
def simple_triangular(given):
    """The moment is greatest where the shear force changes its sign."""
    peak = given.exact("triangle_peak_load")
    beam, load, results = uniform(given, PINNED, PINNED, (peak, (Fraction(0), 1, 1/given.exact("length"))))
    x, exact = beam.change(3, -1)
    return (results | largest(beam, load/rigidity(given)) | ends(beam, load, ("reaction_left", "reaction_right"))
            | {"moment_max": -exact.derivative(x, 2)*real(load), "position_of_moment_max": x})
