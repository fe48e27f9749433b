"""Python in another process, with the same sources and other settings."""

import os
import subprocess
import sys
from pathlib import Path

import granum as gr

SOURCES = Path(gr.__file__).parents[1]
HERE = Path(__file__).parent


def in_other_process(*arguments, sources=SOURCES, **settings):
    """Run Python with ``arguments`` and these settings of the environment; return what it did."""
    search = os.pathsep.join([str(sources), str(HERE)])
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False,
                          env={**os.environ, **settings, "PYTHONPATH": search})


def output_of(*arguments, **settings):
    """Return what the other process printed; it must end well."""
    done = in_other_process(*arguments, **settings)
    assert done.returncode == 0, done.stderr
    return done.stdout
