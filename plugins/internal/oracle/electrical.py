"""Electrical circuits and power."""
from fractions import Fraction

from mpmath import mp, mpc

from quantities import capability, column, real

# Values of one decade: IEC 60063, series E24.
E24 = [10, 11, 12, 13, 15, 16, 18, 20, 22, 24, 27, 30, 33, 36, 39, 43, 47, 51, 56, 62, 68, 75, 82, 91]


@capability("electrical.basic.ohms_law")
def ohms_law(given):
    """Finds current and conductance first; voltage and power follow."""
    v, i, r, p = (given.real(name) for name in ("voltage", "current", "resistance", "power"))
    if i is None:
        i = mp.sqrt(p/r) if v is None else p/v if r is None else v/r
    if r is None:
        r = v/i if p is None else p/i/i
    return {"voltage": i*r if v is None else v, "current": i, "resistance": r, "power": i*r*i if p is None else p}


@capability("electrical.circuits.conductor_resistance")
def conductor_resistance(given):
    """Gauge numbers are 39 equal ratios from 0.46 in (4/0) to 0.005 in (36). The conductance is A/(rho L)."""
    area = given.real("area")
    if area is None:
        inches = real(Fraction("0.46"))*(real(Fraction("0.46"))/real(Fraction("0.005")))**(-(given.real("awg") + 3)/39)
        radius = inches*real(Fraction("0.0254"))/2
        area = mp.pi*radius**2
    cold = area/given.real("resistivity", "1.7241e-8")/given.real("length")
    rise = given.exact("temperature", "20") - given.exact("reference_temperature", "20")
    return {"area": area, "resistance": 1/cold + given.real("temperature_coefficient", "0")*real(rise)/cold}


@capability("electrical.circuits.led_series_resistor")
def led_series_resistor(given):
    """Searches the values of all decades upwards."""
    vs, vf, i = (given.exact(name) for name in ("source_voltage", "forward_voltage", "current"))
    n = given.exact("series_count", "1")
    left = vs - n*vf
    resistance = left/i
    decade = Fraction(1, 10)
    while decade*91 < resistance*(1 - Fraction(1, 10**12)):
        decade *= 10
    while decade*10 >= resistance*(1 - Fraction(1, 10**12)):
        decade /= 10
    standard = min(x*d for d in (decade, 10*decade) for x in E24 if x*d >= resistance*(1 - Fraction(1, 10**12)))
    diodes = n*vf*i
    return {"resistance": resistance, "resistor_power": vs*i - diodes, "led_power": diodes,
            "standard_resistance_e24": standard, "current_with_standard": left/standard}


@capability("electrical.circuits.parallel_resistance")
def parallel_resistance(given):
    """Connects one resistor after the other to the resistors before it."""
    first, *others = given.list("resistances")
    parallel = series = first
    for r in others:
        parallel = parallel*r/(parallel + r)
        series += r
    return {"parallel_resistance": parallel, "series_resistance": series}


@capability("electrical.circuits.rc_transient")
def rc_transient(given):
    """The voltage across the resistor decays; Kirchhoff's laws give the rest."""
    r, c, t = given.real("resistance"), given.real("capacitance"), given.real("time", "0")
    source = given.real("source_voltage", "0")
    across = (source - given.real("initial_voltage", "0"))*mp.exp(-t/r/c)
    return {"time_constant": r*c, "capacitor_voltage": source - across, "current": across/r,
            "cutoff_frequency": 1/(2*mp.pi*r)/c}


@capability("electrical.circuits.rl_transient")
def rl_transient(given):
    """The voltage of the coil decays; Kirchhoff's voltage law gives the current."""
    r, inductance, t = given.real("resistance"), given.real("inductance"), given.real("time", "0")
    source = given.real("source_voltage", "0")
    coil = (source - r*given.real("initial_current", "0"))*mp.exp(-t*r/inductance)
    return {"time_constant": inductance/r, "current": (source - coil)/r, "inductor_voltage": coil}


