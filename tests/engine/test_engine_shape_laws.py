"""Other laws between swept shapes: rods that meet end to end collide as spheres of their mass do.

The ends are balls, the centres lie on one line, and nothing turns: so the two are the same
collision, and what a law keeps of a contact (a permanent deformation, a neck that holds across a
gap, a number of a user's own) must go the same way through features as through spheres.
"""

import math

import numpy as np
import pytest

import granum as gr

RADIUS, LENGTH, GAP, SPEED = 1e-3, 4e-3, 1.234e-6, 0.05
T_C = 2e-4


@gr.law(parameters=("stiffness", "share"), state=1)
def softening(p, touch, state):
    """A spring that gets softer once it was pressed: the largest overlap is remembered."""
    deepest = max(state[0], touch.overlap)
    normal = p.stiffness * touch.overlap * (1.0 if touch.overlap == deepest else p.share)
    return normal, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (deepest,)


LAWS = {
    "Walton and Braun, sticky": gr.With(gr.WaltonBraun(0.6, T_C, friction=0.3),
                                        gr.Adhesion(work=2e-3, neck=2e-5)),
    "Kuwabara and Kono": gr.KuwabaraKono(1.3e8, 0.3, viscous_time=5e-6, friction=0.3),
    "a user's own": softening(stiffness=2e3, share=0.5),
}


def collision(shape, apart, density, law):
    """Two grains on their way to each other along x."""
    world = gr.World(gravity=(0, 0, 0))
    world.add(shape, at=[(0, 0, 0), (apart, 0, 0)], density=density,
              velocity=[(SPEED, 0, 0), (-SPEED, 0, 0)])
    return gr.Simulation(world, law, time_step=T_C / 200, threads=1)


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_rods_end_to_end_collide_as_spheres_of_their_mass(law):
    rod = gr.Spherocylinder(LENGTH, RADIUS)
    rods = collision(rod, LENGTH + 2 * RADIUS + GAP, 2500.0, law)
    denser = rod.volume / (4.0 / 3.0 * math.pi * RADIUS**3)
    balls = collision(gr.Sphere(RADIUS), 2 * RADIUS + GAP, 2500.0 * denser, law)
    seen = []
    for _ in range(60):
        rods.step(10)
        balls.step(10)
        seen.append(balls.world.velocity[0, 0])
        np.testing.assert_allclose(rods.world.velocity, balls.world.velocity, rtol=0,
                                   atol=1e-10 * SPEED)
        assert len(rods.contacts()) == len(balls.contacts())
    assert min(seen) < 0.0 < max(seen), "they came together, and parted or were held"
    np.testing.assert_allclose(rods.world.spin, 0.0, atol=1e-9)
