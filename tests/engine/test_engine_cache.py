"""Compiled code is never stale, and never compiled twice."""

import ast
import importlib.util
import shutil
import sys
from functools import cache
from pathlib import Path

import pytest
from engine_process import output_of

import granum
from granum import compile as compiling
from granum import sources
from granum.sources import fingerprint, source_of, sources_behind

PACKAGE = Path(granum.__file__).parent


@pytest.fixture
def copied(tmp_path):
    """A copy of the package's sources."""
    return Path(shutil.copytree(PACKAGE, tmp_path / "sources" / "granum",
                                ignore=shutil.ignore_patterns("__pycache__")))


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


# ---- the fingerprint of sources ---------------------------------------------------------------

ADVANCE = "dynamics/advance.py"


def fingerprints(package):
    """Return the fingerprints of all files, read anew."""
    for known in (sources._read, sources._imported, sources.sources_behind,
                   sources.fingerprint):
        known.cache_clear()
    return {str(path.relative_to(package)): fingerprint(path, package)
            for path in sorted(package.rglob("*.py"))}


def imports(path):
    """Return the names of all modules that a file imports, wherever it does."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {node.module or ""} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def file_of(name):
    place = PACKAGE.parent.joinpath(*name.split("."))
    files = place.with_suffix(".py"), place / "__init__.py"
    return next((file for file in files if file.is_file()), None)


@cache
def imported_at_the_top(path):
    """Return the files of granum that a file imports, by Python's own parser: the slow twin."""
    names = []
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = [f"{node.module}.{alias.name}" for alias in node.names]
            names += modules if all(map(file_of, modules)) else [node.module, *modules]
    files = {file_of(name) for name in names if name.split(".")[0] == "granum"}
    return files - {None}


def files_behind(path):
    found, waiting = set(), [path]
    while waiting:
        file = waiting.pop()
        if file not in found:
            found.add(file)
            waiting += imported_at_the_top(file)
    return found


def test_a_copy_has_the_same_fingerprints(copied):
    assert fingerprints(copied) == fingerprints(PACKAGE)


def test_all_that_a_file_imports_is_behind_it():
    files = sorted(PACKAGE.rglob("*.py"))
    assert len(files) > 200
    for path in files:
        assert set(sources_behind(path)) == files_behind(path), path


def test_names_that_a_package_gives_on_are_followed(tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "outer.py").write_text("from granum.inner import (\n    strong,\n)\n")
    (tmp_path / "inner" / "__init__.py").write_text("from granum.inner.force import strong\n")
    (tmp_path / "inner" / "force.py").write_text("import granum.inner.deep\n")
    (tmp_path / "inner" / "deep.py").write_text("DEPTH = 1\n")
    (tmp_path / "inner" / "other.py").write_text("DEPTH = 1\n")
    found = {path.name for path in sources_behind(tmp_path / "outer.py", tmp_path)}
    assert found == {"outer.py", "__init__.py", "force.py", "deep.py"}


def test_an_edit_changes_the_files_that_depend_on_it_and_no_other(copied):
    before = fingerprints(copied)
    edit(copied / "contact" / "sweep.py", "def make_scratch", "\ndef make_scratch")
    after = fingerprints(copied)
    changed = {name for name in before if before[name] != after[name]}
    assert {"contact/sweep.py", ADVANCE, "simulation.py", "cli/app.py"} <= changed
    assert not changed & {"contact/model.py", "geometry/build3.py", "walls/closest.py",
                          "neighbours/cells.py", "dynamics/integrate.py"}


def test_what_runs_no_kernel_lets_them_be(copied):
    before = fingerprints(copied)
    for name in ("simulation.py", "run/writing.py", "dynamics/soft.py", "output/frames.py",
                 "measures/budget.py", "scenario/schema.py", "cli/app.py", "studies/hourglass.py"):
        (copied / name).write_text((copied / name).read_text() + "\n")
    (copied / "laws" / "another.py").write_text("K = 1.0\n")
    (copied / "walls" / "notes.txt").write_text("not a source")
    after = fingerprints(copied)
    for name in (ADVANCE, "contact/table.py", "geometry/build.py", "neighbours/cells.py",
                 "laws/hertz_mindlin.py"):
        assert after[name] == before[name]


def test_what_a_law_is_made_of_is_behind_it():
    behind = {path.name for path in sources_behind(PACKAGE / "laws" / "hertz_mindlin.py")}
    assert {"hertz_mindlin.py", "hertz.py", "model.py"} <= behind


def test_there_is_one_way_to_compile():
    """No file but compile.py uses a compiler of Numba: its cache would not be granum's."""
    others = {"jit", "njit", "vectorize", "guvectorize", "cfunc", "stencil", "generated_jit"}
    for path in sorted(PACKAGE.rglob("*.py")):
        if path == PACKAGE / "compile.py":
            continue
        tree = ast.parse(path.read_text())
        used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name) and node.value.id == "numba"}
        used |= {name.split(".")[-1] for name in imports(path) if name.startswith("numba.")}
        assert not used & others, f"{path.relative_to(PACKAGE)} uses {used & others}"


# ---- edits reach compiled code ----------------------------------------------------------------

