"""The environment of the Plan task. Importing this module imports minigrid.

It is BabyAI's GoToRedBallGrey in a larger room with more objects. minigrid rejects most layouts of
the larger rooms and draws again, so this file replaces the slow steps. The random draws, and with
them the layouts, stay the same.
"""

import math
from collections.abc import Callable
from typing import Any

from minigrid.envs.babyai.core.roomgrid_level import RejectSampling
from minigrid.envs.babyai.core.verifier import GoToInstr, ObjDesc
from minigrid.envs.babyai.goto import GoToRedBallGrey

from env_service.worlds.babyai.state import Heading, Position

_describe: Any = ObjDesc  # minigrid's class has no types
_go_to: Any = GoToInstr

_Cell = tuple[int, int] | None
_Rejects = Callable[[Any, Position], bool] | None


class RedBallAmongGrey(GoToRedBallGrey):
    """A red ball and ``num_dists`` grey things in one room of ``room_size`` cells a side."""

    def gen_mission(self) -> None:
        """Draws a layout. Raises minigrid's RejectSampling for an unsuitable one."""
        self.place_agent()
        self.add_object(0, 0, "ball", "red")
        # minigrid also draws the room: with a single room, that uses no random number.
        for thing in self.add_distractors(0, 0, self.num_dists, all_unique=False):
            thing.color = "grey"
        self._check_reachable()
        self.instrs = _go_to(_describe("ball", "red"))

    def place_obj(
        self,
        obj: Any,
        top: _Cell = None,
        size: _Cell = None,
        reject_fn: _Rejects = None,
        max_tries: float = math.inf,
    ) -> Position:
        """Puts ``obj`` into a random free cell; None only finds the cell.

        Raises RecursionError after more than ``max_tries``, as minigrid does.
        """
        x, y = top or (0, 0)
        columns, rows = size or (self.width, self.height)
        right, below = min(x + columns, self.width), min(y + rows, self.height)
        integers, cells = self.np_random.integers, self.grid.grid
        agent = tuple(self.agent_pos)
        tries = 0
        while tries <= max_tries:
            tries += 1
            position = (int(integers(x, right)), int(integers(y, below)))
            if cells[position[1] * self.width + position[0]] is not None or position == agent:
                continue
            if reject_fn is None or not reject_fn(self, position):
                break
        else:
            raise RecursionError("no free cell was drawn")
        cells[position[1] * self.width + position[0]] = obj
        if obj is not None:
            obj.init_pos = obj.cur_pos = position
        return position

    def _check_reachable(self) -> None:
        """Raises RejectSampling unless everything can be reached without moving things."""
        cells, width = self.grid.grid, self.width
        x, y = self.agent_pos
        start = int(y) * width + int(x)
        steps = [dx + dy * width for dx, dy in (heading.vector for heading in Heading)]
        reached, waiting = {start}, [start]
        while waiting:
            cell = waiting.pop()
            for step in steps:
                neighbor = cell + step
                if neighbor not in reached:
                    reached.add(neighbor)
                    if cells[neighbor] is None:
                        waiting.append(neighbor)
        for cell, thing in enumerate(cells):
            if thing is not None and cell not in reached and thing.type != "wall":
                raise RejectSampling(f"unreachable object at {(cell % width, cell // width)}")
