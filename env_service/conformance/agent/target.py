"""What the user means by TARGET."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from env_service.sandbox.agents import AgentSpec, GuestCommand, find_agent, parse_agent


def parse_target(text: str, words: Sequence[str] = ()) -> AgentSpec:
    """Reads a target as ``--agent`` of ``houseguest run`` is read; ``words`` are its options.

    The words of a bundled agent, or of one in a folder, go to its command as they are. Raises
    UnknownNameError and AgentSpecError.
    """
    manifest = find_agent(text)
    if manifest is None:
        return parse_agent(text, shlex.join(words))
    manifest.check_requirements()
    guest = GuestCommand((*manifest.command, *words), manifest.shared)
    return AgentSpec(f"{text} {shlex.join(words)}".rstrip(), guest)
