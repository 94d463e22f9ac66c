"""The commands of the household world, and its check by the doctor."""

from env_service.cli.command import Command
from env_service.doctor.registry import DoctorCheck

RENDER = Command(
    "env_service.worlds.household.commands:render_command", "Draw the household world."
)

DOCTOR = DoctorCheck(
    "household",
    "env_service.worlds.household.doctor:renderer",
    extras={
        "fast": "the household world's renderer, compiled",
        "gl": "the household world drawn by a graphics card",
    },
)
