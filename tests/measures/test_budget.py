"""The energy budget: closed forms, piles of many contacts, and that counting changes nothing.

The laws are those of `test_engine_medium` and of Hertz and Mindlin, so that two compiled steps
serve all. Energies are exact to rounding wherever only contacts and gravity act.
"""

import math

import numpy as np
import pytest

import granum as gr
from granum.errors import InputError
from granum.measures import BUDGET_COLUMNS
from granum.run import Plan, Run

G = 9.81
T_C = 1e-3
RADIUS, DENSITY = 5e-3, 2500.0
MASS = 4.0 / 3.0 * math.pi * RADIUS**3 * DENSITY
INERTIA = 0.4 * MASS * RADIUS**2
ROUNDING = 1e-11  # of the energies that are summed over many thousand steps


NONE = gr.Damping()


def law(e=0.5, mu=0.0, mu_r=0.0, medium=NONE, t_c=T_C):
    return gr.With(gr.LinearViscoelastic(e, t_c, mu), gr.RollingResistance(mu_r, t_c), medium)


def on_a_floor(law, height=0.0, gravity=G, **state):
    """Return a sphere above a floor, or at rest on it."""
    world = gr.World(gravity=(0, 0, -gravity))
    world.add(gr.Plane((0, 0, 0), (0, 0, 1)))
    sag = G / law.coefficients()[0]
    world.add(gr.Sphere(RADIUS), at=[(0, 0, RADIUS - (0.0 if height else sag) + height)],
              density=DENSITY, **state)
    return gr.Simulation(world, law, threads=1, budget=True, initial_overlap=1e-3)


def missing(found):
    """Return what is not accounted for, as a share of all that was there and came in."""
    energy = found.energy
    return abs(found.unaccounted) / (energy.kinetic + energy.rotational + energy.elastic
                                     + found.dissipated)


@pytest.mark.parametrize("e", [0.3, 0.8, 1.0])
def test_a_bouncing_ball_loses_by_the_normal_force_alone(e):
    """(1 - e²) of the kinetic energy of the impact, m g h; gravity weighs little in the contact."""
    height = 0.05
    sim = on_a_floor(law(e, mu=0.5), height=height)
    sim.run(1.5 * math.sqrt(2 * height / G))
    found = sim.budget()
    assert not len(sim.contacts())
    assert sim.world.velocity[0, 2] * (1.0 if e > 0.3 else -1.0) > 0.0  # after one bounce
    impact = MASS * G * height
    assert found.lost_normal == pytest.approx((1 - e**2) * impact, abs=2e-3 * impact)
    assert found.lost_tangential == found.lost_rolling == found.lost_medium == 0.0
    assert found.from_gravity == pytest.approx(0.0, abs=1e-7 * impact)
    assert missing(found) < ROUNDING


def test_a_sliding_sphere_loses_two_sevenths_to_friction():
    """It ends rolling at 5/7 of its speed; friction takes 2/7 of its energy, whatever μ."""
    for mu in (0.2, 0.5):
        sim = on_a_floor(law(0.5, mu=mu), velocity=(0.2, 0, 0))
        sim.run(2.0 / 7.0 * 0.2 / (mu * G) + 0.02)
        found = sim.budget()
        assert sim.world.velocity[0, 0] == pytest.approx(5 / 7 * 0.2, rel=1e-3)
        moving = 0.5 * MASS * 0.2**2
        assert found.lost_tangential == pytest.approx(2 / 7 * moving, rel=2e-3)
        assert abs(found.lost_normal) < 1e-6 * moving
        assert missing(found) < ROUNDING


def test_a_spin_on_a_smooth_floor_is_lost_to_rolling_resistance():
    """All of I ω²/2, once it has come to rest."""
    spin = 20.0
    sim = on_a_floor(law(mu_r=0.1), spin=(spin, 0, 0))
    sim.run(spin / (2.5 * 0.1 * G / RADIUS) + 0.03)
    found = sim.budget()
    assert found.energy.rotational < 1e-6 * 0.5 * INERTIA * spin**2
    assert found.lost_rolling == pytest.approx(0.5 * INERTIA * spin**2, rel=1e-5)
    assert found.lost_tangential == 0.0
    assert missing(found) < ROUNDING


def test_damping_takes_what_a_decaying_motion_loses():
    tau = 5e-3
    sim = on_a_floor(law(medium=gr.Damping(MASS / tau, INERTIA / tau)), height=1.0,
                     gravity=0.0, velocity=(0.3, 0, 0), spin=(0, 0, 100.0))
    sim.run(tau)
    found = sim.budget()
    moving = 0.5 * MASS * 0.3**2 + 0.5 * INERTIA * 100.0**2
    assert found.lost_medium == pytest.approx((1 - math.exp(-2)) * moving, rel=1e-3)
    assert missing(found) < 1e-5  # second order in the step


