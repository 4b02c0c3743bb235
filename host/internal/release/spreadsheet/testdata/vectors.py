"""Computes the vectors of completed/functions.calc.md with mpmath, from the formulas that make.py writes.

Usage: python3 vectors.py

The results have 15 digits. mpmath computes with 50 digits.
"""

from mpmath import acos, asin, atan, cos, cosh, exp, log, mp, mpf, nstr, pi, power, sin, sinh, sqrt, tan, tanh

mp.dps = 50


def functions(x, y):
    """Returns the results of the workbook of functions, in the order of its rows."""
    return [
        exp(x),
        log(y),
        log(y, 10),
        log(y, 10),
        log(y, 2),
        power(y, x),
        sin(x) + cos(x) + tan(x),
        asin(x) + acos(x) + atan(y),
        sinh(x) + cosh(x) + tanh(x),
        sqrt(y) * pi,
        max(x, y, 1) - min(x, y),
        x * y * 2,
        x,
        mpf("1.5e-3") * y,
        mpf("0.5") * x,
    ]


for x, y in [("0.5", "3"), ("-0.25", "0.4"), ("1", "0.5"), ("-1", "12.5")]:
    results = functions(mpf(x), mpf(y))
    print(f"x = {x}, y = {y}")
    print("  => " + ", ".join(f"result_{i} = {nstr(r, 15, strip_zeros=False)}" for i, r in enumerate(results, 1)))
