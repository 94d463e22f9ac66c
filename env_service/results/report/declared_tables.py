"""From a declared table to its rows.

Rows are measures of runs with published numbers, lists of episodes, facts, usage, or scores that
were added after the run.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

import numpy as np

from env_service.domain.task import TaskSet
from env_service.domain.text import safe
from env_service.results.manifest import Manifest
from env_service.results.posthoc_scores import PosthocScores
from env_service.results.report.common_tables import in_order
from env_service.results.report.content import (
    EMPTY,
    RUN,
    Cell,
    Column,
    Commands,
    Row,
    RowKind,
    TableData,
    episode_link,
)
from env_service.results.report.episode_columns import EpisodeColumns, Ints, Part, heading, within
from env_service.results.report.measures import evaluate
from env_service.results.report.row_links import Linked, episodes_place, run_place
from env_service.results.report.runs import Family, ReportedRun
from env_service.results.statistics import wilson_interval
from env_service.suites.base import Suite
from env_service.suites.reporting import (
    AGENT_SECONDS,
    COST,
    EPISODES,
    SUCCESS,
    TOKENS,
    WORLD_SECONDS,
    Afterwards,
    Bars,
    Chosen,
    Classes,
    Field,
    Figure,
    Key,
    Label,
    Listing,
    Measure,
    Quantity,
    Reference,
    ReportDesign,
    Statistic,
    Table,
    TaskFacts,
    Unit,
    mean,
    total,
)
from env_service.suites.selection import find_task_set

ALL = "all"
"""The name of the row over all episodes."""


def tabulate(table: Table, design: ReportDesign, episodes: EpisodeColumns) -> TableData | None:
    """The table's numbers and published ones; None if the episodes have no data for it."""
    chosen = episodes.only(table.only)
    parts = within(episodes.parts(table.rows), chosen)
    if not parts:
        return None
    nested = apart(episodes, table.rows, table.across)
    slots = list(make_slots(table, design, episodes))
    keys_of_page = [table.rows, table.across, *([table.only.key] if table.only else [])]
    linked = partial(episodes_place, episodes, [key for key in keys_of_page if key is not None])
    made = list(_rows(episodes, parts, slots, linked, nested=nested))
    if table.total and len(parts) > 1:
        whole = partial(episodes_place, episodes, [])
        total_row = [(ALL, chosen)]
        made += _rows(episodes, total_row, slots, whole, nested=nested, kind=RowKind.TOTAL)
    keys = [Column("key", heading(table.rows, design.group))]
    if nested:
        keys.append(Column(RUN, heading(nested, design.group)))
    data = TableData(
        id=table.id,
        title=table.title,
        columns=(*keys, *(slot.column for slot in slots)),
        rows=tuple(row for row, _ in made),
        note=table.note,
        shown=table.shown,
    )
    if episodes.family.asked_models:
        origins = [origin_of(episodes.runs_of(own), design) for _, own in made]
        data = with_published(data, table, slots, design, origins)
    return _without_empty(data)


def apart(episodes: EpisodeColumns, *keys: Key | None) -> Field | None:
    """The field that has to distinguish runs if none of the keys does; None if none has to.

    With several runs, that is the run. If a key is a setting, or a label that states the whole
    condition, it is the agent, as soon as there are several.
    """
    named = [key.of if isinstance(key, Classes) else key for key in keys]
    if len(episodes.family.runs) < 2 or Field.RUN in named or Field.AGENT in named:
        return None
    if not any(_of_condition(key) for key in named):
        return Field.RUN
    return Field.AGENT if len(episodes.parts(Field.AGENT)) > 1 else None


def _of_condition(key: Key | None) -> bool:
    return isinstance(key, Chosen) or (isinstance(key, Label) and key.condition)


def _rows(  # noqa: PLR0913 - what a row is made of
    episodes: EpisodeColumns,
    parts: Sequence[Part],
    slots: Sequence[Slot],
    linked: Linked,
    *,
    nested: Field | None,
    kind: RowKind = RowKind.OURS,
) -> Iterator[tuple[Row, Ints]]:
    """Each row with its episodes."""
    for name, members in parts:
        inner = within(episodes.parts(nested), members) if nested else [("", members)]
        for other, own in inner:
            mark = Cell(episodes.mark(other), link=run_place(episodes, own))
            names = (Cell(name), mark) if nested else (Cell(name, link=linked(own)),)
            whole = dict(episodes.parts(nested))[other] if nested else episodes.all
            cells = (
                slot.evaluate(episodes, own, linked) if len(slot.narrow(whole)) else EMPTY
                for slot in slots
            )
            yield Row((*names, *cells), kind), own


