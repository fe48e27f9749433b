"""Stages of a simulation: when each ends, and what changes when the next one begins.

In: a world, a law, a time step, and a list of `Stage`. Out: the same, changed, at moments that
follow from the state alone. ``conditions`` tell when something has come to pass (at rest, jammed,
empty, steady, a column above or below a value), ``stage`` is what a user describes, ``change`` does
what a stage says to a world, ``course`` knows where in its stages a simulation is.

Conditions are asked at fixed numbers of steps, counted from the beginning of a stage; what they
keep in mind is part of the state. To add one, write its class in ``conditions`` with the methods of
`Condition`, and put its name into ``CONDITIONS``.
"""

from granum.stages.conditions import (
    CONDITIONS,
    AtRest,
    Compare,
    Condition,
    Empty,
    Jammed,
    Moment,
    Steady,
)
from granum.stages.course import LOOKS, Course, rehearse
from granum.stages.stage import Intervals, Stage

__all__ = ["CONDITIONS", "LOOKS", "AtRest", "Compare", "Condition", "Course", "Empty", "Intervals",
           "Jammed", "Moment", "Stage", "Steady", "rehearse"]
