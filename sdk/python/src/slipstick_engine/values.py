"""The values of fields, and the answers of an engine."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Union

# None is absent. A float is a number in the SI unit of its field. A Decimal is a literal that was not rounded.
# A list has the items of an array, and a tuple the fields of an object in order.
Value = Union[None, float, str, bool, Decimal, list[Any], tuple[Any, ...]]

SEVERITIES = ("info", "warning", "critical")


class Rejection(Exception):
    """A fault of the caller, who can correct the request. calculate and draw can raise it.

    The code is in the errors or a range of the Spec, or is MISSING_REQUIRED_INPUT, CONFLICTING_INPUTS or
    NON_FINITE_RESULT. field is the name of the input at fault, "" for none. detail is the fault, and
    suggestion is the advice. invalid lists each input with the same fault, with its constraint.
    """

    def __init__(self, code: str, field: str, detail: str, suggestion: str = "", invalid: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__(detail)
        self.code, self.field, self.detail, self.suggestion = code, field, detail, suggestion
        self.invalid = list(invalid) or ([(field, detail)] if field else [])


@dataclass
class Warning:
    """A note for the caller about a result. It never changes a number.

    The code is in the warnings of the Spec, or is RESULT_UNDERFLOW or RESULT_SUBNORMAL.
    """

    code: str
    severity: str  # one of SEVERITIES
    detail: str
    suggestion: str = ""


@dataclass
class Answer:
    """The result of a calculation, with its notes.

    result has one value for each output of the Spec, in order. Numbers are in the SI unit of their field.
    """

    result: list[Value]
    formula: str = ""  # id of one of the Spec's formulas; "" means the first
    assumptions: list[str] = field(default_factory=list)  # in addition to the assumptions of the Spec
    warnings: list[Warning] = field(default_factory=list)
    derived: dict[str, Value] = field(default_factory=dict)  # inputs that were not sent and follow from the others


def spell(x: Any) -> str:
    """Return a number as in JSON: 3 and not 3.0."""
    if isinstance(x, float) and abs(x) < 1e15 and x == int(x):
        return str(int(x))
    return str(x)