def _without_empty(table: TableData) -> TableData | None:
    """Leaves out columns of numbers without any; None if no column of numbers is left."""
    kept = [
        place
        for place, column in enumerate(table.columns)
        if column.unit is None or any(row.cells[place] != EMPTY for row in table.rows)
    ]
    if all(table.columns[place].unit is None for place in kept):
        return None
    return TableData(
        id=table.id,
        title=table.title,
        columns=tuple(table.columns[place] for place in kept),
        rows=tuple(
            Row(tuple(row.cells[place] for place in kept), row.kind, row.source)
            for row in table.rows
        ),
        note=table.note,
        shown=table.shown,
    )


# --- The columns of numbers of a declared table


@dataclass(frozen=True, slots=True)
class Slot:
    """A column of numbers: a measure, over ``members`` only (None: over all episodes).

    ``across`` is the value of the table's ``across`` that the column belongs to.
    """

    column: Column
    measure: Measure
    across: str = ""
    members: Ints | None = None

    def evaluate(self, episodes: EpisodeColumns, chosen: Ints, linked: Linked) -> Cell:
        """The measure over ``chosen``. A number of episodes, or a rate, leads to them."""
        own = self.narrow(chosen)
        cell = evaluate(self.measure, episodes, own)
        if cell == EMPTY or self.measure not in (EPISODES, SUCCESS):
            return cell
        outcome = () if self.measure == EPISODES else (("outcome", "success"),)
        return replace(cell, link=linked(own, outcome))

    def narrow(self, chosen: Ints) -> Ints:
        """The episodes of ``chosen`` that belong to this column."""
        if self.members is None:
            return chosen
        return np.intersect1d(chosen, self.members, assume_unique=True)


def make_slots(table: Table, design: ReportDesign, episodes: EpisodeColumns) -> Iterator[Slot]:
    """The columns of numbers of a declared table."""
    if table.across is None:
        for measure in table.columns:
            yield Slot(Column(measure.heading, measure.heading, _unit(measure)), measure)
        return
    words = heading(table.across, design.group)
    single = len(table.columns) == 1
    for value, members in episodes.parts(table.across):
        name = episodes.mark(value) if table.across is Field.RUN else value
        for measure in table.columns:
            column = Column(
                id=f"{name} {measure.heading}",
                heading=name if single else measure.heading,
                unit=_unit(measure),
                above=words if single else f"{words} {name}",
            )
            yield Slot(column, measure, name, members)


def _unit(measure: Measure) -> Unit:
    return Unit.NUMBER if measure.statistic is Statistic.EPISODES else measure.unit


# --- Published numbers next to ours: marked, with their source and world, and never tested

Origin = tuple[str, str]
"""The world and the rules of the episodes behind a row."""
ORIGIN_COLUMNS = (Column("world", "world"), Column("rules", "rules"))
"""The columns that show it."""
NO_MODEL = (
    "They are results of models. None of these agents used one: no agent declares a model, and"
    " none reports a model call in its usage."
)
"""Why published numbers are not shown."""


def with_published(
    data: TableData,
    table: Table,
    slots: Sequence[Slot],
    design: ReportDesign,
    origins: Sequence[Origin],
) -> TableData:
    """Adds a row for each agent's published numbers, after the row it belongs to.

    It also adds columns for the world and the rules of each row, ours and published. The table is
    unchanged if nothing published belongs to it. ``origins`` are those of the table's rows.
    Published numbers for other columns than ``slots`` (a condition that was not run) are left out.
    """
    keys = len(data.columns) - len(slots)
    ours = [_with_origin(row, keys, origin) for row, origin in zip(data.rows, origins, strict=True)]
    rows = _published_rows(ours, table, slots, design, {world for world, _ in origins})
    if len(rows) == len(ours):
        return data
    columns = (*data.columns[:keys], *ORIGIN_COLUMNS, *data.columns[keys:])
    return replace(data, columns=columns, rows=tuple(rows))


