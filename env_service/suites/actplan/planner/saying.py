"""Deeds as the steps of a plan."""

from __future__ import annotations

from collections.abc import Mapping

from env_service.worlds.activity.deed import Deed
from env_service.worlds.activity.naming import label


def said(deed: Deed, objects: Mapping[str, str]) -> str:
    """A deed as a step: "place_inside(cabinet_1, plate_2)". ``objects``: instance to category."""
    names = (name for name in (deed.target, deed.item, *deed.tools) if name)
    told = (label(name, objects[name]) if name in objects else name for name in names)
    return f"{deed.verb.value}({', '.join(told)})"
