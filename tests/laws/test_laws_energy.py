"""What a contact gives back is never more than what was put in."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loading import collide
from two_grains import meeting

from granum.laws import Elastic, HertzMindlin, KuwabaraKono, LinearRepulsive, LinearViscoelastic
from granum.laws.law import Touch

SMOOTH = [HertzMindlin(1e9, 0.3, 0.6, 0.5), KuwabaraKono(1e9, 0.3, 1e-6, 0.5),
          LinearRepulsive(0.6, 1e-4, 0.5), LinearViscoelastic(0.6, 1e-4, 0.5)]
ids = [type(law).__name__ for law in SMOOTH]


class Bench:
    """A contact led by hand, so slowly that dashpots are still; counts the work done on it.

    Overlap and slip change one at a time. Between two moments of slip the spring force is linear
    where it sticks, so the trapezoid is its exact work, and less than that where it slides.
    """

    def __init__(self, law):
        self.force, self.energy = law.kernel(), law.potential()
        self.p = tuple(law.coefficients().tolist())
        self.state, self.spring, self.pull = (0.0,) * law.remembers, np.zeros(3), np.zeros(3)
        self.overlap, self.lasting, self.work = 0.0, 0.0, 0.0

    def touch(self):
        return Touch(self.overlap, 0.0, 1e-3, 1e-3 * 2.0 / 7.0, 2.5e-3, *self.spring.tolist(),
                     0.0, 0.0, 0.0, self.lasting, 1e-7)

    def feel(self):
        f_n, pull, spring, self.state = self.force(self.p, self.touch(), self.state)
        self.spring, self.lasting = np.array(spring), 1.0
        return f_n, np.array(pull)

    def press(self, overlap):
        self.overlap = overlap
        self.pull = self.feel()[1]

    def shear(self, x, y):
        before, slip = self.pull, np.array([x, y, 0.0])
        self.spring = self.spring + slip
        self.pull = self.feel()[1]
        self.work += 0.5 * (before + self.pull) @ slip

    def stored(self):
        return self.energy(self.p, self.touch(), self.state)[1]


overlaps = st.floats(1e-8, 1e-4)
slips = st.floats(-1e-4, 1e-4)
moves = st.lists(st.one_of(st.tuples(overlaps), st.tuples(slips, slips)), min_size=1, max_size=25)


@pytest.mark.parametrize("law", SMOOTH, ids=ids)
@given(first=overlaps, path=moves)
@settings(max_examples=150)
def test_random_paths_never_gain(law, first, path):
    bench = Bench(law)
    bench.press(first)
    scale = 0.0
    for move in path:
        bench.press(*move) if len(move) == 1 else bench.shear(*move)
        scale = max(scale, abs(bench.work), bench.stored())
        assert bench.stored() <= bench.work + 1e-12 * scale


def loop(bench, levels):
    """Press, shear, press less or more, shear back, often; return the work and what is left."""
    for _ in range(20):
        bench.press(levels[0])
        bench.shear(1e-8, 0.0)
        bench.press(levels[1])
        bench.shear(-1e-8, 0.0)
    bench.press(levels[0])
    return bench.work, bench.stored()


UNLOADED, LOADED = (1e-5, 1e-6), (1e-6, 1e-5)


@pytest.mark.parametrize("law", SMOOTH, ids=ids)
@pytest.mark.parametrize("levels", [UNLOADED, LOADED])
def test_closed_loop_never_gains(law, levels):
    work, left = loop(Bench(law), levels)
    assert work >= left * (1.0 - 1e-12)
    if law.remembers:
        assert work > 1e-3 * law.coefficients()[2] * 1e-16  # and truly loses


class Faulty(Bench):
    """The two rules known to make energy: the sum of increments, and k_t times the whole slip."""

    def __init__(self, law, sum_of_increments):
        super().__init__(law)
        right = self.force

        def force(p, touch, state):
            if sum_of_increments and touch.lasting:
                share = state[0] / (p[2] * math.sqrt(touch.radius * touch.overlap))
                touch = touch._replace(sx=touch.sx * share)
            return right(p, touch._replace(lasting=0.0), state)

        self.force = force


@pytest.mark.parametrize(("sum_of_increments", "levels"), [(True, UNLOADED), (False, LOADED)])
def test_the_loop_catches_the_known_faults(sum_of_increments, levels):
    work, left = loop(Faulty(SMOOTH[0], sum_of_increments), levels)
    assert work - left < -1e-3 * SMOOTH[0].coefficients()[2] * 1e-16


@pytest.mark.parametrize("law", [*SMOOTH, Elastic(1e5)], ids=[*ids, "Elastic"])
def test_normal_force_at_rest_belongs_to_the_potential(law):
    """The force without motion is the slope of the energy (Simpson's rule over many pieces)."""
    bench = Bench(law)
    edges = np.linspace(0.0, 1e-4, 401)
    forces = []
    for overlap in edges:
        bench.overlap = float(overlap)
        forces.append(bench.feel()[0])
    f = np.array(forces)
    work = (f[0:-1:2] + 4.0 * f[1::2] + f[2::2]).sum() * (edges[1] - edges[0]) / 3.0
    assert bench.energy(bench.p, bench.touch(), bench.state)[0] == pytest.approx(work, rel=2e-6)


@pytest.mark.parametrize("law", SMOOTH, ids=ids)
def test_tangential_work_is_stored_while_it_sticks(law):
    bench = Bench(law)
    bench.press(1e-5)
    bench.shear(1e-9, 2e-9)
    assert bench.stored() == pytest.approx(bench.work, rel=1e-12)
    bench.shear(-1e-9, -2e-9)
    assert abs(bench.work) < 1e-12 * law.coefficients()[0]


ROUGH = [HertzMindlin(1e8, 0.3, 1.0, 0.4), HertzMindlin(1e8, 0.3, 0.5, 0.4),
         KuwabaraKono(1e8, 0.3, 2e-6, 0.4), LinearRepulsive(0.9, 1e-4, 0.4)]


@pytest.mark.parametrize("law", ROUGH, ids=["elastic", "damped", "viscous", "linear"])
@given(angle=st.floats(0.0, 1.4), spin=st.floats(-300.0, 300.0), tilt=st.floats(-300.0, 300.0))
@settings(max_examples=12)
def test_collisions_never_gain(law, angle, spin, tilt):
    collision = meeting(law, (2e-3, 3e-3), (math.sin(angle), 0.0, -math.cos(angle)), 1e-6)
    collision.i.spin = np.array([0.0, spin, 0.3 * tilt])
    collision.j.spin = np.array([tilt, 0.0, spin])
    bodies = collision.i, collision.j
    before = sum(body.kinetic for body in bodies)
    course = collision.run()
    assert sum(body.kinetic for body in bodies) <= before * (1.0 + 1e-3)
    assert max(course.energy) <= before * (1.0 + 1e-3)


# ---- the conservative law ------------------------------------------------------------------------


def oscillating(law, mass, gravity, height, step, steps):
    """Let a grain bob on a floor that it never leaves; return its energies [J]."""
    p, force, potential = tuple(law.coefficients().tolist()), law.kernel(), law.potential()
    state = (0.0,) * law.remembers
    x, v, energies = height, 0.0, np.empty(steps)

    def touch(x, v):
        return Touch(x, v, mass, mass, 2.5e-3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, step)

    f = force(p, touch(x, v), state)[0]
    for k in range(steps):  # x overlap, positive downwards
        v += 0.5 * step * (gravity - f / mass)
        x += step * v
        f = force(p, touch(x, v), state)[0]
        v += 0.5 * step * (gravity - f / mass)
        stored = potential(p, touch(x, v), state)[0]
        energies[k] = 0.5 * mass * v * v + stored - mass * gravity * x
    return energies


@pytest.mark.parametrize("law", [Elastic(1e4), HertzMindlin(1e8, 0.3, 1.0)],
                         ids=["Elastic", "HertzMindlin"])
def test_no_drift_in_a_hundred_thousand_steps(law):
    """A lasting contact at a hundredth of the contact time: the mean energy stays to 1e-6."""
    mass, gravity = 1e-3, 9.81
    rest = mass * gravity / 1e4
    if law.remembers:
        rest = (mass * gravity / (law.coefficients()[0] * math.sqrt(2.5e-3))) ** (2.0 / 3.0)
    stiffness = (1.5 if law.remembers else 1.0) * mass * gravity / rest
    step = math.pi * math.sqrt(mass / stiffness) / 100.0
    energies = oscillating(law, mass, gravity, 1.6 * rest, step, 100_000)
    swing = mass * gravity * rest
    first, last = energies[:10_000].mean(), energies[-10_000:].mean()
    assert abs(last - first) < 1e-6 * swing
    assert np.ptp(energies) < 1e-3 * swing


@pytest.mark.parametrize("law", [Elastic(1e4), HertzMindlin(1e8, 0.3, 1.0)],
                         ids=["Elastic", "HertzMindlin"])
def test_bounces_neither_gain_nor_lose_on_average(law):
    """A hundredth of the contact time, from every phase of the step in which the grains meet.

    A single bounce is off by up to 1e-5 of its energy, by the third order of the step: the force
    sets in within a step. Nothing of that is left in the mean, so gases do not drift.
    """
    mass, speed = 1e-3, 0.1
    k = 4.0 / 3.0 * 1e8 / (2.0 * 0.91) * math.sqrt(1e-3)
    t_c = (2.943275 * (1.25 * mass * speed**2 / k) ** 0.4 / speed if law.remembers
           else math.pi * math.sqrt(mass / 1e4))
    gains = [collide(law, mass, speed, t_c / 100.0, phase).restitution ** 2 - 1.0
             for phase in np.arange(0.5 / 64.0, 1.0, 1.0 / 64.0)]
    assert max(map(abs, gains)) < 2e-5
    assert abs(np.mean(gains)) < 1e-6