def test_a_stream_brings_in_what_it_loses_and_what_it_moves():
    """A grain at rest is dragged along: the stream brings in m u² in all, and half is lost."""
    eta, wind = 1.0, 0.1
    tau = MASS / (6 * math.pi * eta * RADIUS)
    sim = on_a_floor(law(medium=gr.Drag(eta, (wind, 0, 0))), height=1.0, gravity=0.0)
    sim.run(20 * tau)
    found = sim.budget()
    assert found.from_stream == pytest.approx(MASS * wind**2, rel=1e-4)
    assert found.lost_medium == pytest.approx(0.5 * MASS * wind**2, rel=1e-4)


# ---- piles -----------------------------------------------------------------------------------

SOFT = gr.HertzMindlin(young=2e6, poisson=0.3, restitution=0.5, friction=0.4)
LAWS = [law(0.4, mu=0.5), law(0.4, mu=0.5, mu_r=0.2), SOFT]
NAMES = ["linear", "rolling", "hertz"]


def poured(law, **options):
    """Grains thrown into a box where some lie already; gravity turns a little meanwhile."""
    world = gr.World(gravity=(0, 0, -30.0), seed=3,
                     turns=[gr.Turn(start=0.02, duration=0.02, angle=0.4)])
    world.add(gr.Box((0, 0, 0), (0.04, 0.04, 0.1), open_top=True))
    world.add(gr.Random(radius=4e-3, count=15, spread=0.3, high=(0.04, 0.04, 0.04)),
              density=DENSITY)
    world.add(gr.Pour(radius=4e-3, count=40, rate=4000.0, low=(0, 0, 0.05), high=(0.04, 0.04, 0.09),
                      velocity=(0.3, 0.1, -1.0), spread=0.3), density=DENSITY)
    return gr.Simulation(world, law, time_step=2e-5, **{"threads": 1, "budget": True, **options})


@pytest.mark.parametrize("law", LAWS, ids=NAMES)
def test_a_poured_pile_closes_and_never_gains(law):
    """Poured, colliding, settling: nothing is missing, and no loss is ever taken back.

    While contacts swing, the energy of the step and that of the law differ by a share of about
    (ω dt)²/4 < 1e-3 of what they store.
    """
    sim = poured(law)
    history, stored = [], 0.0
    while sim.time < 0.12:
        sim.step(40)
        found = sim.budget()
        history.append([getattr(found, name) for name in BUDGET_COLUMNS[:4]])
        stored = max(stored, found.energy.elastic)
    assert len(sim.world) == 55
    assert len(sim.contacts()) > 80
    assert missing(found) < ROUNDING
    lost = np.array(history)
    drop = np.maximum.accumulate(lost, axis=0) - lost
    assert drop.max() < 2e-3 * stored
    assert lost[-1, 0] > 0.0
    assert lost[-1, 1] > 0.0
    assert (lost[-1, 2] > 0.01 * lost[-1, 1]) == (law is LAWS[1])
    assert found.dissipated > 0.5 * found.brought_in
    arrived = 0.5 * (sim.world.mass[15:] * 1.1).sum()  # v²/2 of what is poured
    assert found.from_grains > arrived
    assert abs(found.from_gravity) > 1e-3 * found.from_grains


def test_grains_taken_out_and_changed_by_hand_are_booked():
    sim = poured(LAWS[0])
    sim.run(0.08)
    before = sim.budget()
    touched = np.bincount(sim.contacts().i[sim.contacts().j >= 0], minlength=55)
    gone = int(np.argmax(touched))
    sim.world.remove([gone])
    sim.world.velocity[:] *= 1.5
    after = sim.budget()
    assert after.from_grains - before.from_grains == pytest.approx(
        after.energy.total - before.energy.total)
    for name in BUDGET_COLUMNS[:4]:
        assert getattr(after, name) == pytest.approx(getattr(before, name), rel=1e-9)
    assert missing(after) < ROUNDING
    sim.run(0.01)
    assert missing(sim.budget()) < 1e-4  # the step under way had kicks of the grain that is gone


