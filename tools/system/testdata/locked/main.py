"""Makes calls with the client in Python, and prints what it gets."""

import sys
from collections.abc import Callable, Iterator
from typing import Any

from calculations.calculations import Client, LockError, OhmsLawInput, ParallelResistanceInput, Problem, Q


def at(fault: str) -> Client:
    """A client of the service with one kind of fault."""
    return Client(f"{sys.argv[1]}/{fault}/", headers={"X-Api-Key": "secret"})


def ohms(volts: float, ohms: float) -> OhmsLawInput:
    return {"voltage": Q(volts, "V"), "resistance": Q(ohms, "ohm")}


def word(error: Exception) -> str:
    """Says what kind of error it is."""
    if isinstance(error, Problem):
        return f"{error.code} {error.status} {error.field or ''}"
    if isinstance(error, LockError):
        return f"LockError {error.locked.capability}"
    return "error"


def number(x: float) -> str:
    """A number as Go and JavaScript write it."""
    return repr(x).removesuffix(".0")


def failure(call: Callable[[], object]) -> str:
    try:
        call()
    except Exception as error:
        return word(error)
    return "answer"


def names(call: Callable[[], object], text: str) -> str:
    """Whether a call fails with a TypeError that has this text."""
    try:
        call()
    except TypeError as error:
        return "true" if text in str(error) else str(error)
    return "false"


a = at("well").ohms_law(voltage=Q(12, "V"), resistance=Q(3, "kohm"))
print("power", number(a.result.power.value), a.tier, len(a.engine_digest), len(a.assumptions), len(a.warnings))
now = at("well").grey_surface_radiation(emissivity=0.9, temperature=Q(350, "K"))
then = at("well").grey_surface_radiation_v1_0_0(emissivity=0.9, temperature=Q(350, "K"))
print("pinned", number(now.result.heat_flux.value), number(then.result.heat_flux.value))
amps = at("well").watts_to_amps(
    circuit="ac_three_phase", primary=6001, volts=Q(0.4, "kV"), pf=0.9, phase="line_to_line"
)
print("choices", number(amps.result.amps.value))

# Results as quantities: printed, as inputs, and in other units.
print("quantity", a.result.power, a.result.power.unit)
again = at("well").ohms_law(current=a.result.current, power=a.result.power)
print("to", number(again.to("power", "mW").value), "answer")
print("to kg", failure(lambda: a.to("power", "kg")))
in_parallel: ParallelResistanceInput = {"resistances": [Q(100, "kohm"), Q(1, "Mohm")]}
parallel = at("well").parallel_resistance(**in_parallel)
print("list to", number(parallel.to("parallel_resistance", "kohm").value), "answer")
for each in at("well").parallel_resistance_batch([in_parallel]):
    if isinstance(each, Problem):
        raise each
    print("row to", number(each.to("series_resistance", "Mohm").value), "answer")
print("swapped to", failure(lambda: at("swapped").ohms_law(**ohms(12, 8)).to("power", "mW")))
untyped: Any = {"voltage": 12, "resistance": Q(3, "kohm")}
print("bare", names(lambda: at("bare").ohms_law(**untyped), 'voltage: 12 has no unit. Write Q(12, "V")'))
untyped = {"resistances": [Q(100, "kohm"), 1]}
bare = 'resistances: 1 has no unit. Write Q(1, "ohm")'
print("bare item", names(lambda: at("bare").parallel_resistance(**untyped), bare))

for fault in ["well", "tampered", "older", "busy", "full", "later", "gateway", "moved"]:
    try:
        at(fault).ohms_law(**(ohms(12, 0) if fault == "well" else ohms(12, 8)))
        print(fault, "answer")
    except Exception as error:
        print(fault, word(error))
try:
    Client(f"{sys.argv[1]}/silent", timeout=0.05).ohms_law(**ohms(12, 8))
except TimeoutError:
    print("silent", "true")

for fault in ["well", "crowded", "ending", "tampered", "short", "full"]:
    taken = answered = refused = lead = 0
    total, end = 0.0, "ends"

    def rows() -> Iterator[OhmsLawInput]:
        global taken
        while taken < 2500:
            yield ohms(taken, taken % 1700)
            taken += 1

    try:
        for row in at(fault).ohms_law_batch(rows()):
            lead = max(lead, taken - answered - refused)
            if not isinstance(row, Problem):
                answered += 1
                total += row.result.power.value
            elif row.status == 400:
                refused += 1
            else:
                end = word(row)
    except Exception as error:
        end = word(error)
    print(fault, "batch", answered, refused, number(total), "true" if lead <= 1000 else "false", end)
