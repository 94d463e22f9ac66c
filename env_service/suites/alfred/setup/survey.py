"""Sets up tasks without playing them, to see which parts a world can reproduce."""

from collections.abc import Generator, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass

from env_service.domain.failure import WorldFault
from env_service.domain.task import Task
from env_service.suites.alfred.ai2thor_start import thor_start
from env_service.suites.alfred.setup.opening import set_up
from env_service.suites.alfred.setup.poses import Problem
from env_service.suites.alfred.task import read_task
from env_service.suites.process_pool import process_pool
from env_service.worlds.ai2thor_api.floor_plans import share_floor_plans
from env_service.worlds.ai2thor_api.world_registry import open_world


@dataclass(frozen=True, slots=True)
class Surveyed:
    """The results of setting up a task.

    Attributes:
        task, scene, type: the task's id, its scene, and its task type.
        posed: how many objects the task gives a pose.
        problems: what could not be reproduced.
        astray: metres between the task's start and the agent's position.
        fault: why it cannot be set up at all; empty if it can.
    """

    task: str
    scene: str
    type: str
    posed: int
    problems: tuple[Problem, ...] = ()
    astray: float = 0.0
    fault: str = ""


def survey(task: Task, world: str) -> Surveyed:
    """Sets up one task in a world, then closes the world.

    Raises:
        ValueError, WorldUnavailableError: this machine has no such world.
    """
    share_floor_plans()
    read = read_task(task)
    about = (task.id, task.cluster, task.group, len(read.setup.poses))
    try:
        controller = open_world(world, read.setup.scene, thor_start())
        try:
            prepared = set_up(controller, read, look_at_all=True)
        finally:
            controller.stop()
    except WorldFault as fault:
        return Surveyed(*about, fault=f"{fault.fault.value}: {fault.detail}")
    return Surveyed(*about, problems=prepared.problems, astray=prepared.astray)


def survey_all(tasks: Sequence[Task], world: str, jobs: int) -> Generator[Surveyed, None, None]:
    """Yields the survey of each task, as they come, from up to ``jobs`` processes. Closing it
    starts no more. Raises as `survey` does."""
    jobs = min(jobs, len(tasks))
    if jobs <= 1:
        yield from (survey(task, world) for task in tasks)
        return
    # Neighbours share a scene, which a process has to load once.
    ordered = sorted(tasks, key=lambda task: task.cluster)
    pool = process_pool(jobs)
    try:
        for future in as_completed([pool.submit(survey, task, world) for task in ordered]):
            yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)
