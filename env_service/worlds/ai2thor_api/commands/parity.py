"""``houseguest parity``: whether two worlds behind AI2-THOR's controller API are alike."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from env_service.cli.command import CommandGroup
from env_service.cli.errors import PROBLEM, Interrupted, Misuse
from env_service.cli.options import (
    condition_option,
    json_option,
    print_json,
    size_option,
    split_names,
    whole_number,
)
from env_service.domain.text import counted
from env_service.storage.plain_files import MOST_GIVEN, read_plain
from env_service.worlds.ai2thor_api.commands.parity_recorded import (
    SUMMARY,
    recorded_command,
    without_rows,
)
from env_service.worlds.ai2thor_api.commands.simulator_fault import broken

if TYPE_CHECKING:
    from env_service.domain.action import Action
    from env_service.worlds.ai2thor_api.parity.agreement import AgreementLimits
    from env_service.worlds.ai2thor_api.parity.exploration import Exploration
    from env_service.worlds.ai2thor_api.parity.record_journal import Play, RecordJournal
    from env_service.worlds.ai2thor_api.parity.records import Record
    from env_service.worlds.ai2thor_api.parity.script_play import PlayOptions, Script, Side


# --- The options of ``houseguest parity``, and the request that they make

F = TypeVar("F", bound=Callable[..., Any])

SOURCES = ("scripts", "scenes", "suite")

DEFAULT_LENGTH = 100
"""Number of actions of a generated script."""

_BELONGING = {
    "--length": ("scenes",),
    "--size": ("scenes",),
    "--save-scripts": ("scenes",),
    "--no-play": ("scenes",),
    "--seed": ("scenes", "suite"),
    "--settle": ("scenes", "scripts"),
    "--task-set": ("suite",),
    "--tasks": ("suite",),
    "--limit": ("suite",),
    "--set": ("suite",),
    "--actions": ("suite",),
}
"""Options that mean something for these sources alone."""


def _file(name: str, text: str, *, exists: bool) -> Callable[[F], F]:
    return click.option(
        name, type=click.Path(dir_okay=False, exists=exists, path_type=Path), metavar="FILE",
        help=text,
    )  # fmt: skip


def _names(name: str, metavar: str, text: str) -> Callable[[F], F]:
    return click.option(
        name, multiple=True, metavar=metavar, help=text,
        callback=lambda _context, _parameter, given: split_names(given),
    )  # fmt: skip


def _numbers(_context: object, _parameter: object, given: tuple[str, ...]) -> dict[str, float]:
    found = {}
    for text in given:
        name, equals, value = text.rpartition("=")
        try:
            found[name.strip()] = float(value)
        except ValueError:
            raise click.BadParameter(f"{text!r} is not NAME=NUMBER.") from None
        if bool(equals) != bool(name.strip()):
            raise click.BadParameter(f"{text!r} is not NAME=NUMBER.")
    return found


_OPTIONS = (
    click.option("--left", default="household", show_default=True, metavar="WORLD",
                 help="The world under test, which also generates the scripts."),
    click.option("--right", default="ai2thor", show_default=True, metavar="WORLD",
                 help="The reference."),
    _file("--scripts", "Execute these scripts (JSON Lines).", exists=True),
    _names("--scenes", "NAME[,…]", "Generate a script for each scene: names, ranges such as"
    " FloorPlan1-5, shell patterns, kitchens, living-rooms, bedrooms, bathrooms, all."),
    whole_number("--seed", "Random seed of generated scripts, or of the tasks' run."),
    click.option("--length", type=click.IntRange(min=1), default=DEFAULT_LENGTH, show_default=True,
                 metavar="N", help="Number of actions of a generated script."),
    size_option("Size of the pictures of a generated script, in pixels."),
    _file("--save-scripts", "Also write the generated scripts to this file.", exists=False),
    click.option("--no-play", is_flag=True, help="Only generate scripts."),
    click.option("--suite", metavar="NAME", help="Compare on tasks of a suite that runs in both"
    " worlds."),
    click.option("--task-set", default="", metavar="NAME", help="Its task set.  [default: first]"),
    _names("--tasks", "PATTERN[,…]", "Task ids, groups, or shell patterns.  [default: all]"),
    whole_number("--limit", "The first N of these tasks; 0 for all."),
    condition_option,
    _file("--actions", "Use the actions in this file of `houseguest expert --out` instead of the"
    " expert's.",
          exists=True),
    click.option("--tolerance", "tolerances", multiple=True, metavar="NAME=NUMBER",
                 callback=_numbers, help="Change a tolerance, such as position=0.1 (metres) or"
                 " rotation=10 (degrees)."),
    click.option("--least", multiple=True, metavar="[NAME=]RATE", callback=_numbers,
                 help="Minimum rate of agreement, for all quantities or for one.  [default: 1]"),
    click.option("--settle", type=click.IntRange(0, 100), default=2, show_default=True, metavar="N",
                 help="Number of Pass actions after each action of a script, before the state is"
                 " read."),
    click.option("--pictures", is_flag=True, help="Also compare masks and colours."),
    click.option("--stop-at-divergence", is_flag=True,
                 help="End a script where the worlds diverge."),
    click.option("--out", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
                 help="Folder of the report; an interrupted comparison resumes from it."
                 "  [default: parity-LEFT-RIGHT]"),
    json_option,
)  # fmt: skip


def parity_options(command: F) -> F:
    """Adds all options of the comparison; `ParityRequest.read` reads them."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True)
