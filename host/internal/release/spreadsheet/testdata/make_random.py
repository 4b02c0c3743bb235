"""Makes random workbooks with openpyxl, and computes them with LibreOffice.

Usage: python3 make_random.py DIRECTORY SEED NUMBER
"""

import importlib.util
import pathlib
import random
import sys
import tempfile

spec = importlib.util.spec_from_file_location("make", pathlib.Path(__file__).with_name("make.py"))
make = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make)

UNITS = ["mm", "m", "cm", "kN", "N", "kN/m", "MPa", "GPa", "cm4", "mm2", "kg", "s", "h", "K", "deg", "rad", "%", "rpm", "kW", "V", "A", "ohm", "m3/h", "bar", "psi", "in", "kg/m3", "kN m", "mm2/s", "km/h", "-", None]
NUMBERS = ["2", "3.5", "0.1", "1000", "10", "1", "7.25", "5%", "1E-3"]


def condition(r, depth, cells):
    def operand():
        return expression(r, depth - 1, cells)

    kind = r.random()
    if depth <= 0 or kind < 0.6:
        return operand() + r.choice(["<", ">", "<=", ">=", "<>"]) + operand()
    if kind < 0.9:
        return f"{r.choice(['AND', 'OR'])}({condition(r, depth - 1, cells)},{condition(r, depth - 1, cells)})"
    return f"NOT({condition(r, depth - 1, cells)})"


def expression(r, depth, cells):
    """Returns a formula of at most some operations within one another."""

    def a():
        return expression(r, depth - 1, cells)

    if depth <= 0 or r.random() < 0.15:
        return r.choice(NUMBERS) if r.random() < 0.3 else r.choice(cells)
    forms = [
        lambda: f"{a()}{r.choice('+-*')}{a()}",
        lambda: f"{a()}{r.choice('+-*')}{a()}",
        lambda: f"{a()}*{a()}",
        lambda: f"{a()}/({a()})",
        lambda: f"-{a()}^2",
        lambda: f"({a()})^{r.choice(['2', '0.5', '3', '-1', '-2'])}",
        lambda: f"SQRT(ABS({a()}))",
        lambda: f"{r.choice(['MIN', 'MAX', 'SUM', 'AVERAGE'])}({a()},{a()},{a()})",
        lambda: f"IF({condition(r, depth - 1, cells)},{a()},{a()})",
        lambda: f"{r.choice(['ROUND', 'ROUNDUP', 'ROUNDDOWN'])}({a()},{r.choice([0, 1, 2, 3, -1])})",
        lambda: f"{r.choice(['SIN', 'COS', 'ATAN', 'INT', 'ABS', 'SIGN', 'RADIANS', 'DEGREES', 'TANH'])}({a()})",
        lambda: f"({a()})%",
        lambda: f"{r.choice(['SUM', 'MAX', 'MIN'])}(B2:B{r.randint(3, 8)})",
        lambda: f"VLOOKUP(ABS({a()}),$H$2:$J$6,{r.choice([2, 3])},TRUE)",
        lambda: f"LN(1+ABS({a()}))",
    ]
    return r.choice(forms)()


def book(r):
    b = make.Book("S")
    b.title("Random")
    cells = []
    for i in range(6):
        form = "0.0%" if r.random() < 0.1 else None
        b.line(f"Input {i}", f"in_{i}", round(r.uniform(0.1, 20), r.randint(0, 3)), r.choice(UNITS + ["degC", "degF"]), form)
        cells += [f"in_{i}", f"B{b.row}"]
    b.line("Constant", None, 4.2)
    b.line("Empty", None, None)
    cells += ["B8", "B9"]
    for i in range(10):
        form = "0.0%" if r.random() < 0.1 else None
        b.line(f"Result {i}", f"out_{i}" if r.random() < 0.8 else None, "=" + expression(r, r.randint(1, 4), cells), r.choice(UNITS), form)
        cells.append(f"B{b.row}")
    b.table(None, 8, 1, ["from", "one", "two"], [[0, 1.5, 10], [2, 2.5, -3], [5, 4, 8], [20, 7.25, 1], [1000, 9, 2]])
    return b


if __name__ == "__main__":
    directory, seed, number = sys.argv[1:]
    r = random.Random(int(seed))
    with tempfile.TemporaryDirectory() as work:
        for i in range(int(number)):
            book(r).book.save(f"{work}/book_{i}.xlsx")
        make.compute(work, [f"{work}/book_{i}.xlsx" for i in range(int(number))], directory)
