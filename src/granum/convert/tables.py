"""Tables of a run: grains, contacts or the series, as columns with names and units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from granum.convert.choice import Choice
from granum.errors import InputError
from granum.measures.columns import unit_of
from granum.output.frame_contacts import COLUMNS as CONTACT_COLUMNS
from granum.output.vtkhdf import Frame
from granum.view.quantities import AXES, KNOWN

Columns = dict[str, NDArray[Any]]


def chunks(choice: Choice) -> Iterator[Columns]:
    """Read the chosen table, a frame at a time; all chunks have the same columns.

    Raises:
        InputError: the frames hold no contacts.
    """
    if choice.table == "series":
        yield dict(choice.record.series())
        return
    for number in choice.numbers():
        yield _contacts(choice, number) if choice.table == "contacts" else grain_columns(
            choice.frame(number))


def grain_columns(frame: Frame) -> Columns:
    """Return one row for each row of a frame: time, id, place, radius, and every other field."""
    fields = dict(frame.fields)
    count = len(frame.points)
    found: Columns = {"time": np.full(count, frame.time)}
    if "id" in fields:
        found["id"] = fields.pop("id")
    found |= _spread({"position": frame.points}, whole="")
    if "radius" in fields:
        found["radius"] = fields.pop("radius")
    order = [name for name in KNOWN if name in fields]
    rest = sorted(fields.keys() - set(order))
    return found | _spread({name: fields[name] for name in (*order, *rest)})


def units(names: Mapping[str, Any]) -> dict[str, str]:
    """Return the units of columns, by name; those without one are left out."""
    known = {f"{source}_{axis}": unit for source, (_, unit, _) in KNOWN.items() for axis in "xyz"}
    known |= {"radius": "m", "force": "N"}
    told = {name: known.get(name) or unit_of(name) for name in names}
    return {name: unit for name, unit in told.items() if unit}


def _contacts(choice: Choice, number: int) -> Columns:
    contacts = choice.record.contacts(number)
    if contacts is None:
        message = (f"the frames of {choice.record.folder} hold no contacts: they do with "
                   "output.contacts = true in the scenario")
        raise InputError(message)
    time = np.full(len(contacts["i"]), choice.record.frame(number).time)
    places = {"position" if name == "point" else name: contacts[name] for name in CONTACT_COLUMNS}
    point = places.pop("position")
    return {"time": time, "i": places.pop("i"), "j": places.pop("j"),
            **_spread({"position": point}, whole=""), **_spread(places)}


def _spread(fields: Mapping[str, NDArray[Any]], whole: str | None = None) -> Columns:
    """Return vectors as a column for each component: ``velocity_x``; ``whole`` renames them."""
    found = {}
    for name, values in fields.items():
        if values.ndim == 1:
            found[name] = values
            continue
        width = values.shape[1]
        head = f"{name}_" if whole is None else whole
        axes = AXES.get(width, [str(k + 1) for k in range(width)])
        found.update({f"{head}{axis}": values[:, k] for k, axis in enumerate(axes)})
    return found