class ParityRequest:
    """What is compared. ``given`` are all options by the names of their parameters."""

    left: str
    right: str
    source: str
    out: Path
    play_options: PlayOptions
    limits: AgreementLimits
    given: Mapping[str, Any]

    @staticmethod
    def read(context: click.Context, given: Mapping[str, Any]) -> ParityRequest:
        """Raises click.UsageError, UnknownNameError."""
        from env_service.domain.names import UnknownNameError
        from env_service.worlds.ai2thor_api.world_registry import thor_worlds

        left, right = given["left"], given["right"]
        for world in (left, right):
            if world not in thor_worlds():
                raise UnknownNameError("world", world, thor_worlds())
        source = _source(context, given)
        try:
            play_options, limits = _play_options(given), _limits(given["least"])
        except UnknownNameError:
            raise
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        out = given["out"] or Path(f"parity-{left}-{right}")
        return ParityRequest(left, right, source, out, play_options, limits, given)


def _source(context: click.Context, given: Mapping[str, Any]) -> str:
    named = [name for name in SOURCES if given[name]]
    if len(named) != 1:
        options = ", ".join(f"--{name}" for name in SOURCES)
        raise click.UsageError(f"Choose the source of the actions with one of {options}.")
    (source,) = named
    for option in _typed(context):
        whose = _BELONGING.get(option, SOURCES)
        if source not in whose:
            owners = " or ".join(f"--{name}" for name in whose)
            raise click.UsageError(f"{option} needs {owners}.")
    if given["no_play"] and not given["save_scripts"]:
        raise click.UsageError("--no-play needs --save-scripts.")
    return source


def _typed(context: click.Context) -> Iterator[str]:
    """The options that were given, even if with their default."""
    for parameter in context.command.params:
        where = context.get_parameter_source(parameter.name or "")
        if where is not click.core.ParameterSource.DEFAULT:
            yield parameter.opts[0]


def _play_options(given: Mapping[str, Any]) -> PlayOptions:
    from env_service.worlds.ai2thor_api.parity.script_play import PlayOptions
    from env_service.worlds.ai2thor_api.parity.tolerances import Tolerances

    return PlayOptions(
        Tolerances().changed(given["tolerances"]),
        given["settle"],
        pictures=given["pictures"],
        stop_at_divergence=given["stop_at_divergence"],
    )


def _limits(least: Mapping[str, float]) -> AgreementLimits:
    from env_service.worlds.ai2thor_api.parity.agreement import AgreementLimits

    return AgreementLimits(least.get("", 1.0), {name: rate for name, rate in least.items() if name})


# --- Where the actions of ``houseguest parity`` come from

SCRIPTS = "scripts.jsonl"
"""In the report's folder: the scripts that were made."""


def source_of(request: ParityRequest) -> dict[str, Any]:
    """What a report says of its source; records of equal sources belong together."""
    given = request.given
    if request.source == "scripts":
        return {"scripts": given["scripts"].name}
    if request.source == "scenes":
        exploration = _exploration(request)
        return {
            "made": {
                "seed": exploration.seed,
                "length": exploration.length,
                "size": list(given["size"]),
                "quality": exploration.start.quality,
                "initialization": dict(exploration.start.initialization),
            }
        }
    return _suite_source(request)


def plays_of(request: ParityRequest) -> list[Play]:
    """What is to be played, in order. Scripts that have to be made are made.

    Raises Misuse, Failure, and what suites raise for unknown names.
    """
    from env_service.worlds.ai2thor_api.floor_plans import share_floor_plans
    from env_service.worlds.ai2thor_api.parity.record_journal import script_play
    from env_service.worlds.ai2thor_api.parity.script_play import Side

    if request.source == "suite":
        return _tasks(request)
    share_floor_plans()
    sides = (Side.of(request.left), Side.of(request.right))
    scripts = _read(request.given["scripts"]) if request.source == "scripts" else made(request)
    return [script_play(script, sides, request.play_options) for script in scripts]


