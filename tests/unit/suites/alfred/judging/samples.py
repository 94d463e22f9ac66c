"""Tasks in small houses, with commands that say them and plans that solve them."""

from __future__ import annotations

from dataclasses import dataclass

from env_service.suites.alfred.judging.analysis import JudgedCase
from env_service.suites.alfred.task import Goal, TaskType
from tests.support.alfred_houses import bedroom, kitchen, run_case


@dataclass(frozen=True)
class Sample:
    """A task with a command that says it, and a plan that solves it."""

    goal: Goal
    command: str
    plan: str
    at_home: str = "kitchen"

    def case(self, **changes: object) -> JudgedCase:
        """A run of it: with another command or plan, or with steps that fail."""
        house = kitchen() if self.at_home == "kitchen" else bedroom()
        given = {"command": self.command, "plan": self.plan, **changes}
        return run_case(house, self.goal, **given)  # type: ignore[arg-type]  # as given


HEAT = (
    "find a microwave, open the microwave, put down the {0}, close the microwave,"
    " turn on the microwave, turn off the microwave, open the microwave, pick up the {0},"
    " close the microwave"
)
COOL = (
    "find a fridge, open the fridge, put down the {0}, close the fridge, open the fridge,"
    " pick up the {0}, close the fridge"
)
CLEAN = (
    "find a sink, put down the {0}, turn on the faucet, turn off the faucet, find a {0},"
    " pick up the {0}"
)

EGG = Sample(
    Goal(TaskType.SIMPLE, "Egg", "DiningTable"),
    "Put the egg on the dining table.",
    "find an egg, pick up the egg, find a dining table, put down the egg, done",
)
SALT = Sample(
    Goal(TaskType.SIMPLE, "SaltShaker", "Drawer"),
    "Put the salt shaker in the drawer.",
    "find a salt shaker, pick up the salt shaker, find a drawer, open the drawer,"
    " put down the salt shaker, close the drawer, done",
)
APPLE = Sample(
    Goal(TaskType.HEAT, "Apple", "CounterTop"),
    "Put a heated apple on the countertop.",
    "find an apple, pick up the apple, "
    + HEAT.format("apple")
    + ", find a counter top, put down the apple, done",
)
POTATO = Sample(
    Goal(TaskType.COOL, "Potato", "SideTable"),
    "Put a cooled potato on the side table.",
    "find a potato, pick up the potato, "
    + COOL.format("potato")
    + ", find a side table, put down the potato, done",
)
FORK = Sample(
    Goal(TaskType.CLEAN, "Fork", "Drawer"),
    "Put the cleaned fork in the drawer.",
    "find a fork, pick up the fork, "
    + CLEAN.format("fork")
    + ", find a drawer, open the drawer, put down the fork, close the drawer, done",
)
SPOONS = Sample(
    Goal(TaskType.TWO, "Spoon", "CounterTop"),
    "Put two spoons on the countertop.",
    "find a spoon, pick up the spoon, find a counter top, put down the spoon, find a spoon,"
    " pick up the spoon, find a counter top, put down the spoon, done",
)
CUP = Sample(
    Goal(TaskType.MOVABLE, "ButterKnife", "SinkBasin", "Cup"),
    "Put a butter knife in the cup and then place the cup in the sink.",
    "find a butter knife, pick up the butter knife, find a cup, put down the butter knife,"
    " find a cup, pick up the cup, find a sink, put down the cup, done",
)
BREAD = Sample(
    Goal(TaskType.HEAT, "Bread", "DiningTable", sliced=True),
    "Put a slice of heated bread on the dining table.",
    "find a bread, slice the bread, find a bread, pick up the bread, "
    + HEAT.format("bread")
    + ", find a dining table, put down the bread, done",
)
CLOCK = Sample(
    Goal(TaskType.LOOK, "AlarmClock", toggle="DeskLamp"),
    "Examine the alarm clock in the light of the desk lamp.",
    "find an alarm clock, pick up the alarm clock, find a desk lamp, turn on the desk lamp, done",
    "bedroom",
)
KEYS = Sample(
    Goal(TaskType.TWO, "KeyChain", "Sofa"),
    "Put two keychains on the sofa.",
    "find a key chain, pick up the key chain, find a sofa, put down the key chain,"
    " find a key chain, pick up the key chain, find a sofa, put down the key chain, done",
    "bedroom",
)
REMOTE = Sample(
    Goal(TaskType.MOVABLE, "RemoteControl", "CoffeeTable", "Box"),
    "Put the remote control in the box and then place the box on the coffee table.",
    "find a remote control, pick up the remote control, find a box, put down the remote control,"
    " find a box, pick up the box, find a coffee table, put down the box, done",
    "bedroom",
)
BOOK = Sample(
    Goal(TaskType.SIMPLE, "Book", "Dresser"),
    "Put the book on the dresser.",
    "find a book, pick up the book, find a dresser, put down the book, done",
    "bedroom",
)
SAMPLES = (EGG, SALT, APPLE, POTATO, FORK, SPOONS, CUP, BREAD, CLOCK, KEYS, REMOTE, BOOK)
