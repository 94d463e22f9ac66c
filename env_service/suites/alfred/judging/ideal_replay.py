"""The ideal replay: the steps of an episode once more, by a robot in a scene where only logic can
fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from env_service.domain.episode import GoalCondition
from env_service.suites.alfred.goals import evaluate
from env_service.suites.alfred.judging.analysis import FailureCode, JudgedCase
from env_service.suites.alfred.judging.command_reader import types_of_words
from env_service.suites.alfred.judging.ideal_scene import IdealScene, imagined_view
from env_service.suites.alfred.judging.intent import NOTHING, Types, basin_type
from env_service.suites.alfred.metadata_view import AlfredView
from env_service.suites.alfred.rules import Rules
from env_service.suites.alfred.skills.steps import Marks, SkillResult, SkillStep, StepRecord, Verb
from env_service.suites.alfred.skills.vocabulary import split_skill


@dataclass(frozen=True, slots=True)
class IdealStep:
    """A step of the episode, and how it went in the replay.

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
        """Whether it failed in the episode although nothing in the plan forbade it."""
        return self.result.code is None and not self.record.result.worked


@dataclass(frozen=True, slots=True)
class Replay:
    """The replay of an episode: its steps, and the view and marks at its end.

    ``met_at`` is the number of the last step after which the goal was met, 0 where it was met
    after none.
    """

    steps: tuple[IdealStep, ...]
    view: AlfredView
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


def replay(case: JudgedCase) -> Replay:
    """Plays the steps of an episode in a scene of facts. Words that name no skill, but that a
    person would understand, count as what the goal wants if they may mean it, otherwise as
    something that the scene contains."""
    opening, unsure = case.opening, frozenset[str]()
    if opening is None:
        opening, unsure = imagined_view(case.goal, case.records)
    scene = IdealScene(opening, unsure)
    robot = IdealRobot(
        scene, IdealMemory(scene, case.rules, case.names), lenient=case.opening is None
    )
    steps, met_at, end = [], 0, scene.snapshot()
    conditions = evaluate(case.goal, end, robot.marks, case.rules)
    destination: Types = NOTHING
    for number, record in enumerate(case.records, start=1):
        verb, types, chosen = _meant(record, case, robot)
        held = scene.held
        if verb not in (Verb.PUT_DOWN, Verb.OPEN):
            destination = NOTHING
        if verb is Verb.FIND:
            destination = types
        result = _tried(robot, record, verb, chosen)
        understood = record.step is not None
        steps.append(IdealStep(number, record, verb, types, understood, result, held, destination))
        end = scene.snapshot()
        conditions = evaluate(case.goal, end, robot.marks, case.rules)
        met_at = number if all(each.met for each in conditions) else met_at
    return Replay(tuple(steps), end, robot.marks, conditions, met_at)


def _meant(
    record: StepRecord, case: JudgedCase, robot: IdealRobot
) -> tuple[Verb | None, Types, str]:
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
        return IdealResult(FailureCode.MALFORMED)
    if verb is None or (not chosen and verb not in (Verb.DONE, Verb.PUT_DOWN)):
        robot.destination = ""
        return IdealResult(FailureCode.UNKNOWN_NAME)
    return robot.do(SkillStep(verb, chosen), record.result)


# --- The robot of docs/alfred-rules.md, "Skills", in a scene of facts: whatever takes moving,
# seeing and
# grasping works, and what logic forbids does not (docs/alfred-rules.md, Failures)

_TAKES: Mapping[str, frozenset[str]] = {
    "CoffeeMachine": frozenset({"Mug", "Cup"}),
    "StoveBurner": frozenset({"Pot", "Pan", "Kettle"}),
    "ToiletPaperHanger": frozenset({"ToiletPaper"}),
    "HandTowelHolder": frozenset({"HandTowel"}),
    "TowelHolder": frozenset({"Towel", "HandTowel"}),
}
"""Receptacles that take some types alone (docs/alfred-rules.md, "Skills")."""


@dataclass(frozen=True, slots=True)
class IdealResult:
    """How a step went: why it did not work (None: it worked), on which object, and where that was
    put, which is empty for anything but a put that worked."""

    code: FailureCode | None
    object_id: str = ""
    receptacle_id: str = ""


