"""The journal of episodes that came to no end."""

from __future__ import annotations

from typing import Any

import pytest

from env_service.domain.data_node import FormatError
from env_service.domain.usage import Usage
from env_service.results.records import Cause, UncountedRecord

LEFT = UncountedRecord(
    cause=Cause.WITHDRAWN,
    episode_id="ep-1",
    task_id="lab/1",
    repeat=2,
    steps=3,
    session="s-1",
    guest="vlm",
    reason="model_refused",
    message="no such model",
    transcript_head="ab",
    exchanges=5,
    usage=Usage(calls=1, cost_usd=0.5),
)


@pytest.mark.parametrize(
    "record",
    [
        LEFT,
        UncountedRecord(cause=Cause.WITHDRAWN, session="s", guest="g", reason="other"),
        UncountedRecord(cause=Cause.KILLED, session="s", guest="g", episode_id="ep-2"),
    ],
)
def test_a_record_comes_back_from_its_line(record: UncountedRecord) -> None:
    assert UncountedRecord.from_json(record.to_json()) == record


@pytest.mark.parametrize(
    "change",
    [
        {"cause": "bored"},
        {"reason": "bored"},
        {"episode_id": "../../etc"},
        {"cause": "killed", "episode_id": ""},
        {"steps": -1},
        {"kind": "void"},
    ],
)
def test_a_line_that_says_something_else_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(FormatError):
        UncountedRecord.from_json({**LEFT.to_json(), **change})


def test_only_a_withdrawal_from_an_episode_is_a_withdrawn_episode() -> None:
    assert LEFT.withdrawn_episode
    between = UncountedRecord(cause=Cause.WITHDRAWN, session="s", guest="g", reason="other")
    killed = UncountedRecord(cause=Cause.KILLED, session="s", guest="g", episode_id="ep-2")
    assert not between.withdrawn_episode
    assert not killed.withdrawn_episode
