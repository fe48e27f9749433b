"""Where in its stages a simulation is, as plain data and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from granum.measures import Measure, Notebook, restored
from granum.output.describe import all_plain, from_plain, to_plain
from granum.stages import Course

PLACE = "course/"


def plain_course(course: Course) -> dict[str, Any]:
    """Return all of a course but what its measures remember."""
    return {"stages": all_plain(course.stages), "stop": to_plain(course.stop),
            "measures": all_plain(course.measures), "walls": list(course.walls),
            "columns": list(course.columns), "number": course.number,
            "began": list(course.began), "notes": list(course.notes),
            "stop_notes": list(course.stop_notes), "record": [dict(row) for row in course.record],
            "ended": course.ended, "failed": course.failed}


def course_arrays(course: Course) -> dict[str, NDArray]:
    """Return what the measures of a course remember."""
    return {PLACE + name: array for name, array in course.notebook.arrays().items()}


def restored_course(data: Mapping[str, Any], arrays: Mapping[str, NDArray]) -> Course:
    """Return the course that was kept as plain data and arrays."""
    described = {name: from_plain(data[name]) for name in ("stages", "stop", "measures")}
    course = Course(
        **described, walls=tuple(data["walls"]), columns=tuple(data["columns"]),
        number=data["number"], began=tuple(data["began"]), notes=tuple(data["notes"]),
        stop_notes=tuple(data["stop_notes"]), record=[dict(row) for row in data["record"]],
        ended=data["ended"], failed=data["failed"])
    course.notebook = notebook_at(PLACE, {m.title: m for m in course.measures}, arrays)
    return course


def notebook_at(place: str, measures: Mapping[str, Measure], arrays: Mapping[str, NDArray]
                ) -> Notebook:
    """Return what measures, by title, remember: of the arrays whose names begin with ``place``."""
    return restored(measures, {name.removeprefix(place): array for name, array in arrays.items()
                               if name.startswith(place)})
