"""Which runs are compared, which are refused, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from env_service.results.report.comparison import make_comparison
from env_service.results.report.content import Document, FigureData, TableData
from env_service.results.report.report_files import as_csv
from env_service.results.report.run_report import Designed
from env_service.results.report.runs import NotComparableError, differences
from env_service.results.run_reader import RunContents
from env_service.results.statistics import detectable_difference, mcnemar_p_value
from tests.support.made_run import made_text, with_condition


def first(count: int) -> Callable[[int, int], bool]:
    return lambda task, _repeat: task < count


BASE = made_text("base", wins=first(8))
BETTER = made_text("better", wins=first(14), agent="another")


def compare(*texts: RunContents, **options: bool) -> Document:
    return make_comparison(texts, lambda _: Designed(), **options)


def table(document: Document, name: str) -> list[list[object]]:
    (section,) = document.sections
    found = next(item for item in section.tables() if item.id == name)
    return [[cell.value for cell in row.cells] for row in found.rows]


def notices(document: Document) -> str:
    (section,) = document.sections
    return " ".join(notice.text for notice in (*document.notices, *section.notices))


def test_two_runs_on_the_same_tasks() -> None:
    document = compare(BASE, BETTER)
    p = mcnemar_p_value(0, 6)
    detectable = detectable_difference(20, 0.3)
    assert table(document, "pairs") == [
        ["A", "B", 20, pytest.approx(0.3), p, p, detectable, 6, 0, 14]
    ]
    assert notices(document) == "Compared on 20 tasks, scored in all of these runs."
    assert table(document, "flipped") == [[f"lab/{n}", "B − A", "better"] for n in range(8, 14)]
    assert [row[:3] for row in table(document, "groups")][:2] == [
        ["group-0", "B − A", 4],
        ["group-1", "B − A", 4],
    ]
    pair = document.to_json()["pairs"][0]
    assert (pair["baseline"], pair["other"]) == ("runs/base", "runs/better")
    assert pair["interval_95"][0] < 0.3 < pair["interval_95"][1]


def test_several_runs_are_compared_with_the_first_or_all_with_all() -> None:
    third = made_text("third", wins=first(20), seed=8)
    with_first = table(compare(BASE, BETTER, third), "pairs")
    assert [row[:2] for row in with_first] == [["A", "B"], ["A", "C"]]
    small, large = sorted(float(str(row[4])) for row in with_first)
    assert sorted(float(str(row[5])) for row in with_first) == [2 * small, max(2 * small, large)]
    every = table(compare(BASE, BETTER, third, all_pairs=True), "pairs")
    assert [row[:2] for row in every] == [["A", "B"], ["A", "C"], ["B", "C"]]


def test_equal_runs_differ_in_nothing() -> None:
    document = compare(BASE, replace(BASE))
    assert table(document, "pairs")[0][3:] == [0.0, 1.0, 1.0, None, 0, 0, 20]
    (section,) = document.sections
    assert "flipped" not in [item.id for item in section.tables()]


def test_repeats_are_compared_task_by_task() -> None:
    one = made_text("one", repeats=3, wins=lambda task, repeat: task < 8 and repeat < 2)
    two = made_text("two", repeats=3, wins=lambda task, _: task < 8, seed=8)
    row = table(compare(one, two), "pairs")[0]
    assert (row[2], row[4], row[7:]) == (20, mcnemar_p_value(0, 8), [8, 0, 12])


def test_what_differs_is_in_the_runs_names() -> None:
    other = made_text("o", wins=first(3), condition=with_condition(BASE.manifest, feedback="none"))
    assert [row[0] for row in table(compare(BASE, other), "overview")] == [
        "A feedback simple",
        "B feedback none",
    ]


def test_different_tasks_are_compared_on_those_in_common() -> None:
    few = made_text("few", tasks=12, wins=first(8))
    document = compare(BASE, few)
    assert table(document, "pairs")[0][2] == 12
    assert (
        "Compared on 12 tasks, scored in all of these runs."
        " A selected 20; B selected 12." in notices(document)
    )
    assert [row[1] for row in table(document, "overview")] == [12, 12]


def test_a_run_that_goes_on_is_compared_and_said_to_be_incomplete() -> None:
    half = replace(BETTER, episodes=BETTER.episodes[:9])
    document = compare(BASE, half)
    assert table(document, "pairs")[0][2] == 9
    assert "not complete. 9 of 20 planned episodes are scored" in notices(document)


def test_no_task_in_common_is_refused_also_by_force() -> None:
    other = made_text("other", tasks=20)
    rest = replace(other, episodes=tuple(r for r in other.episodes if r.task_id == "lab/19"))
    few = made_text("few", tasks=5)
    for force in (False, True):
        with pytest.raises(NotComparableError, match="no scored task in common") as refused:
            compare(few, rest, force=force)
        assert "few: 5; other: 1" in str(refused.value)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"world": "heavy"}, "world (light; heavy)"),
        ({"world": "heavy", "world_facts": {"commit": "f0"}}, "world (light; heavy)"),
        ({"world_facts": {"commit": "f0"}}, "build of the world (not recorded; commit f0)"),
        ({"suite": "babyai"}, "suite (tests.support.lab:LabSuite; babyai)"),
        ({"suite_version": "2"}, "version of the rules (1; 2)"),
        ({"task_set_digest": "f" * 64}, "task set (lab "),
        (
            {"data": ({"pack": "ithor", "commit": "c", "modified": ["a.json"]},)},
            "data (none; pack ithor, commit c, modified ['a.json'])",
        ),
    ],
)
def test_scores_that_mean_different_things_are_refused_by_name(
    changes: dict[str, object], named: str
) -> None:
    other = made_text("other", **changes)
    with pytest.raises(NotComparableError) as refused:
        compare(BASE, other)
    assert named in str(refused.value)
    assert len(differences([BASE, other])) == 1


def test_pictures_of_another_driver_are_compared_and_said_to_be_so() -> None:
    runs = [
        made_text(driver, world_facts={"commit": "f0", "driver": driver})
        for driver in ("535", "570")
    ]
    document = compare(*runs)
    assert document.label == ""
    assert "different graphics: driver 535; driver 570" in notices(document)


def test_what_is_forced_is_labelled_everywhere() -> None:
    document = compare(BASE, made_text("other", world="heavy"), force=True)
    label = "not comparable: the runs differ in world (light; heavy)"
    assert document.label == label
    assert notices(document).startswith("Not comparable: the runs differ in world")
    assert document.to_json()["label"] == label
    assert document.to_json()["comparable"] is False
    (section,) = document.sections
    for item in section.tables():
        lines = as_csv(item, document.label).splitlines()
        assert all(label in line for line in lines[1:])


def test_every_block_is_a_kind_that_renderers_know() -> None:
    (section,) = compare(BASE, BETTER).sections
    assert any(isinstance(block, FigureData) for block in section.blocks)
    assert any(isinstance(block, TableData) for block in section.blocks)


def test_tasks_that_share_but_a_name_are_not_compared_by_force() -> None:
    elsewhere = tuple(replace(record, cluster="elsewhere") for record in BETTER.episodes)
    with pytest.raises(NotComparableError, match="not the same task in both"):
        compare(BASE, replace(BETTER, episodes=elsewhere), force=True)
