"""``houseguest scenes``: scenes of a live simulator, captured, listed and shown."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing, nullcontext
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from env_service.cli.command import CommandGroup
from env_service.cli.errors import PROBLEM, Interrupted, Misuse
from env_service.cli.options import json_option, print_json, size_option, split_names
from env_service.plugins import Group, installed
from env_service.worlds.ai2thor_api.commands.simulator_fault import broken

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from env_service.worlds.ai2thor_api.capture.folder import Captured
    from env_service.worlds.ai2thor_api.capture.procthor_houses import HouseFile
    from env_service.worlds.ai2thor_api.capture.scene_capture import Summary
    from env_service.worlds.ai2thor_api.capture.sidecar import CaptureRequest, Subject
    from env_service.worlds.ai2thor_api.controller import ThorStart


# --- How scenes are captured: options that commands of ``houseguest scenes`` share

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class CaptureOptions:
    """How many pictures are taken of each scene, of how many pixels, and how wide they look:
    ``field_of_view`` is vertical, degrees."""

    frames: int
    size: tuple[int, int]
    field_of_view: float
    quality: str

    def start(self) -> ThorStart:
        """How the simulator is to be started. Raises ValueError."""
        from env_service.worlds.ai2thor_api.controller import ThorStart

        initialization = {
            "gridSize": 0.25,
            "snapToGrid": False,
            "fieldOfView": self.field_of_view,
            "renderInstanceSegmentation": self.frames > 0,
        }
        width, height = self.size
        return ThorStart(width, height, self.quality, initialization)

    def request(self, world: str) -> CaptureRequest:
        """What every scene is asked for. Raises ValueError."""
        from env_service.worlds.ai2thor_api.capture.sidecar import CaptureRequest

        return CaptureRequest(world, self.start(), self.frames)


def world_option(command: F) -> F:
    """Adds ``--world``; the command's parameter is ``world: str``."""
    return click.option(
        "--world", type=click.Choice(list(installed(Group.WORLDS))), default="ai2thor",
        show_default=True, help="The simulator.",
    )(command)  # fmt: skip


def look_options(command: F) -> F:
    """Adds ``--frames``, ``--size``, ``--field-of-view`` and ``--quality``; the command's
    parameter is ``look: CaptureOptions``."""

    @wraps(command)
    def with_look(
        *args: Any,
        frames: int,
        size: tuple[int, int],
        field_of_view: float,
        quality: str,
        **others: Any,
    ) -> Any:
        return command(*args, look=CaptureOptions(frames, size, field_of_view, quality), **others)

    decorated: Any = with_look
    for option in (
        click.option(
            "--quality", default="Ultra", show_default=True, metavar="NAME",
            help="AI2-THOR's render quality.",
        ),
        click.option(
            "--field-of-view", default=90.0, show_default=True, metavar="DEGREES",
            type=click.FloatRange(1.0, 179.0), help="Vertical field of view.",
        ),
        size_option("Size of a picture in pixels: its side, or width x height."),
        click.option(
            "--frames", default=5, show_default=True, metavar="N", type=click.IntRange(0, 100),
            help="Number of pictures of each scene: from the start, then from far corners.",
        ),
    ):  # fmt: skip
        decorated = option(decorated)
    result: F = decorated
    return result


# --- ``houseguest scenes capture``

_EPILOG = """\b
Examples:
  houseguest scenes capture --scenes FloorPlan1-30 --out captured
  houseguest scenes capture --scenes kitchens,FloorPlan201-205 --out captured --frames 0
  houseguest scenes capture --houses train.jsonl.gz --scenes 0-99 --out captured

\b
Exit status: 0 every scene was captured; 1 some were not; 2 wrong usage; 130 interrupted.
"""


