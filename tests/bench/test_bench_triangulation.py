"""The bench of the triangulation: what it measures on, and that it measures everything."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from granum.bench.triangulation import bench_triangulation, crystal, mix


@pytest.mark.parametrize("ratio", [10.0, 35.0])
def test_a_mix_does_not_overlap_and_has_the_ratio(ratio):
    X = mix(400, ratio)
    i, j = np.triu_indices(len(X), 1)
    assert (pdist(X[:, :3]) > X[i, 3] + X[j, 3]).all()
    assert X[:, 3].max() / X[:, 3].min() == pytest.approx(ratio)
    assert len(X) >= 400


def test_a_large_mix_is_made_of_copies_that_do_not_overlap(monkeypatch):
    monkeypatch.setattr("granum.bench.triangulation.SETTLED", 200)
    X = mix(500, 10.0)
    i, j = np.triu_indices(len(X), 1)
    assert (pdist(X[:, :3]) > X[i, 3] + X[j, 3]).all()
    assert len(X) >= 500


def test_each_sphere_of_the_crystal_touches_twelve():
    X = crystal(2000)
    inner = np.all((X[:, :3] > 2.0) & (X[:, :3] < X[:, :3].max() - 2.0), axis=1)
    apart = np.linalg.norm(X[inner][:1, :3] - X[:, :3], axis=1)
    assert (np.abs(apart - 2.0 * X[0, 3]) < 1e-9).sum() == 12
    assert (apart > 1e-9).sum() == len(X) - 1


def test_the_bench_tells_all_costs_of_all_cases():
    result = bench_triangulation(200, 1.0, 1, False, lambda text: None)
    assert set(result["cases"]) == {"1:1", "1:10", "1:35", "fcc", "fcc rounded"}
    assert set(result["runs"]) == {"1:1", "1:35"}
    for run in result["runs"].values():
        assert set(run) == {"settled", "tapped", "tilted"}
        assert all(case["updates"] > 0 and case["refresh"] > 0.0 for case in run.values())
    for case in result["cases"].values():
        assert all(case[key] > 0.0 for key in ("build", "check", "refresh", "cells"))
        assert case["refresh_to_cells"] == pytest.approx(case["refresh"] / case["cells"])
        assert 3.0 < case["edges_per_vertex"] < 8.0
        assert sum(case["counts"].values()) > 0
        assert 0 <= case["followed"] <= case["refreshes"]


def test_one_ratio_alone():
    result = bench_triangulation(200, 20.0, 1, False, lambda text: None)
    assert list(result["cases"]) == ["1:20"]
