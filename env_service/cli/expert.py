"""``houseguest expert``: solve tasks with a suite's expert, and write its actions."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from env_service.cli.command import with_sample
from env_service.cli.errors import PROBLEM, Interrupted, Misuse
from env_service.cli.expert_solutions import (
    ExpertFile,
    ExpertSolution,
    action_of,
    ambiguous_openings,
    draw_all,
    dump,
    in_words,
    opening_of,
    order_of,
    solve_all,
    to_draw,
    with_images,
    words_of,
)
from env_service.cli.options import json_option, print_json, selection_options
from env_service.cli.output import progress
from env_service.cli.task_selection import TaskSelection
from env_service.domain.text import counted
from env_service.suites.base import EpisodeOrder, Suite

if TYPE_CHECKING:
    from env_service.cli.expert_pictures import ExpertDrawing

MOST_FAILURES = 20
"""Maximum number of failed tasks listed in text output; ``--json`` lists all."""

_EXAMPLES = with_sample("""\b
Examples:
  houseguest expert --suite SUITE --tasks TASKS --limit 12
  houseguest expert --suite SUITE --set NAME=VALUE --out expert.jsonl
  houseguest expert --suite SUITE --task-set NAME --limit 3 --strips strips
  houseguest expert --suite SUITE --tasks TASKS --json | jq '.lines[].actions | length'

\b
Each line is one task:
  {"task": "…", "order": {"world": …, "condition": {…}, "seed": …},
   "opening": {"instruction": …, "text": …, "context": SHA-256 of the context's texts,
               "images": [SHA-256 of the raw pixels, …]},
   "actions": [{"skill": "forward", "arguments": {}}, …], "success": true}
""")

F = TypeVar("F", bound=Callable[..., Any])


def _folder_option(name: str, text: str) -> Callable[[F], F]:
    folder = click.Path(file_okay=False, path_type=Path)
    return click.option(name, type=folder, metavar="FOLDER", help=text)


Lines = Mapping[str, Mapping[str, Any]]
"""Known JSON lines, by task id."""


@click.command("expert", epilog=_EXAMPLES)
@selection_options
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Seed of the run that will play the actions.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Number of processes.  [default: one per core]",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Output file; tasks that it already contains are skipped.  [default: stdout]",
)
@_folder_option("--strips", "Draw each solution as a strip of pictures, TASK.png.")
@_folder_option("--films", "Draw each solution as an animated GIF, TASK.gif.")
@json_option
def expert_command(
    *, seed: int, jobs: int | None, out: Path | None, as_json: bool, **selection: Any
) -> int:
    """Let a suite's expert solve tasks, and write its actions as JSON Lines.

    The expert uses the true state of the world, which agents do not see, and needs no pictures.
    Opening pictures are drawn only for tasks whose opening texts are equal, to distinguish them.
    Such a line fits only these pictures. Exit status 1 if the expert fails on a task. After an
    interruption, run the same command to add the missing tasks to FILE.
    """
    chosen = TaskSelection.read(selection)
    asked = _Asked(chosen, selection, seed, jobs or os.cpu_count() or 1)
    orders = asked.orders
    drawing = _drawing(asked)
    lines, problems = _to_stdout(asked) if out is None else _to_file(asked, out)
    failed = _failures(orders, lines, problems)
    if as_json:
        document = _document(chosen, orders, failed)
        alike = {"alike": sorted(ambiguous_openings(lines.values()))}
        rest = {"lines": list(lines.values())} if out is None else {"out": str(out)}
        print_json({**document, **alike, "seed": seed, **rest})
    else:
        if out is None:
            click.echo("".join(map(dump, lines.values())), nl=False)
        _print_alike(ambiguous_openings(lines.values()))
        _print_result(len(orders), failed, out)
    if drawing is not None:
        _draw(drawing, asked, lines)
    return PROBLEM if failed else 0


@dataclass(frozen=True, slots=True)
class _Asked:
    """The options of the command line. ``selection`` are the parameters of ``selection_options``,
    and the folders ``strips`` and ``films``."""

    chosen: TaskSelection
    selection: Mapping[str, Any]
    seed: int
    jobs: int

    @property
    def orders(self) -> list[EpisodeOrder]:
        """One order per selected task."""
        return self.chosen.orders(self.selection, self.seed)

    @property
    def all_orders(self) -> list[EpisodeOrder]:
        """One order per task of the task set."""
        whole = replace(self.chosen, tasks=tuple(self.chosen.task_set.tasks))
        return whole.orders(self.selection, self.seed)

    def solve(self, orders: Sequence[EpisodeOrder], keep: Callable[[ExpertSolution], None]) -> None:
        """Solves tasks and passes each solution to ``keep`` when it is ready."""
        solving = solve_all(self.selection["suite"], orders, self.jobs)
        with progress("solving", len(orders)) as advance, closing(solving) as found:
            for solution in found:
                keep(solution)
                advance()

    def distinguish(self, lines: Lines, keep: Callable[[Mapping[str, Any]], None]) -> None:
        """Draws the opening pictures of tasks with equal opening texts.

        Passes the new lines to ``keep``. Reports pictures that cannot be drawn on standard error;
        the actions are valid without them.
        """
        orders = to_draw((each for each in self.all_orders if each.task.id in lines), lines)
        if not orders:
            return
        problems: list[str] = []
        drawing = draw_all(self.selection["suite"], orders, self.jobs)
        with progress("drawing openings", len(orders)) as advance, closing(drawing) as found:
            for drawn in found:
                if drawn.images:
                    keep(with_images(lines[drawn.task_id], drawn.images))
                elif drawn.problem:
                    problems.append(f"{drawn.task_id}: {drawn.problem}")
                advance()
        if problems:
            left_out = counted(len(problems), "opening")
            click.echo(f"{left_out} could not be drawn; the first: {problems[0]}", err=True)


def _drawing(asked: _Asked) -> ExpertDrawing | None:
    strips, films = asked.selection["strips"], asked.selection["films"]
    if strips is None and films is None:
        return None
    from env_service.cli.expert_pictures import ExpertDrawing

    drawing = ExpertDrawing(asked.chosen.suite, strips, films)
    drawing.check(asked.orders)
    return drawing


def _draw(drawing: ExpertDrawing, asked: _Asked, lines: Lines) -> None:
    solved = [order for order in asked.orders if order.task.id in lines]
    with progress("drawing solutions", len(solved)) as advance:
        for order in solved:
            drawing.draw(order, [*map(action_of, lines[order.task.id]["actions"])])
            advance()


def _to_stdout(asked: _Asked) -> tuple[Lines, dict[str, str]]:
    found: dict[str, ExpertSolution] = {}
    asked.solve(asked.orders, lambda each: found.update({each.task_id: each}))
    ordered = [found[order.task.id] for order in asked.orders]
    lines = {each.task_id: each.line for each in ordered if each.line is not None}
    asked.distinguish(dict(lines), lambda line: lines.update({line["task"]: dict(line)}))
    return lines, {each.task_id: each.problem for each in ordered if each.line is None}


def _to_file(asked: _Asked, out: Path) -> tuple[Lines, dict[str, str]]:
    problems: dict[str, str] = {}
    chosen, orders = asked.chosen, asked.orders
    with ExpertFile(out, [task.id for task in chosen.task_set.tasks]) as file:

        def keep(solution: ExpertSolution) -> None:
            if solution.line is None:
                problems[solution.task_id] = solution.problem
            else:
                file.add(solution.line)

        _check_same_run(chosen.suite, orders, file)
        with _interruptible(orders, file):
            asked.solve([order for order in orders if order.task.id not in file.lines], keep)
            asked.distinguish(dict(file.lines), file.add)
    return file.lines, problems


def _check_same_run(suite: Suite, orders: Sequence[EpisodeOrder], file: ExpertFile) -> None:
    """Raises Misuse if the file's lines have other orders or other openings."""
    known = [order for order in orders if order.task.id in file.lines]
    for order in known:
        if file.lines[order.task.id].get("order") != order_of(order):
            raise _misfit(file, order)
    openings = {each.task.id: file.lines[each.task.id]["opening"] for each in known}
    seen = next((order for order in known if openings[order.task.id]["images"]), None)
    if seen is not None and openings[seen.task.id] != opening_of(suite, seen):
        raise _misfit(file, seen)
    if seen is None and known:
        words = words_of(opening_of(suite, in_words(known[0])))
        if words_of(openings[known[0].task.id]) != words:
            raise _misfit(file, known[0])


