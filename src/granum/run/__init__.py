"""A run is a folder that says everything.

    scenario.toml    the scenario as understood
    meshes/          copies of the files that it names, if any
    run.log          what happened, with versions
    series.csv       measures over time
    measures/        tables of measures with an interval of their own, and of profiles
    frames.vtkhdf    the grains over time, for ParaView
    checkpoints/     the last two states to go on from, and those at which stages began
    summary.json     the end: steps, speed, ``state_sha256``

Everything is sampled at whole numbers of steps counted from the start, or from the beginning of a
stage, so what is written never changes what is simulated, and a run that is cut and resumed writes
what an uncut one does.

``plan`` says what is written and when, ``folder`` where, and ``writing`` does it.
"""

from granum.run.folder import (
    CHECKPOINTS,
    LOG,
    SCENARIO,
    SERIES,
    SUMMARY,
    checkpoints,
    newest_simulation,
    refuse_no_run,
    refuse_taken,
    start_folder,
    write_json,
)
from granum.run.plan import Plan
from granum.run.writing import Progress, Run

__all__ = ["CHECKPOINTS", "LOG", "SCENARIO", "SERIES", "SUMMARY", "Plan", "Progress", "Run",
           "checkpoints", "newest_simulation", "refuse_no_run", "refuse_taken", "start_folder",
           "write_json"]
