"""A hint to the processor: this row will be needed soon.

Rows of partners lie in several places at once, more than a processor foresees by itself; where the
grains do not fit the cache, asking for a row some pairs ahead hides the way to memory.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, register_jitable


@intrinsic
def _prefetch(_typing: Any, array: Any, row: Any) -> Any:
    """Write the processor's instruction."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.args[0]
        found = context.make_array(kind)(context, builder, arguments[0])
        strides = cgutils.unpack_tuple(builder, found.strides, kind.ndim)
        index = context.cast(builder, arguments[1], signature.args[1], types.uintp)
        start = builder.ptrtoint(found.data, index.type)
        address = builder.add(start, builder.mul(index, strides[0]))
        pointer = builder.inttoptr(address, ir.PointerType(ir.IntType(8)))
        hint = ir.FunctionType(ir.VoidType(), [pointer.type] + [ir.IntType(32)] * 3)
        function = cgutils.get_or_insert_function(builder.module, hint, "llvm.prefetch.p0")
        numbers = [ir.Constant(ir.IntType(32), number) for number in (0, 3, 1)]
        builder.call(function, [pointer, *numbers])
        return context.get_dummy_value()

    return types.void(array, row), generate


@register_jitable
def prefetch(array: Any, row: Any) -> None:
    """Ask for ``array[row]`` of a two-dimensional array; the row must exist.

    A function of its own, because an intrinsic has a new random name in every process: a kernel
    whose closure holds one would never be found in the cache again.
    """
    _prefetch(array, row)
