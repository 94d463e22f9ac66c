"""A kitchen for the expert's tests, and ways to let it play there."""

from __future__ import annotations

from collections.abc import Sequence

from env_service.suites.asgard.action_language import objects_in
from env_service.suites.asgard.expert.play import Experience, Objective, Play
from env_service.suites.asgard.expert.solver import ExpertAttempt, play_out
from env_service.suites.asgard.limits import StepLimits
from env_service.suites.asgard.plan import Goal, PutAwayGoal
from env_service.suites.asgard.rules import PAPER, Rules
from tests.unit.suites.asgard.expert.toy_house import Thing, ToyHouse, fixture, item

NEVER: tuple[Goal, ...] = (PutAwayGoal("Kettle"),)
"""A goal that the tests' kitchens cannot meet: a play goes on until it is let go."""

COUNTER = fixture("CounterTop", 0.0)
SINK = fixture("SinkBasin", 3.0)
FAUCET = fixture("Faucet", 3.0, receptacle=False, toggleable=True)
STOVE = fixture("StoveBurner", 6.0)
KNOB = fixture("StoveKnob", 6.0, controlledObjects=["StoveBurner"], toggleable=True)
FRIDGE = fixture("Fridge", 9.0, openable=True)
CABINET = fixture("Cabinet", 12.0, openable=True)
MACHINE = fixture("CoffeeMachine", 15.0, toggleable=True)
TOASTER = fixture("Toaster", 18.0, toggleable=True)
OVEN = fixture("Microwave", 21.0, openable=True, toggleable=True)
TABLE = fixture("DiningTable", 24.0)

FIXTURES = (
    COUNTER, SINK, FAUCET, STOVE, KNOB, FRIDGE, CABINET, MACHINE, TOASTER, OVEN, TABLE,
)  # fmt: skip


def house(*things: Thing, **wishes: object) -> ToyHouse:
    """The kitchen with these things in it."""
    return ToyHouse(*FIXTURES, *things, **wishes)  # type: ignore[arg-type] # passed on as they are


def play_in(
    actor: ToyHouse, goals: Sequence[Goal] = NEVER, rules: Rules = PAPER, most_steps: int = 80
) -> Play:
    """A play in a house, to try single skills in."""
    return Play(actor, charge_of(actor, goals, rules, most_steps), Experience())


def solve_in(
    actor: ToyHouse, goals: Sequence[Goal], *, rules: Rules = PAPER, most_steps: int = 80
) -> ExpertAttempt:
    """A whole attempt in a house."""
    return play_out(actor, charge_of(actor, goals, rules, most_steps), Experience())


def charge_of(
    actor: ToyHouse, goals: Sequence[Goal], rules: Rules = PAPER, most_steps: int = 80
) -> Objective:
    """The charge to meet these goals."""
    words = frozenset(objects_in(actor.view))
    return Objective(tuple(goals), rules, StepLimits(most_steps, most_steps), words)


def texts(attempt: ExpertAttempt) -> list[str]:
    """Its steps in words."""
    return [each.text for each in attempt.steps]


def mug(**changes: object) -> Thing:
    """A mug on the counter."""
    return item("Mug", COUNTER, **{"dirtyable": True, **changes})
