"""Finds the way to a cell, so that tests can play real levels into a situation."""

from __future__ import annotations

from collections import deque

from env_service.worlds.babyai.state import Heading, Position, Snapshot


def route(start: Snapshot, target: Position) -> list[str]:
    """The actions after which the agent stands next to ``target`` and faces it.

    Walks over free cells and through open doors only. Raises LookupError when no such way
    leads there.
    """
    origin = (start.agent, start.heading)
    queue = deque([(origin, list[str]())])
    known = {origin}
    while queue:
        (position, heading), actions = queue.popleft()
        ahead = (position[0] + heading.vector[0], position[1] + heading.vector[1])
        if ahead == target:
            return actions
        filling = start.at(ahead)
        moves = {
            "left": (position, Heading((heading - 1) % 4)),
            "right": (position, Heading((heading + 1) % 4)),
        }
        if filling is None or filling.passable:
            moves["forward"] = (ahead, heading)
        for action, pose in moves.items():
            if pose not in known:
                known.add(pose)
                queue.append((pose, [*actions, action]))
    raise LookupError(f"no free way leads to {target}")


def find(snapshot: Snapshot, words: str) -> Position:
    """Where the first thing lies whose state, colour and kind contain all of ``words``."""
    wanted = set(words.split())
    for position, thing in snapshot.things():
        if wanted <= {thing.kind, thing.color, thing.state}:
            return position
    raise LookupError(f"no {words} in this level")
