"""Writing a picture as PNG with the standard library alone.

Format: ISO/IEC 15948 (W3C Recommendation "Portable Network Graphics", 2003): signature, header,
texts, one compressed block of rows, end. Every row is stored as its difference from the row above
(filter type 2), which compresses well for smooth pictures.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from granum.errors import InputError
from granum.output.atomic import replace_bytes

SIGNATURE = b"\x89PNG\r\n\x1a\n"
BIT_DEPTH, TRUE_COLOUR, FILTER_UP = 8, 2, 2


def write_png(path: Path, image: NDArray[np.uint8], texts: Mapping[str, str] | None = None) -> None:
    """Write ``image``, shape (height, width, 3), red green blue, top row first.

    ``texts`` stand in the file beside the picture, by names such as ``Comment``.
    """
    if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3 or image.size == 0:
        message = (f"a picture must be a uint8 array of shape (height, width, 3), got "
                   f"{image.dtype} {image.shape}")
        raise InputError(message)
    height, width, _ = image.shape
    rows = image.reshape(height, 3 * width)
    filtered = np.full((height, 1 + 3 * width), FILTER_UP, dtype=np.uint8)
    filtered[0, 1:] = rows[0]
    filtered[1:, 1:] = rows[1:] - rows[:-1]  # modulo 256, as the format wants it
    header = struct.pack(">IIBBBBB", width, height, BIT_DEPTH, TRUE_COLOUR, 0, 0, 0)
    told = b"".join(_chunk(b"iTXt", name.encode() + bytes(5) + text.encode())
                    for name, text in (texts or {}).items())
    content = (SIGNATURE + _chunk(b"IHDR", header) + told
               + _chunk(b"IDAT", zlib.compress(filtered.tobytes(), 6)) + _chunk(b"IEND", b""))
    replace_bytes(Path(path), content)


def _chunk(name: bytes, content: bytes) -> bytes:
    """Return one chunk: length, name, content and the checksum of name and content."""
    checksum = zlib.crc32(name + content)
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", checksum)