@capability("electrical.circuits.rlc_series_resonance")
def rlc_series_resonance(given):
    """The half-power frequencies are those at which the reactance is plus or minus the resistance."""
    r, inductance, c = (given.real(name) for name in ("resistance", "inductance", "capacitance"))
    omega = mp.sqrt(1/inductance/c)
    results = {"resonant_angular_frequency": omega, "resonant_frequency": omega/2/mp.pi,
               "characteristic_impedance": omega*inductance, "damping_ratio": r/2/inductance/omega}
    if r > 0:
        root = mp.sqrt(r**2 + 4*inductance/c)
        high, low = (root + r)/(4*mp.pi*inductance), (root - r)/(4*mp.pi*inductance)
        results |= {"upper_half_power_frequency": high, "lower_half_power_frequency": low, "bandwidth": high - low,
                    "quality_factor": omega/(2*mp.pi)/(high - low)}
    return results


@capability("electrical.circuits.voltage_divider")
def voltage_divider(given):
    """Solves the node of the output by conductances."""
    v = given.exact("input_voltage")
    g1, g2 = 1/given.exact("resistance_1"), 1/given.exact("resistance_2")
    load = 1/given.exact("load_resistance") if given.has("load_resistance") else 0
    output = v*g1/(g1 + g2 + load)
    return {"output_voltage": output, "input_current": (v - output)*g1, "thevenin_resistance": 1/(g1 + g2)}


def conductors(given):
    """Factor between the drop of one conductor and the drop of the voltage that is meant, and number of conductors."""
    circuit, phase = given.word("circuit"), given.word("phase")
    if circuit in ("dc", "ac_single_phase") or circuit == "ac" and phase == "single":
        return 2, 2
    return (1, 3) if phase == "line_to_neutral" else (mp.sqrt(3), 3)


@capability("electrical.circuits.voltage_drop")
def voltage_drop(given):
    """Takes the part of the phasor of the drop that is in phase with the voltage at the load."""
    factor, number = conductors(given)
    current, length, voltage = given.real("current"), given.real("length"), given.real("source_voltage")
    r = given.real("resistance_per_length")
    if r is None:
        r = given.real("resistivity")/given.real("area")
    rise = given.exact("conductor_temperature", "75") - given.exact("reference_temperature", "20")
    if rise != 0:
        copper = real(Fraction("0.00393"))  # IEC 60028
        r += r*(given.real("temperature_coefficient") if given.has("temperature_coefficient") else copper)*real(rise)
    if given.word("circuit") == "dc":
        along = r*current*length
    else:
        pf = given.real("pf", "1")
        phasor = mpc(pf, -mp.sqrt((1 - pf)*(1 + pf)))*current
        along = (mpc(r, given.real("reactance_per_length", "0"))*length*phasor).real
    drop = factor*along
    return {"voltage_drop": drop, "percent": drop/voltage*100, "load_voltage": voltage - drop,
            "conductor_loss": number*length*r*current*current}


@capability("electrical.convert.amps_volts")
def amps_volts(given):
    w, i, v, r = (given.exact(name) for name in ("W", "I", "V", "R"))
    if v is None:
        return {"volts": r*i if w is None else w/i}
    return {"amps": v/r if w is None else w/v}


def phases(given):
    """Apparent power of a circuit by the product of voltage and current."""
    circuit, phase = given.word("circuit", "ac_single_phase"), given.word("phase")
    if circuit in ("dc", "ac_single_phase") or circuit == "ac" and phase == "single":
        return real(1)
    # Three phases with the voltage to neutral, which is 1/sqrt(3) of the voltage between lines.
    return real(3) if phase == "line_to_neutral" else 3/mp.sqrt(3)


@capability("electrical.convert.kva_amps")
def kva_amps(given):
    a, each = given.real("primary"), phases(given)*given.real("volts")/1000
    if given.word("dir", "kva_to_amps") == "kva_to_amps":
        return {"kva": a, "amps": a/each}
    return {"kva": a*each, "amps": a}


