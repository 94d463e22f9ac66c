"""What a plan was out to do, read from its ideal replay (docs/alfred-rules.md, Failures)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from env_service.suites.alfred.goals import SLICED
from env_service.suites.alfred.judging.english_words import LAMPS
from env_service.suites.alfred.judging.ideal_replay import IdealStep, Replay
from env_service.suites.alfred.judging.intent import (
    NOTHING,
    Intent,
    State,
    Types,
    basin_type,
)
from env_service.suites.alfred.skills.steps import Verb


@dataclass(frozen=True, slots=True)
class Placement:
    """A placement that the plan made, or attempted.

    Attributes:
        object: its id; empty if the hand was empty.
        receptacle: the id of what it is in or on; empty if the step failed.
        types: of the receptacle: the named type, and the real one.
        step: when.
    """

    object: str
    receptacle: str
    types: Types
    step: IdealStep

    @property
    def worked(self) -> bool:
        """Whether it lies there."""
        return bool(self.receptacle)


@dataclass(frozen=True, slots=True)
class PlanIntent:
    """What a plan did in its replay.

    Attributes:
        intent: slot by slot; an empty one was not done.
        main: the last placement of what it was about; None if nothing was put down.
        carried: types of all that was in the hand at some time.
    """

    intent: Intent
    main: Placement | None
    carried: Types = NOTHING


def plan_intent(replay: Replay, wanted: Types, asked: Types) -> PlanIntent:
    """What a plan was out to do, and what it carried. See `_read` for the arguments."""
    held = {*(each.held for each in replay.steps if each.held), *_in_hand(replay)}
    carried = frozenset(_base(replay, each) for each in held)
    return replace(_read(replay, wanted, asked), carried=carried)


def _read(replay: Replay, wanted: Types, asked: Types) -> PlanIntent:
    """What a plan was out to do.

    Args:
        wanted: types of object that the goal wants, which tell what the plan was about.
        asked: those that the command asks for: if it did nothing to the former.
    """
    placements = list(_placements(replay))
    main = _main(replay, placements, wanted) or _main(replay, placements, asked)
    lamps = frozenset(_lamps(replay))
    if _unfinished(replay, main, wanted | asked):
        return PlanIntent(_intent(replay, _in_hand(replay), NOTHING).lit(lamps), None)
    main = main or next((each for each in reversed(placements) if each.object), None)
    main = main or next(iter(reversed(placements)), None)
    if main is None or lamps:
        names = _in_hand(replay)
        return PlanIntent(_intent(replay, names, _picked(replay)).lit(lamps), main)
    inside = (each for each in placements if main.object and each.receptacle == main.object)
    contents = [each.object for each in inside]
    names = contents or ([main.object] if main.object else [])
    base = _intent(replay, names, _picked(replay))
    movables = frozenset({_base(replay, main.object)}) if contents else NOTHING
    same = {each.object for each in placements if _alike(replay, each, main)}
    return PlanIntent(base.placed(movables, main.types, min(len(same), 2)), main)


def _unfinished(replay: Replay, main: Placement | None, about: Types) -> bool:
    """Whether what a plan was about is still in the hand: taken up again from where it was put, or
    never put anywhere, whatever became of a knife."""
    for name in _in_hand(replay):
        if main is None:
            return _base(replay, name) in about
        return main.worked and main.object == name
    return False


def _intent(replay: Replay, names: list[str], otherwise: Types) -> Intent:
    types = frozenset(_base(replay, each) for each in names)
    return Intent(
        objects=types or otherwise,
        sliced=any(_type(replay, each).endswith(SLICED) for each in names),
        states=frozenset(state for state in State for each in names if _has(replay, each, state)),
    )


def _main(replay: Replay, placements: list[Placement], types: Types) -> Placement | None:
    """The last placement of an object of some types, alone or in something that goes along."""
    inside = {each.receptacle for each in placements if _base(replay, each.object) in types}
    about = (
        each
        for each in reversed(placements)
        if each.object and (_base(replay, each.object) in types or each.object in inside)
    )
    return next(about, None)


def _placements(replay: Replay) -> Iterator[Placement]:
    for step in replay.steps:
        if step.verb is not Verb.PUT_DOWN:
            continue
        place = step.result.receptacle_id
        types = step.destination
        if place:
            types |= {basin_type(_type(replay, place))}
        yield Placement(step.held, place, types, step)


def _alike(replay: Replay, placement: Placement, main: Placement) -> bool:
    if not placement.worked or placement.receptacle != main.receptacle:
        return False
    inside = replay.view.by_id(placement.receptacle)
    stays = inside is not None and placement.object in (inside["receptacleObjectIds"] or ())
    return stays and _type(replay, placement.object) == _type(replay, main.object)


def _in_hand(replay: Replay) -> list[str]:
    held = replay.view.held
    return [] if held is None else [held["objectId"]]


def _picked(replay: Replay) -> Types:
    """What the plan last tried to pick up, by its words."""
    picks = (each.types for each in reversed(replay.steps) if each.verb is Verb.PICK_UP)
    return next(picks, NOTHING)


def _lamps(replay: Replay) -> Iterator[str]:
    for step in replay.steps:
        if step.verb is Verb.TURN_ON and step.types & LAMPS:
            yield from step.types & LAMPS


def _has(replay: Replay, name: str, state: State) -> bool:
    marks = replay.marks
    ids = {
        State.HEATED: marks.heated,
        State.COOLED: marks.cooled,
        State.CLEANED: marks.cleaned,
    }
    return name in ids[state]


def _type(replay: Replay, name: str) -> str:
    found = replay.view.by_id(name)
    return "" if found is None else str(found["objectType"])


def _base(replay: Replay, name: str) -> str:
    """The type of an object; of a slice, that of what it was cut from."""
    return _type(replay, name).removesuffix(SLICED)
