"""Glued spheres once more, slow and plain: every bond in turn, forces from the thesis' formulas.

It calls nothing of granum. Bonds are a list; both ends of one are served at once, so nothing here
is like the engine's rows. Spheres that are not glued do not feel each other.
"""

import math

import numpy as np


def pull(glue, d, rest):
    """Force that draws two spheres together [N] (Ferrez 3.25; 3.27 with 3.29)."""
    if hasattr(glue, "exponent"):
        x = d - rest
        edge = glue.core * rest
        if glue.exponent < 1.0 and abs(x) <= edge:
            return glue.stiffness * edge ** (glue.exponent - 1.0) * x
        return glue.stiffness * math.copysign(abs(x) ** glue.exponent, x)
    a, alpha, beta = glue.coefficient, glue.alpha, glue.beta
    b = -alpha / beta * a * rest ** (beta - alpha)
    return -alpha * a * d ** (-alpha - 1.0) - beta * b * d ** (-beta - 1.0)


def reference_stiffness(glue, rest):
    if hasattr(glue, "exponent"):
        return glue.stiffness * (glue.core * rest) ** (glue.exponent - 1.0)
    return glue.alpha * (glue.alpha - glue.beta) * glue.coefficient * rest ** (-glue.alpha - 2.0)


class BondTwin:
    """Spheres and bonds without contacts.

    Args:
        world: copied: positions, velocities, masses, radii, bonds and glues.
        dt: time step [s].
    """

    def __init__(self, world, dt):
        self.x, self.v = world.position.copy(), world.velocity.copy()
        self.m, self.r = world.mass.copy(), world.radius.copy()
        self.g = np.array(world.gravity)
        self.period = [length or 0.0 for length in world.periodic]
        bonds = world.bonds
        self.bonds = [(int(i), int(j), float(rest), world.glues[glue]) for i, j, rest, glue in
                      zip(bonds.i, bonds.j, bonds.rest, bonds.glue, strict=True)]
        self.dt = dt
        self.broken = []
        self.a = self.accelerations()

    def step(self):
        """Velocity Verlet, with forces at the predicted velocity."""
        dt, before = self.dt, self.a
        self.x = self.x + dt * self.v + 0.5 * dt**2 * self.a
        self.v = self.v + dt * self.a
        self.a = self.accelerations()
        self.v = self.v + 0.5 * dt * (self.a - before)

    def accelerations(self):
        total = np.tile(self.g, (len(self.m), 1))
        held = []
        for i, j, rest, glue in self.bonds:
            way = self.x[j] - self.x[i]
            for axis, length in enumerate(self.period):
                if length:
                    way[axis] -= length * round(way[axis] / length)
            d = math.sqrt(sum(way**2))
            n = way / d
            force = pull(glue, d, rest)
            too_hard = glue.strength is not None and force > glue.strength
            too_far = glue.stretch is not None and d - rest > glue.stretch * rest
            if (too_hard or too_far) and d > self.r[i] + self.r[j]:
                self.broken.append((i, j))
                continue
            held.append((i, j, rest, glue))
            mass = self.m[i] * self.m[j] / (self.m[i] + self.m[j])
            c = 2.0 * glue.damping * math.sqrt(reference_stiffness(glue, rest) * mass)
            force += c * float(np.dot(self.v[j] - self.v[i], n))
            total[i] += force * n / self.m[i]
            total[j] -= force * n / self.m[j]
        self.bonds = held
        return total