def _misfit(file: ExpertFile, order: EpisodeOrder) -> Misuse:
    return Misuse(
        f"{file.path} has task {order.task.id!r} from another world, or with other settings,"
        " another seed or other rules. Remove the file, or choose another --out.",
        kind="ExpertFileError",
    )


@contextmanager
def _interruptible(orders: Sequence[EpisodeOrder], file: ExpertFile) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        done = sum(order.task.id in file.lines for order in orders)
        raise Interrupted(
            f"Interrupted: {done} of {counted(len(orders), 'task')} are in {file.path}. Run the"
            " same command to add the others."
        ) from None


def _failures(
    orders: Sequence[EpisodeOrder], lines: Lines, problems: Mapping[str, str]
) -> dict[str, str]:
    """Why the expert failed, by task id."""
    unsolved = [order.task.id for order in orders if order.task.id in lines]
    return {
        task: "the expert's actions do not reach the goal"
        for task in unsolved
        if not lines[task]["success"]
    } | dict(problems)


def _document(
    chosen: TaskSelection, orders: Sequence[EpisodeOrder], failed: Mapping[str, str]
) -> dict[str, Any]:
    return {
        "suite": chosen.suite.name,
        "suite_version": chosen.suite.version,
        "task_set": chosen.task_set.name,
        "digest": chosen.digest,
        "condition": dict(orders[0].condition),
        "tasks": len(orders),
        "solved": len(orders) - len(failed),
        "failed": [{"task": task, "problem": problem} for task, problem in failed.items()],
    }


def _print_result(total: int, failed: Mapping[str, str], out: Path | None) -> None:
    for task, problem in list(failed.items())[:MOST_FAILURES]:
        click.echo(f"not solved: {task}: {problem}", err=True)
    if len(failed) > MOST_FAILURES:
        click.echo(f"not solved: {len(failed) - MOST_FAILURES} more; --json lists all", err=True)
    where = "" if out is None else f", written to {out}"
    click.echo(f"{total - len(failed)} of {counted(total, 'task')} solved{where}", err=True)


def _print_alike(alike: Sequence[str]) -> None:
    if alike:
        tasks = counted(len(alike), "task opens", "tasks open")
        click.echo(
            f"{tasks} with the same text as another, and no picture distinguishes them: an agent"
            " that plays the file takes such tasks in the order of its lines.",
            err=True,
        )
