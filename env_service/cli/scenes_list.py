"""``houseguest scenes list`` and ``houseguest scenes show``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.common import json_option, print_json
from env_service.cli.errors import PROBLEM, Misuse, broken
from env_service.cli.scenes_options import world_option

if TYPE_CHECKING:
    from env_service.worlds.thor.capture.folder import Captured


_LIST_EPILOG = """\b
Examples:
  houseguest scenes list
  houseguest scenes list --world household 'household-kitchen-*'

\b
Exit status: 0 there are some; 1 the simulator cannot be started; 2 PATTERN fits none.
"""
_SHOW_EPILOG = """\b
Examples:
  houseguest scenes show captured
  houseguest scenes show captured --json

\b
Exit status: 0 all are as they were written; 1 one is not.
"""


@click.command("list", short_help="The scenes that a simulator has.", epilog=_LIST_EPILOG)
@world_option
@click.argument("pattern", default="*")
@json_option
def list_command(*, world: str, pattern: str, as_json: bool) -> None:
    """List the scenes that a simulator has, all or those that a shell PATTERN fits.

    It is started for that. The household world knows more rooms than it lists.
    """
    from env_service.domain.failure import WorldFault
    from env_service.suites.scenes import share_floor_plans
    from env_service.worlds.thor.capture.session import listed_scenes
    from env_service.worlds.thor.selection import matching
    from env_service.worlds.thor.start import ThorStart

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


@click.command("show", short_help="What a folder holds.", epilog=_SHOW_EPILOG)
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@json_option
def show_command(*, folder: Path, as_json: bool) -> int:
    """Show the captured scenes of a FOLDER, and check that each is as it was written."""
    from env_service.cli.output import print_table
    from env_service.worlds.thor.capture.folder import CaptureFolder

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
