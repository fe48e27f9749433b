"""The pages say what is true: their code runs, their commands exist, their links lead somewhere."""

from __future__ import annotations

import ast
import contextlib
import json
import linecache
import re
import shutil
import sys
import tomllib
from pathlib import Path

import docs_pages as docs
import h5py
import pytest
import typer.main

from granum.cli import main
from granum.cli.app import app
from granum.cli.source import find_scenario
from granum.clusters import CLUSTERS, GLUES
from granum.laws import ADDONS, LAWS
from granum.measures import (
    BOND_COLUMNS,
    BUDGET_COLUMNS,
    COLUMNS,
    FIELDS,
    MEASURES,
    REGIONS,
)
from granum.measures.wall_forces import OF_ALL, OF_MOVING
from granum.output import read_frames
from granum.scenario import tables
from granum.scenario.build import understand
from granum.scenario.reader import parse_toml
from granum.scenario.schema import build, build_choice
from granum.scenario.shape_tables import MAKERS, SHAPES
from granum.sizes import SIZES
from granum.stages import CONDITIONS, Intervals
from granum.view.bundle import page_files
from granum.walls.moving import MOTIONS
from granum.world import World

PAGES = docs.pages()
GROUP = typer.main.get_command(app)
CHEAP = {"studies", "info", "new", "check", "--version"}
ON_RUNS = {"view", "plot", "render", "convert", "report"}


def numbered(language):
    return [pytest.param(code, f"{docs.name_of(page)} {k}", id=f"{docs.name_of(page)}-{k}")
            for page in PAGES for k, code in enumerate(docs.blocks(page, language), start=1)]


def with_commands(program):
    return [pytest.param(words, id=f"{docs.name_of(page)}-{' '.join(words)}")
            for page in PAGES for words in docs.commands(page, program)]


def granum(*words):
    """Call the command line; return its exit code."""
    before, sys.argv = sys.argv, ["granum", *words]
    try:
        main()
    except SystemExit as stop:
        return stop.code or 0
    finally:
        sys.argv = before
    return 0


# ---- code ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("code", "name"), numbered("python"))
def test_python_runs(code, name, tmp_path, monkeypatch):
    """Under a name that stays the same, so that what it compiles is found in the cache."""
    monkeypatch.chdir(tmp_path)
    file = f"<{name}>"
    linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
    space = {"__name__": "__main__"}
    exec(compile(code, file, "exec"), space)
    made = {target.id for line in ast.parse(code).body if isinstance(line, ast.Assign)
            for target in line.targets if isinstance(target, ast.Name)}
    assert made <= space.keys()
    assert all(value is not None for value in space.values())


def test_there_is_python_to_run():
    assert len(numbered("python")) >= 6


@pytest.mark.parametrize(("code", "name"), numbered("toml"))
def test_toml_is_understood(code, name):
    data = tomllib.loads(code)
    if "run" in data:
        world = understand(parse_toml(code, name)).world
        assert len(world) or world.streams
        return
    for key, choices in (("walls", tables.WALL_TABLES), ("grains", tables.GRAINS),
                         ("measures", MEASURES)):
        for entry in data.pop(key, []):
            if key == "grains" and entry.get("shape", {}).get("type") in MAKERS:
                assert build_choice(MAKERS, entry.pop("shape"))
            assert isinstance(build_choice(choices, entry), choices[entry["type"]])
    table = build(tables.TopTable, {"run": {"duration": 1.0}, **data})
    assert all(getattr(table, key) for key in data), "a table that says nothing"


# ---- commands --------------------------------------------------------------------------------


@pytest.mark.parametrize("words", with_commands("granum"))
def test_command_exists(words):
    """The real parser takes it: command, options, types and number of arguments."""
    name, *rest = words
    assert name in {*GROUP.commands, "--help", "--version"}
    command = GROUP if name.startswith("-") else GROUP.commands[name]
    with contextlib.suppress(typer.Exit):  # --help and --version stop there
        context = command.make_context(name, words if command is GROUP else rest)
        assert context.params.keys() >= {p.name for p in command.params if p.required}
        study = context.params.get("scenario", ".toml")
        if not study.endswith(".toml"):
            find_scenario(study, context.params["quick"], context.params["changes"] or [])


