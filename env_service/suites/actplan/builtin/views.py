"""Chooses the pictures of an activity: few, and such that they show what its plan needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from env_service.suites.actplan.builtin.kinds.finding import UnsuitableError
from env_service.suites.actplan.builtin.rooms import Room, Thing
from env_service.suites.actplan.builtin.scenario import Scenario
from env_service.suites.actplan.builtin.sight import FIELD, Look, sight_of
from env_service.suites.actplan.task import HouseView
from env_service.worlds.household.geometry import Vec3, turn_between

LEAST, MOST = 3, 5
"""Pictures of a task; published ones have from two to five (spec: actplan.md section 1.2)."""

ENOUGH, HARDLY = 14, 4
"""Pixels of the small pictures in which sight is measured (one is about 28 of a picture in its full
size): so many show a thing well; fewer show it at all."""
BEST, MUCH = 0.6, 0.3
"""Where a small thing cannot be shown well, this share of the most that any view shows of it will
do; of a large one it has to be this share, not a corner of it."""
PLENTY = 60
"""More pixels than these make a view no better."""

Target = tuple[str, ...]
"""The object ids of one thing: it is shown where one of them is."""


def views_of(*scenarios: Scenario) -> tuple[HouseView, ...]:
    """From LEAST to MOST views that show what the jobs of scenarios in one room need; of what is in
    closed containers, the containers.

    Raises UnsuitableError where MOST views cannot show it all.
    """
    sight = sight_of(scenarios[0].room.scene)
    targets = tuple(dict.fromkeys(each for one in scenarios for each in _targets(one)))
    looks = list(sight.around)
    for target in targets:
        if all(look.shows(target) < ENOUGH for look in looks):
            looks += sight.towards(target[0])
    chosen = _chosen(looks, {each: _enough(looks, each) for each in targets})
    if any(all(look.shows(each) < HARDLY for look in chosen) for each in targets):
        raise UnsuitableError
    return tuple(_view(number, look) for number, look in enumerate(chosen, 1))


def unseen(scenario: Scenario, views: Sequence[HouseView]) -> tuple[str, ...]:
    """The object ids of what the jobs need and no view shows."""
    sight = sight_of(scenario.room.scene)
    looks = [sight.look(_place(each), each.yaw, each.pitch) for each in views]
    targets = dict.fromkeys(_targets(scenario))
    return tuple(t[0] for t in targets if all(look.shows(t) < HARDLY for look in looks))


def _targets(scenario: Scenario) -> Iterator[Target]:
    room = scenario.room
    for thing in scenario.needed:
        if thing is not room.floor:
            yield _outermost(room, thing).ids


def _outermost(room: Room, thing: Thing) -> Thing:
    """What has to be looked at to find a thing: itself, or the closed container around it."""
    found, holder = thing, room.holder(thing)
    while holder is not None:
        found = holder if holder.closed else found
        holder = room.holder(holder)
    return found


def _enough(looks: Sequence[Look], target: Target) -> float:
    """Pixels from which on a thing counts as shown."""
    best = max(look.shows(target) for look in looks)
    return max(HARDLY, min(ENOUGH, BEST * best), MUCH * best)


def _chosen(looks: Sequence[Look], enough: Mapping[Target, float]) -> list[Look]:
    """Greedily: next comes what shows most of what was not shown yet."""
    chosen: list[Look] = []
    missing = set(enough)
    while len(chosen) < LEAST or (missing and len(chosen) < MOST):
        best = max(looks, key=lambda look: _worth(look, enough, missing, chosen))
        found = {each for each in missing if best.shows(each) >= enough[each]}
        if not found and len(chosen) >= LEAST:
            break
        chosen.append(best)
        missing -= found
    return chosen


def _worth(
    look: Look, enough: Mapping[Target, float], missing: set[Target], chosen: Sequence[Look]
) -> tuple[int, bool, float]:
    """How many more things a view shows; whether it is from elsewhere than the others; how well it
    shows all."""
    more = sum(look.shows(each) >= enough[each] for each in missing)
    elsewhere = all((look.position, look.yaw) != (each.position, each.yaw) for each in chosen)
    apart = all(abs(turn_between(look.yaw, each.yaw)) >= TURNED for each in chosen)
    return more, elsewhere and apart, sum(min(look.shows(each), PLENTY) for each in enough)


TURNED = 40.0
"""Degrees between the directions of two views that show different sides of a room."""


def _view(number: int, look: Look) -> HouseView:
    x, y, z = look.position.tuple()
    return HouseView(f"view_{number}", (x, round(y, 3), z), look.yaw, look.pitch, FIELD)


def _place(view: HouseView) -> Vec3:
    return Vec3(*view.position)
