"""``houseguest actplan make counterfactual`` and ``check``: other circumstances."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.errors import PROBLEM, Misuse
from env_service.cli.options import json_option, names_option, print_json
from env_service.cli.output import print_table, progress
from env_service.domain.text import counted
from env_service.suites.actplan.commands.make_options import (
    kinds_option,
    model_options,
    solve_option,
    source_options,
)

if TYPE_CHECKING:
    from env_service.suites.actplan.commands.make_requests import ModelQuestion
    from env_service.suites.actplan.making.counterfactuals import (
        Attempt,
        Checked,
        Checker,
        Pair,
        Report,
    )
    from env_service.suites.actplan.making.files import (
        QuestionResult,
        SourceActivity,
        StatedCircumstance,
    )


_COUNTERFACTUAL_EXAMPLES = """\b
Examples:
  houseguest actplan make counterfactual --out made
  houseguest actplan make counterfactual --tasks 'packing_*' --kinds object_property --out made
  houseguest actplan make counterfactual mine/baking_a_cake --rules dusty,dark --out made
  houseguest actplan make counterfactual --circumstances circumstances.jsonl --out made \\
      --base-url http://127.0.0.1:8000/v1 --model Qwen/Qwen3-32B --parallel 4

\b
For each activity, the result is the first counterfactual that passes `make check`. OUT has the
published layout, with both problems and descriptions of each activity, and circumstances.jsonl,
which lists the changes. With --model, OUT/counterfactual.state.jsonl stores the answers, and the
same command resumes from it.
Exit status: 0 every activity has a counterfactual; 1 some have none, or the server failed.
"""


@click.command("counterfactual", epilog=_COUNTERFACTUAL_EXAMPLES)
@source_options
@click.option(
    "--circumstances",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="File with circumstances; those that no rule can produce need --model.  [default: rules]",
)
@names_option("--rules", "NAME[,…]", "Built-in rules; `--rules list` lists them.  [default: all]")
@kinds_option
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the rules' choices.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="The folder to write to.",
)
@solve_option
@model_options
@json_option
def counterfactual_command(**options: Any) -> int:
    """Make counterfactuals of normal problems, by rule or with a model.

    A counterfactual has another initial state and another goal, so that the plan for the normal
    problem no longer works.
    """
    if "list" in options["rules"]:
        return _list_rules()
    from env_service.suites.actplan.commands.make_requests import activities, failures_as_messages

    with failures_as_messages():
        sources = activities(options)
        stated = _stated(sources, options)
        if options["dry_run"]:
            return _dry_run(sources, stated, options)
        out: Path | None = options["out"]
        if out is None:
            raise Misuse("Give --out FOLDER, such as --out made")
        made = (
            _by_model(sources, stated, options, out)
            if options["model"]
            else _by_rules(sources, stated, options)
        )
        return _finish(sources, made, options, out)


def _list_rules() -> int:
    from env_service.cli.output import print_table
    from env_service.suites.actplan.making.problem_rules import PROBLEM_RULES

    rows = [(each.name, each.kind.value, each.summary) for each in PROBLEM_RULES.values()]
    print_table(("rule", "kind", "what it does"), rows)
    return 0


def _stated(
    sources: Sequence[SourceActivity], options: dict[str, Any]
) -> dict[str, list[StatedCircumstance]] | None:
    """The file's circumstances by activity; None without a file."""
    from env_service.suites.actplan.making.files import CircumstanceError, read_circumstances

    path: Path | None = options["circumstances"]
    if path is None:
        if options["model"]:
            raise Misuse(
                "Give --circumstances FILE, as `make circumstances` writes it; rules need no"
                " --model"
            )
        return None
    found: dict[str, list[StatedCircumstance]] = {each.name: [] for each in sources}
    for each in read_circumstances(path):
        if each.activity in found and each.kind.value in options["kinds"]:
            found[each.activity].append(each)
    if not any(found.values()):
        raise CircumstanceError(f"{path} has no circumstance for any of these activities")
    by_hand = next((s for each in found.values() for s in each if not s.rule), None)
    if by_hand is not None and not (options["model"] or options["dry_run"]):
        raise Misuse(f"No rule makes {by_hand.text!r}: give --model NAME to have a model make it")
    return {name: each for name, each in found.items() if each}


def _rules(options: dict[str, Any]) -> list[str]:
    """The names of the rules that are to be tried."""
    from env_service.domain.names import UnknownNameError
    from env_service.suites.actplan.making.problem_rules import PROBLEM_RULES

    for name in options["rules"]:
        if name not in PROBLEM_RULES:
            raise UnknownNameError("rule", name, PROBLEM_RULES)
    names = options["rules"] or tuple(PROBLEM_RULES)
    return [each for each in names if PROBLEM_RULES[each].kind.value in options["kinds"]]


