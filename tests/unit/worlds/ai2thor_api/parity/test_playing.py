"""Scripts in two worlds: a world against itself, and against one that lies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from env_service.domain.failure import FaultClass
from env_service.worlds.ai2thor_api.parity.agreement import AgreementLimits, too_low
from env_service.worlds.ai2thor_api.parity.records import Record
from env_service.worlds.ai2thor_api.parity.script_play import (
    PlayOptions,
    Script,
    Side,
    blank_record,
    play_script,
    play_with_retries,
)
from env_service.worlds.ai2thor_api.parity.states import Tallies
from env_service.worlds.base import WorldUnavailableError
from tests.support.doctored_thor import (
    FRIDGE,
    MUG,
    SCENE,
    START,
    Lie,
    breaking,
    doctored,
    household,
)

SCRIPT = Script(
    "one",
    SCENE,
    START,
    (
        {"action": "GetReachablePositions"},
        {"action": "PickupObject", "objectId": MUG.object_id, "forceAction": True},
        {"action": "OpenObject", "objectId": FRIDGE.object_id, "forceAction": True},
        {"action": "RotateRight", "degrees": 30},
        {"action": "FlyAway"},
        {"action": "DropHandObject"},
    ),
)
PICKUP, OPEN, ROTATE, DROP = 2, 3, 4, 6
QUICK = PlayOptions(settle=0)


def played(right: Side, options: PlayOptions = QUICK) -> Record:
    return play_with_retries(
        lambda: play_script(SCRIPT, household(), right, options), blank_record(SCRIPT)
    )


def missed(record: Record) -> set[str]:
    return {rate.name for rate in too_low(Tallies.sum([record.tallies]), AgreementLimits())}


def new(record: Record) -> list[tuple[int, str, str]]:
    return [
        (index, id_, quantity)
        for index, row in enumerate(record.rows)
        for id_, quantity, *_ in row.get("new", ())
    ]


def differs(record: Record) -> dict[int, list[str]]:
    return {index: row["differs"] for index, row in enumerate(record.rows) if "differs" in row}


def thing(metadata: dict[str, Any], id_: str) -> dict[str, Any]:
    found: dict[str, Any] = next(each for each in metadata["objects"] if each["objectId"] == id_)
    return found


def once(action: str, change: Callable[[dict[str, Any]], None]) -> Lie:
    """A lie from the first time that an action is played."""
    started = []

    def lie(name: str, metadata: dict[str, Any]) -> None:
        if name == action:
            started.append(name)
        if started:
            change(metadata)

    return lie


def test_a_world_agrees_with_itself_in_everything() -> None:
    record = played(household())
    assert differs(record) == {}
    assert missed(record) == set()
    assert record.divergence is None
    assert [row["success"][0] for row in record.rows] == [True] * 5 + [False, True]


def test_the_bare_wrapper_of_these_tests_changes_nothing() -> None:
    record = played(doctored(lambda _action, _metadata: None))
    assert differs(record) == {}


def test_a_flipped_flag_is_found_once_and_nothing_else() -> None:
    lie = once(
        "RotateRight", lambda metadata: thing(metadata, FRIDGE.object_id).update(isOpen=False)
    )
    record = played(doctored(lie))
    assert new(record) == [(ROTATE, FRIDGE.object_id, "isOpen")]
    assert missed(record) == {"isOpen", "state", "effects"}
    assert record.divergence == ROTATE
    assert record.rows[ROTATE]["effects"] == [[FRIDGE.object_id, "isOpen", "unchanged", False]]
    # What stays wrong is not told again.
    assert differs(record) == {ROTATE: ["effects", "state"]}
    assert record.rows[DROP]["standing"] == 1


def test_a_shifted_thing_is_found_once_and_nothing_else() -> None:
    def shift(metadata: dict[str, Any]) -> None:
        thing(metadata, FRIDGE.object_id)["position"]["x"] += 0.2

    record = played(doctored(once("Initialize", shift)))
    assert new(record) == [(0, FRIDGE.object_id, "fixture position")]
    assert missed(record) == {"fixture position", "state"}
    assert record.divergence == 0


def test_a_shift_within_the_tolerance_is_none() -> None:
    def shift(metadata: dict[str, Any]) -> None:
        thing(metadata, FRIDGE.object_id)["position"]["x"] += 0.03

    assert differs(played(doctored(once("Initialize", shift)))) == {}


def test_a_refused_action_is_found_with_what_it_did_not_do() -> None:
    def refuse(action: str, metadata: dict[str, Any]) -> None:
        if action == "OpenObject":
            metadata.update(lastActionSuccess=False, errorMessage="stuck", errorCode="")

    record = played(doctored(refuse))
    assert differs(record) == {OPEN: ["success"]}
    assert missed(record) == {"success"}
    assert record.divergence == OPEN
    assert record.rows[OPEN]["right"] == {"success": False, "code": "", "message": "stuck"}
    assert record.rows[OPEN]["left"]["success"] is True


def test_a_lost_object_is_found_once_and_nothing_else() -> None:
    def lose(metadata: dict[str, Any]) -> None:
        metadata["objects"] = [o for o in metadata["objects"] if o["objectType"] != "Apple"]

    record = played(doctored(once("OpenObject", lose)))
    ((index, _, quantity),) = new(record)
    assert (index, quantity) == (OPEN, "exists")
    assert missed(record) == {"exists", "state", "effects"}


def test_another_result_is_found_and_nothing_else() -> None:
    def fewer(action: str, metadata: dict[str, Any]) -> None:
        if action == "GetReachablePositions":
            metadata["actionReturn"] = metadata["actionReturn"][::2]

    record = played(doctored(fewer))
    assert differs(record) == {1: ["return"]}
    assert missed(record) == {"return"}
    assert record.divergence is None


def test_another_code_and_another_wording_are_told_apart() -> None:
    def other(action: str, metadata: dict[str, Any]) -> None:
        if action == "FlyAway":
            metadata["errorCode"] = "AmbiguousAction"

    assert missed(played(doctored(other))) == {"error code"}


def test_another_wording_is_told_and_not_judged() -> None:
    def other(_: str, metadata: dict[str, Any]) -> None:
        if not metadata["lastActionSuccess"]:
            metadata["errorMessage"] = "No."

    side = doctored(other)
    script = Script("two", SCENE, START, ({"action": "PickupObject", "objectId": "None|1"},))
    record = play_script(script, household(), side, QUICK)
    assert differs(record) == {1: ["message"]}
    assert missed(record) == set()


def test_what_is_seen_is_a_rate_of_its_own() -> None:
    lie = once("RotateRight", lambda metadata: thing(metadata, MUG.object_id).update(visible=False))
    record = played(doctored(lie))
    assert missed(record) == {"visible"}
    assert record.divergence is None
    counts = record.tallies["sight"]["visible"]
    assert counts["left"] >= 1
    assert counts["right"] == 0


def test_a_world_that_breaks_once_is_played_again() -> None:
    record = played(breaking("OpenObject", 1))
    assert not record.voided
    assert differs(record) == {}
    (fault,) = record.faults
    assert (fault.world, fault.fault, fault.at) == ("doctored", "simulator_crash", OPEN)


def test_a_world_that_breaks_twice_voids_the_script() -> None:
    record = played(breaking("OpenObject", 5))
    assert record.voided
    assert record.rows == ()
    assert [fault.at for fault in record.faults] == [OPEN, OPEN]


def test_an_unknown_scene_voids_the_script_at_once() -> None:
    script = Script("three", "nowhere", START, ())
    record = play_with_retries(
        lambda: play_script(script, household(), household(), QUICK), blank_record(script)
    )
    assert record.voided
    (fault,) = record.faults
    assert fault.fault == FaultClass.DATA_FAULT.value
    assert "nowhere" in fault.detail


def test_an_error_of_a_world_costs_no_other_script() -> None:
    def fail(action: str, _: dict[str, Any]) -> None:
        if action == "OpenObject":
            raise KeyError("objects")

    record = played(doctored(fail))
    assert record.voided
    assert record.faults[0].fault == FaultClass.SERVICE_FAULT.value
    assert "KeyError: 'objects'" in record.faults[0].detail


def test_a_machine_without_the_world_is_no_fault_of_a_script() -> None:
    def missing(*_: object) -> Any:
        raise WorldUnavailableError("no build here")

    with pytest.raises(WorldUnavailableError):
        played(Side("absent", missing))


def test_the_rest_is_left_out_where_that_is_asked_for() -> None:
    lie = once("OpenObject", lambda metadata: thing(metadata, MUG.object_id).update(isDirty=True))
    record = played(doctored(lie), PlayOptions(settle=0, stop_at_divergence=True))
    assert record.stopped
    assert len(record.rows) == OPEN + 1


def test_the_state_is_read_when_all_has_settled_and_the_answer_before() -> None:
    def settling(action: str, metadata: dict[str, Any]) -> None:
        if action != "Pass":
            thing(metadata, FRIDGE.object_id)["position"]["x"] += 1.0

    assert differs(played(doctored(settling), PlayOptions(settle=1)))[1] == ["effects", "state"]
    script = Script("four", SCENE, START, SCRIPT.actions[1:4])
    record = play_script(script, household(), doctored(settling), PlayOptions(settle=1))
    assert differs(record) == {}
