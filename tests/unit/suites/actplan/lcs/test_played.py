"""Plans of a run beside gold plans."""

from __future__ import annotations

from env_service.suites.actplan.dataset.published_files import InstanceKey
from env_service.suites.actplan.lcs.plan_pairs import (
    Golds,
    Instance,
    PlayedPlan,
    ScoredPlan,
    golds_digest,
    plan_text,
    played_plan,
    score_played,
    scoring_text,
)
from env_service.suites.actplan.lcs.scorer import GOLD_1, GOLD_2, LcsSettings, Mode, Scorer
from env_service.suites.actplan.plans.plan_reader import read_plan
from env_service.suites.actplan.task import Variant
from tests.unit.suites.actplan.lcs.test_scoring import Letters

GOLD = "walk_to(cup)\ngrab(cup)\nopen(box)\nplace_inside(box, cup)\n"
SHORT = "walk_to(cup)\ngrab(cup)\n"
SAID = "Here is my plan:\n1. walk_to(cup)\n2. grab(cup)\nplace_inside(box,  cup)"


def instance(scene: str, **golds: str) -> Instance:
    key = InstanceKey(scene, "packing", Variant.NORMAL, "sample_0")
    return Instance(key, golds, {"gpt-4v": plan_text(read_plan(SAID))}, {"gpt-4v": True})


GOLDS = Golds(
    (
        instance("Rs_int", gold_1=GOLD, gold_2=SHORT),
        instance("Merom_1_int", gold_1=SHORT),
        instance("Ihlen_0_int"),
    )
)


def plan(task: str, model: str = "gpt-4v") -> PlayedPlan:
    return played_plan("ep-1", task, read_plan(SAID), (model, GOLDS))


def scored(*plans: PlayedPlan, against: str = "") -> list[ScoredPlan]:
    settings = LcsSettings(against=against, threshold=0.9999)
    return score_played(plans, Scorer(Letters(), settings), settings)


def test_the_steps_that_were_read_are_compared() -> None:
    assert plan_text(read_plan(SAID)) == "walk_to(cup)\ngrab(cup)\nplace_inside(box, cup)\n"
    assert plan_text(read_plan("Sorry, I cannot.")) == ""


def test_a_plan_for_a_problem_counts_for_each_instance_that_has_a_gold() -> None:
    (found,) = scored(plan("packing/0"))
    assert found.metrics() == {
        # The newline at a file's end is a step in compat alone, where the first gold counts.
        "compat_instances": 2,
        "compat_length": 4 + 3,
        "compat_normalised": 4 / 5 + 3 / 4,
        "compat_mean_normalised": 4 / 5 + 3 / 4,
        "clean_instances": 2,
        "clean_length": 3 + 2,
        "clean_normalised": 3 / 4 + 2 / 3,
        "clean_mean_normalised": (3 / 4 + 2 / 3) / 2 + 2 / 3,
    }
    aligned = found.details()["clean"]["Rs_int/packing/0/sample_0"]
    assert aligned[GOLD_2] == {"length": 2, "normalised": 2 / 3}


def test_a_plan_for_an_instance_is_compared_with_its_golds_alone() -> None:
    found = scored(plan("Rs_int/packing/0/sample_0"), plan("Ihlen_0_int/packing/0/sample_0"))
    assert found[0].metrics()["clean_instances"] == 1
    assert found[1].metrics() == {}


def test_gemini_is_compared_with_the_second_gold_as_published() -> None:
    (found,) = scored(plan("Rs_int/packing/0/sample_0", "gemini-9"))
    assert list(found.details()["compat"]["Rs_int/packing/0/sample_0"]) == [GOLD_2]


def test_one_gold_alone_may_be_missing_where_the_other_is() -> None:
    (found,) = scored(plan("packing/0"), against=GOLD_2)
    assert found.metrics()["clean_instances"] == 1
    assert found.metrics()["compat_instances"] == 2


def test_peoples_verdicts_are_of_other_plans() -> None:
    assert {case.correct for case in plan("packing/0").cases} == {None}


def test_what_does_not_compare_is_told_otherwise() -> None:
    encoder, other = ("tiny", "a" * 64), ("tiny", "b" * 64)
    first = scoring_text(encoder, "planner-7b", LcsSettings())
    assert first == (
        f"encoder tiny ({'a' * 12}…), steps with a cosine of 0.8 or more count as equal, compat"
        " against gold_1"
    )
    # Both modes are scored, whichever is printed.
    assert first == scoring_text(encoder, "gpt-4v", LcsSettings(Mode.COMPAT))
    others = (
        scoring_text(other, "gpt-4v", LcsSettings()),
        scoring_text(encoder, "gemini", LcsSettings()),
        scoring_text(encoder, "gpt-4v", LcsSettings(threshold=0.9)),
        scoring_text(encoder, "gpt-4v", LcsSettings(against=GOLD_1)),
    )
    assert len({first, *others}) == 5


def test_other_golds_have_another_digest() -> None:
    first = golds_digest([plan("packing/0")])
    assert first == golds_digest([plan("packing/0"), plan("packing/0")])
    assert first != golds_digest([plan("Rs_int/packing/0/sample_0")])
