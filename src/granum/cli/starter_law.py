"""A contact law of your own: change the function, then use it.

In Python:            sim = gr.Simulation(world, hertz(stiffness=1e9, damping=2e5, friction=0.3))
In a scenario file:   [law]
                      type = "THIS_FILE.py:hertz"
                      stiffness = 1e9
                      ...
Test it:              pytest THIS_FILE.py

granum compiles the function into its innermost loop and compiles it anew when you edit this file.
"""

import numpy as np

import granum as gr


def contact_time(p, radius, mass):
    """Return how long a head-on collision of two such grains lasts at 1 m/s [s]."""
    depth = (5.0 / 8.0 * mass / p.stiffness) ** 0.4  # where all energy is in the spring
    return 2.94 * depth / 1.0


def energy(p, touch, state):
    """Return what the normal and the tangential force can give back [J]."""
    slip2 = touch.sx**2 + touch.sy**2 + touch.sz**2
    tangential = p.stiffness * np.sqrt(max(touch.overlap, 0.0))
    return 0.4 * p.stiffness * touch.overlap**2.5, 0.5 * tangential * slip2


@gr.law(parameters=("stiffness", "damping", "friction"), energy=energy, contact_time=contact_time)
def hertz(p, touch, state):
    """Return normal force [N], tangential force on i [N], spring [m] and state.

    F_n = stiffness δ^(3/2) + damping sqrt(δ) δ', never attractive; Coulomb friction.

    `touch` has overlap and its rate, mass and slip_mass (effective ones), radius (an effective
    one), the tangential spring sx sy sz, the slip velocity ux uy uz, lasting (1 in a contact that
    was there a step ago, else 0) and step. `state` is what you returned for this contact a step
    ago: as many numbers as `state=` in the line above says, none here.
    """
    root = np.sqrt(max(touch.overlap, 0.0))
    normal = max(p.stiffness * root * touch.overlap + p.damping * root * touch.rate, 0.0)
    pull, spring = gr.bounded(p.friction * normal, p.stiffness * root, 0.0, touch)
    return normal, pull, spring, state


def collide(law, speed=0.1):
    """Return the speed after a head-on collision of two grains of 1 mm, over the one before."""
    world = gr.World(gravity=(0, 0, 0))
    world.add(gr.Sphere(1e-3), at=[(0, 0, 0), (2.0001e-3, 0, 0)], density=2500,
              velocity=[(speed, 0, 0), (-speed, 0, 0)])
    sim = gr.Simulation(world, law, threads=1)
    sim.run(20 * contact_time(type("p", (), dict(law.values)), 1e-3, world.mass[0]))
    return -world.velocity[0, 0] / speed


def test_an_elastic_collision_keeps_the_speed():
    """Without damping, all energy comes back."""
    assert abs(collide(hertz(stiffness=1e9, damping=0.0, friction=0.3)) - 1.0) < 1e-3


def test_damping_takes_speed_away():
    """With damping, some of it does not."""
    assert 0.2 < collide(hertz(stiffness=1e9, damping=2e3, friction=0.3)) < 0.99
