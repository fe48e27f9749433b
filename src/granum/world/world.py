"""The world: grains, walls, materials, gravity and the periodic cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from granum import checks
from granum.checks import FloatArray, IntArray
from granum.clusters import AnyCluster, Bonds, Glue, no_bonds
from granum.errors import InputError
from granum.shapes import AnyShape, Disc, RigidShape, Sphere
from granum.shapes.turning import product, random_turns, turned
from granum.walls import Wall
from granum.walls.moving import Drive, Motion
from granum.world.balls import ROUND, Balls, Joints, balls_of, joints_of, lab_arms
from granum.world.body import check_name
from granum.world.enclosure import Enclosure
from granum.world.grains import Grains, no_grains
from granum.world.gravity import Turn, turn_table
from granum.world.material import Material
from granum.world.place import (
    Clusters,
    Explicit,
    Grow,
    Lattice,
    Placed,
    Pour,
    Random,
    Sediment,
    Space,
    Voronoi,
)
from granum.world.place.space import check_periodic, wrap

Placing = Explicit | Grow | Lattice | Random | Sediment
STANDARD_GRAVITY = {2: (0.0, -9.81, 0.0), 3: (0.0, 0.0, -9.81)}


@dataclass(frozen=True)
class Stream:
    """Grains that are poured in while a simulation runs, and how many have come so far."""

    pour: Pour
    entry: int  # which placing of the world this is: part of the seed of its events
    material: int
    entered: int = 0
    shut: float | None = None  # since when no more come [s], until it is opened again


class Watcher(Protocol):
    """Whoever wants to be told of grains that come and go; must change nothing."""

    def entered(self, grains: Grains) -> None:
        """Hear of grains that have come into the world."""

    def leaving(self, grains: Grains, world: World) -> None:
        """Hear of grains that are about to leave the world."""


class World(Enclosure):
    """Everything that is simulated, at one moment.

    The state of the grains is plain arrays in the order of their ids (``world.position`` and so
    on); they may be read and changed freely between runs.

    Args:
        gravity: pull [m/s2]; downwards (y in 2D, z in 3D) at 9.81 unless given.
        dimension: 3, or 2 for discs in the plane z = 0.
        periodic: length of the periodic cell [0, L) in each direction [m]; None: not periodic.
        turns: when and how gravity turns.
        seed: of all random placing; the same seed gives the same bits.
        domain: corners beyond which a grain is lost [m]; around the walls unless given.
        leaving: what happens to a grain that leaves the domain: ``"stop"`` the run with an
            error, or ``"remove"`` the grain.
    """

    def __init__(
        self,
        gravity: Sequence[float] | None = None,
        *,
        dimension: int = 3,
        periodic: Sequence[float | None] = (None, None, None),
        turns: Sequence[Turn] = (),
        seed: int = 0,
        domain: tuple[Sequence[float], Sequence[float]] | None = None,
        leaving: Literal["stop", "remove"] = "stop",
    ) -> None:
        if dimension not in STANDARD_GRAVITY:
            message = f"dimension must be 2 or 3, got {dimension!r}"
            raise InputError(message)
        if leaving not in ("stop", "remove"):
            message = f"leaving must be 'stop' or 'remove', got {leaving!r}"
            raise InputError(message)
        cell = tuple(periodic) + (None,) * (3 - len(periodic))
        check_periodic(cell)  # type: ignore[arg-type]
        corners = None if domain is None else tuple(
            checks.vector(f"domain {end}", corner)
            for end, corner in zip(("low", "high"), domain, strict=True)
        )
        super().__init__(dimension, cell, corners)  # type: ignore[arg-type]
        pull = STANDARD_GRAVITY[dimension] if gravity is None else gravity
        self.gravity = self._vectors("gravity", pull)
        self.turns = tuple(turns)
        if dimension == 2 and any(turn.axis[0] or turn.axis[1] for turn in self.turns):
            message = "gravity of a 2D world can turn about z only: give turns axis = (0, 0, 1)"
            raise InputError(message)
        self.seed = checks.whole("seed", seed, at_least=0)
        self.leaving = leaving
        self.materials: list[Material] = []
        self.streams: list[Stream] = []
        self.grains: Grains = no_grains()
        self.shapes: list[RigidShape] = []  # of grains that are more than a sphere
        self.next_id = self.next_ball = 0
        self.placings = 0
        self.bonds: Bonds = no_bonds()  # those that hold
        self.glues: list[Glue] = []
        self.clusters = 0  # glued so far
        self.broken_bonds = 0
        self.watchers: WeakSet[Watcher] = WeakSet()  # told of grains that come and go

    # ---- what users see of the grains ------------------------------------------------------

    def __len__(self) -> int:
        """Return the number of grains."""
        return len(self.grains)

    def __repr__(self) -> str:
        """Return what is in the world, in one line."""
        return (f"<World {self.dimension}D: {len(self)} grains, {len(self.walls)} walls, "
                f"{len(self.streams)} streams>")

    def __getattr__(self, name: str) -> NDArray:
        """Return the array ``name`` of the grains, such as ``position``, in the order of ids."""
        if name in Grains.__dataclass_fields__:
            return getattr(self.grains, name)
        message = f"a World has no {name!r}"
        raise AttributeError(message)

    def __setattr__(self, name: str, value: Any) -> None:
        """Let ``world.velocity = array`` replace the state of the grains."""
        if name in Grains.__dataclass_fields__:
            getattr(self.grains, name)[...] = value
        else:
            super().__setattr__(name, value)

    # ---- putting things in, taking them out ------------------------------------------------

    def add(
        self,
        thing: Sphere | AnyShape | AnyCluster | Wall | Placing | Voronoi | Clusters | Pour
        | Material,
        at: Any = None,
        *,
        density: float | None = None,
        material: Material | None = None,
        velocity: Any = (0.0, 0.0, 0.0),
        spin: Any = (0.0, 0.0, 0.0),
        orientation: Any = None,
        name: str = "",
        moving: Motion | Drive | Sequence[Motion] | None = None,
    ) -> IntArray:
        """Add grains, clusters, a way of placing them, a stream, a wall, or a material for later.

        Args:
            thing: a shape or a cluster with points ``at``; a placing; a stream; a wall; or a
                material that the law speaks of and that grains or walls will be made of only later.
            at: centres of mass of the grains, (n,3), or (n,2) in a 2D world [m]; of a cluster as a
                whole, one or several. A cluster without stays where its points are.
            density: of the grains [kg/m3]; or give a material.
            material: of the grains, or of the wall; a wall without one counts, for each grain, as
                one of the grain's own material.
            velocity: one for all, or (n,3) [m/s].
            spin: one for all, or (n,3) [rad/s]; a cluster spins as a whole.
            orientation: unit quaternion (w, x, y, z), one for all or (n,4), by which shapes and
                whole clusters are turned; (1, 0, 0, 0) unless given, but at random for shapes that
                Random, Lattice, Sediment, Grow or Pour place.
            name: of a wall: what forces on it are told by. Walls of one name are one body: they
                move together.
            moving: how a wall moves, as in ``gr.Sine(...)``; several motions in a list add up.
                Still unless given here or for another wall of the same name.

        Returns:
            The ids of the new grains; for a wall its number.
        """
        if (name or moving is not None) and not isinstance(thing, Wall):
            message = f"name and moving are for walls, got them for {type(thing).__name__}"
            raise InputError(message)
        if isinstance(thing, Sphere | AnyShape):
            points = self._vectors("at", [] if at is None else at, many=True)
            return self._add_grains(thing, points, self._material(density, material), velocity,
                                    spin, orientation)
        if isinstance(thing, AnyCluster):
            return self._add_clusters(thing, at, self._material(density, material), velocity,
                                      spin, orientation)
        if isinstance(thing, Clusters):
            return self._place_clusters(thing, self._material(density, material))
        if isinstance(thing, Voronoi):
            return self._place_cells(thing, self._material(density, material), spin, orientation)
        if isinstance(thing, Placing | Pour):
            return self._place(thing, self._material(density, material), spin, orientation)
        if isinstance(thing, Wall):
            return self._add_wall(thing, density, material, name, moving)
        if isinstance(thing, Material):
            self._material(None, thing)
            return np.zeros(0, dtype=np.int64)
        message = f"cannot add {thing!r} to a world: give a shape, a placing or a wall"
        raise InputError(message)

    def remove(self, ids: Any) -> None:
        """Take grains out by their ids."""
        wanted = np.atleast_1d(np.asarray(ids, dtype=np.int64))
        missing = wanted[~np.isin(wanted, self.grains.id)]
        if missing.size:
            message = f"there is no grain with id {int(missing[0])} to remove"
            raise InputError(message)
        going = np.isin(self.grains.id, wanted)
        for watcher in self.watchers:
            watcher.leaving(self.grains.chosen(going), self)
        self.grains = self.grains.chosen(~going)
        if len(self.bonds):
            self.bonds = self.bonds.without(wanted)

    def pour(self, time: float, step: int) -> int:
        """Let the grains enter that are due at ``time`` [s] and find room; return how many."""
        before = len(self)
        for k, stream in enumerate(self.streams):
            due = stream.pour.due(time, self.unit_mass(stream), self.dimension)
            wanted = due - stream.entered
            if wanted <= 0 or stream.shut is not None:
                continue
            rng = np.random.default_rng([self.seed, stream.entry, step])
            points, radii = stream.pour.batch(wanted, stream.entered, rng, self.space(time))
            orientation = self._chance_orientation(stream.pour, len(points), rng)
            self._add_grains(stream.pour.body or self._shape(radii), points, stream.material,
                             stream.pour.velocity, (0.0, 0.0, 0.0), orientation, radii)
            self.streams[k] = replace(stream, entered=stream.entered + len(points))
        return len(self) - before

    # ---- geometry --------------------------------------------------------------------------

    def sizes(self) -> tuple[FloatArray, FloatArray]:
        """Return radii [m] and masses [kg] of all grains, those that are to be poured included.

        Those of a clump are the radii of its balls and the least mass that a contact may feel.
        """
        poured = np.array([stream.pour.sizes.smallest for stream in self.streams])
        density = np.array([self.materials[stream.material].density for stream in self.streams])
        mass = density * self._shape(poured).volume(poured)
        for k, stream in enumerate(self.streams):
            if stream.pour.body is not None:
                shape = stream.pour.body.settled(self.dimension).shape
                scale = poured[k] / shape.radius
                mass[k] = density[k] * shape.volume * scale**self.dimension / shape.lightness
                poured[k] = scale * min(shape.radii)
        balls, lightness = self.balls(), np.array([*(s.lightness for s in self.shapes), 1.0])
        present = (self.grains.mass / lightness[self.grains.shape])[balls.grain]
        return np.concatenate([balls.arm[:, 3], poured]), np.concatenate([present, mass])

    def unit_mass(self, stream: Stream) -> float:
        """Return the mass [kg] of a grain of the stream if its radius were 1 m."""
        density = self.materials[stream.material].density
        if stream.pour.body is not None:
            shape = stream.pour.body.settled(self.dimension).shape
            return float(density * shape.volume / shape.radius**self.dimension)
        return float(density * self._shape(np.ones(1)).volume(np.ones(1))[0])

    def balls(self) -> Balls:
        """Return the balls of all grains."""
        return balls_of(self.grains, self.shapes)

    def volumes(self) -> FloatArray:
        """Return the solid volume of each grain, (n,) [m3]; in 2D the area [m2]."""
        radius, number = self.grains.radius, self.grains.shape
        volume = self._shape(radius).volume(radius)
        for k, shape in enumerate(self.shapes):
            mine = number == k
            volume[mine] = shape.volume * (radius[mine] / shape.radius) ** self.dimension
        return volume

    def ball_velocities(self, balls: Balls) -> FloatArray:
        """Return the velocities of the centres of balls, (m,3) [m/s]."""
        grains = self.grains
        if not self.shapes:
            return grains.velocity
        return np.asarray(grains.velocity[balls.grain] + np.cross(
            grains.spin[balls.grain], lab_arms(balls, grains)))

    def ball_positions(self, balls: Balls) -> FloatArray:
        """Return the centres of balls, (m,3) [m]; inside the cell in periodic directions."""
        if not self.shapes:
            return self.grains.position
        return wrap(self.grains.position[balls.grain] + lab_arms(balls, self.grains), self.periodic)

    @property
    def has_edges(self) -> bool:
        """Whether balls of grains, those to be poured in included, are joined by edges."""
        poured = (stream.pour.body for stream in self.streams if stream.pour.body is not None)
        return any(shape.edges for shape in (
            *self.shapes, *(body.settled(self.dimension).shape for body in poured)))

    def joints(self) -> Joints:
        """Return what joins balls: the edges and faces of all grains, as they are drawn."""
        return joints_of(self.grains, self.shapes, self.dimension)

    def drawn_balls(self, balls: Balls) -> FloatArray:
        """Return the centres of balls for a picture, (m,3) [m]: grains with edges stay whole.

        The centre of mass of such a grain is inside the cell; a corner of it may stand beyond.
        """
        swept = np.array([*(bool(shape.edges) for shape in self.shapes), False])
        whole = swept[self.grains.shape[balls.grain]]
        points = self.ball_positions(balls)
        if not (whole.any() and any(self.periodic)):
            return points
        centres = wrap(self.grains.position, self.periodic)[balls.grain]
        return np.where(whole[:, None], centres + lab_arms(balls, self.grains), points)

    def turn_rows(self) -> FloatArray:
        """Return the turns of gravity as the array that kernels see, (t,6)."""
        return turn_table(self.turns)

    def space(self, time: float = 0.0) -> Space:
        """Return what placing needs to know: container, walls, and the grains that are there."""
        low, high = self.container(time)
        points, radii, ids = self._room_taken()
        return Space(self.dimension, low, high, self.fitting(time), points, radii, self.periodic,
                     ids, self.barriers(time))

    def _room_taken(self) -> tuple[FloatArray, FloatArray, IntArray]:
        """Return balls that hold all grains: centres [m], radii [m] and whose they are.

        A clump is its balls. A skeleton is more than its vertices, so it takes the whole sphere
        about its centre.
        """
        balls, grains = self.balls(), self.grains
        points, radii = self.ball_positions(balls), balls.arm[:, 3]
        swept = np.array([*(bool(shape.edges) for shape in self.shapes), False])
        if not swept.any():
            return points, radii, grains.id[balls.grain]
        whole, held = swept[grains.shape], ~swept[grains.shape[balls.grain]]
        return (np.concatenate([points[held], grains.position[whole]]),
                np.concatenate([radii[held], grains.radius[whole]]),
                np.concatenate([grains.id[balls.grain[held]], grains.id[whole]]))

    # ---- details ---------------------------------------------------------------------------

    def _vectors(self, name: str, value: Any, many: bool = False) -> FloatArray:
        """Return one vector or a list of them with three components; z is 0 in a 2D world."""
        result = np.asarray(value, dtype=np.float64)
        if many and result.size == 0:
            result = result.reshape(0, 3)
        if self.dimension == 2 and result.ndim and result.shape[-1] == 2:
            result = np.concatenate([result, np.zeros((*result.shape[:-1], 1))], axis=-1)
        result = checks.measured(name, result, (None, 3) if many else (3,))
        if self.dimension == 2 and (result[..., 2] != 0.0).any():
            message = f"{name} has a z component, but this world is 2D: grains stay in z = 0"
            raise InputError(message)
        return result

    def _shape(self, radii: FloatArray) -> Sphere:
        return Disc(radii) if self.dimension == 2 else Sphere(radii)

    def _material(self, density: float | None, material: Material | None) -> int:
        if (density is None) == (material is None):
            message = "give grains either a density or a material"
            raise InputError(message)
        if material is None:
            density = checks.positive("density", density)  # type: ignore[arg-type]
            material = Material(f"grains of {density:g} kg/m3", density)
        if not isinstance(material, Material):
            message = (f"material must be a Material, as in gr.Material('steel', 7800), "
                       f"got {material!r}")
            raise InputError(message)
        if material not in self.materials:
            self.materials.append(material)
        return self.materials.index(material)

    def _add_wall(self, wall: Wall, density: float | None, material: Material | None, name: str,
                  moving: Any) -> IntArray:
        if density is not None:
            message = "a wall has no density: give it a material, or nothing"
            raise InputError(message)
        number = -1 if material is None else self._material(None, material)
        if wall in self.walls and self.made_of.get(wall, -1) != number:
            message = f"this wall ({wall.describe()}) is there already, of another material"
            raise InputError(message)
        if wall in self.walls and (moving is not None or self.names.get(wall, "") != name):
            message = (f"this wall ({wall.describe()}) is there already: it cannot have another "
                       "name or motion")
            raise InputError(message)
        self._move_wall(wall, check_name(name) if name else "", moving)
        self.walls.append(wall)
        if number >= 0:
            self.made_of[wall] = number
        return np.array([len(self.walls) - 1])

    def _place(self, placing: Placing | Pour, material: int, spin: Any, orientation: Any
               ) -> IntArray:
        entry = self.placings
        self.placings += 1
        rng = np.random.default_rng([self.seed, entry])
        placed: Placed = placing.place(self.space(), rng)
        if isinstance(placing, Pour):
            self.streams.append(Stream(placing, entry, material))
        if orientation is None:
            orientation = placed.orientations
        if orientation is None:
            orientation = self._chance_orientation(placing, len(placed.points), rng)
        return self._add_grains(placing.body or self._shape(placed.radii), placed.points, material,
                                placed.velocities, spin, orientation, placed.radii)

    def _place_clusters(self, placing: Clusters, material: int) -> IntArray:
        entry = self.placings
        self.placings += 1
        rng = np.random.default_rng([self.seed, entry])
        poses = placing.arrange(self.space(), rng)
        return self._add_clusters(placing.cluster, poses.centres, material, placing.velocity,
                                  (0.0, 0.0, 0.0), poses.orientations)

    def _place_cells(self, placing: Voronoi, material: int, spin: Any, orientation: Any
                     ) -> IntArray:
        if orientation is not None:
            message = "orientation is not for Voronoi grains, which fit each other only as they are"
            raise InputError(message)
        entry = self.placings
        self.placings += 1
        cells = placing.divide(self.space(), np.random.default_rng([self.seed, entry]))
        spins = checks.measured("spin", self._spread(spin, placing.count), (placing.count, 3))
        return np.concatenate([
            self._add_grains(shape, centre[None], material, placing.velocity, one, None)
            for shape, centre, one in zip(cells.shapes, cells.centres, spins, strict=True)])

    def _add_clusters(self, cluster: AnyCluster, at: Any, material: int, velocity: Any, spin: Any,
                      orientation: Any) -> IntArray:
        """Add one copy of the cluster for each centre ``at``, and glue its spheres."""
        layout = cluster.layout()
        centres = self._vectors(
            "at", layout.centre if at is None else at, many=np.ndim(at) > 1).reshape(-1, 3)
        n, size = len(centres), len(layout.points)
        if self.dimension == 2 and np.ptp(layout.points[:, 2]) > 0.0:
            message = (f"this {type(cluster).__name__} is not flat, but the world is 2D: give a "
                       "Cluster whose points have z = 0")
            raise InputError(message)
        turns = self._turns_of("orientation", orientation, n)
        if self.dimension == 2 and turns[:, 1:3].any():
            message = "orientation turns a cluster out of the plane, but this world is 2D"
            raise InputError(message)
        velocities = self._vectors("velocity", self._spread(velocity, n), many=True)
        spins = checks.measured("spin", self._spread(spin, n), (n, 3))
        arms = turned(turns[:, None], layout.points)
        ids = self._add_grains(
            self._shape(np.tile(layout.radii, n)), (centres[:, None] + arms).reshape(-1, 3),
            material, (velocities[:, None] + np.cross(spins[:, None], arms)).reshape(-1, 3),
            np.repeat(spins, size, axis=0), np.repeat(turns, size, axis=0))
        self.cluster[-len(ids):] = np.repeat(np.arange(n) + self.clusters, size)
        self.clusters += n
        if cluster.glue not in self.glues:
            self.glues.append(cluster.glue)
        firsts = ids[::size, None]
        self.bonds = self.bonds.joined(Bonds(
            (firsts + layout.i).ravel(), (firsts + layout.j).ravel(), np.tile(layout.rest, n),
            np.full(n * len(layout.i), self.glues.index(cluster.glue), dtype=np.int64)))
        return ids

    def _turns_of(self, name: str, value: Any, n: int) -> FloatArray:
        """Return one unit quaternion for each of n things, (n,4)."""
        given = (1.0, 0.0, 0.0, 0.0) if value is None else value
        turns = checks.array(name, np.broadcast_to(given, (n, 4)), (n, 4))
        length = np.linalg.norm(turns, axis=1)
        if n and (np.abs(length - 1.0) > 1e-6).any():
            message = f"{name} must be a unit quaternion (w, x, y, z)"
            raise InputError(message)
        return np.asarray(turns / length[:, None])

    def _chance_orientation(self, placing: Placing | Pour, n: int, rng: np.random.Generator
                            ) -> FloatArray | None:
        """Return orientations at random, (n,4), if shapes are placed where chance has it."""
        if placing.body is None or isinstance(placing, Explicit):
            return None
        return random_turns(rng, n, self.dimension)

    def _shaped(self, shape: RigidShape, n: int, material: int, radii: FloatArray | None
                ) -> tuple[FloatArray, FloatArray, FloatArray, int]:
        """Return radius, mass and inertia of n grains, and the number of their shape."""
        if shape not in self.shapes:
            self.shapes.append(shape)
        radius = np.full(n, shape.radius) if radii is None else radii
        scale = radius / shape.radius
        mass = self.materials[material].density * shape.volume * scale**self.dimension
        inertia = (mass * scale**2)[:, None] * np.array(shape.gyration)
        return radius, mass, inertia, self.shapes.index(shape)

    def _spheres(self, shape: Sphere, n: int, material: int
                 ) -> tuple[FloatArray, FloatArray, FloatArray, int]:
        """Return the same for spheres."""
        if (self.dimension == 2) != isinstance(shape, Disc):
            message = (f"a {self.dimension}D world takes "
                       f"{'Disc' if self.dimension == 2 else 'Sphere'}, got {type(shape).__name__}")
            raise InputError(message)
        radius = shape.radii(n)
        mass = self.materials[material].density * shape.volume(radius)
        return radius, mass, shape.inertia(radius, mass), ROUND

    def _add_grains(self, shape: Sphere | AnyShape, points: FloatArray, material: int,
                    velocity: Any, spin: Any, orientation: Any, radii: FloatArray | None = None
                    ) -> IntArray:
        n, balls = len(points), 1
        turns = self._turns_of("orientation", orientation, n)
        spins = checks.measured("spin", self._spread(spin, n), (n, 3))
        if self.dimension == 2 and spins[:, :2].any():
            message = "spin has x or y components, but this world is 2D: discs turn about z only"
            raise InputError(message)
        settled = None if isinstance(shape, Sphere) else shape.settled(self.dimension)
        if settled is not None and len(settled.shape) > 1:
            if self.dimension == 2 and turns[:, 1:3].any():
                message = "orientation has x or y components, but in a 2D world grains turn about z"
                raise InputError(message)
            radius, mass, inertia, number = self._shaped(settled.shape, n, material, radii)
            turns = product(turns, settled.axes)
            balls = settled.shape.parts
        else:
            if settled is not None:
                shape = self._shape(np.full(n, settled.shape.radius) if radii is None else radii)
            assert isinstance(shape, Sphere)
            radius, mass, inertia, number = self._spheres(shape, n, material)
        ids = np.arange(self.next_id, self.next_id + n, dtype=np.int64)
        first_balls = self.next_ball + balls * np.arange(n, dtype=np.int64)
        self.next_id += n
        self.next_ball += balls * n
        new = Grains(
            id=ids,
            position=wrap(points, self.periodic),
            velocity=self._vectors("velocity", self._spread(velocity, n), many=True),
            acceleration=np.tile(self.gravity, (n, 1)),
            orientation=turns,
            spin=spins,
            spin_rate=np.zeros((n, 3)),
            radius=radius,
            mass=mass,
            inertia=inertia,
            material=np.full(n, material, dtype=np.int64),
            shape=np.full(n, number, dtype=np.int64),
            ball=first_balls,
            cluster=np.full(n, -1, dtype=np.int64),
        )
        self.grains = self.grains.joined(new)
        for watcher in self.watchers:
            watcher.entered(new)
        return ids

    @staticmethod
    def _spread(value: Any, n: int) -> FloatArray:
        """Return one vector for each of n grains."""
        given = np.asarray(value, dtype=np.float64)
        return np.tile(given, (n, 1)) if given.ndim == 1 else given
