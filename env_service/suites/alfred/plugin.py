"""The commands of ALFRED, as the command line lists them."""

from env_service.cli.command import Command

ALFRED = Command(
    "env_service.suites.alfred.commands:alfred_command",
    "ALFRED: set-ups, command statistics, failures.",
)
REFINE = Command(
    "env_service.suites.alfred.commands.refine:refine_command",
    "Write commands with a model, and check them.",
)
