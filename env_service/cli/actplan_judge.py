"""``houseguest actplan judge``: how many of a model's plans are correct."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.actplan_judge_rows import (
    COLUMNS,
    Row,
    agreement_rows,
    missing_row,
    part_cells,
    parts_of,
    row_of,
    write_csv,
)
from env_service.cli.common import json_option, print_json
from env_service.cli.errors import PROBLEM, Misuse
from env_service.cli.output import print_table, progress
from env_service.domain.english import counted
from env_service.worlds.activity.profile import PROFILES

if TYPE_CHECKING:
    from env_service.suites.actplan.judges.plan_files import GivenPlan
    from env_service.suites.actplan.task import ActPlanTask

_EXAMPLES = """\b
Examples:
  houseguest actplan judge plans/
  houseguest actplan judge plans.jsonl --csv verdicts.csv
  houseguest actplan judge annotation/ --name gemini --given
  houseguest actplan judge finetuning_data.jsonl --name gpt-4v --task-set labelled
  houseguest actplan judge plans/ --json > verdicts.json

\b
Plans lie in a folder as ACTIVITY/0.txt (normal) and ACTIVITY/1.txt (counterfactual), or as
published, SCENE/ACTIVITY/0/sample_0/plan_NAME.txt; in a .jsonl file with "task" and "plan" in
each line, or in the published one, of which --name takes gpt-4v, gemini, gold_1 or gold_2; or in a
.json file that maps tasks to plans.
"""

_MOST_NAMED = 5


@click.command("judge", epilog=_EXAMPLES)
@click.argument(
    "sources",
    nargs=-1,
    required=True,
    metavar="PLANS…",
    type=click.Path(exists=True, path_type=Path),
)
@click.option("--name", default="", metavar="NAME", help="Whose, of published folders and files.")
@click.option(
    "--task-set",
    default="problems",
    show_default=True,
    metavar="SET",
    help="The tasks that there has to be a plan for.",
)
@click.option("--given", is_flag=True, help="Leave out tasks without a plan.")
@click.option(
    "--profile",
    type=click.Choice(list(PROFILES)),
    default=next(iter(PROFILES)),
    show_default=True,
    help="By which preconditions count for the judge commonsense; not for correctness.",
)
@click.option(
    "--corrections/--no-corrections",
    default=True,
    show_default=True,
    help="Mend known defects of published definitions.",
)
@click.option(
    "--jobs", type=click.IntRange(1, 256), metavar="N", help="Processes.  [default: all cores]"
)
@click.option(
    "--csv",
    "csv_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write a line for each plan to this file.",
)
@json_option
def judge_command(
    *, sources: tuple[Path, ...], csv_file: Path | None, as_json: bool, **asked: Any
) -> int:
    """Say how many plans are correct, by the automatic verdict, and how far that agrees with
    people's.

    A task without a plan counts as not correct. Exit status 1 where there was such a task.
    """
    if csv_file is not None and not csv_file.parent.is_dir():
        raise Misuse(f"{csv_file} cannot be written: there is no folder {csv_file.parent}.")
    tasks = _tasks(asked["task_set"])
    plans = _plans(sources, tasks, asked["name"])
    rows = _judged(plans, tasks, asked)
    missing = [] if asked["given"] else _missing(plans, tasks)
    rows += [missing_row(each) for each in missing]
    if csv_file is not None:
        write_csv(csv_file, rows)
    if as_json:
        print_json(_document(rows, asked))
    else:
        _tell(rows, missing)
    return PROBLEM if missing else 0


def _tasks(name: str) -> dict[str, ActPlanTask]:
    from env_service.domain.names import UnknownNameError
    from env_service.suites.actplan.task import read_task
    from env_service.suites.actplan.task_sets import ActPlanTaskSets

    task_sets = ActPlanTaskSets()
    name = name.removeprefix("actplan/")
    if name not in task_sets:
        raise UnknownNameError("task set of suite 'actplan'", name, task_sets)
    return {each.id: read_task(each) for each in task_sets[name].tasks}


def _plans(sources: tuple[Path, ...], tasks: dict[str, ActPlanTask], name: str) -> list[GivenPlan]:
    from env_service.suites.actplan.judges.plan_files import PlanFileError, read_plans

    found: dict[str, GivenPlan] = {}
    for source in sources:
        if (source / "manifest.json").is_file():
            raise Misuse(f"{source} is a run, judged as it was played: houseguest report {source}")
        try:
            plans = read_plans(source, tasks, name)
        except PlanFileError as error:
            raise Misuse(str(error), kind="PlanFileError") from error
        for each in plans:
            if each.task in found:
                both = f"{found[each.task].source} and {each.source}"
                raise Misuse(f"there are two plans of {each.task!r}: {both}", kind="PlanFileError")
            found[each.task] = each
    return list(found.values())


def _judged(
    plans: list[GivenPlan], tasks: dict[str, ActPlanTask], asked: dict[str, Any]
) -> list[Row]:
    from env_service.suites.actplan.judges.batch import Order, Rules, judge_all

    orders = [Order(tasks[each.problem], each.text) for each in plans]
    rules = Rules(PROFILES[asked["profile"]], asked["corrections"])
    rows = []
    with progress("judged", len(orders)) as advance:
        judgements = judge_all(orders, rules, asked["jobs"] or os.cpu_count() or 1)
        for plan, order, judgement in zip(plans, orders, judgements, strict=True):
            rows.append(row_of(plan, order.task, judgement))
            advance()
    return rows


def _missing(plans: list[GivenPlan], tasks: dict[str, ActPlanTask]) -> list[ActPlanTask]:
    given = {each.problem for each in plans}
    return [task for name, task in tasks.items() if name not in given]


def _tell(rows: list[Row], missing: list[ActPlanTask]) -> None:
    print_table(COLUMNS, [part_cells(*each) for each in parts_of(rows)])
    if missing:
        named = ", ".join(each.id for each in missing[:_MOST_NAMED])
        more = ", …" if len(missing) > _MOST_NAMED else ""
        click.echo(
            f"without a plan, and so not correct: {counted(len(missing), 'task')}: {named}{more}",
            err=True,
        )
    click.echo("\ncorrect: an automatic verdict, not people's. How far it agrees with theirs:")
    print_table(*agreement_rows())


def _document(rows: list[Row], asked: dict[str, Any]) -> dict[str, Any]:
    from env_service.suites.actplan.judges.measured import measured

    return {
        "task_set": asked["task_set"],
        "profile": asked["profile"],
        "corrections": asked["corrections"],
        "parts": [part.to_json(name) for name, part in parts_of(rows)],
        "agreement": [each.to_json() for each in measured() if each.judge == "correct"],
        "plans": [each.to_json() for each in rows],
    }
