"""The next step for each task type, chosen from the present state alone: it does not depend on
earlier steps."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from env_service.domain.text import with_article
from env_service.suites.alfred.expert.knowledge import (
    contents,
    id_of,
    lies_in,
    nearest_first,
    skill_type_of,
    targets,
)
from env_service.suites.alfred.expert.navigation import stand_by
from env_service.suites.alfred.expert.play import Play, StuckError
from env_service.suites.alfred.expert.transport import (
    hold,
    put_aside,
    put_for_sure,
    reachable_first,
)
from env_service.suites.alfred.expert.treatments import Treatment, clean, cool, heat, slice_one
from env_service.suites.alfred.skills.steps import Marks, Verb
from env_service.suites.alfred.task import TaskType

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
