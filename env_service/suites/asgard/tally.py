"""Counts what an episode's turns came to, for its score (spec section 6.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from env_service.domain.outcome import OutcomeCode
from env_service.suites.asgard.refusal import Reason

TURN_SHARES: Mapping[OutcomeCode, str] = {
    OutcomeCode.SUCCEEDED: "valid_turns",
    OutcomeCode.UNPARSABLE: "unparsable_turns",
    OutcomeCode.UNKNOWN_SKILL: "invalid_action_turns",
    OutcomeCode.UNKNOWN_OBJECT: "invalid_object_turns",
    OutcomeCode.PRECONDITION_FAILED: "undoable_turns",
    OutcomeCode.PHYSICALLY_BLOCKED: "undoable_turns",
}
"""Metrics: of all turns the share that came to a code. Together they are 1: each turn counts
once, however many instances its action was tried on."""

CATEGORIES: Mapping[str, tuple[Reason, ...]] = {
    "no such object": (Reason.NO_SUCH_OBJECT, Reason.USED_BY_GOAL),
    "not visible": (Reason.NOT_VISIBLE,),
    "hand full or empty": (Reason.HAND_FULL, Reason.HAND_EMPTY),
    "tool missing": (Reason.TOOL_MISSING,),
    "door closed or open": (Reason.CONTAINER_CLOSED, Reason.DOOR_OPEN),
    "already so": (Reason.ALREADY_SO,),
    "not compatible": (Reason.INCOMPATIBLE, Reason.UNABLE),
    "dirty": (Reason.DIRTY,),
    "wrong contents": (Reason.EMPTY, Reason.WRONG_CONTENTS),
    "not prepared": (Reason.WRONG_PLACE, Reason.WATER_OFF, Reason.NOT_SPRAYED),
    "physically blocked": (Reason.NO_ROOM, Reason.OUT_OF_REACH, Reason.SIMULATOR),
}
"""What an agent gets wrong, as far as reports tell it apart: each reason is in one of them."""


def category_metric(category: str) -> str:
    """The metric that counts the turns that were undoable for a category's reasons."""
    return f"undoable_{category.replace(' ', '_')}"


def reason_metric(reason: Reason) -> str:
    """The metric that counts the turns that were undoable for one reason."""
    return f"refused_{reason.value}"


class Tally:
    """The turns of one episode."""

    def __init__(self) -> None:
        self._codes: Counter[OutcomeCode] = Counter()
        self._reasons: Counter[Reason] = Counter()

    def note(self, code: OutcomeCode, reason: Reason | None = None) -> None:
        """Counts one turn; ``reason`` is why the house refused it, None where it did not."""
        self._codes[code] += 1
        if reason is not None:
            self._reasons[reason] += 1

    def metrics(self) -> dict[str, float]:
        """Shares of turns by code, 0 … 1 (all 0 without turns); counts by category; and counts by
        reason, of those that there were."""
        turns = self._codes.total() or 1
        found = dict.fromkeys(TURN_SHARES.values(), 0.0)
        for code, name in TURN_SHARES.items():
            found[name] += self._codes[code] / turns
        for category, reasons in CATEGORIES.items():
            found[category_metric(category)] = float(sum(self._reasons[each] for each in reasons))
        return found | {reason_metric(each): float(n) for each, n in self._reasons.items()}
