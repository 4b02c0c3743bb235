"""Rejects numbers outside of the ranges in a Spec, in the same way as the SDK in Go."""
from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

from .values import Rejection, Value, spell

MAX_NOTES = 32
Fields = Sequence[dict[str, Any]]


def check(fields: Fields, sent: Sequence[Value]) -> None:
    """Reject the sent numbers that are outside of their ranges.

    Ranges with fixed ends come first. Then come ranges that end at another input, and then numbers inside
    lists and objects. All numbers of one kind are rejected together.
    """
    for bound in (False, True):
        found = []
        for f, x in zip(fields, sent, strict=True):
            declared = f.get("range")
            if declared is None or bound and not ends_elsewhere(declared):
                continue
            r = within(declared, fields, sent) if bound else declared
            if outside(r, x):
                found.append((f["name"], f["name"], f, r, x))
        reject(found)
    reject(list(first(MAX_NOTES, strays(fields, sent))))


def ends_elsewhere(r: dict[str, Any]) -> bool:
    """Return whether the range ends at another field."""
    return bool(r.get("minimum_input") or r.get("maximum_input"))


def within(r: dict[str, Any], fields: Fields, values: Sequence[Value]) -> dict[str, Any]:
    """Return the range with fixed ends. It is unbounded at a field without a number."""
    fixed = dict(r)
    for end in ("minimum", "maximum"):
        for f, x in zip(fields, values):
            if f["name"] == r.get(end + "_input") and isinstance(x, (float, Decimal)) and not isinstance(x, bool):
                fixed[end] = float(x)
    return fixed


def outside(r: dict[str, Any], x: Value) -> bool:
    """Return whether a number, or one in a list, is outside of a range with fixed ends."""
    if isinstance(x, list):
        return any(outside(r, item) for item in x)
    if isinstance(x, bool) or not isinstance(x, (float, Decimal)):
        return False
    number = float(x)
    low, high = r.get("minimum", -math.inf), r.get("maximum", math.inf)
    return (number < low or number == low and bool(r.get("minimum_excluded"))
            or number > high or number == high and bool(r.get("maximum_excluded")))


Found = tuple[str, str, dict[str, Any], dict[str, Any], Value]  # input, place, field, range with fixed ends, value


def strays(fields: Fields, values: Sequence[Value]) -> Iterator[Found]:
    """Yield the numbers inside lists and objects that are outside of their ranges."""
    for f, x in zip(fields, values):
        yield from inside(f["name"], f["name"], f, x)


def inside(owner: str, place: str, f: dict[str, Any], x: Value) -> Iterator[Found]:
    if isinstance(x, list) and f.get("items"):
        item = f["items"]
        for i, v in enumerate(x):
            yield from one(owner, f"{place}.{i}", item, item.get("range"), v)
    elif isinstance(x, tuple):
        fields = f["fields"]
        for member, v in zip(fields, x):
            r = member.get("range")
            yield from one(owner, f"{place}.{member['name']}", member, r and within(r, fields, x), v)


def one(owner: str, place: str, f: dict[str, Any], r: dict[str, Any] | None, x: Value) -> Iterator[Found]:
    if r is not None and outside(r, x):
        yield owner, place, f, r, x
    yield from inside(owner, place, f, x)


def first(n: int, found: Iterable[Found]) -> Iterator[Found]:
    return (f for f, _ in zip(found, range(n)))


def reject(found: Sequence[Found]) -> None:
    if not found:
        return
    owner, place, f, fixed, x = found[0]
    declared = f["range"]
    given = [f"{declared[end + '_input']} is {spell(fixed[end])}" for end in ("minimum", "maximum")
             if declared.get(end + "_input") and end in fixed]
    shown = "a list with a value outside" if isinstance(x, list) else str(x) if isinstance(x, Decimal) else spell(x)
    unit = f", in {f['unit']}" if f.get("unit") else ""
    raise Rejection(
        declared["code"], owner, f"{place} is {shown}: it must be {words(declared)}" + (", and " + ", ".join(given) if given else ""),
        f"Give a value of {place} {words(declared)}{unit}.",
        [(p, "must be " + words(field["range"])) for _, p, field, _, _ in found[:MAX_NOTES]],
    )


def words(r: dict[str, Any]) -> str:
    """Return the interval in words, such as "greater than 0" or "between 0 and length"."""
    def end(name: str) -> str:
        return str(r.get(name + "_input") or (spell(r[name]) if name in r else ""))

    low, high = end("minimum"), end("maximum")
    above = "greater than " if r.get("minimum_excluded") else "at least "
    below = "less than " if r.get("maximum_excluded") else "at most "
    if low and high and not r.get("minimum_excluded") and not r.get("maximum_excluded"):
        return f"between {low} and {high}"
    return " and ".join(part for part in (low and above + low, high and below + high) if part)
