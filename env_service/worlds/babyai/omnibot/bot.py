"""The omniscient expert: minigrid's bot with the whole grid in view.

This file also has its stack of subgoals, and the choice of cells in which to drop things.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from minigrid.envs.babyai.core.verifier import ObjDesc, OpenInstr
from minigrid.utils.baby_ai_bot import BabyAIBot

from env_service.worlds.babyai.omnibot.goals import OURS, StuckError
from env_service.worlds.babyai.omnibot.records import ExpertMode, ProblemKind
from env_service.worlds.babyai.omnibot.search import (
    CLOSED,
    EMPTY,
    LOCKED,
    OPEN,
    WALL,
    Floor,
    Search,
)
from env_service.worlds.babyai.state import Heading, Position

_describe: Any = ObjDesc  # minigrid's class has no types

_BLOCKED_EMPTY_HANDED, _BLOCKED_CARRYING = 4, 7
"""The least number of steps that minigrid's bot adds for a target behind things."""


class OmniBot(BabyAIBot):
    """Plans one action at a time: see BabyAIBot.replan.

    Its stack starts empty; translate_mission or the caller fills it.
    """

    stack: SubgoalStack

    def __init__(self, environment: Any, mode: ExpertMode) -> None:
        """``environment`` is a minigrid environment before its first step, unwrapped."""
        self.mode = mode
        self._parents: dict[int, tuple[Any, str]] = {}
        minigrids: Any = super()
        minigrids.__init__(environment)
        self._translation = list(self.stack)
        self.environment = environment
        self.stack = SubgoalStack()
        self.explores_in_vain = mode is ExpertMode.COMPAT
        """Whether it opens one door after another to find a target that no door leads to."""
        self.puts_beside = self.opens_with_key_in_hand = mode is ExpertMode.FIXED
        """How it reads a plan to put one thing next to another, and handles a locked door ahead.

        See goals.py.
        """
        self.floor = Floor(environment.grid)
        self._look()

    def translate_mission(self) -> None:
        """Puts the mission's subgoals on the stack; each counts as a push."""
        for goal in self._translation:
            self.stack.append(goal)

    def _process_instr(self, instr: Any) -> None:
        """Translates a part of the mission, as minigrid does.

        FIXED remembers if a part to open a door is already fulfilled: in a mission with "and", a
        door may be opened on the way to another part.
        """
        for half in ("a", "b"):
            if hasattr(instr, f"instr_{half}"):
                self._parents[id(getattr(instr, f"instr_{half}"))] = (instr, f"{half}_done")
        minigrids: Any = super()
        minigrids._process_instr(instr)
        if isinstance(instr, OpenInstr) and self.mode is ExpertMode.FIXED:
            self.stack[-2].reopens = partial(self._is_to_do, instr)

    def _is_to_do(self, part: Any) -> bool:
        """Whether minigrid's verifier still expects a part of the mission."""
        parent, flag = self._parents.get(id(part), (None, ""))
        return parent is None or getattr(parent, flag) != "success"

    def replan(self, action_taken: Any = None) -> Any:
        """The next action; ``done`` when the stack is empty. Raises StuckError.

        ``action_taken`` is the only action since the previous call. None means that the top of the
        stack is finished, unless it is to go somewhere.
        """
        self.stack.begin_planning()
        self._look()
        if action_taken is None:
            self.floor = Floor(self.environment.grid)
        else:
            # An action can change only the cell ahead, which is still the same.
            self.floor.refresh(self.ahead)
        minigrids: Any = super()
        return minigrids.replan(action_taken)

    def _look(self) -> None:
        environment = self.environment
        x, y = environment.agent_pos
        self.position: Position = (int(x), int(y))
        self.heading = int(environment.agent_dir)
        dx, dy = Heading(self.heading).vector
        self.ahead: Position = (self.position[0] + dx, self.position[1] + dy)
        self.ahead_item = self.floor.at(self.floor.number(self.ahead))
        self.carrying = environment.carrying
        self._searches: dict[frozenset[int], Search] = {}

    def _process_obs(self) -> None:
        """Does nothing, because the bot sees everything."""

    def search(self, impassable: frozenset[int] = frozenset()) -> Search:
        """Ways from the agent's current cell."""
        if impassable not in self._searches:
            start = self.floor.number(self.position)
            self._searches[impassable] = Search(self.floor, start, self.heading, impassable)
        return self._searches[impassable]

    def holds_key_of(self, door: Any) -> bool:
        """Whether the key in hand opens the door."""
        carrying = self.carrying
        return bool(carrying and carrying.type == "key" and carrying.color == door.color)

    def describe_key(self, door: Any) -> Any:
        """A description of the door's key in minigrid's form, with all keys that match."""
        description: Any = _describe("key", door.color)
        description.find_matching_objs(self.environment)
        return description

    def find_drop_position(self, reserved: Position | None = None) -> Position | None:
        """The cell in which to drop a thing: see find_drop_position below."""
        return find_drop_position(self.floor, self.search(), self.position, reserved)

    def find_shut_door(self) -> Any:
        """The nearest closed door, or else the nearest locked one; None if all are open."""
        for wanted in (CLOSED, LOCKED):
            found = self.search().first(partial(self._holds, wanted), around=False)
            if found is not None:
                return self.floor.at(self.floor.number(found))
        return None

    def _holds(self, code: int, position: Position) -> bool:
        return self.floor.codes[self.floor.number(position)] == code

    def find_thing(self, description: Any, *, adjacent: bool) -> tuple[Any, Position | None]:
        """The nearest thing that fits the description, and its cell; (None, None) if none.

        ``adjacent`` asks for a free cell next to it, rather than to face it. It does the same as
        minigrid, except that it does not look for a coloured key behind locked doors of its colour,
        and leaves out a key that cannot be reached.
        """
        if not description.obj_set:
            raise StuckError(
                ProblemKind.NOTHING_MATCHES, f"the level has no {description} to go to"
            )
        is_key = description.type == "key" and description.color is not None
        search = self.search(self.floor.locked_doors(description.color) if is_key else frozenset())
        best: tuple[int, Any, Position | None] = (999, None, None)
        # The two lists differ in length after a thing was picked up; minigrid pairs as many as it
        # can.
        for thing, position in zip(description.obj_set, description.obj_poss, strict=False):
            if thing is self.carrying:
                continue
            way = search.way_to(self.floor.number(position))
            if way is None:
                if is_key:
                    continue
                raise StuckError(ProblemKind.NOTHING_MATCHES, f"nothing leads to {position}")
            distance = self._rate(search, way, adjacent=adjacent)
            if distance < best[0]:
                best = (distance, thing, position)
        return best[1], best[2]

    def _rate(self, search: Search, way: list[int], *, adjacent: bool) -> int:
        distance = len(way)
        if search.is_blocked(way):
            distance += _BLOCKED_CARRYING if self.carrying else _BLOCKED_EMPTY_HANDED
        # In the target's cell, and next to it if a free neighbour is wanted, first step away.
        if distance == 0:
            return 3 if adjacent else 2
        return 3 if adjacent and distance == 1 else distance

    def is_steppable(self, heading: int) -> bool:
        """Whether the agent could walk on if it faced that way; ``heading`` counts modulo 4."""
        dx, dy = Heading(heading % 4).vector
        cell = self.floor.number((self.position[0] + dx, self.position[1] + dy))
        return self.floor.codes[cell] in (EMPTY, OPEN)

    def turn_to(self, cell: int) -> int:
        """Quarter turns to the right until a neighbouring cell is ahead: 0 to 3."""
        step = cell - self.floor.number(self.position)
        return (self.floor.steps.index(step) - self.heading) % 4

    def has_more_room_on_left(self) -> bool:
        """Whether the next wall or door is farther on the left than on the right.

        This uses only the agent's field of view: the only decision in which the expert is not
        omniscient.
        """
        return self._room_at(self.heading - 1) > self._room_at(self.heading + 1)

    def _room_at(self, heading: int) -> int:
        dx, dy = Heading(heading % 4).vector
        sight = self.environment.agent_view_size // 2
        for distance in range(1, sight + 1):
            x, y = self.position[0] + distance * dx, self.position[1] + distance * dy
            if self.floor.codes[self.floor.number((x, y))] in (OPEN, LOCKED, CLOSED, WALL):
                return distance
        return int(sight)


