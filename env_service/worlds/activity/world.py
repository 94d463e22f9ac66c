"""An activity that is being carried out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from env_service.worlds.activity import observation
from env_service.worlds.activity.actions import ActivityAction, complete
from env_service.worlds.activity.bddl.expressions import Atom
from env_service.worlds.activity.bddl.problem import Problem
from env_service.worlds.activity.bddl.wording import in_words
from env_service.worlds.activity.commonsense import PROFILES, CommonsenseProfile, Violation
from env_service.worlds.activity.effects import apply
from env_service.worlds.activity.preconditions import check, is_near
from env_service.worlds.activity.scene import ActivityScene, Phantom, build_scene
from env_service.worlds.activity.state import Change, Reading, Support, holds, open_state


@dataclass(frozen=True, slots=True)
class Effect:
    """What came of an action. ``changes``: what it changed, for people, in order; empty:
    nothing."""

    violations: tuple[Violation, ...]
    changes: tuple[str, ...]


class ActivityWorld:
    """The symbolic executor of plans (docs/actplan.md, Judges).

    It is deterministic, and never raises for an action, whatever that names. Actions have their
    effects in spite of violated preconditions; `check` lists these beforehand.
    """

    __slots__ = ("_state", "profile")

    def __init__(
        self,
        problem: Problem,
        profile: CommonsenseProfile | None = None,
        phantoms: Sequence[Phantom] = (),
    ) -> None:
        """Begins an activity.

        Args:
            profile: which preconditions count; None: the default of `PROFILES`.
            phantoms: fixtures that the definition does not list; they cannot be carried.
        """
        self.profile = profile or next(iter(PROFILES.values()))
        self._state = open_state(problem, build_scene(problem, phantoms))

    def fork(self) -> ActivityWorld:
        """An independent world in the same state. Cheap: a few flat copies."""
        other = ActivityWorld.__new__(ActivityWorld)
        other.profile = self.profile
        other._state = self._state.copy()
        return other

    def check(self, action: ActivityAction) -> tuple[Violation, ...]:
        """The preconditions that an action would violate now. Changes nothing."""
        return check(self._state, self.profile, complete(self._state, action))

    def do(self, action: ActivityAction) -> Effect:
        """Does an action and reports its effects."""
        state = self._state
        action = complete(state, action)
        violations = check(state, self.profile, action)
        state.log = []
        try:
            apply(state, action)
            return Effect(violations, tuple(map(_change_text, state.log)))
        finally:
            state.log = None

    def apply(self, action: ActivityAction) -> None:
        """Does an action without a report: several times as fast as `do`."""
        apply(self._state, complete(self._state, action))

    def holds(self, atom: Atom, reading: Reading = Reading.STRICT) -> bool:
        """Whether a fact holds now; ``inroom`` is of where a thing is at this moment."""
        return holds(self._state, atom, reading)

    def reader(self, reading: Reading) -> Callable[[Atom], bool]:
        """`holds` in one reading, as `bddl.expressions.evaluate` wants it."""
        state = self._state
        return lambda atom: holds(state, atom, reading)

    def near(self, thing: str) -> bool:
        """Whether the agent reaches a thing by the world's profile."""
        return is_near(self._state, thing, self.profile)

    def scene_text(self) -> str:
        """What the agent can see where it is, in words: see `observation.scene_text`."""
        return observation.scene_text(self._state)

    def key(self) -> tuple[object, ...]:
        """Equal of equal states in one process, and hashable: for searches."""
        return self._state.key()

    def digest(self) -> str:
        """SHA-256 of the state, in hexadecimal; equal in all processes."""
        return sha256(repr(self._state.summary()).encode()).hexdigest()

    @property
    def scene(self) -> ActivityScene:
        """What never changes: the things, phantoms included, and what they are good for."""
        return self._state.scene

    @property
    def held(self) -> tuple[str, ...]:
        """What hands hold, in the order in which it was taken."""
        return tuple(self._state.held)

    @property
    def at(self) -> str:
        """The thing that the agent is at; empty: somewhere in its room."""
        return self._state.at

    @property
    def room(self) -> str:
        """The agent's room; empty if unknown."""
        return self._state.room

    @property
    def supports(self) -> Mapping[str, Support]:
        """Where things lie: see `State.support`. To be read only."""
        return self._state.support

    def room_of(self, thing: str) -> str:
        """The room that a thing is in; empty if unknown."""
        return self._state.room_of(thing)

    def is_shut(self, thing: str) -> bool:
        """Whether a container, a door or a window is known to be closed."""
        return self._state.is_shut(thing)

    def is_held(self, thing: str) -> bool:
        """In a hand, or in or on what is in a hand."""
        return self._state.is_held(thing)

    def was_moved(self, thing: str) -> bool:
        """Whether the agent put it somewhere."""
        return thing in self._state.moved

    def below(self, thing: str) -> tuple[str, ...]:
        """Everything in or on a thing, and in or on that."""
        return self._state.below(thing)


def _change_text(change: Change) -> str:
    text = in_words(Atom(change.predicate, change.terms))
    if not change.holds:
        text = text.replace(" is ", " is no longer ", 1)
    return f"{text}, as people read it" if change.relaxed else text
