"""``houseguest actplan judge`` and ``agreement``: correct plans; do judges agree with people?"""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.errors import PROBLEM, Failure, Misuse
from env_service.cli.options import json_option, print_json, whole_number
from env_service.cli.output import print_table, progress
from env_service.domain.text import counted
from env_service.worlds.activity.commonsense import PROFILES

if TYPE_CHECKING:
    from env_service.suites.actplan.judges.agreement import LabelledVerdicts, MeasuredAgreement
    from env_service.suites.actplan.judges.judgement import Judgement
    from env_service.suites.actplan.judges.plan_files import GivenPlan
    from env_service.suites.actplan.task import ActPlanTask


_JUDGE_EXAMPLES = """\b
Examples:
  houseguest actplan judge plans/
  houseguest actplan judge plans.jsonl --csv verdicts.csv
  houseguest actplan judge annotation/ --name gemini --given
  houseguest actplan judge finetuning_data.jsonl --name gpt-4v --task-set labelled
  houseguest actplan judge plans/ --json > verdicts.json

\b
PLANS is a folder with files ACTIVITY/0.txt (normal) and ACTIVITY/1.txt (counterfactual); a folder
in the published layout, SCENE/ACTIVITY/0/sample_0/plan_NAME.txt; a .jsonl file with lines {"task":
…, "plan": …}; the published .jsonl file, with --name gpt-4v, gemini, gold_1 or gold_2; or a .json
object that maps tasks to plans.
"""

_MOST_NAMED = 5


@click.command("judge", epilog=_JUDGE_EXAMPLES)
@click.argument(
    "sources",
    nargs=-1,
    required=True,
    metavar="PLANS…",
    type=click.Path(exists=True, path_type=Path),
)
@click.option(
    "--name", default="", metavar="NAME", help="The model, if you give published folders or files."
)
@click.option(
    "--task-set",
    default="problems",
    show_default=True,
    metavar="SET",
    help="The tasks that need a plan.",
)
@click.option("--given", is_flag=True, help="Leave out tasks without a plan.")
@click.option(
    "--profile",
    type=click.Choice(list(PROFILES)),
    default=next(iter(PROFILES)),
    show_default=True,
    help="The preconditions that the judge commonsense checks; no effect on correctness.",
)
@click.option(
    "--corrections/--no-corrections",
    default=True,
    show_default=True,
    help="Correct known defects of published definitions.",
)
@click.option(
    "--jobs", type=click.IntRange(1, 256), metavar="N", help="Processes.  [default: all cores]"
)
@click.option(
    "--csv",
    "csv_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write one line per plan to this file.",
)
@json_option
def judge_command(
    *, sources: tuple[Path, ...], csv_file: Path | None, as_json: bool, **options: Any
) -> int:
    """Judge plans by rules, and show the agreement with people.

    A task without a plan counts as not correct, and the exit status is then 1.
    """
    if csv_file is not None and not csv_file.parent.is_dir():
        raise Misuse(f"{csv_file} cannot be written: the folder {csv_file.parent} does not exist.")
    tasks = _tasks(options["task_set"])
    plans = _plans(sources, tasks, options["name"])
    rows = _judged_plans(plans, tasks, options)
    missing = [] if options["given"] else _missing(plans, tasks)
    rows += [missing_row(each) for each in missing]
    if csv_file is not None:
        write_csv(csv_file, rows)
    if as_json:
        print_json(_document(rows, options))
    else:
        _print_summary(rows, missing)
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
            raise Misuse(
                f"{source} is a run, which already has verdicts: houseguest report {source}"
            )
        try:
            plans = read_plans(source, tasks, name)
        except PlanFileError as error:
            raise Misuse(str(error), kind="PlanFileError") from error
        for each in plans:
            if each.task in found:
                both = f"{found[each.task].source} and {each.source}"
                raise Misuse(f"There are two plans of {each.task!r}: {both}", kind="PlanFileError")
            found[each.task] = each
    return list(found.values())


def _judged_plans(
    plans: list[GivenPlan], tasks: dict[str, ActPlanTask], options: dict[str, Any]
) -> list[JudgedRow]:
    from env_service.suites.actplan.judges.judge import JudgeOptions, PlanToJudge, judge_all

    to_judge = [PlanToJudge(tasks[each.problem], each.text) for each in plans]
    judge_options = JudgeOptions(PROFILES[options["profile"]], options["corrections"])
    rows = []
    with progress("judged", len(to_judge)) as advance:
        judgements = judge_all(to_judge, judge_options, options["jobs"] or os.cpu_count() or 1)
        for plan, order, judgement in zip(plans, to_judge, judgements, strict=True):
            rows.append(row_of(plan, order.task, judgement))
            advance()
    return rows


def _missing(plans: list[GivenPlan], tasks: dict[str, ActPlanTask]) -> list[ActPlanTask]:
    given = {each.problem for each in plans}
    return [task for name, task in tasks.items() if name not in given]


def _print_summary(rows: list[JudgedRow], missing: list[ActPlanTask]) -> None:
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


