"""The parts of a mission, and which of them are done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from env_service.worlds.babyai.simulator import is_composed, is_reversed


@dataclass(frozen=True, slots=True)
class Subgoal:
    """One part of a mission that cannot be divided further ("open the red door").

    ``words`` are unique in their mission: where it says the same twice, the second time has
    " (2)" after it.
    """

    words: str
    done: bool


class Mission:
    """Follows a mission's parts, as minigrid's verifier does.

    A part is done once the verifier has accepted it, and stays done. In a mission with an
    order, a part counts only when it is its turn. All parts are done exactly when the
    mission is.
    """

    def __init__(self, environment: Any) -> None:
        """To be made before the first step, while the words still describe the grid."""
        self._instruction = environment.instrs
        parts = [part for part, _ in _parts(self._instruction, done=False)]
        self._words = _distinguish(part.surface(environment) for part in parts)

    def subgoals(self, *, solved: bool) -> tuple[Subgoal, ...]:
        """The parts, in the order in which the mission wants them done.

        ``solved`` is whether the environment has declared the mission a success, which is
        all that tells of a mission with a single part.
        """
        done = [done for _, done in _parts(self._instruction, done=solved)]
        return tuple(map(Subgoal, self._words, done))


def _distinguish(words: Iterable[str]) -> list[str]:
    seen: Counter[str] = Counter()
    distinct = []
    for text in words:
        seen[text] += 1
        distinct.append(text if seen[text] == 1 else f"{text} ({seen[text]})")
    return distinct


def _parts(instruction: Any, *, done: bool) -> Iterator[tuple[Any, bool]]:
    if not is_composed(instruction):
        yield instruction, done
        return
    halves = [
        (instruction.instr_a, instruction.a_done),
        (instruction.instr_b, instruction.b_done),
    ]
    for half, verdict in reversed(halves) if is_reversed(instruction) else halves:
        yield from _parts(half, done=verdict == "success")
