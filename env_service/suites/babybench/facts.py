"""What a level is like at its start: all that a description, and a question, is made of."""

from __future__ import annotations

from dataclasses import dataclass

from env_service.worlds.babyai.state import Position, Snapshot, Thing


@dataclass(frozen=True, slots=True)
class Facts:
    """A level before its first step.

    ``rooms`` is the number of rooms along one side of the square maze, ``start`` the true
    state, ``mission`` what is to be achieved in minigrid's words, ``max_steps`` minigrid's
    limit.
    """

    rooms: int
    start: Snapshot
    mission: str
    max_steps: int

    @property
    def room_size(self) -> int:
        """Cells along a room's side, walls included: neighbouring rooms share a wall."""
        return (self.start.width - 1) // self.rooms + 1

    @property
    def objects(self) -> list[tuple[Position, Thing]]:
        """Keys, balls, boxes and doors, row by row from the north-west corner."""
        return self.start.things()

    @property
    def state(self) -> tuple[Position, int]:
        """Where the agent starts, and its heading: 0 east, 1 south, 2 west, 3 north."""
        return self.start.agent, int(self.start.heading)