def origin_of(runs: Iterable[ReportedRun], design: ReportDesign) -> Origin:
    """The worlds and the rules of some runs, each once."""
    manifests = [run.manifest for run in runs]
    worlds = dict.fromkeys(each.world for each in manifests)
    rules = dict.fromkeys(_rules(each, design) for each in manifests)
    return ", ".join(worlds), ", ".join(rules)


def _rules(manifest: Manifest, design: ReportDesign) -> str:
    version = f"version {manifest.suite_version}"
    chosen = manifest.condition.get(design.rules)
    return safe(f"{chosen} ({version})" if chosen else version)


def _with_origin(row: Row, keys: int, origin: Origin) -> Row:
    return replace(row, cells=(*row.cells[:keys], *map(Cell, origin), *row.cells[keys:]))


def _published_rows(
    rows: Sequence[Row],
    table: Table,
    slots: Sequence[Slot],
    design: ReportDesign,
    worlds: Collection[str],
) -> list[Row]:
    placed = list(rows)
    keys = len(rows[0].cells) - len(slots) - len(ORIGIN_COLUMNS)
    # Numbers that belong to a row of ours come first, so that the others follow at the end.
    ours = {row.cells[0].value for row in rows}
    together = _together(design, table.id)
    for items in sorted(together, key=lambda items: items[0].row not in ours):
        first = items[0]
        names = [Cell(_name(first, table))] + [Cell("published")] * (keys - 1)
        numbers = [_cell(slot, items, table) for slot in slots]
        if all(
            slot.measure.statistic is Statistic.EPISODES or cell == EMPTY
            for slot, cell in zip(slots, numbers, strict=True)
        ):
            continue
        cells = (*names, Cell(first.world), Cell(first.rules), *numbers)
        row = Row(cells, RowKind.PUBLISHED, _source(first, worlds))
        placed.insert(_place(placed, first.row), row)
    return placed


@dataclass(frozen=True, slots=True)
class PublishedBar:
    """An agent's published numbers in a figure: a cell for each of its series.

    ``origin`` is the world and the rules, ``source`` cites the publication.
    """

    agent: str
    origin: Origin
    cells: tuple[Cell, ...]
    source: str


def published_bars(
    figure: Bars, series: Sequence[str], design: ReportDesign, world: str
) -> list[PublishedBar]:
    """The published numbers of a figure of bars by agent, in the design's order, for its series
    only."""
    found = []
    for items in _together(design, figure.id):
        named = {item.column: _with_interval(item, figure.measure) for item in items}
        cells = tuple(named.get(name or figure.measure.heading, EMPTY) for name in series)
        if any(cell != EMPTY for cell in cells):
            first = items[0]
            origin = (first.world, first.rules)
            found.append(PublishedBar(first.agent, origin, cells, _source(first, (world,))))
    return found


def _together(design: ReportDesign, name: str) -> list[list[Reference]]:
    """The references of a table or figure, grouped into rows."""
    found: dict[tuple[str, ...], list[Reference]] = {}
    for item in design.references:
        if item.table == name:
            same = (item.row, item.agent, item.source, item.world, item.rules)
            found.setdefault(same, []).append(item)
    return list(found.values())


def _name(item: Reference, table: Table) -> str:
    by_agent = table.rows in (Field.AGENT, Field.RUN)
    return item.agent if by_agent or not item.row else f"{item.row}: {item.agent}"


def _cell(slot: Slot, items: Sequence[Reference], table: Table) -> Cell:
    measure = slot.measure
    first_measure = measure is table.columns[0]
    for item in items:
        if item.column == (slot.across if table.across else measure.heading) and (
            first_measure or table.across is None
        ):
            return _with_interval(item, measure)
    known = measure.statistic is Statistic.EPISODES and items[0].n is not None
    return Cell(items[0].n) if known else EMPTY


def _with_interval(item: Reference, measure: Measure) -> Cell:
    if measure.statistic is not Statistic.RATE or not item.n:
        return Cell(item.value, n=item.n)
    low, high = wilson_interval(round(item.value * item.n), item.n)
    return Cell(item.value, low, high, item.n)


def _source(item: Reference, worlds: Collection[str]) -> str:
    text = f"Published in {item.source}; world {item.world}, rules: {item.rules}"
    others = [world for world in worlds if world != item.world]
    if others:
        text += f"; a different world than {', '.join(others)}: for reference, not comparable"
    return text


