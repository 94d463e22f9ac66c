"""The player's answers: what is understood, and what is refused with which reason."""

from __future__ import annotations

import struct
import time
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from env_service.worlds.ai2thor_unity.messages import PlayerAnswer, read, without_trace
from env_service.worlds.ai2thor_unity.player import GoneError, LateError, NonsenseError

msgpack = pytest.importorskip("msgpack", reason="needs houseguest[ai2thor]")

END = struct.pack("!BI", 255, 0)
AGENT: Mapping[str, Any] = {
    "screenWidth": 4,
    "screenHeight": 2,
    "thirdPartyCameras": [],
    "lastAction": "Pass",
    "lastActionSuccess": True,
    "errorCode": None,
    "errorMessage": "",
    "actionReturn": None,
    "sceneName": "FloorPlan1_physics",
    "objects": [],
    "agentId": 0,
}
COLORS = bytes(range(32))


class Sent:
    """Pipes that hold what a player sent. ``ending`` is raised after it."""

    def __init__(self, data: bytes, ending: type[Exception] = GoneError) -> None:
        self._data, self._ending = data, ending

    def read(self, *buffers: memoryview, until: float) -> None:
        for buffer in buffers:
            if len(buffer) > len(self._data):
                raise self._ending
            buffer[:] = self._data[: len(buffer)]
            self._data = self._data[len(buffer) :]


def field(kind: int, body: bytes) -> bytes:
    return struct.pack("!BI", kind, len(body)) + body


def metadata(agent: Mapping[str, Any] = AGENT, **top: Any) -> bytes:
    value = {"agents": [agent], "thirdPartyCameras": [], "activeAgentId": 0, "sequenceId": 5}
    return field(1, msgpack.packb({**value, **top}))


def decoded(data: bytes, before: PlayerAnswer | None = None) -> PlayerAnswer:
    sent: Any = Sent(data)
    return read(sent, before, 5, time.monotonic() + 10)


def test_an_answer_is_metadata_and_pictures() -> None:
    answer = decoded(metadata() + field(4, COLORS) + field(9, COLORS[:24]) + END)
    assert answer.metadata["agents"] == [AGENT]
    assert not answer.patched
    assert {name: [bytes(body) for body in found] for name, found in answer.files.items()} == {
        "image": [COLORS],
        "image_ids": [COLORS[:24]],
    }
    assert not answer.files["image"][0].flags.writeable


def test_a_patch_changes_metadata_and_keeps_pictures() -> None:
    first = decoded(metadata() + field(4, COLORS) + END)
    patch = {"agentId": 0, "lastAction": "GetReachablePositions", "actionReturn": [1]}
    second = decoded(field(11, msgpack.packb(patch)) + END, first)
    assert second.patched
    assert second.files is first.files
    assert second.metadata["agents"] == [{**AGENT, **patch}]
    assert second.metadata["sequenceId"] == 5
    assert first.metadata["agents"] == [AGENT]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (END, "a message without metadata"),
        (field(4, COLORS) + END, "a message without metadata"),
        (field(77, b"junk") + END, "a field of the unknown type 77"),
        (field(2, b"{}") + END, "a field of the unknown type 2"),
        (struct.pack("!BI", 4, 2**32 - 1), "a field of 4294967295 bytes"),
        (field(4, b"") * 5000, "more than 4096 fields"),
        (field(1, b"\xc1") + END, "metadata that are not msgpack"),
        (field(1, b"") + END, "metadata that are not msgpack"),
        (field(1, b"\x92\x01") + END, "metadata that are not msgpack"),
        (field(1, b"\x81\x81\x01\x02\x03") + END, "metadata that are not msgpack"),
        (field(1, b"\xa1\xff") + END, "metadata that are not msgpack"),
        (field(1, b"\x91" * 5000) + END, "metadata that are not msgpack"),
        (field(1, msgpack.packb([1])) + END, "metadata that are not a map but a list"),
        (field(1, msgpack.packb({})) + END, "metadata without 'agents'"),
        (metadata(sequenceId=6) + END, "an answer to another action: number 6, not 5"),
        (metadata(agents=[]) + END, "not a list of maps"),
        (metadata(agents=[1]) + END, "not a list of maps"),
        (metadata(agents=[AGENT, AGENT], activeAgentId=3) + END, "an agent 3 that is not there"),
        (metadata({"screenWidth": 4}) + END, "metadata of an agent without 'screenHeight'"),
        (metadata({**AGENT, "screenWidth": 0}) + END, "a picture of 0x2 pixels"),
        (metadata({**AGENT, "screenWidth": "4"}) + END, "'screenWidth' is '4'"),
        (metadata() + field(4, COLORS[:31]) + END, "a 'image' of 4x2 pixels in 31 bytes"),
        (metadata() + field(4, COLORS[:16]) + END, "a 'image' of 4x2 pixels in 16 bytes"),
        (metadata(agents=[AGENT, AGENT]) + field(4, COLORS) + END, "1 of 2 pictures"),
        (
            metadata({**AGENT, "thirdPartyCameras": [{}, {}]}) + field(10, COLORS) + END,
            "1 of 2 pictures of the kind 'image-thirdParty-camera'",
        ),
        (field(11, msgpack.packb({"agentId": 0})) + END, "before there were any"),
    ],
)
def test_nonsense_is_refused_with_a_reason(data: bytes, reason: str) -> None:
    with pytest.raises(NonsenseError) as raised:
        decoded(data)
    assert reason in str(raised.value)
    assert "\n" not in str(raised.value)


