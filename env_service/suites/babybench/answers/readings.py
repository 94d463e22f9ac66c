"""The result of reading an answer, and the cleaning that precedes it.

Cleaning removes thoughts, markdown and typographic characters.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Generic, TypeVar

from env_service.worlds.babyai.omnibot.records import PlannedSubgoal
from env_service.worlds.babyai.state import Position

T_co = TypeVar("T_co", covariant=True)

ACTION_NAMES = ("left", "right", "forward", "pickup", "drop", "toggle", "done")
"""The valid actions of a plan: minigrid's seven names. The last one does nothing."""

STATE_MARKER = "The agent's final state is: "
PLAN_MARKER = "The LLM's action sequence is: "
START_TAG, END_TAG = "<START>", "<END>"
"""The markers before, or around, the answer to each question (docs/babybench.md, Actions)."""


class AnswerProblem(Enum):
    """Why an answer cannot be scored. Results store these values."""

    NOT_WORDS = "not_words"
    """The agent sent a skill or a plan of skills instead of words."""
    EMPTY = "empty"
    """The text is empty."""
    NO_ANSWER = "no_answer"
    """The text has no answer and no marker of one."""
    UNREADABLE = "unreadable"
    """The text has a marker, but no answer after it."""
    TOO_LONG = "too_long"
    """It has more than MOST_SUBGOALS subgoals."""
    BAD_NUMBER = "bad_number"
    """A number is not whole, or is far too large for any grid."""


@dataclass(frozen=True, slots=True)
class State:
    """The state that the answer claims, with its heading: 0 east, 1 south, 2 west, 3 north.

    Any integers of at most MOST_DIGITS digits, because the answer may be nonsense.
    """

    position: Position
    heading: int

    def __str__(self) -> str:
        return f"({self.position}, {self.heading})"


MOST_DIGITS = 9
"""The largest number of digits that is read. Coordinates in a grid have at most two."""

MOST_SUBGOALS = 5_000
"""The largest number of subgoals that is executed. No level allows so many steps."""


@dataclass(frozen=True, slots=True)
class ActionList:
    """A plan of actions. ``unknown`` are the pieces left out because they name no action."""

    actions: tuple[str, ...]
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SubgoalList:
    """A plan of subgoals, in order.

    ``skipped`` are the lines left out because they name no valid subgoal.
    """

    subgoals: tuple[PlannedSubgoal, ...]
    skipped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading(Generic[T_co]):
    """A ``value``, or the ``problem`` that prevents one.

    It has both if the published rules continue after a problem, with an empty plan of actions.
    ``published_error`` is the class and text of the exception that this answer raises in
    LLM-BabyBench's evaluator; such an item has no published result. It is empty if the evaluator
    succeeds, and under other rules than the published ones.
    """

    value: T_co | None
    problem: AnswerProblem | None = None
    published_error: str = ""


# --- Removes what does not belong to an answer: thoughts, markdown, typographic characters

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

    Curly apostrophes, other spaces, other minus signs and the like become plain; every line break
    becomes a newline. Takes time in proportion to the text.
    """
    spoken = drop_thoughts(text.replace("\r\n", "\n"))
    return _LATEX.sub("", _FENCE.sub("", spoken)).translate(_PLAIN)


def drop_thoughts(text: str) -> str:
    """The text outside of ``<think>`` and similar tags.

    Text before a closing tag without an opening one is a thought too, and so is all text after an
    opening tag without a closing one.
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
    """The text after each marker, up to the next one, the last marker first."""
    end = len(text)
    for found in reversed(list(marker.finditer(text))):
        yield text[found.end() : end]
        end = found.start()


def write_subgoal(subgoal: PlannedSubgoal) -> str:
    """A line of an answer: "(GoNextToSubgoal, (3, 4))", "(PickupSubgoal)"."""
    if subgoal.position is None:
        return f"({subgoal.name.value})"
    return f"({subgoal.name.value}, {subgoal.position})"
