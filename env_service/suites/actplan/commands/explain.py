"""``houseguest actplan explain``: a plan step by step, and what the executor thought of it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from env_service.cli.errors import Misuse
from env_service.cli.options import json_option, print_json
from env_service.cli.output import print_table
from env_service.storage.plain_files import MOST_GIVEN, read_plain

if TYPE_CHECKING:
    from env_service.domain.task import Task
    from env_service.suites.actplan.activity import Activity
    from env_service.suites.actplan.judges.judgement import Judgement
    from env_service.suites.actplan.plans.plan_reader import ReadPlan
    from env_service.suites.actplan.task import ActPlanTask

_SUITE = "actplan"

_EXAMPLES = """\b
Examples:
  houseguest actplan explain assembling_gift_baskets/0 --plan plan.txt
  houseguest actplan explain assembling_gift_baskets/1 --plan - < plan.txt
  houseguest actplan explain TASK --task-set builtin-4 --plan plan.txt
  houseguest actplan explain assembling_gift_baskets/0 --run RUN
  houseguest trace RUN assembling_gift_baskets/0    the same on a page, with pictures
"""


class _Judged(NamedTuple):
    task: ActPlanTask
    activity: Activity
    plan: ReadPlan
    judgement: Judgement


@click.command("explain", epilog=_EXAMPLES)
@click.argument("name", metavar="TASK|EPISODE")
@click.option(
    "--plan",
    type=click.Path(allow_dash=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The plan, one step a line; - reads standard input.",
)
@click.option(
    "--run",
    "run_path",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="RUN",
    help="A run of this suite; explain its answer to the task.",
)
@click.option("--repeat", default=0, metavar="N", help="The repeat in RUN.  [default: 0]")
@click.option(
    "--task-set",
    metavar="SET",
    help="The task set with the task.  [default: problems, then labelled]",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="commonsense=PROFILE, or corrections=off.",
)
@json_option
def explain_command(*, as_json: bool, **options: Any) -> None:
    """Show how each step of a plan was parsed, and what was wrong."""
    if (options["plan"] is None) == (options["run_path"] is None):
        raise click.UsageError("Give --plan FILE, or --run RUN with an answer to explain.")
    judged = _from_run(options) if options["run_path"] else _from_plan(options)
    if as_json:
        _print_json(judged)
    else:
        _print(judged)


def _from_plan(options: dict[str, Any]) -> _Judged:
    from env_service.suites.actplan.plans.plan_reader import read_plan

    found = _task(options["name"], options["task_set"])
    return _judged(found, read_plan(_text(options["plan"])), options["settings"])


def _from_run(options: dict[str, Any]) -> _Judged:
    from env_service.cli.run_arguments import find_episode, open_run, read_replies
    from env_service.suites.actplan.episode import plan_of
    from env_service.suites.actplan.task import read_task

    run = open_run(options["run_path"], _SUITE, "explained")
    record = find_episode(run, options["name"], options["repeat"])
    said = read_replies(run, record)
    given = {setting.partition("=")[0].strip() for setting in options["settings"]}
    settings = [
        f"{name}={said.order.condition[name]}"
        for name in ("commonsense", "corrections")
        if name not in given
    ]
    plan = plan_of(said.order, said.actions)
    return _judged(read_task(said.order.task), plan, [*settings, *options["settings"]])


def _judged(task: ActPlanTask, plan: ReadPlan, settings: list[str]) -> _Judged:
    from env_service.cli.options import parse_condition
    from env_service.suites.actplan.conditions import profile_of
    from env_service.suites.actplan.judges.judge import judge
    from env_service.suites.actplan.overlay.understand import understand
    from env_service.suites.registry import load_suite
    from env_service.suites.selection import settle_condition

    condition = settle_condition(load_suite("actplan"), parse_condition(settings))
    activity = understand(task, corrections=condition["corrections"] == "on")
    return _Judged(task, activity, plan, judge(activity, plan, profile_of(condition)))


def _task(name: str, task_set: str | None) -> ActPlanTask:
    """Raises UnknownNameError for a task that is in none of the sets, and for an unknown set."""
    from env_service.domain.names import UnknownNameError
    from env_service.suites.actplan.task import read_task
    from env_service.suites.registry import load_suite
    from env_service.suites.selection import pick_task_set

    suite = load_suite("actplan")
    known: list[Task] = []
    for each in (task_set,) if task_set else ("problems", "labelled"):
        known += pick_task_set(suite, each).tasks
    for task in known:
        if task.id == name:
            return read_task(task)
    raise UnknownNameError("task", name, [task.id for task in known])


def _text(path: Path) -> str:
    try:
        raw = sys.stdin.buffer.read() if str(path) == "-" else read_plain(path, MOST_GIVEN)
    except OSError as error:
        raise Misuse(f"{path} cannot be read: {error.strerror}.") from None
    return raw.decode("utf-8", errors="replace")


def _print(judged: _Judged) -> None:
    from env_service.domain.text import safe
    from env_service.suites.actplan.judges.judgement_text import (
        judge_lines,
        notes,
        reading_rows,
        step_rows,
        verdict_line,
    )

    rows = [
        (str(row.number), row.said, "; ".join(row.done), "; ".join((*row.problems, *row.repairs)))
        for row in step_rows(judged.judgement)
    ]
    if rows:
        cells = [tuple(map(safe, row)) for row in rows]
        columns = ("#step", "the plan says", "read as", "problems, and what was put right")
        print_table(columns, cells)
    else:
        click.echo("No step could be read.")
    click.echo()
    met = [
        ("yes" if each.met else "no", each.text, each.undone)
        for each in judged.judgement.conditions
    ]
    print_table(("met", "condition", "left undone"), [tuple(map(safe, each)) for each in met])
    click.echo()
    readings = reading_rows(judged.judgement)
    if readings:
        cells = [tuple(map(safe, row)) for row in readings]
        print_table(("#score", "name that was not read literally", "how", "#first in step"), cells)
        click.echo()
    for name, said in judge_lines(judged.judgement):
        click.echo(safe(f"{name}: {said}"))
    for line in notes(judged.activity, judged.plan):
        click.echo(safe(line))
    click.echo(verdict_line(judged.judgement))


def _print_json(judged: _Judged) -> None:
    from dataclasses import asdict

    from env_service.suites.actplan.judges.judgement_text import free_readings, step_rows

    judgement = judged.judgement
    print_json(
        {
            "task": judged.task.id,
            "correct": judgement.correct,
            "conditions": [asdict(each) for each in judgement.conditions],
            "goals": {each.level.name.lower(): each.reached for each in judgement.goals},
            "profile": judgement.profile,
            "violations": [
                {"step": step, "kind": each.kind.value, "text": each.text}
                for step, each in judgement.violations
            ],
            "readings": [
                {
                    "step": each.step,
                    "kind": each.kind.value,
                    "text": each.text,
                    "score": each.score,
                }
                for each in free_readings(judgement)
            ],
            "errors": [each.value for each in judgement.errors],
            "steps": [asdict(row) for row in step_rows(judgement)],
            "residue": list(judged.plan.residue),
        }
    )
