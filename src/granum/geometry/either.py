"""One name for two kernels, that of the plane and that of space.

Where the logic is the same in both, it stands once, in a kernel that calls what differs by a name
made here. Which one is meant is known from the mesh when the kernel is compiled, so it costs
nothing. (To hand a kernel to another as an argument would keep it out of the cache on disk.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from numba.extending import overload

TRIANGLE = 3  # vertices of a cell in the plane


def either(plane: Callable[..., Any], space: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function for kernels that is one of two kernels.

    Args:
        plane: called where the mesh, the first argument, has triangles.
        space: called where it has tetrahedra.
    """

    def chosen(mesh: Any, *rest: Any) -> Any:
        return (plane if len(mesh.places) == TRIANGLE else space)(mesh, *rest)

    def choose(mesh: Any, *_: Any) -> Callable[..., Any]:
        corners = len(mesh[mesh.fields.index("places")])
        return cast("Any", plane if corners == TRIANGLE else space).py_func

    overload(chosen, strict=False,
             jit_options={"fastmath": False, "error_model": "numpy", "no_cfunc_wrapper": True,
                          "no_cpython_wrapper": True})(choose)
    return chosen
