"""A run's numbers as text for the terminal."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from textwrap import wrap
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from env_service.domain.text import safe
from env_service.domain.usage import usage_text
from env_service.results.manifest import Manifest, mixture
from env_service.results.summary import Rate, Summary
from env_service.suites.reporting import GAINED_BRIEF, GOALS_GAINED, GOALS_MET, GoalsMet

_HEADING = 12
"""The width in letters at which the heading of a number wraps."""
_LISTED = 10
"""How many unscored episodes are named one by one."""


def summary_text(
    summary: Summary,
    manifest: Manifest,
    folder: Path | None = None,
    goals: GoalsMet = GOALS_MET,
) -> RenderableType:
    """One run: the rate with its interval, by group and by repeat, failures, what did not count.

    ``folder`` is the run's folder, for the last line; ``goals`` is the suite's measure of goal
    conditions, under the name its paper uses.
    """
    parts: list[RenderableType] = [_title(manifest), _headline(summary, goals)]
    if len(summary.groups) > 1:
        parts.append(_rates("group", summary.groups.items(), goals))
    if summary.repeats:
        numbered = ((str(number), rate) for number, rate in enumerate(summary.repeats))
        parts.append(_rates("repeat", numbered, goals))
    if summary.failures:
        parts.append(_counts("did not succeed because of", summary.failures.items()))
    if summary.voids:
        parts.append(_counts("voided attempts, by agent", summary.voids.items()))
    for agent, left in summary.withdrawn.items():
        episodes = f"{left.episodes} episode{'' if left.episodes == 1 else 's'}"
        words = f"withdrawn by {agent}: {episodes} ({left.acted} after the agent had acted)"
        parts.append(printable(words))
    parts.extend(_unscored(summary))
    parts.extend(Text.styled(safe(f"a mixture: {why}"), "yellow") for why in mixture(manifest))
    if folder is not None:
        parts.append(Text(f"\n{folder}", style="dim", no_wrap=True, overflow="ignore"))
    return Group(*parts)


def overview(runs: Iterable[tuple[Path, Manifest, Summary]]) -> RenderableType:
    """Several runs, a line each; long names wrap if they do not fit."""
    table = _table()
    table.add_column("run", overflow="fold")
    for heading, width in (("scored", 7), ("success", 7), ("95 %", 12), ("gained", 7)):
        table.add_column(heading, justify="right", no_wrap=True, min_width=width)
    table.add_column("task set", no_wrap=True)
    for folder, manifest, summary in runs:
        table.add_row(
            printable(f"{folder.name} (a mixture)" if mixture(manifest) else folder.name),
            f"{summary.overall.n}/{summary.planned}",
            percent(summary.overall.rate),
            interval(summary.overall),
            percent(summary.overall.goals_gained),
            printable(manifest.task_set),
        )
    return Group(table, Text(f"gained: goal conditions {GAINED_BRIEF}", style="dim"))


def interval(rate: Rate) -> str:
    """The interval in per cent: ``32.8 – 51.8``; a dash without one."""
    if rate.low is None or rate.high is None:
        return "–"
    return f"{100 * rate.low:.1f} – {100 * rate.high:.1f}"


def percent(share: float | None) -> str:
    """A share in per cent; a dash without one."""
    if share is None:
        return "–"
    number = f"{100 * share:.1f}"
    return f"{number.removeprefix('-') if float(number) == 0 else number.replace('-', '−')} %"


def printable(text: str) -> Text:
    """A foreign text, safe for the terminal: no markup, no control characters."""
    return Text(safe(text))


def _title(manifest: Manifest) -> Text:
    rules = f"{manifest.suite}, rules version {manifest.suite_version}"
    title = printable(f"{rules} · task set {manifest.task_set}")
    title.stylize("bold")
    for name, values in (("world", _world(manifest)), ("settings", _pairs(manifest.condition))):
        if values:
            title.append("\n")
            title.append(printable(f"{name} {values}"))
    title.append("\n")
    title.append(printable(f"agent {manifest.agent}"))
    return title


def _world(manifest: Manifest) -> str:
    return ", ".join(filter(None, (manifest.world, _pairs(manifest.world_facts))))


def _pairs(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items())


def _headline(summary: Summary, goals: GoalsMet) -> RenderableType:
    grid = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for name, text in _facts(summary, goals):
        grid.add_row(name, text)
    return Group(Text(), grid)


def _facts(summary: Summary, goals: GoalsMet) -> Iterator[tuple[str, Text]]:
    overall = summary.overall
    rate = f"{overall.successes} of {overall.n}   {percent(overall.rate)}"
    yield "success", Text(f"{rate}   95 % interval {interval(overall)}")
    unknown = overall.n > 0 and overall.goals_gained is None
    gained = "all were met at the start, or it is not recorded" if unknown else GAINED_BRIEF
    yield GOALS_GAINED.heading, _explained(percent(overall.goals_gained), gained)
    yield goals.name, _explained(percent(overall.goal_conditions), goals.brief)
    if summary.median_rate is not None:
        yield "median repeat", Text(percent(summary.median_rate))
    if summary.steps_mean is not None:
        seconds = f"agent {summary.agent_seconds:.0f} s, world {summary.environment_seconds:.0f} s"
        yield "steps", Text(f"{summary.steps_mean:.1f} per episode; total time: {seconds}")
    if summary.usage:
        yield "model", Text(usage_text(summary.usage))
    if summary.uncounted_usage:
        yield "model, uncounted", Text(usage_text(summary.uncounted_usage))
    if not summary.complete:
        scored = f"{summary.overall.n} of {summary.planned} scored"
        lost = f"{len(summary.unscored)} unscored, {summary.unplayed} not played"
        yield "not complete", Text(f"{scored}, {lost}")


def _explained(number: str, words: str) -> Text:
    return Text.assemble(number, "   ", (words, "dim"))


def _rates(kind: str, rates: Iterable[tuple[str, Rate]], goals: GoalsMet) -> Table:
    table = _table()
    table.add_column(kind, overflow="fold")
    for heading in ("n", "success", "95 % interval", GOALS_GAINED.heading, goals.name):
        table.add_column("\n".join(wrap(heading, _HEADING)), justify="right")
    for name, rate in rates:
        table.add_row(printable(name), str(rate.n), *_cells(rate))
    return table


def _cells(rate: Rate) -> tuple[str, ...]:
    goals = percent(rate.goals_gained), percent(rate.goal_conditions)
    return percent(rate.rate), interval(rate), *goals


def _counts(heading: str, counts: Iterable[tuple[str, int]]) -> Table:
    table = _table(heading)
    table.add_column("episodes", justify="right")
    for name, count in counts:
        table.add_row(printable(name), str(count))
    return table


def _unscored(summary: Summary) -> Iterable[RenderableType]:
    if not summary.unscored:
        return
    table = _table("unscored task", "repeat", "lost to")
    for item in summary.unscored[:_LISTED]:
        table.add_row(printable(item.task_id), str(item.repeat), f"{item.fault} × {item.voids}")
    yield table
    if len(summary.unscored) > _LISTED:
        yield Text(f"… and {len(summary.unscored) - _LISTED} more: see summary.json")


def _table(*headings: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        table.add_column(heading)
    return table
