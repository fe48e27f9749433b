"""Replacing a file so that, whatever happens, either the old or the new one is there, whole.

The new content goes to ``<name>.part`` beside the file, is synced to the disk and renamed over the
old one; the folder is synced too, so that the new name survives a power cut. A process killed on
the way leaves at most a ``.part`` file, which the next write to the same name overwrites.

HDF5 never touches the disk itself here: when the disk is full, the library cannot close its file
any more and the process crashes later, at a random place. It writes into a :class:`_Sink`, which
swallows the error, lets HDF5 finish in peace, and reports afterwards.
"""

from __future__ import annotations

import errno
import io
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import h5py

from granum.errors import OutputError

PART_SUFFIX = ".part"
FULL = (errno.ENOSPC, errno.EDQUOT)

# Compact, and still read by every HDF5 library since 1.10.
HDF5_FORMAT = ("v108", "v110")


def output_error(path: Path, error: OSError) -> OutputError:
    """Return the named error for an ``OSError`` met while writing ``path``."""
    if error.errno in FULL:
        reason = f"the disk is full (only {_free_space(path)} free). Make room, then go on"
    else:
        reason = error.strerror or str(error)
    return OutputError(f"cannot write {path}: {reason}. What was there before is unchanged.")


def _free_space(path: Path) -> str:
    try:
        free = shutil.disk_usage(path.parent).free
    except OSError:
        return "nothing"
    return f"{free / 1e6:.3g} MB"


def sync_folder(folder: Path) -> None:
    """Make new and removed names in ``folder`` durable (Windows does that by itself)."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def replacing(path: Path) -> Iterator[io.FileIO]:
    """Open a temporary file beside ``path``; leaving the block without error puts it in place.

    Raises:
        OutputError: it could not be written; ``path`` is what it was, the temporary is gone.
    """
    part = path.with_name(path.name + PART_SUFFIX)
    try:
        with io.FileIO(part, "w+") as raw:
            yield raw
            os.fsync(raw.fileno())
        part.replace(path)
        sync_folder(path.parent)
    except OutputError:  # it has its name already
        raise
    except OSError as error:
        raise output_error(path, error) from error
    finally:
        with suppress(OSError):  # it is no longer there if all went well
            part.unlink()


def replace_bytes(path: Path, content: bytes) -> None:
    """Make ``content`` the whole of the file ``path``, or leave the file as it was."""
    with replacing(path) as raw:
        write_all(raw, content)


def write_all(raw: io.FileIO, content: bytes | memoryview) -> None:
    """Write every byte; a plain write may stop half way and only then say why."""
    rest = memoryview(content)
    while len(rest) > 0:
        rest = rest[raw.write(rest):]


@contextmanager
def hdf5_into(raw: io.FileIO, user_block: int = 0) -> Iterator[h5py.File]:
    """Yield a new HDF5 file that is written into ``raw``, ``user_block`` free bytes ahead of it.

    Raises:
        OSError: the first error that writing met, after HDF5 has closed its file in good order.
    """
    sink = _Sink(raw)
    try:
        with h5py.File(sink, "w", libver=HDF5_FORMAT, userblock_size=user_block) as file:
            yield file
    except (OSError, RuntimeError) as error:
        if sink.error is not None:
            raise sink.error from error
        raise
    if sink.error is not None:
        raise sink.error


class _Sink:
    """A file for h5py that never fails: it remembers the first error and ignores what follows."""

    def __init__(self, raw: io.FileIO) -> None:
        self.raw = raw
        self.error: OSError | None = None

    def write(self, content: Any) -> int:
        data = memoryview(content)
        if self.error is None:
            try:
                write_all(self.raw, data)
            except OSError as error:
                self.error = error
        return data.nbytes

    def truncate(self, size: int) -> int:
        if self.error is None:
            try:
                return self.raw.truncate(size)
            except OSError as error:
                self.error = error
        return size

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self.raw.seek(offset, whence)

    def tell(self) -> int:
        return self.raw.tell()

    def read(self, size: int = -1) -> bytes | None:
        return self.raw.read(size)

    def readinto(self, buffer: Any) -> int | None:
        return self.raw.readinto(buffer)

    def flush(self) -> None:
        """Nothing is buffered: the bytes are written at once, and synced before the rename."""
