"""Tasks of a suite in two worlds: what the suite asks of them, and what it tells its agent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from env_service.domain.action import Plan, SkillCall, Text
from env_service.domain.observation import ObservationRequest
from env_service.suites.base import EpisodeOrder
from env_service.worlds.ai2thor_api import world_registry
from env_service.worlds.ai2thor_api.controller import ThorController, ThorStart
from env_service.worlds.ai2thor_api.parity.agreement import AgreementLimits, too_low
from env_service.worlds.ai2thor_api.parity.records import Record
from env_service.worlds.ai2thor_api.parity.report import group
from env_service.worlds.ai2thor_api.parity.script_play import PlayOptions, play_with_retries
from env_service.worlds.ai2thor_api.parity.states import Tallies
from env_service.worlds.ai2thor_api.parity.task_play import (
    APART,
    Recorder,
    TaskPlay,
    play_task,
    words,
)
from env_service.worlds.ai2thor_api.world_registry import observe_worlds, open_world
from env_service.worlds.household import opening as household_opening
from tests.support.doctored_thor import Doctored, Lie
from tests.support.thor_lab import ThorLab

SUITE = ThorLab()
TASK = SUITE.task_sets()["rooms"].tasks[1]
CONDITION = {setting.name: setting.default for setting in SUITE.settings}
PLAY = TaskPlay(EpisodeOrder(TASK, "household", CONDITION, ObservationRequest(), 0), "ai2thor")


class _Opening:
    """The household world in the place of AI2-THOR, with a lie."""

    def __init__(self, lie: Lie) -> None:
        self._lie = lie

    def open_scene(self, scene: str, start: ThorStart) -> ThorController:
        return Doctored(household_opening.open_scene(scene, start), self._lie)

    def describe(self) -> Mapping[str, str]:
        return {}


@pytest.fixture(autouse=True)
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOUSEGUEST_RENDERER", "none")


def played(monkeypatch: pytest.MonkeyPatch, lie: Lie, play: TaskPlay = PLAY) -> Record:
    own = world_registry.load_world
    monkeypatch.setattr(
        world_registry,
        "load_world",
        lambda world: _Opening(lie) if world == "ai2thor" else own(world),
    )
    return play_with_retries(lambda: play_task(SUITE, play, PlayOptions()), play.blank)


def missed(record: Record) -> set[str]:
    return {rate.name for rate in too_low(Tallies.sum([record.tallies]), AgreementLimits())}


def test_equal_worlds_agree_in_calls_and_in_what_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    record = played(monkeypatch, lambda _action, _metadata: None)
    assert missed(record) == set()
    assert record.divergence is None
    calls = [row["action"] for row in record.rows if "action" in row]
    assert calls[0] == "(open)"
    assert {"GetInteractablePoses", "Teleport", "PickupObject", "PutObject"} <= set(calls)
    assert "Pass" not in calls  # they let the action before settle
    told = [row["said"] for row in record.rows if "said" in row]
    assert told == ["start", "pickup object=Cloth", "put object=SinkBasin", "end"]
    counts = record.tallies["episodes"]["all"]
    assert counts["outcome"] == counts["digest"] == [2, 2]
    assert counts["solved"] == [1, 1]


def test_a_refusal_is_found_in_the_call_in_what_is_told_and_in_the_score(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(action: str, metadata: dict[str, Any]) -> None:
        if action == "PutObject":
            metadata.update(lastActionSuccess=False, errorMessage="No room", errorCode="")

    record = played(monkeypatch, refuse)
    assert missed(record) == {"success", "outcome", "feedback"}
    found = {(each["kind"], each["what"]) for each in group([record])}
    assert found == {("answer", "success"), ("told", "outcome"), ("told", "feedback")}
    assert record.divergence is not None
    assert record.rows[record.divergence]["action"] == "PutObject"


def test_what_a_suite_asks_otherwise_is_told_and_the_states_are_compared_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def nowhere(action: str, metadata: dict[str, Any]) -> None:
        if action == "GetInteractablePoses":
            metadata["actionReturn"] = []

    record = played(monkeypatch, nowhere)
    apart = [row for row in record.rows if row.get("action") == APART]
    assert apart
    assert apart[0]["apart"][0]["action"] == "Teleport"
    assert apart[0]["apart"][1] is None
    assert {"calls", "return", "outcome", "solved"} <= missed(record)
    assert "isPickedUp" in missed(record)


def test_given_actions_are_played_in_the_place_of_the_experts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    play = replace(PLAY, actions=(SkillCall("left"), Text("what?")))
    record = played(monkeypatch, lambda _action, _metadata: None, play)
    assert [row["said"] for row in record.rows if "said" in row] == [
        "start",
        "left",
        "what?",
        "end",
    ]
    assert play.blank.digest != PLAY.blank.digest


def test_a_suite_that_breaks_voids_the_task(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(action: str, _: dict[str, Any]) -> None:
        if action == "PickupObject":
            raise KeyError("objects")

    record = played(monkeypatch, fail)
    assert record.voided
    assert [(fault.world, fault.at) for fault in record.faults] == [("ai2thor", 1)] * 2


def test_worlds_are_observed_within_the_block_alone() -> None:
    outer, inner = Recorder(), Recorder()
    start = ThorStart(64, 48, "Low")
    with observe_worlds(outer.wrap), observe_worlds(inner.wrap):
        world = open_world("household", "household-bathroom-1", start)
        world.step("Done")
        world.stop()
    assert [call.action["action"] for call in inner.take()] == ["(open)", "Done"]
    assert [call.action["action"] for call in outer.take()] == ["(open)", "Done"]
    open_world("household", "household-bathroom-1", start).stop()
    assert inner.take() == []


def test_a_recorded_world_refuses_as_the_world_does() -> None:
    recorder = Recorder()
    with observe_worlds(recorder.wrap):
        world = open_world("household", "household-bathroom-1", ThorStart(64, 48, "Low"))
    with pytest.raises(ValueError, match="FlyAway"):
        world.step("FlyAway")
    with pytest.raises(RuntimeError):
        world.step("PickupObject", objectId="none", raise_for_failure=True)
    world.reset("household-bathroom-1")
    assert world.last_event.metadata["lastActionSuccess"]
    world.stop()
    calls = recorder.take()
    assert [call.action["action"] for call in calls][1:] == ["FlyAway", "PickupObject", "(reset)"]
    assert [call.moment.answer.success for call in calls] == [True, False, False, True]
    assert calls[1].moment.answer.code == "InvalidAction"


def test_actions_are_told_in_words() -> None:
    put = SkillCall("put", (("object", "Mug"),))
    assert words(Plan((put, SkillCall("done")))) == "put object=Mug; done"
