"""Flow in pipes and channels."""
from fractions import Fraction

from mpmath import mp, mpf

from quantities import capability, column, real

GRAVITY = Fraction("9.80665")


@capability("fluids.bernoulli.downstream_pressure")
def downstream_pressure(given):
    """Balances heads: pressure, velocity and height as heights of the fluid."""
    p, v1, v2, z1, z2, rho = (given.exact(name) for name in
                              ("pressure_1", "velocity_1", "velocity_2", "elevation_1", "elevation_2", "density"))
    weight = rho*GRAVITY
    total = p/weight + v1*v1/(2*GRAVITY) + z1 + given.exact("pump_head", "0") - given.exact("head_loss", "0")
    return {"pressure_2": (total - z2 - v2*v2/(2*GRAVITY))*weight}


@capability("fluids.dimensionless.reynolds")
def reynolds(given):
    """The ratio of the stress of inertia rho V^2 and the viscous stress mu V/L."""
    v, length = given.exact("velocity"), given.exact("characteristic_length")
    nu = given.exact("kinematic_viscosity")
    if nu is None:
        nu = given.exact("dynamic_viscosity")/given.exact("density")
    return {"reynolds": length/nu*v}


@capability("fluids.open_channel.manning")
def manning(given):
    """Strickler's form, with logarithms. The section is a rectangle and two triangles."""
    results = {}
    radius, area = given.real("hydraulic_radius"), given.real("flow_area")
    b, y = given.real("bottom_width"), given.real("depth")
    if b is not None:
        side = y*given.real("side_slope", "0")
        area = b*y + 2*(side*y/2)
        perimeter = b + 2*mp.hypot(side, y)
        radius = area/perimeter
        results = {"flow_area": area, "wetted_perimeter": perimeter, "top_width": b + 2*side}
    elif area is not None:
        results = {"flow_area": area, "wetted_perimeter": area/radius}
    strickler = 1/given.real("roughness_n")
    speed = strickler*mp.exp((4*mp.log(radius) + 3*mp.log(given.real("slope")))/6)
    results |= {"hydraulic_radius": radius, "velocity": speed}
    if area is not None:
        results["volumetric_flow"] = area*speed
    if b is not None:
        results["froude"] = mp.sqrt(speed**2*results["top_width"]/area/real(GRAVITY))
    return results


def colebrook(re, relative):
    """The friction factor by w + ln w = L: w is the argument of the logarithm times ln(10) Re/5.02.

    The equation in x = 1/sqrt(f) is 10^(-x/2) = relative/3.7 + 2.51 x/Re.
    """
    slope = real(Fraction("2.51"))/re
    rough = relative*10/37
    scale = mp.log(10)/2/slope
    right = scale*rough + mp.log(scale)
    w = mp.lambertw(mp.exp(right)).real if right < 1 else right - mp.log(right)
    step = mpf(1)
    while abs(step) > mp.eps*abs(w)*2**20:
        step = (w + mp.log(w) - right)/(1 + 1/w)
        w -= step
    return (slope/(w/scale - rough))**2


@capability("fluids.pipe.friction_factor")
def friction_factor(given):
    re, law = given.real("reynolds"), given.word("method", "auto")
    if law == "laminar" or law == "auto" and re < 2300:
        fanning = 16/re
    else:
        fanning = colebrook(re, given.real("relative_roughness", "0"))/4
    return {"darcy_friction_factor": 4*fanning, "fanning_friction_factor": fanning}


@capability("fluids.pipe.darcy_weisbach")
def darcy_weisbach(given):
    """Hagen-Poiseuille's law of laminar flow; else the head loss in velocity heads."""
    rho, mu, d, length = (given.real(name) for name in ("density", "dynamic_viscosity", "diameter", "length"))
    v, minor = given.real("velocity"), given.real("minor_loss_coefficient", "0")
    if v is None:
        v = given.real("volumetric_flow")/(mp.pi*(d/2)**2)
    re = d*v/(mu/rho)
    head = v**2/2/real(GRAVITY)
    results = {"reynolds": re, "velocity": v}
    if re < 2300:
        loss = (32*mu*length*v/d**2)/rho/real(GRAVITY) + minor*head
        if v > 0:
            results["darcy_friction_factor"] = 64*mu/(rho*v*d)
    else:
        f = results["darcy_friction_factor"] = colebrook(re, given.real("roughness", "0")/d)
        loss = f*length/d*head + minor*head
    return results | {"head_loss": loss, "pressure_drop": loss*rho*real(GRAVITY)}


