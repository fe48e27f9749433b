"""Where the energy of a poured pile goes.

    python docs/energy_picture.py

pours grains into a box under a law with friction, resistance to rolling and a little damping, and
draws the budget of the energy over time into ``docs/images/energy.png``. It needs the extra
``plot``.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

import granum as gr
from granum.measures import Budget

PICTURE = Path(__file__).parent / "images" / "energy.png"
LAW = gr.With(
    gr.LinearViscoelastic(restitution=0.5, contact_time=5e-4, friction=0.4),
    gr.RollingResistance(0.1, contact_time=5e-4),
    gr.Damping(translational=3e-4),
)
BANDS = {  # from below: what is lost, then what there is
    "lost by normal forces": ("#b5442e", lambda b: b.lost_normal),
    "lost to friction": ("#e0914e", lambda b: b.lost_tangential),
    "lost to rolling": ("#f0c98a", lambda b: b.lost_rolling),
    "lost to damping": ("#c9c3b8", lambda b: b.lost_medium),
    "kinetic": ("#2f6690", lambda b: b.energy.kinetic),
    "rotational": ("#74a7c9", lambda b: b.energy.rotational),
    "gravitational": ("#cfe0ea", lambda b: b.energy.gravitational),
}


def simulate() -> tuple[np.ndarray, list[Budget]]:
    """Return moments [s] and the budget at each."""
    world = gr.World(seed=4)
    world.add(gr.Box((0, 0, 0), (0.06, 0.06, 0.2), open_top=True))
    world.add(gr.Pour(radius=2.5e-3, count=800, rate=2500, spread=0.3, low=(0, 0, 0.1),
                      high=(0.06, 0.06, 0.16), velocity=(0, 0, -0.5)), density=2500)
    sim = gr.Simulation(world, LAW, budget=True)
    times, budgets = [], []
    for _ in range(150):
        times.append(sim.time)
        budgets.append(sim.budget())
        sim.run(4e-3)
    return np.array(times), budgets


def draw(times: np.ndarray, budgets: list[Budget]) -> None:
    """Draw what there is and what was lost, one band above the other, and what came in."""
    figure, axes = plt.subplots(figsize=(7.5, 4.2), layout="constrained")
    rows = [[1e3 * value(budget) for budget in budgets] for _, value in BANDS.values()]
    axes.stackplot(times, rows, colors=[colour for colour, _ in BANDS.values()],
                   labels=list(BANDS))
    axes.plot(times, [1e3 * (b.start + b.brought_in) for b in budgets], color="#222222",
              linewidth=1.2, label="brought in")
    axes.set_xlabel("time [s]")
    axes.set_ylabel("energy [mJ]")
    axes.set_xlim(0.0, times[-1])
    axes.set_ylim(0.0)
    axes.spines[["top", "right"]].set_visible(False)
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles[::-1], labels[::-1], loc="lower right", fontsize=8, framealpha=0.9)
    figure.savefig(PICTURE, dpi=110, metadata={"Software": None}, pil_kwargs={"optimize": True})


if __name__ == "__main__":
    PICTURE.parent.mkdir(exist_ok=True)
    draw(*simulate())
