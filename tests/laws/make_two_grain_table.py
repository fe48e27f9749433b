"""Two-grain results of all laws, worked out without granum, for ``two_grain_table.toml``.

    python tests/laws/make_two_grain_table.py

writes the table anew. Every law is written down here once more from its published formulas (those
of `docs/laws.md`), stiffness and damping are found from restitution and contact time by integrating
a collision and searching for the root, and collisions are integrated by SciPy to eleven digits.

A *moment* is one contact: pressed to ``deepest``, released to ``overlap``, slid by ``slid`` along a
straight line, all so slowly that dashpots are still; then the two have these velocities and spins.
A *collision* is head on, from the first touch until nothing acts any more.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

TABLE = Path(__file__).with_name("two_grain_table.toml")
DENSITY = 2500.0
SIZES = {"equal": (5e-3, 5e-3), "ten": (5e-3, 5e-2), "wall": (5e-3, math.inf)}
Z = np.array([0.0, 0.0, 1.0])
TIGHT = {"method": "DOP853", "rtol": 1e-11}


class Pair:
    """Effective masses and radius."""

    def __init__(self, radii):
        self.radii = radii
        self.mass = [4.0 / 3.0 * math.pi * r**3 * DENSITY for r in radii]
        self.m = 1.0 / sum(1.0 / m for m in self.mass)
        spheres = [(m, r) for m, r in zip(self.mass, radii, strict=True) if r < math.inf]
        self.per_turning = sum(r**2 / (0.4 * m * r**2) for m, r in spheres)
        self.m_t = 1.0 / (1.0 / self.m + self.per_turning)
        self.radius = 1.0 / sum(1.0 / r for r in radii)


# ---- numbers from restitution and contact time -----------------------------------------------


def one_bounce(force, start=1e-12):
    """Return restitution and duration of x'' = -force(x, x') with x' = 1, until it would pull."""
    def over(_, y):
        return force(*y)

    over.terminal, over.direction = True, -1
    path = solve_ivp(lambda _, y: (y[1], -force(*y)), (0.0, 50.0), (start, 1.0), events=over,
                     atol=1e-14, **TIGHT)
    return -path.y[1, -1], path.t[-1]


def repulsive(e):
    """Return ζ and the phase of a linear contact that ends at zero force."""
    if e == 1.0:
        return 0.0, math.pi

    def bounce(zeta):
        return one_bounce(lambda x, v: x + 2.0 * zeta * v)

    zeta = brentq(lambda zeta: bounce(zeta)[0] - e, 1e-6, 3.0, xtol=1e-13)
    return zeta, bounce(zeta)[1]


def hertz_damping(e):
    """Return γ of F = x^(3/2) + γ x^(1/4) x'."""
    if e == 1.0:
        return 0.0
    return brentq(lambda g: one_bounce(lambda x, v: max(x, 0.0) ** 1.5
                                       + g * max(x, 0.0) ** 0.25 * v)[0] - e, 1e-6, 5.0,
                  xtol=1e-12)


# ---- the laws: normal force, tangential force, what they store -------------------------------


class Law:
    """Springs and dashpots; what others change is told apart by methods."""

    pulls = True

    def __init__(self, pair, restitution=1.0, contact_time=1e-4, friction=0.0):
        self.pair, self.mu = pair, friction
        log, t = math.log(restitution), contact_time
        self.k, self.c = pair.m * (math.pi**2 + log**2) / t**2, -2.0 * pair.m * log / t
        self.k_t, self.c_t = pair.m_t * (math.pi**2 + log**2) / t**2, -2.0 * pair.m_t * log / t

    def normal(self, overlap, rate, deepest):
        """Force [N] at an overlap after the deepest one."""
        f = self.k * overlap + self.c * rate
        return f if self.pulls else max(f, 0.0)

    def tangential(self, overlap):
        """Stiffness [N/m] and damping [N s/m] in the contact plane."""
        return self.k_t, self.c_t

    def stored(self, overlap, deepest):
        """What the normal force gives back on the way to zero overlap, very slowly [J]."""
        ways = np.linspace(0.0, overlap, 200_001)
        f = np.array([self.normal(x, 0.0, deepest) for x in ways])
        return float(np.trapezoid(f, ways))

    def slid(self, limit, overlap, length):
        """Length of the spring [m] after a slip at a constant normal force of limit / μ."""
        k_t = self.tangential(overlap)[0]
        return min(length, limit / k_t)


class Repulsive(Law):
    pulls = False

    def __init__(self, pair, restitution, contact_time, friction=0.0):
        super().__init__(pair, restitution, contact_time, friction)
        zeta, phase = repulsive(restitution)
        omega = phase / contact_time
        self.k, self.c = pair.m * omega**2, 2.0 * zeta * omega * pair.m


class Spring(Law):
    def __init__(self, pair, stiffness):
        self.pair, self.mu, self.k, self.c = pair, 0.0, stiffness, 0.0
        self.k_t, self.c_t = 1.0, 0.0  # without friction, whatever


class Hertz(Law):
    pulls = False

    def __init__(self, pair, young, poisson, restitution, friction=0.0):
        self.pair, self.mu = pair, friction
        self.e_star = 1.0 / (2.0 * (1.0 - poisson**2) / young)
        shear = young / (2.0 * (1.0 + poisson))
        self.g_star = 1.0 / (2.0 * (2.0 - poisson) / shear)
        self.gamma = hertz_damping(restitution)

    def normal(self, overlap, rate, deepest):
        k = 4.0 / 3.0 * self.e_star * math.sqrt(self.pair.radius * max(overlap, 0.0))
        return max(k * overlap + self.gamma * math.sqrt(self.pair.m * k) * rate, 0.0)

    def tangential(self, overlap):
        k_t = 8.0 * self.g_star * math.sqrt(self.pair.radius * overlap)
        return k_t, 2.0 * self.gamma / math.sqrt(5.0) * math.sqrt(self.pair.m_t * k_t)


class Viscous(Hertz):
    def __init__(self, pair, young, poisson, viscous_time, friction=0.0):
        super().__init__(pair, young, poisson, 1.0, friction)
        self.late = viscous_time

    def normal(self, overlap, rate, deepest):
        k = 4.0 / 3.0 * self.e_star * math.sqrt(self.pair.radius * max(overlap, 0.0))
        return max(k * (overlap + 1.5 * self.late * rate), 0.0)

    def tangential(self, overlap):
        k_t = 8.0 * self.g_star * math.sqrt(self.pair.radius * overlap)
        return k_t, self.late * k_t


class Plastic(Law):
    def __init__(self, pair, restitution, contact_time, friction=0.0, stiffness_ratio=0.8):
        self.pair, self.mu, self.e = pair, friction, restitution
        self.k = pair.m * (math.pi * (1.0 + restitution) / (2.0 * contact_time)) ** 2
        self.k_t, self.c_t = stiffness_ratio * self.k, 0.0

    def normal(self, overlap, rate, deepest):
        back = self.k / self.e**2 * (overlap - (1.0 - self.e**2) * deepest)
        return max(min(self.k * overlap, back), 0.0)

    def slid(self, limit, overlap, length):
        """Mindlin's curve, T = μ F (1 - (1 - 2 k_t s / 3 μ F)^(3/2))."""
        left = 1.0 - 2.0 * self.k_t * length / (3.0 * limit)
        return limit / self.k_t * (1.0 - max(left, 0.0) ** 1.5)


class Lines(Law):
    def __init__(self, pair, restitution, contact_time, friction=0.0):
        super().__init__(pair, restitution, contact_time, friction)
        e2 = restitution**2
        self.back = 0.5 * e2
        self.first = (1.0 - 2.0 * self.back + self.back * e2) / (e2 - self.back)
        self.again = 0.5 * (1.0 + 1.0 / e2)
        self.k = 1.0
        lasts = fly(self.normal, 1.0)[1]  # of a unit mass on k_1 = 1
        self.k = pair.m * (lasts / contact_time) ** 2

    def normal(self, overlap, rate, deepest):
        steep = self.k * deepest - self.first * self.k * (deepest - overlap)
        return max(steep, self.back * self.k * overlap, 0.0)

    def stored(self, overlap, deepest):
        """A later way back, with the slope of reloading, is possible if that is softer."""
        top = self.normal(overlap, 0.0, deepest)
        steep = min(self.first, self.again) * self.k
        ways = np.linspace(0.0, overlap, 200_001)
        f = np.maximum(top - steep * (overlap - ways), self.back * self.k * ways)
        return float(np.trapezoid(f, ways))


def fly(normal, m, speed=1.0, start=0.0):
    """Return restitution, how long there is an overlap, and the deepest one, head on."""
    def turn(_, y):
        return y[1]

    def part(_, y):
        return y[0]

    turn.terminal = part.terminal = True
    part.direction = -1
    kinds = {"atol": 1e-16 * speed, **TIGHT}
    into = solve_ivp(lambda _, y: (y[1], -normal(y[0], y[1], y[0]) / m), (0.0, 100.0),
                     (start, speed), events=turn, first_step=1e-9, **kinds)
    deepest = into.y[0, -1]
    out = solve_ivp(lambda _, y: (y[1], -normal(y[0], y[1], deepest) / m), (0.0, 100.0),
                    (deepest, 0.0), events=part, max_step=into.t[-1] / 20.0, **kinds)
    return -out.y[1, -1] / speed, into.t[-1] + out.t[-1], deepest


# ---- add-ons: a pull along the normal, or a couple -------------------------------------------


class Steady:
    def __init__(self, pair, force):
        self.f, self.range = force, 0.0

    def pull(self, overlap):
        return self.f if overlap > 0.0 else 0.0


class Sticky:
    def __init__(self, pair, work, neck):
        self.f, self.range = 1.5 * math.pi * work * pair.radius, neck

    def pull(self, overlap):
        gap = max(-overlap, 0.0)
        return self.f * (1.0 - 4.0 / 9.0 * gap / self.range) if gap <= self.range else 0.0


class Wet:
    def __init__(self, pair, surface_tension, volume, contact_angle):
        self.f = 4.0 * math.pi * pair.radius * surface_tension * math.cos(contact_angle)
        self.range = (1.0 + 0.5 * contact_angle) * volume ** (1.0 / 3.0)
        self.wide = volume / (math.pi * pair.radius)

    def pull(self, overlap):
        gap = max(-overlap, 0.0)
        return self.f * (1.0 - gap / math.sqrt(gap**2 + self.wide)) if gap <= self.range else 0.0


KINDS = {"linear_viscoelastic": Law, "linear_repulsive": Repulsive, "elastic": Spring,
         "hertz_mindlin": Hertz, "kuwabara_kono": Viscous, "walton_braun": Plastic,
         "adaptive": Lines}
PULLS = {"cohesion": Steady, "adhesion": Sticky, "capillary_bridge": Wet}
LAWS = {
    "linear_viscoelastic": {"restitution": 0.6, "contact_time": 1e-4, "friction": 0.3},
    "linear_repulsive": {"restitution": 0.4, "contact_time": 1e-4, "friction": 0.3},
    "elastic": {"stiffness": 1e5},
    "hertz_mindlin": {"young": 1e9, "poisson": 0.3, "restitution": 0.5, "friction": 0.4},
    "kuwabara_kono": {"young": 1e9, "poisson": 0.25, "viscous_time": 5e-6, "friction": 0.4},
    "walton_braun": {"restitution": 0.7, "contact_time": 1e-4, "friction": 0.5},
    "adaptive": {"restitution": 0.6, "contact_time": 1e-4, "friction": 0.3},
}
ADDONS = {
    "cohesion": {"force": 0.05},
    "adhesion": {"work": 20.0, "neck": 5e-6},
    "capillary_bridge": {"surface_tension": 0.5, "volume": 1e-12, "contact_angle": 0.4},
}
UNDER = {"restitution": 1.0, "contact_time": 1e-4}  # the linear law below add-ons
SPEED = 0.1

# deepest and overlap [m], slid [m], velocities [m/s] and spins [rad/s] of i and of j
MOMENTS = {
    "sticks": (4e-6, 4e-6, 1e-8, (0.0, 0.0, 0.02), (1e-5, 2e-5, 0.0), (1e-3, 0.0, 1e-2),
               (0.0, 2e-3, 0.0)),
    "slides": (4e-6, 4e-6, 4e-5, (0.0, 0.0, -0.01), (0.3, 0.4, 0.0), (20.0, -10.0, 5.0),
               (3.0, 4.0, -7.0)),
    "released": (6e-6, 5.5e-6, 1e-8, (0.0, 0.0, -0.03), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0),
                 (0.0, 0.0, 0.0)),
}
ALONG = np.array([0.6, 0.8, 0.0])  # the way of the slip


