"""Points that are hard on predicates: ties, and what is off a tie by the last bit.

Each family makes six points (6, 3) and their weights from a random generator. `python
predicates_families.py` searches them for the cases kept in hard_cases.json.
"""

import json
from itertools import product
from pathlib import Path

import numpy as np
from predicates_twin import expected, last_bits

from granum.geometry import estimates, predicates
from granum.geometry.predicates import stages2d, stages3d

STORED = Path(__file__).parent / "hard_cases.json"
CORNERS = np.array(list(product((0, 1), repeat=3)))
SPHERE = np.array([p for p in product(range(-9, 10), repeat=3) if sum(x * x for x in p) == 81])


def lattice(rng):
    """Corners of a box of a lattice with rounded spacing: all on one sphere, exactly."""
    axes = np.arange(-8, 9) * rng.choice([0.1, 0.3, 1e-3, 1.0]) + rng.choice([0.0, 0.05, 0.7])
    corner = rng.integers(0, 15, 3)
    points = axes[corner + CORNERS[rng.permutation(8)[:6]]]
    return points, np.zeros(6)


def near_lattice(rng):
    """The same, off by last bits."""
    points, weights = lattice(rng)
    return last_bits(rng, points), weights


def sphere(rng):
    """Integer points of a sphere, at some scale and place: ties if both are powers of two."""
    centre = rng.choice([0.0, 0.25, 0.1, 100.0])
    points = SPHERE[rng.permutation(len(SPHERE))[:6]] * rng.choice([1.0, 0.125, 0.1]) + centre
    return points, np.full(6, rng.choice([0.0, 0.01]))


def weighted(rng):
    """Points and weights whose lifts lie on one plane: exactly, or but for rounding."""
    points = rng.integers(-20, 21, (6, 3)) * rng.choice([0.5, 0.1])
    return points, np.sum(points * points, axis=1) - points @ rng.integers(-5, 6, 3)


def wide(rng):
    """A lattice in which what was zero is tiny: too many bits for integers."""
    points = rng.integers(0, 3, (6, 3)) * 0.1
    tiny = 10.0 ** rng.integers(-40, -15) * rng.integers(-3, 4, (6, 3))
    return np.where(points == 0.0, tiny, points), np.zeros(6)


def extreme(rng):
    """Coordinates and weights at both ends of what is allowed."""
    points = rng.choice([0.0, 1e-48, -1e-48, 3e-48, 1.0, 7e-3, 1e48, -1e48, 3e47], (6, 3))
    return points, rng.choice([0.0, 1e-96, -3e-96, 1.0, 1e96], 6)


def twice(rng):
    """Some points in the same place, with the same weights."""
    points, weights = rng.random((6, 3)), rng.integers(0, 2, 6) * 0.01
    same = rng.integers(0, 6, 6)
    return points[same], weights[same]


def flat(rng):
    """Integer points of a plane that goes through the origin, at some scale."""
    basis = rng.integers(-3, 4, (2, 3))
    return (rng.integers(-4, 5, (6, 2)) @ basis) * rng.choice([1.0, 2.0**-20]), np.zeros(6)


def rod(rng):
    """Points on a line, with weights that leave each of them on the lower hull or just off it."""
    points = np.outer(rng.permutation(12)[:6] * rng.choice([1.0, 0.1]), rng.choice([1.0, 0.0], 3))
    return points, np.sum(points * points, axis=1) * rng.choice([0.0, 1.0])


FAMILIES = [lattice, near_lattice, sphere, weighted, wide, extreme, twice, flat, rod]
SIZES = {"orient2d": 3, "orient3d": 4, "conflict1d": 3, "conflict2d": 4,
         "conflict2d_in_plane": 4, "conflict3d": 5}


def cases(family, rng):
    """Yield predicate, points, weights, order and the right answer for one draw of a family."""
    points, weights = family(rng)
    for predicate, size in SIZES.items():
        p = points.astype(np.float64)
        if predicate in ("orient2d", "conflict2d"):
            p = np.ascontiguousarray(p[:, :2])
        if predicate == "conflict2d_in_plane":
            p[:, rng.integers(3)] = points[0, 0]
        if predicate == "conflict1d":
            p = np.where(np.arange(3) == rng.integers(3), points, points[0])
        order = rng.permutation(6)[:size].tolist()
        simplex = p[order[:-1]]
        if "_in_" in predicate and not np.any(np.cross(*(simplex[1:] - simplex[0]))):
            continue
        if "1d" in predicate and (simplex[0] == simplex[1]).all():
            continue
        sign = expected(predicate, p, weights, order)
        if sign is not None:
            yield predicate, p, weights, order, sign


def ask(predicate, p, w, order):
    """Return what the compiled predicate says."""
    function = getattr(predicates, predicate)
    return function(p, *order) if predicate.startswith("orient") else function(p, w, *order)


def stage(predicate, p, w, order):
    """Return the stage that decides a conflict in the plane or in space, 0 for other predicates."""
    of = {"conflict2d": stages2d, "conflict3d": stages3d}.get(predicate)
    return 0 if of is None else int(of(p, w, np.array([order[:-1]]), np.array(order[-1:]))[0])


def in_doubt(predicate, p, w, order):
    """Tell whether doubles leave a case open, other than by a column of zeros."""
    if predicate == "conflict1d":
        return True  # it is not left to doubles
    name = predicate.removesuffix("_in_plane")
    axes = np.argsort(-np.ptp(p[order], axis=0), kind="stable")
    t, m = getattr(estimates, f"estimate_{name}")(
        *[(*[*p[v, axes].tolist(), 0.0][:3], float(w[v])) for v in order])
    return m > 0.0 and abs(t) <= getattr(estimates, f"{name[:-2]}_{name[-2:]}".upper()) * m


def search():
    """Keep two cases of each family, predicate, stage and answer."""
    found = {}
    for family in FAMILIES:
        rng = np.random.default_rng(7)
        for _ in range(400):
            for predicate, points, weights, vertices, sign in cases(family, rng):
                used = sorted(vertices)
                p, w, order = points[used], weights[used], [used.index(v) for v in vertices]
                key = (family.__name__, predicate, stage(predicate, p, w, order), sign)
                if in_doubt(predicate, p, w, order) and len(found.setdefault(key, [])) < 2:
                    found[key].append({
                        "family": key[0], "predicate": predicate, "stage": key[2], "sign": sign,
                        "points": p.tolist(), "weights": w.tolist(), "order": order})
    rows = [json.dumps(case) for kept in found.values() for case in kept]
    STORED.write_text("[\n" + ",\n".join(rows) + "\n]\n")
    print(len(rows), "cases")


if __name__ == "__main__":
    search()