@capability("electrical.convert.kw_kva")
def kw_kva(given):
    """The squares of active and reactive power add up to the square of apparent power."""
    a, pf = given.real("a"), given.real("pf")
    active = a if given.word("mode") == "kw_to_kva" else a*pf
    apparent = active/pf
    return {"kw": active, "kva": apparent, "kvar": mp.sqrt(apparent**2 - active**2)}


@capability("electrical.convert.watts_amps")
def watts_amps(given):
    a, direct = given.real("primary"), given.word("circuit", "dc") == "dc"
    pf = real(1) if direct else given.real("pf", "1")
    each = given.real("volts")*(1 if direct else phases(given))
    apparent = a/pf if given.word("dir", "watts_to_amps") == "watts_to_amps" else a*each
    return {"volt_amperes": apparent, "watts": apparent*pf, "amps": apparent/each}


@capability("electrical.energy.kwh")
def kwh(given):
    """In joules first; a kilowatt-hour is 3.6 MJ."""
    joules = given.exact("W")*(given.exact("hours")*3600)*given.exact("days", "1")
    price = given.exact("price_per_kwh")
    return {"joules": joules, "kwh": joules/3600000, "cost": None if price is None else price*joules/3600000}


@capability("electrical.power.power_factor_correction")
def power_factor_correction(given):
    """Reactive power by the tangents of both phase angles; the current of a capacitor is omega C times its voltage."""
    p, v, before, after = (given.real(name) for name in ("active_power", "volts", "pf_initial", "pf_target"))
    reactive = p*(mp.tan(mp.acos(before)) - mp.tan(mp.acos(after))) if before != after else real(0)
    if v is None:
        return {"capacitor_var": reactive}
    omega, each = 2*mp.pi*given.real("frequency", "50"), reactive
    if given.word("circuit", "ac_single_phase") == "ac_three_phase" or given.word("phase") == "three":
        wye, each = given.word("connection", "delta") == "wye", reactive/3
        lines = v*mp.sqrt(3) if given.word("phase") == "line_to_neutral" else v
        v = lines/mp.sqrt(3) if wye else lines
    return {"capacitor_var": reactive, "capacitance": each/v/v/omega}


@capability("electrical.power.power_triangle")
def power_triangle(given):
    """Active and reactive power are the parts of the complex power."""
    p, q, s, pf = (given.real(name) for name in ("active_power", "reactive_power", "apparent_power", "pf"))
    if pf is not None and (p is not None or s is not None):
        power = mp.expj(mp.acos(pf))*(s if s is not None else p/pf)
    elif pf is not None:
        power = mpc(abs(q)/mp.tan(mp.acos(pf)), q)
    elif s is not None:
        part = abs(q) if p is None else p
        rest = mp.sqrt((s - part)*(s + part))
        power = mpc(rest, q) if p is None else mpc(p, rest)
    else:
        power = mpc(p, q)
    results = {"active_power": power.real, "reactive_power": power.imag, "apparent_power": abs(power),
               "pf": power.real/abs(power) if power else pf, "phase_angle": mp.arg(power)}
    if not power:  # no load: the angle is the angle of the power factor
        results["phase_angle"] = mp.acos(pf)
    for name, x in zip(("active_power", "reactive_power", "apparent_power", "pf"), (p, q, s, pf)):
        if x is not None:
            results[name] = x
    return results