def on_runs():
    """Commands that look at a run, each once, whatever it is called; what is served never ends."""
    found = {}
    for page in PAGES:
        for words in docs.commands(page, "granum"):
            is_told = words[0] != "view" or "--export" in words
            if words[0] in ON_RUNS and is_told and not any(".csv" in word for word in words):
                found.setdefault(re.sub(r"runs/[\w-]+", "RUN", " ".join(words)), words)
    return [pytest.param(words, id=name) for name, words in sorted(found.items())]


@pytest.mark.parametrize("words", on_runs())
def test_commands_that_look_at_a_run_work(words, finished, tmp_path, monkeypatch):
    """On a small run in place of the one that is named: its first moment, a few small pictures."""
    monkeypatch.chdir(tmp_path)
    for word in words:
        if re.match(r"runs/\w", word):
            shutil.copytree(finished, word)
    Path("runs").mkdir(exist_ok=True)
    if "--time" in words:
        place = words.index("--time") + 1
        words = [*words[:place], "0", *words[place + 1:]]
    less = ["--size=96x96", "--every=20"] if words[0] == "render" else []
    assert granum(*words, *less) == 0
    if "--out" in words:
        assert Path(words[words.index("--out") + 1]).stat().st_size > 1000


@pytest.mark.parametrize("page", PAGES, ids=docs.name_of)
def test_cheap_commands_run(page, tmp_path, monkeypatch, capsys):
    """One after the other, as a reader would."""
    monkeypatch.chdir(tmp_path)
    for words in docs.commands(page, "granum"):
        if words[0] not in CHEAP:
            continue
        file = tmp_path / words[-1]
        if words[0] == "check" and file.suffix == ".toml" and not file.exists():
            assert granum("new", words[-1]) == 0
        assert granum(*words) == 0, f"granum {' '.join(words)}: {capsys.readouterr().err}"


@pytest.mark.parametrize("words", with_commands("make"))
def test_make_target_exists(words):
    targets = re.findall(r"^([a-z]+):", (docs.ROOT / "Makefile").read_text(), re.MULTILINE)
    assert words[0] in targets


@pytest.mark.parametrize("name", GROUP.commands)
def test_every_option_is_documented(name):
    page = docs.DOCS / "cli.md"
    assert f"| [`granum {name}`](#granum-{name}) |" in docs.text_of(page)
    said = set(re.findall(r"--[a-z-]+", " ".join(
        docs.first_column(docs.section(page, f"granum {name}")))))
    has = {option for parameter in GROUP.commands[name].params
           for option in (*parameter.opts, *parameter.secondary_opts) if option.startswith("--")}
    assert said == has - {"--help"}


def test_every_key_of_the_page_is_documented():
    """One letter or sign each; those with names stand there with their signs on the caps."""
    script = page_files()["main.js"].decode()
    has = {key for keys in re.findall(r"^  \[\[(.*?)\], \"\w", script, re.MULTILINE)
           for key in re.findall(r'"(.)"', keys)} - {" "}
    rows = re.findall(r"^\| (.*?) \|", docs.section(docs.DOCS / "view.md", "Keys"), re.MULTILINE)
    assert len(has) > 20
    assert has <= {key for row in rows for key in re.split(r"[ ,]+", row)}


# ---- what a run writes -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The smallest scenario of the pages, run for a moment; its folder."""
    home = tmp_path_factory.mktemp("run")
    (home / "beads.toml").write_text(docs.blocks(docs.DOCS / "scenario.md", "toml")[0])
    code = granum("run", str(home / "beads.toml"), "--out", str(home / "beads"), "--threads", "1",
                  "--quiet", "--set", "run.duration=60 ms", "--set", "output.contacts=true")
    assert code == 0
    return home / "beads"


def test_stages_run_as_told(tmp_path):
    """The scenario of the page, as a reader would run it and branch it."""
    page = docs.DOCS / "stages.md"
    (tmp_path / "silo.toml").write_text(docs.blocks(page, "toml")[0])
    words = ("run", str(tmp_path / "silo.toml"), "--threads", "1", "--quiet", "--out")
    assert granum(*words, str(tmp_path / "silo")) == 0
    summary = json.loads((tmp_path / "silo" / "summary.json").read_text())
    names = ["settle", "vibrate", "rest", "flow"]
    assert [row["name"] for row in summary["stages"]] == names
    assert all(f"`{row['why']}`" in docs.text_of(page) for row in summary["stages"])
    assert {"stages.png", "picture.png"} <= {path.name for path in (tmp_path / "silo").iterdir()}


