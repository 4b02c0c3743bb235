"""Statistics of samples, by sums of powers in exact fractions."""
from fractions import Fraction

from mpmath import mp

from quantities import capability, real


@capability("statistics.regression.linear")
def linear(given):
    """Solves the normal equations. Variances of the coefficients are the diagonal of their inverse."""
    x, y = given.list("x"), given.list("y")
    n, line = len(x), given.sent.get("intercept", True)
    sx, sy = (sum(x), sum(y)) if line else (Fraction(0), Fraction(0))
    xx, xy, yy = sum(u*u for u in x), sum(u*w for u, w in zip(x, y)), sum(w*w for w in y)
    determinant = n*xx - sx*sx
    slope = (n*xy - sx*sy)/determinant
    start = (xx*sy - sx*xy)/determinant
    residual = sum((w - start - slope*u)**2 for u, w in zip(x, y))/(n - 2 if line else n - 1)
    results = {"slope": slope, "residual_standard_deviation": mp.sqrt(real(residual)),
               "slope_standard_error": mp.sqrt(real(residual*n/determinant))}
    if line:
        results |= {"intercept": start, "intercept_standard_error": mp.sqrt(real(residual*xx/determinant))}
    if n*yy > sy*sy:
        results["r_squared"] = slope*(n*xy - sx*sy)/(n*yy - sy*sy)
    return results


@capability("statistics.univariate.summary")
def summary(given):
    y = given.list("data")
    n, total = len(y), sum(y)
    squares = n*sum(v*v for v in y) - total*total  # n times the sum of the squares about the mean
    variance = squares/(n*(n - 1))
    order = sorted(y)
    results = {"count": n, "mean": total/n, "variance": variance, "standard_deviation": mp.sqrt(real(variance)),
               "standard_error": mp.sqrt(real(variance/n)), "minimum": order[0], "maximum": order[-1],
               "median": (order[n//2] + order[-1 - n//2])/2}
    if squares > 0:
        lagged = n*sum(u*w for u, w in zip(y, y[1:])) - total*(2*total - y[0] - y[-1]) + Fraction(n - 1, n)*total*total
        results["autocorrelation_lag1"] = lagged/squares
    return results
