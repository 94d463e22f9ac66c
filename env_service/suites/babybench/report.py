"""What a report on babybench shows: a design for each question, and for levels that are played."""

from __future__ import annotations

from env_service.suites.babybench.report_decompose import DECOMPOSE
from env_service.suites.babybench.report_keys import DIFFICULTY, GRID, SKILLS, SKILLS_NOTE
from env_service.suites.babybench.report_plan import PLAN
from env_service.suites.babybench.report_predict import PREDICT
from env_service.suites.babybench.tasks import Question
from env_service.suites.reporting import (
    EPISODES,
    GOAL_CONDITIONS,
    GOALS_GAINED,
    STEPS,
    SUCCEEDED,
    SUCCESS,
    Bars,
    Field,
    Only,
    ReportDesign,
    Table,
    common_design,
    mean,
    metric,
)

_WON = Only(Field.RESULT, (SUCCEEDED,))
_PLAYED = (
    EPISODES,
    SUCCESS,
    GOALS_GAINED,
    GOAL_CONDITIONS,
    mean(STEPS),
    mean(STEPS, "steps of a success", only=_WON),
    mean(metric("refused", "refused turns")),
    mean(metric("unparsable", "turns not understood")),
)

INTERACTIVE = common_design("level").plus(
    Table(id="difficulty", title="By difficulty", rows=DIFFICULTY, columns=_PLAYED, total=True),
    Table(
        id="skills", title="By skill", rows=SKILLS, columns=_PLAYED, total=True, note=SKILLS_NOTE
    ),
    Bars(id="success-difficulty", title="Success by difficulty", by=DIFFICULTY),
    Bars(id="success-skill", title="Success by skill", by=SKILLS, note=SKILLS_NOTE),
    Bars(id="success-grid", title="Success by size of the grid", by=GRID),
)
"""Levels that are played action by action. Nothing published was played so."""

DESIGN = ReportDesign(
    items=INTERACTIVE.items,
    group=INTERACTIVE.group,
    by_task_set={
        f"{question.value}*": design
        for question, design in (
            (Question.PREDICT, PREDICT),
            (Question.PLAN, PLAN),
            (Question.DECOMPOSE, DECOMPOSE),
        )
    },
)
"""The names of all of a question's task sets begin with the question's."""
