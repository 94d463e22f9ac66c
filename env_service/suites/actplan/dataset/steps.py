"""Takes published plans apart, whose steps stand in lines of their own or are joined by blanks."""

from __future__ import annotations

import re

_STEP = re.compile(r"[A-Za-z][\w\-/]*\s*\([^()]*\)")
"""Spec: actplan.md section 1.3."""


def split_steps(text: str) -> tuple[str, ...]:
    """The steps of a published plan, in their spelling: "grab(cup)". Words between them, and half a
    step, are left out: `plans.reading` is for what models write, and tells of those."""
    return tuple(_STEP.findall(text))
