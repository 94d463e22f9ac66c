"""The shortest way to stand next to a cell and face it, including turns."""

from env_service.worlds.babyai.state import Heading, Position, Snapshot

_TURNS_AND_STEPS = ("left", "right", "forward")


def shortest_actions(snapshot: Snapshot, target: Position) -> tuple[str, ...] | None:
    """The fewest left, right and forward actions after which ``target`` is the cell ahead.

    Breadth-first over cell and heading, without moving things or opening doors: the optimum of
    LLM-BabyBench's Plan task. Empty if the agent already faces it, None if no way leads there.
    Among ways of equal length, turns come first, left before right.
    """
    width = snapshot.width
    steps = [dx + dy * width for dx, dy in (heading.vector for heading in Heading)]
    free = [cell is None or cell.passable for cell in snapshot.cells]
    goal = target[1] * width + target[0]
    start = (snapshot.agent[1] * width + snapshot.agent[0]) * 4 + snapshot.heading
    came_from = {start: (start, 0)}
    queue = [start]
    for pose in queue:
        cell, heading = pose >> 2, pose & 3
        ahead = cell + steps[heading]
        if ahead == goal:
            return _trace(came_from, pose)
        turned = (cell * 4 + (heading + 3) % 4, cell * 4 + (heading + 1) % 4)
        moves = (*turned, ahead * 4 + heading) if free[ahead] else turned
        for action, reached in enumerate(moves):
            if reached not in came_from:
                came_from[reached] = (pose, action)
                queue.append(reached)
    return None


def _trace(came_from: dict[int, tuple[int, int]], pose: int) -> tuple[str, ...]:
    actions: list[str] = []
    while True:
        before, action = came_from[pose]
        if before == pose:
            return tuple(reversed(actions))
        actions.append(_TURNS_AND_STEPS[action])
        pose = before


def red_ball(snapshot: Snapshot) -> Position:
    """The red ball's cell. Raises LookupError without a red ball."""
    for position, thing in snapshot.things():
        if (thing.kind, thing.color) == ("ball", "red"):
            return position
    raise LookupError("this grid has no red ball")


def optimal_steps(snapshot: Snapshot) -> int:
    """The fewest actions that solve a Plan environment from here.

    Raises LookupError if it has no red ball, or no way to it.
    """
    actions = shortest_actions(snapshot, red_ball(snapshot))
    if actions is None:
        raise LookupError("no way leads to the red ball without moving things")
    return len(actions)