def _document(rows: list[JudgedRow], options: dict[str, Any]) -> dict[str, Any]:
    from env_service.suites.actplan.judges.agreement import measured

    return {
        "task_set": options["task_set"],
        "profile": options["profile"],
        "corrections": options["corrections"],
        "parts": [part.to_json(name) for name, part in parts_of(rows)],
        "agreement": [each.to_json() for each in measured() if each.judge == "correct"],
        "plans": [each.to_json() for each in rows],
    }


# --- ``houseguest actplan agreement``: how far the judges agree with people

_AGREEMENT_EXAMPLES = """\b
Examples:
  houseguest actplan agreement
  houseguest actplan agreement --split train
  houseguest actplan agreement --split val --split test
  houseguest actplan agreement --split train --csv disagreements.csv
"""

_SPLITS = ("train", "val", "test")


@click.command("agreement", epilog=_AGREEMENT_EXAMPLES)
@click.option(
    "--split",
    "splits",
    multiple=True,
    type=click.Choice(_SPLITS),
    help="Measure on these activities of the published split; the judges were tuned on train."
    "  [default: show the numbers of this release]",
)
@click.option("--jobs", type=click.IntRange(1, 256), metavar="N", help="Processes.")
@whole_number("--seed", "Seed of the bootstrap.")
@click.option(
    "--csv",
    "csv_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write each plan's label and verdicts to this file.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write the table in the release's format; rows of other splits stay.",
)
@json_option
def agreement_command(*, splits: tuple[str, ...], seed: int, as_json: bool, **options: Any) -> None:
    """Show how well the judges agree with people on published plans.

    Most plans are not correct, so Matthews' coefficient (MCC) is more informative than the
    accuracy. Next to the accuracy, the table shows that of always giving the most frequent
    answer. Intervals: 95 %, resampled by activity.
    """
    rows = _measured(splits, seed, options) if splits else _shipped(options)
    if as_json:
        print_json({"seed": seed, "rows": [each.to_json() for each in rows]})
        return
    print_table(MEASURED_COLUMNS, [measured_cells(each) for each in rows])


def _shipped(options: dict[str, Any]) -> Sequence[MeasuredAgreement]:
    from env_service.suites.actplan.judges.agreement import measured

    if options["csv_file"] is not None or options["out"] is not None:
        raise click.UsageError("--csv and --out need --split: they write measured results")
    return measured()


def _measured(
    splits: Sequence[str], seed: int, options: dict[str, Any]
) -> Sequence[MeasuredAgreement]:
    import numpy as np

    from env_service.suites.actplan.judges.agreement import measure

    for place in filter(None, (options["csv_file"], options["out"])):
        if not place.parent.is_dir():
            raise Misuse(f"{place} cannot be written: the folder {place.parent} does not exist.")
    parts = [_judged_labels(split, options["jobs"]) for split in dict.fromkeys(splits)]
    # A split's intervals are the same whichever other ones are measured with it.
    rows = [row for part in parts for row in measure(part, np.random.default_rng(seed))]
    judged = [each for part in parts for each in part]
    if options["csv_file"] is not None:
        _write_csv(options["csv_file"], judged)
    if options["out"] is not None:
        _write_table(options["out"], rows)
    return rows


def _judged_labels(split: str, jobs: int | None) -> list[LabelledVerdicts]:
    from env_service.suites.actplan.judges.agreement import judge_split, plans_in

    total = plans_in(split)
    if not total:
        raise Failure(f"The data pack has no labelled plan of split {split!r}")
    found = []
    with progress(f"{split}: judged", total) as advance:
        for each in judge_split(split, jobs or os.cpu_count() or 1):
            found.append(each)
            advance()
    return found


def _write_csv(path: Path, judged: Sequence[LabelledVerdicts]) -> None:
    import csv

    rows = [each.to_json() for each in judged]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _write_table(path: Path, rows: Sequence[MeasuredAgreement]) -> None:
    from env_service.suites.actplan.judges.agreement import read_measured, write_measured

    ours = {each.split for each in rows}
    old = read_measured(path.read_text(encoding="utf-8")) if path.exists() else ()
    path.write_text(
        write_measured((*(each for each in old if each.split not in ours), *rows)),
        encoding="utf-8",
    )


# --- What both print: a row a plan, a part of the tasks, a split

COLUMNS = (
    *("tasks", "#plans", "#correct", "#correct %", "#95 %"),
    *("#goal strict %", "#goal relaxed %", "#no violation %"),
)

MEASURED_COLUMNS = (
    *("judge", "plans of", "split", "#plans", "#MCC", "#95 %"),
    *("#accuracy %", "#constant answer %", "#precision %", "#recall %"),
)

BESIDE_COLUMNS = (
    *("plans of", "split", "#plans", "#MCC", "#95 %", "#accuracy %", "#constant answer %"),
    *("#correct by people %", "#by this judge %"),
)

