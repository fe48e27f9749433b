"""``granum bench triangulation``: what the triangulation costs, beside the cells it replaces.

Five cases: settled grains of one size, mixes of 1:10 and 1:35 (radii spread evenly in their
logarithm, put in at random, the large ones first), and a perfect face-centred cubic crystal, with
whole coordinates and with rounded ones. All in the open, without periods. In between refreshes,
grains move as grains do: a shear in which the fastest one uses up four fifths of its margin, as in
a run, and a thousandth of the smallest radius at random. A refresh is cheap as long as the
triangulation may stay where it is, and dear when it must follow, so its cost is the mean over many;
cells find the neighbours of the same grains in turn. The same once more for grains that flow in
bands, one forth and one back, which no affine map takes along (`granum.neighbours.places`). A check
is a motion of all vertices after which no cell needs to change.

Motions of real runs come last, for one size and 1:35 (`granum.bench.recorded`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from itertools import count, cycle, product
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from granum.bench.cgal_peer import run_cgal
from granum.bench.packing import settled_packing
from granum.bench.recorded import bench_recorded
from granum.checks import FloatArray
from granum.compile import use_threads
from granum.errors import MissingExtraError
from granum.geometry import Triangulation
from granum.neighbours import Cells, Finder
from granum.neighbours.triangulated import SKIN, Triangulated

RATIOS = (1.0, 10.0, 35.0)
REPEATS = 5
REFRESHES = 40
MARGIN = 0.05  # of each grain, in smallest radii
GONE = 0.8  # share of it that the fastest grain uses up between refreshes
JITTER = 1e-3  # in smallest radii
REVERSED = 8  # refreshes after which bands flow the other way, before grains overlap deeply
CLASSES = 24  # of sizes in a mix
SPACING = 1.05e-3 / 2.0  # of the crystal with rounded coordinates
SETTLED = 20_000  # grains that are settled, or drawn; more are copies
MANY = 200_000  # grains for which timings are repeated less often
CROWDING = 0.55  # share of the volume that a mix fills


def bench_triangulation(
    grains: int, ratio: float, threads: int, peer: bool, say: Callable[[str], None]
) -> dict[str, Any]:
    """Return the costs [ns a vertex] of the triangulation and of the cells, for each case.

    Args:
        grains: how many, about.
        ratio: of the sizes, if only one mix is to be measured; 1 for all cases.
        threads: processor threads.
        peer: whether CGAL is to build the same triangulations, if it is installed.
        say: tells a person how far it is.
    """
    use_threads(threads)
    cases = {}
    for each in RATIOS if ratio == 1.0 else (ratio,):
        say(f"making {grains} grains, 1:{each:g} ...")
        X = _packing(grains, say) if each == 1.0 else mix(grains, each)
        say(f"timing {len(X)} grains ...")
        cases[f"1:{each:g}"] = _time(X, peer)
    if ratio == 1.0:
        say("timing the crystals ...")
        cases["fcc"] = _time(crystal(grains), peer)
        cases["fcc rounded"] = _time(crystal(grains) * SPACING, peer)
    runs = {f"1:{each:g}": bench_recorded(grains, each, threads, say)
            for each in ((1.0, 35.0) if ratio == 1.0 else (ratio,)) if grains <= SETTLED}
    return {"bench": "triangulation", "threads": threads, "cases": cases, "runs": runs}


def _packing(grains: int, say: Callable[[str], None]) -> FloatArray:
    """Return (n,4) positions and radii of a settled packing, a large one of copies of itself."""
    world = settled_packing(min(grains, SETTLED), 1.0, 1, say).world
    width, depth, _ = world.periods()
    X = np.column_stack((world.position, world.radius))
    across = max(1, round(math.sqrt(grains / len(X))))
    return _copies(X, (width, depth, 0.0), (across, max(1, round(grains / len(X) / across)), 1))


def _copies(X: FloatArray, period: tuple[float, float, float], times: tuple[int, int, int]
            ) -> FloatArray:
    """Return (n,4) grains with copies of themselves beside them, so many in each direction."""
    shifts = np.array(list(product(*map(range, times))), dtype=float) * period
    rows = np.repeat(X[None], len(shifts), axis=0)
    rows[:, :, :3] += shifts[:, None]
    return rows.reshape(-1, 4)


def mix(grains: int, ratio: float) -> FloatArray:
    """Return (n,4) positions and radii of grains that do not overlap, sizes from 1 to ``ratio``.

    They are drawn in a periodic cube; a large mix is made of copies of it.
    """
    times = max(1, math.ceil(np.cbrt(grains / SETTLED)))
    rng = np.random.default_rng(1)
    radii = np.geomspace(ratio, 1.0, CLASSES)
    each = grains // times**3 // CLASSES + 1
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
            pairs = cKDTree(points, boxsize=side).query_pairs(2.0 * r, output_type="ndarray")
            found = np.delete(points, pairs.max(axis=1) if len(pairs) else [], axis=0)
        found = found[:each]
        placed.append((float(r), cKDTree(found, boxsize=side)))
        rows.append(np.column_stack((found, np.full(each, r))))
    X = _copies(np.concatenate(rows), (side, side, side), (times, times, times))
    return X[np.lexsort(np.floor(X[:, :3].T / 3.0))]


def crystal(grains: int) -> FloatArray:
    """Return (n,4) a cube of spheres that touch in a face-centred cubic lattice."""
    cells = max(2, round((grains / 4.0) ** (1.0 / 3.0)))
    corner = np.stack(np.meshgrid(*[np.arange(cells)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    basis = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]])
    points = (2 * corner[:, None] + basis).reshape(-1, 3).astype(float)
    return np.column_stack((points, np.full(len(points), np.sqrt(0.5))))


def _time(X: FloatArray, peer: bool) -> dict[str, Any]:
    """Return the costs of one case."""
    n, smallest = len(X), float(X[:, 3].min())
    points, weights = X[:, :3].copy(), (X[:, 3] + SKIN * smallest) ** 2
    mesh = Triangulation(points, weights)
    there = cycle(((2.0 * points, 4.0 * weights), (points, weights)))  # exact, as all signs stay
    result: dict[str, Any] = {
        "vertices": n,
        "edges_per_vertex": len(mesh.edges) / n,
        "build": _least(lambda: Triangulation(points, weights), n),
        "check": _least(lambda: mesh.move(*next(there)), n),
    }
    if peer:
        result["cgal"] = _compare(mesh)
    before = mesh.stats
    mesh.move(points, weights)
    moves = _motions(points, smallest)
    result["repair"] = max(_least(lambda: mesh.move(next(moves)), n) - result["check"], 0.0)
    result["counts"] = {name: now - then for name, now, then
                        in zip(before._fields, mesh.stats, before, strict=True)}
    bands = _time_refreshes(X, smallest, bands=3)
    return result | _time_refreshes(X, smallest) | {"in_bands": bands}


def _compare(mesh: Triangulation) -> dict[str, Any]:
    """Return what CGAL takes for the same build [ns a vertex], and how many edges differ.

    Both are regular triangulations of the same points. So edges may differ where there are ties,
    which CGAL breaks in another way, and nowhere else.
    """
    try:
        theirs = run_cgal(mesh.points, mesh.weights)
    except MissingExtraError as error:
        return {"missing": str(error)}
    n = len(mesh.points)
    ours, its = (edges[:, 0].astype(np.int64) * n + edges[:, 1]
                 for edges in (mesh.edges, theirs.edges))
    return {"build": theirs.build_time / n * 1e9,
            "edges_only_in_granum": len(np.setdiff1d(ours, its)),
            "edges_only_in_cgal": len(np.setdiff1d(its, ours))}


def _time_refreshes(X: FloatArray, smallest: float, bands: int = 0) -> dict[str, Any]:
    """Return the mean cost of finding neighbours with both methods, as grains move."""
    n, refreshes = len(X), _times(REFRESHES, len(X))
    margin, ids = np.full(n, MARGIN * smallest), np.arange(n)
    finders: dict[str, Finder] = {"refresh": Triangulated(np.zeros(3), 3),
                                  "cells": Cells(np.zeros(3))}
    for finder in finders.values():
        finder.find(X, margin, ids)
    spent = dict.fromkeys(finders, 0.0)
    for _, moved in zip(range(refreshes), _motions(X[:, :3], smallest, bands), strict=False):
        rows = np.column_stack((moved, X[:, 3]))
        for name, finder in finders.items():
            began = time.thread_time()
            finder.find(rows, margin, ids)
            spent[name] += time.thread_time() - began
    costs = {name: total / refreshes / n * 1e9 for name, total in spent.items()}
    followed = finders["refresh"].counts["triangulation_checks"]
    return {**costs, "refresh_to_cells": costs["refresh"] / costs["cells"],
            "refreshes": refreshes, "followed": followed}


def _motions(points: FloatArray, smallest: float, bands: int = 0) -> Any:
    """Yield the points as they move on and on, sheared or in bands."""
    rng = np.random.default_rng(2)
    moved = points.copy()
    height = points[:, 2] - points[:, 2].min()
    height /= max(float(height.max()), smallest)
    speed = np.sin(bands * np.pi * height) if bands else height
    for k in count():
        forth = -1.0 if bands and k // REVERSED % 2 else 1.0
        moved[:, 0] += GONE * MARGIN * smallest * forth * speed
        moved += JITTER * smallest * rng.normal(size=moved.shape)
        yield moved.copy()


def _times(number: int, grains: int) -> int:
    """Return how often to repeat what is to be timed: less often where there are many grains."""
    return number if grains <= MANY else max(2, number // 3)


def _least(call: Callable[[], Any], n: int) -> float:
    """Return the least processor time of several calls, after a first one [ns a vertex]."""
    times = []
    for _ in range(_times(REPEATS, n) + 1):
        began = time.thread_time()
        call()
        times.append(time.thread_time() - began)
    return min(times[1:]) / n * 1e9
