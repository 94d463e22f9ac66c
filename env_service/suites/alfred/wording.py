"""What the agent reads: how its words are understood, the results of its steps, and the one
question that it may ask.
"""

import re

from env_service.domain.action import Action, Plan, SkillCall, Text
from env_service.domain.outcome import FeedbackMode
from env_service.suites.alfred.conditions import PLAN
from env_service.suites.alfred.skills.steps import SkillResult

NOTHING_DONE = "Nothing has been done yet."
PLAN_TRIED = "The plan has been tried to its end."
PLAN_REFUSED = "Nothing was tried."
SAID_DONE = "You have said that you are done."

_PLAN_RULES = (
    "Answer with the whole plan: skills of the list with commas between, in the order in which they"
    " are to be done, and done at the end. Every step is tried, whatever came of the one before."
    " Anything that is no skill of the list is a step that fails."
)
_STEP_RULES = (
    "Answer with one skill of the list, and with done once the command is fulfilled. Anything that"
    " is no skill of the list is a step that fails."
)
_ASK_RULES = (
    " Before your first step you may put one question to the person who gave the command: write"
    " ask, a colon and the question. It costs no step."
)


def answer_rules(play: str, *, ask: bool) -> str:
    """How an agent's own words are read; ``play`` is the setting's value."""
    rules = _PLAN_RULES if play == PLAN else _STEP_RULES
    return rules + (_ASK_RULES if ask else "")


def step_feedback(number: int, result: SkillResult, feedback: FeedbackMode) -> str:
    """The text about a step, counted from 1, as detailed as the feedback mode allows."""
    match feedback:
        case FeedbackMode.NONE:
            return f"Step {number} has been tried."
        case FeedbackMode.SIMPLE:
            return f"Step {number} {'worked' if result.worked else 'failed'}."
        case FeedbackMode.DETAILED:
            said = "worked." if result.worked else f"failed: {result.message}"
            return f"Step {number} {said}"


# --- The one question that an agent may ask where a sentence was left out (section 4.3 of
# the paper: whether asking makes up for the missing context; the way of asking is ours)

ASK = "ask"
"""The skill's name, and how a question in free text begins."""

_ASKED = re.compile(rf"\s*{ASK}\s*[:(]", re.IGNORECASE)


class ClarifyingQuestion:
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
