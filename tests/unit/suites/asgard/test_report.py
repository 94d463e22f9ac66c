from env_service.domain.episode import FinishReason
from env_service.suites.asgard.limits import Limits, StepLimits
from env_service.suites.asgard.reading import read_plan
from env_service.suites.asgard.report import DESIGN, SCORES
from env_service.suites.asgard.rules import PAPER
from env_service.suites.asgard.scoring import (
    ending_labels,
    goal_metrics,
    plan_labels,
    turn_metrics,
)
from env_service.suites.asgard.tally import Tally
from env_service.suites.reporting import Bars, Chosen, Histogram, Label, Only, Stacked, Table
from tests.support.asgard import SUITE, make_order
from tests.unit.suites.asgard.builders import plan_data

PLAN = read_plan(plan_data(), "a plan")
LIMITS = Limits(StepLimits.of(PLAN.step_count), PAPER)
METRICS = turn_metrics(PLAN, LIMITS, Tally()) | goal_metrics((True,), (True,))
LABELS = plan_labels(PLAN, make_order({}).condition) | ending_labels(
    LIMITS, None, FinishReason.OVER
)


def keys():
    for item in DESIGN.items:
        for name in ("rows", "across", "by", "series", "parts"):
            yield getattr(item, name, None)
        measures = item.columns if isinstance(item, Table) else ()
        for measure in measures:
            for only in (measure.only, measure.share_of):
                yield only.key if isinstance(only, Only) else None


def quantities():
    for item in DESIGN.items:
        if isinstance(item, Histogram):
            yield item.quantity
        measures = item.columns if isinstance(item, Table) else ()
        yield from (measure.quantity for measure in measures if measure.quantity)


def test_every_label_and_setting_that_is_shown_exists():
    found = [key for key in keys() if key is not None]
    assert {key.name for key in found if isinstance(key, Label)} <= set(LABELS)
    settings = {setting.name for setting in SUITE.settings}
    assert {key.setting for key in found if isinstance(key, Chosen)} <= settings


def test_every_metric_that_is_shown_is_recorded():
    shown = {each.name for each in quantities() if each.source == "metric"}
    assert shown <= set(METRICS)
    assert len(shown) > 15


def test_the_papers_views_are_there():
    kinds = {item.id: type(item) for item in DESIGN.items}
    expected = {
        "conditions": Table,
        "groups": Table,
        "success": Bars,
        "endings": Stacked,
        "pictures": Bars,
        "feedback": Bars,
        "terminations": Table,
        "turns": Table,
        "undoable": Table,
    }
    assert expected.items() <= kinds.items()
    assert next(iter(kinds)) == SCORES


def test_nine_models_stand_beside_ours_in_two_conditions():
    assert len(DESIGN.references) == 18
    assert len({each.agent for each in DESIGN.references}) == 9
    assert {each.column for each in DESIGN.references} == {"baseline", "text-only-simple"}
    assert {each.world for each in DESIGN.references} == {"ai2thor"}
    best = max(DESIGN.references, key=lambda each: each.value)
    assert (best.agent, best.value, best.column) == ("Claude Opus 4.5", 0.765, "baseline")
    assert all("2603.15888" in each.source for each in DESIGN.references)
    one_run = {each.agent for each in DESIGN.references if "one run" in each.source}
    assert one_run == {"GPT-5.2"}