def test_files_are_documented(finished):
    said = docs.first_column(docs.text_of(docs.DOCS / "run-folder.md").split("\n## ")[0])
    written = {path.name + "/" * path.is_dir() for path in finished.iterdir()}
    of_others = {"flow.png", "ways.png", "strain.csv", "strain.png", "density.png", "stages.png"}
    of_report = {"report.md", "report.html", "energy.png"}
    of_convert = {"frames.dump", "frames.gsd", "scene.glb", "grains.csv", "grains.parquet"}
    assert written == set(said) - {"frames/", "measures/", "meshes/", *of_others, *of_report,
                                   *of_convert, "still.png"}


def test_columns_are_documented(finished):
    said = docs.first_column(docs.section(docs.DOCS / "run-folder.md", "`series.csv`"))
    of_walls = [f"NAME_{what}" for what in (*OF_ALL, *OF_MOVING)]
    assert said == [*COLUMNS, "NAME_grains", "NAME_mass", *of_walls, *BOND_COLUMNS, *BUDGET_COLUMNS]
    assert (finished / "series.csv").read_text().splitlines()[0].split(",") == COLUMNS


def test_measures_are_documented():
    """Each type has a row with all its columns; a wall or another column stands for itself."""
    samples = {"moving_average": {"of": "NAME", "over": 1.0},
               "wall_strain": {"wall": "NAME", "length": 1.0},
               "mixing": {"larger_than": 1.0}, "segregation": {"larger_than": 1.0},
               "wall_share": {"larger_than": 1.0},
               "flow": {"name": "NAME"}}
    page = docs.DOCS / "measures.md"
    rows = dict(re.findall(r"^\| \[`(\w+)`\]\(.*?\) \| (.*) \|$", docs.text_of(page), re.MULTILINE))
    assert list(rows) == list(MEASURES)
    for name, row in rows.items():
        units = MEASURES[name](**samples.get(name, {})).units(World())
        said = re.findall(r"`(\w+)`(?: \[([^\]]*)\])?", row)
        assert [column for column, _ in said] == list(units), name
        assert [unit for _, unit in said] == list(units.values()), name


def test_summary_is_documented(finished):
    said = docs.first_column(docs.section(docs.DOCS / "run-folder.md", "`summary.json`"))
    written = json.loads((finished / "summary.json").read_text())
    assert set(said) == {*written, "trouble", "warnings", "stages", "ended", "from", *BOND_COLUMNS}


def test_frames_are_documented(finished):
    said = docs.first_column(docs.section(docs.DOCS / "run-folder.md", "Frames"))
    assert set(said) == {*read_frames(finished)[0].fields, *FIELDS, "cluster", "shape"}


def test_checkpoints_are_documented(finished):
    said = docs.section(docs.DOCS / "run-folder.md", "Checkpoints")
    newest = sorted((finished / "checkpoints").iterdir())[-1]
    with h5py.File(newest, "r") as file:
        assert set(file) == {"arrays", "description"}
        for name, part in file["arrays"].items():
            assert f"`/arrays/{name}" in said
            for array in part if isinstance(part, h5py.Group) else ():
                assert f"`{array}`" in said
    assert newest.read_bytes().startswith(b"granum container 1 checkpoint ")


# ---- what the pages refer to -----------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=docs.name_of)
def test_links_lead_somewhere(page):
    for target in docs.links(page):
        file, _, anchor = target.partition("#")
        there = page.parent / file if file else page
        assert there.exists(), f"{target} is not there"
        if anchor:
            assert anchor in docs.anchors(there), f"{target}: no such heading"


@pytest.mark.parametrize("page", PAGES, ids=docs.name_of)
def test_named_files_exist(page):
    for path in re.findall(r"`((?:src|tests|docs)/[\w./-]+)`", docs.text_of(page)):
        if "NAME" not in path:
            assert (docs.ROOT / path).exists(), f"{path} is not there"