def _attempts(
    activity: SourceActivity,
    stated: Sequence[StatedCircumstance] | None,
    options: dict[str, Any],
    ask: ModelQuestion | None,
) -> Iterator[Attempt]:
    """What is tried for an activity, one after the other."""
    from env_service.suites.actplan.commands.make_requests import checker
    from env_service.suites.actplan.making.counterfactuals import by_model, by_rule

    check: Checker = checker(solving=options["solve"])
    if stated is None:
        yield from by_rule(activity, _rules(options), options["seed"], check)
        return
    for each in stated:
        if each.rule:
            yield from by_rule(activity, [each.rule], options["seed"], check)
        elif ask is not None:
            yield by_model(activity, each, ask, check)


def _by_rules(
    sources: Sequence[SourceActivity],
    stated: Mapping[str, Sequence[StatedCircumstance]] | None,
    options: dict[str, Any],
) -> dict[str, list[Attempt]]:
    """All that was tried, by activity; the last one passes, or none does."""
    tried: dict[str, list[Attempt]] = {}
    with progress("counterfactuals", len(sources)) as advance:
        for source in sources:
            if stated is None or source.name in stated:
                here = tried.setdefault(source.name, [])
                given = None if stated is None else stated[source.name]
                for attempt in _attempts(source, given, options, None):
                    here.append(attempt)
                    if attempt.sound:
                        break
            advance()
    return tried


def _by_model(
    sources: Sequence[SourceActivity],
    stated: Mapping[str, Sequence[StatedCircumstance]] | None,
    options: dict[str, Any],
    out: Path,
) -> dict[str, list[Attempt]]:
    """The same with a model, several activities side by side."""
    from env_service.suites.actplan.commands.make_requests import ModelRequests

    tried: dict[str, list[Attempt]] = {}
    stated = stated or {}

    def work(source: SourceActivity, ask: ModelQuestion) -> Iterator[QuestionResult]:
        here: list[Attempt] = []
        for attempt in _attempts(source, stated[source.name], options, ask):
            here.append(attempt)
            if attempt.made is not None:
                yield attempt.made
            if attempt.sound:
                break
        tried[source.name] = here

    parts = [each for each in sources if each.name in stated]
    shown_options = ModelRequests(options, out / "counterfactual.state.jsonl")
    answers = shown_options.work("counterfactuals", parts, work)
    click.echo(str(answers.usage), err=True)
    return tried


def _finish(
    sources: Sequence[SourceActivity],
    tried: Mapping[str, Sequence[Attempt]],
    options: dict[str, Any],
    out: Path,
) -> int:
    kept = {name: each[-1] for name, each in tried.items() if each and each[-1].sound}
    _write([each for each in sources if each.name in kept], kept, out)
    for name, attempts in tried.items():
        if name not in kept:
            why = " | ".join(dict.fromkeys(each.faults for each in attempts))
            why = why or "no rule applies"
            click.echo(f"{name}: none: {why}", err=True)
    if options["as_json"]:
        rows = [
            {**each.stated.to_json(), **report_json(each.report)}
            for each in kept.values()
            if each.report is not None
        ]
        print_json({"made": rows, "failed": [each for each in tried if each not in kept]})
    else:
        print_reports([each.report for each in kept.values() if each.report is not None])
        click.echo(
            f"{out}: {len(kept)} of {counted(len(tried), 'activity', 'activities')} have a"
            f" counterfactual"
        )
    return 0 if len(kept) == len(tried) else PROBLEM


def _write(sources: Sequence[SourceActivity], kept: Mapping[str, Attempt], out: Path) -> None:
    from env_service.storage.atomic_files import write_atomically
    from env_service.suites.actplan.making.counterfactuals import described_pair
    from env_service.suites.actplan.making.files import TaskFolder, WrittenVariant, written
    from env_service.suites.actplan.task import Variant

    folder = TaskFolder(out)
    for each in sources:
        attempt = kept[each.name]
        pair = described_pair(each, attempt.text, attempt.stated.text)
        for variant, text, description in zip(Variant, pair.texts, pair.descriptions, strict=True):
            folder.write(WrittenVariant(each.name, variant, text, description))
    out.mkdir(parents=True, exist_ok=True)
    write_atomically(out / "circumstances.jsonl", written(each.stated for each in kept.values()))