def moment(law, pair, name):
    """Return force on i, torques on both, and what is stored, at one of the moments."""
    deepest, overlap, length, v_i, v_j, w_i, w_j = MOMENTS[name]
    v_i, v_j, w_i, w_j = (np.array(x) for x in (v_i, v_j, w_i, w_j))
    r_i, r_j = pair.radii
    a_i, a_j = r_i, 0.0
    if r_j < math.inf:
        a_i, a_j = (r * (r_i + r_j - overlap) / (r_i + r_j) for r in pair.radii)
    else:
        v_j, w_j = np.zeros(3), np.zeros(3)
    v = v_j - v_i - np.cross(a_i * w_i + a_j * w_j, Z)
    rate = -float(v @ Z)
    u = v + rate * Z
    f_n = law.normal(overlap, rate, deepest)
    k_t, c_t = law.tangential(overlap)
    limit = law.mu * max(f_n, 0.0)
    before = law.mu * law.normal(overlap, 0.0, deepest)
    spring = law.slid(before, overlap, length) * ALONG if before > 0.0 else np.zeros(3)
    pull = k_t * spring + c_t * u
    pull *= min(1.0, limit / np.linalg.norm(pull)) if pull.any() else 1.0
    held = min(np.linalg.norm(spring), limit / k_t)
    return {
        "force": pull - f_n * Z, "torque_i": a_i * np.cross(Z, pull),
        "torque_j": a_j * np.cross(Z, pull),
        "stored": [law.stored(overlap, deepest), 0.5 * k_t * held**2, 0.0],
    }


