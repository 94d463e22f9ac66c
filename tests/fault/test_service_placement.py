"""A service whose runs share its GPUs."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from houseguest.agent.v1 import agent_pb2

from env_service.domain.session import SessionLimits
from env_service.engine.base import EngineError
from env_service.engine.placement import Placement
from env_service.gateway.engine_pool import FURTHER_SKILL, WorldFacts, with_hosting_limits
from env_service.gateway.limits import ServiceLimits
from env_service.worlds.base import HostingLimits, WorldUnavailableError
from tests.support.placed_lab import PLACED_LAB, PlacedLabSuite
from tests.support.service import open_service


def test_a_run_gets_the_places_that_are_left_and_leaves_them_when_it_is_over() -> None:
    shared = Placement((0, 1), worlds_per_gpu=1, shared=True)
    with open_service(placement=shared) as service:
        heavy = {"suite": PLACED_LAB, "world": "heavy"}
        first = service.open_run(**heavy, limit=1, agent="a")
        second = service.open_run(**heavy, limit=4, sessions=4, agent="b")
        assert len(list(Path(second.context.folder.logs).glob("worker-*.log"))) == 1
        with pytest.raises(EngineError, match="other runs hold 2 of 2 GPUs × 1 world a GPU"):
            service.open_run(**heavy, limit=1, agent="c")
        with pytest.raises(ValueError, match="3 workers do not fit"):
            service.open_run(**heavy, limit=3, workers=3, agent="c")
        with closing(service.agent(first)) as agent:
            assert agent.play_out() == 1
        # The places are free once the workers have gone; the same run waits for that.
        assert service.open_run(**heavy, limit=1, agent="a").over
        third = service.open_run(**heavy, limit=1, agent="c")
        with closing(service.agent(third)) as agent:
            assert agent.play_out() == 1


def test_a_run_that_does_not_open_holds_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    shared = Placement((0,), worlds_per_gpu=1, shared=True)
    monkeypatch.delenv("LAB_THOR_FACTS", raising=False)
    with open_service(placement=shared) as service:
        with pytest.raises(WorldUnavailableError):
            service.open_run(suite=PLACED_LAB, world="lab-thor", limit=1)
        for _ in range(2):
            monkeypatch.setattr("sys.executable", "/nowhere/python")
            with pytest.raises(EngineError, match="cannot be started"):
                service.open_run(suite=PLACED_LAB, world="heavy", limit=1)


def test_agents_are_told_how_long_this_world_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here for a step of three skills."""
    allowed = HostingLimits(begin=500.0, step=240.0, finish=90.0, pause=0.0)
    monkeypatch.setattr(PlacedLabSuite, "skills_per_step", lambda *_: 3)

    async def facts(*_: object) -> WorldFacts:
        return WorldFacts({}, allowed)

    monkeypatch.setattr("env_service.gateway.environment_service.world_facts", facts)
    with open_service() as service:
        run = service.open_run(suite=PLACED_LAB, world="heavy", limit=1)
        with closing(service.agent(run)) as agent:
            hello = agent.stub.Hello(agent_pb2.HelloRequest(), metadata=agent.metadata)
            deadline = hello.limits.environment_step_deadline.seconds
            assert deadline == 240 + 2 * FURTHER_SKILL
            assert agent.play_out() == 1


def test_a_world_never_shortens_what_the_service_allows() -> None:
    limits = ServiceLimits(SessionLimits(), environment_begin_deadline=9.0)
    assert with_hosting_limits(limits, None) == limits
    found = with_hosting_limits(limits, HostingLimits(begin=5.0, step=99.0, finish=9.0, pause=2.0))
    assert (found.environment_begin_deadline, found.environment_step_deadline) == (9.0, 99.0)


def test_a_step_of_many_skills_may_take_as_long_as_they_do() -> None:
    limits, world = ServiceLimits(), HostingLimits(begin=5.0, step=99.0, finish=9.0, pause=2.0)
    alone, plan = (with_hosting_limits(limits, None, skills) for skills in (1, 200))
    assert alone == limits
    assert plan.environment_step_deadline == limits.environment_step_deadline + 199 * FURTHER_SKILL
    slow = with_hosting_limits(limits, world, 200)
    assert slow.environment_step_deadline == 99.0 + 199 * FURTHER_SKILL
    assert slow.environment_begin_deadline == limits.environment_begin_deadline
