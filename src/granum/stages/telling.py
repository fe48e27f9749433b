"""What people are told of a course: where it is, how far, what has ended and why."""

from __future__ import annotations

import math

from granum.stages.course import Course


def share_done(course: Course, time: float) -> float:
    """Return which share of its stages is done at ``time`` [s].

    That is a share of the time they take at most, or where a stage has no limit, of their number.
    """
    if course.ended:
        return 1.0
    if course.stage is None:
        return 0.0
    left = course.longest(time)
    passed = time - course.record[0]["began"] if course.record else 0.0
    if math.isfinite(left):
        return passed / (passed + left) if left > 0.0 else 1.0
    inside = min((time - course.began[1]) / course.stage.longest, 1.0)
    return (course.number + inside) / len(course.stages)


def stage_text(course: Course, time: float) -> str:
    """Return which stage it is at ``time`` [s], and how it ends; nothing after the last one."""
    if course.stage is None or course.ended:
        return ""
    stage, passed = course.stage, time - course.began[1]
    until = "" if stage.until is None else f", until {stage.until.describe()}"
    whole = "" if math.isinf(stage.longest) else (
        f" of {'at most ' if until else ''}{stage.longest:.4g}")
    return (f"stage {course.number + 1} of {len(course.stages)}, {stage.name}: {passed:.4g}"
            f"{whole} s{until}")


def news(course: Course, before: int) -> list[str]:
    """Return lines about the stages that have ended and begun since ``before`` had begun."""
    lines = [f"stage '{row['name']}' ended at t = {row['ended']:.6g} s, step {row['ended_step']}: "
             f"{row['why']}"
             for row in course.record[max(before - 1, 0):] if row["ended"] is not None]
    if course.ended:
        return [*lines, f"the end: {course.ended}"]
    return lines if course.stage is None else [*lines, f"stage {course.stage.describe()}"]
