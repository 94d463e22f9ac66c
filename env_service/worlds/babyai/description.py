"""A grid in words: lists of things with their places, and a map in characters."""

from env_service.worlds.babyai.state import Heading, Position, Snapshot, Thing, View

_COLORS = {"red": "r", "green": "g", "blue": "b", "purple": "p", "yellow": "y", "grey": "e"}
_KINDS = {"key": "K", "ball": "B", "box": "X"}
_DOORS = {"open": "O", "closed": "D", "locked": "L"}
_ARROWS = {Heading.EAST: ">", Heading.SOUTH: "v", Heading.WEST: "<", Heading.NORTH: "^"}

_LEGEND = (
    "A cell is two characters. ## wall, .. free, @ with an arrow: you and where you look. "
    "Otherwise colour, then kind. Colours: r red, g green, b blue, p purple, y yellow, "
    "e grey. Kinds: K key, B ball, X box, O open door, D closed door, L locked door."
)


def name_thing(thing: Thing) -> str:
    """A thing in words, without article: "red ball", "locked blue door", "wall"."""
    if thing.kind == "wall":
        return "wall"
    return " ".join(filter(None, (thing.state, thing.color, thing.kind)))


def name_content(thing: Thing | None) -> str:
    """The content of a cell, or of the hands: "a red ball", "an open blue door", "nothing"."""
    if thing is None:
        return "nothing"
    return f"{'an' if thing.state == 'open' else 'a'} {name_thing(thing)}"


def describe_grid(snapshot: Snapshot) -> str:
    """The whole grid: the agent, its hands, every thing with its cell, and a map."""
    x, y = snapshot.agent
    lines = [
        f"The grid is {snapshot.width} cells wide and {snapshot.height} high.",
        f"You are at ({x}, {y}), looking {snapshot.heading.name.lower()}.",
        f"In the cell ahead of you, ({_pair(snapshot.ahead)}): "
        f"{name_content(snapshot.at(snapshot.ahead))}.",
        _hands(snapshot.carrying),
    ]
    doorway = snapshot.at(snapshot.agent)
    if doorway is not None:
        lines.append(f"You stand in the doorway of the {name_thing(doorway)}.")
    doors = [(at, thing) for at, thing in snapshot.things() if thing.kind == "door"]
    others = [(at, thing) for at, thing in snapshot.things() if thing.kind != "door"]
    for title, found in (("Things:", others), ("Doors:", doors)):
        if found:
            lines += ["", title]
            lines += [f"- {name_thing(thing)} at ({_pair(at)})" for at, thing in found]
    return "\n".join([*lines, "", *_map_of_grid(snapshot)])


def describe_view(view: View) -> str:
    """The agent's view: every thing with its position from the agent, and a map."""
    lines = [
        f"You look {view.heading.name.lower()}.",
        f"In the cell ahead of you: {name_content(view.ahead)}.",
        _hands(view.carrying),
        "",
    ]
    found = [
        f"- {name_thing(thing)}: {_relative(*view.offset(index))}"
        for index, thing in enumerate(view.cells)
        if thing is not None and thing.kind != "wall"
    ]
    lines += ["You see:", *reversed(found)] if found else ["You see nothing but walls and floor."]
    return "\n".join([*lines, "", *_map_of_view(view)])


def _hands(carrying: Thing | None) -> str:
    return f"You carry {name_content(carrying)}."


def _pair(position: Position) -> str:
    return f"{position[0]}, {position[1]}"


def _relative(ahead: int, right: int) -> str:
    side = f"{abs(right)} {'right' if right > 0 else 'left'}"
    parts = [f"{ahead} ahead"] if ahead else []
    return ", ".join([*parts, side] if right else parts)


def _cell(thing: Thing | None) -> str:
    if thing is None:
        return ".."
    if thing.kind == "wall":
        return "##"
    return _COLORS[thing.color] + (_DOORS[thing.state] if thing.state else _KINDS[thing.kind])


def _map_of_grid(snapshot: Snapshot) -> list[str]:
    cells = [_cell(thing) for thing in snapshot.cells]
    x, y = snapshot.agent
    cells[y * snapshot.width + x] = "@" + _ARROWS[snapshot.heading]
    columns = " ".join(f"{column:2d}" for column in range(snapshot.width))
    rows = [
        f"{row:3d}  " + " ".join(cells[row * snapshot.width : (row + 1) * snapshot.width])
        for row in range(snapshot.height)
    ]
    return [f"Map, north up; columns are x, rows are y. {_LEGEND}", f"     {columns}", *rows]


def _map_of_view(view: View) -> list[str]:
    pairs = zip(view.cells, view.seen, strict=True)
    cells = [_cell(thing) if seen else "??" for thing, seen in pairs]
    cells[-1 - view.size // 2] = "@^"
    half = view.size // 2
    sides = [f"{-column}L" if column < 0 else f"{column}R" for column in range(-half, half + 1)]
    sides[half] = " 0"
    rows = [
        f"{view.size - 1 - row:3d}  " + " ".join(cells[row * view.size : (row + 1) * view.size])
        for row in range(view.size)
    ]
    title = (
        "Map, turned so that you look up; rows are cells ahead of you, columns cells to your "
        f"left (L) and right (R). ?? out of sight. {_LEGEND}"
    )
    return [title, f"     {' '.join(sides)}", *rows]
