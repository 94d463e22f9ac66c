"""From what was asked for to a practice that is open."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass, replace

from houseguest.agent.v1 import agent_pb2
from houseguest.control.v1 import control_pb2

from env_service.gateway.apart import Apart, in_thread
from env_service.gateway.asked import Asked
from env_service.gateway.hosts import Hosting, Hosts, with_hosting_limits, world_facts
from env_service.gateway.practice import Practice, PracticeTerms
from env_service.gateway.records import NoRecords
from env_service.gateway.seat_queue import SeatQueue
from env_service.gateway.settings import HouseLimits
from env_service.gateway.table import Table
from env_service.suites.base import Suite
from env_service.suites.drafts import Draft, Selection, draft_practice
from env_service.suites.registry import load_suite
from env_service.wire.practice import result_to_wire

THINKING_SECONDS = 3600.0
"""Agent time for one decision: an agent that learns may pause long between two steps. An
episode as a whole has no budget."""

UNUSED_SECONDS = 3600.0
"""A practice opened over ControlService closes itself when no session has lived for so long."""


@dataclass(frozen=True, slots=True)
class PracticeRequest(Asked):
    """What to practise. Empty names mean: the first task set that needs no data, its first task
    for every session, its first world.

    ``tasks`` are ids, groups or shell patterns: session k gets the k-th of those tasks, from
    the first on again where they are fewer. Without ``task_set`` the first may name one. ``seed``
    is of the episodes whose agent names none.
    """

    unused_seconds: float | None = UNUSED_SECONDS


async def open_practice(
    request: PracticeRequest, hosts: Hosts, house: HouseLimits, queue: SeatQueue, apart: Apart
) -> Practice:
    """Opens a practice. Raises as House.open_run does."""
    others = {"sessions": request.sessions, "unused_for": request.unused_seconds}
    request.check(control_pb2.CreatePracticeRequest, others)
    draft, suite = await _draft(request, apart)
    allowed = (await world_facts(draft.world, apart)).allowed
    skills = suite.skills_per_step(draft.condition)
    limits = with_hosting_limits(_generous(house), allowed, skills)
    folder = await in_thread(NoRecords)
    try:
        hosting = Hosting(
            suite=request.suite,
            world=draft.world,
            workers=_workers(suite, draft.world, request.sessions),
            exactly=True,
            log_folder=folder.logs,
            limits=limits,
            allowed=allowed,
        )
        engine = hosts.engine(hosting)
        try:
            await engine.start()
        except BaseException:
            await engine.close()
            raise
    except BaseException:
        await in_thread(folder.close)
        raise
    table = Table(
        run_id=f"practice-{secrets.token_hex(8)}",
        suite=suite,
        world=draft.world,
        condition=draft.condition,
        disclosure=suite.disclosure(draft.condition),
        engine=engine,
        folder=folder,
        seed=request.seed,
        episode_budget=limits.session.episode_budget,
        tell_result=result_to_wire,
        features=(agent_pb2.FEATURE_PRACTICE,),
    )
    terms = PracticeTerms(draft.task_set, tuple(draft.tasks), request.unused_seconds)
    return Practice(table, terms, limits, queue)


async def _draft(request: PracticeRequest, apart: Apart) -> tuple[Draft, Suite]:
    selection = Selection(
        suite=request.suite,
        task_set=request.task_set,
        world=request.world,
        condition=dict(request.condition),
        tasks=tuple(request.tasks),
    )
    packed = await apart.call(draft_practice, selection, request.sessions)
    draft = await in_thread(packed.unpack)
    return draft, await in_thread(load_suite, request.suite)


def _generous(limits: HouseLimits) -> HouseLimits:
    """The house's limits with time to learn in."""
    session = replace(limits.session, step_budget=THINKING_SECONDS, episode_budget=None)
    return replace(limits, session=session)


def _workers(suite: Suite, world: str, sessions: int) -> int:
    """As many as have a place for every session; more where the machine has the cores."""
    needed = -(-sessions // suite.episodes_per_worker(world))
    return max(needed, min(sessions, os.cpu_count() or 1))
