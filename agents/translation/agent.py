"""An agent that translates a mission into subgoals: a baseline for LLM-BabyBench's Decompose."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from houseguest_agent import Client, Episode, Text

Cell = tuple[int, int]
"""(x, y) from the north-west corner: x grows to the east, y to the south."""

NEIGHBOURS = ((1, 0), (0, 1), (-1, 0), (0, -1))
"""East, south, west, north, which is also the order of headings."""
HEADINGS = ("east", "south", "west", "north")

_COLORS = "red|green|blue|purple|yellow|grey"
_KINDS = "key|ball|box|door"
_PHRASE = re.compile(
    rf"(?:the|a) (?:({_COLORS}) )?({_KINDS}|object)"
    r"(?: (in front of|behind|on your left|on your right)(?: you)?)?"
)
_STRUCTURED = {
    "agent": re.compile(r"initial position: \((\d+), (\d+)\)"),
    "heading": re.compile(r"facing direction: (\w+)"),
    "room": re.compile(r"including walls\): (\d+)x"),
    "mission": re.compile(r"- Mission: '(.+)'"),
    "thing": re.compile(rf"- ({_KINDS}), color=(\w+), position=\((\d+), (\d+)\)"),
}
_NARRATIVE = {
    "agent": re.compile(r"starts at position \((\d+), (\d+)\)"),
    "heading": re.compile(r"faces (\w+)"),
    "room": re.compile(r"(\d+)x\d+ cells counting its walls"),
    "mission": re.compile(r"mission is: '(.+)'"),
    "thing": re.compile(rf"({_COLORS}) ({_KINDS}) at position \((\d+), (\d+)\)"),
}


class UnreadableError(Exception):
    """A description or a mission that this agent cannot parse; the message says which."""


@dataclass(frozen=True, slots=True)
class Thing:
    """A key, ball, box or door."""

    kind: str
    color: str
    cell: Cell


@dataclass(frozen=True, slots=True)
class World:
    """The contents of a description. ``room`` is a room's side in cells, including both walls;
    ``heading`` is an index of HEADINGS."""

    mission: str
    agent: Cell
    heading: int
    room: int
    things: tuple[Thing, ...]

    def free(self, cell: Cell) -> bool:
        """Whether the cell has neither a wall nor a thing. Rooms share the wall between them."""
        wall = cell[0] % (self.room - 1) == 0 or cell[1] % (self.room - 1) == 0
        return not wall and all(thing.cell != cell for thing in self.things)

    def in_first_room(self, cell: Cell) -> bool:
        """Whether the cell is in the room where the agent starts, or in the walls around it."""
        pairs = zip(cell, self.agent, strict=True)
        return all(0 <= at - start // (self.room - 1) * (self.room - 1) < self.room
                   for at, start in pairs)  # fmt: skip


def read_world(text: str) -> World:
    """Parses a description in any of the three forms. Raises UnreadableError."""
    try:
        if text.lstrip().startswith("{"):
            return _read_json(text)
        form = _STRUCTURED if _STRUCTURED["agent"].search(text) else _NARRATIVE
        return _read_words(text, form)
    except (ValueError, KeyError, TypeError, LookupError, AttributeError) as error:
        raise UnreadableError("the description has none of the known forms") from error


def _read_json(text: str) -> World:
    config = json.loads(text)["config"]
    things = (Thing(e["type"], e["color"], tuple(e["position"])) for e in config["objects"])
    return World(
        mission=config["mission"],
        agent=tuple(config["agent_initial_pos"]),
        heading=config["agent_direction"]["index"],
        room=config["room_size_incl_walls"][0],
        things=tuple(things),
    )


def _read_words(text: str, form: Mapping[str, re.Pattern[str]]) -> World:
    def first(name: str) -> tuple[str, ...]:
        found = form[name].search(text)
        if found is None:
            raise LookupError(name)
        return found.groups()

    x, y = first("agent")
    things = []
    for one, other, column, row in form["thing"].findall(text):
        kind, color = (other, one) if form is _NARRATIVE else (one, other)
        things.append(Thing(kind, color, (int(column), int(row))))
    return World(
        mission=first("mission")[0],
        agent=(int(x), int(y)),
        heading=HEADINGS.index(first("heading")[0]),
        room=int(first("room")[0]),
        things=tuple(things),
    )


def translate(world: World) -> list[str]:
    """The mission as subgoals, one per line. Raises UnreadableError."""
    lines: list[str] = []
    at = world.agent
    for clause in _clauses(world.mission):
        words, at = _translate_clause(clause, world, at)
        lines += words
    # Once the mission is done, nothing more happens.
    return lines[:-1] if lines[-2:] == ["(PickupSubgoal)", "(DropSubgoal)"] else lines


def _clauses(mission: str) -> list[str]:
    first, then, second = mission.partition(", then ")
    if not then:
        second, after, first = mission.partition(" after you ")
        if not after:
            first, second = mission, ""
    return [clause for half in (first, second) if half for clause in half.split(" and ")]


def _translate_clause(clause: str, world: World, at: Cell) -> tuple[list[str], Cell]:
    """The clause's subgoals, and the cell where they end; ``at`` is the cell where they start."""
    verb, phrase = _verb(clause)
    moved, _, fixed = phrase.partition(" next to ")
    target = _find(moved, world, at)
    lines = [_go(target)]
    if verb == "open":
        return [*lines, "(OpenSubgoal)"], target
    if verb == "go to":
        return lines, target
    lines.append("(PickupSubgoal)")
    if verb == "put":
        target = _beside(_find(fixed, world, target), world)
        lines.append(_go(target))
    return [*lines, "(DropSubgoal)"], target


