"""Covers of the user's own, asked before anything runs whether they suit all grains of a world."""

from __future__ import annotations

import numpy as np

from granum.shapes.cover_kinds import ROUND, Kinds
from granum.world import World


def refuse_unsuited(world: World) -> None:
    """Refuse shapes with covers of their own beside which grains of the world could be missed.

    Those that are to be poured in count, too.
    """
    shapes, number, radius = list(world.shapes), [world.grains.shape], [world.grains.radius]
    for stream in world.streams:
        pour, k = stream.pour, ROUND
        shape = None if pour.body is None else pour.body.settled(world.dimension).shape
        if shape is not None and len(shape) > 1:
            if shape not in shapes:
                shapes.append(shape)
            k = shapes.index(shape)
        number.append(np.full(2, k))
        radius.append(np.array([pour.sizes.smallest, pour.sizes.largest]))
    if any(shape.cover for shape in shapes):
        Kinds(shapes, np.concatenate(number), np.concatenate(radius), world.dimension)
