"""A run's numbers on a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from env_service.domain.printable import safe
from env_service.results.manifest import Manifest
from env_service.results.mixture import mixture
from env_service.results.summary import Rate, Summary
from env_service.results.usage_text import usage_text

_LISTED = 10
"""Unscored episodes that are named one by one."""


def scoreboard(summary: Summary, manifest: Manifest, folder: Path | None = None) -> RenderableType:
    """One run: the rate with its interval, by group and by repeat, failures, what did not count.

    ``folder`` is where the run lies, for the last line.
    """
    parts: list[RenderableType] = [_title(manifest), _headline(summary)]
    if len(summary.groups) > 1:
        parts.append(_rates("group", summary.groups.items()))
    if summary.repeats:
        numbered = ((str(number), rate) for number, rate in enumerate(summary.repeats))
        parts.append(_rates("repeat", numbered))
    if summary.failures:
        parts.append(_counts("did not succeed because of", summary.failures.items()))
    if summary.voids:
        parts.append(_counts("voided attempts, by guest", summary.voids.items()))
    for guest, left in summary.withdrawn.items():
        episodes = f"{left.episodes} episode{'' if left.episodes == 1 else 's'}"
        words = f"withdrawn by {guest}: {episodes} ({left.acted} after the agent had acted)"
        parts.append(printable(words))
    parts.extend(_unscored(summary))
    parts.extend(Text.styled(safe(f"a mixture: {why}"), "yellow") for why in mixture(manifest))
    if folder is not None:
        parts.append(Text(f"\n{folder}", style="dim", no_wrap=True, overflow="ignore"))
    return Group(*parts)


def overview(runs: Iterable[tuple[Path, Manifest, Summary]]) -> RenderableType:
    """Several runs, a line each; long names are folded where there is no room."""
    table = _table()
    table.add_column("run", overflow="fold")
    for heading, width in (("scored", 7), ("success", 7), ("95 %", 12)):
        table.add_column(heading, justify="right", no_wrap=True, min_width=width)
    table.add_column("task set", no_wrap=True)
    for folder, manifest, summary in runs:
        table.add_row(
            printable(f"{folder.name} (a mixture)" if mixture(manifest) else folder.name),
            f"{summary.overall.n}/{summary.planned}",
            percent(summary.overall.rate),
            interval(summary.overall),
            printable(manifest.task_set),
        )
    return table


def interval(rate: Rate) -> str:
    """The interval in per cent: ``32.8 – 51.8``; a dash where there is none."""
    if rate.low is None or rate.high is None:
        return "–"
    return f"{100 * rate.low:.1f} – {100 * rate.high:.1f}"


def percent(share: float | None) -> str:
    """A share in per cent; a dash where there is none."""
    return "–" if share is None else f"{100 * share:.1f} %"


def printable(text: str) -> Text:
    """A text from elsewhere, fit for a terminal: no markup, no control characters."""
    return Text(safe(text))


def _title(manifest: Manifest) -> Text:
    settings = ", ".join(f"{name} {value}" for name, value in manifest.condition.items())
    line = f"{manifest.suite} {manifest.suite_version} · {manifest.task_set} · {manifest.world}"
    title = printable(line)
    title.stylize("bold")
    world = ", ".join(f"{name} {value}" for name, value in manifest.world_facts.items())
    lines = [f"agent {manifest.agent}", settings]
    for more in [*lines, f"world {world}"] if world else lines:
        title.append("\n")
        title.append(printable(more))
    return title


def _headline(summary: Summary) -> Text:
    overall = summary.overall
    lines = [
        f"\nsuccess          {overall.successes} of {overall.n}"
        f"   {percent(overall.rate)}   95 % interval {interval(overall)}",
        f"goal conditions  {percent(overall.goal_conditions)}",
    ]
    if summary.median_rate is not None:
        lines.append(f"median repeat    {percent(summary.median_rate)}")
    if summary.steps_mean is not None:
        lines.append(
            f"steps            {summary.steps_mean:.1f} an episode;"
            f" agent {summary.agent_seconds:.0f} s, world {summary.environment_seconds:.0f} s"
        )
    if summary.usage:
        lines.append(f"model            {usage_text(summary.usage)}")
    if summary.uncounted_usage:
        lines.append(f"model, uncounted {usage_text(summary.uncounted_usage)}")
    if not summary.complete:
        lines.append(
            f"not complete     {summary.overall.n} of {summary.planned} scored,"
            f" {len(summary.unscored)} unscored, {summary.unplayed} not played"
        )
    return Text("\n".join(lines))


def _rates(kind: str, rates: Iterable[tuple[str, Rate]]) -> Table:
    table = _table(kind)
    for heading in ("n", "success", "95 % interval", "goal conditions"):
        table.add_column(heading, justify="right")
    for name, rate in rates:
        table.add_row(printable(name), str(rate.n), *_cells(rate))
    return table


def _cells(rate: Rate) -> tuple[str, str, str]:
    return percent(rate.rate), interval(rate), percent(rate.goal_conditions)


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
