"""The one question that an agent may ask where a sentence was left out (spec section 4.3 of the
paper: whether asking makes up for the missing context; the way of asking is ours)."""

from __future__ import annotations

import re

from env_service.domain.action import Action, Plan, SkillCall, Text

ASK = "ask"
"""The skill's name, and how a question in free text begins."""

_ASKED = re.compile(rf"\s*{ASK}\s*[:(]", re.IGNORECASE)


class Question:
    """Whether it may still be asked, and the answer."""

    def __init__(self, *, allowed: bool, answer: str) -> None:
        self._left = allowed
        self._answer = answer
        self.asked = False

    @property
    def extra_turns(self) -> int:
        """Turns beyond those of the robot's steps: 1 while the question may be asked, or was."""
        return int(self._left or self.asked)

    def answer(self, action: Action) -> str | None:
        """The answer, if the action is the question and it may be asked; None otherwise."""
        if not self._left or not _is_question(action):
            return None
        self._left, self.asked = False, True
        return self._answer

    def forgo(self) -> None:
        """The robot has begun: it is too late to ask."""
        self._left = False


def _is_question(action: Action) -> bool:
    match action:
        case SkillCall(name):
            return name.strip().lower() == ASK
        case Text(text):
            return _ASKED.match(text) is not None
        case Plan((SkillCall(name),)):
            return name.strip().lower() == ASK
        case _:
            return False