def pipe_loss(flow, rho, mu, length, rough, d):
    """The pressure loss, the Reynolds number, the friction factor and the velocity of a pipe without fittings."""
    v = flow/(mp.pi*(d/2)**2)
    re = rho*v*d/mu
    f = 64/re if float(re) < 2300 else colebrook(re, rough/d)  # documents compare numbers that are rounded
    return f*rho*v*v*length/2/d, re, f, v


def required_diameter(flow, rho, mu, length, rough, limit):
    """Finds the diameter by secants of the logarithm of the pressure loss over the logarithm of the diameter."""
    required = mp.sqrt(mp.sqrt(8*mu*length*flow/limit/(mp.pi/16)))
    if float(2*flow*rho/mp.pi/(required/2)/mu) < 2300:
        return required

    def excess(x):
        d = mp.exp(x)
        speed = flow/(mp.pi*(d/2)**2)
        return mp.log(colebrook(rho*speed*d/mu, rough/d)*rho*speed**2*length/2/d/limit)
    before, now = mp.log(required), mp.log(required) + mpf(1)/4
    low = excess(before)
    while abs(now - before) > mp.eps*2**20:
        high = excess(now)
        before, now, low = now, now - high*(now - before)/(high - low), high
    return mp.exp(now)


@capability("fluids.pipe.sizing")
def pipe_sizing(given):
    flow, rho, mu, limit = (given.real(name) for name in
                            ("volumetric_flow", "density", "dynamic_viscosity", "pressure_loss_limit"))
    length, rough = given.real("length") + given.real("fittings_length", "0"), given.real("roughness", "0")
    required = required_diameter(flow, rho, mu, length, rough, limit)
    for pipe in given.records("pipes"):
        d = pipe.real("inner_diameter")
        if float(d) >= float(required):
            break
    loss, re, f, v = pipe_loss(flow, rho, mu, length, rough, d)
    return {"required_diameter": required, "inner_diameter": d, "velocity": v, "reynolds": re, "darcy_friction_factor": f,
            "pressure_loss": loss, "utilization": loss/limit}


@capability("fluids.pipe.by_pressure_loss")
def pipe_by_pressure_loss(given):
    """The smallest sufficient diameter of the table, whose order does not matter."""
    flow, rho, mu, length, limit = (given.real(name) for name in
                                    ("volumetric_flow", "density", "dynamic_viscosity", "length", "pressure_loss_limit"))
    rough = given.real("roughness", "0.000045")
    required = required_diameter(flow, rho, mu, length, rough, limit)
    wide = [d for d in map(real, column("pipes_en10220", "inner_diameter", Fraction(1, 1000))) if float(d) >= float(required)]
    results = {"required_diameter": required}
    if wide:
        loss, re, f, v = pipe_loss(flow, rho, mu, length, rough, min(wide))
        results |= {"inner_diameter": min(wide), "velocity": v, "reynolds": re, "darcy_friction_factor": f,
                    "pressure_loss": loss, "utilization": loss/limit}
    return results


@capability("fluids.pumps.npsh_available")
def npsh_available(given):
    """Balances pressures at the pump, and divides them by the specific weight at the end."""
    weight = given.exact("density")*given.exact("gravity", "9.80665")
    vapour, surface = given.exact("vapour_pressure"), given.exact("surface_pressure", "101325")
    lost = given.exact("friction_head", "0")*weight + given.exact("friction_pressure", "0")
    above = given.exact("static_head")*weight
    required = given.exact("npsh_required")
    limit = max(required + given.exact("margin", "0.5"), required*given.exact("margin_ratio", "1"))
    at_pump = surface + above - lost - vapour
    results = {"npsh_available": at_pump/weight, "npsh_limit": limit, "excess": (at_pump - required*weight)/weight,
               "least_static_head": limit - (at_pump - above)/weight, "pressure_head": surface/weight,
               "vapour_head": vapour/weight, "loss_head": lost/weight}
    if at_pump > 0:
        results["utilization"] = limit*weight/at_pump
    return results


def discharge(beta, d, re, near, far):
    """The discharge coefficient of Reader-Harris and Gallagher, with the taps in pipe diameters and the pipe in inches."""
    c = {name: real(Fraction(name)) for name in ("0.5961", "0.0261", "0.216", "0.000521", "0.0188", "0.0063", "0.043", "0.08",
                                                 "0.123", "0.11", "0.031", "0.8", "1.1", "1.3", "0.011", "0.75", "2.8", "0.7",
                                                 "0.3", "3.5")}
    million = 10**6/re
    a = mp.exp(c["0.8"]*mp.log(19000*beta/re))
    m = 2*far/(1 - beta)
    dam = m - c["0.8"]*mp.exp(c["1.1"]*mp.log(m)) if m > 0 else 0
    small = c["0.011"]*(c["0.75"] - beta)*(c["2.8"] - d) if d < c["2.8"] else 0
    return (c["0.5961"] + c["0.0261"]*beta**2 - c["0.216"]*beta**8 + c["0.000521"]*(million*beta)**c["0.7"]
            + (c["0.0188"] + c["0.0063"]*a)*beta**c["3.5"]*million**c["0.3"]
            + (c["0.043"] + c["0.08"]*mp.exp(-10*near) - c["0.123"]*mp.exp(-7*near))*(1 - c["0.11"]*a)/(beta**-4 - 1)
            - c["0.031"]*dam*beta**c["1.3"] + small)


