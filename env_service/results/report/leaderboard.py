"""A leaderboard of several runs: agents × suites, differences from a baseline, and cost.

A column has the runs of one suite, rules, task set, tasks, world, its build, data, condition and
time budgets: nothing else is pooled. Within it, an agent's seeds and repeats are repeats of the
same tasks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from env_service.domain.text import counted, safe
from env_service.domain.usage import Usage
from env_service.results.manifest import Manifest, mixture
from env_service.results.report.content import (
    EMPTY,
    Block,
    Cell,
    Column,
    Document,
    Headline,
    Notice,
    Row,
    Section,
    TableData,
    Tone,
)
from env_service.results.report.paired_runs import difference_cell
from env_service.results.report.runs import NotComparableError, agent_name, kinship
from env_service.results.run_reader import RunContents
from env_service.results.statistics import (
    Comparison,
    EpisodeIndex,
    compare,
    holm,
    rate_interval,
)
from env_service.storage.canonical_json import canonical, writable
from env_service.suites.reporting import Unit

_SIGNIFICANT = 0.05
"""The adjusted p-value below which a difference is marked."""


@dataclass(frozen=True, slots=True)
class Played:
    """A run in a leaderboard: the names of its row and its column."""

    agent: str
    suite: str
    run: RunContents


@dataclass(frozen=True, slots=True)
class Difference:
    """An agent against the baseline in one column. ``adjusted_p`` is Holm's over all of them."""

    agent: str
    suite: str
    found: Comparison
    adjusted_p: float


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """``rows`` and ``columns`` are names; ``scores`` has a (row, column) only if it was scored.

    ``rows`` are ordered by the mean of their rates, those without a rate in some column last.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    runs: Mapping[tuple[str, str], tuple[RunContents, ...]]
    scores: Mapping[tuple[str, str], EpisodeIndex]
    differences: tuple[Difference, ...]

    def rate(self, row: str, column: str) -> Cell:
        """The mean success and its 95 % interval over tasks, seeds and repeats."""
        scores = self.scores.get((row, column))
        if scores is None:
            return EMPTY
        low, high = rate_interval(scores.scores, scores.clusters, scores.tasks)
        return Cell(sum(scores.scores) / len(scores.scores), low, high, len(scores.scores))


def make_leaderboard(played: Sequence[Played], baseline: str) -> Leaderboard:
    """Pools runs by agent and setting. ``baseline`` is the agent that others are compared with;
    empty: no comparison."""
    split = _split(played)
    runs: dict[tuple[str, str], list[RunContents]] = {}
    for each in split:
        runs.setdefault((each.agent, each.suite), []).append(each.run)
    columns = tuple(dict.fromkeys(each.suite for each in split))
    scores = {}
    for column in columns:
        numbers = _repeat_numbers([each.run for each in split if each.suite == column])
        for (row, place), own in runs.items():
            if place == column and (found := _scores(own, numbers)) is not None:
                scores[row, column] = found
    rows = _ranked(dict.fromkeys(each.agent for each in split), columns, scores)
    return Leaderboard(
        rows=rows,
        columns=columns,
        runs={place: tuple(own) for place, own in runs.items()},
        scores=scores,
        differences=_differences(rows, columns, scores, baseline),
    )


def name_runs(runs: Sequence[RunContents]) -> list[Played]:
    """Names rows by agent and columns by what was played, for runs without a plan."""
    suites = [_suite_names(run.manifest) for run in runs]
    settings = [canonical(writable(_setting(run.manifest))) for run in runs]
    names = [parts[0] for parts in suites]
    for level in range(1, 4):
        # A longer name only where a shorter one would mean two settings.
        met: dict[str, set[bytes]] = {}
        for name, setting in zip(names, settings, strict=True):
            met.setdefault(name, set()).add(setting)
        names = [
            f"{name} {parts[level]}" if len(met[name]) > 1 and parts[level] else name
            for name, parts in zip(names, suites, strict=True)
        ]
    agents = [agent_name(run.manifest) for run in runs]
    return [Played(*each) for each in zip(agents, names, runs, strict=True)]


def can_be_ranked(runs: Sequence[RunContents]) -> bool:
    """Whether several agents played the same, and there is something to pool or to set side by
    side: an agent's runs that differ in the seed alone, or several suites."""
    met: dict[bytes, set[str]] = {}
    alike: Counter[tuple[str, bytes]] = Counter()
    for run in runs:
        agent, kin = agent_name(run.manifest), canonical(writable(kinship(run.manifest)))
        met.setdefault(kin, set()).add(agent)
        alike[agent, canonical(writable(_setting(run.manifest)))] += 1
    several = len(met) > 1 or max(alike.values(), default=0) > 1
    return several and any(len(agents) > 1 for agents in met.values())