def test_every_page_is_in_the_table_of_contents():
    index = docs.DOCS / "index.md"
    listed = {line for block in docs.blocks(index, "{toctree}") for line in block.splitlines()
              if line and not line.startswith(":")}
    there = {page.relative_to(docs.DOCS).with_suffix("").as_posix() for page in PAGES
             if page.is_relative_to(docs.DOCS) and page != index}
    assert listed == there


# ---- architecture ----------------------------------------------------------------------------


def test_layers_are_those_of_the_import_contract():
    project = tomllib.loads((docs.ROOT / "pyproject.toml").read_text())
    contract = project["tool"]["importlinter"]["contracts"][0]
    wanted = [{part.strip().removeprefix("granum.") for part in layer.split("|")}
              for layer in contract["layers"]]
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", docs.section(
        docs.DOCS / "architecture.md", "Layers"), re.MULTILINE)
    assert [set(re.findall(r"\w+", row)) for row in rows] == wanted


def test_layers_are_those_of_the_folders():
    source = docs.ROOT / "src" / "granum"
    there = {path.stem for path in source.iterdir()
             if path.suffix == ".py" or (path / "__init__.py").exists()}
    named = docs.first_column(docs.section(docs.DOCS / "architecture.md", "Layers"))
    assert set(named) == there - {"__init__", "__main__"}


def test_files_of_the_architecture_exist():
    for path in re.findall(r"`([\w/]+(?:\.py|/\w+))`", docs.text_of(docs.DOCS / "architecture.md")):
        found = [docs.ROOT / "src" / "granum" / path, docs.ROOT / path]
        assert path == "__init__.py" or any(file.exists() for file in found), path


# ---- the reference of the scenario -----------------------------------------------------------

TABLES = [tables.TopTable, tables.WorldTable, tables.PeriodicTable, tables.DomainTable,
          tables.MaterialTable, tables.RunTable, tables.OutputTable, *LAWS.values(),
          *ADDONS.values(), *tables.WALLS.values(), *MOTIONS.values(),
          *tables.PLACINGS.values(), *SIZES.values(), *CLUSTERS.values(), *GLUES.values(),
          *MEASURES.values(), *REGIONS.values(), tables.StageTable, Intervals,
          *CONDITIONS.values(), *SHAPES.values(), *MAKERS.values()]
HAVE_THEIR_OWN = {"run", "stages", "world", "materials", "output", "law", "walls", "grains",
                  "measures"}


def test_the_reference_is_up_to_date():
    page = docs.text_of(docs.DOCS / "scenario.md")
    assert page == docs.REFERENCE["renewed"](page), "run: python docs/scenario_reference.py"


def test_the_library_is_up_to_date():
    page = docs.text_of(docs.DOCS / "api.md")
    assert page == docs.API["reference"](), "run: python docs/api_reference.py"


def test_the_gallery_is_up_to_date():
    page = docs.text_of(docs.DOCS / "gallery.md")
    assert page == docs.GALLERY["gallery"](), "run: python docs/gallery.py"


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_every_key_is_explained(table):
    keys = set(docs.REFERENCE["keys"](table))
    if table is tables.TopTable:
        keys -= HAVE_THEIR_OWN
    explained = docs.REFERENCE["meanings"](table)
    assert keys == set(explained)
    assert all(len(text) > 5 for text in explained.values())


def test_every_kind_of_table_is_in_the_reference():
    text = docs.REFERENCE["reference"]()
    for word, choices in (("Law", LAWS), ("Add-on", ADDONS), ("Wall", tables.WALLS),
                          ("Motion", MOTIONS), ("Placing", tables.PLACINGS),
                          ("Sizes", SIZES), ("Cluster", CLUSTERS), ("Glue", GLUES),
                          ("Measure", MEASURES), ("Region", REGIONS), ("Condition", CONDITIONS),
                          ("Shape", SHAPES), ("Shape", MAKERS)):
        for name in choices:
            assert f"### {word} `{name}`" in text
    for name in HAVE_THEIR_OWN:
        assert re.search(rf"^## `\[+{name}\b", text, re.MULTILINE)