def _place(rows: Sequence[Row], name: str) -> int:
    """After the last row of that name and what was inserted there; at the end if there is none."""
    ours = [
        place
        for place, row in enumerate(rows)
        if row.cells[0].value == name and row.kind is not RowKind.PUBLISHED
    ]
    if not name or not ours:
        return len(rows)
    place = ours[-1] + 1
    while place < len(rows) and rows[place].kind is RowKind.PUBLISHED:
        place += 1
    return place


# --- Declared tables whose rows are episodes or facts, for reading rather than comparing

_SHOWN = 6
"""How many episodes of a listing the terminal shows."""


class NoFactsError(Exception):
    """The task set cannot provide the facts; the message says why."""


def list_episodes(
    listing: Listing, design: ReportDesign, episodes: EpisodeColumns
) -> TableData | None:
    """A row for each episode, by run and then by task; None without any."""
    runs = episodes.family.runs
    orders = [in_order(run.manifest.task_ids) for run in runs]
    chosen = sorted(
        map(int, episodes.only(listing.only)),
        key=lambda number: (
            episodes.runs[number],
            orders[episodes.runs[number]](episodes.records[number]),
        ),
    )
    if not chosen:
        return None
    names = [Column("task", "task")]
    names += [Column("run", "run")] if len(runs) > 1 else []
    names += [Column("repeat", "repeat")] if any(r.manifest.repeats > 1 for r in runs) else []
    own = [heading(each, design.group) for each in listing.columns]
    kinds = [column.id for column in names]
    rows = [
        Row(
            (
                *_names(episodes, number, kinds),
                *(Cell(episodes.records[number].labels.get(e.name)) for e in listing.columns),
            )
        )
        for number in chosen
    ]
    return TableData(
        id=listing.id,
        title=listing.title,
        columns=(*names, *(Column(name, name) for name in own)),
        rows=tuple(rows),
        note=listing.note,
        folded=True,
        shown=_SHOWN,
        sentences=True,
    )


def _names(episodes: EpisodeColumns, number: int, kinds: Sequence[str]) -> list[Cell]:
    record, run = episodes.records[number], episodes.family.runs[int(episodes.runs[number])]
    names = {"task": record.task_id, "run": run.mark, "repeat": str(record.repeat)}
    link = episode_link(run.contents.path.name, record.episode_id)
    return [Cell(names[kind], link=link if kind == "task" else "") for kind in kinds]


def tabulate_facts(facts: TaskFacts, family: Family, suite: Suite | None) -> TableData:
    """The suite's facts about the task set of these runs.

    Raises NoFactsError if its tasks are not available, or it has no such facts.
    """
    rows = facts.rows(_task_set(family, suite))
    if not rows:
        raise NoFactsError("The task set has no data for it.")
    return TableData(
        id=facts.id,
        title=facts.title,
        columns=tuple(Column(name, name, unit) for name, unit in facts.columns),
        rows=tuple(
            Row(
                tuple(Cell(value) for value in row.cells),
                RowKind.PUBLISHED if row.source else RowKind.OURS,
                f"Published in {row.source}" if row.source else "",
            )
            for row in rows
        ),
        note=facts.note,
    )


def _task_set(family: Family, suite: Suite | None) -> TaskSet:
    """The task set of these runs without any condition."""
    if suite is None:
        raise NoFactsError("The suite is not installed, so its tasks are not available.")
    name = family.manifest.task_set
    played = {run.manifest.task_set_digest: run.manifest.condition for run in family.runs}
    for digest, condition in played.items():
        found = find_task_set(suite, name, condition)
        if found.task_set is None:
            raise NoFactsError(f"It is about the tasks themselves, and {found.problem}.")
        if found.task_set.digest(suite.name, suite.version) != digest:
            raise NoFactsError("The installed tasks differ from those of the runs.")
    return suite.task_sets()[name]


# --- Scores that episodes were given after the run, and the reason if there are none


