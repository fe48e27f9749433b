"""``granum bench triangulation``: what the triangulation costs, beside the cells it replaces.

Four cases: settled grains of one size, mixes of 1:10 and 1:35 (radii spread evenly in their
logarithm, put in at random, the large ones first), and a perfect face-centred cubic crystal. All in
the open, without periods. In between refreshes, grains move as grains do: a shear of a tenth of a
percent, and a thousandth of the smallest radius at random.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from granum.bench.packing import settled_packing
from granum.checks import FloatArray
from granum.compile import use_threads
from granum.geometry import Triangulation
from granum.neighbours import Cells, Finder
from granum.neighbours.triangulated import SKIN, Triangulated

RATIOS = (1.0, 10.0, 35.0)
REPEATS = 5
SHEAR, JITTER = 1e-3, 1e-3
MARGIN = 0.05  # of each grain, in smallest radii
CLASSES = 24  # of sizes in a mix
CROWDING = 0.55  # share of the volume that a mix fills


def bench_triangulation(grains: int, threads: int, say: Callable[[str], None]) -> dict[str, Any]:
    """Return the costs [ns a vertex] of the triangulation and of the cells, for each case."""
    use_threads(threads)
    cases = {}
    for ratio in RATIOS:
        say(f"making {grains} grains, 1:{ratio:g} ...")
        X = _packing(grains, say) if ratio == 1.0 else mix(grains, ratio)
        say(f"timing {len(X)} grains ...")
        cases[f"1:{ratio:g}"] = _time(X)
    say("timing the crystal ...")
    cases["fcc"] = _time(crystal(grains))
    return {"bench": "triangulation", "threads": threads, "cases": cases}


def _packing(grains: int, say: Callable[[str], None]) -> FloatArray:
    world = settled_packing(grains, 1.0, 1, say).world
    return np.column_stack((world.position, world.radius))


def mix(grains: int, ratio: float) -> FloatArray:
    """Return (n,4) positions and radii of grains that do not overlap, sizes from 1 to ``ratio``."""
    rng = np.random.default_rng(1)
    radii = np.geomspace(ratio, 1.0, CLASSES)
    each = grains // CLASSES + 1
    side = np.cbrt(4.0 / 3.0 * np.pi * each * (radii**3).sum() / CROWDING)
    placed: list[tuple[float, cKDTree]] = []
    rows = []
    for r in radii:
        found = np.empty((0, 3))
        while len(found) < each:
            points = rng.uniform(0.0, side, (4 * each, 3))
            for other, tree in placed:
                points = points[tree.query(points)[0] > r + other]
            points = np.concatenate((found, points))
            pairs = cKDTree(points).query_pairs(2.0 * r, output_type="ndarray")
            found = np.delete(points, pairs.max(axis=1) if len(pairs) else [], axis=0)
        found = found[:each]
        placed.append((float(r), cKDTree(found)))
        rows.append(np.column_stack((found, np.full(each, r))))
    X = np.concatenate(rows)
    return X[np.lexsort(np.floor(X[:, :3].T / 3.0))]


def crystal(grains: int) -> FloatArray:
    """Return (n,4) a cube of spheres that touch in a face-centred cubic lattice."""
    cells = max(2, round((grains / 4.0) ** (1.0 / 3.0)))
    corner = np.stack(np.meshgrid(*[np.arange(cells)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    basis = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]])
    points = (2 * corner[:, None] + basis).reshape(-1, 3).astype(float)
    return np.column_stack((points, np.full(len(points), np.sqrt(0.5))))


def _time(X: FloatArray) -> dict[str, Any]:
    """Return the costs of one case."""
    n, smallest = len(X), float(X[:, 3].min())
    points, weights = X[:, :3].copy(), (X[:, 3] + SKIN * smallest) ** 2
    margin, ids = np.full(n, MARGIN * smallest), np.arange(n)
    mesh = Triangulation(points, weights)
    result: dict[str, Any] = {
        "vertices": n,
        "edges_per_vertex": len(mesh.edges) / n,
        "build": _least(lambda: Triangulation(points, weights), n),
        "check": _least(lambda: mesh.move(points), n),
    }
    before = mesh.stats
    moves = _motions(points, smallest)
    result["repair"] = max(_least(lambda: mesh.move(next(moves)), n) - result["check"], 0.0)
    result["counts"] = {name: now - then for name, now, then
                        in zip(before._fields, mesh.stats, before, strict=True)}
    for name, finder in (("refresh", Triangulated(np.zeros(3), 3)), ("cells", Cells(np.zeros(3)))):
        finder.find(X, margin, ids)
        rows = (np.column_stack((moved, X[:, 3])) for moved in _motions(points, smallest))
        result[name] = _least_of(partial(_find, finder, margin), rows, n)
    result["refresh_to_cells"] = result["refresh"] / result["cells"]
    return result


def _find(finder: Finder, margin: FloatArray, X: FloatArray) -> None:
    finder.find(X, margin, np.arange(len(X)))


def _motions(points: FloatArray, smallest: float) -> Any:
    """Yield the points as they move on and on."""
    rng = np.random.default_rng(2)
    moved = points.copy()
    height = points[:, 2] - points[:, 2].min()
    while True:
        moved[:, 0] += SHEAR * height
        moved += JITTER * smallest * rng.normal(size=moved.shape)
        yield moved.copy()


def _least(call: Callable[[], Any], n: int) -> float:
    """Return the least processor time of a call [ns a vertex]."""
    return _least_of(lambda _: call(), iter(range(REPEATS + 1)), n)


def _least_of(call: Callable[[Any], Any], arguments: Any, n: int) -> float:
    """Return the least processor time of several calls, after a first one [ns a vertex]."""
    times = []
    for _, argument in zip(range(REPEATS + 1), arguments, strict=False):
        began = time.thread_time()
        call(argument)
        times.append(time.thread_time() - began)
    return min(times[1:]) / n * 1e9
