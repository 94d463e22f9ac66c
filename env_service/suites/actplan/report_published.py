"""The paper's numbers, to stand beside ours (docs/actplan.md, What differs from the paper)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from env_service.suites.actplan.report_keys import COUNTERFACTUAL, NORMAL, TOTAL
from env_service.suites.reporting import Reference

_PAPER = "ActPlan-1K"
_WORLD = "iGibson"
_RULES = "human judgement"

_CORRECT: Mapping[str, Mapping[str, tuple[float, int]]] = {
    "GPT-4V": {NORMAL: (0.291, 275), COUNTERFACTUAL: (0.094, 127), TOTAL: (0.223, 402)},
    "Gemini-Pro-1.5": {NORMAL: (0.320, 275), COUNTERFACTUAL: (0.228, 127), TOTAL: (0.291, 402)},
}
"""Table 3: shares of plans that people called correct, and of how many."""

NOTE = (
    "Published: as people judged the plans of 402 instances. The automatic verdict is another"
    " measure; how far the two agree stands in the table of judges. GPT-4V's published total does"
    " not follow from its two parts, which give 22.9 %."
)


def correct(table: str) -> tuple[Reference, ...]:
    """Table 3, in a table or in bars that have variants for columns."""
    return tuple(
        Reference(
            table=table,
            row="",
            column=column,
            value=value,
            n=count,
            source=f"{_PAPER}, Table 3, human judgement",
            world=_WORLD,
            rules=_RULES,
            agent=agent,
        )
        for agent, values in _CORRECT.items()
        for column, (value, count) in values.items()
    )


_WITHOUT_PICTURES: Mapping[str, float] = {"pictures": 0.367, "text": 0.267}
"""Tables 6 and 7: Gemini-Pro-1.5 on 60 activities, 40 of them normal."""


def modalities(table: str) -> tuple[Reference, ...]:
    """Tables 6 and 7, in a table that has for rows what was shown."""
    return tuple(
        Reference(
            table=table,
            row=shown,
            column=TOTAL,
            value=value,
            n=60,
            source=f"{_PAPER}, Tables 6 and 7, human judgement, 40 normal and 20 counterfactual",
            world=_WORLD,
            rules=_RULES,
            agent="Gemini-Pro-1.5",
        )
        for shown, value in _WITHOUT_PICTURES.items()
    )


@dataclass(frozen=True, slots=True)
class PublishedJudge:
    """How a learned judge of the paper agrees with people on one model's plans (Table 5).
    ``constant``: the accuracy of calling every plan wrong, by those labels (docs/actplan.md,
    Judges)."""

    judge: str
    plans: str
    split: str
    matthews: float | None
    constant: float
    accuracy: float


LEARNED: tuple[PublishedJudge, ...] = (
    PublishedJudge("BLEURT-large, fine-tuned", "GPT-4V", "val", 0.367, 0.778, 0.815),
    PublishedJudge("BLEURT-large, fine-tuned", "Gemini-Pro-1.5", "val", 0.321, 0.716, 0.753),
    PublishedJudge("BLEURT-large, fine-tuned", "GPT-4V", "test", None, 0.802, 0.802),
    PublishedJudge("BLEURT-large, fine-tuned", "Gemini-Pro-1.5", "test", None, 0.802, 0.765),
    PublishedJudge("BLEURT-base, fine-tuned", "GPT-4V", "test", None, 0.802, 0.654),
    PublishedJudge("BLEURT-base, fine-tuned", "Gemini-Pro-1.5", "test", None, 0.802, 0.704),
)
"""Table 5, as far as it is known."""

LEARNED_SOURCE = f"{_PAPER}, Table 5"
