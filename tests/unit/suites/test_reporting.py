"""What a report design refuses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from env_service.domain.action import Plan, SkillCall, Text, Unreadable
from env_service.suites.reporting import (
    COMMON_DESIGN,
    RESERVED_IDS,
    STEPS,
    SUCCESS,
    ActionTree,
    AgentSettings,
    Bars,
    Bins,
    Chosen,
    Classes,
    Field,
    Histogram,
    Label,
    Listing,
    Measure,
    Paired,
    Profile,
    Quantity,
    Reference,
    ReportDesign,
    Statistic,
    Table,
    action_words,
    common_design,
    mean,
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


def test_a_reference_to_bars_needs_bars_by_agent_and_their_series() -> None:
    by_level = Bars(id="levels", title="", by=Field.GROUP)
    with pytest.raises(ValueError, match="no bars by agent"):
        ReportDesign((by_level,), (reference("levels"),))
    by_agent = replace(by_level, by=Field.AGENT)
    assert ReportDesign((by_agent,), (reference("levels"),)).references
    kinds = Classes(Chosen("feedback"), "feedback", (("some", ("simple", "detailed")),))
    with pytest.raises(ValueError, match="'success' of the bars 'levels', which has"):
        ReportDesign((replace(by_agent, series=kinds),), (reference("levels"),))
    some = replace(reference("levels"), column="some")
    assert ReportDesign((replace(by_agent, series=kinds),), (some,)).references


def test_figures_that_could_show_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="contrast series, and name none"):
        Bars(id="b", title="", by=Field.AGENT, contrast=True)
    with pytest.raises(ValueError, match="of one unit"):
        Profile(id="p", title="", measures=(SUCCESS, mean(STEPS)), axis="")
    with pytest.raises(ValueError, match="of one unit"):
        Profile(id="p", title="", measures=(), axis="")
    with pytest.raises(ValueError, match="two rows"):
        ActionTree(id="t", title="", rows=1)


def test_published_settings_have_names_that_reports_know() -> None:
    with pytest.raises(
        ValueError, match="unknown inference setting 'warmth'; the settings are temperature"
    ):
        AgentSettings(agent="a", settings=(("warmth", "0"),), source="s")


def test_actions_are_told_in_words() -> None:
    go = SkillCall("go to", (("place", "kitchen"),))
    assert action_words(go) == ("go to kitchen",)
    assert action_words(Plan((go, SkillCall("done")))) == ("go to kitchen", "done")
    assert action_words(Text(" two\n lines ")) == ("two lines",)
    assert action_words(Text("")) == ("(nothing)",)
    (long,) = action_words(Text("x" * 100))
    assert (len(long), long[-1]) == (60, "…")
    assert action_words(Unreadable("too long", "00")) == ("(unreadable)",)


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
    with pytest.raises(ValueError, match="needs per"):
        Measure(Statistic.RATIO, "ratio", STEPS)
    with pytest.raises(ValueError, match="nothing else, needs per"):
        replace(mean(STEPS), per=(STEPS,))
    with pytest.raises(ValueError, match="'l' has no columns"):
        Listing(id="l", title="", columns=())


def test_a_baseline_is_of_settings_that_differ() -> None:
    pair = Paired(id="p", title="", by=Label("x"), settings=("a",), baseline=(("a", "1"),))
    assert ReportDesign((pair,)).items == (pair,)
    with pytest.raises(ValueError, match="'b', which is not among those that differ: a"):
        replace(pair, baseline=(("b", "1"),))


def test_a_reference_stands_in_no_listing() -> None:
    reasons = Listing(id="levels", title="", columns=(Label("why"),))
    with pytest.raises(ValueError, match="'levels': there is none"):
        ReportDesign((reasons,), (reference("levels"),))
