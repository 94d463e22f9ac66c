"""What an episode records in addition to its goals: its labels, and counts of the outcomes of its
turns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from env_service.domain.episode import FinishReason
from env_service.domain.outcome import OutcomeCode
from env_service.suites.asgard.ai2thor_start import PICTURE
from env_service.suites.asgard.conditions import SETTINGS, condition_name, write_suffix
from env_service.suites.asgard.limits import Ending, Extension, Limits
from env_service.suites.asgard.plan import AsgardPlan
from env_service.suites.asgard.rules import RULES
from env_service.suites.asgard.wording import Reason
from env_service.suites.base import Condition

PLAIN = "plain"
"""The variation of a task whose name states no conditions."""

OTHER = "other"
"""The name of a condition that has none in the paper."""


def goal_metrics(opening: Sequence[bool], end: Sequence[bool]) -> dict[str, float]:
    """``goals_reached``: the share of goals that hold at the end, 0 … 1; ``goals_gained``: the
    same of those that did not hold at the opening, 1 if all did.

    Both say goal by goal, in one order, whether it held. Reports show neither: they show
    `share_met` and `share_gained`, which counts losses. These stay as they are so that runs from
    before can be replayed.
    """
    missing = [now for before, now in zip(opening, end, strict=True) if not before]
    return {
        "goals_reached": sum(end) / len(end),
        "goals_gained": sum(missing) / len(missing) if missing else 1.0,
    }


def turn_metrics(plan: AsgardPlan, limits: Limits, tally: TurnTally) -> dict[str, float]:
    """``published_steps``: those of the published solution; ``step_ratio``: steps over these;
    ``extended``: 1 where the step limit was extended, else 0; and those of the tally."""
    return {
        "published_steps": float(plan.step_count),
        "step_ratio": limits.steps / plan.step_count,
        "extended": float(limits.extension is not Extension.NONE),
        **tally.metrics(),
    }


def plan_labels(plan: AsgardPlan, condition: Condition) -> dict[str, str]:
    """``task_type`` and ``variation`` of the plan; ``condition``, by the paper's name, with what
    else makes scores differ: other rules than the paper's, smaller pictures; and
    ``release_code``, by the release's, as if the agent kept to the release's temperature and
    length of replies."""
    return {
        "task_type": plan.family.value,
        "variation": " ".join(plan.conditions) or PLAIN,
        "condition": _named(condition),
        "release_code": write_suffix(condition),
    }


def ending_labels(limits: Limits, ending: Ending | None, reason: FinishReason) -> dict[str, str]:
    """``ending``: the release's word for what ended the episode, or ours where no rule of
    the suite did; ``extension``: what became of the step limit."""
    return {
        "ending": reason.value if ending is None else ending.value,
        "extension": limits.extension.value,
    }


def condition_labels(*names: str, rules: Iterable[str] = tuple(RULES)) -> tuple[str, ...]:
    """The values of the label ``condition`` that the paper's conditions of these names have by
    these rules, with pictures of any size."""
    played = tuple(rules)
    return tuple(
        _sized(by_rules(name, each), pixels)
        for name in names
        for each in played
        for pixels in PICTURE.values
    )


def by_rules(name: str, rules: str) -> str:
    """A name of what was played by these rules: scores by the one and by the other are never
    taken together."""
    return name if rules == next(iter(RULES)) else f"{name}, {rules} rules"


def _sized(name: str, pixels: str) -> str:
    return name if pixels == PICTURE.default else f"{name}, {pixels} pixels"


def _named(condition: Condition) -> str:
    settings = {each.name: condition[each.name] for each in SETTINGS if each.name != PICTURE.name}
    name = by_rules(condition_name(settings) or OTHER, condition["rules"])
    return name if condition["text_only"] == "on" else _sized(name, condition[PICTURE.name])


# --- Counts what an episode's turns came to, for its score (docs/asgard.md, "Conditions")

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


class TurnTally:
    """The turns of one episode."""

    def __init__(self) -> None:
        self._codes: Counter[OutcomeCode] = Counter()
        self._reasons: Counter[Reason] = Counter()

    def note(self, code: OutcomeCode, reason: Reason | None = None) -> None:
        """Counts one turn; ``reason`` is why the environment refused it, None where it did not."""
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