def _suite_names(manifest: Manifest) -> tuple[str, str, str, str]:
    condition = ", ".join(f"{name}={value}" for name, value in sorted(manifest.condition.items()))
    suite = manifest.suite.rpartition(":")[2]
    return (
        safe(f"{suite}/{manifest.task_set}"),
        safe(f"in {manifest.world}"),
        safe(f"({condition})"),
        f"({counted(len(manifest.task_ids), 'task')})",
    )


def _setting(manifest: Manifest) -> list[Any]:
    """What runs of one column agree in."""
    return [
        *kinship(manifest).values(),
        sorted(manifest.condition.items()),
        sorted(manifest.budgets.items()),
        list(manifest.task_ids),
    ]


def _split(played: Sequence[Played]) -> list[Played]:
    """The runs, with another column for each further setting of one name."""
    settings: dict[str, list[bytes]] = {}
    found = []
    for each in played:
        known = settings.setdefault(each.suite, [])
        setting = canonical(writable(_setting(each.run.manifest)))
        if setting not in known:
            known.append(setting)
        number = known.index(setting) + 1
        suite = each.suite if number == 1 else f"{each.suite} #{number}"
        found.append(Played(each.agent, suite, each.run))
    return found


def _repeat_numbers(runs: Sequence[RunContents]) -> dict[int, int]:
    """A number for the repeats of each run, by the id of its object: equal seeds of different
    agents have equal numbers, so that they are paired."""
    seeds = sorted({run.manifest.seed for run in runs})
    most = max(run.manifest.repeats for run in runs)
    met: Counter[tuple[str, int]] = Counter()
    numbers = {}
    for run in runs:
        who = run.manifest.agent + str(run.manifest.agents[:1]), run.manifest.seed
        again = met[who]
        met[who] += 1
        numbers[id(run)] = (again * len(seeds) + seeds.index(run.manifest.seed)) * most
    return numbers


def _scores(runs: Sequence[RunContents], numbers: Mapping[int, int]) -> EpisodeIndex | None:
    """The scored episodes of one cell; None without any."""
    scored = [
        (record, numbers[id(run)] + record.repeat)
        for run in runs
        for record in run.episodes
        if record.fault is None
    ]
    if not scored:
        return None
    return EpisodeIndex(
        [record.task_id for record, _ in scored],
        [repeat for _, repeat in scored],
        [float(record.success) for record, _ in scored],
        [record.cluster for record, _ in scored],
    )


def _ranked(
    rows: Mapping[str, None],
    columns: Sequence[str],
    scores: Mapping[tuple[str, str], EpisodeIndex],
) -> tuple[str, ...]:
    def rank(row: str) -> tuple[int, float]:
        own = [scores[row, column] for column in columns if (row, column) in scores]
        rates = [sum(each.scores) / len(each.scores) for each in own]
        return len(columns) - len(rates), -sum(rates) / max(len(rates), 1)

    return tuple(sorted(rows, key=rank))


def _differences(
    rows: Sequence[str],
    columns: Sequence[str],
    scores: Mapping[tuple[str, str], EpisodeIndex],
    baseline: str,
) -> tuple[Difference, ...]:
    found = []
    for column in columns:
        first = scores.get((baseline, column))
        for row in rows:
            second = scores.get((row, column))
            if first is None or second is None or row == baseline:
                continue
            if set(first.tasks) & set(second.tasks):
                found.append((row, column, compare(first, second)))
    if not found:
        return ()
    adjusted = holm([one.p_value for *_, one in found])
    return tuple(
        Difference(row, column, one, float(p_value))
        for (row, column, one), p_value in zip(found, adjusted, strict=True)
    )


# --- As a document


def leaderboard_document(
    played: Sequence[Played], baseline: str, notices: Sequence[str] = ()
) -> Document:
    """The leaderboard as a page, tables and text.

    Raises NotComparableError if no run has a scored episode.
    """
    board = make_leaderboard(played, baseline)
    if not board.scores:
        raise NotComparableError("no run has a scored episode, so there is nothing to compare")
    blocks: list[Block] = [Headline(_rates(board, baseline))]
    if board.differences:
        blocks.append(_differences_table(board, baseline))
    blocks.append(_cost(board))
    agents, suites = counted(len(board.rows), "agent"), counted(len(board.columns), "suite")
    section = Section(
        id="leaderboard",
        title="Leaderboard",
        lead=f"{agents} on {suites}, {counted(len(played), 'run')}.",
        notices=tuple(Notice(text, Tone.WARNING) for text in (*notices, *_warnings(played))),
        blocks=tuple(blocks),
    )
    return Document(
        title=f"{agents} on {suites}",
        sections=(section,),
        runs=tuple(each.run for each in played),
        extra={"baseline": baseline, "runs": [str(each.run.path) for each in played]},
    )


