"""Engines: how the world goes from one moment to the next.

In: a world and a law. Out: the same world, later. ``soft`` steps through time with soft contacts:
``rows`` packs the grains, ``advance`` is the compiled step, ``integrate`` the motion. Another
engine is another module here, working on the same world.
"""

from granum.dynamics.soft import SoftEngine

__all__ = ["SoftEngine"]