def with_pull(law, addon, pair):
    """Return moment and collision of the linear law without loss, with a pull."""
    overlap, gap = 3e-6, 0.4 * addon.range
    at = {"force": (addon.pull(overlap) - law.k * overlap) * Z}
    across = {"force": addon.pull(-gap) * Z if gap else 0.0 * Z}
    ways = np.linspace(-addon.range, overlap, 400_001)
    work = float(np.trapezoid([addon.pull(x) for x in ways], ways))
    at["stored"] = [0.5 * law.k * overlap**2 - work, 0.0, 0.0]
    ways = np.linspace(-addon.range, -gap, 400_001)
    across["stored"] = [-float(np.trapezoid([addon.pull(x) for x in ways], ways)), 0.0, 0.0]

    def normal(x, _rate, _deepest):
        return law.k * x - addon.pull(max(x, 1e-300))

    e, lasts, deepest = fly(normal, pair.m, SPEED)
    ways = np.linspace(-addon.range, 0.0, 400_001)
    torn = float(np.trapezoid([addon.pull(x) for x in ways], ways)) if addon.range else 0.0
    left = (e * SPEED) ** 2 - 2.0 * torn / pair.m
    assert left > 0.0, "it sticks: no restitution"
    return at, across, gap, overlap, (math.sqrt(left) / SPEED, lasts, deepest)


