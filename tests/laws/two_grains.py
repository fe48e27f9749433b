"""The slow twin: one collision of two spheres, or of a sphere and a wall, in plain Python.

Velocity Verlet with spins; for the dashpots, velocities are predicted at the end of a step. The
spring is turned with the normal, stretched by the slip of the step, and handed to the law, whose
functions run as plain Python. Written from the conventions of the documentation alone: the normal
from i to j, slip of j relative to i, force on i.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from granum.laws.law import Touch


def vec(*numbers):
    return np.array(numbers, dtype=float)


def cross(a, b):
    return vec(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@dataclass
class Body:
    """A sphere, or with an endless radius a wall at z = 0 below the other body."""

    radius: float
    density: float = 2500.0
    velocity: np.ndarray = field(default_factory=lambda: np.zeros(3))
    spin: np.ndarray = field(default_factory=lambda: np.zeros(3))
    position: np.ndarray = field(default_factory=lambda: np.zeros(3))

    @property
    def is_wall(self):
        return math.isinf(self.radius)

    @property
    def mass(self):
        return math.inf if self.is_wall else 4.0 / 3.0 * math.pi * self.radius**3 * self.density

    @property
    def inertia(self):
        return math.inf if self.is_wall else 0.4 * self.mass * self.radius**2

    @property
    def kinetic(self):
        if self.is_wall:
            return 0.0
        going, turning = self.velocity @ self.velocity, self.spin @ self.spin
        return 0.5 * (self.mass * going + self.inertia * turning)


@dataclass
class Course:
    """What is seen of a collision, step by step."""

    time: list = field(default_factory=list)
    overlap: list = field(default_factory=list)
    normal: list = field(default_factory=list)
    energy: list = field(default_factory=list)
    pull: list = field(default_factory=list)


class Collision:
    """Bodies i and j, which meet with no overlap at the start."""

    def __init__(self, law, i, j, step):
        self.p = tuple(law.coefficients().tolist())
        self.force, self.potential = law.kernel(), law.potential()
        self.i, self.j, self.step = i, j, step
        self.spring, self.state = np.zeros(3), (0.0,) * law.remembers
        self.before, self.lasting = None, 0.0
        self.course, self.steps = Course(), 0
        self.push = np.zeros(3), np.zeros(3), np.zeros(3)
        self.evaluate(np.zeros(3))

    def frame(self):
        """Return normal, overlap and the two arms."""
        i, j = self.i, self.j
        if j.is_wall:
            return vec(0.0, 0.0, -1.0), i.radius - i.position[2], i.radius, 0.0
        between = j.position - i.position
        distance = math.sqrt(between @ between)
        reach = i.radius + j.radius
        return (between / distance, reach - distance,
                i.radius * distance / reach, j.radius * distance / reach)

    def relative(self, n, arms):
        """Return the velocity of j relative to i at the contact point."""
        turning = arms[0] * self.i.spin + arms[1] * self.j.spin
        return self.j.velocity - self.i.velocity + cross(n, turning)

    def turned(self, n):
        """Return the spring, turned as the normal has turned since the last step."""
        if self.before is None:
            return self.spring
        axis = cross(self.before, n)
        sine = math.sqrt(axis @ axis)
        if sine == 0.0:
            return self.spring
        axis, cosine = axis / sine, self.before @ n
        s = self.spring
        return s * cosine + cross(axis, s) * sine + axis * (axis @ s) * (1.0 - cosine)

    def evaluate(self, stretch):
        """Ask the law; ``stretch`` is the slip since the last time."""
        n, overlap, *arms = self.frame()
        overlap = max(overlap, 0.0) if self.steps == 0 else overlap
        v = self.relative(n, arms)
        along = v @ n
        u = v - along * n
        s = self.turned(n) + stretch - (stretch @ n) * n
        inverse = 1.0 / self.i.mass + 1.0 / self.j.mass
        slip = inverse + self.i.radius**2 / self.i.inertia
        slip += 0.0 if self.j.is_wall else self.j.radius**2 / self.j.inertia
        radius = 1.0 / (1.0 / self.i.radius + 1.0 / self.j.radius)
        touch = Touch(overlap, -along, 1.0 / inverse, 1.0 / slip, radius, *s.tolist(), *u.tolist(),
                      self.lasting, self.step)
        f_n, pull, spring, self.state = self.force(self.p, touch, self.state)
        self.spring, pull = np.array(spring), np.array(pull)
        on_i = pull - f_n * n
        self.push = on_i, arms[0] * cross(n, pull), arms[1] * cross(n, pull)
        self.before, self.lasting = n, 1.0
        kept = touch._replace(sx=spring[0], sy=spring[1], sz=spring[2])
        seen = (self.steps * self.step, overlap, f_n,
                self.i.kinetic + self.j.kinetic + sum(self.potential(self.p, kept, self.state)),
                math.sqrt(pull @ pull))
        for kind, value in zip(vars(self.course).values(), seen, strict=True):
            kind.append(float(value))

    def kick(self, time):
        on_i, turn_i, turn_j = self.push
        self.i.velocity = self.i.velocity + time / self.i.mass * on_i
        self.j.velocity = self.j.velocity - time / self.j.mass * on_i
        self.i.spin = self.i.spin + time / self.i.inertia * turn_i
        self.j.spin = self.j.spin + time / self.j.inertia * turn_j

    def advance(self):
        """Take one step; tell whether the bodies still touch."""
        dt = self.step
        self.kick(dt / 2.0)
        n, _, *arms = self.frame()
        stretch = self.relative(n, arms) * dt
        self.i.position = self.i.position + dt * self.i.velocity
        self.j.position = self.j.position + dt * self.j.velocity
        self.steps += 1
        if self.frame()[1] < 0.0:
            return False
        half = [body.velocity for body in (self.i, self.j)], [b.spin for b in (self.i, self.j)]
        self.kick(dt / 2.0)
        self.evaluate(stretch)
        for body, velocity, spin in zip((self.i, self.j), *half, strict=True):
            body.velocity, body.spin = velocity, spin
        self.kick(dt / 2.0)
        return True

    def run(self, most=100_000):
        """Go on until they part; return what was seen."""
        while self.advance():
            assert self.steps < most, "they do not part"
        return self.course


def meeting(law, sizes, velocity, step, *, density=2500.0):
    """Return a collision about to happen: sphere i flies down on sphere j, or on a wall."""
    i, j = Body(sizes[0], density), Body(sizes[1], density)
    i.velocity = np.array(velocity, dtype=float)
    i.position = vec(0.0, 0.0, i.radius if j.is_wall else i.radius + j.radius)
    return Collision(law, i, j, step)


def returned(collision):
    """Return the restitution of a head-on collision along z, which is run to its end."""
    approach = collision.j.velocity[2] - collision.i.velocity[2]
    collision.run()
    return (collision.i.velocity[2] - collision.j.velocity[2]) / approach
