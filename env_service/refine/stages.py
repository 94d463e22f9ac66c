"""The stages of a refinement (spec: alfred.md section 5)."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum


class Stage(Enum):
    """A stage, by the name that users type. All but the first make a wording of the command."""

    INTEGRITY = "integrity"
    BASE = "B"
    PARAPHRASE_1 = "P1"
    PARAPHRASE_2 = "P2"
    CONTEXTUAL = "C"
    KOREAN = "K"

    @property
    def prompt(self) -> str:
        """The name of its system prompt, without the ending."""
        return _PROMPTS[self]

    @property
    def batched(self) -> bool:
        """Whether one request holds several commands."""
        return self in REWORDING


_PROMPTS = {
    Stage.INTEGRITY: "integrity",
    Stage.BASE: "base",
    Stage.PARAPHRASE_1: "paraphrase_1",
    Stage.PARAPHRASE_2: "paraphrase_2",
    Stage.CONTEXTUAL: "contextual",
    Stage.KOREAN: "korean",
}

WORDINGS = (
    Stage.BASE,
    Stage.PARAPHRASE_1,
    Stage.PARAPHRASE_2,
    Stage.CONTEXTUAL,
    Stage.KOREAN,
)
"""Those that make a text, in the order of the published keys."""

REWORDING = WORDINGS[1:]
"""Those that make a text of another one."""


def in_order(stages: Iterable[Stage]) -> tuple[Stage, ...]:
    """The stages in the order in which they are gone through, each once."""
    asked = set(stages)
    return tuple(stage for stage in Stage if stage in asked)