def rolling(pair, coefficient, contact_time, twisting, restitution, f_n):
    """Return couples on i at small and at large angles, and what the small ones store."""
    J = pair.radius**2 / pair.per_turning
    log = math.log(restitution)
    k, c = J * (math.pi**2 + log**2) / contact_time**2, -2.0 * J * log / contact_time
    rows = []
    for theta, phi, w_r, w_t in ((3e-7, -2e-7, 2e-3, 1e-3), (1e-2, 1e-2, 30.0, -20.0)):
        most = coefficient * pair.radius * f_n, twisting * pair.radius * f_n
        roll = min(theta, most[0] / k)
        turned = max(min(phi, most[1] / k), -most[1] / k)
        m_r = min(k * roll + c * w_r, most[0])
        m_t = max(min(k * turned + c * w_t, most[1]), -most[1])
        rows.append({"rolled": theta, "twisted": phi, "rolling": w_r, "twisting": w_t,
                     "couple": m_r * ALONG + m_t * Z,
                     "stored": 0.5 * k * (roll**2 + turned**2)})
    return rows


# ---- the file --------------------------------------------------------------------------------


def text(value):
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(text(float(x)) for x in value) + "]"
    return "inf" if value == math.inf else repr(float(f"{float(value):.9e}") + 0.0)


