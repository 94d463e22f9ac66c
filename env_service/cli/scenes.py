"""``houseguest scenes``: scenes of a live simulator, captured for the household world."""

from __future__ import annotations

import click

from env_service.cli.groups import CommandGroup
from env_service.cli.scenes_capture import capture_command
from env_service.cli.scenes_list import list_command, show_command

_EXAMPLES = """\b
Examples:
  houseguest scenes capture --scenes FloorPlan1-30 --out captured
  houseguest scenes capture --houses train.jsonl.gz --scenes 0-99 --out captured
  houseguest scenes list --world ai2thor
  houseguest scenes show captured
"""


@click.group("scenes", cls=CommandGroup, epilog=_EXAMPLES)
def scenes_command() -> None:
    """Capture scenes of a live simulator: objects, poses and pictures.

    The household world plays captured scenes: set HOUSEGUEST_ITHOR_SCENES to their folder. What
    is captured from AI2-THOR is third-party data, for your own use.
    """


for _command in (capture_command, list_command, show_command):
    scenes_command.add_command(_command)
