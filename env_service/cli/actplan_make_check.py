"""``houseguest actplan make check``: are counterfactuals what they should be?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.actplan_make_options import solve_option, source_options
from env_service.cli.common import json_option, print_json
from env_service.cli.errors import PROBLEM, Misuse
from env_service.cli.output import print_table, progress
from env_service.domain.english import counted

if TYPE_CHECKING:
    from env_service.making.checking import Checked, Pair, Report
    from env_service.making.sources import SourceActivity

_EXAMPLES = """\b
Examples:
  houseguest actplan make check made
  houseguest actplan make check mine/baking_a_cake
  houseguest actplan make check normal.bddl counterfactual.bddl
  houseguest actplan make check --no-solve            # the data pack's counterfactuals

\b
Exit status: 0 every counterfactual passes; 1 one does not.
"""

_MARKS = {True: "yes", False: "no", None: "-"}


@click.command("check", epilog=_EXAMPLES)
@source_options
@solve_option
@json_option
def check_command(*, solve: bool, as_json: bool, **asked: Any) -> int:
    """Check that counterfactuals are loadable, different and solvable.

    A PLACE is an activity's folder with problem0.bddl and problem1.bddl, or a folder with such
    folders; two files are one pair. Without one, the data pack's counterfactuals are checked, with
    the suite's own assertions beside their goals.
    """
    from env_service.cli.actplan_make_sources import checker, told

    with told():
        pairs = _pairs(asked)
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
    told = asdict(checked)
    del told["aspect"]
    return told


def _row(report: Report) -> tuple[str, ...]:
    marks = (_MARKS[each.passed] for each in report.checks)
    return report.activity, *marks, str(len(report.plan) or "")


def _pairs(asked: dict[str, Any]) -> list[Pair]:
    from env_service.cli.actplan_make_sources import activities
    from env_service.making.sources import read_file

    places = asked["places"]
    files = [each for each in places if each.is_file()]
    if files:
        if len(places) != 2 or len(files) != 2:
            raise Misuse("give two files, the normal problem and its counterfactual, or folders")
        from env_service.making.checking import Pair

        normal, other = map(read_file, files)
        return [Pair(files[1].stem, (normal, other))]
    found = [each for each in activities(asked) if each.counterfactual]
    if not found:
        raise Misuse("there is no problem1.bddl: nothing to check")
    return [_pair(each, published=not places) for each in found]


def _pair(activity: SourceActivity, *, published: bool) -> Pair:
    """``published``: the suite's assertions are made for these problems, and for no others of the
    same name."""
    from env_service.making.checking import Pair
    from env_service.suites.actplan.overlay.assertions import assertions_of
    from env_service.suites.actplan.task import Variant

    assertions = assertions_of(activity.name, Variant.COUNTERFACTUAL) if published else ()
    texts = activity.normal, activity.counterfactual
    return Pair(activity.name, texts, (activity.description, activity.told), assertions)
