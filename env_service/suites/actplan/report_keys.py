"""What actplan's runs are broken down by, and what is measured of them."""

from __future__ import annotations

from env_service.suites.actplan.judges.judgement import ErrorClass
from env_service.suites.actplan.scoring import LISTED, error_name
from env_service.suites.actplan.task import Circumstance
from env_service.suites.actplan.task_sets import gold_steps
from env_service.suites.reporting import (
    FAILED,
    SUCCESS_FLAG,
    Bins,
    Classes,
    Field,
    Label,
    Measure,
    Only,
    Statistic,
    metric,
    rate,
    task_number,
)

NORMAL, COUNTERFACTUAL, TOTAL = "normal", "counterfactual", "total"

CORRECT = rate(SUCCESS_FLAG, "correct (automatic)")
"""The judge ``correct``'s verdict; never called the paper's correctness, which people decided."""

CONDITION = Label("condition", "condition", condition=True)

VARIANTS = Classes(
    Label("variant"),
    "variant",
    (
        (NORMAL, (NORMAL,)),
        (COUNTERFACTUAL, (COUNTERFACTUAL,)),
        (TOTAL, (NORMAL, COUNTERFACTUAL)),
    ),
)
"""The columns of the paper's Table 3."""

MODALITY = Label("modality", "shown")
CIRCUMSTANCE = Classes(
    Label("circumstance"),
    "circumstance",
    tuple(
        (each.value.replace("_", " "), (each.value,))
        for each in (Circumstance.PROPERTY, Circumstance.FUNCTION, Circumstance.CAUSALITY)
    ),
)
"""Of counterfactuals (paper, Fig. 4)."""

LOST = Only(Field.RESULT, (FAILED,))
LOST_EPISODES = Measure(Statistic.EPISODES, "not correct")

ERRORS = Classes(
    Label("errors", separator=LISTED),
    "class of error",
    tuple((error_name(each), (error_name(each),)) for each in ErrorClass),
)

PLAN_STEPS = metric("plan_steps", "steps of the plan")
GOLD_STEPS = task_number("gold_steps", gold_steps, "mean steps of the published plans")
"""Looked up where the report is made: tasks and episodes know of no gold plan."""
BY_LENGTH = Bins(PLAN_STEPS, (10, 20, 30, 40, 50, 60))
BY_GOLD_LENGTH = Bins(GOLD_STEPS, (10, 20, 30, 40, 50, 60))
