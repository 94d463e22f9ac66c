"""The commands of AI2-THOR, as the command line lists them."""

from __future__ import annotations

from env_service.cli.command import Command

THOR = Command(
    "env_service.worlds.ai2thor_unity.commands:thor_command", "Install AI2-THOR's Unity builds."
)
