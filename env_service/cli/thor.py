"""``houseguest thor``: AI2-THOR's Unity builds on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.common import json_option, print_json
from env_service.cli.errors import PROBLEM
from env_service.cli.groups import CommandGroup
from env_service.cli.output import print_table
from env_service.cli.thor_install import home_option, install_command

if TYPE_CHECKING:
    from env_service.worlds.ai2thor.settings import Platform

_EXAMPLES = """\b
Examples:
  houseguest thor install
  houseguest thor install --platform Linux64
  houseguest thor status
"""

_STATUS_EXAMPLES = """\b
Examples:
  houseguest thor status
  houseguest thor status --json | jq '.builds[] | select(.state == "here") | .sha256'

Exit status: 0 a build is here that can be started; 1 there is none.
"""


@click.group("thor", cls=CommandGroup, epilog=_EXAMPLES)
def thor_command() -> None:
    """Install the Unity builds that the world ai2thor plays in, and see which are here.

    They lie where AI2-THOR's own Python package keeps them, in ~/.ai2thor/releases.
    """


@click.command("status", short_help="Show which builds are here.", epilog=_STATUS_EXAMPLES)
@home_option
@json_option
def status_command(*, home: Path | None, as_json: bool) -> int:
    """Show for each platform whether its build is here, and what it was made of."""
    from env_service.worlds.ai2thor.build import PLATFORMS, releases

    builds = [_state(platform, home) for platform in PLATFORMS]
    if as_json:
        print_json({"releases": str(releases(home)), "builds": builds})
    else:
        print_table(
            ("platform", "state", "SHA-256 of its zip"),
            [(each["platform"], each["state"], each["sha256"]) for each in builds],
        )
        for each in builds:
            if each["problem"]:
                click.echo(f"{each['platform']}: {each['problem']}", err=True)
    return 0 if any(each["state"] == "here" for each in builds) else PROBLEM


def _state(platform: Platform, home: Path | None) -> dict[str, Any]:
    from env_service.worlds.ai2thor.build import DamagedBuildError, installed, other_commits
    from env_service.worlds.ai2thor.install import read_receipt
    from env_service.worlds.base import WorldUnavailableError

    folder, sha256, state, problem = "", "", "here", ""
    try:
        build = installed(platform, home)
        receipt = read_receipt(build)
        folder, sha256 = str(build.folder), receipt.sha256 if receipt else ""
    except DamagedBuildError as error:
        state, problem = "damaged", str(error)
    except WorldUnavailableError as error:
        state, problem = "not installed", str(error)
    return {
        "platform": platform.value,
        "state": state,
        "folder": folder,
        "sha256": sha256,
        "problem": problem,
        "other_commits": list(other_commits(platform, home)),
    }


for _command in (install_command, status_command):
    thor_command.add_command(_command)
