"""The built-in task sets by name, and each task with its reference plan, made from its
goal and its room.
"""

from collections import Counter
from collections.abc import Iterator
from random import Random

from env_service.domain.task import Task, TaskSet
from env_service.domain.text import counted
from env_service.suites.alfred.builtin.goals import SLICED, possible_goals
from env_service.suites.alfred.builtin.grammar.english import commands_for
from env_service.suites.alfred.builtin.rooms import Inventory, inventory, rooms_for
from env_service.suites.alfred.builtin.rounds import Slot, draw_for, slots
from env_service.suites.alfred.object_words import BASINS
from env_service.suites.alfred.skills.steps import SkillStep, Verb
from env_service.suites.alfred.skills.vocabulary import skill_text
from env_service.suites.alfred.task import AlfredTask, Goal, SceneSetup, TaskType
from env_service.suites.alfred.task import make_task as stored_task
from env_service.suites.builtin_sets import BuiltinName, is_builtin, named_task_set

__all__ = ["builtin_task_set", "is_builtin"]

COUNT = 70
"""Of the set that says no number: ten tasks of each type, one round."""


def builtin_task_set(name: str) -> TaskSet | None:
    """The task set ``builtin``, ``builtin-COUNT`` or ``builtin-COUNT-SEED``: the first COUNT tasks
    of a seed. None if the name names no built-in set (`is_builtin`).

    The task at a position is the same for every COUNT. Tasks 1 to 7 cover the seven types, so do
    tasks 8 to 14, and so on. Each call generates the set's rooms (28 for 70 tasks, at 0.1 s of
    CPU time each) unless this process already has.

    Raises:
        MalformedNameError: the name is malformed; the message gives the correct form.
    """
    return named_task_set(name, COUNT, _description, _stored_tasks)


def _description(asked: BuiltinName) -> str:
    tasks = counted(asked.count, "task")
    return f"{tasks} of ALFRED's seven types, in built-in rooms, drawn by seed {asked.seed}."


def _stored_tasks(asked: BuiltinName) -> Iterator[Task]:
    return map(stored_task, builtin_tasks(asked))


def builtin_tasks(asked: BuiltinName) -> Iterator[AlfredTask]:
    """The tasks of a set, one after the other."""
    drawn = _Drawn()
    versions: Counter[str] = Counter()
    for index, slot in enumerate(slots(asked.seed, asked.count)):
        room, goals = _room_and_goals(slot, asked.seed)
        goal = drawn.rarest(goals, draw_for("goal", asked.seed, index))
        name = name_of(goal, room.scene, 1)
        versions[name] += 1
        yield make_task(goal, room, versions[name])


def _room_and_goals(slot: Slot, seed: int) -> tuple[Inventory, tuple[Goal, ...]]:
    """The first room of the round in which such a task can be set, and its goals there.

    Raises:
        RuntimeError: there is none.
    """
    for name in rooms_for(slot, seed):
        found = inventory(name)
        goals = possible_goals(slot.type, found) if found else ()
        if found and goals:
            return found, goals
    raise RuntimeError(f"no room of round {slot.round} of seed {seed} will do for {slot.type}")


class _Drawn:
    """What was drawn so far, so that objects and receptacles take turns."""

    def __init__(self) -> None:
        self._objects: Counter[tuple[str, ...]] = Counter()
        self._places: Counter[tuple[str, ...]] = Counter()

    def rarest(self, goals: tuple[Goal, ...], draw: Random) -> Goal:
        """One of the goals whose object came least often in tasks of this type, and of these one
        whose receptacles did; drawn where there are several."""
        objects = {each: self._objects[_thing(each)] for each in goals}
        least = [each for each in goals if objects[each] == min(objects.values())]
        thing = draw.choice(sorted({_thing(each) for each in least}))
        ours = [each for each in least if _thing(each) == thing]
        places = {each: self._places[_place(each)] for each in ours}
        chosen = draw.choice([each for each in ours if places[each] == min(places.values())])
        self._objects[_thing(chosen)] += 1
        self._places[_place(chosen)] += 1
        return chosen


def _thing(goal: Goal) -> tuple[str, ...]:
    return goal.type.value, goal.object + (SLICED if goal.sliced else "")


def _place(goal: Goal) -> tuple[str, ...]:
    return goal.type.value, goal.movable, goal.parent, goal.toggle


# --- A built-in task, made from its goal and its room


def name_of(goal: Goal, room: str, version: int) -> str:
    """The task's id: ALFRED's grammar for the names of tasks (docs/alfred.md, "Task") with the
    room for the scene's number, and a number for what would else have one name."""
    thing = goal.object + (SLICED if goal.sliced else "")
    last = goal.toggle or goal.parent
    name = "-".join((goal.type.value, thing, goal.movable or "None", last, room))
    return name if version == 1 else f"{name}_V{version}"


