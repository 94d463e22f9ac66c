"""Executes actions in a grid without the simulator.

It follows minigrid's rules exactly, many times faster than making the environment again.
"""

from env_service.worlds.babyai.state import Heading, Position, Snapshot, Thing


class GridModel:
    """A grid that actions change."""

    def __init__(self, start: Snapshot) -> None:
        """Copies ``start``."""
        self._width = start.width
        self._cells = list(start.cells)
        self.position: Position = start.agent
        self.heading = int(start.heading)
        self.carrying: Thing | None = start.carrying

    @property
    def ahead(self) -> Position:
        """The cell that the agent faces."""
        dx, dy = Heading(self.heading).vector
        return self.position[0] + dx, self.position[1] + dy

    @property
    def thing_ahead(self) -> Thing | None:
        """What fills the cell that the agent faces."""
        return self._cells[self._number(self.ahead)]

    def step(self, action: str) -> None:
        """Executes one of minigrid's seven actions; ``done`` does nothing."""
        match action:
            case "left":
                self.heading = (self.heading + 3) % 4
            case "right":
                self.heading = (self.heading + 1) % 4
            case "forward":
                thing = self.thing_ahead
                if thing is None or thing.passable:
                    self.position = self.ahead
            case "pickup":
                self._pick_up()
            case "drop":
                if self.carrying is not None and self.thing_ahead is None:
                    self._put(self.carrying)
                    self.carrying = None
            case "toggle":
                self._toggle()

    def _pick_up(self) -> None:
        thing = self.thing_ahead
        if thing is not None and thing.portable and self.carrying is None:
            self.carrying = thing
            self._put(None)

    def _toggle(self) -> None:
        thing = self.thing_ahead
        if thing is None:
            return
        if thing.kind == "box":
            self._put(thing.contains)
        elif thing.kind == "door" and (thing.state != "locked" or self._holds_key(thing.color)):
            self._put(Thing("door", thing.color, "closed" if thing.state == "open" else "open"))

    def _holds_key(self, color: str) -> bool:
        held = self.carrying
        return held is not None and held.kind == "key" and held.color == color

    def _put(self, thing: Thing | None) -> None:
        self._cells[self._number(self.ahead)] = thing

    def _number(self, position: Position) -> int:
        return position[1] * self._width + position[0]