OWNER = """
import numpy as np
from granum.compile import kernel_folder
from granum.contact import history as module
from granum.contact.history import Memory, lay_pairs, new_history
from granum.neighbours import Candidates

# two grains, each in the other's row: whoever owns the pair gets the spring
fields = dict.fromkeys(Candidates._fields, np.zeros(0, dtype=np.uint32))
fields["begin"] = np.array([0, 1], dtype=np.uint64)
fields["end"] = np.array([1, 2], dtype=np.uint64)
fields["partner"] = np.array([1, 0], dtype=np.uint32)
pairs = Candidates(**fields)
from granum.contact.model import Model

model = Model(print, None, print, 0, (), False, False)
history = new_history(2, model)
memory = Memory(np.array([0]), np.array([1]), np.array([[5.0, 0.0, 0.0]]))
lay_pairs(memory, pairs, history, np.array([1.0, 2.0]), np.array([0, 1]), model)
from pathlib import Path

print(history.spring[0, 0], history.spring[1, 0], kernel_folder(Path(module.__file__)).name)
"""


def test_an_edit_in_one_file_reaches_the_kernels_of_another(copied, tmp_path):
    """History is laid by a kernel of history.py, which asks candidates.py who owns a pair."""
    cache = tmp_path / "cache"
    settings = {"sources": copied.parent, "GRANUM_CACHE_DIR": str(cache),
                "PYTHONDONTWRITEBYTECODE": "1"}
    file = copied / "neighbours" / "candidates.py"
    edit(file, "\n@kernel\ndef owns(", "\nSHARE = 1.0\n\n\n@kernel\ndef owns(")
    edit(file, "return ri < rj", "return SHARE * ri < rj")
    *first, first_folder = output_of("-c", OWNER, **settings).split()
    assert first == ["5.0", "0.0"], "the smaller grain owns the pair"
    edit(file, "SHARE = 1.0", "SHARE = 4.0")
    *second, second_folder = output_of("-c", OWNER, **settings).split()
    assert second == ["0.0", "-5.0"], "stale code was used"
    edit(file, "SHARE = 4.0", "SHARE = 1.0")
    assert output_of("-c", OWNER, **settings).split() == [*first, first_folder]
    assert first_folder != second_folder
    kept = {path.name for path in (cache / "granum" / "kernels").glob("*/*")}
    assert {first_folder, second_folder} <= kept
    assert not list(copied.rglob("*.nb?")), "sources may lie where nobody may write"


LAW = """
STIFFNESS = 1.0

def helper(delta):
    return 2.0 * delta

def force(p, delta):
    return STIFFNESS * helper(delta)
"""


@pytest.mark.parametrize(("old", "new"), [
    ("STIFFNESS * helper", "-STIFFNESS * helper"),
    ("STIFFNESS = 1.0", "STIFFNESS = 3.0"),
    ("return 2.0 * delta", "return 5.0 * delta"),
], ids=["its own line", "a constant beside it", "a function it calls"])
def test_an_edited_law_is_another_law(old, new, tmp_path):
    """A user's law is compiled into the step; an edit of whatever it uses must be compiled anew."""
    seen = []
    for name, text in (("first_law", LAW), ("second_law", LAW.replace(old, new))):
        path = tmp_path / name / "my_law.py"
        path.parent.mkdir()
        path.write_text(text)
        spec = importlib.util.spec_from_file_location("my_law", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules["my_law"] = module
        try:
            spec.loader.exec_module(module)
            seen.append(source_of(module.force))
        finally:
            del sys.modules["my_law"]
    assert seen[0] != seen[1]


# ---- nothing is compiled twice ----------------------------------------------------------------

COMPILED = """
from numba.core import event
recorder = event.RecordingListener()
event.register("numba:compile", recorder)
import engine_script
engine_script.run()
from granum.compile import cache_folder
print(cache_folder())
for _, found in recorder.buffer:
    if found.is_start:
        print(found.data["dispatcher"].py_func.__qualname__)
"""


def test_a_second_process_compiles_nothing():
    """A whole run in a fresh process, twice: the second finds everything in the cache."""
    folder, *_ = output_of("-c", COMPILED).splitlines()
    files = {path: path.stat().st_mtime_ns for path in Path(folder).rglob("*.nbc")}
    assert len(files) > 50
    again, *compiled = output_of("-c", COMPILED).splitlines()
    assert again == folder
    assert compiled == []
    # those of before only: other tests may be compiling kernels of their own meanwhile
    assert files == {path: path.stat().st_mtime_ns for path in files}


KEYS = """
import hashlib
from itertools import product
from numba.core.serialize import dumps
from granum.dynamics.advance import make_advance
from granum.laws import LinearViscoelastic, model_of
model, _ = model_of(LinearViscoelastic(0.2, contact_time=2e-4, friction=0.3), ["default"], 1e-5)
forms = ((False, False, "all"), (True, False, "all"), (True, True, "all"), (True, True, "single"),
         (True, False, "rods"))
for counted, form in product((False, True), forms):
    step = make_advance(model._replace(counted=counted), False, True, *form)
    for name, cell in zip(step.py_func.__code__.co_freevars, step.py_func.__closure__):
        print(counted, form, name, hashlib.sha256(dumps(cell.cell_contents)).hexdigest())
"""


def test_every_form_of_the_step_has_one_name_in_the_cache():
    """What a form is made of looks the same in every process.

    A compiled function has a number of its own in each: the closure of the step must hold none.
    """
    assert output_of("-c", KEYS).splitlines() == output_of("-c", KEYS).splitlines()


def test_the_cache_is_found_from_anywhere(tmp_path):
    """The folder is named after sources and versions, not after the place it is asked from."""
    script = (f"import os; os.chdir({str(tmp_path)!r})\n"
              "from granum.compile import cache_folder; print(cache_folder())")
    assert output_of("-c", script).strip() == str(compiling.cache_folder())
    checked = output_of("-c", script, GRANUM_BOUNDSCHECK="1").strip()
    assert checked != str(compiling.cache_folder()), "checked and unchecked code in one folder"