@capability("electrical.cables.sizing")
def cable_sizing(given):
    """Takes the phasor of the current through the impedance of each cable, from the smallest cable to the largest."""
    circuit, pf = given.word("circuit"), given.real("power_factor", "1")
    direct = circuit == "dc"
    phasor = mpc(1) if direct else mpc(pf, -mp.sqrt((1 - pf)*(1 + pf)))
    voltage, length, current = given.real("voltage"), given.real("length"), given.real("design_current")
    share, factor = given.real("drop_limit", "0.05"), given.real("correction_factor", "1")
    rise = given.real("conductor_temperature", "343.15") - real(Fraction("293.15"))
    for cable in given.records("cables"):
        cold = cable.real("resistance")
        warm = cold + cold*given.real("temperature_coefficient", "0.00393")*rise
        impedance = mpc(warm, 0 if direct else given.real("reactance_per_length", "0.00008"))
        phase = (impedance*phasor).real*current*length
        # Between lines it is 3/sqrt(3) times the drop of a phase, and a loop has two conductors.
        drop = phase*3/mp.sqrt(3) if circuit == "three_phase" else phase + phase
        capacity = cable.real("capacity")*factor
        use = given.real("device_rating")/capacity, drop/voltage/share
        results = {"area": cable.exact("area"), "corrected_capacity": capacity, "resistance_per_length": warm,
                   "required_capacity": given.real("device_rating")/factor, "voltage_drop": drop,
                   "relative_voltage_drop": drop/voltage, "current_utilization": use[0], "drop_utilization": use[1],
                   "utilization": max(use)}
        if results["utilization"] <= 1:
            break
    return results


@capability("electrical.batteries.runtime")
def battery_runtime(given):
    """Takes logarithms of the current in multiples of the rated current."""
    rated = given.real("rated_amp_hours")*3600/given.real("rated_time", "72000")
    current, voltage = given.real("current"), given.real("voltage")
    if current is None:
        current = given.real("power")/given.real("efficiency", "1")/voltage
    usable = given.real("depth_of_discharge", "1")*given.real("rated_time", "72000")
    runtime = usable/mp.exp(given.real("peukert_exponent")*mp.log(current/rated))
    charge = current*runtime
    results = {"runtime": runtime, "current": current, "rated_current": rated, "delivered_amp_hours": charge/3600}
    if voltage is not None:
        results["delivered_energy"] = charge*voltage
    if given.has("required_runtime"):
        results["utilization"] = given.real("required_runtime")/runtime
    return results


@capability("electrical.radio.free_space_path_loss")
def free_space_path_loss(given):
    """Multiplies power by gains and areas, and takes logarithms at the end."""
    def ratio(name, default="0"):
        return mp.exp(mp.log(10)/10*given.real(name, default))

    def decibels(x):
        return 10*mp.log(x)/mp.log(10)

    wavelength, distance = 299792458/given.real("frequency"), given.real("distance")
    sphere = 4*mp.pi*distance**2
    aperture = wavelength**2/(4*mp.pi)  # of an isotropic antenna
    sent = ratio("transmit_power")*ratio("transmit_gain")/ratio("transmit_loss")
    received = sent/sphere*aperture*ratio("receive_gain")/ratio("receive_loss")/ratio("other_loss")
    results = {"path_loss": decibels(sphere/aperture), "wavelength": wavelength, "eirp": decibels(sent),
               "erp": decibels(sent/real(Fraction("1.643"))), "received_power": decibels(received),
               "fresnel_radius": mp.sqrt(wavelength*distance/4)}
    if given.has("sensitivity"):
        results["margin"] = decibels(received/ratio("sensitivity"))
        results["utilization"] = ratio("sensitivity")*ratio("required_margin")/received
    return results


@capability("electrical.cables.smallest_conductor")
def smallest_conductor(given):
    """Computes the drop of each conductor, and takes the smallest one that keeps the limit."""
    conductors = zip(column("wires_iec60228", "area", Fraction(1, 10**6)), column("wires_iec60228", "resistance_per_length", Fraction(1, 1000)))
    warm = 1 + Fraction("0.00393")*(given.exact("conductor_temperature", "343.15") - Fraction("293.15"))
    way = given.real("length")*given.real("current")*(mp.sqrt(3) if given.word("circuit") == "three_phase" else 2)*real(warm)
    limit = given.real("drop_limit", "0.03")*given.real("voltage")
    results = {"largest_resistance": limit/way}
    for area, resistance in sorted(conductors):
        if float(real(resistance)) <= float(limit/way):
            return results | {"area": area, "resistance_per_length": real(resistance*warm), "voltage_drop": way*real(resistance),
                              "utilization": way*real(resistance)/limit}
    return results
