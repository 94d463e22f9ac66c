"""Comparisons: runs in pairs, on the tasks that all of them have scored."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from env_service.domain.text import counted
from env_service.results.report.content import (
    RUN,
    Axis,
    BarChart,
    Block,
    Cell,
    Column,
    Document,
    FigureData,
    Headline,
    Notice,
    Row,
    Section,
    TableData,
    Tone,
    words_table,
)
from env_service.results.report.declared_tables import tabulate, usage_table
from env_service.results.report.episode_columns import EpisodeColumns, heading, within
from env_service.results.report.leaderboard import (
    can_be_ranked,
    leaderboard_document,
    name_runs,
)
from env_service.results.report.number_format import one
from env_service.results.report.paired_runs import (
    Pair,
    compare_pairs,
    compare_runs,
    difference_cell,
    p_in_words,
)
from env_service.results.report.provenance import commands, facts, notices, played
from env_service.results.report.run_report import Designed, overview_of, paired_by
from env_service.results.report.runs import Family, check_comparable, make_family, on_common_tasks
from env_service.results.run_reader import RunContents
from env_service.suites.reporting import Field, Unit

_SHOWN = 12
"""How many rows of tasks with different results the terminal shows."""


def compare_any(
    runs: Sequence[RunContents],
    designed: Callable[[str], Designed],
    *,
    all_pairs: bool = False,
    force: bool = False,
) -> Document:
    """Compares at least two runs with the first: those of several suites or seeds in a
    leaderboard, if some agents played the same, and all others as ``make_comparison`` does.

    ``all_pairs`` and ``force`` ask for the latter. Raises NotComparableError.
    """
    if can_be_ranked(runs) and not (force or all_pairs):
        named = name_runs(runs)
        return leaderboard_document(named, named[0].agent)
    return make_comparison(runs, designed, all_pairs=all_pairs, force=force)


def make_comparison(
    runs: Sequence[RunContents],
    designed: Callable[[str], Designed],
    *,
    all_pairs: bool = False,
    force: bool = False,
) -> Document:
    """Compares at least two runs: each with the first, or all pairs.

    Raises NotComparableError if the runs differ in more than condition, agent, seed, repeats and
    selected tasks, unless ``force``, or if they have no scored task in common.
    """
    label = check_comparable(runs, paired_by(designed), force=force)
    chosen = designed(runs[0].manifest.suite)
    whole = make_family(runs, chosen.for_run(runs[0].manifest).paired_by)
    family = make_family(on_common_tasks(runs, whole.pairing))
    # The names state what the runs differ in, so take them from the unreduced runs.
    family = Family(
        tuple(
            replace(run, mark=named.mark, name=named.name)
            for run, named in zip(family.runs, whole.runs, strict=True)
        ),
        whole.pairing,
    )
    pairs = compare_pairs(family, all_pairs=all_pairs)
    section = Section(
        id="comparison",
        title="Comparison",
        lead=_lead(family),
        notices=(*_coverage(whole, family), *notices(whole)),
        blocks=tuple(_blocks(whole, family, pairs, chosen)),
    )
    return Document(
        title=f"{family.manifest.suite.rpartition(':')[2]}: {len(runs)} runs compared",
        sections=(section,),
        notices=(Notice(label[0].upper() + label[1:]),) if label else (),
        label=label,
        runs=tuple(runs),
        extra={
            "runs": [str(run.path) for run in runs],
            "comparable": not label,
            "pairs": [pair.to_json() for pair in pairs],
        },
    )


def _blocks(
    whole: Family, family: Family, pairs: Sequence[Pair], designed: Designed
) -> list[Block]:
    episodes = EpisodeColumns(family)
    design = designed.for_run(family.manifest)
    overview = tabulate(overview_of(design), design, episodes)
    blocks: list[Block | None] = [
        None if overview is None else Headline(replace(overview, title="On the common tasks")),
        pairs_table(pairs),
        _forest(pairs),
        _groups(episodes, pairs, design.group),
        _flipped(pairs),
        usage_table(design, episodes),
        *(facts(run) for run in whole.runs),
        commands(whole.runs, designed.suite, "Commands to repeat these runs"),
    ]
    return [block for block in blocks if block is not None]


def _lead(family: Family) -> str:
    """Describes the task set and world; for a forced comparison, all of them."""
    if family.pairing.averaged:
        return played(family.manifest)
    return " / ".join(dict.fromkeys(played(run.manifest) for run in family.runs))


def _coverage(whole: Family, family: Family) -> list[Notice]:
    """On how many tasks the runs are compared, and which runs have more."""
    pairing = family.pairing
    common = len(pairing.scored(family.runs[0].contents))
    selected = {run.manifest.task_ids for run in whole.runs}
    text = f"Compared on {counted(common, 'task')}, scored in all of these runs."
    if pairing.averaged:
        text += " For a task with several episodes, their mean counts."
        met = all(
            run.summary.complete and len(pairing.scored(run.contents)) == common
            for run in whole.runs
        )
    else:
        met = len(selected) == 1 and common == len(whole.manifest.task_ids)
    if met:
        return [Notice(text, Tone.PLAIN)]
    own = "; ".join(f"{run.mark} selected {len(run.manifest.task_ids)}" for run in whole.runs)
    return [Notice(f"{text} {own}.", Tone.WARNING)]


def pairs_table(pairs: Sequence[Pair]) -> TableData:
    """A row for each pair: the difference, the test and the detectable difference."""
    columns = (
        Column("baseline", "baseline"),
        Column("other", "other"),
        Column("tasks", "tasks", Unit.NUMBER),
        Column("difference", "difference", Unit.POINTS),
        Column("p", "p", Unit.PROBABILITY),
        Column("p_holm", "p, Holm", Unit.PROBABILITY),
        Column("detectable", "detectable", Unit.POINTS),
        Column("only_other", "better in other", Unit.NUMBER),
        Column("only_baseline", "better in baseline", Unit.NUMBER),
        Column("same", "same in both", Unit.NUMBER),
    )
    rows = tuple(
        Row(
            (
                Cell(pair.baseline.mark),
                Cell(pair.other.mark),
                Cell(pair.found.tasks),
                difference_cell(pair.found),
                Cell(pair.found.p_value),
                Cell(pair.adjusted_p),
                Cell(pair.detectable),
                Cell(pair.found.second_better),
                Cell(pair.found.first_better),
                Cell(pair.found.tasks - pair.found.second_better - pair.found.first_better),
            )
        )
        for pair in pairs
    )
    detectable = "" if all(pair.pairing.averaged for pair in pairs) else _DETECTABLE
    return TableData(
        id="pairs",
        title="Differences between the runs",
        columns=columns,
        rows=rows,
        note=f"{_DIFFERENCE} {p_in_words([pair.pairing for pair in pairs])}{detectable}",
    )


_DIFFERENCE = (
    "Difference: success of the other minus that of the baseline, in percentage points, with its"
    " 95 % interval, which treats tasks of one cluster together."
)
_DETECTABLE = (
    " Detectable: the smallest true difference that these tasks would show with 80 % power."
)


def _forest(pairs: Sequence[Pair]) -> FigureData:
    # Marks first, because a long name is cut at its end.
    names = tuple(
        f"{pair.name} · {pair.other.name.removeprefix(pair.other.mark).strip()}" for pair in pairs
    )
    cells = tuple(difference_cell(pair.found) for pair in pairs)
    axis = Axis("difference in success", Unit.POINTS)
    in_words = "; ".join(
        f"{pair.name}: {one(pair.found.difference.difference, Unit.POINTS)}" for pair in pairs
    )
    return FigureData(
        id="differences",
        title="Differences in success",
        drawing=BarChart(names, (("", cells),), axis),
        description=f"Bars with 95 % intervals, right of 0 if the other is better. {in_words}.",
        table=TableData(
            id="differences",
            title="Differences in success",
            columns=(Column("pair", "pair"), Column("difference", "difference", Unit.POINTS)),
            rows=tuple(Row((Cell(name), cell)) for name, cell in zip(names, cells, strict=True)),
            folded=True,
        ),
    )


def _groups(episodes: EpisodeColumns, pairs: Sequence[Pair], group: str) -> TableData | None:
    parts = within(episodes.parts(Field.GROUP), episodes.all)
    if len(parts) < 2:
        return None
    rows = []
    for name, members in parts:
        for pair in pairs:
            tasks = {pair.pairing.of(episodes.records[number]) for number in members}
            found = compare_runs(pair.baseline, pair.other, pair.pairing, tasks)
            rates = (Cell(found.tasks), Cell(found.first_rate), Cell(found.second_rate))
            rows.append(Row((Cell(name), Cell(pair.name), *rates, difference_cell(found))))
    words = heading(Field.GROUP, group)
    return TableData(
        id="groups",
        title=f"Differences by {words}",
        columns=(
            Column("key", words),
            Column(RUN, "pair"),
            Column("tasks", "tasks", Unit.NUMBER),
            Column("baseline", "baseline", Unit.PERCENT),
            Column("other", "other", Unit.PERCENT),
            Column("difference", "difference", Unit.POINTS),
        ),
        rows=tuple(rows),
        note="Not tested: with so many intervals, some miss the true difference by chance.",
    )


def _flipped(pairs: Sequence[Pair]) -> TableData | None:
    """The tasks in which one run was better, the other run's gains first."""
    rows = [
        (task, pair.name, how)
        for pair in pairs
        for how, tasks in (("better", pair.better), ("worse", pair.worse))
        for task in tasks
    ]
    if not rows:
        return None
    table = words_table("flipped", "Tasks with different results", ("task", "pair", "other"), rows)
    return replace(table, folded=True, shown=_SHOWN)