# --- The expert's stack of subgoals, which counts them and ends endless planning

MAX_PUSHES = 500
"""How many subgoals can be put on the stack for one action.

The published expert sets itself no more than 37 in a whole episode of the sixteen levels (seeds 0
to 500), but hangs in others, for example BabyAI-Unlock-v0 with seed 63.
"""


class SubgoalStack(list[Any]):
    """A list that replaces minigrid's subgoals by the expert's classes.

    Planning for one action either acts, removes a subgoal, or adds one, so that a limit on
    additions bounds all of it.
    """

    def __init__(self) -> None:
        """Starts empty, with nothing counted."""
        super().__init__()
        self.pushes = 0
        """How many subgoals were added so far, without those of ``append_uncounted``."""
        self.changes = 0
        """Increases with every change of the stack."""
        self.planned = 0
        """How many subgoals of a given plan remain at the bottom."""
        self._limit: int | None = None

    def append(self, goal: Any) -> None:
        """Adds a subgoal. Raises StuckError for more than MAX_PUSHES in one planning."""
        self.pushes += 1
        if self._limit is not None and self.pushes > self._limit:
            raise StuckError(
                ProblemKind.RUNS_IN_CIRCLES, f"more than {MAX_PUSHES} subgoals for one action"
            )
        self.append_uncounted(goal)

    def append_uncounted(self, goal: Any) -> None:
        """Adds a subgoal that is part of the request, and so no help."""
        self.changes += 1
        goal.__class__ = OURS.get(type(goal), type(goal))
        super().append(goal)

    def pop(self, index: Any = -1) -> Any:
        """Removes a subgoal."""
        self.changes += 1
        goal = super().pop(index)
        self.planned = min(self.planned, len(self))
        return goal

    def begin_planning(self) -> None:
        """Call this before each planning: the limit counts from here.

        Subgoals added before the first planning are not limited.
        """
        self._limit = self.pushes + MAX_PUSHES