@capability("fluids.pipe.orifice")
def orifice(given):
    """Finds the Reynolds number by secants: the speed in the pipe gives it, and it gives the speed."""
    pipe, bore, drop, rho, mu = (given.real(name) for name in ("pipe_diameter", "orifice_diameter", "differential_pressure",
                                                               "density", "dynamic_viscosity"))
    beta, inches = bore/pipe, pipe/real(Fraction("0.0254"))
    near, far = {"corner": (mpf(0), mpf(0)), "flange": (1/inches, 1/inches),
                 "d_and_half_d": (mpf(1), real(Fraction("0.47")))}[given.word("taps")]
    expansion = mpf(1)
    if given.word("phase", "liquid") == "gas":
        before = given.real("upstream_pressure")
        fit = real(Fraction("0.351")) + real(Fraction("0.256"))*beta**4 + real(Fraction("0.93"))*beta**8
        expansion += fit*mp.expm1(mp.log1p(-drop/before)/given.real("isentropic_exponent"))
    ideal = expansion*beta**2*mp.sqrt(2*drop/rho/(1 - beta**4))  # speed in the pipe for a coefficient of 1

    def surplus(logarithm):
        re = mp.exp(logarithm)
        return re*mu/rho/pipe/ideal - discharge(beta, inches, re, near, far)

    a = mp.log(ideal*rho*pipe/mu)
    b, low = a - mpf(1)/2, surplus(a)
    while abs(b - a) > mp.eps*2**20*abs(b):
        high = surplus(b)
        a, b, low = b, b - high*(b - a)/(high - low), high
    re = mp.exp(b)
    speed = re*mu/rho/pipe
    c, flow = speed/ideal, speed*mp.pi*(pipe/2)**2
    rest = mp.sqrt(1 - beta**4*(1 - c)*(1 + c))
    return {"mass_flow": flow*rho, "volumetric_flow": flow, "discharge_coefficient": c, "expansibility": expansion,
            "diameter_ratio": beta, "reynolds": re, "velocity": speed,
            "pressure_loss": drop*(2*rest/(rest + c*beta**2) - 1)}


@capability("fluids.open_channel.partially_full_pipe")
def partially_full_pipe(given):
    """The section is a sector of the circle without a triangle. A depth is found by secants of logarithms."""
    radius, depth = given.real("diameter")/2, given.real("depth")
    strickler = mp.sqrt(given.real("slope"))/given.real("roughness_n")

    def section(half):
        """Area and wetted perimeter for half of the wetted angle."""
        return radius**2*(half - mp.sin(half)*mp.cos(half)), 2*radius*half

    def discharge_of(half):
        area, perimeter = section(half)
        return area*strickler*mp.cbrt((area/perimeter)**2)

    full, greatest = discharge_of(mp.pi), discharge_of(real(Fraction("2.639")))
    results = {"full_flow": full, "greatest_flow": greatest}
    flow = given.real("volumetric_flow")
    if flow is None:
        half = mp.pi - mp.acos(depth/radius - 1)
        flow = discharge_of(half)
    elif float(flow) > float(greatest):
        return results
    else:
        a, b = real(Fraction(1)), real(Fraction(6, 5))
        low = mp.log(discharge_of(a)/flow)
        while abs(b - a) > mp.eps*2**20:
            high = mp.log(discharge_of(b)/flow)
            a, b, low = b, b - high*(b - a)/(high - low), high
            b = min(max(b, a/2), (a + real(Fraction("2.6391")))/2)
        half = b
        depth = 2*radius*mp.sin(half/2)**2
    area, perimeter = section(half)
    results |= {"volumetric_flow": flow, "depth": depth, "fill_ratio": depth/radius/2, "velocity": flow/area, "flow_area": area,
                "wetted_perimeter": perimeter, "hydraulic_radius": area/perimeter, "flow_ratio": flow/full}
    if given.has("fill_limit"):
        results["utilization"] = depth/(2*radius*given.real("fill_limit"))
    return results