def tabulate_added(
    table: Table, after: Afterwards, design: ReportDesign, episodes: EpisodeColumns
) -> TableData | Commands | None:
    """A table of such scores, with how they were made.

    If no run has any, the table says why and shows the command that makes them. Otherwise a run
    without them has dashes. Raises NoFactsError if the task set has no data for it.
    """
    task_set = episodes.family.manifest.task_set
    if not any(fnmatchcase(task_set, like) for like in after.task_sets):
        raise NoFactsError("The task set has no data for it.")
    found = episodes.added(after.name)
    lacking = " ".join(_lacking(found, episodes))
    command = _command(after, found, episodes)
    if all(isinstance(each, str) for each in found):
        return Commands(table.title, (command,), lacking)
    shown = tabulate(table, design, episodes)
    if shown is None:
        return None
    missing = (lacking, f"Get them: `{command}`.") if lacking else ()
    notes = (*_made(found, episodes), *missing, shown.note)
    return replace(shown, note=" ".join(filter(None, notes)))


def _made(found: Sequence[PosthocScores | str], episodes: EpisodeColumns) -> Iterator[str]:
    ways = [each.description if isinstance(each, PosthocScores) else "" for each in found]
    different = list(filter(None, dict.fromkeys(ways)))
    for description in different:
        yield f"{_whose(ways, description, episodes)}{_sentence(description)}."
    if len(different) > 1:
        yield "These runs were scored in different ways: do not compare them."


def _lacking(found: Sequence[PosthocScores | str], episodes: EpisodeColumns) -> Iterator[str]:
    """The reasons why scores are missing."""
    whys = [each if isinstance(each, str) else "" for each in found]
    for why in filter(None, dict.fromkeys(whys)):
        yield f"{_whose(whys, why, episodes)}{_sentence(why)}."


def _command(
    after: Afterwards, found: Sequence[PosthocScores | str], episodes: EpisodeColumns
) -> str:
    """The command that makes all missing scores."""
    runs = zip(episodes.family.runs, found, strict=True)
    paths = (_typed(run.contents.path) for run, each in runs if isinstance(each, str))
    return " ".join((after.command, *paths))


def _whose(texts: Sequence[str], text: str, episodes: EpisodeColumns) -> str:
    """The marks of the runs that a statement applies to; empty if there is a single run."""
    runs = episodes.family.runs
    marks = [run.mark for run, each in zip(runs, texts, strict=True) if each == text]
    return f"{', '.join(marks)}: " if len(runs) > 1 else ""


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _typed(path: Path) -> str:
    """The path as typed in the current folder."""
    here = Path.cwd()
    return shlex.quote(str(path.relative_to(here) if path.is_relative_to(here) else path))


# --- Usage: time, tokens and cost


def _used(name: str, words: str) -> Quantity:
    return Quantity("usage", name, words)


USAGE = Table(
    id="usage",
    title="Time and cost",
    rows=Field.RUN,
    columns=(
        total(AGENT_SECONDS, "agent time"),
        total(WORLD_SECONDS, "world time"),
        total(_used("calls", "calls"), "model calls"),
        total(_used("input_tokens", "tokens"), "tokens sent"),
        total(_used("cached_input_tokens", "tokens"), "of them cached"),
        total(_used("output_tokens", "tokens"), "tokens received"),
        total(_used("reasoning_tokens", "tokens"), "of them reasoning"),
        total(_used("images", "pictures"), "pictures"),
        total(COST, "cost"),
        mean(TOKENS, "tokens per episode"),
    ),
    note=(
        "Sums over scored episodes. Agents report their model usage, and compute its cost from"
        " their price lists."
    ),
)


def usage_table(design: ReportDesign, episodes: EpisodeColumns) -> TableData | None:
    """Time and cost, without columns in which every value is 0."""
    table = tabulate(USAGE, design, episodes)
    if table is None:
        return None
    kept = [
        place
        for place, column in enumerate(table.columns)
        if column.unit is None or any(row.cells[place].value for row in table.rows)
    ]
    rows = (replace(row, cells=tuple(row.cells[place] for place in kept)) for row in table.rows)
    return replace(table, columns=tuple(table.columns[place] for place in kept), rows=tuple(rows))


# --- What all kinds of figures share


def figure_series(
    episodes: EpisodeColumns, key: Key | None, chosen: Ints, *others: Key
) -> list[Part]:
    """The series of a figure: the declared one, else the field that distinguishes several runs."""
    key = key or apart(episodes, *others)
    if key is None:
        return [("", chosen)]
    return within(episodes.parts(key), chosen)


def numbers_table(figure: Figure, columns: Sequence[Column], rows: Sequence[Row]) -> TableData:
    """The table of the numbers that a figure draws."""
    return TableData(
        id=figure.id, title=figure.title, columns=tuple(columns), rows=tuple(rows), folded=True
    )
