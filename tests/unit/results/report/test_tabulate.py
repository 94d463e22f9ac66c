"""From a design to numbers, against numbers worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from env_service.results.report.content import EMPTY, Omissions, RowKind, TableData
from env_service.results.report.declared_tables import tabulate
from env_service.results.report.episode_columns import EpisodeColumns
from env_service.results.report.run_report import Designed, make_report
from env_service.results.report.runs import make_family
from env_service.results.run_reader import RunContents
from env_service.results.statistics import cluster_rate, wilson_interval
from env_service.suites.reporting import (
    EPISODES,
    MEDIAN_REPEAT,
    STEPS,
    SUCCEEDED,
    SUCCESS,
    TOKENS,
    Bins,
    Chosen,
    Classes,
    Field,
    Label,
    Only,
    ReportDesign,
    Table,
    common_design,
    matthews,
    mean,
    median,
    metric,
    rate,
    share,
    total,
)
from tests.support.lab_report import LAB_DESIGN, PAPER
from tests.support.made_run import USED, made_text, with_condition

GROUPS = Table(id="groups", title="By bench", rows=Field.GROUP, columns=(EPISODES, SUCCESS))


def win_even(task: int, _repeat: int) -> bool:
    return task % 2 == 0


def made(table: Table, *texts: object, design: ReportDesign | None = None) -> TableData | None:
    episodes = EpisodeColumns(make_family(texts or [made_text(wins=win_even)]))  # type: ignore[arg-type]
    return tabulate(table, design or ReportDesign((table,)), episodes)


def values(table: TableData | None) -> list[list[object]]:
    assert table is not None
    return [[cell.value for cell in row.cells] for row in table.rows]


def test_groups_have_a_row_each_in_the_order_of_their_tasks() -> None:
    assert values(made(GROUPS)) == [
        ["group-0", 4, 0.5],
        ["group-1", 4, 0.5],
        ["group-2", 4, 0.5],
        ["group-3", 4, 0.5],
        ["group-4", 4, 0.5],
    ]


def test_a_terminal_gets_the_first_rows_of_a_long_table_where_the_design_says_so() -> None:
    table = made(replace(GROUPS, shown=2))
    assert table is not None
    assert (table.shown, len(table.rows)) == (2, 5)


def test_episodes_of_clusters_of_their_own_have_wilsons_interval() -> None:
    # Tasks 0 … 9 lie in ten scenes.
    table = Table(id="t", title="", rows=Field.RUN, columns=(SUCCESS,))
    found = made(table, made_text(tasks=10, wins=win_even))
    assert found is not None
    assert found.rows[0].cells[1].interval == wilson_interval(5, 10)
    assert found.rows[0].cells[1].n == 10


@pytest.mark.parametrize(("tasks", "repeats"), [(20, 1), (10, 2)])
def test_shared_scenes_and_repeats_have_the_interval_over_clusters(
    tasks: int, repeats: int
) -> None:
    text = made_text(tasks=tasks, repeats=repeats, wins=win_even)
    found = made(Table(id="t", title="", rows=Field.RUN, columns=(SUCCESS,)), text)
    scores = [float(record.success) for record in text.episodes]
    expected = cluster_rate(scores, [record.cluster for record in text.episodes])
    assert found is not None
    assert found.rows[0].cells[1].interval == (expected.low, expected.high)


def test_what_the_house_lost_counts_nowhere() -> None:
    text = made_text(tasks=10, wins=win_even)
    lost = tuple(
        record if record.task_id != "lab/0" else type(record)(**_fields(record, fault="data_fault"))
        for record in text.episodes
    )
    table = Table(id="t", title="", rows=Field.RUN, columns=(EPISODES,))
    assert values(made(table, type(text)(text.path, text.manifest, lost, ()))) == [
        ["Scripted/1.0", 9]
    ]


def _fields(record: object, **changes: object) -> dict[str, object]:
    names = record.__dataclass_fields__  # type: ignore[attr-defined]
    return {name: getattr(record, name) for name in names} | changes


def test_every_kind_of_number() -> None:
    won = Only(Field.RESULT, (SUCCEEDED,))
    table = Table(
        id="t",
        title="",
        rows=Field.AGENT,
        columns=(
            mean(STEPS, "steps per success", only=won),
            median(STEPS),
            total(metric("refusals")),
            rate(metric("valid")),
            share(Label("said"), "yes"),
            share(Field.FAILURE, "gave up"),
            total(TOKENS),
        ),
    )
    found = made(table, made_text(tasks=10, wins=win_even, usage=USED))
    # Steps are 5 + n % 7, and 10 more where n is odd: 5 7 9 11 6, 16 18 20 15 17.
    assert values(found) == [["Scripted/1.0", 7.6, 13.0, 20.0, 0.7, 0.5, 0.2, 12000.0]]


def test_a_number_that_no_episode_has_is_left_out() -> None:
    table = Table(id="t", title="", rows=Field.AGENT, columns=(SUCCESS, total(TOKENS)))
    found = made(table)
    assert found is not None
    assert [column.id for column in found.columns] == ["key", "success"]
    nothing = Table(id="t", title="", rows=Field.AGENT, columns=(mean(metric("unheard of")),))
    assert made(nothing) is None
    assert made(Table(id="t", title="", rows=Label("nobody"), columns=(SUCCESS,))) is None


def test_bins_and_classes_as_rows() -> None:
    bins = Table(id="t", title="", rows=Bins(metric("refusals"), (1, 3)), columns=(EPISODES,))
    assert values(made(bins)) == [["under 1", 4], ["1 – under 3", 8], ["3 and more", 8]]
    two = Classes(Field.GROUP, "kind", (("a", ("group-0", "group-1")), ("b", ("group-1", "x"))))
    table = Table(id="t", title="", rows=two, columns=(EPISODES,), total=True)
    assert values(made(table)) == [["a", 8], ["b", 4], ["all", 20]]


def test_settings_across_agents() -> None:
    base = made_text("base", wins=win_even)
    texts = [
        made_text(
            f"{agent}-{feedback}",
            agent=agent,
            condition=with_condition(base.manifest, feedback=feedback),
            wins=lambda task, _repeat, worth=worth: task < worth,
        )
        for agent, feedback, worth in (("x", "none", 5), ("x", "simple", 10), ("y", "none", 20))
    ]
    table = next(item for item in LAB_DESIGN.items if item.id == "feedback")
    assert isinstance(table, Table)
    found = made(table, *texts)
    assert found is not None
    assert [(column.above, column.heading) for column in found.columns] == [
        ("", "agent"),
        ("feedback", "none"),
        ("feedback", "simple"),
    ]
    assert values(found) == [["x", 0.25, 0.5], ["y", 1.0, None]]


def test_a_table_that_names_no_runs_has_a_row_for_each_of_several() -> None:
    found = made(GROUPS, made_text(tasks=2), made_text(tasks=2, seed=8))
    assert found is not None
    assert [[cell.value for cell in row.cells[:2]] for row in found.rows] == [
        ["group-0", "A"],
        ["group-0", "B"],
        ["group-1", "A"],
        ["group-1", "B"],
    ]
    chosen = Table(id="t", title="", rows=Chosen("feedback"), columns=(EPISODES,))
    assert values(made(chosen, made_text(tasks=2), made_text(tasks=2, seed=8))) == [["simple", 4]]


def test_repeats_and_their_median() -> None:
    text = made_text(tasks=10, repeats=3, wins=lambda task, repeat: task < (2, 9, 5)[repeat])
    table = Table(id="t", title="", rows=Field.REPEAT, columns=(SUCCESS,))
    assert values(made(table, text)) == [["0", 0.2], ["1", 0.9], ["2", 0.5]]
    overall = Table(id="t", title="", rows=Field.RUN, columns=(MEDIAN_REPEAT,))
    assert values(made(overall, text)) == [["Scripted/1.0", 0.5]]
    assert made(table) is None, "a run without repeats has no repeats to show"


def test_published_numbers_stand_behind_the_row_they_belong_to() -> None:
    table = next(item for item in LAB_DESIGN.items if item.id == "groups")
    assert isinstance(table, Table)
    found = made(table, made_text(wins=win_even, usage=USED), design=LAB_DESIGN)
    assert found is not None
    row = found.rows[2]
    assert row.kind is RowKind.PUBLISHED
    assert [cell.value for cell in row.cells[:4]] == ["group-1: Elder", "light", "version 0", 50]
    assert row.cells[4].value == 0.4
    assert row.cells[4].interval == wilson_interval(20, 50)
    assert row.cells[5] == EMPTY
    assert row.source == f"Published in {PAPER}; world light, rules: version 0"


def test_every_row_beside_a_published_one_tells_its_world_and_rules() -> None:
    table = next(item for item in LAB_DESIGN.items if item.id == "groups")
    assert isinstance(table, Table)
    design = replace(LAB_DESIGN, rules="step_limit")
    found = made(table, made_text(usage=USED), design=design)
    assert found is not None
    assert [column.heading for column in found.columns[1:3]] == ["world", "rules"]
    ours = {
        tuple(cell.value for cell in row.cells[1:3])
        for row in found.rows
        if row.kind is not RowKind.PUBLISHED
    }
    assert ours == {("light", "told (version 1)")}


def test_published_numbers_stand_beside_agents_that_asked_a_model_alone() -> None:
    table = next(item for item in LAB_DESIGN.items if item.id == "groups")
    assert isinstance(table, Table)

    def shown(text: RunContents) -> bool:
        found = made(table, text, design=LAB_DESIGN)
        assert found is not None
        published = any(row.kind is RowKind.PUBLISHED for row in found.rows)
        assert published == ("world" in found.names)
        return published

    random = made_text()
    assert not shown(random)
    assert shown(made_text(usage=USED)), "its usage says so"
    declared = {"agent_name": "asker", "model": "some-model"}
    assert shown(made_text(declared=(declared,))), "its declaration says so"
    assert not shown(made_text(declared=({**declared, "model": ""},)))
    (section,) = make_report([random], lambda _: Designed(LAB_DESIGN)).sections
    missing = next(each for each in section.blocks if isinstance(each, Omissions))
    assert "None of these agents used one" in dict(missing.pairs)["Published numbers"]


def test_published_numbers_of_another_world_say_so_and_have_no_invented_interval() -> None:
    table = next(item for item in LAB_DESIGN.items if item.id == "feedback")
    assert isinstance(table, Table)
    base = made_text("base")
    none = made_text("none", usage=USED, condition=with_condition(base.manifest, feedback="none"))
    found = made(table, none, design=LAB_DESIGN)
    assert found is not None
    row = found.rows[-1]
    assert [cell.value for cell in row.cells] == ["<Elder & Co>", "real life", "not stated", 0.25]
    assert row.cells[3].interval is None
    assert (
        "real life, rules: not stated; a different world than light: for reference, not comparable"
        in row.source
    )


def test_the_common_design_suits_a_run_without_anything_special() -> None:
    episodes = EpisodeColumns(make_family([made_text(tasks=1)]))
    tables = [item for item in common_design().items if isinstance(item, Table)]
    assert [tabulate(item, common_design(), episodes) is None for item in tables] == [False, True]


def test_settings_do_not_pool_agents() -> None:
    base = made_text(agent="one", wins=lambda *_: True)
    none = with_condition(base.manifest, feedback="none")
    texts = [
        base,
        made_text(agent="one", wins=win_even, condition=none),
        made_text(agent="two", wins=lambda *_: False),
    ]
    table = Table(id="t", title="T", rows=Chosen("feedback"), columns=(SUCCESS,))
    assert values(made(table, *texts)) == [
        ["none", "one", 0.5],
        ["simple", "one", 1.0],
        ["simple", "two", 0.0],
    ]
    assert values(made(table, *texts[:2])) == [["none", 0.5], ["simple", 1.0]]


def test_agreement_of_two_labels_is_a_number_with_an_interval() -> None:
    # True is "yes" unless n is divisible by 3 (7 of 20); said is "yes" where n is even.
    table = Table(
        id="t", title="T", rows=Field.AGENT, columns=(matthews(Label("true"), Label("said"), "M"),)
    )
    found = made(table)
    assert found is not None
    cell = found.rows[0].cells[1]
    by_hand = (3 * 6 - 4 * 7) / (7 * 13 * 10 * 10) ** 0.5
    assert cell.value == pytest.approx(by_hand)
    assert cell.low is not None
    assert cell.high is not None
    assert -1 <= cell.low < by_hand < cell.high <= 1
    assert cell.n == 20
    none = Table(id="t", title="T", rows=Field.AGENT, columns=(matthews(Label("x"), Label("y")),))
    assert made(none) is None
