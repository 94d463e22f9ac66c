"""The next step for each task type, chosen from the present state alone: it does not depend on
earlier steps."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from itertools import islice

from env_service.domain.text import with_article
from env_service.suites.alfred.expert.knowledge import (
    contents,
    id_of,
    lies_in,
    nearest_first,
    place,
    shut_in,
    skill_type,
    skill_type_of,
    targets,
)
from env_service.suites.alfred.expert.navigation import stand_by
from env_service.suites.alfred.expert.play import Play, StuckError
from env_service.suites.alfred.expert.transport import (
    hold,
    must_shut,
    open_up,
    put_aside,
    put_for_sure,
    reachable_first,
)
from env_service.suites.alfred.skills.steps import Marks, Verb
from env_service.suites.alfred.task import TaskType
from env_service.worlds.ai2thor_api.geometry import distance

# --- Heating, cooling, cleaning and slicing (docs/alfred-rules.md, "Skills"). Each treats one of
# several objects and returns which. An object that is already in the appliance stays there for it.

Treatment = Callable[[Play, Collection[str]], None]
"""Treats one of the objects with these ids, so that it bears the mark, and takes it in the hand.
Raises StuckError if it cannot be done."""

TAP_REACH = 1.0
"""Metres from a basin within which a tap is likely to be the basin's own."""

MOST_TAPS = 3
"""Poses to try at a tap while something is in the basin."""


def heat(play: Play, wanted: Collection[str]) -> None:
    """In, closed, on, off, and out of a microwave. See `Treatment`."""
    item, microwave = _bring(play, wanted, "Microwave")
    must_shut(play, microwave)
    _stand_at(play, microwave)
    play.must(Verb.TURN_ON, "Microwave")
    play.do(Verb.TURN_OFF, "Microwave")
    _check(item in play.marks.heated, f"{item} was not heated")
    hold(play, {item})


def cool(play: Play, wanted: Collection[str]) -> None:
    """In, closed, and out of a fridge. See `Treatment`."""
    item, fridge = _bring(play, wanted, "Fridge")
    if item not in play.marks.cooled:
        open_up(play, fridge)
        must_shut(play, fridge)
    _check(item in play.marks.cooled, f"{item} was not cooled")
    hold(play, {item})


def clean(play: Play, wanted: Collection[str]) -> None:
    """In a basin, the tap on and off, and out. See `Treatment`."""
    item, sink = _bring(play, wanted, "Sink")
    _rinse(play, item, sink)
    if item not in play.marks.cleaned:
        # It may be next to the basin.
        hold(play, {item})
        _rinse(play, item, put_for_sure(play, _ids(play, "Sink")))
    _check(item in play.marks.cleaned, f"{item} was not cleaned")
    hold(play, {item})


def _rinse(play: Play, item: str, sink: str) -> None:
    basin = play.view.by_id(sink)
    taps = list(play.view.of_type("Faucet"))
    if basin is not None:
        taps = nearest_first(taps, place(basin))
        taps = [each for each in taps if distance(place(each), place(basin)) <= TAP_REACH] or taps
    for _ in islice(stand_by(play, "Faucet", {id_of(each) for each in taps}), MOST_TAPS):
        _run_tap(play)
        if item in play.marks.cleaned:
            return


def slice_one(play: Play, kind: str) -> None:
    """Slices an object of a type. Raises StuckError if none can be sliced where it lies, nor on a
    surface."""
    for carried in (False, True):
        whole = [each for each in play.view.of_type(kind) if not each["isSliced"]]
        if carried:
            hold(play, {id_of(each) for each in whole})
        held = play.view.held
        if held is not None and skill_type(held) == kind:
            put_aside(play)
        for each in reachable_first(play, whole):
            if _slice_there(play, id_of(each), kind):
                return
    raise StuckError(f"slice any {kind}")


def _slice_there(play: Play, item_id: str, kind: str) -> bool:
    item = play.view.by_id(item_id)
    if item is None:
        return False
    try:
        door = shut_in(play.view, item)
        if door is not None:
            open_up(play, id_of(door))
        for _ in stand_by(play, kind, {item_id}, Verb.SLICE):
            if play.expects(Verb.SLICE, kind, {item_id}) and play.do(Verb.SLICE, kind).worked:
                return True
    except StuckError:
        pass
    return False


def _bring(play: Play, wanted: Collection[str], appliance: str) -> tuple[str, str]:
    """Gets one of the objects into an appliance of a type: its id, and the appliance's."""
    appliances = _ids(play, appliance)
    inside = [
        each
        for each in play.view.objects
        if id_of(each) in wanted and lies_in(play.view, each, appliances)
    ]
    if inside and play.view.held is None:
        item = inside[0]
        holder = next(id_of(each) for each in play.view.parents(item) if id_of(each) in appliances)
        return id_of(item), holder
    item_id = hold(play, wanted)
    return item_id, put_for_sure(play, appliances)


def _ids(play: Play, appliance: str) -> list[str]:
    return [id_of(each) for each in play.view.of_type(appliance)]


def _run_tap(play: Play) -> None:
    """Turns the tap on, after turning it off if it runs, and off again."""
    tap = play.expected(Verb.TURN_ON, "Faucet")
    if tap is not None and tap["isToggled"]:
        play.do(Verb.TURN_OFF, "Faucet")
    if play.do(Verb.TURN_ON, "Faucet").worked:
        play.do(Verb.TURN_OFF, "Faucet")