@dataclass(slots=True)
class IdealRobot:
    """Does steps in a scene of facts.

    Attributes:
        memory: what was done, by which instances are chosen.
        lenient: nothing is known of where things are: whatever a step handles counts as gone to.
        marks: what was heated, cooled and cleaned.
        destination: the type that the last find named; empty where nothing may be put.
    """

    scene: IdealScene
    memory: IdealMemory
    lenient: bool = False
    marks: Marks = field(default_factory=Marks)
    destination: str = ""

    def do(self, step: SkillStep, real: SkillResult) -> IdealResult:
        """Tries a step; of several instances the one that the real episode chose is preferred, and
        what worked there was near enough."""
        if step.verb is Verb.DONE:
            return IdealResult(None)
        if step.verb not in (Verb.PUT_DOWN, Verb.OPEN):
            self.destination = ""
        return _SKILLS[step.verb](self, step.object, real)

    def find(self, kind: str, real: SkillResult) -> IdealResult:
        """Goes to an instance, and remembers its type as where to put things."""
        self.destination, self.memory.found = kind, ("", "")
        name = self.memory.choose(kind, real.object_id, Use(carried=True))
        if not name:
            return IdealResult(FailureCode.NO_SUCH_OBJECT)
        self.scene.here, self.memory.found = name, (kind, name)
        return IdealResult(None, name)

    def pick_up(self, kind: str, real: SkillResult) -> IdealResult:
        """Takes an instance that can be carried in the empty hand."""
        scene = self.scene
        name = self.memory.choose(kind, real.object_id, Use("pickupable", carried=True))
        if not name:
            return IdealResult(FailureCode.NO_SUCH_OBJECT)
        if scene.held:
            return IdealResult(FailureCode.HAND_FULL, name)
        code = self._reach(name, real)
        if code is None:
            scene.take(name)
            self.memory.took(name)
        return IdealResult(code, name)

    def put_down(self, kind: str, real: SkillResult) -> IdealResult:
        """Puts what is held where the last find was; drops it where nothing was found."""
        del kind
        held, scene = self.scene.held, self.scene
        if not held:
            return IdealResult(FailureCode.HAND_EMPTY)
        if not self.destination:
            scene.put("")
            return IdealResult(FailureCode.NO_DESTINATION, held)
        code, place = self._place(held, real.receptacle_id)
        if code is None:
            scene.put(place)
            self.memory.put(held, place)
            return IdealResult(None, held, place)
        if self.memory.rules.sixteen_characters:
            scene.put("")
        return IdealResult(code, held)

    def open_it(self, kind: str, real: SkillResult) -> IdealResult:
        """Opens what is closed."""
        scene = self.scene
        name = self.memory.choose(kind, real.object_id, Use(opened=True))
        if not name or not scene.things[name].get("openable"):
            return IdealResult(FailureCode.NO_SUCH_OBJECT, name)
        if name in scene.opened or (scene.type_of(name) == "Microwave" and name in scene.running):
            return IdealResult(FailureCode.WRONG_STATE, name)
        code = self._reach(name, real)
        if code is None:
            scene.opened.add(name)
            scene.unsure.discard(name)
            self.memory.touched(set(scene.contents[name]))
        return IdealResult(code, name)

    def close_it(self, kind: str, real: SkillResult) -> IdealResult:
        """Closes what is open; what is in a fridge then is cooled."""
        scene = self.scene
        name = self.memory.choose(kind, real.object_id)
        if not name or not scene.things[name].get("openable"):
            return IdealResult(FailureCode.NO_SUCH_OBJECT, name)
        if scene.is_shut(name):
            return IdealResult(FailureCode.WRONG_STATE, name)
        code = self._reach(name, real)
        if code is None:
            scene.opened.discard(name)
            scene.unsure.discard(name)
            self.memory.touched(set(scene.contents[name]))
            if scene.type_of(name) == "Fridge":
                cooled = self.marks.cooled | set(scene.contents[name])
                self.marks = replace(self.marks, cooled=frozenset(cooled))
        return IdealResult(code, name)

    def slice_it(self, kind: str, real: SkillResult) -> IdealResult:
        """Makes pieces of what is not in the hand."""
        scene = self.scene
        self.memory.cutting = True
        name = self.memory.choose(kind, real.object_id)
        if not name:
            return IdealResult(FailureCode.NO_SUCH_OBJECT)
        if name == scene.held:
            return IdealResult(FailureCode.HELD_WHEN_SLICED, name)
        if not scene.things[name].get("sliceable"):
            return IdealResult(FailureCode.WRONG_STATE, name)
        code = self._reach(name, real)
        if code is None:
            scene.cut(name)
            self.memory.cut.add(kind)
        return IdealResult(code, name)

    def turn_on(self, kind: str, real: SkillResult) -> IdealResult:
        """Turns on what is off; a microwave has to be closed. See `_mark_running`."""
        scene = self.scene
        name = self.memory.choose(kind, real.object_id, Use("toggleable"))
        if not name:
            return IdealResult(FailureCode.NO_SUCH_OBJECT)
        ajar = scene.type_of(name) == "Microwave" and name in scene.opened
        if ajar or name in scene.running:
            return IdealResult(FailureCode.WRONG_STATE, name)
        code = self._reach(name, real)
        if code is None:
            scene.running.add(name)
            self.memory.touched(set(scene.contents[name]))
            self._mark_running(name)
        return IdealResult(code, name)

    def turn_off(self, kind: str, real: SkillResult) -> IdealResult:
        """Turns off what is on."""
        name = self.memory.choose(kind, real.object_id, Use("toggleable"))
        if not name:
            return IdealResult(FailureCode.NO_SUCH_OBJECT)
        if name not in self.scene.running:
            return IdealResult(FailureCode.WRONG_STATE, name)
        code = self._reach(name, real)
        if code is None:
            self.scene.running.discard(name)
            self.memory.touched(set(self.scene.contents[name]))
        return IdealResult(code, name)

    def _reach(self, name: str, real: SkillResult) -> FailureCode | None:
        """Why the hand cannot get at a thing; None if it can. It can where it really did."""
        if real.worked and real.object_id == name:
            return None
        if self.scene.shut_in(name):
            return FailureCode.CLOSED_CONTAINER
        near = self.lenient or self.scene.by_me(name)
        return None if near else FailureCode.NOT_GONE_TO

    def _place(self, held: str, real: str) -> tuple[FailureCode | None, str]:
        """Where what is held goes, or why nowhere. Two instances are tried."""
        first: FailureCode | None = None
        last = ""
        for _ in range(2):
            owner = next((each for each in self.memory.named(self.destination) if each == real), "")
            name = self.memory.choose(self.destination, owner, but=last)
            if not name or name == held:
                break
            place = real if real.startswith(f"{name}|") else self._part(name)
            code = None if place == real else self._refusal(held, place)
            if code is None:
                return None, place
            first, last = first or code, name
        return first or FailureCode.NO_SUCH_OBJECT, ""

    def _refusal(self, held: str, place: str) -> FailureCode | None:
        scene = self.scene
        if not scene.things[place].get("receptacle"):
            return FailureCode.WRONG_RECEPTACLE
        if scene.is_shut(place) or scene.shut_in(place):
            return FailureCode.CLOSED_CONTAINER
        takes = _TAKES.get(scene.type_of(place))
        fits = takes is None or scene.type_of(held) in takes
        return None if fits else FailureCode.WRONG_RECEPTACLE

    def _part(self, name: str) -> str:
        """The basin of a sink; of anything else, itself."""
        parts = (each for each in self.scene.things if each.startswith(f"{name}|"))
        return next((each for each in parts if self.scene.things[each].get("receptacle")), name)

    def _mark_running(self, name: str) -> None:
        scene, marks = self.scene, self.marks
        if scene.type_of(name) == "Microwave":
            self.marks = replace(marks, heated=marks.heated | set(scene.contents[name]))
        elif scene.type_of(name) == "Faucet":
            basin = self._basin(name)
            washed = set(scene.contents[basin]) if basin else set()
            self.memory.touched(washed)
            self.marks = replace(marks, cleaned=marks.cleaned | washed)

    def _basin(self, tap: str) -> str:
        scene = self.scene
        basins = [each for each in scene.things if scene.type_of(each) == "SinkBasin"]
        here, scene.here = scene.here, tap
        nearest = min(basins, key=scene.distance, default="")
        scene.here = here
        return nearest


