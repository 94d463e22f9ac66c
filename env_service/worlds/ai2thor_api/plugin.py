"""The commands of worlds behind AI2-THOR's controller API, as the command line lists them."""

from __future__ import annotations

from env_service.cli.command import Command

SCENES = Command(
    "env_service.worlds.ai2thor_api.commands.scenes:scenes_command",
    "Capture scenes of a running simulator.",
)
PARITY = Command(
    "env_service.worlds.ai2thor_api.commands.parity:parity_command",
    "Compare the same actions in two worlds.",
)
