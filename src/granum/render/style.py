"""What of a run is shown, from where and how; and the words of the command that repeat it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from granum import checks
from granum.checks import nearest
from granum.errors import InputError

VIEWS = {"front": (-90.0, 0.0), "side": (0.0, 0.0), "top": (-90.0, 90.0), "corner": (-60.0, 20.0)}
"""Azimuth from the x axis and elevation of the viewer [degree]."""
AXES = "xyz"
SMALLEST, LARGEST = 16, 8192  # of a picture [pixel]


@dataclass(frozen=True)
class Style:
    """How a run is drawn.

    Attributes:
        views: where the viewer stands, each a name of `VIEWS` or azimuth and elevation [degree] as
            in ``"-60,15"``; pictures of several views stand side by side. Unless given, a corner,
            and of a 2D world the top.
        size: width and height of one view [pixel], even numbers.
        colour: the quantity that colours grains, as on the page of a run; ``"none"``: one colour.
        map_name: the colour map.
        low: value of the first colour; that of the whole run unless given.
        high: value of the last colour.
        cut: ``"x"``, ``"y"`` or ``"z"``: cut the scene open there, through its middle or at a place
            [m] as in ``"y=0.01"``; what is on the viewer's side is not drawn.
        contacts: whether contacts are drawn as rods, and grains as glass around them.
        walls: whether walls are drawn.
        legend: whether the time and the scale of colours are.
    """

    views: tuple[str, ...] = ()
    size: tuple[int, int] = (960, 960)
    colour: str = "speed"
    map_name: str = "lagoon"
    low: float | None = None
    high: float | None = None
    cut: str = ""
    contacts: bool = False
    walls: bool = True
    legend: bool = True

    def __post_init__(self) -> None:
        """Refuse what cannot be drawn."""
        for side in self.size:
            checks.whole("size", side, at_least=SMALLEST)
            if side > LARGEST or side % 2:
                message = (f"the sides of a picture must be even and at most {LARGEST} pixels, got "
                           f"{side}")
                raise InputError(message)
        for view in self.views:
            view_angles(view)
        if self.cut:
            cut_place(self.cut)

    def words(self) -> list[str]:
        """Return the options that give this style, all of them."""
        given = [("--view", view) for view in self.views]
        given += [("--size", "{}x{}".format(*self.size)), ("--colour", self.colour),
                  ("--map", self.map_name)]
        limits = (("--low", self.low), ("--high", self.high))
        given += [(name, repr(value)) for name, value in limits if value is not None]
        given += [("--cut", self.cut)] if self.cut else []
        flags = [f"--{'' if shown else 'no-'}{name}"
                 for name, shown in (("contacts", self.contacts), ("walls", self.walls),
                                     ("legend", self.legend))]
        return [f"{name}={value}" for name, value in given] + flags

    def command(self, folder: Path, *more: str) -> str:
        """Return the command that draws a run in this style."""
        return shlex.join(["granum", "render", str(folder), *more, *self.words()])


def view_angles(view: str) -> tuple[float, float]:
    """Return azimuth and elevation [degree] of a view by name or by numbers."""
    if view in VIEWS:
        return VIEWS[view]
    try:
        azimuth, elevation = (float(part) for part in view.split(","))
    except ValueError as error:
        message = (f"a view is {', '.join(VIEWS)}, or azimuth and elevation in degrees as in "
                   f"-60,15; got {view!r}{nearest(view, VIEWS)}")
        raise InputError(message) from error
    return (checks.number("azimuth", azimuth, at_least=-360.0, at_most=360.0),
            checks.number("elevation", elevation, at_least=-90.0, at_most=90.0))


def cut_place(cut: str) -> tuple[int, float | None]:
    """Return the number of the axis of a cut, and where it is [m]; None: in the middle."""
    axis, _, place = cut.partition("=")
    try:
        where = float(place) if place else None
    except ValueError:
        axis = ""
    if axis not in tuple(AXES):
        message = f"a cut is an axis, or an axis and a place in metres as in y=0.01; got {cut!r}"
        raise InputError(message)
    return AXES.index(axis), where


def size_of(text: str) -> tuple[int, int]:
    """Return width and height from a text such as ``1280x720``."""
    width, _, height = text.partition("x")
    if not (width.isdecimal() and height.isdecimal()):
        message = f"a size is width and height in pixels as in 1280x720, got {text!r}"
        raise InputError(message)
    return int(width), int(height)
