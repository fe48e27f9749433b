"""A triangulation that follows spheres which have names: they move, come and go."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from granum.geometry import Triangulation
from granum.neighbours.images import Changes, Images

RENEWED = 0.3  # share of vertices put in or out above which a new triangulation is cheaper

Float = NDArray[np.float64]
Int = NDArray[np.int64]


class Following:
    """The regular triangulation of spheres that are known by their names, and of their images.

    Args:
        period: (3,) period of the world, 0 where there is none [m].
        dimension: 2 for spheres in the plane z = 0.
    """

    def __init__(self, period: Float, dimension: int) -> None:
        self._dimension = dimension
        self._images = Images(period)
        self._mesh: Triangulation | None = None
        self._earlier: dict[str, int] = {}

    @property
    def mesh(self) -> Triangulation:
        """The triangulation; there is one once spheres have been followed."""
        assert self._mesh is not None
        return self._mesh

    @property
    def row(self) -> Int:
        """Which sphere each vertex is a copy of, (vertices,); 0 for vertices that are gone."""
        return self._images.grain

    @property
    def counts(self) -> dict[str, int]:
        """What has happened to the triangulation so far."""
        now = {} if self._mesh is None else self._mesh.stats._asdict()
        return {f"triangulation_{name}": now.get(name, 0) + self._earlier.get(name, 0)
                for name in now | self._earlier}

    def follow(self, at: Float, rows: Int, names: Int, skin: float) -> bool:
        """Bring the triangulation to where spheres are; make a new one if most are new.

        Args:
            at: (n,4) places in the cell, and radii [m].
            rows: those whose places are new.
            names: (n,) of the spheres, which they keep as they move.
            skin: added to each radius [m].

        Returns:
            Whether it was made anew.
        """
        changes = self._images.change(at, rows, names, skin)
        if self._mesh is not None and (
            len(changes.gone) + len(changes.new) <= RENEWED * len(self._images.grain)
        ):
            self._move(self._mesh, changes, skin)
            return False
        if self._mesh is not None:
            for name, number in self._mesh.stats._asdict().items():
                self._earlier[name] = self._earlier.get(name, 0) + number
        self._images.forget()
        changes = self._images.change(at, rows, names, skin)
        self._mesh = Triangulation(*self._vertices(changes.new_at, skin))
        self._images.settle(changes.new, np.arange(len(changes.new)))
        return True

    def _move(self, mesh: Triangulation, changes: Changes, skin: float) -> None:
        """Take vertices out, put others in, and move those that stay."""
        gone, moved, moved_to, new, new_at = changes
        if len(gone):
            mesh.remove(gone)
        if len(new):
            where = mesh.insert(*self._vertices(new_at, skin))
            self._images.settle(new, np.asarray(where))
        mesh.move(*self._vertices(moved_to, skin), vertices=moved)

    def _vertices(self, spheres: Float, skin: float) -> tuple[Float, Float]:
        """Return the points and weights of spheres."""
        return np.ascontiguousarray(spheres[:, : self._dimension]), (spheres[:, 3] + skin) ** 2
