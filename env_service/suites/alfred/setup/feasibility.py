"""Whether a goal can be reached in a house at all."""

from __future__ import annotations

from collections.abc import Iterator

from env_service.suites.alfred.house import House
from env_service.suites.alfred.task import Goal, TaskType

_NEEDED = {
    TaskType.HEAT: (("Microwave", "toggleable"),),
    TaskType.COOL: (("Fridge", "openable"),),
    TaskType.CLEAN: (("Faucet", "toggleable"), ("SinkBasin", "receptacle")),
}
"""What a treatment is done with: type, and what it has to be able to do (spec section 3.3, "State
bookkeeping")."""


def lacking(goal: Goal, house: House) -> Iterator[str]:
    """What the goal asks for and the house lacks, in words; nothing where it can be reached."""
    twice = goal.type is TaskType.TWO and not goal.sliced
    wanted = [(goal.object, "pickupable", 2 if twice else 1)]
    if goal.sliced:
        wanted.append((goal.object, "sliceable", 1))
    wanted += [
        (goal.parent, "receptacle", 1),
        (goal.movable, "receptacle", 1),
        (goal.movable, "pickupable", 1),
        (goal.toggle, "toggleable", 1),
        *((kind, able, 1) for kind, able in _NEEDED.get(goal.type, ())),
    ]
    for kind, able, least in wanted:
        if not kind:
            continue
        count = sum(bool(each[able]) for each in house.of_type(kind))
        if count < least:
            need = f"{least} of them are needed" if least > 1 else "one is needed"
            yield f"it has {count or 'no'} {able} {kind}, and {need}"
