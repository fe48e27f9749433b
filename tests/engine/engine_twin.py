"""A second simulator, slow and plain: every pair, every plane, one contact at a time.

It is written from the formulas of Cundall & Strack's law and of the velocity Verlet step with
predicted velocities; it calls nothing of granum. Contacts are remembered in a dict.
"""

import math

import numpy as np


def stiffness_and_damping(restitution, contact_time):
    """k/m [1/s2] and c/m [1/s] of a spring and dashpot whose collision takes ``contact_time``."""
    log = math.log(restitution)
    return (math.pi**2 + log**2) / contact_time**2, -2.0 * log / contact_time


class Twin:
    """Grains between planes.

    Args:
        state: copies of position, velocity, spin, orientation (n, ...) and radius, mass, inertia.
        planes: (point, unit normal towards the grains) of each plane.
        period: length of the cell in each direction, or None.
        gravity: function of time [s].
        law: restitution, contact time [s], friction, tangential restitution.
        corrected: velocity Verlet; without, accelerations are constant over a step.
    """

    def __init__(self, state, planes, period, gravity, law, dt, corrected=True):
        self.x, self.v, self.w, self.q = (np.array(state[k]) for k in
                                          ("position", "velocity", "spin", "orientation"))
        self.r, self.m, self.inertia = (np.array(state[k]) for k in
                                        ("radius", "mass", "inertia"))
        self.planes, self.period, self.gravity = planes, period, gravity
        self.dt, self.corrected = dt, corrected
        e_n, t_c, self.mu, e_t = law
        self.k_n, self.c_n = stiffness_and_damping(e_n, t_c)
        self.k_t, self.c_t = stiffness_and_damping(e_t, t_c)
        self.steps = 0
        self.springs = {}
        self.a, self.b = self.accelerations(0.0, 0.5 * dt)

    def step(self):
        """One step of velocity Verlet; forces at the new positions and predicted velocities."""
        dt = self.dt
        self.turn(self.w + 0.5 * dt * self.b)
        self.x = self.x + dt * self.v + 0.5 * dt**2 * self.a
        for axis, length in enumerate(self.period):
            if length is not None:
                self.x[:, axis] %= length
        self.v = self.v + dt * self.a
        self.w = self.w + dt * self.b
        self.steps += 1
        before = self.a, self.b
        self.a, self.b = self.accelerations(0.5 * dt, 0.5 * dt)
        if self.corrected:
            self.v = self.v + 0.5 * dt * (self.a - before[0])
            self.w = self.w + 0.5 * dt * (self.b - before[1])

    def turn(self, mean_spin):
        """Turn by the mean spin of the step: q <- (1 + b)(1 - b)^-1 q with b = dt ω / 4."""
        for i, spin in enumerate(mean_spin):
            b = np.array([0.0, *(0.25 * self.dt * spin)])
            plus, minus = np.array([1.0, 0, 0, 0]) + b, np.array([1.0, 0, 0, 0]) - b
            inverse = minus * [1.0, -1.0, -1.0, -1.0] / (minus @ minus)
            self.q[i] = product(product(plus, inverse), self.q[i])

    def accelerations(self, past, ahead):
        """Forces and torques of all contacts, gravity; springs grow by the slip of both times."""
        force, torque = np.zeros_like(self.x), np.zeros_like(self.x)
        springs = {}
        for i, j, normal, overlap in self.contacts():
            f, arm_i, arm_j, springs[i, j] = self.contact(
                i, j, normal, overlap, past, ahead, past + ahead)
            force[i] += f
            torque[i] += np.cross(arm_i * normal, f)
            if not isinstance(j, str):
                force[j] -= f
                torque[j] += np.cross(-arm_j * normal, -f)
        self.springs = springs
        pull = self.gravity(self.steps * self.dt)
        return force / self.m[:, None] + pull, torque / self.inertia

    def contacts(self):
        """Yield grain i, grain j > i (or the name of a plane), normal from i to j, overlap."""
        n = len(self.x)
        for i in range(n):
            for j in range(i + 1, n):
                d = self.x[j] - self.x[i]
                for axis, length in enumerate(self.period):
                    if length is not None:
                        d[axis] = min((d[axis] + k * length for k in (-1, 0, 1)), key=abs)
                distance = math.sqrt(d @ d)
                if distance < self.r[i] + self.r[j]:
                    yield i, j, d / distance, self.r[i] + self.r[j] - distance
            for k, (point, inward) in enumerate(self.planes):
                height = (self.x[i] - point) @ inward
                if height < self.r[i]:
                    yield i, f"plane {k}", -inward, self.r[i] - height

    def contact(self, i, j, normal, overlap, past, ahead, turned):
        """Return the force on i, the arms of the contact point, and the spring to remember.

        The contact point divides the line between the centres like the radii; seen from a wall,
        which is a grain without end, it is a radius away. Springs are remembered half a step
        ahead: they grow by the slip of ``past`` [s] before the law sees them, of ``ahead`` after,
        and twist with the pair for the time ``turned``.
        """
        arm_i = self.r[i]
        if not isinstance(j, str):
            both = self.r[i] + self.r[j]
            arm_i, arm_j = (r * (both - overlap) / both for r in (self.r[i], self.r[j]))
        there = self.v[i] + np.cross(self.w[i], arm_i * normal)
        slowness = 1.0 / self.m[i]
        slowness_t = slowness + self.r[i] ** 2 / self.inertia[i, 2]
        if isinstance(j, str):
            arm_j, other = 0.0, np.zeros(3)
        else:
            other = self.v[j] + np.cross(self.w[j], -arm_j * normal)
            slowness += 1.0 / self.m[j]
            slowness_t += 1.0 / self.m[j] + self.r[j] ** 2 / self.inertia[j, 2]
        m_n, m_t = 1.0 / slowness, 1.0 / slowness_t
        velocity = other - there
        closing = -(velocity @ normal)
        slip = velocity + closing * normal
        f_n = m_n * self.k_n * overlap + m_n * self.c_n * closing
        twist = 0.0  # angle of both grains together about the normal; a wall does not turn
        if not isinstance(j, str):
            both = self.r[i] + self.r[j]
            twist = turned * (self.r[i] * self.w[i] + self.r[j] * self.w[j]) @ normal / both
        spring = self.springs.get((i, j), np.zeros(3))
        spring = with_plane(spring, normal, twist) + past * slip
        f_t = m_t * self.k_t * spring + m_t * self.c_t * slip
        most = self.mu * max(f_n, 0.0)
        size = math.sqrt(f_t @ f_t)
        if size > most:
            f_t = f_t * (most / size)
        held, length = most / (m_t * self.k_t), math.sqrt(spring @ spring)
        if length > held:
            spring = spring * (held / length)
        return f_t - f_n * normal, arm_i, arm_j, spring + ahead * slip

    def at_the_moment(self, i, j, normal, overlap):
        """The same without time passing: springs are taken back by half a step, nothing turns."""
        return self.contact(i, j, normal, overlap, -0.5 * self.dt, 0.0, 0.0)


def with_plane(spring, normal, twist):
    """Turn a spring into the contact plane and about its normal, keeping its length."""
    flat = spring - (spring @ normal) * normal + twist * np.cross(normal, spring)
    length = math.sqrt(flat @ flat)
    return flat * (math.sqrt(spring @ spring) / length) if length > 0.0 else flat


def product(p, q):
    """Return the product of two quaternions (w, x, y, z)."""
    return np.array([p[0] * q[0] - p[1:] @ q[1:],
                     *(p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:]))])
