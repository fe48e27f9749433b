"""Tables as Parquet, by pyarrow (the extra ``convert``): small, typed, quick to search."""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path

import numpy as np

from granum.convert.choice import Choice
from granum.convert.tables import Columns, chunks, units
from granum.errors import MissingExtraError
from granum.output.atomic import replacing

GROUP = 250_000  # rows that are compressed and searched together


def write_parquet(choice: Choice, path: Path) -> str:
    """Write the chosen table; the units of its columns stand in the schema, under ``units``.

    Raises:
        MissingExtraError: pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        package = "pyarrow"
        raise MissingExtraError(package, "convert") from error
    pieces = chunks(choice)
    first = next(pieces)
    schema = pa.schema([(name, pa.from_numpy_dtype(values.dtype))
                        for name, values in first.items()],
                       metadata={"units": json.dumps(units(first))})
    rows, waiting = 0, []
    with replacing(path) as raw, pq.ParquetWriter(raw, schema, compression="zstd") as writer:
        for piece in chain([first], pieces):
            waiting.append(piece)
            rows += len(piece["time"])
            if sum(len(piece["time"]) for piece in waiting) >= GROUP:
                writer.write_table(pa.table(_joined(waiting), schema=schema))
                waiting = []
        if waiting:
            writer.write_table(pa.table(_joined(waiting), schema=schema))
    return f"{rows} rows of {choice.table}"


def _joined(pieces: list[Columns]) -> Columns:
    return {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]}
