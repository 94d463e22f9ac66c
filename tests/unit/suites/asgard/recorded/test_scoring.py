import pytest

from env_service.domain.outcome import OutcomeCode
from env_service.suites.asgard.action_language import BadTurn
from env_service.suites.asgard.recorded.feasibility import Doable, FeasibilityVerdict
from env_service.suites.asgard.recorded.scoring import (
    SHARES,
    Answered,
    agrees,
    answer_labels,
    answer_metrics,
    category_of,
)
from env_service.suites.asgard.wording import Reason
from tests.support.asgard_recorded import command, question

ASKED = question("FIND Cabinet", answer="FIND Mug")


def answered(text, doable=Doable.YES, reason=None):
    return Answered(command(text), FeasibilityVerdict(doable, reason))


@pytest.mark.parametrize(
    ("text", "whole", "verb", "thing"),
    [("FIND Mug", 1, 1, 1), ("FIND Cup", 0, 1, 0), ("PICKUP Mug", 0, 0, 1), ("OPEN Box", 0, 0, 0)],
)
def test_agreement_is_of_verb_and_object(text, whole, verb, thing):
    metrics = answer_metrics(ASKED, answered(text))
    assert metrics["next_action_agreement"] == whole
    assert metrics["next_verb_agreement"] == verb
    assert metrics["next_object_agreement"] == thing
    assert agrees(ASKED, answered(text)) is bool(whole)


@pytest.mark.parametrize("doable", Doable)
def test_every_answer_is_in_one_class_of_what_could_be_done(doable):
    metrics = answer_metrics(ASKED, answered("OPEN Box", doable))
    assert [name for name in SHARES.values() if metrics[name]] == [SHARES[doable]]


@pytest.mark.parametrize(
    ("code", "word"),
    [
        (OutcomeCode.UNPARSABLE, "unparsable"),
        (OutcomeCode.UNKNOWN_SKILL, "invalid action"),
        (OutcomeCode.UNKNOWN_OBJECT, "invalid object"),
        (OutcomeCode.PRECONDITION_FAILED, "undoable"),
    ],
)
def test_an_answer_that_is_no_action_is_filed_as_in_the_benchmark(code, word):
    bad = Answered(BadTurn(code, "?", "JUMP", "Mug"), None)
    metrics, labels = answer_metrics(ASKED, bad), answer_labels(ASKED, bad)
    assert metrics["next_action_invalid"] == 1.0
    assert metrics["next_action_agreement"] == 0.0
    assert metrics["next_object_agreement"] == 1.0
    assert (labels["answer"], labels["verdict"]) == (word, "invalid")
    assert labels["answered verb"] == "(none)"


def test_no_answer_is_no_action():
    assert answer_metrics(ASKED, None)["next_action_invalid"] == 1.0
    assert answer_labels(ASKED, None)["answer"] == "none"
    assert not agrees(ASKED, None)


def test_an_obstacle_is_told_of_what_could_not_be_done_alone():
    refused = answer_labels(ASKED, answered("OPEN Box", Doable.NO, Reason.CONTAINER_CLOSED))
    assert (refused["obstacle"], refused["reason"]) == ("door closed or open", "container_closed")
    undecided = answer_labels(ASKED, answered("OPEN Box", Doable.UNDECIDED, Reason.NOT_VISIBLE))
    assert {"obstacle", "reason"}.isdisjoint(undecided)


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_has_a_category(reason):
    assert category_of(reason)


def test_nothing_is_called_success():
    names = {*answer_metrics(ASKED, None), *answer_labels(ASKED, None)}
    assert [name for name in names if "success" in name] == []
    assert {"next_action_agreement", "next_action_doable"} <= names
