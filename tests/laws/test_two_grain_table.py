"""All laws against one table of two-grain results, made without granum.

The table and how it was made: `two_grain_table.toml`, `make_two_grain_table.py`. Here the laws run
in the engine's own arithmetic of a contact (`one_contact`).
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest
from one_contact import OneContact, collide

import granum as gr
from granum.laws import ADDONS, LAWS

TABLE = tomllib.loads(Path(__file__).with_name("two_grain_table.toml").read_text())
SLOWLY = 100.0  # seconds for a step of the path on which dashpots are still


def law_of(row):
    numbers = dict(row["law"])
    law = LAWS[numbers.pop("type")](**numbers)
    if "add" in row:
        numbers = dict(row["add"])
        law = gr.With(law, ADDONS[numbers.pop("type")](**numbers))
    return law


def rows(kind):
    return [pytest.param(row, id="-".join(str(part) for part in (
        row["law"]["type"], row.get("add", {}).get("type"), row["size"], row.get("name"),
        ) if part)) for row in TABLE[kind]]


def led(contact, row, steps=200):
    """Press a contact, release it, then let it slip, all slowly."""
    for overlap in [*np.linspace(0.0, row["deepest"], steps),
                    *np.linspace(row["deepest"], row["overlap"], steps)]:
        contact.ask(overlap, step=SLOWLY)
    slip = np.array(row["slid"]) / (steps * SLOWLY)
    for _ in range(steps):
        contact.ask(row["overlap"], (-slip, np.zeros(3)), step=SLOWLY, past=SLOWLY)


@pytest.mark.parametrize("row", rows("moment"))
def test_force_torques_and_energy_at_a_moment(row):
    contact = OneContact(law_of(row), row["radii"])
    led(contact, row)
    velocities, spins = ([np.array(row[f"{kind}_{one}"]) for one in "ij"] for kind in "vw")
    found = contact.ask(row["overlap"], velocities, spins, step=1e-15)
    scale = np.abs(row["force"]).max()
    np.testing.assert_allclose(found.force, row["force"], rtol=1e-6, atol=1e-7 * scale)
    for one, radius in zip("ij", row["radii"], strict=True):
        np.testing.assert_allclose(getattr(found, f"torque_{one}"), row[f"torque_{one}"],
                                   rtol=1e-6, atol=1e-7 * scale * min(radius, 1.0))
    np.testing.assert_allclose(contact.stored(row["overlap"]), row["stored"], rtol=1e-5,
                               atol=1e-7 * sum(row["stored"]))


@pytest.mark.parametrize("row", rows("pull"))
def test_pulls_and_their_energy(row):
    contact = OneContact(law_of(row), row["radii"])
    for overlap in (1e-6, row["overlap"]):
        found = contact.ask(overlap)
    np.testing.assert_allclose(found.force, row["force"], rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(contact.stored(row["overlap"]), row["stored"], rtol=1e-6)


@pytest.mark.parametrize("row", rows("couple"))
def test_couples_and_their_energy(row):
    """Roll and twist slowly by the angles, then with these spins; i is at rest, j turns."""
    contact = OneContact(law_of(row), row["radii"])
    along, about = np.array([0.6, 0.8, 0.0]), np.array([0.0, 0.0, 1.0])
    contact.ask(row["overlap"])
    on_wall = contact.is_wall  # where the grain turns the other way instead

    def ask(roll, twist, **times):
        spin = roll * along + twist * about
        still = np.zeros(3)
        return contact.ask(row["overlap"], spins=(-spin, still) if on_wall else (still, spin),
                           **times)

    slow = 1e4
    ask(row["rolled"] / slow, row["twisted"] / slow, step=slow, past=slow)
    found = ask(row["rolling"], row["twisting"], step=1e-15)
    couple = found.torque_i
    if not on_wall:
        np.testing.assert_allclose(found.torque_j, -couple, rtol=1e-9)
    np.testing.assert_allclose(couple, row["couple"], rtol=1e-6,
                               atol=1e-8 * np.abs(row["couple"]).max())
    assert contact.stored(row["overlap"])[2] == pytest.approx(row["stored"], rel=1e-5)


@pytest.mark.parametrize("row", rows("collision"))
def test_head_on_collisions(row):
    """Restitution, duration and depth; the step is 1/300 of the collision, errors its square.

    Shorter where a pull ends at once: a whole step more or less of it counts. The dashpot of
    Hertz's law starts as δ^(1/4), so that the depth is met a little worse.
    """
    steps = 3000.3 if "neck" in row.get("add", ()) else 300.3
    found = collide(law_of(row), row["radii"], row["speed"], row["lasts"] / steps)
    assert found.restitution == pytest.approx(row["restitution"], abs=5e-4)
    assert found.lasts == pytest.approx(row["lasts"], rel=1e-3)
    assert found.deepest == pytest.approx(row["deepest"], rel=1e-3)


def test_the_table_has_all_laws_and_addons():
    """A new law comes with its rows; what acts on single grains has no contact to list."""
    assert {row["law"]["type"] for row in TABLE["moment"]} == set(LAWS)
    listed = {row["add"]["type"] for kind in ("pull", "couple") for row in TABLE[kind]}
    assert listed == {name for name, addon in ADDONS.items() if hasattr(addon, "signs")}