@click.command("capture", short_help="Write scenes to a folder.", epilog=_EPILOG)
@world_option
@click.option(
    "--scenes", "wanted", multiple=True, metavar="NAME[,…]",
    callback=lambda _context, _parameter, given: split_names(given),
    help="Names, ranges such as FloorPlan1-30, shell patterns, kitchens, living-rooms, bedrooms,"
    " bathrooms, all; with --houses: indices, ranges such as 0-99, names.",
)  # fmt: skip
@click.option(
    "--houses", metavar="FILE", type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="ProcTHOR houses, one a line (.jsonl, .jsonl.gz): capture these.  [default scenes: all]",
)  # fmt: skip
@click.option(
    "--out", required=True, metavar="DIR", type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the scenes; finished scenes in it stay untouched.",
)  # fmt: skip
@look_options
@click.option("--fresh", is_flag=True, help="Capture finished scenes again.")
@json_option
def capture_command(  # noqa: PLR0913 - one parameter an option
    *,
    world: str,
    wanted: tuple[str, ...],
    houses: Path | None,
    out: Path,
    look: CaptureOptions,
    fresh: bool,
    as_json: bool,
) -> int:
    """Capture scenes of a running simulator in the household world's format.

    For each scene, the command writes all objects in AI2-THOR's metadata, the agent's start,
    every point that the agent can reach, and pictures from a few poses. It restarts a simulator
    that fails. You can stop the command at any time; run it again to resume.
    """
    from env_service.cli.output import progress
    from env_service.domain.failure import WorldFault
    from env_service.worlds.ai2thor_api.capture.folder import CaptureFolder
    from env_service.worlds.ai2thor_api.capture.scene_capture import SceneCapture
    from env_service.worlds.ai2thor_api.floor_plans import share_floor_plans

    if not wanted and houses is None:
        raise Misuse("Name the scenes, as in --scenes FloorPlan1-30, or a file of --houses")
    share_floor_plans()
    folder = CaptureFolder(out)
    try:
        with _opened(houses) as file, folder.held():
            subjects = _subjects(wanted, file, world, look)
            with (
                progress("capturing", len(subjects)) as advance,
                SceneCapture(look.request(world), folder) as recorder,
            ):
                summary = recorder.run(subjects, fresh=fresh, done=advance)
    except KeyboardInterrupt:
        raise Interrupted(
            f"Interrupted: finished scenes are in {out}; run the same command to resume"
        ) from None
    except WorldFault as fault:
        raise broken(world, fault) from None
    except ValueError as error:
        raise Misuse(str(error)) from None
    _tell(out, summary, as_json=as_json)
    return PROBLEM if summary.lost else 0


def _opened(houses: Path | None) -> AbstractContextManager[HouseFile | None]:
    from env_service.worlds.ai2thor_api.capture.procthor_houses import HouseFile

    return nullcontext() if houses is None else closing(HouseFile(houses))


def _subjects(
    wanted: Sequence[str], houses: HouseFile | None, world: str, look: CaptureOptions
) -> tuple[Subject, ...]:
    from env_service.worlds.ai2thor_api.capture.scene_capture import listed_scenes
    from env_service.worlds.ai2thor_api.capture.sidecar import Subject
    from env_service.worlds.ai2thor_api.scene_selection import select_scenes

    if houses is not None:
        return houses.select(wanted)
    listed: Callable[[], list[str]] = lambda: listed_scenes(world, look.start())  # noqa: E731
    return tuple(Subject(name) for name in select_scenes(wanted, listed))


def _tell(out: Path, summary: Summary, *, as_json: bool) -> None:
    if as_json:
        lost = [{"scene": e.scene, "kind": e.kind, "reason": e.reason} for e in summary.lost]
        print_json(
            {
                "folder": str(out),
                "captured": summary.captured,
                "skipped": summary.skipped,
                "failed": lost,
            }
        )
        return
    there = f"{len(summary.skipped)} were there already" if summary.skipped else ""
    parts = [f"{len(summary.captured)} captured", there]
    click.echo(f"{', '.join(filter(None, parts))}: {out}")
    for each in summary.lost:
        click.echo(f"not captured: {each.scene}: {each.kind}: {each.reason}", err=True)