_SKILLS: Mapping[Verb, Callable[[IdealRobot, str, SkillResult], IdealResult]] = {
    Verb.FIND: IdealRobot.find,
    Verb.PICK_UP: IdealRobot.pick_up,
    Verb.PUT_DOWN: IdealRobot.put_down,
    Verb.OPEN: IdealRobot.open_it,
    Verb.CLOSE: IdealRobot.close_it,
    Verb.SLICE: IdealRobot.slice_it,
    Verb.TURN_ON: IdealRobot.turn_on,
    Verb.TURN_OFF: IdealRobot.turn_off,
}


# --- What the robot of a replay means by a name: which instance it chooses (docs/alfred-rules.md,
# "Skills")

_SHUT_IN, _OCCUPIED, _MEANT, _SLICE = 100_000.0, 10_000.0, 5_000.0, -100.0
"""What the robot adds to a distance (docs/alfred-rules.md, "Skills")."""


@dataclass(frozen=True, slots=True)
class Use:
    """What an object is to be chosen for: it has to be ``able`` ("pickupable"), is to be carried,
    or is to be opened."""

    able: str = ""
    carried: bool = False
    opened: bool = False


NO_USE = Use()


@dataclass(slots=True)
class IdealMemory:
    """What the robot has done so far, as far as it matters for what a name means.

    Attributes:
        aliases: types that this scene calls otherwise, by the skills' name.
        found: the type that was last looked for, and the instance.
        placed: what was put somewhere, to the receptacle.
        left: what was put somewhere and left alone since.
        treated: what was put into something that was then opened, closed or switched.
        cut: types of which something was sliced; `cutting`: whether anything was to be.
    """

    scene: IdealScene
    rules: Rules
    aliases: Mapping[str, str] = field(default_factory=dict)
    found: tuple[str, str] = ("", "")
    placed: dict[str, str] = field(default_factory=dict)
    left: set[str] = field(default_factory=set)
    treated: set[str] = field(default_factory=set)
    cut: set[str] = field(default_factory=set)
    cutting: bool = False

    def took(self, name: str) -> None:
        """It is in the hand."""
        self.placed.pop(name, None)
        self.left.discard(name)
        self.treated.discard(name)

    def put(self, name: str, place: str) -> None:
        """Puts it in or on a receptacle."""
        self.placed[name] = place
        self.left.add(name)

    def touched(self, names: set[str]) -> None:
        """What they lie in was opened, closed or switched: they were not merely left there."""
        found = names & self.left
        self.left -= found
        self.treated |= found

    def named(self, object_type: str) -> Iterator[str]:
        """Ids of the objects of a type, slices and basins with it, as the robot sees them."""
        names = {object_type.lower(), self.aliases.get(object_type, object_type).lower()}
        for each in self.scene.things:
            if each.partition("|")[0].lower() in names and each not in self.scene.sliced:
                yield each

    def choose(self, kind: str, real: str, use: Use = NO_USE, *, but: str = "") -> str:
        """The instance with the smallest penalty; among equals the real episode's, then one at the
        robot's place, then the nearest by the opening, then the first. Empty if none exists."""
        scene = self.scene
        found = [
            each
            for each in self.named(kind)
            if each != but and (not use.able or scene.things[each].get(use.able))
        ]
        if not self.rules.nearest_instance:
            before = self._meant(kind, opened=use.opened)
            found = [each for each in found if each == before] or found
        if not found:
            return ""
        return min(
            found,
            key=lambda each: (
                self._penalty(kind, each, carried=use.carried),
                each != real,
                not scene.by_me(each),
                scene.distance(each),
            ),
        )

    def _meant(self, kind: str, *, opened: bool) -> str:
        """What was found right before, or the door behind which that lies; empty for neither."""
        if self.found[0] == kind:
            return self.found[1]
        return self.scene.door_of(self.found[1]) if opened and self.found[1] else ""

    def _penalty(self, kind: str, name: str, *, carried: bool) -> float:
        scene, score = self.scene, 0.0
        if scene.shut_in(name):
            score += _SHUT_IN
        if scene.type_of(name) == "StoveBurner" and scene.contents[name]:
            score += _OCCUPIED
        if not self.rules.nearest_instance:
            score += self._unmeant(name, carried=carried)
        wanted = self.cutting if self.rules.sliced_flag else kind in self.cut
        if carried and wanted and "Sliced" in scene.type_of(name):
            score += _SLICE if self.rules.nearest_instance else -_MEANT
        return score

    def _unmeant(self, name: str, *, carried: bool) -> float:
        """What `Rules.nearest_instance` adds for what the plan does not mean."""
        held, kind = self.scene.held, self.scene.type_of
        if not held:
            return _MEANT * ((name in self.left) - (name in self.treated)) if carried else 0.0
        if name == held:
            return _MEANT
        inside = (each for each, place in self.placed.items() if place == name)
        home = any(kind(each) == kind(held) for each in inside)
        return -_MEANT if home or name in self.placed else 0.0
