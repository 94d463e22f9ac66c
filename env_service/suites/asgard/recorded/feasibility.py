"""Whether an action could be done at a moment of a recorded solution, by the rules and by what
is known of the scene there; the answer may be left open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from env_service.suites.asgard.action_language import Command, Verb
from env_service.suites.asgard.object_types import compatible, object_tables, whole_type
from env_service.suites.asgard.plan import SetupAction
from env_service.suites.asgard.recorded.task_set import RecordedQuestion
from env_service.suites.asgard.rules import Rules
from env_service.suites.asgard.symbolic_replay import SymbolicState
from env_service.suites.asgard.wording import Reason
from env_service.worlds.ai2thor_api.object_types import Trait, object_types


def judge(command: Command, question: RecordedQuestion, rules: Rules) -> FeasibilityVerdict:
    """Whether the action can be done at the question's step.

    The published action worked, so it is doable unless the rules refuse it.
    """
    verdict = FeasibilityJudge(question, rules).by_rules(command)
    if command == question.answer and verdict.doable is Doable.UNDECIDED:
        return FeasibilityVerdict(Doable.YES)
    return verdict


class FeasibilityJudge:
    """Judges by the rules and the history alone."""

    def __init__(self, question: RecordedQuestion, rules: Rules) -> None:
        self._rules = rules
        self._knowledge = RecordedKnowledge.of(question.setup, question.history)
        self._case = ActionCase(self._knowledge, rules)
        self._question = question

    def by_rules(self, command: Command) -> FeasibilityVerdict:
        """What the rules say of an action after the history."""
        verdict = next(self._verdicts(command), FeasibilityVerdict(Doable.YES))
        if not self._knowledge.sound:
            return unsure(verdict.reason, "the history itself breaks the rules")
        if verdict.doable is not Doable.NO:
            return verdict
        if self._may_pass_for_success(command):
            return unsure(verdict.reason, f"{verdict.words}, but may be told to have worked")
        return verdict

    def _verdicts(self, command: Command) -> Iterator[FeasibilityVerdict]:
        """All that speaks against an action: first what is certain."""
        kind = command.object_type
        own = CHECKS.get(command.verb)
        found = [*self._anywhere(kind), *(own(self._case, kind) if own else ())]
        found += self._sight(command)
        yield from (each for each in found if each.doable is Doable.NO)
        yield from (each for each in found if each.doable is Doable.UNDECIDED)

    # --- for every action

    def _anywhere(self, kind: str) -> Iterator[FeasibilityVerdict]:
        state = self._knowledge.state
        whole = whole_type(kind)
        if whole is not None and whole not in state.sliced:
            yield no(Reason.NO_SUCH_OBJECT, f"there is no {kind} before the {whole} is sliced")
        if kind in state.sliced:
            yield no(Reason.ALREADY_SO, f"{kind} is already sliced")
        place = self._knowledge.place(kind)
        locked = any(
            (goal.object_type, goal.destination_type) == (kind, place)
            for goal in self._question.location_goals
        )
        if self._rules.goal_locked_objects and locked:
            words = f"{kind} is where a goal wants it"
            make = unsure if kind in SEVERAL else no
            yield make(Reason.USED_BY_GOAL, words)

    def _sight(self, command: Command) -> Iterator[FeasibilityVerdict]:
        kind, known = command.object_type, self._knowledge
        if command.verb is not Verb.FIND:
            if kind not in known.in_view:
                yield unsure(Reason.NOT_VISIBLE, f"{kind} may not be in view")
            return
        if kind == known.state.held:
            return
        shut = known.closed_in(kind)
        if shut is not None and not self._rules.find_always_succeeds:
            make = unsure if kind in SEVERAL else no
            yield make(Reason.NOT_VISIBLE, f"{kind} is in the closed {shut}")
        elif not (is_fixed(kind) or kind in known.found or known.place(kind) is not None):
            yield unsure(Reason.NOT_VISIBLE, f"{kind} may be behind a door, or not there")

    def _may_pass_for_success(self, command: Command) -> bool:
        aliases = object_tables().surface_aliases
        others = aliases & set(self._question.available) - {command.object_type}
        return self._rules.alias_false_success and command.object_type in aliases and bool(others)


# --- Whether an action could be done: an answer that may be left open


class Doable(StrEnum):
    """The three answers."""

    YES = "doable"
    """Every precondition is known to hold."""
    NO = "not doable"
    """A rule is known to refuse it."""
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class FeasibilityVerdict:
    """``reason`` is the precondition that fails, or that is not known to hold; None where the
    action is doable. ``words`` say why, in a clause."""

    doable: Doable
    reason: Reason | None = None
    words: str = ""


def no(reason: Reason | None, words: str) -> FeasibilityVerdict:
    """A rule refuses it."""
    return FeasibilityVerdict(Doable.NO, reason, words)


def unsure(reason: Reason | None, words: str) -> FeasibilityVerdict:
    """A rule may refuse it."""
    return FeasibilityVerdict(Doable.UNDECIDED, reason, words)


# --- What is known of the scene after a recorded history, without having seen the scene

SEVERAL = frozenset({"Cabinet", "Drawer", "StoveBurner", *object_tables().slices.values()})
"""Types with a state, or that can be carried, of which a room may hold several
(docs/asgard-rules.md,
"Actions"): another one may be meant. The start-up keeps one each of what can be carried
(docs/asgard-rules.md, "An episode"); slicing makes more."""

STARTS_OFF = frozenset(
    {"CoffeeMachine", "Faucet", "Microwave", "StoveBurner", "Television", "Toaster"}
)
"""Devices that are off as a task begins. Lamps may be on."""


@dataclass(frozen=True, slots=True)
class RecordedKnowledge:
    """What follows from the actions so far, all of which worked.

    Attributes:
        state: what the actions made of the scene.
        in_view: types that the last action surely left in view, what is held included.
        found: types that were found or handled before, wherever they are now.
        sound: no past action breaks the rules as they are replayed; what follows from one that
            does is guesswork.
    """

    state: SymbolicState
    in_view: frozenset[str]
    found: frozenset[str]
    sound: bool

    @classmethod
    def of(cls, setup: Iterable[SetupAction], history: Iterable[Command]) -> RecordedKnowledge:
        """What is known after a history."""
        state = SymbolicState.of(setup)
        in_view: set[str] = set()
        found: set[str] = set()
        sound = True
        for command in history:
            held = state.held
            sound = not state.play(command) and sound
            in_view = _seen(command, held)
            found |= in_view
            if command.verb is Verb.CLOSE:
                # What was found in there is behind the door now.
                found = {each for each in found if each in state.places or is_fixed(each)}
        if state.held is not None:
            in_view.add(state.held)
        return cls(state, frozenset(in_view), frozenset(found), sound)

    def place(self, kind: str) -> str | None:
        """What something was put into or onto; None where that is not known."""
        return self.state.places.get(kind)

    def closed_in(self, kind: str) -> str | None:
        """The closed container that something was put into; None where there is none."""
        place = self.place(kind)
        shut = place in object_tables().openable and place not in self.state.open
        return place if shut else None


def is_fixed(kind: str) -> bool:
    """Whether a type cannot be carried: what a room has of it stays there."""
    return lacks(kind, Trait.PICKUPABLE)


def lacks(kind: str, trait: Trait) -> bool:
    """Whether no instance of a type has a trait, as far as the type is known."""
    known = object_types().get(kind)
    return known is not None and not known.can(trait) and trait not in known.sometimes


def _seen(command: Command, held: str | None) -> set[str]:
    """What an action that worked surely leaves in view."""
    kind = command.object_type
    match command.verb:
        case Verb.PUT if held is not None:
            return {kind, held}
        case Verb.SLICE:
            return {object_tables().slices.get(kind, kind)}
        case _:
            return {kind}


# --- What speaks against each of the actions, by the rules and by what is known of the scene

_SWITCHED_BY_ANOTHER = frozenset({"SinkBasin", "StoveBurner"})
"""What a faucet or a knob switches, when it is named itself (docs/asgard-rules.md, "Actions")."""


@dataclass(frozen=True, slots=True)
class ActionCase:
    """What a check looks at."""

    known: RecordedKnowledge
    rules: Rules


def _pick_up(case: ActionCase, kind: str) -> Iterator[FeasibilityVerdict]:
    known = case.known
    if known.state.held is not None:
        yield no(Reason.HAND_FULL, f"the hand holds {known.state.held}")
    shut = known.closed_in(kind)
    if shut is not None:
        make = unsure if kind in SEVERAL else no
        yield make(Reason.CONTAINER_CLOSED, f"{kind} is in the closed {shut}")
    if lacks(kind, Trait.PICKUPABLE):
        yield no(Reason.UNABLE, f"{kind} cannot be picked up")


def _put(case: ActionCase, kind: str) -> Iterator[FeasibilityVerdict]:
    state = case.known.state
    if state.held is None:
        yield no(Reason.HAND_EMPTY, "the hand is empty")
        return
    if kind in state.dirty:
        yield no(Reason.DIRTY, f"{kind} is dirty")
    if kind in object_tables().openable and kind not in state.open:
        retried = case.rules.put_retries_find_and_open and kind in SEVERAL
        make = unsure if retried else no
        yield make(Reason.CONTAINER_CLOSED, f"{kind} is closed")
    if not compatible(state.held, kind):
        yield no(Reason.INCOMPATIBLE, f"{state.held} does not go to {kind}")


def _open(case: ActionCase, kind: str) -> Iterator[FeasibilityVerdict]:
    yield from _door(kind)
    if kind in case.known.state.open:
        make = unsure if kind in SEVERAL else no
        yield make(Reason.ALREADY_SO, f"{kind} is already open")


def _close(case: ActionCase, kind: str) -> Iterator[FeasibilityVerdict]:
    yield from _door(kind)
    if kind in object_tables().openable and kind not in case.known.state.open:
        yield no(Reason.ALREADY_SO, f"{kind} is already closed")


def _door(kind: str) -> Iterator[FeasibilityVerdict]:
    if lacks(kind, Trait.OPENABLE):
        yield no(Reason.UNABLE, f"{kind} is not openable")
    elif kind not in object_tables().openable:
        yield unsure(Reason.ALREADY_SO, f"whether {kind} is open is not known")


def _switch(case: ActionCase, kind: str) -> Iterator[FeasibilityVerdict]:
    if kind == "Television" and case.known.state.held != "RemoteControl":
        yield no(Reason.TOOL_MISSING, "the hand holds no remote control")
    elif kind not in STARTS_OFF and _has_switch(kind):
        yield unsure(Reason.ALREADY_SO, f"whether {kind} is on is not known")


def _has_switch(kind: str) -> bool:
    return kind in _SWITCHED_BY_ANOTHER or not lacks(kind, Trait.TOGGLEABLE)


def _switch_on(case: ActionCase, kind: str) -> Iterator[FeasibilityVerdict]:
    known = case.known
    yield from _switch(case, kind)
    if not _has_switch(kind):
        yield no(Reason.SIMULATOR, f"{kind} cannot be switched")
    if kind in known.state.on:
        make = unsure if kind in SEVERAL else no
        yield make(Reason.ALREADY_SO, f"{kind} is already on")
    match kind:
        case "Microwave" if kind in known.state.open:
            yield no(Reason.DOOR_OPEN, "the microwave is open")
        case "CoffeeMachine":
            yield from _coffee(case)
        case "StoveBurner" if not case.rules.burner_without_pan:
            yield from _burner(case)
        case "Faucet":
            odd = known.state.contents("SinkBasin") - object_tables().may_be_in_a_running_sink
            if odd:
                yield no(Reason.WRONG_CONTENTS, f"SinkBasin contains {min(odd)}")
            yield unsure(Reason.WRONG_CONTENTS, "what else is in the sink is not known")


def _coffee(case: ActionCase) -> Iterator[FeasibilityVerdict]:
    state = case.known.state
    place = state.places.get("Mug")
    if state.held == "Mug" or place not in (None, "CoffeeMachine"):
        yield no(Reason.EMPTY, "there is no mug in the coffee machine")
    elif place is None:
        yield unsure(Reason.EMPTY, "what is in the coffee machine is not known")
    elif "Mug" in state.liquids:
        yield no(Reason.WRONG_CONTENTS, "the mug is not empty")
    elif "Mug" in state.dirty:
        yield no(Reason.DIRTY, "the mug is dirty")


def _burner(case: ActionCase) -> Iterator[FeasibilityVerdict]:
    state = case.known.state
    places = ["" if state.held == kind else state.places.get(kind) for kind in ("Pan", "Pot")]
    if "StoveBurner" in places:
        return
    make = unsure if None in places else no
    yield make(Reason.EMPTY, "there is no pan on the burner")


def _switch_off(case: ActionCase, kind: str) -> Iterator[FeasibilityVerdict]:
    yield from _switch(case, kind)
    off = kind in STARTS_OFF and kind not in case.known.state.on
    if off or not _has_switch(kind):
        yield no(Reason.ALREADY_SO, f"{kind} is already off")


def _clean(case: ActionCase, kind: str) -> Iterator[FeasibilityVerdict]:
    state = case.known.state
    if kind == "Mirror":
        if kind not in state.sprayed:
            yield no(Reason.NOT_SPRAYED, "the mirror has not been sprayed")
        if state.held != "Cloth":
            yield no(Reason.TOOL_MISSING, "the hand holds no cloth")
        return
    if "Faucet" not in state.on:
        yield no(Reason.WATER_OFF, "the faucet is off")
    if state.held != "DishSponge":
        yield no(Reason.TOOL_MISSING, "the hand holds no sponge")
    place = case.known.place(kind)
    if state.held == kind or is_fixed(kind) or place not in (None, "SinkBasin"):
        yield no(Reason.WRONG_PLACE, f"{kind} is not in the SinkBasin")
    elif place is None:
        yield unsure(Reason.WRONG_PLACE, f"{kind} may not be in the SinkBasin")


def _slice(case: ActionCase, kind: str) -> Iterator[FeasibilityVerdict]:
    state, place = case.known.state, case.known.place(kind)
    if kind not in object_tables().slices:
        reason = Reason.UNABLE if whole_type(kind) is None else Reason.ALREADY_SO
        yield no(reason, f"{kind} cannot be sliced")
        return
    if kind not in object_tables().sliced_on_a_surface:
        if not case.rules.egg_sliced_anywhere and (state.held == kind or place != "Pan"):
            make = unsure if place is None and state.held != kind else no
            yield make(Reason.WRONG_PLACE, f"{kind} is not in a Pan")
        return
    knives = {"Knife", "ButterKnife"} if case.rules.butter_knife_slices else {"Knife"}
    if state.held not in knives:
        yield no(Reason.TOOL_MISSING, "the hand holds no knife")
    if place is None:
        yield unsure(Reason.WRONG_PLACE, f"{kind} may not lie on a surface")
    elif place not in object_tables().surfaces:
        yield no(Reason.WRONG_PLACE, f"{kind} is in {place}, not on a surface")


def _empty(case: ActionCase, kind: str) -> Iterator[FeasibilityVerdict]:
    state = case.known.state
    if kind in state.liquids:
        return
    under_water = "Faucet" in state.on and kind in object_tables().drained
    unknown = under_water and case.known.place(kind) is None and state.held != kind
    yield (unsure if unknown else no)(Reason.EMPTY, f"{kind} is not filled")


def _drink(case: ActionCase, kind: str) -> Iterator[FeasibilityVerdict]:
    held = case.known.state.held
    enough = held is not None if case.rules.drink_with_anything_in_hand else held == kind
    if not enough:
        yield no(Reason.TOOL_MISSING, f"the hand does not hold {kind}")
    yield from _empty(case, kind)


def _spray(case: ActionCase, kind: str) -> Iterator[FeasibilityVerdict]:
    del kind
    if case.known.state.held != "SprayBottle":
        yield no(Reason.TOOL_MISSING, "the hand holds no spray bottle")


CHECKS: Mapping[Verb, Callable[[ActionCase, str], Iterator[FeasibilityVerdict]]] = {
    Verb.PICKUP: _pick_up,
    Verb.PUT: _put,
    Verb.OPEN: _open,
    Verb.CLOSE: _close,
    Verb.TOGGLE_ON: _switch_on,
    Verb.TOGGLE_OFF: _switch_off,
    Verb.CLEAN: _clean,
    Verb.SLICE: _slice,
    Verb.EMPTY: _empty,
    Verb.DRINK: _drink,
    Verb.SPRAY: _spray,
}
"""Each action's own preconditions, for the type that it names. FIND has none."""