def _dry_run(
    sources: Sequence[SourceActivity],
    stated: Mapping[str, Sequence[StatedCircumstance]] | None,
    options: dict[str, Any],
) -> int:
    from env_service.suites.actplan.commands.make_requests import print_prompt
    from env_service.suites.actplan.making.requests import CounterfactualQuestion

    if stated is None:
        raise Misuse("--dry-run shows prompts, and rules send none; give --circumstances FILE")
    for source in sources:
        for each in stated.get(source.name, ()):
            if not each.rule:
                question = CounterfactualQuestion(each, source.normal, lambda _: ())
                print_prompt(question, options["prompts"])
                return 0
    raise Misuse("Rules make all circumstances of the file; no prompt is sent")


# --- ``houseguest actplan make check``: are counterfactuals what they should be?

_CHECK_EXAMPLES = """\b
Examples:
  houseguest actplan make check made
  houseguest actplan make check mine/baking_a_cake
  houseguest actplan make check normal.bddl counterfactual.bddl
  houseguest actplan make check --no-solve            # the data pack's counterfactuals

\b
Exit status: 0 every counterfactual passes; 1 one does not.
"""

_MARKS = {True: "yes", False: "no", None: "-"}


@click.command("check", epilog=_CHECK_EXAMPLES)
@source_options
@solve_option
@json_option
def check_command(*, solve: bool, as_json: bool, **options: Any) -> int:
    """Check that counterfactuals are loadable, different and solvable.

    A PLACE is an activity's folder with problem0.bddl and problem1.bddl, or a folder with such
    folders; two files form one pair. By default, the command checks the data pack's
    counterfactuals: their goals and the suite's assertions.
    """
    from env_service.suites.actplan.commands.make_requests import checker, failures_as_messages

    with failures_as_messages():
        pairs = _pairs(options)
        check = checker(solving=solve)
        reports = []
        with progress("checked", len(pairs)) as advance:
            for each in pairs:
                reports.append(check.check(each))
                advance()
    if as_json:
        print_json({"checked": [report_json(each) for each in reports]})
    else:
        print_reports(reports)
    return 0 if all(each.sound for each in reports) else PROBLEM


def print_reports(reports: Sequence[Report]) -> None:
    """A row for each, and below what failed."""
    print_table(
        ("activity", "loadable", "different", "solvable", "new plan", "#steps"),
        [_row(each) for each in reports],
    )
    for each in reports:
        for fault in each.faults:
            click.echo(f"{each.activity}: {fault}")
    sound = sum(each.sound for each in reports)
    click.echo(f"{sound} of {counted(len(reports), 'counterfactual')} pass")


def report_json(report: Report) -> dict[str, Any]:
    """For documents."""
    return {
        "activity": report.activity,
        "passes": report.sound,
        "checks": {each.aspect.value: _check_json(each) for each in report.checks},
        "plan": list(report.plan),
    }


def _check_json(checked: Checked) -> dict[str, Any]:
    record = asdict(checked)
    del record["aspect"]
    return record


def _row(report: Report) -> tuple[str, ...]:
    marks = (_MARKS[each.passed] for each in report.checks)
    return report.activity, *marks, str(len(report.plan) or "")


def _pairs(options: dict[str, Any]) -> list[Pair]:
    from env_service.suites.actplan.commands.make_requests import activities
    from env_service.suites.actplan.making.files import read_file

    places = options["places"]
    files = [each for each in places if each.is_file()]
    if files:
        if len(places) != 2 or len(files) != 2:
            raise Misuse("Give two files, the normal problem and its counterfactual, or folders")
        from env_service.suites.actplan.making.counterfactuals import Pair

        normal, other = map(read_file, files)
        return [Pair(files[1].stem, (normal, other))]
    found = [each for each in activities(options) if each.counterfactual]
    if not found:
        raise Misuse("No problem1.bddl found: nothing to check")
    return [_pair(each, published=not places) for each in found]


def _pair(activity: SourceActivity, *, published: bool) -> Pair:
    """``published``: the suite's assertions are made for these problems, and for no others of the
    same name."""
    from env_service.suites.actplan.making.counterfactuals import Pair
    from env_service.suites.actplan.overlay.understand import assertions_of
    from env_service.suites.actplan.task import Variant

    assertions = assertions_of(activity.name, Variant.COUNTERFACTUAL) if published else ()
    texts = activity.normal, activity.counterfactual
    return Pair(
        activity.name,
        texts,
        (activity.description, activity.counterfactual_description),
        assertions,
    )
