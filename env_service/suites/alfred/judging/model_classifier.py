"""Has a model decide why a recorded attempt failed, and how far two judges of the same failures
agree.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from env_service.chat.asking import Ask, ReplyError, ask_until_read, follow_up
from env_service.chat.client import Message
from env_service.domain.data_node import objects_in
from env_service.suites.alfred.judging.analysis import ACTION, MISLEADING, PLAN
from env_service.suites.alfred.judging.logs import LoggedEpisode

TYPES = (MISLEADING, ACTION, PLAN)

SYSTEM = """\
You review recordings of a household robot. Each recording has a command that a person gave, the \
steps that a planner chose for it, what the robot reported after a step (nothing where the step \
worked), and the goal by which the attempt was scored. The attempt failed. Find out why.

Use these types; more than one may apply:
1 misleading command: the command asks for something else than the goal, or names a thing so that \
it cannot be found, and the steps follow the command.
2 action failure: a step made sense, but the robot could not carry it out: it could not get there, \
see, grasp, open, or put the thing down, or did not know its name.
3 plan failure: the steps themselves cannot lead to the goal: one is missing, wrong, in the wrong \
order, or impossible in the state the robot is in.

How the robot works: "find" goes to a thing; "put down" puts what it holds in or on what was found \
right before. What was in the fridge when it was closed is cooled, in the microwave when it was \
turned on heated, under the tap when it was turned on cleaned. The goal names types: object, \
parent (where it belongs), mrecep (a receptacle that goes along), toggle (a lamp to turn on).

Think first if you like. Then answer with one JSON object between <ANALYSIS> and </ANALYSIS>:
<ANALYSIS>{"explanation": "which step or word, and why", "types": [2]}</ANALYSIS>"""

_LONGEST_RETURNED = 4_000
_TAGS = re.compile(r"<ANALYSIS>(.*?)(?:</ANALYSIS>|\Z)", re.DOTALL | re.IGNORECASE)
_TYPE_KEYS = frozenset({"types", "type", "failuretypes", "failuretype"})
_TEXT_KEYS = frozenset({"explanation", "analysis", "reason"})


@dataclass(frozen=True, slots=True)
class ModelAnalysis:
    """What a model says: the types, ascending, and its words."""

    types: tuple[int, ...]
    explanation: str


def classify(episode: LoggedEpisode, ask: Ask, *, tries: int = 2) -> ModelAnalysis:
    """Asks a model about an attempt; again, where its reply cannot be read.

    Raises:
        ReplyError: none of the replies could be read. What `ask` raises is passed on.
    """
    opening = [Message.system(SYSTEM), Message.user(recording(episode))]

    def again(reply: str, problem: str) -> list[Message]:
        words = f"That could not be read: {problem}. Answer with the tags and one JSON object."
        return follow_up(opening, reply[-_LONGEST_RETURNED:], words)

    found = ask_until_read(ask, opening, read_reply, again, tries)
    if found.value is None:
        raise ReplyError(found.problem)
    return found.value


def recording(episode: LoggedEpisode) -> str:
    """An attempt as a model is shown it."""
    lines = []
    if episode.name:
        lines.append(f"Task: {episode.name}")
    lines += [f"Command: {episode.command}", "Steps:"]
    for number, step in enumerate(episode.steps, start=1):
        lines.append(f"{number}. {step.said}")
        lines += [f"   robot: {each}" for each in step.messages]
    if episode.said_done:
        lines.append(f"{len(episode.steps) + 1}. done")
    if episode.goal is not None:
        goal = episode.goal
        wanted = {
            "object": goal.object + ("Sliced" if goal.sliced else ""),
            "parent": goal.parent,
            "mrecep": goal.movable,
            "toggle": goal.toggle,
        }
        lines.append(f"Goal: {json.dumps(wanted)} (task type {goal.type.value})")
    lines.append("Success: false")
    return "\n".join(lines)


def read_reply(reply: str) -> ModelAnalysis:
    """The analysis in a reply: between the tags, or else the last JSON object with types.

    Raises:
        ReplyError: there is none.
    """
    tagged = _TAGS.findall(reply)
    for text in (*reversed(tagged), reply):
        for found in reversed(list(objects_in(text))):
            types = _types(found)
            if types is not None:
                return ModelAnalysis(types, _explanation(found))
    where = "between the tags" if tagged else "in the reply"
    raise ReplyError(f"no JSON object with types of 1, 2 and 3 {where}")


def _types(found: Mapping[str, Any]) -> tuple[int, ...] | None:
    for key, value in found.items():
        if _plain(key) in _TYPE_KEYS:
            values = value if isinstance(value, list) else [value]
            numbers = {int(each) for one in values for each in re.findall(r"\b[123]\b", str(one))}
            if numbers:
                return tuple(sorted(numbers))
    return None


def _explanation(found: Mapping[str, Any]) -> str:
    texts = (str(value) for key, value in found.items() if _plain(key) in _TEXT_KEYS)
    return next(texts, "")


def _plain(key: str) -> str:
    return re.sub(r"[^a-z]", "", key.lower())


# --- How far two judges of the same failures agree, type by type


@dataclass(frozen=True, slots=True)
class Agreement:
    """On one type: how many failures have it by both, by the first or the second alone, by neither.

    Attributes:
        type: 1, 2 or 3.
    """

    type: int
    both: int
    first: int
    second: int
    neither: int

    @property
    def count(self) -> int:
        """All failures."""
        return self.both + self.first + self.second + self.neither

    @property
    def rate(self) -> float:
        """The share on which they agree, 0 … 1."""
        return (self.both + self.neither) / self.count

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa: agreement beyond chance, 1 at most; None where both always say the same
        one thing, so that chance alone agrees fully."""
        n = self.count
        ours, theirs = (self.both + self.first) / n, (self.both + self.second) / n
        chance = ours * theirs + (1 - ours) * (1 - theirs)
        return None if chance == 1.0 else (self.rate - chance) / (1 - chance)


def agreement(
    first: Sequence[tuple[int, ...]], second: Sequence[tuple[int, ...]]
) -> tuple[Agreement, ...]:
    """The agreement on each type, of two judges' types for the same failures in the same order.

    Raises:
        ValueError: there are none, or not equally many.
    """
    if not first or len(first) != len(second):
        raise ValueError(f"{len(first)} and {len(second)} analyses cannot be compared")
    return tuple(_on(kind, first, second) for kind in (1, 2, 3))


def _on(
    kind: int, first: Sequence[tuple[int, ...]], second: Sequence[tuple[int, ...]]
) -> Agreement:
    pairs = [(kind in a, kind in b) for a, b in zip(first, second, strict=True)]
    return Agreement(
        type=kind,
        both=pairs.count((True, True)),
        first=pairs.count((True, False)),
        second=pairs.count((False, True)),
        neither=pairs.count((False, False)),
    )
