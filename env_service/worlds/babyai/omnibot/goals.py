"""The expert's subgoals, and how it gives up.

They are minigrid's subgoals, with other rules for when and how to execute them.
"""

from collections.abc import Callable
from typing import Any

from minigrid.core.actions import Actions
from minigrid.core.world_object import WorldObj
from minigrid.envs.babyai.core.verifier import ObjDesc
from minigrid.utils import baby_ai_bot as stock

from env_service.worlds.babyai.omnibot.records import Problem, ProblemKind
from env_service.worlds.babyai.omnibot.search import LOCKED
from env_service.worlds.babyai.state import Position


class _Goal(stock.Subgoal):
    """The common base of all subgoals."""

    bot: Any
    datum: Any

    entry: Any = None
    """The subgoal as a StackEntry, after the first request."""

    reopens: Callable[[], bool] | None = None
    """For Open: whether to close and open a door that is already open. None: never."""

    def update_agent_attributes(self) -> None:
        """Does nothing: the bot holds the state that minigrid's subgoals copy."""

    def _plan_undo_action(self, action_taken: Any) -> None:
        minigrids: Any = super()
        minigrids.update_agent_attributes()  # its rules read copies
        minigrids._plan_undo_action(action_taken)

    def _push(self, *goals: stock.Subgoal) -> None:
        """Adds subgoals; the last one is executed next."""
        for goal in goals:
            self.bot.stack.append(goal)


class Close(_Goal, stock.CloseSubgoal):
    """Dropped if no open door is ahead; minigrid asserts that one is."""

    def replan_before_action(self) -> Any:
        """Closes the door ahead."""
        door = self.bot.ahead_item
        if door is None or door.type != "door" or not door.is_open:
            self.bot.stack.pop()
            return None
        return Actions.toggle


class Drop(_Goal, stock.DropSubgoal):
    """Dropped if nothing is carried or the cell ahead is taken; minigrid asserts neither."""

    def replan_before_action(self) -> Any:
        """Puts down what is carried."""
        if self.bot.carrying is None or self.bot.ahead_item is not None:
            self.bot.stack.pop()
            return None
        return Actions.drop


class Pickup(_Goal, stock.PickupSubgoal):
    """With full hands, first puts away the carried thing; minigrid asserts empty hands."""

    def replan_before_action(self) -> Any:
        """Picks up what is ahead."""
        if self.bot.carrying is None:
            return Actions.pickup
        put_away = GoNextTo(self.bot, self.bot.find_drop_position())
        self._push(GoNextTo(self.bot, self.bot.ahead), Drop(self.bot), put_away)
        return None


class Open(_Goal, stock.OpenSubgoal):
    """Never drops the key. Dropped if no door is ahead, or an open one.

    minigrid asserts a door, closes an open one and opens it again, and plans to drop the key. The
    second is also done here if ``reopens`` says so, because it is the only way to fulfil a mission
    to open a door that is already open.
    """

    def replan_before_action(self) -> Any:
        """Opens the door ahead, with its key if it is locked."""
        bot = self.bot
        door = bot.ahead_item
        if door is None or door.type != "door":
            bot.stack.pop()
        elif door.is_open:
            if self.reopens and self.reopens():
                bot.stack.append_uncounted(Close(bot))
            else:
                bot.stack.pop()
        elif door.is_locked and not bot.holds_key_of(door):
            self._fetch_key(door)
        else:
            return Actions.toggle
        return None

    def replan_after_action(self, action_taken: Any) -> None:
        """Finished once the door was toggled."""
        if action_taken is None or action_taken == Actions.toggle:
            self.bot.stack.pop()
        else:
            self._plan_undo_action(action_taken)

    def _fetch_key(self, door: Any) -> None:
        bot = self.bot
        bot.stack.pop()
        aside = bot.find_drop_position() if bot.carrying else None
        if bot.carrying:
            self._push(Pickup(bot), GoNextTo(bot, aside))
        again = Open(bot)
        again.reopens = self.reopens
        self._push(again, GoNextTo(bot, bot.ahead))
        self._push(Pickup(bot), GoNextTo(bot, bot.describe_key(door)))
        if bot.carrying:
            self._push(Drop(bot), GoNextTo(bot, aside))


