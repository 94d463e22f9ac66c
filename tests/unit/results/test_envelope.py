"""What is written of an episode can be read back and played."""

from __future__ import annotations

import pytest

from env_service.domain.action import Action, Plan, SkillCall, Text, Unreadable
from env_service.domain.data_node import DataNode, FormatError
from env_service.domain.observation import (
    Channel,
    ImageEncoding,
    ImageRequest,
    ObservationRequest,
)
from env_service.domain.task import Task
from env_service.results.domain_json import action_json, order_json, read_action, read_order
from env_service.storage.canonical_json import canonical, parse
from env_service.suites.base import EpisodeOrder

TAKE = SkillCall("take", (("object", "Tomato|1"), ("hand", "left")))


@pytest.mark.parametrize(
    "action",
    [
        TAKE,
        SkillCall("noop"),
        Text("I take the tomato.\n"),
        Text(""),
        Plan((TAKE, SkillCall("noop"))),
        Plan(()),
        Unreadable("no action was set", "ab" * 32),
    ],
)
def test_actions_come_back(action: Action) -> None:
    assert read_action(parse(canonical(action_json(action)))) == action


def test_orders_come_back() -> None:
    order = EpisodeOrder(
        Task("t/1", "g", "c", {"scene": "FloorPlan1", "objects": [1, {"a": None}]}),
        "household",
        {"feedback": "none"},
        ObservationRequest((ImageRequest(Channel.RGB, (ImageEncoding.PNG,), True),), True),
        2**63 - 1,
    )

    written = parse(canonical(order_json(order)))

    assert read_order(DataNode(written, "order")) == order


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        {"skill": 1, "arguments": []},
        {"skill": "a", "arguments": [["b"]]},
        {"text": 0},
    ],
)
def test_what_is_no_action_is_refused(value: object) -> None:
    with pytest.raises(FormatError):
        read_action(value)
