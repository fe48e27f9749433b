"""What a notebook shows: worlds and simulations as a short table with a sketch, runs as their page.

In come the objects that users hold; out goes HTML as text. The physics knows no screens: it is here
that `World` and `Simulation` get the method ``_repr_html_`` by which notebooks ask for their looks.

* ``sketch``: grains and walls as a small SVG picture, for which nothing has to be compiled.
* ``cards``: the tables.
* ``page``: the page of a run inside a notebook.
"""

from granum.display.cards import simulation_card, world_card
from granum.display.page import Page, show
from granum.simulation import Simulation
from granum.world import World

__all__ = ["Page", "show", "simulation_card", "world_card"]

for kind, card in ((World, world_card), (Simulation, simulation_card)):
    setattr(kind, "_repr_html_", card)  # noqa: B010 -- not their own, so that they know no screens
