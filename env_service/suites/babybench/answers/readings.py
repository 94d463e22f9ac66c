"""What was read out of an answer, and what is taken from it first: thoughts, markdown,
typographic characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Generic, TypeVar

from env_service.worlds.babyai.omnibot.records import PlannedSubgoal
from env_service.worlds.babyai.state import Position

T_co = TypeVar("T_co", covariant=True)

ACTION_NAMES = ("left", "right", "forward", "pickup", "drop", "toggle", "done")
"""What a plan may be made of: minigrid's seven names. The last does nothing."""

STATE_MARKER = "The agent's final state is: "
PLAN_MARKER = "The LLM's action sequence is: "
START_TAG, END_TAG = "<START>", "<END>"
"""What introduces, or encloses, the answer to each question (docs/babybench.md, What the
agent gets)."""


class AnswerProblem(Enum):
    """Why an answer cannot be scored. Values are for machines: they are stored."""

    NOT_WORDS = "not_words"
    """A skill or a plan of skills was sent, where words are due."""
    EMPTY = "empty"
    """There is no text."""
    NO_ANSWER = "no_answer"
    """Nothing in the text is an answer, nor introduces one."""
    UNREADABLE = "unreadable"
    """An answer is introduced, and what follows is none."""
    TOO_LONG = "too_long"
    """It has more than MOST_SUBGOALS subgoals."""
    BAD_NUMBER = "bad_number"
    """A number is not whole, or is far too large for any grid."""


@dataclass(frozen=True, slots=True)
class State:
    """Where the agent is said to be, and its heading: 0 east, 1 south, 2 west, 3 north.

    Any integers of at most MOST_DIGITS digits: the answer may be nonsense.
    """

    position: Position
    heading: int

    def __str__(self) -> str:
        return f"({self.position}, {self.heading})"


MOST_DIGITS = 9
"""Digits of a number that is read at all. No grid has more than two."""

MOST_SUBGOALS = 5_000
"""Subgoals of a plan that is carried out at all. No level allows so many steps."""


@dataclass(frozen=True, slots=True)
class ActionList:
    """A plan of actions. ``unknown`` are the pieces left out because they name no action."""

    actions: tuple[str, ...]
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SubgoalList:
    """A plan of subgoals in the order in which to do them.

    ``skipped`` are the lines left out because they name no subgoal that could be done.
    """

    subgoals: tuple[PlannedSubgoal, ...]
    skipped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading(Generic[T_co]):
    """A ``value``, or the ``problem`` that there is none.

    Both where the published rules go on regardless: with an empty plan of actions.
    ``published_error`` is how LLM-BabyBench's evaluator fails on this answer, its exception's
    class and text: such an item has no published result at all. Empty where it does not fail,
    and under the rules that are not the published ones.
    """

    value: T_co | None
    problem: AnswerProblem | None = None
    published_error: str = ""


# --- Takes from an answer what is not the answer: thoughts, markdown, typographic characters

_PLAIN = str.maketrans(
    {
        **dict.fromkeys("’‘‛ʼ´＇", "'"),
        **dict.fromkeys("“”„«»＂", '"'),
        **dict.fromkeys("\u00a0\u2007\u2009\u202f\u3000\t", " "),
        **dict.fromkeys("−–‐‑—－", "-"),
        **dict.fromkeys("（﹙", "("),
        **dict.fromkeys("）﹚", ")"),
        **dict.fromkeys("，、", ","),
        **dict.fromkeys("：", ":"),
        **dict.fromkeys("；", ";"),
        **dict.fromkeys("→⇒➡⟶➜", ">"),
        **dict.fromkeys("*`\u200b\u200c\u200d\ufeff\ufe0f", None),
        "\r": "\n",
    }
)
_THOUGHT = re.compile(r"<\s*+(/?+)\s*+(?:think|thinking|thought|thoughts|reasoning)\s*+>", re.I)
_LATEX = re.compile(r"\\(?:text\w*+|math\w*+|boxed)\s*+(?=\{)")
_FENCE = re.compile(r"^ *+(?:```|~~~).*$", re.M)


def clean(text: str) -> str:
    """The text without thoughts, fences, emphasis, LaTeX's fonts and invisible characters.

    Curly apostrophes, other spaces, other minus signs and the like become plain; every line
    break is a newline. Takes time in proportion to the text.
    """
    spoken = drop_thoughts(text.replace("\r\n", "\n"))
    return _LATEX.sub("", _FENCE.sub("", spoken)).translate(_PLAIN)


def drop_thoughts(text: str) -> str:
    """The text outside of ``<think>`` and its like.

    What comes before a closing tag without an opening one is thought too, as is all that
    follows an opening tag that nothing closes.
    """
    spoken: list[str] = []
    depth, start = 0, 0
    for tag in _THOUGHT.finditer(text):
        if tag[1]:
            if depth == 0:
                spoken.clear()
            depth = max(0, depth - 1)
        else:
            if depth == 0:
                spoken.append(text[start : tag.start()])
            depth += 1
        start = tag.end()
    if depth == 0:
        spoken.append(text[start:])
    return "\n".join(spoken)


def after_markers(text: str, marker: re.Pattern[str]) -> Iterator[str]:
    """What follows each marker, up to the next one; the last comes first."""
    end = len(text)
    for found in reversed(list(marker.finditer(text))):
        yield text[found.end() : end]
        end = found.start()
