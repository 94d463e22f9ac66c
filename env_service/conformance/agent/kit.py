"""All rules of the agent kit, in the order in which they are reported."""

from __future__ import annotations

from env_service.conformance.agent.rules import (
    beginning,
    episodes,
    leaving,
    link,
    pictures,
    playing,
)
from env_service.conformance.agent.scene import AgentRule

AGENT_RULES: tuple[AgentRule, ...] = (
    *playing.RULES,
    *beginning.RULES,
    *episodes.RULES,
    *pictures.RULES,
    *link.RULES,
    *leaving.RULES,
)