def _verb(clause: str) -> tuple[str, str]:
    for verb in ("go to", "pick up", "open", "put"):
        if clause.startswith(f"{verb} "):
            return verb, clause.removeprefix(f"{verb} ")
    raise UnreadableError(f"no known verb begins {clause!r}")


def _find(phrase: str, world: World, at: Cell) -> Cell:
    """The cell of the nearest thing that matches a phrase such as "a red ball behind you"."""
    said = _PHRASE.fullmatch(phrase)
    if said is None:
        raise UnreadableError(f"{phrase!r} does not describe a thing")
    color, kind, side = said.groups()
    cells = [
        thing.cell
        for thing in world.things
        if color in (None, thing.color)
        and kind in ("object", thing.kind)
        and (side is None or _lies(thing.cell, side, world))
    ]
    if not cells:
        raise UnreadableError(f"nothing in the description is {phrase!r}")
    return min(cells, key=lambda cell: abs(cell[0] - at[0]) + abs(cell[1] - at[1]))


def _lies(cell: Cell, side: str, world: World) -> bool:
    """Whether a cell is on that side of the agent at the start, and in the same room."""
    dx, dy = NEIGHBOURS[world.heading]
    east, south = cell[0] - world.agent[0], cell[1] - world.agent[1]
    ahead, right = east * dx + south * dy, south * dx - east * dy
    toward = {
        "in front of": ahead,
        "behind": -ahead,
        "on your right": right,
        "on your left": -right,
    }
    return world.in_first_room(cell) and toward[side] > 0


def _beside(cell: Cell, world: World) -> Cell:
    around = [(cell[0] + dx, cell[1] + dy) for dx, dy in NEIGHBOURS]
    # If no cell is free, return the thing's own: the mission then needs help in any case.
    return next(filter(world.free, around), cell)


def _go(cell: Cell) -> str:
    return f"(GoNextToSubgoal, ({cell[0]},{cell[1]}))"


def answer(episode: Episode) -> Text:
    """The answer to one question. Raises UnreadableError for a question of another kind."""
    question = episode.context.get("question", "")
    if question != "decompose":
        raise UnreadableError(f"this agent answers only decompose, not {question or 'others'}")
    text = episode.observation.text
    if not text:
        raise UnreadableError("this agent reads descriptions in words, and this condition has none")
    lines = translate(read_world(text))
    return Text("\n".join(["<START>", *lines, "<END>"]))


def main() -> None:
    """Plays every episode of the run."""
    argparse.ArgumentParser(
        description="Translates missions into subgoals, word by word.",
        epilog="example: python agent.py",
    ).parse_args()
    with Client("translation", "1.0") as client:
        for episode in client.episodes():
            try:
                reply = answer(episode)
            except UnreadableError as problem:
                episode.give_up(str(problem))
                continue
            episode.act(reply)


if __name__ == "__main__":
    main()
