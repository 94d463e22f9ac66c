"""What is refined: a task's type, its goal, and how it was demonstrated."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from env_service.refine.stages import Stage
from env_service.suites.alfred.task import Goal


@dataclass(frozen=True, slots=True)
class Source:
    """One task to refine.

    Attributes:
        id: the trial's id.
        goal: what the commands have to lead to.
        action_sequence: the demonstration's high-level plan as text (spec section 1).
        originals: the crowd's commands, one at least.
        texts: the wordings that are there already.
    """

    id: str
    goal: Goal
    action_sequence: str
    originals: tuple[str, ...]
    texts: Mapping[Stage, str] = field(default_factory=dict)


def digest(sources: Sequence[Source]) -> str:
    """SHA-256 (hex) of all that refining starts from."""
    sheet = [
        [each.id, each.goal.type.value, each.action_sequence, list(each.originals)]
        for each in sources
    ]
    return hashlib.sha256(json.dumps(sheet, ensure_ascii=False).encode()).hexdigest()
