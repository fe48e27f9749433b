"""What can be known of the CGAL peer without CGAL: how its file is read, how it fails."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

import granum
from granum.bench.cgal_peer import read_edges, run_cgal
from granum.bench.triangulation import _compare
from granum.errors import GranumError, MissingExtraError
from granum.geometry import Triangulation

FAKE_KERNEL = """\
def Point_3(x, y, z):
    return x, y, z

def Weighted_point_3(point, weight):
    return *point, weight
"""
FAKE_TRIANGULATION = """\
from granum.geometry import Triangulation
import numpy as np

class Regular_triangulation_3:
    def insert(self, points):
        {start}
        self.rows = np.array(points)[::-1]
        self.mesh = Triangulation(self.rows[:, :3].copy(), self.rows[:, 3].copy())

    def write_to_file(self, name, digits):
        assert digits == 17
        cells = self.mesh._t.all_cells
        cells = cells[cells[:, 0] > -2] + 1
        lines = ["3", str(len(self.rows))]
        lines += [" ".join(map(repr, row)) for row in self.rows.tolist()]
        lines += [str(len(cells)), *(" ".join(map(str, row)) for row in cells.tolist())]
        with open(name, "w") as file:
            file.write("\\n".join(lines) + "\\n0 1 2 3\\n")
"""


def install_fake(folder: Path, monkeypatch: pytest.MonkeyPatch, start: str = "pass") -> None:
    """Put a package named like CGAL in the way, which has granum do the work."""
    package = folder / "CGAL"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "CGAL_Kernel.py").write_text(FAKE_KERNEL)
    (package / "CGAL_Triangulation_3.py").write_text(FAKE_TRIANGULATION.format(start=start))
    source = Path(granum.__file__).parents[1]
    known = os.environ.get("PYTHONPATH", "")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), str(source), known]))
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "CGAL", raising=False)


def cloud() -> Triangulation:
    rng = np.random.default_rng(1)
    return Triangulation(rng.normal(size=(60, 3)), 0.1 * rng.random(60))


def test_vertices_are_known_by_their_places() -> None:
    points = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [-0.0, 0.0, 0.0],
                       [9.0, 9.0, 9.0]])
    text = """3
    4
    0 0 0 0.5
    1 0 0 0.5
    0 1 0 0.5
    0 0 1 0.5
    5
    1 2 3 4
    0 1 2 3
    2 1 0 4
    1 3 0 4
    0 2 3 4
    1 2 3 4
    """
    edges = read_edges(text, points)
    assert edges.tolist() == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    with pytest.raises(GranumError, match="these points"):
        read_edges(text, points + 0.5)


def test_edges_and_time_come_from_the_other_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_fake(tmp_path, monkeypatch)
    mesh = cloud()
    result = run_cgal(mesh.points, mesh.weights)
    assert result.build_time > 0.0
    assert np.array_equal(result.edges, mesh.edges[np.lexsort(mesh.edges.T[::-1])])
    found = _compare(mesh)
    assert found["edges_only_in_granum"] == found["edges_only_in_cgal"] == 0
    assert found["build"] > 0.0


def test_a_failure_ends_with_the_last_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_fake(tmp_path, monkeypatch, start="raise RuntimeError('out of luck')")
    with pytest.raises(GranumError, match=r"exit code 1(.|\n)*out of luck"):
        run_cgal(np.zeros((1, 3)), np.zeros(1))


def test_without_cgal_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "CGAL", None)
    with pytest.raises(MissingExtraError, match=r"granum\[bench\]"):
        run_cgal(np.zeros((1, 3)), np.zeros(1))
    assert "granum[bench]" in _compare(cloud())["missing"]
