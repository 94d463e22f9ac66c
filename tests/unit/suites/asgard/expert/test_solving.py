"""The expert in a world, without any picture of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from env_service.domain.failure import WorldFault
from env_service.domain.observation import ObservationRequest
from env_service.suites.asgard.expert.solver import solve
from env_service.worlds.household.render.selection import VARIABLE as RENDERER
from tests.support.asgard import SUITE, make_order, mirror_task


def test_the_expert_draws_nothing_and_wins_under_every_condition(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(RENDERER, "none")  # it raises where a picture is asked for
    order = make_order({})
    found = solve(order)
    assert found.success
    smaller = make_order({"picture": "300"})
    assert solve(smaller) == found

    episode = SUITE.open_episode(replace(order, request=ObservationRequest()))
    try:
        episode.start()
        assert [episode.act(action).status.name for action in found.actions][-1] == "TERMINATED"
    finally:
        episode.close()


def test_a_task_that_cannot_be_set_up_is_not_played(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RENDERER, "none")
    missing = {"action": "dirty", "object_name": "Mirror_00000000", "argument": None}
    with pytest.raises(WorldFault, match="Mirror_00000000: it is not in the room"):
        solve(make_order({}, mirror_task(setup_actions=[missing])))