_LISTED = "; "


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """One plan's verdicts; all of them are negative for a task without a plan. ``unmet``: what
    keeps it from being correct; ``errors``: classes of the paper's Figure 6; ``readings``: names
    that were not read literally, each with its score."""

    task: str
    activity: str
    variant: str
    source: str
    correct: bool = False
    goal_strict: bool = False
    goal_names: bool = False
    goal_relaxed: bool = False
    goal_collective: bool = False
    goal_share: float = 0.0
    violations: int = 0
    sensible: bool = False
    errors: str = ""
    unmet: str = ""
    readings: str = ""

    def to_json(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class TaskPart:
    """Some of the plans. Shares in 0 … 1; ``low`` and ``high``: the 95 % interval of that of the
    correct ones."""

    plans: int
    correct: int
    low: float
    high: float
    goal_strict: float
    goal_relaxed: float
    sensible: float

    def to_json(self, name: str) -> dict[str, Any]:
        """As ``--json`` prints it."""
        return {"tasks": name, **asdict(self), "share": self.correct / self.plans}


def row_of(plan: GivenPlan, task: ActPlanTask, judgement: Judgement) -> JudgedRow:
    """The row of a plan that was judged."""
    from env_service.suites.actplan.grounding.grounded_plan import Level
    from env_service.suites.actplan.judges.judge import reaches

    relaxed = next(each for each in judgement.goals if each.level is Level.RELAXED)
    return JudgedRow(
        task=plan.task,
        activity=task.activity,
        variant=task.variant.value,
        source=plan.source,
        correct=judgement.correct,
        goal_strict=reaches(judgement, Level.STRICT),
        goal_names=reaches(judgement, Level.NAMES),
        goal_relaxed=relaxed.reached,
        goal_collective=reaches(judgement, Level.COLLECTIVE),
        goal_share=relaxed.fraction,
        violations=len(judgement.violations),
        sensible=judgement.sensible,
        errors=_LISTED.join(each.value for each in judgement.errors),
        unmet=_LISTED.join(each.undone or each.text for each in judgement.unmet),
        readings=_LISTED.join(each.described for each in judgement.readings),
    )


def missing_row(task: ActPlanTask) -> JudgedRow:
    """The row of a task without a plan."""
    return JudgedRow(task.id, task.activity, task.variant.value, "", unmet="no plan was given")


def parts_of(rows: Sequence[JudgedRow]) -> list[tuple[str, TaskPart]]:
    """The normal ones, the counterfactual ones, all; without those of which there is nothing."""
    variants = [
        (name, [each for each in rows if each.variant == name])
        for name in ("normal", "counterfactual")
    ]
    return [(name, _part(some)) for name, some in (*variants, ("total", list(rows))) if some]


def part_cells(name: str, part: TaskPart) -> tuple[str, ...]:
    """A line of the table."""
    return (
        *(name, str(part.plans), str(part.correct), _percent(part.correct / part.plans)),
        f"{_percent(part.low)}-{_percent(part.high)}",
        *map(_percent, (part.goal_strict, part.goal_relaxed, part.sensible)),
    )


def write_csv(path: Path, rows: Sequence[JudgedRow]) -> None:
    """A line for each plan, under a line with the names. Raises OSError."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(
            file, [each.name for each in fields(JudgedRow)], lineterminator="\n"
        )
        writer.writeheader()
        writer.writerows(each.to_json() for each in rows)


def agreement_rows() -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The table of how far `correct` agrees with people, as it was measured for this release, and
    of how many plans either calls correct."""
    from env_service.suites.actplan.judges.agreement import measured

    return BESIDE_COLUMNS, [_beside(row) for row in measured() if row.judge == "correct"]


def _beside(row: MeasuredAgreement) -> tuple[str, ...]:
    found = row.confusion
    called = found.true_positives + found.false_positives
    shares = (each / found.count for each in (found.correct, called))
    return (*measured_cells(row)[1:8], *map(_percent, shares))


def measured_cells(row: MeasuredAgreement) -> tuple[str, ...]:
    """A line of that table."""
    found = row.confusion
    return (
        *(row.judge, row.model, row.split, str(found.count), f"{found.mcc:.3f}"),
        f"{row.interval.low:.3f} to {row.interval.high:.3f}",
        *(_percent(found.accuracy), _percent(found.baseline)),
        *("-" if each is None else _percent(each) for each in (found.precision, found.recall)),
    )


def _part(rows: Sequence[JudgedRow]) -> TaskPart:
    from env_service.results.statistics.intervals import rate_interval

    scores = [float(each.correct) for each in rows]
    low, high = rate_interval(
        scores, [each.activity for each in rows], [each.task for each in rows]
    )
    return TaskPart(
        plans=len(rows),
        correct=sum(each.correct for each in rows),
        low=low,
        high=high,
        goal_strict=sum(each.goal_strict for each in rows) / len(rows),
        goal_relaxed=sum(each.goal_relaxed for each in rows) / len(rows),
        sensible=sum(each.sensible for each in rows) / len(rows),
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
