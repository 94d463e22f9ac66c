"""The commands of AI2-THOR, and its checks by the doctor."""

from __future__ import annotations

from env_service.cli.command import Command
from env_service.doctor.registry import DoctorCheck

THOR = Command(
    "env_service.worlds.ai2thor_unity.commands:thor_command", "Install AI2-THOR's Unity builds."
)

_DOCTOR = "env_service.worlds.ai2thor_unity.doctor"
DOCTOR_MACHINE = DoctorCheck(
    "ai2thor",
    f"{_DOCTOR}:machine",
    seconds=120.0,
    world="ai2thor",
    extras={"ai2thor": "AI2-THOR's own Python package, and the household world as its player"},
)
DOCTOR_DOCKER = DoctorCheck("docker", f"{_DOCTOR}:docker", seconds=60.0, world="ai2thor")
DOCTOR_START = DoctorCheck("ai2thor start", f"{_DOCTOR}:start", seconds=900.0, world="ai2thor")
