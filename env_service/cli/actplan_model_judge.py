"""Does what ``houseguest actplan model judge`` is asked for."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from env_service.cli.actplan_model_calibrate import FORMAT
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
from env_service.cli.errors import PROBLEM, Misuse
from env_service.cli.output import print_table
from env_service.datasets.errors import DataPackError
from env_service.domain.english import counted
from env_service.domain.task import Task
from env_service.plain_files import read_plain_text
from env_service.results.atomic import document, write_atomically
from env_service.suites.actplan.judges.model_judge.calibration import Calibration
from env_service.suites.actplan.judges.model_judge.kept import Answers
from env_service.suites.actplan.judges.model_judge.questions import Asking, given_questions
from env_service.suites.actplan.judges.model_judge.rubric import Question
from env_service.suites.actplan.judges.plan_files import PlanFileError, read_plans
from env_service.suites.actplan.task_sets import ActPlanTaskSets


def judge(asked: Mapping[str, Any]) -> int:
    """The exit status. Raises Misuse, Failure and Interrupted."""
    asking = asking_of(asked)
    questions = _questions(asked, asking)
    if asked["dry_run"]:
        print_question(questions[0])
        return 0
    config = endpoint_config(asked)
    settings = settings_of(config, asking)
    known = _calibration(asked["calibration"], settings)
    out_of(asked)
    with open_answers(asked, settings) as state:
        ask_all(questions, config, state, asked["parallel"])
        problems = verdict_less(questions, state)
        records = _records(questions, state, known)
        made = {
            "settings": settings,
            "calibration": known and known["calibration"],
            "agreement": known and known["agreement"],
            "plans": records,
            "without_verdict": problems,
            "usage": {**asdict(state.usage), "cost": cost_of(state.usage, asked)},
        }
        write_atomically(out_of(asked), document(made))
        if asked["as_json"]:
            print_json(made)
        else:
            _tell(made, problems, cost_line(state.usage, asked))
    return PROBLEM if problems else 0


def _questions(asked: Mapping[str, Any], asking: Asking) -> list[Question]:
    tasks = _tasks()
    path: Path = asked["path"]
    problems = [name for name, task in tasks.items() if not task.data["scene"]]
    try:
        plans = read_plans(path, problems, asked["name"])
    except PlanFileError as error:
        raise Misuse(str(error), kind="PlanFileError") from error
    return list(given_questions(plans, asked["name"] or path.resolve().stem, tasks, asking))


def _tasks() -> dict[str, Task]:
    """Problems, and the instances that are here, by id."""
    sets = ActPlanTaskSets()
    found = {task.id: task for task in sets["problems"].tasks}
    for name in ("labelled", "archive"):
        try:
            found |= {task.id: task for task in sets[name].tasks}
        except DataPackError:
            # Instances show pictures; without them a problem's description has to do.
            continue
    return found


def _calibration(path: Path | None, settings: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What `calibrate` wrote; None where no file is given, or it says that nothing was fitted.

    Raises Misuse where it is no such file, or of another model or rubric.
    """
    if path is None:
        return None
    try:
        found = json.loads(read_plain_text(path))
        sound = found["format"] == FORMAT and isinstance(found["settings"], dict)
        if found["calibration"] is not None:
            Calibration(**found["calibration"])
    except (OSError, ValueError, KeyError, TypeError):
        sound, found = False, {}
    if not sound:
        raise Misuse(
            f"--calibration {path} is no file that `houseguest actplan model calibrate` wrote"
        )
    other = [
        f"{name} was {found['settings'].get(name)!r}, now {value!r}"
        for name, value in settings.items()
        if found["settings"].get(name) != value
    ]
    if other:
        raise Misuse(f"--calibration {path} is of another judge: {'; '.join(other)}")
    if found["calibration"] is None:
        raise Misuse(f"--calibration {path} holds none: too few plans of train were judged")
    calibrated: Mapping[str, Any] = found
    return calibrated


def _records(
    questions: Sequence[Question], state: Answers, known: Mapping[str, Any] | None
) -> list[dict[str, Any]]:
    calibration = Calibration(**known["calibration"]) if known else None
    found = ((each, state.entries[each.key].verdict) for each in questions)
    return [
        {
            "task": question.task,
            "source": question.source,
            "pictures": len(question.pictures),
            "correct": calibration.verdict(verdict.probability) if calibration else verdict.correct,
            "said": verdict.correct,
            "probability": calibration.probability(verdict.probability)
            if calibration
            else verdict.probability,
            "errors": [each.value for each in verdict.errors],
            "explanation": verdict.explanation,
        }
        for question, verdict in found
        if verdict is not None
    ]


def _tell(made: Mapping[str, Any], problems: Sequence[str], cost: str) -> None:
    plans = made["plans"]
    right = sum(each["correct"] for each in plans)
    share = f" ({right / len(plans):.1%})" if plans else ""
    click.echo(
        f"{right} of {counted(len(plans), 'plan')} are called correct{share} by"
        f" {made['settings']['model']}"
    )
    wrong = Counter(name for each in plans if not each["correct"] for name in each["errors"])
    if wrong:
        print_table(("why not", "#plans"), [(name, str(n)) for name, n in wrong.most_common()])
    for each in made["agreement"] or ():
        if each["split"] != "train" and each["plans_of"] == "all":
            told = each["calibrated"]
            click.echo(
                f"agreement with people on {each['split']}: MCC {told['mcc']:.3f}, accuracy"
                f" {told['accuracy']:.1%} (constant answer {each['baseline']:.1%})"
            )
    if made["calibration"] is None:
        click.echo("not calibrated: how far this model agrees with people is not known")
    click.echo(cost)
    for each in problems:
        click.echo(f"no verdict: {each}", err=True)
