"""Does what ``houseguest actplan model calibrate`` is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import click

from env_service.cli.actplan_model_run import (
    ask_all,
    asking_of,
    cost_line,
    cost_of,
    open_answers,
    out_of,
    print_question,
    settings_of,
    verdict_less,
)
from env_service.cli.common import print_json
from env_service.cli.endpoint_options import endpoint_config
from env_service.cli.errors import PROBLEM, Failure
from env_service.cli.output import print_table
from env_service.results.atomic import document, write_atomically
from env_service.suites.actplan.dataset.labelled import load_labelled
from env_service.suites.actplan.judges.model_judge.calibration import (
    Calibration,
    CalibrationError,
    fit,
)
from env_service.suites.actplan.judges.model_judge.kept import Answers
from env_service.suites.actplan.judges.model_judge.measuring import Answered, Measure, Measuring
from env_service.suites.actplan.judges.model_judge.questions import (
    Asking,
    LabelledQuestion,
    labelled_questions,
)
from env_service.suites.actplan.task_sets import ActPlanTaskSets

FORMAT = "houseguest-actplan-calibration-1"
TRAIN = "train"


def calibrate(asked: Mapping[str, Any]) -> int:
    """The exit status. Raises Misuse, Failure and Interrupted."""
    asking = asking_of(asked)
    labelled = _spread_out(_labelled(asking), asked["limit"])
    if asked["dry_run"]:
        print_question(labelled[0].question)
        return 0
    config = endpoint_config(asked)
    settings = settings_of(config, asking)
    questions = [each.question for each in labelled]
    out_of(asked)
    with open_answers(asked, settings) as state:
        ask_all(questions, config, state, asked["parallel"])
        rows = _answered(labelled, state)
        problems = verdict_less(questions, state)
        calibration, why = _fitted(rows)
        found = Measuring(calibration or Calibration()).measures(rows)
        made = {
            "format": FORMAT,
            "settings": settings,
            "calibration": None if calibration is None else asdict(calibration),
            "fitted_on": sum(row.asked.split == TRAIN for row in rows),
            "agreement": [each.to_json() for each in found],
            "without_verdict": problems,
            "usage": {**asdict(state.usage), "cost": cost_of(state.usage, asked)},
        }
        write_atomically(out_of(asked), document(made))
        if asked["as_json"]:
            print_json(made)
        else:
            _tell(made, found, problems, cost_line(state.usage, asked))
    if why:
        click.echo(f"not calibrated: {why}", err=True)
    return PROBLEM if problems or why else 0


def _labelled(asking: Asking) -> list[LabelledQuestion]:
    plans, tasks = load_labelled(), ActPlanTaskSets()["labelled"].tasks
    found = list(labelled_questions(plans, tasks, asking))
    if not found:
        raise Failure("there are no labelled plans here", kind="NoPlans")
    return found


def _spread_out(labelled: Sequence[LabelledQuestion], limit: int) -> Sequence[LabelledQuestion]:
    """So many of each split, evenly over models and activities."""
    if not limit:
        return labelled
    chosen: list[LabelledQuestion] = []
    for split in dict.fromkeys(each.split for each in labelled):
        own = [each for each in labelled if each.split == split]
        part = sorted(own, key=lambda each: each.question.source)
        count = min(limit, len(part))
        chosen += [part[at * len(part) // count] for at in range(count)]
    return chosen


def _answered(labelled: Sequence[LabelledQuestion], state: Answers) -> list[Answered]:
    found = ((each, state.entries.get(each.question.key)) for each in labelled)
    return [
        Answered(each, entry.verdict)
        for each, entry in found
        if entry is not None and entry.verdict is not None
    ]


def _fitted(rows: Sequence[Answered]) -> tuple[Calibration | None, str]:
    """The calibration, or why there is none."""
    if not rows:
        raise Failure("the model gave no verdict that could be read", kind="NoVerdict")
    train = [row for row in rows if row.asked.split == TRAIN]
    said, labels = [r.verdict.probability for r in train], [r.asked.label for r in train]
    try:
        return fit(said, labels), ""
    except CalibrationError as error:
        return None, str(error)


def _tell(
    made: Mapping[str, Any], found: Sequence[Measure], problems: Sequence[str], cost: str
) -> None:
    columns = ("split", "plans of", "#plans", "#MCC said", "#MCC", "95 % interval", "#accuracy")
    print_table(
        (*columns, "#constant", "#Brier said", "#Brier", "#ROC area"),
        [_cells(each) for each in found],
    )
    fitted = made["calibration"]
    if fitted is not None:
        click.echo(
            f"temperature {fitted['temperature']:.3f}, threshold {fitted['threshold']:.3f}, fitted"
            f" on {made['fitted_on']} plans of {TRAIN}; what is told of {TRAIN} is too good"
        )
    click.echo(cost)
    for each in problems:
        click.echo(f"no verdict: {each}", err=True)


def _cells(found: Measure) -> tuple[str, ...]:
    return (
        found.split,
        found.plans,
        str(found.said.count),
        f"{found.said.mcc:.3f}",
        f"{found.calibrated.mcc:.3f}",
        f"{found.interval.low:.3f} to {found.interval.high:.3f}",
        f"{found.calibrated.accuracy:.1%}",
        f"{found.said.baseline:.1%}",
        f"{found.brier_said:.3f}",
        f"{found.brier_calibrated:.3f}",
        "-" if found.roc is None else f"{found.roc:.3f}",
    )