def _rates(board: Leaderboard, baseline: str) -> TableData:
    """The table of a paper: the rate of each agent in each column, and what it cost."""
    several = len(board.columns) > 1
    costs = {row: _spent(board, row) for row in board.rows}
    columns = [Column("agent", "agent")]
    columns += [Column(name, name, Unit.PERCENT) for name in board.columns]
    columns += [Column("mean", "mean", Unit.PERCENT)] if several else []
    columns += [Column("usd", "dollars", Unit.DOLLARS)] if any(costs.values()) else []
    different = {
        (each.agent, each.suite) for each in board.differences if each.adjusted_p < _SIGNIFICANT
    }
    rows = []
    for row in board.rows:
        cells = [Cell(row)]
        for column in board.columns:
            rate = board.rate(row, column)
            cells.append(replace(rate, mark="*") if (row, column) in different else rate)
        cells += [_mean(cells[1:])] if several else []
        cells += [Cell(costs[row].cost_usd if costs[row] else None)] if any(costs.values()) else []
        rows.append(Row(tuple(cells)))
    note = (
        "The mean over tasks, seeds and repeats, with its 95 % interval, which treats tasks of"
        " one cluster and repeats of one task together. Episodes without a score are left out."
    )
    if different:
        note += f" *: differs from {baseline}, p < {_SIGNIFICANT} after Holm's correction."
    return TableData(
        id="success", title="Success rate", columns=tuple(columns), rows=tuple(rows), note=note
    )


def _mean(cells: Sequence[Cell]) -> Cell:
    """The mean of the rates of all columns; missing if one of them is."""
    rates = [cell.value for cell in cells if isinstance(cell.value, float)]
    return Cell(sum(rates) / len(rates)) if len(rates) == len(cells) else EMPTY


def _differences_table(board: Leaderboard, baseline: str) -> TableData:
    return TableData(
        id="differences",
        title=f"Differences from {baseline}",
        columns=(
            Column("agent", "agent"),
            Column("suite", "suite"),
            Column("tasks", "tasks", Unit.NUMBER),
            Column("difference", "difference", Unit.POINTS),
            Column("p", "p", Unit.PROBABILITY),
            Column("p_holm", "p, Holm", Unit.PROBABILITY),
        ),
        rows=tuple(
            Row(
                (
                    Cell(each.agent),
                    Cell(each.suite),
                    Cell(each.found.tasks),
                    difference_cell(each.found),
                    Cell(each.found.p_value),
                    Cell(each.adjusted_p),
                )
            )
            for each in board.differences
        ),
        note="On the tasks that both have scored, in percentage points, with the 95 % interval. p:"
        " exact McNemar test on the tasks that one agent solved more often, over the seeds and"
        f" repeats that both have. Holm: adjusted for {counted(len(board.differences), 'test')}.",
    )


def _cost(board: Leaderboard) -> TableData:
    return TableData(
        id="cost",
        title="Cost",
        columns=(
            Column("agent", "agent"),
            Column("runs", "runs", Unit.NUMBER),
            Column("episodes", "episodes", Unit.NUMBER),
            Column("steps", "steps per episode", Unit.NUMBER),
            Column("tokens", "tokens", Unit.NUMBER),
            Column("usd", "dollars", Unit.DOLLARS),
            Column("hours", "hours", Unit.NUMBER),
        ),
        rows=tuple(_cost_row(board, row) for row in board.rows),
        note="Tokens and dollars are what agents report, including episodes that were not scored."
        " Hours are those of episodes, of all sessions together.",
    )


def _spent(board: Leaderboard, row: str) -> Usage:
    """What an agent's models used, over all of its runs."""
    summaries = [
        run.summary for (own, _), found in board.runs.items() if own == row for run in found
    ]
    return Usage.total(each.usage + each.uncounted_usage for each in summaries)


def _cost_row(board: Leaderboard, row: str) -> Row:
    runs = [run for (own, _), found in board.runs.items() if own == row for run in found]
    summaries = [run.summary for run in runs]
    usage = _spent(board, row)
    records = [record for run in runs for record in run.episodes if record.fault is None]
    values = (
        row,
        len(runs),
        len(records),
        sum(record.steps for record in records) / len(records) if records else None,
        usage.tokens if usage else None,
        usage.cost_usd if usage else None,
        sum(each.agent_seconds + each.environment_seconds for each in summaries) / 3600,
    )
    return Row(tuple(map(Cell, values)))


def _warnings(played: Sequence[Played]) -> list[str]:
    """What a reader has to know of runs before their numbers."""
    found = []
    for each in played:
        summary = each.run.summary
        missing = summary.planned - summary.overall.n
        if missing:
            of = f"{missing} of {counted(summary.planned, 'episode')}"
            found.append(f"{each.agent} on {each.suite} lacks {of}: {safe(each.run.path.name)}.")
        name = safe(each.run.path.name)
        found += [f"{name} is a mixture: {why}." for why in mixture(each.run.manifest)]
    return found
