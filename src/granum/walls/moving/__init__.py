"""How walls move: prescribed by a function of time, or driven by forces.

In come descriptors (`Linear`, `Sine`, `Tap`, `Rotation`, `Path`; `Piston`, `FreeBody`, `Servo`);
out goes a `MotionTable`, the arrays that kernels see, and `set_poses`, which says where each body
of walls is at a time and how it moves. Nothing here knows of grains: what their forces do to a body
that is driven is for the engine.

To add a prescribed motion, write its class in ``prescribed``, and its displacement and velocity as
a branch of `displacement` in ``pose``: a smooth function of time alone, so that runs may be cut
anywhere.
"""

from granum.walls.moving.driven import Drive, FreeBody, Piston, Servo
from granum.walls.moving.pose import (
    closest_moved,
    into_rest,
    moved,
    nearest_moved,
    set_poses,
    way_between,
)
from granum.walls.moving.prescribed import Linear, Motion, Path, Rotation, Sine, Tap
from granum.walls.moving.table import (
    POSE,
    STATE,
    MotionTable,
    make_motion_table,
)

MOTIONS: dict[str, type] = {
    "linear": Linear, "sine": Sine, "tap": Tap, "rotation": Rotation, "path": Path,
    "piston": Piston, "free_body": FreeBody, "servo": Servo,
}
"""All that walls can be moved by, as scenario files call them."""

__all__ = [
    "MOTIONS",
    "POSE",
    "STATE",
    "Drive",
    "FreeBody",
    "Linear",
    "Motion",
    "MotionTable",
    "Path",
    "Piston",
    "Rotation",
    "Servo",
    "Sine",
    "Tap",
    "closest_moved",
    "into_rest",
    "make_motion_table",
    "moved",
    "nearest_moved",
    "set_poses",
    "way_between",
]
