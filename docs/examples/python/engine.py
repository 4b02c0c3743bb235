"""The next resistor that can be bought: preferred values of IEC 60063, without rounding."""
from decimal import Decimal
from fractions import Fraction

from slipstick_engine import Answer, Engine, Warning

SERIES = {  # significant digits of a decade, and the tolerance that the series is meant for
    "e6": ([10, 15, 22, 33, 47, 68], Decimal("0.2")),
    "e12": ([10, 12, 15, 18, 22, 27, 33, 39, 47, 56, 68, 82], Decimal("0.1")),
    "e24": ([10, 11, 12, 13, 15, 16, 18, 20, 22, 24, 27, 30, 33, 36, 39, 43, 47, 51, 56, 62, 68, 75, 82, 91], Decimal("0.05")),
}

SPEC = {
    "spec_version": "1.1.0",
    "capability_id": "examples.python.preferred_resistor",
    "calculation_version": "1.0.0",
    "tool": "preferred-resistor",
    "group": "examples",
    "title": "Preferred resistor value",
    "summary": "The smallest value of a preferred series that is not below a wanted resistance.",
    "keywords": ["resistor", "E24", "E12", "standard value"],
    "inputs": [
        {"name": "resistance", "aliases": ["R"], "type": "number", "unit": "ohm", "required": True, "decimal_string": True,
         "symbol": "R", "doc": "Wanted resistance.",
         "range": {"minimum": 0.01, "maximum": 1e9, "code": "RESISTANCE_OUT_OF_RANGE"}},
        {"name": "series", "type": "string", "default": "e24", "enum": list(SERIES), "doc": "Series of preferred values.",
         "enum_aliases": [{"alias": name.upper(), "value": name} for name in SERIES]},
    ],
    "outputs": [
        {"name": "preferred", "type": "number", "unit": "ohm", "required": True, "symbol": "R_p", "doc": "Preferred value."},
        {"name": "deviation", "type": "number", "required": True, "symbol": "d", "doc": "Relative deviation from the wanted resistance."},
    ],
    "definition": "taken R_p  # first value of the series that is not below R, IEC 60063\n"
                  "taken d  # R_p/R - 1 of the decimal values, without rounding",
    "formulas": [{"id": "next_preferred_v1", "label": "Next preferred value"}],
    "assumptions": ["A resistance that is sent as a number means its shortest decimal form."],
    "references": [{"title": "IEC 60063, Preferred number series for resistors and capacitors", "where": "E6, E12, E24"}],
    "limits": [{"quantity": "deviation", "maximum": 0.2, "warning": "DEVIATION_ABOVE_TOLERANCE",
                "doc": "The tolerance of the series: 0.2 for E6, 0.1 for E12, 0.05 for E24."}],
    "warnings": ["DEVIATION_ABOVE_TOLERANCE"],
    # Directories of Python and gRPC. The second has the dynamic linker on amd64.
    "read_only_paths": ["/usr/lib", "/usr/lib64"],
}


def calculate(resistance, series):
    wanted = resistance if isinstance(resistance, Decimal) else Decimal(repr(resistance))
    digits, tolerance = SERIES[series]
    preferred = next_preferred(wanted, digits)
    deviation = Fraction(preferred) / Fraction(wanted) - 1
    answer = Answer([float(preferred), float(deviation)])  # each rounded once
    if deviation > Fraction(tolerance):
        answer.warnings.append(Warning("DEVIATION_ABOVE_TOLERANCE", "info",
                                       f"The next value is more than the {tolerance} of its series above the wanted one.",
                                       "Choose a finer series, or combine two resistors."))
    return answer


def next_preferred(wanted, digits):
    decade = wanted.adjusted() - 1  # of two significant digits
    values = [Decimal(d).scaleb(decade) for d in digits] + [Decimal(100).scaleb(decade)]
    return next(v for v in values if v >= wanted)


ENGINE = Engine(SPEC, calculate)
