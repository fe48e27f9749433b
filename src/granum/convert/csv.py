"""Tables as CSV: names in the first line, floats with all their digits."""

from __future__ import annotations

from pathlib import Path

from granum.convert.choice import Choice
from granum.convert.tables import chunks
from granum.output.atomic import replacing, write_all


def write_csv(choice: Choice, path: Path) -> str:
    """Write the chosen table; every float reads back to the same bits."""
    rows = 0
    with replacing(path) as raw:
        for columns in chunks(choice):
            if rows == 0 and raw.tell() == 0:
                write_all(raw, (",".join(columns) + "\n").encode())
            lists = [values.tolist() for values in columns.values()]
            lines = [",".join(map(repr, row)) + "\n" for row in zip(*lists, strict=True)]
            write_all(raw, "".join(lines).encode())
            rows += len(lines)
    return f"{rows} rows of {choice.table}"
