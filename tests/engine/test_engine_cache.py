"""Compiled code is never stale, and never compiled twice."""

import ast
import importlib.util
import shutil
import sys
from pathlib import Path

import pytest
from engine_process import output_of

import granum
from granum import compile as compiling
from granum.compile import source_fingerprint, source_of

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

def test_a_copy_has_the_same_fingerprint(copied):
    assert source_fingerprint(copied) == source_fingerprint(PACKAGE)


def test_every_file_that_a_kernel_can_depend_on_counts(copied):
    seen = {source_fingerprint(copied)}
    files = [path for path in sorted(copied.rglob("*.py"))
             if path.relative_to(copied).parts[0] not in compiling.KERNEL_FREE]
    assert len(files) > 50
    for path in files:
        before = path.read_bytes()
        path.write_bytes(before + b"\n")
        seen.add(source_fingerprint(copied))
        path.write_bytes(before)
    assert len(seen) == len(files) + 1
    assert source_fingerprint(copied) in seen


def test_new_renamed_and_lost_files_count(copied):
    seen = [source_fingerprint(copied)]
    (copied / "laws" / "another.py").write_text("K = 1.0\n")
    seen.append(source_fingerprint(copied))
    (copied / "laws" / "another.py").rename(copied / "laws" / "renamed.py")
    seen.append(source_fingerprint(copied))
    (copied / "laws" / "renamed.py").rename(copied / "walls" / "renamed.py")
    seen.append(source_fingerprint(copied))
    (copied / "walls" / "renamed.py").unlink()
    assert source_fingerprint(copied) == seen[0]
    assert len(set(seen)) == 4


def test_files_that_no_kernel_can_depend_on_do_not_count(copied):
    before = source_fingerprint(copied)
    for folder in compiling.KERNEL_FREE:
        (copied / folder).mkdir(exist_ok=True)
        (copied / folder / "another.py").write_text("K = 1.0\n")
    (copied / "walls" / "notes.txt").write_text("not a source")
    assert source_fingerprint(copied) == before


def imports(path):
    """Return the names of all modules that a file imports, wherever it does."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {node.module or ""} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def test_no_kernels_in_the_folders_that_do_not_count():
    files = [path for folder in compiling.KERNEL_FREE
             for path in sorted((PACKAGE / folder).rglob("*.py"))]
    assert len(files) > 10
    for path in files:
        found = {name for name in imports(path)
                 if name.split(".")[0] == "numba"
                 or (name.startswith("granum.compile.") and name.endswith("kernel"))}
        assert not found, f"{path.relative_to(PACKAGE)} imports {found}"


def test_no_kernel_depends_on_the_folders_that_do_not_count():
    for path in sorted(PACKAGE.rglob("*.py")):
        above = path.relative_to(PACKAGE).parts
        if above[0] in compiling.KERNEL_FREE or len(above) == 1:
            continue
        found = {name for name in imports(path)
                 if name.split(".")[:1] == ["granum"] and len(name.split(".")) > 1
                 and name.split(".")[1] in compiling.KERNEL_FREE}
        assert not found, f"{path.relative_to(PACKAGE)} imports {found}"


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
from granum.compile import cache_folder
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
print(history.spring[0, 0], history.spring[1, 0], cache_folder().name)
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
    kept = {path.name for path in (cache / "granum" / "kernels").iterdir()}
    assert kept == {first_folder, second_folder}
    assert len(kept) == 2
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


def test_the_cache_is_found_from_anywhere(tmp_path):
    """The folder is named after sources and versions, not after the place it is asked from."""
    script = (f"import os; os.chdir({str(tmp_path)!r})\n"
              "from granum.compile import cache_folder; print(cache_folder())")
    assert output_of("-c", script).strip() == str(compiling.cache_folder())
    checked = output_of("-c", script, GRANUM_BOUNDSCHECK="1").strip()
    assert checked != str(compiling.cache_folder()), "checked and unchecked code in one folder"