def test_pictures_that_nobody_looks_at_may_be_wrong() -> None:
    sent: Any = Sent(metadata() + field(4, COLORS[:16]) + END)
    answer = read(sent, None, 5, 0.0, shown=False)
    assert answer.metadata["agents"] == [AGENT]
    assert answer.files == {}


@pytest.mark.parametrize("agent", [None, 1, -1, "0"])
def test_a_patch_of_nobody_is_refused(agent: object) -> None:
    first = decoded(metadata() + END)
    with pytest.raises(NonsenseError, match="that is not there"):
        decoded(field(11, msgpack.packb({"agentId": agent})) + END, first)


@pytest.mark.parametrize("ending", [GoneError, LateError])
def test_half_an_answer_is_told_from_none(ending: type[Exception]) -> None:
    none: Any = Sent(b"\x01\x00", ending)
    with pytest.raises(ending) as raised:
        read(none, None, 5, 0.0)
    assert str(raised.value) == ""
    half: Any = Sent(metadata()[:-1], ending)
    with pytest.raises(ending, match="in the middle of an answer"):
        read(half, None, 5, 0.0)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        (None, None),
        ("a trace of dirt", "a trace of dirt"),
        ("ArgumentException: none. trace:   at X\n  at Y", "ArgumentException: none"),
        ("it is no object! trace: at X", "it is no object!"),
    ],
)
def test_an_error_comes_without_its_stack(text: str | None, shown: str | None) -> None:
    assert without_trace(text) == shown


def test_the_text_of_a_patch_comes_without_its_stack() -> None:
    first = decoded(metadata() + END)
    patch = {"agentId": 0, "errorMessage": "x. trace: at X"}
    second = decoded(field(11, msgpack.packb(patch)) + END, first)
    assert second.metadata["agents"][0]["errorMessage"] == "x"


@given(
    cuts=st.lists(st.tuples(st.integers(0, 400), st.integers(0, 8), st.binary(max_size=8))),
    patched=st.booleans(),
)
def test_whatever_comes_is_an_answer_or_refused(
    cuts: list[tuple[int, int, bytes]], patched: bool
) -> None:
    before = decoded(metadata() + field(4, COLORS) + END)
    data = metadata() + field(4, COLORS) + field(9, COLORS) + END
    if patched:
        data = field(11, msgpack.packb({"agentId": 0, "errorMessage": "no"})) + END
    for place, length, instead in cuts:
        data = data[:place] + instead + data[place + length :]
    try:
        answer = decoded(data, before)
    except (NonsenseError, GoneError):
        return
    for agent in answer.metadata["agents"]:
        assert set(AGENT) - {"agentId"} <= set(agent)
