"""The structured form: the header, and a list of facts."""

from __future__ import annotations

from env_service.suites.babybench.facts import Facts
from env_service.suites.babybench.formatters.header import HEADER
from env_service.worlds.babyai.state import Position, Thing

_ANNOUNCEMENT = "this particular environment is as follows:\n\n"


def format_structured(facts: Facts) -> str:
    """Header, announcement and bullets, without a line break at the end."""
    return HEADER + _ANNOUNCEMENT + format_bullets(facts)


def format_bullets(facts: Facts) -> str:
    """The published bullets (spec section 4). Sizes are height x width."""
    start, rooms, size = facts.start, facts.rooms, facts.room_size
    return "\n".join(
        [
            f"- Number of rooms: {'1' if rooms == 1 else f'{rooms}x{rooms}'}",
            f"- Size of each room (including walls): {size}x{size}",
            f"- Effective room size (excluding walls): {size - 2}x{size - 2}",
            f"- Total grid size: {start.height}x{start.width}",
            f"- Agent initial position: {start.agent}",
            f"- Agent facing direction: {start.heading.name.lower()} (toward {start.ahead})",
            *_objects(facts.objects),
            f"- Mission: '{facts.mission}'",
        ]
    )


def _objects(objects: list[tuple[Position, Thing]]) -> list[str]:
    if not objects:
        return ["- Objects in environment: none"]
    return ["- Objects in environment:", *(_object(*found) for found in objects)]


def _object(position: Position, thing: Thing) -> str:
    line = f"  - {thing.kind}, color={thing.color}, position={position}"
    return f"{line}, locked={thing.state == 'locked'}" if thing.kind == "door" else line
