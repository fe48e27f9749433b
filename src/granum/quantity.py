"""Physical kinds of numbers, as annotations.

A field annotated with one of these is a plain SI ``float`` in Python; the scenario reader sees the
kind and accepts text such as ``"4 mm"`` there, and refuses a unit of another kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated


@dataclass(frozen=True)
class Kind:
    """What a number measures, and its SI unit as a user would write it."""

    name: str
    unit: str


Length = Annotated[float, Kind("length", "m")]
Time = Annotated[float, Kind("time", "s")]
Density = Annotated[float, Kind("density", "kg/m3")]
Speed = Annotated[float, Kind("speed", "m/s")]
Acceleration = Annotated[float, Kind("acceleration", "m/s2")]
AngularSpeed = Annotated[float, Kind("angular speed", "rad/s")]
Angle = Annotated[float, Kind("angle", "rad")]
Rate = Annotated[float, Kind("rate", "1/s")]
Pressure = Annotated[float, Kind("pressure", "Pa")]
Stiffness = Annotated[float, Kind("stiffness", "N/m")]
Force = Annotated[float, Kind("force", "N")]
Mass = Annotated[float, Kind("mass", "kg")]
Area = Annotated[float, Kind("area", "m2")]
Damping = Annotated[float, Kind("damping", "kg/s")]
MassRate = Annotated[float, Kind("mass rate", "kg/s")]
Volume = Annotated[float, Kind("volume", "m3")]
SurfaceTension = Annotated[float, Kind("surface tension", "N/m")]
SurfaceEnergy = Annotated[float, Kind("surface energy", "J/m2")]
Viscosity = Annotated[float, Kind("viscosity", "Pa s")]
DampingOfSpin = Annotated[float, Kind("damping of spin", "N m s")]
Number = Annotated[float, Kind("number", "")]

Point = tuple[Length, Length, Length]
Ball = tuple[Length, Length, Length, Length]
Direction = tuple[Number, Number, Number]
Velocity = tuple[Speed, Speed, Speed]
