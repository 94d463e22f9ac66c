"""What a report design refuses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from env_service.suites.reporting import (
    COMMON_DESIGN,
    RESERVED_IDS,
    STEPS,
    SUCCESS,
    Bars,
    Bins,
    Field,
    Histogram,
    Measure,
    Quantity,
    Reference,
    ReportDesign,
    Statistic,
    Table,
    common_design,
)

TABLE = Table(id="levels", title="Levels", rows=Field.GROUP, columns=(SUCCESS,))


def reference(table: str) -> Reference:
    return Reference(
        table=table, row="", column="success", value=0.5, n=10, source="s", world="w", agent="a"
    )


@pytest.mark.parametrize("name", ["", "Levels", "my levels", "../levels", "levels-", *RESERVED_IDS])
def test_an_id_has_to_name_a_file_of_its_own(name: str) -> None:
    with pytest.raises(ValueError, match="id"):
        ReportDesign((Bars(id=name, title="", by=Field.GROUP),))


def test_ids_are_unique() -> None:
    with pytest.raises(ValueError, match="'levels' is taken"):
        ReportDesign((TABLE, Bars(id="levels", title="", by=Field.GROUP)))
    with pytest.raises(ValueError, match="'groups' is taken"):
        COMMON_DESIGN.plus(Table(id="groups", title="", rows=Field.GROUP, columns=(SUCCESS,)))


def test_a_reference_needs_its_table() -> None:
    assert ReportDesign((TABLE,), (reference("levels"),)).references
    with pytest.raises(ValueError, match="'level': there is none"):
        ReportDesign((TABLE,), (reference("level"),))


def test_a_reference_needs_its_column() -> None:
    with pytest.raises(ValueError, match="'succes' of the table 'levels'"):
        ReportDesign((TABLE,), (replace(reference("levels"), column="succes"),))


def test_more_can_be_added_to_a_design_and_the_design_stays() -> None:
    common = common_design("level")
    more = common.plus(TABLE, reference("levels"))
    assert more.items == (*common.items, TABLE)
    assert (len(more.references), len(common.references)) == (1, 0)
    assert more.group == "level"


@pytest.mark.parametrize(
    ("source", "name"), [("episode", "stepz"), ("usage", "tokenz"), ("nowhere", "steps")]
)
def test_quantities_are_known_by_name(source: str, name: str) -> None:
    with pytest.raises(ValueError, match=f"{name}|{source}"):
        Quantity(source, name, "")


@pytest.mark.parametrize("edges", [(), (2.0, 1.0), (1.0, 1.0)])
def test_bin_edges_rise(edges: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="rise"):
        Bins(STEPS, edges)


def test_measures_and_figures_need_what_they_are_made_of() -> None:
    with pytest.raises(ValueError, match="a mean needs a quantity"):
        Measure(Statistic.MEAN, "mean")
    with pytest.raises(ValueError, match="share_of"):
        Measure(Statistic.SHARE, "share")
    with pytest.raises(ValueError, match="no columns"):
        Table(id="t", title="", rows=Field.GROUP, columns=())
    with pytest.raises(ValueError, match="called alike"):
        Table(id="t", title="", rows=Field.GROUP, columns=(SUCCESS, SUCCESS))
    with pytest.raises(ValueError, match="no bins"):
        Histogram(id="h", title="", quantity=STEPS, bins=0)