# --- ``houseguest scenes list`` and ``houseguest scenes show``

_LIST_EPILOG = """\b
Examples:
  houseguest scenes list
  houseguest scenes list --world household 'household-kitchen-*'

\b
Exit status: 0 success; 1 the simulator cannot be started; 2 no scene matches PATTERN.
"""
_SHOW_EPILOG = """\b
Examples:
  houseguest scenes show captured
  houseguest scenes show captured --json

\b
Exit status: 0 no scene has changed; 1 one has.
"""


@click.command("list", short_help="List the scenes of a simulator.", epilog=_LIST_EPILOG)
@world_option
@click.argument("pattern", default="*")
@json_option
def list_command(*, world: str, pattern: str, as_json: bool) -> None:
    """List the scenes of a simulator, all or those that match a shell PATTERN.

    The command starts the simulator. The household world has more rooms than it lists.
    """
    from env_service.domain.failure import WorldFault
    from env_service.worlds.ai2thor_api.capture.scene_capture import listed_scenes
    from env_service.worlds.ai2thor_api.controller import ThorStart
    from env_service.worlds.ai2thor_api.floor_plans import share_floor_plans
    from env_service.worlds.ai2thor_api.scene_selection import matching

    share_floor_plans()
    try:
        names = matching(pattern, listed_scenes(world, ThorStart()))
    except WorldFault as fault:
        raise broken(world, fault) from None
    except ValueError as error:
        raise Misuse(str(error)) from None
    if as_json:
        print_json({"world": world, "scenes": names})
    else:
        click.echo("\n".join(names))


@click.command("show", short_help="Show the captured scenes of a folder.", epilog=_SHOW_EPILOG)
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@json_option
def show_command(*, folder: Path, as_json: bool) -> int:
    """Show the captured scenes of a FOLDER, and check that none has changed since."""
    from env_service.cli.output import print_table
    from env_service.worlds.ai2thor_api.capture.folder import CaptureFolder

    place = CaptureFolder(folder)
    scenes = [each for each in map(place.look, place.names()) if each is not None]
    rows = [_row(scene) for scene in scenes]
    if as_json:
        print_json({"folder": str(folder), "scenes": rows})
    elif rows:
        columns = ("scene", "world", "build", "#objects", "#reachable", "#frames", "damage")
        cells = [
            [str(row[name.removeprefix("#")] or ("" if name[0] != "#" else 0)) for name in columns]
            for row in rows
        ]
        print_table(columns, cells)
    else:
        click.echo(f"no captured scenes in {folder}")
    return PROBLEM if any(row["damage"] for row in rows) else 0


def _row(scene: Captured) -> dict[str, Any]:
    """What there is to say of a scene; nothing but its damage where its sidecar is broken."""
    about = scene.sidecar
    world = about.get("world", {})
    return {
        "scene": scene.name,
        "world": world.get("name"),
        "build": (world.get("commit") or world.get("version") or world.get("platform", ""))[:12],
        "objects": about.get("objects", {}).get("count"),
        "reachable": len(about.get("reachablePositions", ())),
        "frames": len(about.get("frames", ())),
        "house": about.get("house") is not None,
        "damage": scene.damage,
    }


_EXAMPLES = """\b
Examples:
  houseguest scenes capture --scenes FloorPlan1-30 --out captured
  houseguest scenes capture --houses train.jsonl.gz --scenes 0-99 --out captured
  houseguest scenes list --world ai2thor
  houseguest scenes show captured
"""


@click.group("scenes", cls=CommandGroup, epilog=_EXAMPLES)
def scenes_command() -> None:
    """Capture scenes of a running simulator: objects, poses and pictures.

    To use captured scenes in the household world, set HOUSEGUEST_ITHOR_SCENES to their folder.
    Scenes captured from AI2-THOR are third-party data, for your own use.
    """


for _command in (capture_command, list_command, show_command):
    scenes_command.add_command(_command)
