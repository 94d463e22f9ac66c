"""The commands of ActPlan-1K, as the command line lists them."""

from __future__ import annotations

from env_service.cli.command import Command

ACTPLAN = Command(
    "env_service.suites.actplan.commands:actplan_command",
    "ActPlan-1K: judge and explain plans, make activities.",
)
