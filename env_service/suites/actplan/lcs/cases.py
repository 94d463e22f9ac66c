"""What is compared with what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from env_service.suites.actplan.lcs.splitting import Mode
from env_service.suites.actplan.task import Variant

GOLD_1, GOLD_2 = "gold_1", "gold_2"
"""The two gold plans of an instance, as their files are called."""


@dataclass(frozen=True, slots=True)
class Case:
    """A plan, and the gold plans of the instance that it is for.

    Attributes:
        id: of the instance: "SCENE/ACTIVITY/0/sample_0".
        model: whose plan it is: "gpt-4v".
        plan: its text.
        golds: texts by `GOLD_1` and `GOLD_2`; those that there are.
        correct: whether people found the plan correct; None where they were not asked.
    """

    id: str
    activity: str
    variant: Variant
    model: str
    plan: str
    golds: Mapping[str, str]
    correct: bool | None = None


def published_gold(model: str) -> str:
    """The gold plan that the published script compares a model with: the second for Gemini, the
    first for all others (spec: actplan.md section 4)."""
    return GOLD_2 if model.casefold().startswith("gemini") else GOLD_1


def references(case: Case, mode: Mode, against: str = "") -> Mapping[str, str]:
    """The texts that a plan is compared with, by their names; none: it is not scored.

    Args:
        against: `GOLD_1` or `GOLD_2`: this gold alone. Empty: as the mode has it.
    """
    if mode is Mode.COMPAT:
        name = against or published_gold(case.model)
        return {name: case.golds.get(name, case.plan)}
    names = (against,) if against else (GOLD_1, GOLD_2)
    return {name: case.golds[name] for name in names if name in case.golds}
