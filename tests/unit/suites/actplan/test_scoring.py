"""What is written down of an episode."""

from __future__ import annotations

from env_service.suites.actplan.plans.plan_reader import RepairKind
from env_service.suites.actplan.scoring import condition_name
from env_service.suites.actplan.suite import ActPlanSuite
from env_service.suites.selection import settle_condition
from env_service.worlds.activity.commonsense import ViolationKind
from tests.support.small_actplan import STEPS, played


def test_every_class_is_counted_also_where_there_is_none() -> None:
    metrics = played("\n".join(STEPS)).metrics
    assert {f"violation_{each.value}" for each in ViolationKind} <= set(metrics)
    assert {f"repair_{each.value}" for each in RepairKind} <= set(metrics)
    assert sum(metrics[f"violation_{each.value}"] for each in ViolationKind) == 0


def test_violations_are_counted_by_their_class() -> None:
    metrics = played("walk_to(cabinet)\ngrab(candle_2)").metrics
    assert metrics["violation_closed"] == 1.0
    assert metrics["violations"] == 1.0
    assert metrics["commonsense"] == 0.0


def test_hands_count_by_the_profile_that_was_asked_for() -> None:
    plan = "walk_to(table)\ngrab(candle_1)\nwalk_to(cabinet)\nopen(cabinet)\ngrab(candle_2)"
    assert played(plan).metrics["violation_hands_full"] == 0.0
    one = played(plan, {"commonsense": "one-hand"})
    assert one.metrics["violation_hands_full"] > 0.0
    assert one.labels["profile"] == "one-hand"


def test_repairs_are_counted_by_their_kind() -> None:
    metrics = played("go_to(table)\ntake(candle_1)\nplace_inside(candle_1, basket)").metrics
    assert metrics["repair_verb_folded"] == 2.0
    assert metrics["repair_arguments_swapped"] == 1.0
    assert metrics["repairs"] >= 2.0


def test_a_task_without_pictures_is_text_under_any_condition() -> None:
    assert played("wait()").labels["modality"] == "text"


def test_a_condition_is_told_by_all_that_matters() -> None:
    suite = ActPlanSuite()
    name = condition_name(settle_condition(suite, {"play": "steps", "pictures": "off"}))
    assert name == "text-only, play=steps"
    assert condition_name(settle_condition(suite, {})) == "pictures"


def test_what_was_left_undone_is_told_in_one_breath() -> None:
    told = played("wait()").labels["explanation"]
    assert told.startswith("at the end ")
    assert told.count("at the end") == 1
    assert "candle" in told


def test_names_that_were_not_read_literally_are_told_with_their_scores() -> None:
    labels = played("walk_to(desk)\ngrab(candle_1)").labels
    assert labels["readings"].startswith("desk as ")
    assert labels["readings"].endswith("(0.85)")
    assert played("grab(candle_1)").labels["readings"] == ""
