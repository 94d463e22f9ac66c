"""The ideal replay: the steps of a run once more, in a house where only logic can fail (spec
section 4, step 1)."""

from __future__ import annotations

from dataclasses import dataclass

from env_service.domain.episode import GoalCondition
from env_service.suites.alfred.goals.evaluation import evaluate
from env_service.suites.alfred.house import House
from env_service.suites.alfred.judging.analysis import Case, Code
from env_service.suites.alfred.judging.ideal_house import IdealHouse
from env_service.suites.alfred.judging.ideal_memory import IdealMemory
from env_service.suites.alfred.judging.ideal_robot import IdealResult, IdealRobot
from env_service.suites.alfred.judging.imagined import imagined_house
from env_service.suites.alfred.judging.intent import NOTHING, Types, basin_type
from env_service.suites.alfred.judging.lexicon import types_of_words
from env_service.suites.alfred.skills.step import Marks, SkillStep, StepRecord, Verb
from env_service.suites.alfred.skills.vocabulary import split_skill


@dataclass(frozen=True, slots=True)
class IdealStep:
    """A step of the run, and how it went in the replay.

    Attributes:
        number: counted from 1.
        verb: what it does; None where the words begin as no skill does.
        types: what its words may mean, as goals name types; empty for no known noun.
        understood: whether the words are a skill of the list.
        held: id of what was in the hand before.
        destination: what may be meant by what was found before; empty for nothing.
    """

    number: int
    record: StepRecord
    verb: Verb | None
    types: Types
    understood: bool
    result: IdealResult
    held: str
    destination: Types

    @property
    def physical(self) -> bool:
        """Whether it failed in the run although nothing in the plan forbade it."""
        return self.result.code is None and not self.record.result.worked


@dataclass(frozen=True, slots=True)
class Replay:
    """The replay of a run: its steps, and the house and marks at its end.

    ``met_at`` is the number of the last step after which the goal was met, 0 where it was met
    after none.
    """

    steps: tuple[IdealStep, ...]
    house: House
    marks: Marks
    conditions: tuple[GoalCondition, ...]
    met_at: int = 0

    @property
    def reached(self) -> bool:
        """Whether the goal is met at the end."""
        return all(each.met for each in self.conditions)

    @property
    def undone_by(self) -> IdealStep | None:
        """The step after which a goal that was met is met no more; None where there is none."""
        return None if self.reached or not self.met_at else self.steps[self.met_at]


def replay(case: Case) -> Replay:
    """Plays the steps of a run in a house of facts. Words that are no skill, but that a person
    would understand, are taken for what the goal wants if they may mean that, or else for
    something that is there."""
    opening, unsure = case.opening, frozenset[str]()
    if opening is None:
        opening, unsure = imagined_house(case.goal, case.records)
    house = IdealHouse(opening, unsure)
    robot = IdealRobot(
        house, IdealMemory(house, case.rules, case.names), lenient=case.opening is None
    )
    steps, met_at, end = [], 0, house.snapshot()
    conditions = evaluate(case.goal, end, robot.marks, case.rules)
    destination: Types = NOTHING
    for number, record in enumerate(case.records, start=1):
        verb, types, chosen = _meant(record, case, robot)
        held = house.held
        if verb not in (Verb.PUT_DOWN, Verb.OPEN):
            destination = NOTHING
        if verb is Verb.FIND:
            destination = types
        result = _tried(robot, record, verb, chosen)
        understood = record.step is not None
        steps.append(IdealStep(number, record, verb, types, understood, result, held, destination))
        end = house.snapshot()
        conditions = evaluate(case.goal, end, robot.marks, case.rules)
        met_at = number if all(each.met for each in conditions) else met_at
    return Replay(tuple(steps), end, robot.marks, conditions, met_at)


def _meant(record: StepRecord, case: Case, robot: IdealRobot) -> tuple[Verb | None, Types, str]:
    """The verb of a step, what its noun may mean, and what it is taken for."""
    if record.step is not None:
        named = record.step.object
        return record.step.verb, frozenset({basin_type(named)} if named else ()), named
    verb, words = split_skill(record.said)
    types = types_of_words(words)
    goal = case.task.goal
    wanted = [goal.object, goal.parent, goal.movable, goal.toggle]
    here = [each for each in sorted(types) if next(robot.memory.named(_whole(each)), "")]
    ranked = [*(each for each in wanted if each in types), *here, *sorted(types)]
    return verb, types, _whole(ranked[0]) if ranked else ""


def _is_several(record: StepRecord) -> bool:
    """Whether several skills were said where one is asked for: a plan as a single step."""
    parts = [] if record.step is not None else record.said.split(",")
    return sum(split_skill(part)[0] is not None for part in parts) > 1


def _whole(object_type: str) -> str:
    """The type as skills name it: a basin by its sink."""
    return object_type.removesuffix("Basin")


def _tried(robot: IdealRobot, record: StepRecord, verb: Verb | None, chosen: str) -> IdealResult:
    if _is_several(record):
        robot.destination = ""
        return IdealResult(Code.MALFORMED)
    if verb is None or (not chosen and verb not in (Verb.DONE, Verb.PUT_DOWN)):
        robot.destination = ""
        return IdealResult(Code.UNKNOWN_NAME)
    return robot.do(SkillStep(verb, chosen), record.result)