def test_walls_that_move_bring_in_their_work():
    """A floor that shakes and turns under a few grains; its work is also summed at the wall."""
    world = gr.World(gravity=(0, 0, -100.0), seed=2, domain=((-1, -1, -1), (1, 1, 1)))
    world.add(gr.Plane((0, 0, 0), (0, 0, 1)), name="floor",
              moving=[gr.Sine(60.0, amplitude=5e-4), gr.Rotation(20.0, (0, 0, 1))])
    world.add(gr.Box((0, 0, -0.01), (0.04, 0.04, 0.2)))
    world.add(gr.Random(radius=4e-3, count=20, spread=0.2, low=(0, 0, 2e-3),
                        high=(0.04, 0.04, 0.05)), density=DENSITY)
    sim = gr.Simulation(world, LAWS[1], time_step=2e-5, threads=1, budget=True)
    sim.run(0.1)
    found, work = sim.budget(), sim.wall_forces()["floor"].work
    assert len(sim.contacts()) > 10
    assert found.from_walls == pytest.approx(work, rel=1e-3)
    assert abs(work) > 0.05 * found.dissipated
    assert missing(found) < ROUNDING


# ---- to the bit ------------------------------------------------------------------------------


def crowd(threads):
    world = gr.World(seed=5)
    world.add(gr.Box((0, 0, 0), (0.03, 0.03, 0.02)))
    world.add(gr.Lattice(radius=1e-3, spacing=2.45e-3, spread=0.2, low=(0, 0, 0),
                         high=(0.03, 0.03, 0.02)), density=DENSITY)
    world.velocity = 0.5 * np.random.default_rng(2).normal(size=(len(world), 3))
    return gr.Simulation(world, law(mu=0.3, mu_r=0.1, t_c=2e-4), time_step=4e-6, threads=threads,
                         budget=True)


def test_threads_restarts_and_looking_change_no_bit(tmp_path):
    one, two = crowd(1), crowd(2)
    assert one._engine.blocks > 1
    one.step(450)
    two.step(170)
    two.budget()
    two.save(tmp_path / "half.h5")
    two = gr.Simulation.load(tmp_path / "half.h5", threads=2)
    two.step(280)
    assert two.keeps_budget
    assert two.fingerprint() == one.fingerprint()
    assert two.budget() == one.budget()
    assert missing(one.budget()) < ROUNDING


@pytest.mark.parametrize("method", ["cells", "triangulation"])
def test_the_search_for_neighbours_changes_no_bit(method):
    sim, other = poured(LAWS[1]), poured(LAWS[1], neighbours=method)
    for each in (sim, other):
        each.run(0.02)
    assert other.budget() == sim.budget()


def test_no_budget_without_being_asked():
    world = gr.World()
    world.add(gr.Sphere(RADIUS), at=[(0, 0, 0)], density=DENSITY)
    sim = gr.Simulation(world, gr.LinearViscoelastic(0.5, T_C), threads=1)
    assert not sim.keeps_budget
    with pytest.raises(InputError, match="budget=True"):
        sim.budget()
    assert not set(BUDGET_COLUMNS) & set(sim.sample())


def test_the_series_of_a_run_has_the_budget(tmp_path):
    sim = poured(LAWS[0])
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "scenario.toml").write_text("")
    Run(sim, Plan(duration=4e-3, series=1e-3, frames=4e-3, checkpoints=2e-3), folder).go()
    header, *rows = (folder / "series.csv").read_text().splitlines()
    assert header.split(",")[-len(BUDGET_COLUMNS):] == BUDGET_COLUMNS
    assert len(rows) == 5
    last = dict(zip(header.split(","), map(float, rows[-1].split(",")), strict=True))
    assert last["from_grains"] == sim.budget().from_grains > 0.0


def glued_pair(glue, speed):
    """Return two glued spheres that fly apart from each other at so much each."""
    world = gr.World(gravity=(0, 0, 0))
    world.add(gr.Cluster(((0, 0, 0), (2 * RADIUS, 0, 0)), RADIUS, glue=glue), density=DENSITY)
    world.velocity = [(-speed, 0, 0), (speed, 0, 0)]
    return gr.Simulation(world, law(), threads=1, budget=True)


def test_damped_glue_loses_what_it_swings_with():
    sim = glued_pair(gr.PowerGlue(stiffness=1e4, damping=0.5), speed=0.1)
    sim.run(0.05)
    found = sim.budget()
    assert found.lost_glue == pytest.approx(MASS * 0.1**2, rel=1e-6)
    assert missing(found) < ROUNDING


def test_glue_that_breaks_loses_what_it_had_stored():
    """k x² / 2 at the stretch x = F / k, passed by 2 % at most in a step; the rest flies on."""
    stiffness, strength, speed = 2e3, 4.0, 2.0
    sim = glued_pair(gr.PowerGlue(stiffness=stiffness, strength=strength), speed)
    sim.run(0.01)
    found = sim.budget()
    assert sim.world.broken_bonds == 1
    assert 1.0 <= found.lost_glue / (0.5 * strength**2 / stiffness) < 1.05
    assert found.energy.kinetic == pytest.approx(MASS * speed**2 - found.lost_glue, rel=1e-9)
    assert missing(found) < ROUNDING