class Explore(_Goal, stock.ExploreSubgoal):
    """Opens the nearest closed door, or else a locked one, because nothing is unseen."""

    def replan_before_action(self) -> Any:
        """Replaces itself by opening a door."""
        bot = self.bot
        door = bot.find_shut_door()
        if door is None:
            raise StuckError(ProblemKind.UNREACHABLE, "nothing leads there; no door is left")
        bot.stack.pop()
        self._push(Open(bot), GoNextTo(bot, door, reason="Open"))
        return None


class GoNextTo(_Goal, stock.GoNextToSubgoal):
    """Fetches the key as soon as the way leads through a locked door; minigrid plans no such way.

    With ``bot.puts_beside``, a plan's GoNextTo followed by a Drop means to face a free cell next to
    the target if the target's cell is taken and something is carried.
    """

    before_drop = False

    def replan_before_action(self) -> Any:
        """Takes the next step to the target."""
        bot = self.bot
        thing, position = self._find_target()
        if position is None:
            return self._explore(f"every {self.datum.color} {self.datum.type}")
        if self.reason == "Open" and thing is not None and self._goes_for_key(thing):
            return None
        beside = self.reason == "PutNext" or self._puts_beside(position)
        distance = abs(position[0] - bot.position[0]) + abs(position[1] - bot.position[1])
        if distance == (1 if beside else 0):
            return self._step_away()
        if self._arrived(position, beside=beside):
            return None
        way = bot.search().way_to(bot.floor.number(position))
        if not way:
            return self._explore(f"the cell {position}", in_vain=way is None)
        return None if self._unlocks_way(way, thing) else self._follow(way[0])

    def _explore(self, words: str, *, in_vain: bool = True) -> None:
        """Plans to open a door, because no way is open; ``in_vain``: no door leads there."""
        if in_vain and not self.bot.explores_in_vain:
            raise StuckError(ProblemKind.UNREACHABLE, f"{words} is out of reach")
        self._push(Explore(self.bot))

    def _find_target(self) -> tuple[Any, Position | None]:
        datum: Any = self.datum
        if isinstance(datum, ObjDesc):
            thing, position = self.bot.find_thing(datum, adjacent=self.reason == "PutNext")
            return thing, position
        if isinstance(datum, WorldObj):
            door: Any = datum  # only doors are targets themselves, and a door stays
            x, y = door.cur_pos
            return door, (int(x), int(y))
        if datum is None:
            raise StuckError(ProblemKind.NO_POSITION, "the subgoal names no cell to go next to")
        x, y = datum
        return None, (int(x), int(y))

    def _goes_for_key(self, door: Any) -> bool:
        """Whether it replaced itself by a plan that begins with fetching the door's key."""
        bot = self.bot
        if door.type != "door" or not door.is_locked or bot.carrying:
            return False
        bot.stack.pop()
        self._push(GoNextTo(bot, door, reason="Open"), Pickup(bot))
        self._push(GoNextTo(bot, bot.describe_key(door)))
        return True

    def _puts_beside(self, position: Position) -> bool:
        bot = self.bot
        if not (self.before_drop and bot.puts_beside and bot.carrying):
            return False
        return bool(bot.floor.is_taken(position))

    def _step_away(self) -> Any:
        """Leaves the target's cell, or the neighbouring cell that the agent occupies."""
        bot = self.bot
        if bot.is_steppable(bot.heading):
            return Actions.forward
        return Actions.right if bot.is_steppable(bot.heading + 1) else Actions.left

    def _arrived(self, position: Position, *, beside: bool) -> bool:
        """Whether the stack changed because the goal, or nearly the goal, is ahead."""
        bot = self.bot
        x, y = bot.ahead
        if not beside:
            if position == bot.ahead:
                bot.stack.pop()
            return bool(position == bot.ahead)
        if abs(position[0] - x) + abs(position[1] - y) != 1:
            return False
        if bot.ahead_item is None:
            bot.stack.pop()
            return True
        if bot.ahead_item.type != "door" or not bot.ahead_item.is_open:
            return False
        # Nothing can be dropped in a doorway: walk on, and come back to it.
        dx, dy = x - bot.position[0], y - bot.position[1]
        self._push(GoNextTo(bot, (x + 2 * dx, y + 2 * dy)))
        return True

    def _unlocks_way(self, way: list[int], thing: Any) -> bool:
        """Whether it added a subgoal to open a locked door on the way."""
        bot = self.bot
        codes = bot.floor.codes
        for cell in way:
            if codes[cell] != LOCKED:
                continue
            door = bot.floor.at(cell)
            if door is thing:
                continue
            if bot.holds_key_of(door):
                return False
            bot.stack.pop()
            again = GoNextTo(bot, self.datum, self.reason)
            again.before_drop = self.before_drop
            self._push(again, Open(bot), GoNextTo(bot, door, reason="Open"))
            return True
        return False

    def _follow(self, cell: int) -> Any:
        """Steps into ``cell``, a neighbour, or turns to it, or plans to clear it."""
        bot = self.bot
        turn = bot.turn_to(cell)
        if turn == 0:
            return Actions.forward if bot.is_steppable(bot.heading) else self._clear()
        if turn == 1:
            return Actions.right
        return Actions.left if turn == 3 or bot.has_more_room_on_left() else Actions.right

    def _clear(self) -> None:
        """Plans to open the door ahead, or to put aside the thing there."""
        bot = self.bot
        item = bot.ahead_item
        if item.type == "door":
            if item.is_locked and not bot.opens_with_key_in_hand:
                raise StuckError(
                    ProblemKind.LOCKED_DOOR,
                    f"the {item.color} door at {bot.ahead} is locked, and not to be opened",
                )
            self._push(Open(bot))
        elif bot.carrying:
            aside = bot.find_drop_position()
            beside = bot.find_drop_position(reserved=aside)
            self._push(Pickup(bot), GoNextTo(bot, aside))
            self._push(Drop(bot), GoNextTo(bot, beside))
            self._push(Pickup(bot), GoNextTo(bot, bot.ahead))
            self._push(Drop(bot), GoNextTo(bot, aside))
        else:
            aside = bot.find_drop_position()
            self._push(Drop(bot), GoNextTo(bot, aside), Pickup(bot))


OURS: dict[type, type] = {
    stock.CloseSubgoal: Close,
    stock.DropSubgoal: Drop,
    stock.PickupSubgoal: Pickup,
    stock.OpenSubgoal: Open,
    stock.ExploreSubgoal: Explore,
    stock.GoNextToSubgoal: GoNextTo,
}
"""The replacement for each of minigrid's classes."""


# --- How the expert gives up

_ASSERTION = "AssertionError: "

_PUBLISHED_ERRORS = {
    ProblemKind.UNREACHABLE: f"{_ASSERTION}0nothing left to explore",
    ProblemKind.LOCKED_DOOR: _ASSERTION,
    ProblemKind.NO_POSITION: "TypeError: 'NoneType' object is not iterable",
    ProblemKind.NOTHING_MATCHES: _ASSERTION,
    ProblemKind.RUNS_IN_CIRCLES: "",
}


class StuckError(Exception):
    """Ends the expert's planning; never leaves this package. ``problem`` says why."""

    def __init__(self, kind: ProblemKind, message: str) -> None:
        """Adds how the published expert fails there."""
        super().__init__(message)
        self.problem = Problem(kind, message, _PUBLISHED_ERRORS[kind])