def table(title, entries):
    lines = [f"[[{title}]]"]
    for key, value in entries.items():
        if isinstance(value, dict):
            inner = ", ".join(f"{k} = {text(v)}" for k, v in value.items())
            lines.append(f"{key} = {{ {inner} }}")
        else:
            lines.append(f"{key} = {text(value)}")
    return "\n".join(lines) + "\n"


def main():
    found = ["# Made by make_two_grain_table.py; what it means is told there. SI units.\n"]
    for size, radii in SIZES.items():
        pair = Pair(radii)
        for kind, numbers in LAWS.items():
            law = KINDS[kind](pair, **numbers)
            head = {"law": {"type": kind, **numbers}, "size": size, "radii": radii}
            for name, (deepest, overlap, length, v_i, v_j, w_i, w_j) in MOMENTS.items():
                found.append(table("moment", {
                    **head, "name": name, "deepest": deepest, "overlap": overlap,
                    "slid": length * ALONG, "v_i": v_i, "v_j": v_j, "w_i": w_i, "w_j": w_j,
                    **moment(law, pair, name)}))
            e, lasts, deepest = fly(law.normal, pair.m, SPEED, 1e-15)
            found.append(table("collision", {**head, "speed": SPEED, "restitution": e,
                                             "lasts": lasts, "deepest": deepest}))
        for kind, numbers in ADDONS.items():
            law, addon = Law(pair, **UNDER), PULLS[kind](pair, **numbers)
            head = {"law": {"type": "linear_viscoelastic", **UNDER},
                    "add": {"type": kind, **numbers}, "size": size, "radii": radii}
            at, across, gap, overlap, bounce = with_pull(law, addon, pair)
            found.append(table("pull", {**head, "overlap": overlap, **at}))
            if gap:
                found.append(table("pull", {**head, "overlap": -gap, **across}))
            found.append(table("collision", {**head, "speed": SPEED, **dict(zip(
                ("restitution", "lasts", "deepest"), bounce, strict=True))}))
        law, overlap = Law(pair, **UNDER), 4e-6
        numbers = {"coefficient": 0.1, "contact_time": 1e-4, "twisting": 0.05, "restitution": 0.4}
        head = {"law": {"type": "linear_viscoelastic", **UNDER},
                "add": {"type": "rolling_resistance", **numbers}, "size": size, "radii": radii}
        found.extend(table("couple", {**head, "overlap": overlap, **row})
                     for row in rolling(pair, **numbers, f_n=law.k * overlap))
    TABLE.write_text("\n".join(found))


if __name__ == "__main__":
    main()
