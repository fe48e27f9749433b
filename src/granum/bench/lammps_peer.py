"""The same packing in LAMMPS, so that granum's speed can be compared with it in the same run.

LAMMPS runs in a process of its own (see `lammps_process`).

The law is the linear viscoelastic one, spring and dashpot in the normal and in the tangential
direction, with Coulomb friction. LAMMPS calls it ``gran/hooke/history``:

    F_n = k_n delta - m_eff gamma_n v_n,    F_t = -(k_t s + m_eff gamma_t v_t),  |F_t| <= mu F_n

(LAMMPS manual, pair_style gran/hooke/history), so that gamma = c / m_eff. Grains of one size follow
granum's law exactly. LAMMPS has one stiffness for all pairs, where granum's grows with m_eff: in a
mix all pairs get that of the two smallest grains, and only the speed can be compared.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from granum.bench.lammps_process import DATA, find, run_script
from granum.checks import FloatArray, array, number, positive
from granum.errors import InputError

WARM_UP_STEPS = 100
"""Steps before the timed ones: contacts get their history, caches and lists their warmth."""

# What suits LAMMPS best, measured on settled packings of 10 000 grains, one core:
# - skin: 0.03 to 0.05 smallest radii where nothing moves (0.2 costs 15 %), but 0.1 to 0.3 where a
#   few loose grains force a build every ten steps (0.05 costs 20 %). A skin s costs b s in each
#   step and R f s_0 / s in builds, f being their frequency at the skin s_0; b = 195 ns a grain and
#   radius, R = 670 ns a grain. The least cost is at s^2 = (R / b) f s_0, with f from the warm-up.
# - newton on or off makes no difference beyond noise; on is needed for reduce/multi;
# - the OpenMP variant of the law on one thread is no faster than the plain one;
# - one set of bins is best up to a size ratio of about 4; at 10 a set for each doubling of the
#   size, with as few ghosts as can be, is 20 to 60 % faster.
_LEAST_SKIN = 0.05
_BUILD_COST = 3.5  # R / b [radii]
_MULTI_FROM_SIZE_RATIO = 5.0

_TIMED, _FINAL = "granum: timed run", "granum: final state"


@dataclass(frozen=True, kw_only=True)
class PeerPacking:
    """Frictional spheres in a box, and the law between them.

    Stiffness and damping are those of two grains of the smallest size in touch; grain and floor
    follow the same law with the mass of one grain as effective mass.

    Args:
        positions: centres, shape (n, 3) [m].
        radii: shape (n,) [m].
        density: of the grains [kg/m3].
        low: lower corner of the box, shape (3,) [m].
        high: upper corner of the box, shape (3,) [m]; where not periodic, grains may pass it.
        periodic: for each direction.
        normal_stiffness: k_n [N/m].
        tangential_stiffness: k_t [N/m].
        normal_damping: c_n [kg/s].
        tangential_damping: c_t [kg/s].
        friction: Coulomb's coefficient mu.
        time_step: [s].
        gravity: shape (3,) [m/s2].
        floor: whether a frictional plane closes the box at z = ``low[2]``.
        velocities: shape (n, 3) [m/s]; at rest if not given.
    """

    positions: FloatArray
    radii: FloatArray
    density: float
    low: FloatArray
    high: FloatArray
    periodic: tuple[bool, bool, bool]
    normal_stiffness: float
    tangential_stiffness: float
    normal_damping: float
    tangential_damping: float
    friction: float
    time_step: float
    gravity: FloatArray
    floor: bool
    velocities: FloatArray | None = None

    def __post_init__(self) -> None:
        """Refuse by name what LAMMPS would refuse with less to go by, or silently misuse."""
        count = len(array("positions", self.positions, (None, 3)))
        shapes: dict[str, tuple[int, ...]] = {
            "positions": (count, 3), "radii": (count,), "low": (3,), "high": (3,), "gravity": (3,)}
        if self.velocities is not None:
            shapes["velocities"] = (count, 3)
        for name, shape in shapes.items():
            object.__setattr__(self, name, array(name, getattr(self, name), shape))
        for name in ("density", "normal_stiffness", "time_step"):
            positive(name, getattr(self, name))
        for name in ("tangential_stiffness", "normal_damping", "tangential_damping"):
            number(name, getattr(self, name), at_least=0.0)
        number("friction", self.friction, at_least=0.0, at_most=1e4)  # LAMMPS' own limits
        positive("the smallest of the radii", float(self.radii.min(initial=np.inf)))
        self._check_box()

    def _check_box(self) -> None:
        if not (self.low < self.high).all():
            message = f"low must be below high in every direction, got {self.low} and {self.high}"
            raise InputError(message)
        if self.floor and self.periodic[2]:
            message = "a packing on a floor cannot be periodic in z: set periodic[2] to False"
            raise InputError(message)
        if self.floor and self.tangential_damping > 0.0 and self.normal_damping == 0.0:
            message = ("the floor of LAMMPS takes its tangential damping as a share of the normal "
                       "one: with normal_damping 0, tangential_damping must be 0 too, "
                       f"got {self.tangential_damping:g} kg/s")
            raise InputError(message)
        outside = (self.positions < self.low) | (self.positions > self.high)
        lost = (outside & ~np.array(self.periodic)).any(axis=1)
        if lost.any():
            grain = int(np.argmax(lost))
            message = (f"the centre of grain {grain}, at {self.positions[grain]} m, is outside the "
                       f"box from {self.low} to {self.high} m: enlarge the box where not periodic")
            raise InputError(message)

    @property
    def effective_mass(self) -> float:
        """Effective mass of two of the smallest grains, m / 2 [kg]."""
        return float(self.density * 4.0 / 3.0 * math.pi * self.radii.min() ** 3 / 2.0)


@dataclass(frozen=True, kw_only=True)
class PeerResult:
    """How fast LAMMPS was, and the state it ended in, to check that it simulated the same.

    Args:
        version: LAMMPS' own name for its version.
        grain_count: number of grains.
        steps: timed steps; the final state comes after ``WARM_UP_STEPS`` more.
        loop_time: wall time of the timed steps, by LAMMPS' own clock [s].
        cpu_time: processor time of the timed steps [s]; the fairer one on a shared machine.
        contacts_per_grain: mean number of grains that a grain touches in the final state.
        translational_energy: kinetic energy of the centres in the final state [J].
        rotational_energy: kinetic energy of the spins in the final state [J].
        list_builds: how often LAMMPS rebuilt its neighbour list during the timed steps.
    """

    version: str
    grain_count: int
    steps: int
    loop_time: float
    cpu_time: float
    contacts_per_grain: float
    translational_energy: float
    rotational_energy: float
    list_builds: int

    @property
    def speed(self) -> float:
        """Grains times steps a second of wall time [1/s]."""
        return self.grain_count * self.steps / self.loop_time

    @property
    def cpu_speed(self) -> float:
        """Grains times steps a second of processor time [1/s]."""
        return self.grain_count * self.steps / self.cpu_time


def run_lammps(packing: PeerPacking, steps: int) -> PeerResult:
    """Simulate ``packing`` in LAMMPS on one core, in another process, and time it.

    Args:
        packing: where the grains are and how they touch.
        steps: number of timed steps, after ``WARM_UP_STEPS`` that are not timed.

    Raises:
        MissingExtraError: LAMMPS is not installed.
        GranumError: LAMMPS failed; the message ends with its last lines.
    """
    number("steps", steps, at_least=1)
    log = run_script(data_file(packing), input_script(packing, steps))
    return read_log(log, steps, len(packing.radii))


def input_script(packing: PeerPacking, steps: int) -> str:
    """Return the LAMMPS commands that warm up, time and measure ``packing``."""
    first_skin, skin = _skins(packing.radii)
    lines = [
        "units si",
        "atom_style sphere",
        "newton on",
        "boundary " + " ".join("p" if periodic else "m" for periodic in packing.periodic),
        "comm_modify vel yes",
        f"read_data {DATA}",
        _pair_command(packing),
        "pair_coeff * *",
        *_neighbour_commands(packing.radii, first_skin),
        f"timestep {packing.time_step:.17g}",
        "fix motion all nve/sphere",
    ]
    if packing.gravity.any():
        strength = float(np.linalg.norm(packing.gravity))
        lines.append(f"fix gravity all gravity {strength:.17g} vector "
                     + " ".join(f"{part / strength:.17g}" for part in packing.gravity))
    if packing.floor:
        lines.append(_floor_command(packing))
    lines += [
        "thermo_style custom step",
        "thermo 0",
        f"run {WARM_UP_STEPS}",
        *_neighbour_commands(packing.radii, skin),
        f'print "{_TIMED}"',
        f"run {steps}",
        f'print "{_FINAL}"',
        "compute touching all contact/atom",
        "compute contacts all reduce sum c_touching",
        "compute translation all ke",
        "compute rotation all erotate/sphere",
        "thermo_style custom step c_contacts c_translation c_rotation",
        "run 0 post no",  # computes can be read only after a run that knew them
    ]
    lines += [f'print "granum {name} $(c_{name}:%.17g)"'
              for name in ("contacts", "translation", "rotation")]
    return "\n".join(lines) + "\n"


def data_file(packing: PeerPacking) -> str:
    """Return the grains and the box as a LAMMPS data file (atom style sphere)."""
    count = len(packing.radii)
    lines = ["packing", "", f"{count} atoms", "1 atom types"]
    lines += [f"{packing.low[k]:.17g} {packing.high[k]:.17g} {axis}lo {axis}hi"
              for k, axis in enumerate("xyz")]
    lines += ["", "Atoms # sphere", ""]
    for k, ((x, y, z), radius) in enumerate(zip(packing.positions, packing.radii, strict=True), 1):
        lines.append(f"{k} 1 {2.0 * radius:.17g} {packing.density:.17g} {x:.17g} {y:.17g} {z:.17g}")
    if packing.velocities is not None:
        lines += ["", "Velocities", ""]
        lines += [f"{k} {u:.17g} {v:.17g} {w:.17g} 0 0 0"
                  for k, (u, v, w) in enumerate(packing.velocities, 1)]
    return "\n".join(lines) + "\n"


def read_log(text: str, steps: int, grain_count: int) -> PeerResult:
    """Read what LAMMPS wrote while it ran :func:`input_script`."""
    _, _, rest = text.partition(f"\n{_TIMED}\n")
    timed, _, final = rest.partition(f"\n{_FINAL}\n")
    loop_time = float(find(r"^Loop time of (\S+) on", timed))
    cpu_share = float(find(r"^([\d.]+)% CPU use", timed)) / 100.0
    return PeerResult(
        version=find(r"^LAMMPS \(([^)]+)\)", text),
        grain_count=grain_count,
        steps=steps,
        loop_time=loop_time,
        cpu_time=loop_time * cpu_share,
        contacts_per_grain=float(find(r"^granum contacts (\S+)", final)) / grain_count,
        translational_energy=float(find(r"^granum translation (\S+)", final)),
        rotational_energy=float(find(r"^granum rotation (\S+)", final)),
        list_builds=int(find(r"^Neighbor list builds = (\d+)", timed)),
    )


def _pair_command(packing: PeerPacking) -> str:
    """Return the law between grains: k_n, k_t, gamma_n, gamma_t, mu, and 1 for gamma_t in use."""
    m_eff = packing.effective_mass
    values = (packing.normal_stiffness, packing.tangential_stiffness,
              packing.normal_damping / m_eff, packing.tangential_damping / m_eff, packing.friction)
    return "pair_style gran/hooke/history " + " ".join(f"{value:.17g}" for value in values) + " 1"


def _floor_command(packing: PeerPacking) -> str:
    """Return the same law between grain and floor, in LAMMPS' newer words for it.

    The floor called ``hooke/history`` would be the obvious choice, but it has no tangential spring
    (LAMMPS of July 2025: a grain leaves it with its slip damped, not reversed). A grain on a wall
    has m_eff = m, twice that of two grains, and so twice the stiffness; the gammas stay the same.
    """
    gamma_n = packing.normal_damping / packing.effective_mass
    share = packing.tangential_damping / packing.normal_damping if packing.normal_damping else 0.0
    return (f"fix floor all wall/gran granular hooke {2.0 * packing.normal_stiffness:.17g} "
            f"{gamma_n:.17g} damping mass_velocity tangential linear_history "
            f"{2.0 * packing.tangential_stiffness:.17g} {share:.17g} {packing.friction:.17g} "
            f"zplane {packing.low[2]:.17g} NULL")


def _skins(radii: FloatArray) -> tuple[str, str]:
    """Return the skin of the warm-up [m], and a formula in its number of builds for the rest."""
    least = f"{_LEAST_SKIN * radii.min():.17g}"
    growth = _BUILD_COST / (_LEAST_SKIN * WARM_UP_STEPS)
    return least, f"$({least}*sqrt(1.0+{growth:.17g}*nbuild):%.17g)"


def _neighbour_commands(radii: FloatArray, skin: str) -> list[str]:
    """Return the commands for the neighbour list; a new skin needs all of them again."""
    check = "neigh_modify every 1 delay 0 check yes"
    ratio = float(radii.max() / radii.min())
    if ratio < _MULTI_FROM_SIZE_RATIO:
        return [f"neighbor {skin} bin", check]
    limits = _class_limits(radii)
    # At most about 3.6 (1 + ratio)^2 small spheres fit around a large one.
    most = max(2000, int(5.0 * (1.0 + ratio) ** 2))
    return [
        f"neighbor {skin} multi",
        f"{check} one {most} page {max(100_000, 10 * most)}",
        f"neigh_modify collection/interval {len(limits)} "
        + " ".join(f"{limit:.17g}" for limit in limits),
        "comm_modify mode multi reduce/multi",
    ]


def _class_limits(radii: FloatArray) -> FloatArray:
    """Return the largest diameter of each class of sizes [m]; a class spans a doubling."""
    diameters = 2.0 * radii
    doublings = np.floor(np.log2(diameters / diameters.min()))
    return np.array([diameters[doublings == k].max() for k in np.unique(doublings)])