def make_task(goal: Goal, inventory: Inventory, version: int) -> AlfredTask:
    """The task. Its id seeds the draw of its wording, so tasks of one id are the same in every set.

    The room stays as generated: no object is posed, and the agent starts at the room's start.
    """
    name = name_of(goal, inventory.scene, version)
    return AlfredTask(
        id=name,
        goal=goal,
        setup=SceneSetup(
            scene=inventory.scene,
            toggles=((goal.toggle, False),) if goal.toggle else (),
            dirty_and_empty=goal.type is TaskType.CLEAN,
        ),
        commands=commands_for(goal, inventory.kind, draw_for("words", name)),
        reference=reference_plan(goal, _source(goal, inventory)),
    )


def _source(goal: Goal, inventory: Inventory) -> str:
    """The closed receptacle with all reachable things of the goal's type, if there is one."""
    things = [each for each in inventory.things[goal.object] if each.at_hand]
    return things[0].shut_in if all(each.shut_in for each in things) else ""


# --- A plan for a built-in task, from its goal alone

_DOORS = frozenset({"Cabinet", "Drawer", "Fridge", "Microwave", "Safe"})

_WHOLES = {part: whole for whole, part in BASINS.items()}

_Steps = Iterator[SkillStep]


def reference_plan(goal: Goal, source: str) -> tuple[str, ...]:
    """Skill strings, without "done".

    Args:
        source: the closed receptacle that the object starts in; empty if it starts in none.
    """
    return tuple(skill_text(each) for each in _plan(goal, source))


def _plan(goal: Goal, source: str) -> _Steps:
    """What is in the fridge already is cooled there: a fridge cools when it is closed."""
    if goal.type is TaskType.COOL and source == "Fridge":
        yield from _find(source, Verb.OPEN)
        if goal.sliced:
            yield from _find(goal.object, Verb.SLICE)
        yield SkillStep(Verb.CLOSE, source)
        yield from _take_out(goal.object, source)
    else:
        yield from _fetch(goal.object, source, cut=goal.sliced)
    match goal.type:
        case TaskType.LOOK:
            yield from _find(goal.toggle, Verb.TURN_ON)
            return
        case TaskType.HEAT:
            yield from _heat(goal.object)
        case TaskType.COOL if source != "Fridge":
            yield from _cool(goal.object)
        case TaskType.CLEAN:
            yield from _clean(goal.object)
        case TaskType.MOVABLE:
            yield from _put(goal.object, goal.movable)
            yield SkillStep(Verb.PICK_UP, goal.movable)
            yield from _put(goal.movable, goal.parent)
            return
    yield from _put(goal.object, goal.parent)
    if goal.type is TaskType.TWO:
        yield from _fetch(goal.object, source)
        yield from _put(goal.object, goal.parent)


def _fetch(kind: str, source: str, *, cut: bool = False) -> _Steps:
    if source:
        yield from _find(source, Verb.OPEN)
    yield SkillStep(Verb.FIND, kind)
    if cut:
        yield SkillStep(Verb.SLICE, kind)
    yield SkillStep(Verb.PICK_UP, kind)
    if source:
        yield SkillStep(Verb.CLOSE, source)


def _find(kind: str, then: Verb) -> _Steps:
    yield SkillStep(Verb.FIND, kind)
    yield SkillStep(then, kind)


def _put(kind: str, parent: str) -> _Steps:
    place = _WHOLES.get(parent, parent)
    yield SkillStep(Verb.FIND, place)
    if place in _DOORS:
        yield SkillStep(Verb.OPEN, place)
    yield SkillStep(Verb.PUT_DOWN, kind)
    if place in _DOORS:
        yield SkillStep(Verb.CLOSE, place)


def _heat(kind: str) -> _Steps:
    yield from _put(kind, "Microwave")
    yield SkillStep(Verb.TURN_ON, "Microwave")
    yield SkillStep(Verb.TURN_OFF, "Microwave")
    yield from _take_out(kind, "Microwave")


def _cool(kind: str) -> _Steps:
    yield from _put(kind, "Fridge")
    yield from _take_out(kind, "Fridge")


def _take_out(kind: str, appliance: str) -> _Steps:
    yield SkillStep(Verb.OPEN, appliance)
    yield SkillStep(Verb.FIND, kind)
    yield SkillStep(Verb.PICK_UP, kind)
    yield SkillStep(Verb.CLOSE, appliance)


def _clean(kind: str) -> _Steps:
    yield from _put(kind, "Sink")
    yield SkillStep(Verb.TURN_ON, "Faucet")
    yield SkillStep(Verb.TURN_OFF, "Faucet")
    yield SkillStep(Verb.FIND, kind)
    yield SkillStep(Verb.PICK_UP, kind)
