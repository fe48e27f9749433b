"""The one way granum compiles kernels.

Numba's own cache does not notice when a function that a cached kernel calls has changed in another
file; a stale kernel would mean wrong physics without a word. granum therefore keeps its compiled
code in folders named after a fingerprint of all sources that a kernel depends on (see `sources`),
below one named after the Numba, NumPy and CPU versions: an edit of any of them opens a new, empty
folder.

All kernels keep IEEE arithmetic to the letter: nothing is reassociated, and no multiply and add are
contracted into one instruction. So an expression has the same bits in whichever kernel it stands,
however the compiler cut it into vectors this time: it does not always choose alike. (Contraction
bought nothing once the sweep was a loop over vectors.)
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import mmap
import os
import platform
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

# Threads of OpenMP that wait for work must not keep the processor from those that have some; this
# is read when Numba first starts its threads.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import llvmlite
import llvmlite.binding as llvm
import numba
import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from granum.sources import PACKAGE, fingerprint_now

HUGE = 2**21  # bytes of a huge page
BOUNDSCHECK = os.environ.get("GRANUM_BOUNDSCHECK", "0") == "1"
numba.config.SLP_VECTORIZE = 1  # rows of four numbers are moved as one; off in Numba by default
if BOUNDSCHECK:  # for all that is compiled, functions inside closures too
    numba.config.BOUNDSCHECK = 1


@cache
def cache_folder() -> Path:
    """Return the folder of these versions' compiled kernels (``GRANUM_CACHE_DIR`` moves it)."""
    base = os.environ.get("GRANUM_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    root = Path(base) if base else Path.home() / ".cache"
    digest = hashlib.sha256()
    for part in (numba.__version__, llvmlite.__version__, np.__version__,
                 platform.python_version(), llvm.get_host_cpu_name(),
                 llvm.get_host_cpu_features().flatten(), str(BOUNDSCHECK)):
        digest.update(part.encode() + b"\0")
    return root / "granum" / "kernels" / digest.hexdigest()[:16]


def kernel_folder(source: Path) -> Path:
    """Return the folder of the compiled kernels of a file as it is now."""
    return cache_folder() / fingerprint_now(source)[:16]


def _compile(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    previous = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(kernel_folder(Path(function.__code__.co_filename)))
    try:
        return numba.njit(
            cache=True, error_model="numpy", no_cfunc_wrapper=True, **options
        )(function)
    finally:
        numba.config.CACHE_DIR = previous


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a serial kernel.

    Numba lets a function inherit the options of its first caller unless they are given: fastmath is
    said no to, rather than left out.
    """
    return _compile(function, fastmath=False)


def inner_kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a serial kernel that only kernels call.

    It does without the code by which Python would call it, which for a small kernel with many
    arrays takes as long to compile as the kernel itself.
    """
    return _compile(function, fastmath=False, no_cpython_wrapper=True)


def uncounted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let kernels call a function that asks many arrays for few numbers.

    To hand the arrays over and to count references to them would take longer than the function: it
    becomes part of whoever calls it, and counts none. It may return numbers only: its caller would
    let go of an array that was never taken hold of.
    """
    return register_jitable(_nrt=False, forceinline=True)(function)


def parallel_kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a kernel whose ``numba.prange`` loops run on all threads."""
    return _compile(function, fastmath=False, parallel=True)


def aligned(rows: int, columns: int) -> NDArray[np.float64]:
    """Return a zeroed (rows, columns) array that starts at a cache line.

    Vector instructions on rows that straddle cache lines take up to twice as long. Large arrays
    ask for huge pages, or else finding the page of a row takes as long as reading it.
    """
    count = rows * columns
    if 8 * count >= HUGE and hasattr(mmap, "MADV_HUGEPAGE"):
        memory = mmap.mmap(-1, 8 * count + HUGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        with contextlib.suppress(OSError):  # a kernel without them
            memory.madvise(mmap.MADV_HUGEPAGE)
        raw, line = np.frombuffer(memory, dtype=np.float64), HUGE
    else:
        raw, line = np.zeros(count + 8), 64
    shift = (-raw.ctypes.data % line) // 8
    return raw[shift : shift + count].reshape(rows, columns)


def is_compiled(module: str) -> bool:
    """Tell whether kernels of this module of granum have been compiled on this machine before."""
    return any(kernel_folder(PACKAGE / f"{module}.py").glob("*/*.nbi"))


def use_threads(number: int) -> None:
    """Let kernels run on so many threads from now on."""
    numba.set_num_threads(number)


def use_tbb() -> None:
    """Let Numba find Intel's TBB where pip puts it (the extra ``threads``).

    TBB shares a busy machine better than OpenMP; without it, Numba takes what there is.
    """
    for path in (Path(sys.prefix) / "lib").glob("libtbb.so.12"):
        ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)


use_tbb()


def most_threads() -> int:
    """Return how many threads this machine offers."""
    return int(numba.config.NUMBA_NUM_THREADS)


def threading_layer() -> str:
    """Return what runs the threads (tbb, omp, workqueue), or none if nothing has run yet."""
    try:
        return str(numba.threading_layer())
    except ValueError:
        return "none"


def versions() -> dict[str, str]:
    """Return the versions that results may depend on, by name."""
    return {"python": platform.python_version(), "numpy": np.__version__,
            "numba": numba.__version__, "machine": f"{platform.system()} {platform.machine()}"}
