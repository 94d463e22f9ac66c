"""The rules of both kits."""

from __future__ import annotations

from env_service.conformance.agent.check import AGENT_RULES
from env_service.conformance.report import Rule
from env_service.conformance.server.check import SERVER_RULES

KITS = ("agent", "server")


def rules_of(kit: str) -> tuple[Rule, ...]:
    """The rules of ``agent`` or ``server``, in the order of the report.

    Raises KeyError for another name.
    """
    kits = {
        "agent": tuple(each.rule for each in AGENT_RULES),
        "server": tuple(each.rule for each in SERVER_RULES),
    }
    return kits[kit]
