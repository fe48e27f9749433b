"""The run that all others are compared with."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from run_silo import SILO, command, cut


@pytest.fixture(scope="session")
def silo_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scenario") / "silo.toml"
    path.write_text(SILO)
    return path


@pytest.fixture(scope="session")
def uncut(silo_file: Path) -> Path:
    """The folder of a run in one go, on one thread."""
    folder = silo_file.with_name("uncut")
    command("run", silo_file, "--out", folder, "--threads", 1)
    return folder


@pytest.fixture(scope="session")
def interrupted(silo_file: Path) -> Path:
    """The folder of a run that was interrupted half way; not to be changed."""
    folder = silo_file.with_name("interrupted")
    cut(folder, 1734)
    return folder


@pytest.fixture
def half(interrupted: Path, tmp_path: Path) -> Path:
    """A copy of a run that was interrupted half way."""
    return shutil.copytree(interrupted, tmp_path / "half")
