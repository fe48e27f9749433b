"""Named arrays in one file that is either whole and right, or refused.

A container is an HDF5 file with 512 bytes ahead of it (HDF5's *user block*; every HDF5 tool skips
it). They hold one line of text, padded with zeros::

    granum container 1 checkpoint 81920 3a7bd3e2...

that is: format version, kind, size of the whole file [byte], and the SHA-256 of this line up to
the size followed by everything after the user block: names, types, shapes, bytes of the arrays and
the meta data. It is checked before the HDF5 library sees the file, since the library may crash on
damaged input.

Inside, ``/arrays/<name>`` holds the arrays and ``/description`` a JSON text ``{"names": [...],
"meta": {...}}``.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from granum.errors import CheckpointError, InputError
from granum.output.atomic import hdf5_into, replacing, write_all

FORMAT_VERSION = 1
HEADER_SIZE = 512
HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"
HEADER = re.compile(
    rb"granum container (?P<version>\d+) (?P<kind>[a-z-]+) (?P<size>\d+) "
    rb"(?P<digest>[0-9a-f]{64})\n\0*"
)
NUMERIC_KINDS = "biufc"  # booleans, integers, floats, complex numbers


def write_container(
    path: Path, arrays: Mapping[str, NDArray[Any]], meta: Mapping[str, Any], kind: str
) -> None:
    """Write arrays and meta data to ``path``, all or nothing.

    Args:
        path: the file; replaced at the end, in one go.
        arrays: numeric arrays of any shape; a name may contain ``/`` to group them.
        meta: anything JSON can hold; floats keep every bit.
        kind: what the file is, such as ``"checkpoint"``: lower case letters and hyphens.

    Raises:
        InputError: a name, an array or the meta data cannot be stored.
        OutputError: the disk is full, or the folder cannot be written; the old file is untouched.
    """
    if re.fullmatch("[a-z-]+", kind) is None:
        message = f"the kind of a container must be lower case letters and hyphens, got {kind!r}"
        raise InputError(message)
    description = _describe(arrays, meta)
    with replacing(Path(path)) as raw:
        with hdf5_into(raw, user_block=HEADER_SIZE) as file:
            file["description"] = np.frombuffer(description, dtype=np.uint8)
            group = file.create_group("arrays")
            for name, values in arrays.items():
                group.create_dataset(name, data=values)
        size = raw.seek(0, io.SEEK_END)
        label = f"granum container {FORMAT_VERSION} {kind} {size}".encode()
        header = label + b" " + _digest(raw, label).encode() + b"\n"
        raw.seek(0)
        write_all(raw, header.ljust(HEADER_SIZE, b"\0"))


def read_container(path: Path, kind: str) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the arrays and the meta data of ``path``, bit for bit as they were written.

    Raises:
        CheckpointError: missing, truncated, damaged, not granum's, of another kind, or newer.
    """
    path = Path(path)
    try:
        with io.FileIO(path, "r") as raw:
            _check(path, raw, kind)
            raw.seek(0)
            with h5py.File(raw, "r") as file:
                description = json.loads(file["description"][()].tobytes())
                arrays = {name: _array(file["arrays"][name]) for name in description["names"]}
    except FileNotFoundError as error:
        message = f"{path}: there is no such file"
        raise CheckpointError(message) from error
    except OSError as error:
        message = f"{path}: cannot be read: {error.strerror or error}"
        raise CheckpointError(message) from error
    return arrays, description["meta"]


def _array(data: h5py.Dataset) -> NDArray[Any]:
    """Return an array of exactly the stored type; plain indexing makes scalars of some."""
    values = np.empty(data.shape, data.dtype)
    if values.size > 0:
        data.read_direct(values)
    return values


def _describe(arrays: Mapping[str, NDArray[Any]], meta: Mapping[str, Any]) -> bytes:
    """Return the JSON description, after a look at everything that could not be stored."""
    for name, values in arrays.items():
        parts = name.split("/")
        if any(part in ("", ".", "..") for part in parts) or "\0" in name:
            message = f"{name!r} is no name for an array: use words, grouped by single slashes"
            raise InputError(message)
        for count in range(1, len(parts)):
            if "/".join(parts[:count]) in arrays:
                message = f"{name!r} cannot be stored beside an array {'/'.join(parts[:count])!r}"
                raise InputError(message)
        if not isinstance(values, np.ndarray) or values.dtype.kind not in NUMERIC_KINDS:
            what = values.dtype if isinstance(values, np.ndarray) else type(values).__name__
            message = f"{name!r} must be an array of numbers, got {what}"
            raise InputError(message)
    try:
        text = json.dumps({"names": list(arrays), "meta": dict(meta)}, allow_nan=False)
    except (TypeError, ValueError) as error:
        message = f"the meta data cannot be stored as JSON: {error}"
        raise InputError(message) from error
    return text.encode()


def _digest(raw: io.FileIO, label: bytes) -> str:
    """Return the SHA-256 of ``label`` and of everything after the user block, in hexadecimal."""
    digest = hashlib.sha256(label)
    raw.seek(HEADER_SIZE)
    while block := raw.read(1 << 20):
        digest.update(block)
    return digest.hexdigest()


def _check(path: Path, raw: io.FileIO, kind: str) -> None:
    """Refuse a file that is not a whole, undamaged container of ``kind``."""
    header = raw.read(HEADER_SIZE) or b""
    size = raw.seek(0, io.SEEK_END)
    match = HEADER.fullmatch(header)
    if match is None:
        message = f"{path}: {_foreign(header)}"
        raise CheckpointError(message)
    label = header[: match.start("digest") - 1]
    wanted = int(match["size"])
    if int(match["version"]) > FORMAT_VERSION:
        message = (
            f"{path}: written by a newer granum (format {int(match['version'])}, this one reads "
            f"up to {FORMAT_VERSION}): update granum"
        )
    elif match["kind"].decode() != kind:
        message = f"{path}: this is a {match['kind'].decode()} file, not a {kind}"
    elif size != wanted:
        message = f"{path}: truncated, {size} bytes of {wanted}: use an older copy"
    elif _digest(raw, label) != match["digest"].decode():
        message = f"{path}: damaged, its contents do not match its digest: use an older copy"
    else:
        return
    raise CheckpointError(message)


def _foreign(header: bytes) -> str:
    """Say what a file without granum's header seems to be."""
    if not header:
        return "the file is empty"
    if header.startswith(b"granum"):
        return "truncated or damaged: its header is not whole; use an older copy"
    if header.startswith(HDF5_SIGNATURE):
        return "an HDF5 file, but not written by granum"
    return "not a file of granum (nor any HDF5 file)"
