"""Makes calls with the client in Python, and prints what it gets."""

import sys
from collections.abc import Iterator

from calculations.calculations import Client, LockError, OhmsLawInput, Problem, Q


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


a = at("well").ohms_law(voltage=Q(12, "V"), resistance=Q(3, "kohm"))
print("power", number(a.result.power), a.tier, len(a.engine_digest), len(a.assumptions), len(a.warnings))
now = at("well").grey_surface_radiation(emissivity=0.9, temperature=Q(350, "K"))
then = at("well").grey_surface_radiation_v1_0_0(emissivity=0.9, temperature=Q(350, "K"))
print("pinned", number(now.result.heat_flux), number(then.result.heat_flux))
amps = at("well").watts_to_amps(
    circuit="ac_three_phase", primary=6001, volts=Q(0.4, "kV"), pf=0.9, phase="line_to_line"
)
print("choices", number(amps.result.amps))

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
                total += row.result.power
            elif row.status == 400:
                refused += 1
            else:
                end = word(row)
    except Exception as error:
        end = word(error)
    print(fault, "batch", answered, refused, number(total), "true" if lead <= 1000 else "false", end)
