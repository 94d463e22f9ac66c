"""The seed that an agent gets for its own draws."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.service import OpenService, open_service, skill


@pytest.fixture(scope="module")
def service() -> Iterator[OpenService]:
    with open_service() as opened:
        yield opened


def seeds(service: OpenService, **request: object) -> list[int]:
    """Of every episode of a run, in the order played."""
    agent = service.agent(service.open_run(fresh=True, **request))
    found = []
    while (episode := agent.begin().episode).episode_id:
        found.append(episode.agent_seed)
        agent.step(skill("win"))
    return found


def test_tasks_and_repeats_have_seeds_of_their_own_and_runs_agree(service: OpenService) -> None:
    first = seeds(service, limit=3, repeats=2)
    assert len(set(first)) == 6
    assert 0 not in first
    assert seeds(service, limit=3, repeats=2) == first
    assert not set(seeds(service, limit=3, repeats=2, seed=1)) & set(first)
