"""How large grains are, when they are not all alike.

In: what a person knows of the sizes: the moments of a distribution, the shares of a few species, a
sieve curve. Out: radii, for a given number of grains. Every way of placing grains takes one of
these in place of a radius, in Python and in scenario files alike:

    gr.Random(radius=gr.sizes.LogNormal(1e-3, 0.3, low=0.5e-3, high=2e-3), count=1000)

All lengths are radii, as everywhere in granum, but for the meshes of sieves.

A new distribution is a frozen dataclass with the members of ``Sizes``; name it in ``AnySizes``.
"""

from granum.sizes.continuous import LogNormal, Normal, Uniform
from granum.sizes.mixture import ByMass, ByNumber, Sieve
from granum.sizes.plain import Plain
from granum.sizes.protocol import Sizes

AnySizes = Uniform | Normal | LogNormal | ByMass | ByNumber | Sieve
"""All distributions, as scenario files may name them."""

SIZES: dict[str, type] = {
    "uniform": Uniform, "normal": Normal, "log_normal": LogNormal, "by_mass": ByMass,
    "by_number": ByNumber, "sieve": Sieve,
}
"""The same, by what scenario files call them."""

__all__ = ["SIZES", "AnySizes", "ByMass", "ByNumber", "LogNormal", "Normal", "Plain", "Sieve",
           "Sizes", "Uniform"]
