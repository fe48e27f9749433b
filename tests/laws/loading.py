"""A slow driver of contact laws in plain Python: a prescribed path, or two masses that collide."""

from typing import NamedTuple

import numpy as np
from numba import njit

from granum.laws.law import Touch


class Contact:
    """One contact under a law, step by step, with the work done on it."""

    def __init__(self, law, mass=2e-6, slip_mass=None, radius=1e-3, compiled=False):
        self.p = tuple(law.coefficients().tolist())
        self.force, self.potential = law.kernel(), law.potential()
        if compiled:
            self.force, self.potential = wrapped(self.force), wrapped(self.potential)
        slip_mass = 2.0 / 7.0 * mass if slip_mass is None else slip_mass
        self.fixed = (mass, slip_mass, radius)
        self.overlap, self.spring, self.state = 0.0, (0.0, 0.0, 0.0), (0.0,) * law.remembers
        self.f_n, self.f_t, self.lasting = 0.0, (0.0, 0.0, 0.0), 0.0
        self.normal_work, self.slip_work = 0.0, 0.0  # by the rule of trapezia [J]

    def touch(self, rate=0.0, slip=(0.0, 0.0, 0.0), step=1.0):
        return Touch(self.overlap, rate, *self.fixed, *self.spring, *slip, self.lasting, step)

    def move(self, closer=0.0, slide=(0.0, 0.0, 0.0), step=1.0):
        """Change overlap and slip by these lengths [m] in a step [s]; return the normal force."""
        self.overlap += closer
        self.spring = tuple(s + d for s, d in zip(self.spring, slide, strict=True))
        touch = self.touch(closer / step, tuple(d / step for d in slide), step)
        f_n, f_t, spring, self.state = self.force(self.p, touch, self.state)
        self.normal_work += 0.5 * (self.f_n + f_n) * closer
        for a, b, d in zip(self.f_t, f_t, slide, strict=True):
            self.slip_work += 0.5 * (a + b) * d
        self.f_n, self.f_t, self.spring, self.lasting = f_n, f_t, spring, 1.0
        return f_n

    def go(self, closer=0.0, slide=(0.0, 0.0, 0.0), steps=1):
        """Do the same in many equal steps."""
        slide = tuple(float(d) / steps for d in slide)
        for _ in range(steps):
            self.move(closer / steps, slide)
        return self.f_n

    def energy(self):
        """Return what the contact can give back, normal and tangential [J]."""
        return self.potential(self.p, self.touch(), self.state)


class Rebound(NamedTuple):
    """What a head-on collision did."""

    restitution: float
    pushed: float  # how long there was a force [s]
    lasted: float  # how long there was an overlap [s]


def collide(law, mass=2e-6, speed=0.1, step=None, phase=0.5, standing=0.0):
    """Let one mass fall upon a contact; velocity Verlet.

    Args:
        law: of the contact.
        mass: effective [kg].
        speed: of approach [m/s].
        step: time step [s]; the recommended one unless given.
        phase: share of the first step that is spent in contact.
        standing: a load that pushes all the while [N].
    """
    step = law.time_steps(np.array([1e-3]), np.array([mass])).recommended if step is None else step
    contact = Contact(law, mass=mass)
    v, gap, pushed, lasted = speed, -speed * step * (1.0 - phase), 0.0, 0.0
    contact.overlap, acceleration = gap, 0.0
    while contact.overlap > 0.0 or v > 0.0:
        half = v + 0.5 * step * acceleration
        if contact.overlap + step * half > 0.0:
            acceleration = (standing - contact.move(step * half, step=step)) / mass
            pushed += step * (contact.f_n > 0.0)
            lasted += step
        else:
            contact.overlap += step * half
            acceleration = 0.0
        v = half + 0.5 * step * acceleration
    return Rebound(-v / speed, pushed, lasted)


def wrapped(function):
    """Return a law's function as compiled code."""

    @njit(error_model="numpy")
    def call(p, touch, state):
        return function(p, touch, state)

    return call
