"""What notebooks show: cards with sketches, the page of a run, and the notebook that teaches it."""

from __future__ import annotations

import ast
import html
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import drawn_run
import granum as gr
from granum.display.sketch import KEPT, SQUARE, sketch
from granum.errors import InputError
from granum.run import Plan, Run

NOTEBOOK = Path(__file__).parents[2] / "examples" / "first-steps.ipynb"
SVG = "{http://www.w3.org/2000/svg}"


def circles(svg):
    return [{name: float(entry.get(name)) for name in ("cx", "cy", "r")}
            for entry in ET.fromstring(svg).iter(f"{SVG}circle")]


def test_a_sketch_has_all_grains_in_place():
    points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    svg = sketch(points, np.array([0.1, 0.2, 0.1]), [points], flat=True, size=112)
    root = ET.fromstring(svg)
    found = circles(svg)
    assert len(found) == 3
    scale = 100 / (1.2 + 0.1)  # pixels a metre: from x = -0.1 to 1.2, y from -0.2 to 1.1
    wanted = [0.1 * scale, 0.1 * scale, 0.2 * scale]
    assert sorted(c["r"] for c in found) == pytest.approx(wanted, abs=0.1)
    wide = max(c["cx"] for c in found) - min(c["cx"] for c in found)
    assert wide == pytest.approx(scale, abs=0.2)
    assert int(root.get("width")) in (112, 113)
    assert len(list(root.iter(f"{SVG}polyline"))) == 1


def test_nearer_grains_are_painted_later_and_lighter():
    points = np.array([[0.0, 0, 0], [0, 0, 2], [0, 0, 1]])
    svg = sketch(points, np.full(3, 0.5), [], flat=True)  # seen from z
    light = [int(text) for text in re.findall(r"rgb\((\d+),", svg)]
    assert len(light) == KEPT
    assert light == sorted(light)


def test_a_swept_shape_is_one_mark_as_thick_as_its_ball():
    points = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (3.0, 0.0, 0.0)])
    svg = sketch(points, np.full(4, 0.1), [], flat=True, size=112,
                 edges=np.array([(0, 1), (1, 2), (2, 0)]), faces=np.array([(0, 1, 2)]))
    assert svg.count("<circle") == 1
    assert svg.count("<path") == 2  # its rim, and itself
    widths = [float(width) for width in re.findall(r'stroke-width="([\d.]+)" stroke-linecap', svg)]
    assert widths[1] == pytest.approx(0.2 * 100 / 3.2, abs=0.1)
    assert widths[0] > widths[1]
    path = re.search('<path d="([^"]+)"', svg)[1]
    assert path.count("M") == 4
    assert path.endswith("Z")


def test_many_grains_make_a_small_sketch():
    rng = np.random.default_rng(0)
    svg = sketch(rng.random((100_000, 3)), np.full(100_000, 0.005), [], size=220)
    assert len(circles(svg)) <= KEPT * (220 / SQUARE + 1) ** 2
    assert len(svg) < 500_000


def test_an_empty_world_has_no_sketch():
    assert sketch(np.zeros((0, 3)), np.zeros(0), []) == ""
    assert "none" in gr.World()._repr_html_()


def test_a_world_shows_what_is_in_it():
    world = gr.World(periodic=(1.0, None, None))
    world.add(gr.Plane((0, 0, 0), (0, 0, 1)))
    world.add(gr.Sphere([0.1, 0.2]), at=[(0.2, 0, 1), (0.7, 0, 1)],
              material=gr.Material("<b>glass</b>", density=2500.0))
    text = world._repr_html_()
    assert "<b>glass" not in text
    assert "&lt;b&gt;glass" in text
    for said in ("World in 3D", "radii 0.1 to 0.2 m", "x: 1 m", world.walls[0].describe()):
        assert html.escape(said) in text
    assert len(circles(re.search("<svg.*</svg>", text)[0])) == 2


def test_a_simulation_shows_where_it_is():
    world = gr.World()
    world.add(gr.Box((0, 0, 0), (1, 1, 1), open_top=True))
    world.add(gr.Sphere(0.1), at=[(0.5, 0.5, 0.5)], density=1000.0, velocity=(3.0, 4.0, 0.0))
    law = gr.LinearViscoelastic(restitution=0.5, contact_time=1e-3, friction=0.3)
    sim = gr.Simulation(world, law, threads=1)
    text = sim._repr_html_()
    assert "0 s, 0 steps" in text
    assert f"{0.5 * world.mass[0] * 25:.4g} J" in text
    assert html.escape(repr(sim.law)) in text


def test_the_page_of_a_run_is_shown_in_a_frame(tmp_path):
    folder = drawn_run.make_run(tmp_path / "run")
    page = gr.show(folder, height=300)
    text = page._repr_html_()
    frame = re.fullmatch(r'<iframe srcdoc="([^"]*)" sandbox="allow-scripts allow-downloads" '
                         r'style="[^"]*height:300px[^"]*"></iframe>', text)
    assert html.unescape(frame[1]) == page.html
    assert 'id="data-frame-3"' in page.html
    plan = Plan(duration=0.3, series=0.1, frames=0.1, checkpoints=0.3)
    assert gr.show(Run(None, plan, folder), height=300) == page
    assert len(gr.show(folder, contacts=True).html) > len(page.html)
    with pytest.raises(InputError, match="is not a run folder"):
        gr.show(tmp_path)


def test_the_notebook_runs(tmp_path, monkeypatch):
    """Cell by cell in one namespace, as Jupyter does; the last line of a cell is shown."""
    monkeypatch.chdir(tmp_path)
    notebook = json.loads(NOTEBOOK.read_text())
    assert notebook["nbformat"] == 4
    space: dict[str, object] = {}
    shown = []
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        assert cell["outputs"] == []
        body = ast.parse("".join(cell["source"])).body
        last = body.pop() if isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), "<cell>", "exec"), space)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), space)
            shown.append(value._repr_html_() if hasattr(value, "_repr_html_") else value)
    texts = [value for value in shown if isinstance(value, str)]
    assert sum("<svg" in text for text in texts) == 2  # the world and the simulation
    assert any(text.startswith("<iframe") for text in texts)
    assert True in shown  # the same bits after loading
    assert "finished" in shown
