"""A kitchen and a bathroom with a little of everything, for tests of the world `activity`."""

from __future__ import annotations

from env_service.worlds.activity.actions import ActivityAction, Verb
from env_service.worlds.activity.bddl.expressions import Atom
from env_service.worlds.activity.bddl.parser import read_problem
from env_service.worlds.activity.bddl.problem import Problem
from env_service.worlds.activity.commonsense import CommonsenseProfile, ViolationKind
from env_service.worlds.activity.world import ActivityWorld

OBJECTS = """
    floor.n.01_1 floor.n.01_2 - floor.n.01
    countertop.n.01_1 - countertop.n.01
    table.n.02_1 - table.n.02
    cabinet.n.01_1 - cabinet.n.01
    electric_refrigerator.n.01_1 - electric_refrigerator.n.01
    sink.n.01_1 - sink.n.01
    bathtub.n.01_1 - bathtub.n.01
    stove.n.01_1 - stove.n.01
    dishwasher.n.01_1 - dishwasher.n.01
    dryer.n.02_1 - dryer.n.02
    basket.n.01_1 - basket.n.01
    carton.n.02_1 - carton.n.02
    bucket.n.01_1 - bucket.n.01
    plate.n.04_1 plate.n.04_2 - plate.n.04
    pan.n.01_1 - pan.n.01
    teapot.n.01_1 - teapot.n.01
    tea_bag.n.01_1 - tea_bag.n.01
    apple.n.01_1 apple.n.01_2 - apple.n.01
    fish.n.02_1 - fish.n.02
    candle.n.01_1 candle.n.01_2 - candle.n.01
    knife.n.01_1 - knife.n.01
    rag.n.01_1 - rag.n.01
    broom.n.01_1 - broom.n.01
    soap.n.01_1 - soap.n.01
    water.n.06_1 - water.n.06
    sauce.n.01_1 - sauce.n.01
    pot_plant.n.01_1 - pot_plant.n.01
    alarm.n.02_1 - alarm.n.02
    agent.n.01_1 - agent.n.01
"""
OPENING = """
    (inroom floor.n.01_1 kitchen) (inroom floor.n.01_2 bathroom)
    (inroom countertop.n.01_1 kitchen) (inroom table.n.02_1 kitchen)
    (inroom cabinet.n.01_1 kitchen) (inroom electric_refrigerator.n.01_1 kitchen)
    (inroom sink.n.01_1 kitchen) (inroom bathtub.n.01_1 bathroom)
    (inroom stove.n.01_1 kitchen) (inroom dishwasher.n.01_1 kitchen)
    (inroom dryer.n.02_1 bathroom)
    (onfloor agent.n.01_1 floor.n.01_1)
    (onfloor basket.n.01_1 floor.n.01_1) (onfloor carton.n.02_1 floor.n.01_1)
    (onfloor bucket.n.01_1 floor.n.01_2) (onfloor pot_plant.n.01_1 floor.n.01_2)
    (inside plate.n.04_1 cabinet.n.01_1) (ontop plate.n.04_2 table.n.02_1)
    (ontop pan.n.01_1 countertop.n.01_1) (ontop teapot.n.01_1 countertop.n.01_1)
    (inside tea_bag.n.01_1 cabinet.n.01_1)
    (ontop apple.n.01_1 plate.n.04_2) (ontop apple.n.01_2 countertop.n.01_1)
    (inside fish.n.02_1 electric_refrigerator.n.01_1) (frozen fish.n.02_1)
    (ontop candle.n.01_1 table.n.02_1) (onfloor candle.n.01_2 floor.n.01_1)
    (ontop knife.n.01_1 countertop.n.01_1) (ontop rag.n.01_1 countertop.n.01_1)
    (onfloor broom.n.01_1 floor.n.01_1) (ontop soap.n.01_1 countertop.n.01_1)
    (ontop water.n.06_1 table.n.02_1) (ontop sauce.n.01_1 table.n.02_1)
    (ontop alarm.n.02_1 table.n.02_1)
    (stained plate.n.04_2) (dusty table.n.02_1) (stained bathtub.n.01_1)
"""
GOAL = "(and (inside ?apple.n.01_1 ?basket.n.01_1))"


def small_problem(more: str = "", goal: str = GOAL) -> Problem:
    """The two rooms; ``more`` is appended to the opening."""
    text = (
        f"(define (problem small_0) (:domain igibson) (:objects {OBJECTS})"
        f" (:init {OPENING} {more}) (:goal {goal}))"
    )
    return read_problem(text, "small")


def small_world(
    more: str = "", goal: str = GOAL, profile: CommonsenseProfile | None = None
) -> ActivityWorld:
    """A world at the opening of `small_problem`."""
    return ActivityWorld(small_problem(more, goal), profile)


def thing(name: str) -> str:
    """ "apple_2" is "apple.n.01_2"; any other text comes back unchanged."""
    for line in OBJECTS.split():
        lemma, _, number = line.rpartition("_")
        if number.isdigit() and f"{lemma.split('.')[0]}_{number}" == name:
            return line
    return name


def action(verb: Verb, target: str = "", item: str = "", tools: str = "") -> ActivityAction:
    """An action whose things are named as in `thing`; ``tools`` by spaces."""
    return ActivityAction(verb, thing(target), thing(item), tuple(map(thing, tools.split())))


def fact(words: str) -> Atom:
    """ "inside apple_1 basket_1" as a fact."""
    predicate, *names = words.split()
    return Atom(predicate, tuple(map(thing, names)))


def taken(world: ActivityWorld, *names: str) -> ActivityWorld:
    """The world, once the agent walked to each of the things and took it."""
    for name in names:
        world.do(action(Verb.WALK_TO, name))
        world.do(action(Verb.GRAB, name))
    return world


def put(world: ActivityWorld, verb: Verb, target: str, item: str) -> ActivityWorld:
    """The world, once the agent took the item, walked to the target and put it there."""
    taken(world, item).do(action(Verb.WALK_TO, target))
    world.do(action(verb, target, item))
    return world


def violated(world: ActivityWorld, each: ActivityAction) -> tuple[ViolationKind, ...]:
    """The classes of what an action would violate."""
    return tuple(violation.kind for violation in world.check(each))
