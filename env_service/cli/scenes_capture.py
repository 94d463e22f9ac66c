"""``houseguest scenes capture``."""

from __future__ import annotations

from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from env_service.cli.common import json_option, print_json, split_names
from env_service.cli.errors import PROBLEM, Interrupted, Misuse, broken
from env_service.cli.scenes_options import SceneLook, look_options, world_option

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from env_service.worlds.thor.capture.houses import HouseFile
    from env_service.worlds.thor.capture.session import Summary
    from env_service.worlds.thor.capture.subject import Subject

_EPILOG = """\b
Examples:
  houseguest scenes capture --scenes FloorPlan1-30 --out captured
  houseguest scenes capture --scenes kitchens,FloorPlan201-205 --out captured --frames 0
  houseguest scenes capture --houses train.jsonl.gz --scenes 0-99 --out captured

\b
Exit status: 0 every scene is there; 1 some are not; 2 wrong usage; 130 interrupted.
"""


@click.command("capture", short_help="Write scenes down.", epilog=_EPILOG)
@world_option
@click.option(
    "--scenes", "wanted", multiple=True, metavar="NAME[,…]",
    callback=lambda _context, _parameter, given: split_names(given),
    help="Names, ranges as FloorPlan1-30, shell patterns, kitchens, living-rooms, bedrooms, "
    "bathrooms, all; of --houses: indices, ranges as 0-99, names.",
)  # fmt: skip
@click.option(
    "--houses", metavar="FILE", type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="ProcTHOR houses, one a line (.jsonl, .jsonl.gz): capture these.  [default scenes: all]",
)  # fmt: skip
@click.option(
    "--out", required=True, metavar="DIR", type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the scenes; what is finished there is left as it is.",
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
    look: SceneLook,
    fresh: bool,
    as_json: bool,
) -> int:
    """Write scenes of a live simulator down, as the household world reads them.

    Of each scene: all objects as AI2-THOR's metadata has them, the agent's start, every point
    that it can reach, and pictures from a few poses. A simulator that breaks is started again;
    stop the command whenever you like, and start it again: it goes on where it was.
    """
    from env_service.cli.output import progress
    from env_service.domain.failure import WorldFault
    from env_service.suites.scenes import share_floor_plans
    from env_service.worlds.thor.capture.folder import CaptureFolder
    from env_service.worlds.thor.capture.session import CaptureSession

    if not wanted and houses is None:
        raise Misuse("name the scenes, as in --scenes FloorPlan1-30, or a file of --houses")
    share_floor_plans()
    folder = CaptureFolder(out)
    try:
        with _opened(houses) as file, folder.held():
            subjects = _subjects(wanted, file, world, look)
            with (
                progress("capturing", len(subjects)) as advance,
                CaptureSession(look.request(world), folder) as session,
            ):
                summary = session.run(subjects, fresh=fresh, done=advance)
    except KeyboardInterrupt:
        raise Interrupted(
            f"interrupted: finished scenes are in {out}; the same command goes on"
        ) from None
    except WorldFault as fault:
        raise broken(world, fault) from None
    except ValueError as error:
        raise Misuse(str(error)) from None
    _tell(out, summary, as_json=as_json)
    return PROBLEM if summary.lost else 0


def _opened(houses: Path | None) -> AbstractContextManager[HouseFile | None]:
    from env_service.worlds.thor.capture.houses import HouseFile

    return nullcontext() if houses is None else closing(HouseFile(houses))


def _subjects(
    wanted: Sequence[str], houses: HouseFile | None, world: str, look: SceneLook
) -> tuple[Subject, ...]:
    from env_service.worlds.thor.capture.session import listed_scenes
    from env_service.worlds.thor.capture.subject import Subject
    from env_service.worlds.thor.selection import select_scenes

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
    told = [f"{len(summary.captured)} captured", there]
    click.echo(f"{', '.join(filter(None, told))}: {out}")
    for each in summary.lost:
        click.echo(f"not captured: {each.scene}: {each.kind}: {each.reason}", err=True)