# --- The choice of a cell for a thing that does not block a way

_RING = ((-1, -1), (0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0))
"""The eight neighbours of a cell, in order around it."""

_FREE, _DEAD, _FULL = range(3)


def find_drop_position(
    floor: Floor, search: Search, agent: Position, reserved: Position | None
) -> Position | None:
    """The first free cell of ``search`` by minigrid's preferences; None if there is none.

    It prefers a cell that cuts nothing off when filled, then any; and then the same behind things
    and closed doors. The agent's cell never counts, nor does ``reserved``, which also counts as
    filled.
    """

    def is_empty(position: Position) -> bool:
        if position in (agent, reserved):
            return False
        return floor.codes[floor.number(position)] == EMPTY

    def is_harmless(position: Position) -> bool:
        return is_empty(position) and _leaves_ways(_ring(floor, position, agent, reserved))

    for around in (True, False):
        for accept in (is_harmless, is_empty):
            found = search.first(accept, around=around)
            if found is not None:
                return found
    return None


def _ring(floor: Floor, center: Position, agent: Position, reserved: Position | None) -> list[int]:
    kinds = []
    for dx, dy in _RING:
        position = (center[0] + dx, center[1] + dy)
        code = floor.codes[floor.number(position)]
        if code == WALL:
            kinds.append(_DEAD)
        elif (code in (EMPTY, OPEN) or position == agent) and position != reserved:
            kinds.append(_FREE)
        else:
            kinds.append(_FULL)
    return kinds


def _leaves_ways(ring: list[int]) -> bool:
    """Whether the free cells of a ring are connected, and each full one has a free neighbour."""
    pairs = list(zip(ring, ring[1:] + ring[:1], strict=True))
    if sum((first == _FREE) != (second == _FREE) for first, second in pairs) > 2:
        return False
    return all(
        _FREE in (ring[index - 1], ring[(index + 1) % 8])
        for index in range(8)
        if ring[index] == _FULL
    )