def _stand_at(play: Play, appliance_id: str) -> None:
    """Goes to an appliance unless a word for it means this one already; makes sure it is off."""
    item = play.view.by_id(appliance_id)
    if item is None:
        raise StuckError(f"{appliance_id} does not exist any more")
    kind = skill_type(item)
    if play.at != appliance_id and next(stand_by(play, kind, {appliance_id}), None) is None:
        raise StuckError(f"find {appliance_id}")
    if item["toggleable"] and item["isToggled"]:
        play.do(Verb.TURN_OFF, kind)


def _check(holds: object, what: str) -> None:
    if not holds:
        raise StuckError(what)


# --- The next step for each task type

Marked = Callable[[Marks], Collection[str]]
"""The ids that bear a mark."""


def advance(play: Play) -> None:
    """Does the next thing that brings the goal nearer.

    Raises:
        StuckError: that cannot be done.
        ExhaustedError: no step is left.
    """
    goal = play.goal
    if goal.sliced and not targets(goal, play.view):
        slice_one(play, goal.object)
    else:
        _SUBGOALS[goal.type](play)


def _place(play: Play) -> None:
    hold(play, _outside(play, _target_ids(play)))
    put_for_sure(play, _parents(play))


def _look(play: Play) -> None:
    hold(play, _target_ids(play))
    kind = skill_type_of(play.goal.toggle)
    lamps = nearest_first(play.view.of_type(play.goal.toggle), play.view.agent.position)
    for each in lamps:
        for _ in stand_by(play, kind, {id_of(each)}):
            if not play.met and play.expects(Verb.TURN_ON, kind, {id_of(each)}):
                play.do(Verb.TURN_ON, kind)
            if play.met:
                return
    raise StuckError(f"see anything by the light of {with_article(kind)}")


def _treated(
    treat: Treatment, marked: Callable[[Marks], Collection[str]]
) -> Callable[[Play], None]:
    def subgoal(play: Play) -> None:
        wanted = _target_ids(play)
        ready = [each for each in wanted if each in marked(play.marks)]
        if not ready:
            treat(play, wanted)
            return
        try:
            hold(play, ready)
        except StuckError:
            others = [each for each in wanted if each not in ready]
            if not others:
                raise
            treat(play, others)
        else:
            put_for_sure(play, _parents(play))

    return subgoal


def _two(play: Play) -> None:
    """Where most are already goes the next; a place that does not take it is given up."""
    places = [each for each in _parents(play) if each not in play.given_up]
    inside = {each: _inside(play, each) for each in places}
    best = max(places, key=lambda each: len(inside[each]), default="")
    begun = bool(inside.get(best))
    there = inside[best] if begun else ()
    hold(play, [each for each in _target_ids(play) if each not in there])
    try:
        put_for_sure(play, [best] if begun else places)
    except StuckError:
        if begun and len(places) > 1:
            play.given_up.add(best)
        raise


def _movable(play: Play) -> None:
    movables = list(play.view.of_type(play.goal.movable))
    loaded = [id_of(each) for each in movables if _inside(play, id_of(each))]
    if loaded:
        hold(play, loaded)
        put_for_sure(play, _parents(play))
        return
    hold(play, _target_ids(play))
    ordered = [id_of(each) for each in reachable_first(play, movables)]
    ordered.sort(key=lambda each: bool(contents(play.view, each)))
    try:
        put_for_sure(play, ordered)
    except StuckError:
        _bring_out(play, ordered)


def _bring_out(play: Play, movables: Collection[str]) -> None:
    """Takes a movable receptacle that nothing can be put into where it is to an open surface."""
    outside = [each for each in movables if each not in play.given_up]
    play.given_up.update(outside)
    hold(play, outside)
    where = [id_of(each) for each in play.view.parents(play.view.held or {})]
    put_aside(play, away_from=where)
    play.experience.refused = {pair for pair in play.experience.refused if pair[1] not in outside}


def _target_ids(play: Play) -> list[str]:
    """Ids of all possible objects of the goal, the held one first, then the easiest to take."""
    held = play.view.held
    ordered = reachable_first(play, targets(play.goal, play.view))
    ordered.sort(key=lambda each: each is not held)
    return [id_of(each) for each in ordered]


def _parents(play: Play) -> list[str]:
    kind = play.goal.parent
    return [id_of(each) for each in play.view.of_type(kind)]


def _inside(play: Play, holder_id: str) -> list[str]:
    wanted = {id_of(each) for each in targets(play.goal, play.view)}
    return [id_of(each) for each in contents(play.view, holder_id) if id_of(each) in wanted]


def _outside(play: Play, ids: Collection[str]) -> list[str]:
    parents = _parents(play)
    items = {id_of(each): each for each in play.view.objects}
    return [each for each in ids if not lies_in(play.view, items[each], parents)]


_SUBGOALS: Mapping[TaskType, Callable[[Play], None]] = {
    TaskType.SIMPLE: _place,
    TaskType.LOOK: _look,
    TaskType.TWO: _two,
    TaskType.MOVABLE: _movable,
    TaskType.HEAT: _treated(heat, lambda marks: marks.heated),
    TaskType.COOL: _treated(cool, lambda marks: marks.cooled),
    TaskType.CLEAN: _treated(clean, lambda marks: marks.cleaned),
}
