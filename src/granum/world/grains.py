"""The state of the grains: one array for each quantity, in the order of their ids."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray, IntArray


@dataclass(eq=False)
class Grains:
    """All that the motion of grains needs to go on, besides the memory of their contacts.

    Attributes:
        id: (n,) stable number of each grain, ascending; never used twice.
        position: (n,3) centre of mass [m].
        velocity: (n,3) [m/s].
        acceleration: (n,3) at the present time [m/s2].
        orientation: (n,4) unit quaternion (w, x, y, z), body to lab; the body's frame is that
            of its principal axes.
        spin: (n,3) angular velocity in the lab frame [rad/s].
        spin_rate: (n,3) its rate at the present time, as far as torques make it [rad/s2].
        radius: (n,) [m]; of a clump that of the sphere about its centre that holds it.
        mass: (n,) [kg].
        inertia: (n,3) principal moments [kg m2].
        material: (n,) number of the grain's material.
        shape: (n,) number of the grain's shape among the world's; -1 for a sphere or a disc.
        ball: (n,) number of the grain's first ball; see `balls`.
        cluster: (n,) number of the cluster that it was glued into; -1 for none.
    """

    id: IntArray
    position: FloatArray
    velocity: FloatArray
    acceleration: FloatArray
    orientation: FloatArray
    spin: FloatArray
    spin_rate: FloatArray
    radius: FloatArray
    mass: FloatArray
    inertia: FloatArray
    material: IntArray
    shape: IntArray
    ball: IntArray
    cluster: IntArray

    def __len__(self) -> int:
        """Return the number of grains."""
        return len(self.id)

    def arrays(self) -> dict[str, NDArray]:
        """Return all arrays by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def joined(self, other: Grains) -> Grains:
        """Return these grains followed by ``other``."""
        more = other.arrays()
        return Grains(**{k: np.concatenate([v, more[k]]) for k, v in self.arrays().items()})

    def chosen(self, keep: NDArray[np.bool_] | IntArray) -> Grains:
        """Return the grains where ``keep`` is true, or those at these places."""
        return Grains(**{name: array[keep] for name, array in self.arrays().items()})


def no_grains() -> Grains:
    """Return an empty set of grains."""
    whole = np.zeros(0, dtype=np.int64)
    number, vector = np.zeros(0), np.zeros((0, 3))
    return Grains(whole, vector, vector, vector, np.zeros((0, 4)), vector, vector, number, number,
                  vector, whole, whole, whole, whole)
