"""Plans in the published file of labelled plans (spec: actplan.md section 1.2): an instance a line,
with plans of both models and both gold plans."""

from __future__ import annotations

from collections.abc import Mapping

from env_service.suites.actplan.dataset.labelled import MODELS
from env_service.suites.actplan.dataset.layout import read_key
from env_service.suites.json_node import Node

KEYS: Mapping[str, tuple[str, ...]] = {
    **{model: (f"pos_{key}", f"neg_{key}") for model, key in MODELS.items()},
    "gold_1": ("gold_gpt",),
    "gold_2": ("gold_gemini",),
}
"""Whose plans a line has, as published files of single plans name them, and the line's keys."""


def is_published(line: Node) -> bool:
    """Whether a line is one of the published file."""
    return isinstance(line.value, dict) and "path" in line and "plan" not in line


def published_plan(line: Node, name: str) -> tuple[str, str] | None:
    """The instance's task and the plan of the one who is named; None where a line has none, as two
    of the published file have no second gold plan.

    Raises the line's error where nobody of that name is in it, the path is of no instance, or there
    are several plans.
    """
    if name not in KEYS:
        named = ", ".join(KEYS)
        problem = f"has no plan of {name!r}" if name else "has plans of several"
        raise line.error(f"{problem}; name one of {named}, with --name")
    path = line["path"].text()
    key = read_key(path)
    if key is None:
        raise line["path"].error(f"is {path!r:.80}, which is the path of no instance")
    plans = [plan for each in KEYS[name] for plan in line[each].texts()]
    if len(plans) > 1:
        raise line.error(f"has {len(plans)} plans of {name!r}; it has to have one at most")
    return (key.id, plans[0]) if plans else None
