"""What the types refuse. None of it is run."""

from calculations.calculations import Client, Q


def wrong(c: Client) -> None:
    c.ohms_law(voltage=12)  # a number needs its unit
    c.ohms_law(voltage=Q(12, "N"))  # a force is no voltage
    c.ohms_law(volts=Q(12, "V"))  # there is no such input
    c.watts_to_amps(dir="amps_to_volts", primary=6001, volts=Q(0.4, "kV"))  # no such choice
