"""The commands of the household world, as the command line lists them."""

from __future__ import annotations

from env_service.cli.command import Command

RENDER = Command(
    "env_service.worlds.household.commands:render_command", "Draw the household world."
)
