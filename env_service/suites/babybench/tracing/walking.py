"""From actions to the true states that they lead through."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from env_service.suites.babybench.answers.reading import State
from env_service.suites.babybench.tracing.story import Step
from env_service.suites.babybench.walk import Walk
from env_service.worlds.babyai.state import Snapshot


def walk_steps(start: Snapshot, actions: Iterable[str]) -> Iterator[Step]:
    """The steps, by minigrid's rules; whatever would end the episode is not looked at."""
    walk = Walk(start)
    for action in actions:
        # An action can change nothing but the cell ahead, and none that changes it moves.
        before, place = _state(walk), walk.ahead
        ahead, held = walk.thing_ahead, walk.carrying
        walk.step(action)
        after = _state(walk)
        changed = after == before and walk.thing_ahead != ahead
        yield Step(
            action=action,
            state=after,
            carrying=walk.carrying,
            change=(place, walk.thing_ahead) if changed else None,
            idle=after == before and not changed and walk.carrying == held,
        )


def _state(walk: Walk) -> State:
    return State(walk.position, walk.heading)
