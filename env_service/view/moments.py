"""What a replay of an episode found: its true state at the opening, and each moment's changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from env_service.domain.episode import GoalCondition
from env_service.domain.moment import Board, Mark, Moment, Pose, Room, Thing

MOST_MOMENTS = 2000
"""Moments of an episode; the rest of a longer one is left out."""


@dataclass(frozen=True, slots=True)
class GoalState:
    """A goal condition at one moment."""

    name: str
    met: bool


@dataclass(frozen=True, slots=True)
class Change:
    """A property of an object that changed. ``before`` is empty for a new object or property, and
    ``after`` for one that vanished."""

    id: str
    name: str
    property: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class CellView:
    """A cell of a board; ``text`` is empty if the cell is."""

    x: int
    y: int
    text: str


@dataclass(frozen=True, slots=True)
class BoardView:
    """A board as `domain.moment.Board`. ``cells`` are those that changed since the track's moment
    before; in the first moment of a track, all that are not empty."""

    width: int
    height: int
    cells: tuple[CellView, ...]
    agent: tuple[int, ...]
    heading: int
    carrying: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class MomentView:
    """A moment; see `domain.moment.Moment`. ``step`` counts from 0; None is the opening.

    ``gained`` and ``lost`` are the goal conditions that this moment met and lost, and ``changes``
    what else it changed, since the moment before in the same track.
    """

    step: int | None
    track: str
    caption: str
    problem: str
    notes: tuple[str, ...]
    goals: tuple[GoalState, ...]
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    changes: tuple[Change, ...]
    pose: Pose | None
    held: tuple[str, ...]
    visible: tuple[str, ...]
    board: BoardView | None


@dataclass(frozen=True, slots=True)
class EpisodeFacts:
    """The moments of an episode, the opening first. ``things`` are the objects at the opening.
    ``problem``: why moments are missing."""

    room: Room | None
    things: tuple[Thing, ...]
    moments: tuple[MomentView, ...]
    problem: str


@dataclass(slots=True)
class Recorder:
    """Collects the moments of one replay."""

    step: int | None = None
    """The step that is replayed."""
    problem: str = ""
    _room: Room | None = None
    _things: tuple[Thing, ...] = ()
    _moments: list[MomentView] = field(default_factory=list)
    _last: dict[str, Moment] = field(default_factory=dict)

    def note(self, moment: Moment) -> None:
        """Adds a moment."""
        if len(self._moments) >= MOST_MOMENTS:
            self.problem = f"only the first {MOST_MOMENTS} moments are shown"
            return
        if not self._moments:
            self._things = moment.things
        self._room = self._room or moment.room
        before = self._last.get(moment.track)
        if before is not None:
            # A part of an action may be described by its words alone.
            moment = replace(
                moment, goals=moment.goals or before.goals, things=moment.things or before.things
            )
        self._last[moment.track] = moment
        self._moments.append(_view(moment, before, self.step))

    def facts(self) -> EpisodeFacts:
        """What was collected."""
        return EpisodeFacts(self._room, self._things, tuple(self._moments), self.problem)


def _view(moment: Moment, before: Moment | None, step: int | None) -> MomentView:
    gained, lost = _goals_changed(before.goals, moment.goals) if before else ((), ())
    return MomentView(
        step=step,
        track=moment.track,
        caption=moment.caption,
        problem=moment.problem,
        notes=moment.notes,
        goals=tuple(GoalState(each.name, each.met) for each in moment.goals),
        gained=gained,
        lost=lost,
        changes=tuple(_changes(before.things, moment.things)) if before else (),
        pose=moment.pose,
        held=moment.held,
        visible=moment.visible,
        board=_board(moment.board, before.board if before else None) if moment.board else None,
    )


def _goals_changed(
    before: tuple[GoalCondition, ...], now: tuple[GoalCondition, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of conditions that were met, and that were lost; names may repeat."""
    met, was = (Counter(each.name for each in goals if each.met) for goals in (now, before))
    return tuple((met - was).elements()), tuple((was - met).elements())


def _changes(before: tuple[Thing, ...], now: tuple[Thing, ...]) -> Iterator[Change]:
    known = {each.id: each for each in before}
    for thing in now:
        old = known.pop(thing.id, None)
        if old is None:
            yield Change(thing.id, thing.name, "exists", "", "yes")
        elif old.properties != thing.properties:
            yield from _property_changes(thing, old.properties)
    for gone in known.values():
        yield Change(gone.id, gone.name, "exists", "yes", "")


def _property_changes(thing: Thing, before: Mapping[str, str]) -> Iterator[Change]:
    for name in {**before, **thing.properties}:
        old, new = before.get(name, ""), thing.properties.get(name, "")
        if old != new:
            yield Change(thing.id, thing.name, name, old, new)


def _board(board: Board, before: Board | None) -> BoardView:
    known = before.cells if before and before.width == board.width else ("",) * len(board.cells)
    cells = (
        CellView(place % board.width, place // board.width, text)
        for place, (text, old) in enumerate(zip(board.cells, known, strict=False))
        if text != old
    )
    return BoardView(
        width=board.width,
        height=board.height,
        cells=tuple(cells),
        agent=board.agent,
        heading=board.heading,
        carrying=board.carrying,
        marks=board.marks,
    )