def made(request: ParityRequest) -> list[Script]:
    """The scripts for the scenes that were named: those of the report's folder where it has them,
    fresh ones else."""
    from env_service.cli.output import progress
    from env_service.worlds.ai2thor_api.capture.scene_capture import listed_scenes
    from env_service.worlds.ai2thor_api.floor_plans import share_floor_plans
    from env_service.worlds.ai2thor_api.parity.script_play import (
        ScriptError,
        Side,
        read_scripts,
        write_scripts,
    )
    from env_service.worlds.ai2thor_api.scene_selection import select_scenes

    share_floor_plans()
    exploration, side = _exploration(request), Side.of(request.left)
    kept, plays = request.out / SCRIPTS, not request.given["no_play"]
    try:
        scenes = select_scenes(
            request.given["scenes"], lambda: listed_scenes(side.name, exploration.start)
        )
        there = read_scripts(kept) if plays and kept.exists() else []
    except ScriptError as error:
        raise Misuse(f"{error}. Remove {request.out}, or choose another --out.") from None
    except ValueError as error:
        raise Misuse(str(error)) from None
    known = {script.scene: script for script in there}
    with progress("exploring", len(scenes)) as advance:
        for scene in scenes:
            if scene not in known:
                known[scene] = _explored(side, scene, exploration)
                if plays:
                    write_scripts(kept, known.values())
            advance()
    scripts = [known[scene] for scene in scenes]
    if request.given["save_scripts"]:
        write_scripts(request.given["save_scripts"], scripts)
    return scripts


def _explored(side: Side, scene: str, exploration: Exploration) -> Script:
    from env_service.domain.failure import WorldFault
    from env_service.worlds.ai2thor_api.errors import first_line
    from env_service.worlds.ai2thor_api.parity.record_journal import explored

    try:
        return explored(side, scene, exploration)
    except WorldFault as error:
        raise broken(side.name, error) from error
    except ValueError as error:
        problem = f"--scenes: {first_line(str(error))} List them: `houseguest scenes list --world"
        raise Misuse(f"{problem} {side.name}`.") from error


def _exploration(request: ParityRequest) -> Exploration:
    from env_service.worlds.ai2thor_api.controller import ThorStart
    from env_service.worlds.ai2thor_api.parity.exploration import ASGARD, Exploration

    width, height = request.given["size"]
    initialization = {**ASGARD, "renderInstanceSegmentation": request.play_options.pictures}
    start = ThorStart(width, height, "High", initialization)
    return Exploration(request.given["seed"], request.given["length"], start)


def _read(path: Path) -> list[Script]:
    from env_service.worlds.ai2thor_api.parity.script_play import ScriptError, read_scripts

    try:
        return read_scripts(path)
    except ScriptError as error:
        raise Misuse(str(error), kind="ScriptError") from None


def _suite_source(request: ParityRequest) -> dict[str, Any]:
    from env_service.cli.task_selection import TaskSelection
    from env_service.suites.selection import pick_world, settle_condition

    given = request.given
    chosen = TaskSelection.read(given)
    for world in (request.left, request.right):
        pick_world(chosen.suite, chosen.task_set.name, world)
    return {
        "suite": chosen.suite.name,
        "suite_version": chosen.suite.version,
        "task_set": chosen.task_set.name,
        "digest": chosen.digest,
        "condition": settle_condition(chosen.suite, given["condition"]),
        "seed": given["seed"],
        "actions": given["actions"].name if given["actions"] else "expert",
    }


def _tasks(request: ParityRequest) -> list[Play]:
    from env_service.cli.task_selection import TaskSelection
    from env_service.domain.observation import ObservationRequest
    from env_service.worlds.ai2thor_api.parity.record_journal import task_play
    from env_service.worlds.ai2thor_api.parity.task_play import TaskPlay

    given = request.given
    chosen = TaskSelection.read(given)
    orders = chosen.orders({**given, "world": request.left}, given["seed"])
    if not request.play_options.pictures:  # which are slow to draw
        orders = [replace(order, request=ObservationRequest()) for order in orders]
    known = _actions(given["actions"]) if given["actions"] else {}
    if given["actions"]:
        orders = [order for order in orders if order.task.id in known]
        if not orders:
            raise Misuse(f"{given['actions']} has actions for none of these tasks.")
    return [
        task_play(
            chosen.suite,
            TaskPlay(order, request.right, known.get(order.task.id)),
            request.play_options,
        )
        for order in orders
    ]


