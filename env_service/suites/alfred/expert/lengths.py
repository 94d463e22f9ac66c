"""How long the way to a goal is: L* of the path-weighted scores s · min(1, L*/T)."""

from __future__ import annotations

from env_service.suites.alfred.expert.solving import plan_for
from env_service.suites.alfred.task import AlfredTask


def path_length(task: AlfredTask, world: str = "household") -> int:
    """Skills of the task's reference plan, else of the expert's; "done" is none.

    ALFRED counts low-level actions (spec section 3.7): steps of 25 cm, turns, looks. Plans of
    skills have none, so steps are skills here, on both sides of the fraction.

    Raises:
        UnsolvedError: there is no reference, and the expert found no plan.
        WorldUnavailableError, WorldFault: there is no reference, and the world cannot be had, or
            the task cannot be set up in it.
    """
    return len(task.reference) or len(plan_for(task, world))
