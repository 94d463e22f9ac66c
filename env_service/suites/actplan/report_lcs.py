"""What plans have in common with gold plans: the paper's Table 4, of scores made after a run."""

from __future__ import annotations

from env_service.suites.actplan.lcs.numbers import (
    INSTANCES,
    LENGTH,
    MEAN_NORMALISED,
    NORMALISED,
    SCORES,
    number,
)
from env_service.suites.actplan.lcs.splitting import Mode
from env_service.suites.actplan.lcs.summary import PUBLISHED
from env_service.suites.actplan.report_keys import TOTAL, VARIANTS
from env_service.suites.actplan.task_sets import PUBLISHED_SETS
from env_service.suites.reporting import (
    Afterwards,
    Measure,
    Reference,
    Table,
    Unit,
    added,
    ratio,
    total,
)

COMMON = "common-steps"
"""The table."""
COMMAND = "houseguest actplan lcs"

_MODELS = {"gpt-4v": "GPT-4V", "gemini": "Gemini-Pro-1.5"}
_INSTANCES = 402
_COMPARED = "instances"
_AS_PUBLISHED = ("LCS (compat)", "normalised (compat)")


def _mean(mode: Mode, name: str, heading: str, unit: Unit = Unit.NUMBER) -> Measure:
    """Over instances: a plan for a problem counts once for each scene, as in the paper."""
    return ratio(
        added(SCORES, number(mode, name), unit=unit),
        added(SCORES, number(mode, INSTANCES)),
        heading=heading,
    )


PLANS_COMPARED = Table(
    id=COMMON,
    title="Steps in common with gold plans (LCS)",
    rows=VARIANTS,
    columns=(
        total(added(SCORES, number(Mode.COMPAT, INSTANCES)), _COMPARED),
        _mean(Mode.COMPAT, LENGTH, _AS_PUBLISHED[0]),
        _mean(Mode.COMPAT, NORMALISED, _AS_PUBLISHED[1], Unit.PERCENT),
        _mean(Mode.CLEAN, LENGTH, "LCS (clean)"),
        _mean(Mode.CLEAN, NORMALISED, "normalised (clean)", Unit.PERCENT),
        _mean(Mode.CLEAN, MEAN_NORMALISED, "mean of golds (clean)", Unit.PERCENT),
    ),
    note=(
        "The longest common subsequence of steps, and that over the longer plan's; no verdict."
        " Compat: as the published script has it, against one gold plan. Clean: against both, with"
        " the one that the plan is most like. Golds were edited from the published models' answers."
    ),
    afterwards=Afterwards(SCORES, COMMAND, PUBLISHED_SETS),
)


def common_steps() -> tuple[Reference, ...]:
    """Table 4 as far as it is known: of all instances, as the published script scores them."""
    return tuple(
        Reference(
            table=COMMON,
            row=TOTAL,
            column=column,
            value=value,
            n=_INSTANCES,
            source="ActPlan-1K, Table 4",
            world="iGibson",
            rules="the published script's",
            agent=_MODELS[model],
        )
        for model, values in PUBLISHED.items()
        for column, value in ((_COMPARED, _INSTANCES), *zip(_AS_PUBLISHED, values, strict=True))
    )