def _actions(path: Path) -> Mapping[str, tuple[Action, ...]]:
    """By task, from a file of `houseguest expert --out`."""
    from env_service.cli.expert_solutions import action_of

    found = {}
    for number, line in enumerate(read_plain(path, MOST_GIVEN).splitlines(), 1):
        try:
            value = json.loads(line)
            found[str(value["task"])] = tuple(map(action_of, value["actions"]))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Misuse(f"{path}, line {number} is not a line of an expert: {error}") from None
    return found


_EXAMPLES = """\b
Examples:
  houseguest parity --scenes FloorPlan1-5 --length 200
  houseguest parity --suite asgard --tasks 'coffee*'
  houseguest parity --right household --scenes household-kitchen-1
  houseguest parity --scripts kitchen.jsonl --least 0.95 --least visible=0.8
  houseguest parity show parity-household-ai2thor/parity-household-ai2thor.json.gz
  houseguest parity recorded sessions/

\b
Exit status: 0 the worlds agree; 1 they disagree, or a world failed twice; 2 wrong usage;
130 interrupted: run the same command to resume.
"""

_SHOW_EXAMPLES = """\b
Examples:
  houseguest parity show parity-household-ai2thor/parity-household-ai2thor.json.gz
  houseguest parity show report.json.gz --json
"""


@click.group(
    "parity",
    cls=CommandGroup,
    invoke_without_command=True,
    short_help="Play the same in two worlds and compare.",
    epilog=_EXAMPLES,
)
@parity_options
@click.pass_context
def parity_command(context: click.Context, /, *, as_json: bool, **given: Any) -> int:
    """Execute the same actions in two worlds, and report where they agree.

    The command compares the success, error and result of every action, and the state of all
    objects and of the agent after it. The report is one small file without pictures,
    parity-….json.gz, which you can send to the developers of a world; summary.md in the same
    folder is for reading.
    """
    if context.invoked_subcommand is not None:
        return 0
    request = ParityRequest.read(context, given)
    if given["no_play"]:
        return _made(request, as_json=as_json)
    return _compared(request, as_json=as_json)


@parity_command.command("show", short_help="Print a report again.", epilog=_SHOW_EXAMPLES)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@json_option
def show_command(*, file: Path, as_json: bool) -> int:
    """Print a report of `houseguest parity`; with --json without its rows."""
    from env_service.worlds.ai2thor_api.parity.markdown_report import summarise
    from env_service.worlds.ai2thor_api.parity.report import ReportError, read_report

    try:
        report = read_report(file)
    except ReportError as error:
        raise Misuse(str(error), kind="ReportError") from None
    if as_json:
        print_json(without_rows(report))
    else:
        click.echo(summarise(report), nl=False)
    return 0


parity_command.add_command(recorded_command)


def _made(request: ParityRequest, *, as_json: bool) -> int:

    scripts, file = made(request), request.given["save_scripts"]
    if as_json:
        print_json({"scripts": len(scripts), "file": str(file)})
    else:
        click.echo(f"{counted(len(scripts), 'script')}: {file}")
    return 0


def _compared(request: ParityRequest, *, as_json: bool) -> int:
    from env_service.storage.atomic_files import write_atomically
    from env_service.worlds.ai2thor_api.parity.markdown_report import summarise
    from env_service.worlds.ai2thor_api.parity.record_journal import JournalError, RecordJournal
    from env_service.worlds.ai2thor_api.parity.report import (
        ComparisonSetup,
        file_name,
        make_report,
        write_report,
    )
    from env_service.worlds.base import describe_world

    left, right = request.left, request.right
    facts = describe_world(left), describe_world(right)
    setup = ComparisonSetup(left, right, *facts, source_of(request), request.play_options)
    try:
        journal = RecordJournal(request.out, setup)
    except JournalError as error:
        raise Misuse(str(error), kind="JournalError") from None
    with journal:
        records = _played(request, journal)
    report = make_report(setup, records, request.limits)
    file, summary = request.out / file_name(left, right), summarise(report)
    write_report(file, report)
    write_atomically(request.out / SUMMARY, summary.encode())
    if as_json:
        print_json({**without_rows(report), "file": str(file)})
    else:
        click.echo(summary)
        verdict = "The worlds agree" if report["verdict"]["agrees"] else "The worlds disagree"
        click.echo(f"{verdict}. Report: {file}")
    return 0 if report["verdict"]["agrees"] else PROBLEM


def _played(request: ParityRequest, journal: RecordJournal) -> list[Record]:
    from env_service.cli.output import progress
    from env_service.worlds.ai2thor_api.parity.record_journal import play_all

    try:
        plays = plays_of(request)
        with progress("playing", len(plays)) as advance:
            return play_all(plays, journal, advance)
    except KeyboardInterrupt:
        raise Interrupted(
            f"Interrupted: {len(journal.known)} finished and kept in {request.out}; run the"
            " same command to resume."
        ) from None
