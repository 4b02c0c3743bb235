"""Reads inputs as exact numbers and rounds results once."""
import csv
import pathlib
from fractions import Fraction

from mpmath import mp, mpf

capabilities = {}


def capability(identifier):
    """Registers a function as the second computation of a capability."""
    def register(function):
        capabilities[identifier] = function
        return function
    return register


class Literal(str):
    """A number of a request, as it is written. Other texts that contain numbers are exact decimals."""


class Inputs:
    """The inputs of a request, and the version that computes them."""

    def __init__(self, sent, decimal, version):
        self.sent, self.decimal, self.version = sent, decimal, version

    def number(self, written):
        """The exact number: of a text its decimal, of a number its binary64 or the shortest decimal of that."""
        if not isinstance(written, Literal):
            return Fraction(written)
        return Fraction(repr(float(written))) if self.decimal else Fraction(float(written))

    def has(self, name):
        return self.sent.get(name) is not None

    def exact(self, name, default=None):
        """A number as a fraction. A default is written as a number of a request."""
        if self.has(name):
            return self.number(self.sent[name])
        return None if default is None else self.number(Literal(default))

    def real(self, name, default=None):
        """A number with the precision of the computation."""
        x = self.exact(name, default)
        return None if x is None else real(x)

    def word(self, name, default=None):
        return str(self.sent.get(name, default))

    def list(self, name):
        return self.numbers(self.sent[name])

    def numbers(self, sent):
        """Numbers of a list, or of lists in it."""
        return [self.numbers(x) if isinstance(x, list) else self.number(x) for x in sent]

    def records(self, name):
        return [Inputs(x, self.decimal, self.version) for x in self.sent[name]]


def real(x):
    """A fraction with the precision of the computation."""
    return mpf(x.numerator)/x.denominator if isinstance(x, Fraction) else mpf(x)


def binary64(x):
    """The decimal of the binary64 number nearest to a result. The last 50 digits of a real result can be wrong."""
    if isinstance(x, mpf):
        with mp.workdps(mp.dps - 50):
            mantissa, exponent = abs(x).man_exp
        size = Fraction(int(mantissa))*Fraction(2)**int(exponent)
        x = -size if x < 0 else size
    return repr(float(x) + 0.0)  # zero has no sign


def answer(request):
    """Computes a request with more and more digits, until all results are the same twice."""
    function = capabilities[request["capability"]]
    given = Inputs(request["inputs"], request["evaluation"] == "decimal", request["version"])
    before = None
    for digits in 400, 1200, 4800, 19200:
        mp.dps = digits
        results = {name: binary64(x) for name, x in function(given).items() if x is not None}
        if results == before:
            return results
        before = results
    raise ArithmeticError(f"{request}: the results need more digits")


def column(table, name, factor):
    """The numbers of a column of a published table, in SI."""
    with open(pathlib.Path(__file__).parents[2]/"tables"/table/"rows.csv", encoding="utf-8") as file:
        return [Fraction(row[name])*factor for row in csv.DictReader(file)]
