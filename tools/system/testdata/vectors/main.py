"""Makes the calls of a test, and prints what it gets with the bits of numbers."""

import dataclasses
import struct
import sys
from collections.abc import Callable
from typing import Any

from calculations.calculations import Answer, Client, Problem, Q

c = Client(sys.argv[1])


def tell(id: str, call: Callable[[], Answer[Any]]) -> None:
    try:
        result = dataclasses.asdict(call().result)
        print(id, *sorted(f"{name}={bits(v)}" for name, v in result.items() if v is not None))
    except Problem as problem:
        print(id, problem.code, problem.field or "")


def bits(v: object) -> str:
    if isinstance(v, (int, float)):
        return struct.pack(">d", v).hex()
    return str(v)


CALLS
