"""What rules find wrong with the crowd's commands, in the classes of Table 1 (spec: alfred.md
sections 2 and 5): no model is asked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from env_service.refine.findings import words_for
from env_service.refine.source import Source
from env_service.suites.alfred.judging.integrity import check
from env_service.suites.alfred.judging.intent import Slot, goal_intent
from env_service.suites.alfred.judging.lexicon import read_english
from env_service.suites.alfred.task import Goal


class Fault(Enum):
    """The classes of Table 1, in the order in which one is chosen where several are there; and
    what its three do not cover."""

    OBJECT = "object identification"
    SPATIAL = "spatial interpretation"
    SEQUENCE = "action sequence"
    OTHER = "other"


FAULT_OF: Mapping[int, Fault] = {
    1: Fault.SPATIAL,
    2: Fault.OBJECT,
    3: Fault.SEQUENCE,
    4: Fault.OTHER,
}
"""The integrity check's types of faults as classes."""


@dataclass(frozen=True, slots=True)
class PublishedFaults:
    """A column of Table 1: how many commands, and how many with each fault."""

    commands: int
    faults: Mapping[Fault, int]


SOURCE = "refined-command paper, Table 1"

PUBLISHED: Mapping[str, PublishedFaults] = {
    "valid_seen": PublishedFaults(
        820, {Fault.OBJECT: 176, Fault.SPATIAL: 160, Fault.SEQUENCE: 128}
    ),
    "valid_unseen": PublishedFaults(
        821, {Fault.OBJECT: 112, Fault.SPATIAL: 146, Fault.SEQUENCE: 136}
    ),
}
"""By task set. The paper's were told by a model, and looked over by people."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One original command, ``place`` of its task.

    Attributes:
        fault: the class that it counts in; None: no fault.
        reason: what its words do not lead to.
        doubt: a sound command's class where doubts count as faults: a word for several kinds of
            things, a place that is told by what lies beside it, a change of state too many.
        doubtful: what may be understood otherwise.
    """

    source: Source
    place: int
    fault: Fault | None
    reason: str = ""
    doubt: Fault | None = None
    doubtful: str = ""

    @property
    def text(self) -> str:
        """The command."""
        return self.source.originals[self.place]

    @property
    def strict_fault(self) -> Fault | None:
        """The class that it counts in where doubts are faults."""
        return self.fault or self.doubt


def judge_originals(sources: Iterable[Source]) -> list[Judged]:
    """Each original command, with what is wrong with it or doubtful."""
    return [
        _judged(source, place, text)
        for source in sources
        for place, text in enumerate(source.originals)
    ]


def count_faults(faults: Iterable[Fault | None]) -> Counter[Fault]:
    """How many commands have each fault, each counted once."""
    return Counter(fault for fault in faults if fault is not None)


def _judged(source: Source, place: int, text: str) -> Judged:
    found = check(text, source.goal, source.action_sequence)
    if not found.sound:
        return Judged(source, place, FAULT_OF[found.type], found.reason)
    doubts = list(_doubts(source.goal, text))
    doubt = next((each for each in Fault if each in dict(doubts)), None)
    return Judged(source, place, None, "", doubt, "; ".join(words for _, words in doubts))


def _doubts(goal: Goal, text: str) -> Iterator[tuple[Fault, str]]:
    said = read_english(text)
    extra = said.states - goal_intent(goal).states
    if extra:
        states = " and ".join(sorted(each.value for each in extra))
        yield Fault.SEQUENCE, f"state change: it also says {states}"
    for slot, fault in _DOUBTFUL:
        meant = said.values(slot)
        if len(meant) > 1 and meant & goal_intent(goal).values(slot):
            several = " or ".join(sorted(words_for(each) for each in meant))
            yield fault, f"{slot.value}: the word may mean {several}"
    side = _SIDES.search(text)
    if side and goal.parent:
        yield Fault.SPATIAL, f"destination: told by what lies beside it ({side[0].lower()!r})"


_DOUBTFUL = ((Slot.OBJECT, Fault.OBJECT), (Slot.DESTINATION, Fault.SPATIAL))
_SIDES = re.compile(
    r"\b(?:left|right|next|beside|behind|near|between|across|close|closest|farthest|nearest|front)\b",
    re.IGNORECASE,
)
