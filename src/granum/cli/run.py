"""``granum run`` and ``granum resume``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from granum import __version__
from granum.branches import find_checkpoint
from granum.cli.compiling import (
    GEOMETRY,
    compile_geometry,
    compile_step,
    compiling,
    kernels_for,
)
from granum.cli.progress import duration_text, reporting, say
from granum.cli.source import find_scenario
from granum.errors import InputError, MissingExtraError
from granum.portrait import draw_run, plot_stages
from granum.quantity import Kind
from granum.run import (
    SCENARIO,
    Plan,
    Run,
    checkpoints,
    newest_simulation,
    refuse_no_run,
    refuse_taken,
    start_folder,
    write_json,
)
from granum.scenario import units
from granum.scenario.branching import branched, split_source
from granum.scenario.build import Scenario, plan_of, understand
from granum.scenario.overrides import override
from granum.scenario.problems import Document
from granum.scenario.reader import read_toml
from granum.scenario.wording import path_text
from granum.scenario.writer import to_toml
from granum.simulation import Simulation
from granum.studies import STUDIES, Origin, Study, origin_of

Threads = Annotated[int | None, typer.Option(help="Processor threads; all unless given. "
                                                  "Results do not depend on it.")]
Changes = Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE",
                    help="Change a key of the scenario, such as law.friction=0.3; for a study "
                         "also variant=NAME.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the summary as JSON, nothing else.")]
Quiet = Annotated[bool, typer.Option(help="Print nothing but errors.")]
INTERRUPTED = 130


def run(
    scenario: Annotated[str, typer.Argument(help="A scenario file, or a study by name.")],
    out: Annotated[Path | None, typer.Option(help="The run folder.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="The small size of a study.")] = False,
    threads: Threads = None,
    changes: Changes = None,
    source: Annotated[str | None, typer.Option("--from", metavar="FOLDER[@WHEN]", help=
                      "Go on from a checkpoint of another run: the newest, that of a time as in "
                      "runs/settled@0.5, or that of a name.")] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Run a scenario file, or a study by name."""
    console = Console(quiet=quiet or as_json)
    document, origin = find_scenario(scenario, quick, changes or [])
    folder = out or Path("runs") / (origin.study if origin else Path(scenario).stem)
    refuse_taken(folder)
    with compiling(console, *kernels_for(document)) as new:
        understood = understand(document)
        sim = understood.simulation(threads) if source is None else _branched(
            understood, source, threads)
        compile_step(sim)
        if GEOMETRY in new:
            compile_geometry(sim, understood.plan.fields)
    data = understood.as_understood()
    header = (origin.header() if origin else "") + _header(sim)
    start_folder(folder, header + to_toml(data), understood.mesh_copies(), sim if source else None)
    whole = "" if understood.plan.duration is None else f"{understood.plan.duration:g} s, "
    if understood.stages:
        whole += f"{len(understood.stages)} stages, "
    say(console, f"[bold]{escape(data.get('title') or scenario)}[/]: {len(sim.world)} grains, "
                  f"{whole}results in {escape(str(folder))}")
    for words in understood.plan.empty(sim.world, sim.time):
        say(console, f"[bold]warning:[/] {escape(words)}")
    _go(sim, understood.plan, folder, _study_of(origin), console, as_json, quiet)


def _branched(understood: Scenario, source: str, threads: int | None) -> Simulation:
    """Return the simulation of a scenario that goes on from ``FOLDER[@WHEN]``."""
    folder, when = split_source(source)
    at: float | str | None = when
    if when is not None and units.starts_as_number(when):
        at = units.parse(when, Kind("time", "s"))
    return branched(understood, folder, find_checkpoint(folder, at), threads)


def resume(
    folder: Annotated[Path, typer.Argument(help="The run folder.")],
    threads: Threads = None,
    changes: Changes = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Go on from the last checkpoint, bitwise as if never stopped."""
    console = Console(quiet=quiet or as_json)
    refuse_no_run(folder)
    document = override(read_toml(folder / SCENARIO), changes or [])
    _refuse_other_changes(document)
    plan = plan_of(document)
    with compiling(console, *kernels_for(document)) as new:
        if checkpoints(folder):
            sim = newest_simulation(folder, threads)
        else:  # killed at the very start
            sim = understand(read_toml(folder / SCENARIO)).simulation(threads)
        compile_step(sim)
        if GEOMETRY in new:
            compile_geometry(sim, plan.fields)
    study = _study_of(origin_of(document.text))
    whole = "" if plan.duration is None else f" of {sim.start[1] + plan.duration:g}"
    say(console, f"going on at t = {sim.time:g}{whole} s")
    _go(sim, plan, folder, study, console, as_json, quiet)


def _refuse_other_changes(document: Document) -> None:
    """Refuse to change the physics of a run that goes on; only its end and output may change."""
    for path in document.overridden:
        if path[:1] != ("output",) and path[:2] != ("run", "duration"):
            message = (f"--set {path_text(path)}: a run that goes on may change run.duration and "
                       "output only; for other physics start a new run")
            raise InputError(message)


def _go(sim: Simulation, plan: Plan, folder: Path, study: Study | None, console: Console,
        as_json: bool, quiet: bool) -> None:
    with reporting(console, quiet or as_json) as report:
        summary = Run(sim, plan, folder, report, __version__).go()
    if summary["state"] == "interrupted":
        _say(summary, as_json)
        say(console, f"Interrupted at t = {sim.time:g} s; everything is saved. "
                      f"Go on with:  granum resume {escape(str(folder))}")
        raise typer.Exit(INTERRUPTED)
    summary["found"] = _conclude(sim, folder, study)
    write_json(folder / "summary.json", summary)
    _say(summary, as_json)
    _tell(summary, folder, console)
    if study is not None:
        say(console, f"  {'beside the published':<20} granum report {escape(str(folder))}")


def _conclude(sim: Simulation, folder: Path, study: Study | None) -> dict[str, Any]:
    """Draw the pictures of a finished run; return what a study found."""
    if study is not None:
        return study.conclude(folder, sim.world)
    found = {"picture": str(draw_run(folder, sim.world, dimension=sim.world.dimension))}
    if sim.course is not None and sim.course.record:
        try:
            found["stages"] = str(plot_stages(folder, sim.course.record))
        except MissingExtraError as error:
            found["stages"] = str(error)
    return found


def _say(summary: dict[str, Any], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(summary))


def _tell(summary: dict[str, Any], folder: Path, console: Console) -> None:
    speed = summary["grain_steps_per_second"] / 1e6
    say(console, f"Done: {summary['steps']} steps in {duration_text(summary['seconds'])}, "
                  f"{speed:.2f} million grain-steps a second")
    for name, value in summary["found"].items():
        say(console, f"  {name.replace('_', ' '):<20} {escape(_shown(value))}")
    say(console, f"  {'frames for ParaView':<20} {escape(str(folder / 'frames.vtkhdf'))}")
    for words in summary.get("warnings", []):
        say(console, f"[bold]warning:[/] {escape(words)}")


def _header(sim: Simulation) -> str:
    """Return where a branch came from, as a comment ahead of its scenario."""
    return "# from: {run} {checkpoint}, state {state_sha256}\n".format(**sim.origin) if (
        sim.origin) else ""


def _shown(value: Any) -> str:
    """Return what was found as a person reads it: four digits, ``-`` for nothing."""
    if isinstance(value, list):
        return ", ".join(_shown(item) for item in value)
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _study_of(origin: Origin | None) -> Study | None:
    """Return the study that a run is of, if any."""
    return STUDIES.get(origin.study) if origin else None
