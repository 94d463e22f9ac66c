"""What is written down of an episode beside its goals (spec section 6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from env_service.domain.episode import FinishReason
from env_service.suites.asgard.conditions import SETTINGS, condition_name
from env_service.suites.asgard.limits import Ending, Extension, Limits
from env_service.suites.asgard.pictures import PICTURE
from env_service.suites.asgard.plan import AsgardPlan
from env_service.suites.asgard.rules import RULES
from env_service.suites.asgard.suffix import write_suffix
from env_service.suites.asgard.tally import Tally
from env_service.suites.base import Condition

PLAIN = "plain"
"""The variation of a task whose name tells no conditions."""

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


def turn_metrics(plan: AsgardPlan, limits: Limits, tally: Tally) -> dict[str, float]:
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
    """``ending``: the release's word for what ended the episode, or the house's where no rule of
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
    told = {each.name: condition[each.name] for each in SETTINGS if each.name != PICTURE.name}
    name = by_rules(condition_name(told) or OTHER, condition["rules"])
    return name if condition["text_only"] == "on" else _sized(name, condition[PICTURE.name])
