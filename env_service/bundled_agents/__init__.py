"""The agents that come with Houseguest, as entry points of ``houseguest.agents`` name them.

In a wheel their folders are next to this file; in a checkout, in ``agents/`` at its root.
"""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).resolve().parent


def _folder(name: str) -> Path | None:
    """Where an agent lies; None where this installation does without it."""
    places = (_HERE / name, _HERE.parents[1] / "agents" / name)
    return next((place for place in places if (place / "agent.toml").is_file()), None)


HUMAN = _folder("human")
LOCAL = _folder("local")
MCP = _folder("mcp")
RANDOM = _folder("random")
SCRIPTED = _folder("scripted")
TRANSLATION = _folder("translation")
TYPESCRIPT = _folder("typescript")
"""In a checkout alone: it has to be built by node."""
VLM = _folder("vlm")
