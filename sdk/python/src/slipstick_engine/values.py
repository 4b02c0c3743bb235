"""What does a field hold, and what may an engine answer?"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Union

# None is absent, Decimal a literal that was not rounded, a tuple an object's fields in order.
Value = Union[None, float, str, bool, Decimal, list[Any], tuple[Any, ...]]

SEVERITIES = ("info", "warning", "critical")


class Rejection(Exception):
    """The caller's fault: a declared code, the input at fault, what is wrong, what to do, and every
    input that is wrong in the same way with its constraint."""

    def __init__(self, code: str, field: str, detail: str, suggestion: str = "", invalid: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__(detail)
        self.code, self.field, self.detail, self.suggestion = code, field, detail, suggestion
        self.invalid = list(invalid) or ([(field, detail)] if field else [])


@dataclass
class Warning:
    """Informs the caller about a result. A warning never changes a number."""

    code: str
    severity: str  # one of SEVERITIES
    detail: str
    suggestion: str = ""


@dataclass
class Answer:
    """A result: one value for each output of the Spec, in order."""

    result: list[Value]
    formula: str = ""  # id of one of the Spec's formulas; the first without it
    assumptions: list[str] = field(default_factory=list)  # beside those of the Spec
    warnings: list[Warning] = field(default_factory=list)
    derived: dict[str, Value] = field(default_factory=dict)  # inputs that were not sent and follow from the others


def spell(x: Any) -> str:
    """A number as JSON has it: 3 and not 3.0."""
    if isinstance(x, float) and abs(x) < 1e15 and x == int(x):
        return str(int(x))
    return str(x)
