"""``houseguest expert``: proves tasks solvable, and writes down how."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import click

from env_service.cli.common import json_option, print_json, selection_options
from env_service.cli.errors import PROBLEM, Interrupted, Misuse
from env_service.cli.expert_file import ExpertFile, dump
from env_service.cli.expert_play import Solution, opening_of, solve_all
from env_service.cli.output import progress
from env_service.cli.selecting import Chosen
from env_service.suites.base import EpisodeOrder, Suite

MOST_FAILURES = 20
"""Failed tasks named to a reader; ``--json`` names all."""

_EXAMPLES = """\b
Examples:
  houseguest expert --suite babyai --tasks GoToLocal --limit 12
  houseguest expert --suite babyai --set view=partial --out expert.jsonl
  houseguest expert --suite babyai --tasks Open --json | jq '.lines[].actions | length'

\b
Each line is one task:
  {"task": "GoToLocal/2",
   "opening": {"instruction": …, "text": …, "images": [SHA-256 of the raw pixels, …]},
   "actions": [{"skill": "forward", "arguments": {}}, …], "success": true}
"""

Lines = Mapping[str, Mapping[str, Any]]
"""The JSON lines that are known, by task id."""


@click.command("expert", epilog=_EXAMPLES)
@selection_options
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="The seed of the run that the actions are meant for.",
)
@click.option(
    "--jobs", type=click.IntRange(min=1), metavar="N", help="Processes.  [default: one a core]"
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write there, and go on with what is there already.  [default: stdout]",
)
@json_option
def expert_command(
    *, seed: int, jobs: int | None, out: Path | None, as_json: bool, **selection: Any
) -> int:
    """Let a suite's expert solve tasks, and write its actions as JSON Lines.

    The expert knows the true state of the world, which no agent does. Exit status 1 when it
    fails on a task. After an interruption the same command adds what FILE still lacks.
    """
    chosen = Chosen.read(selection)
    orders = chosen.orders(selection, seed)

    def solve(orders: Sequence[EpisodeOrder], keep: Callable[[Solution], None]) -> None:
        with (
            progress("solving", len(orders)) as advance,
            closing(solve_all(selection["suite"], orders, jobs or os.cpu_count() or 1)) as found,
        ):
            for solution in found:
                keep(solution)
                advance()

    if out is None:
        lines, problems = _to_stdout(orders, solve, quiet=as_json)
    else:
        lines, problems = _to_file(chosen, orders, solve, out)
    failed = _failures(orders, lines, problems)
    if as_json:
        document = _document(chosen, orders, failed)
        rest = {"lines": list(lines.values())} if out is None else {"out": str(out)}
        print_json({**document, "seed": seed, **rest})
    else:
        _tell(len(orders), failed, out)
    return PROBLEM if failed else 0


Solve = Callable[[Sequence[EpisodeOrder], Callable[[Solution], None]], None]


def _to_stdout(
    orders: Sequence[EpisodeOrder], solve: Solve, *, quiet: bool
) -> tuple[Lines, dict[str, str]]:
    """Prints each line as soon as those before it are known, unless ``quiet``."""
    found: dict[str, Solution] = {}
    waiting = [order.task.id for order in reversed(orders)]

    def keep(solution: Solution) -> None:
        found[solution.task_id] = solution
        while waiting and waiting[-1] in found:
            line = found[waiting.pop()].line
            if line is not None and not quiet:
                click.echo(dump(line), nl=False)

    solve(orders, keep)
    ordered = [found[order.task.id] for order in orders]
    lines = {solution.task_id: solution.line for solution in ordered if solution.line is not None}
    return lines, {each.task_id: each.problem for each in ordered if each.line is None}


def _to_file(
    chosen: Chosen, orders: Sequence[EpisodeOrder], solve: Solve, out: Path
) -> tuple[Lines, dict[str, str]]:
    problems: dict[str, str] = {}
    with ExpertFile(out, [task.id for task in chosen.task_set.tasks]) as file:

        def keep(solution: Solution) -> None:
            if solution.line is None:
                problems[solution.task_id] = solution.problem
            else:
                file.add(solution.line)

        _check_same_run(chosen.suite, orders, file)
        with _interruptible(orders, file):
            solve([order for order in orders if order.task.id not in file.lines], keep)
    return file.lines, problems


def _check_same_run(suite: Suite, orders: Sequence[EpisodeOrder], file: ExpertFile) -> None:
    """Raises Failure where the file's lines were made under another condition or seed."""
    known = next((order for order in orders if order.task.id in file.lines), None)
    if known is None or file.lines[known.task.id]["opening"] == opening_of(suite, known):
        return
    raise Misuse(
        f"{file.path} holds task {known.task.id!r} with another opening: it was written with"
        " other settings, another seed or other rules. Remove the file, or choose another --out.",
        kind="ExpertFileError",
    )


@contextmanager
def _interruptible(orders: Sequence[EpisodeOrder], file: ExpertFile) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        done = sum(order.task.id in file.lines for order in orders)
        raise Interrupted(
            f"interrupted: {done} of {len(orders)} tasks are in {file.path}; the same command"
            " adds the others."
        ) from None


def _failures(
    orders: Sequence[EpisodeOrder], lines: Lines, problems: Mapping[str, str]
) -> dict[str, str]:
    """Why each task that was not solved was not."""
    unsolved = [order.task.id for order in orders if order.task.id in lines]
    return {
        task: "the expert's actions do not reach the goal"
        for task in unsolved
        if not lines[task]["success"]
    } | dict(problems)


def _document(
    chosen: Chosen, orders: Sequence[EpisodeOrder], failed: Mapping[str, str]
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


def _tell(total: int, failed: Mapping[str, str], out: Path | None) -> None:
    where = "" if out is None else f", written to {out}"
    click.echo(f"{total - len(failed)} of {total} tasks solved{where}", err=True)
    for task, problem in list(failed.items())[:MOST_FAILURES]:
        click.echo(f"not solved: {task}: {problem}", err=True)
    if len(failed) > MOST_FAILURES:
        click.echo(f"… and {len(failed) - MOST_FAILURES} more; --json names all", err=True)
