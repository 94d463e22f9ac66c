"""The build of a world, in what a run's manifest says of it."""

from __future__ import annotations

from collections.abc import Mapping

MACHINE_FACTS = frozenset({"driver", "gpus", "display"})
"""Facts that another machine may change: noted, but a run may go on. All others tell a build."""


def build_facts(facts: Mapping[str, str]) -> dict[str, str]:
    """What tells a world's build: with another one, a run would be a mixture of two worlds."""
    return {name: value for name, value in facts.items() if name not in MACHINE_FACTS}


def machine_facts(facts: Mapping[str, str]) -> dict[str, str]:
    """What tells the machine that a world was drawn on."""
    return {name: value for name, value in facts.items() if name in MACHINE_FACTS}


def build_changes(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    """``platform Linux64 → CloudRendering; …``, where builds differ; empty: they are the same.

    Where one side tells nothing at all, as before facts were recorded, nothing can be compared.
    """
    was, is_now = build_facts(before), build_facts(now)
    if not was or not is_now:
        return ""
    return "; ".join(
        f"{name} {was.get(name, 'unknown')} → {is_now.get(name, 'unknown')}"
        for name in dict.fromkeys([*was, *is_now])
        if was.get(name) != is_now.get(name)
    )
