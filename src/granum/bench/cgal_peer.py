"""The same triangulation in CGAL, so that speed and edges can be compared with it.

CGAL runs in a process of its own (``python -m granum.bench.cgal_peer FOLDER``) and never enters
granum's. The folder holds ``points.npz``; CGAL writes its triangulation there as text, vertices and
cells (CGAL manual, 3D triangulations, input/output), and the time is printed as one line of JSON.

The time is that of ``Regular_triangulation_3.insert`` for a list of all points. It includes what
the Python binding takes to hand them over, which C++ alone would not have.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray, IntArray
from granum.errors import GranumError, MissingExtraError

PACKAGE = "CGAL"
_POINTS, _CELLS = "points.npz", "cells.txt"
_DIGITS = 17  # so that a double is read as it was written
_REPEATS = 3


@dataclass(frozen=True, kw_only=True)
class CgalResult:
    """What CGAL made of the points.

    Args:
        build_time: least processor time of a build [s].
        edges: (m,2) pairs of points, the lower index first, in order.
    """

    build_time: float
    edges: IntArray


def run_cgal(points: FloatArray, weights: FloatArray) -> CgalResult:
    """Triangulate points (n,3), all different, with weights (n,) in CGAL.

    Raises:
        MissingExtraError: CGAL is not installed.
        GranumError: CGAL failed; the message ends with its last lines.
    """
    if importlib.util.find_spec(PACKAGE) is None:
        raise MissingExtraError(PACKAGE, "bench")
    with tempfile.TemporaryDirectory(prefix="granum-cgal-") as name:
        folder = Path(name)
        np.savez(folder / _POINTS, points=points, weights=weights)
        # The package imports this module too, of which runpy would warn.
        command = [sys.executable, "-W", "ignore", "-m", "granum.bench.cgal_peer", name]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                              check=False)
        if done.returncode != 0:
            last = "\n".join(done.stderr.rstrip().splitlines()[-10:])
            message = f"CGAL failed with exit code {done.returncode}; its last lines are:\n{last}"
            raise GranumError(message)
        edges = read_edges((folder / _CELLS).read_text(), points)
    return CgalResult(build_time=json.loads(done.stdout.splitlines()[-1]), edges=edges)


def read_edges(text: str, points: FloatArray) -> IntArray:
    """Return the edges between points that a file of CGAL tells of.

    The file has the dimension, the number of vertices, a line x y z w for each, the number of cells
    and a line of four vertices for each; vertex 0 is at infinity, and comes without a line. The
    vertices come in an order of their own, and are known by their places.

    Raises:
        GranumError: the file is about points that are not these, or not in space.
    """
    values = np.array(text.split(), dtype=np.float64)
    vertices = int(values[1])
    places = values[2 : 2 + 4 * vertices].reshape(-1, 4)[:, :3]
    rest = values[2 + 4 * vertices :]
    cells = rest[1 : 1 + 4 * int(rest[0])].astype(np.int64).reshape(-1, 4)
    order, sorted_points = _sorted(points)
    index = np.searchsorted(sorted_points, _as_keys(places))
    index = np.minimum(index, len(points) - 1)
    if values[0] != 3 or not np.array_equal(points[order[index]], places):
        message = "the file of CGAL does not hold a triangulation of these points"
        raise GranumError(message)
    name = np.concatenate(([-1], order[index]))
    ends = np.concatenate([name[cells[:, [a, b]]] for a in range(4) for b in range(a)])
    ends = np.sort(ends[(ends >= 0).all(axis=1)], axis=1)
    keys = np.unique(ends[:, 0] * len(points) + ends[:, 1])
    return np.column_stack((keys // len(points), keys % len(points)))


def _as_keys(points: FloatArray) -> NDArray[np.void]:
    """Return rows (n,3) as single values that can be sorted, -0 as 0."""
    rows = np.ascontiguousarray(points + 0.0)
    return rows.view([("x", float), ("y", float), ("z", float)]).reshape(-1)


def _sorted(points: FloatArray) -> tuple[IntArray, NDArray[np.void]]:
    keys = _as_keys(points)
    order = np.argsort(keys)
    return order, keys[order]


def _main(folder: Path) -> None:
    """Run in the child: CGAL is imported here and nowhere else."""
    from CGAL.CGAL_Kernel import Point_3, Weighted_point_3
    from CGAL.CGAL_Triangulation_3 import Regular_triangulation_3

    with np.load(folder / _POINTS) as stored:
        points, weights = stored["points"], stored["weights"]
    listed = [Weighted_point_3(Point_3(*point), weight)
              for point, weight in zip(points.tolist(), weights.tolist(), strict=True)]
    times = []
    for _ in range(_REPEATS):
        mesh = Regular_triangulation_3()
        began = time.thread_time()
        mesh.insert(listed)
        times.append(time.thread_time() - began)
    mesh.write_to_file(str(folder / _CELLS), _DIGITS)
    print(json.dumps(min(times)))


if __name__ == "__main__":
    _main(Path(sys.argv[1]))
