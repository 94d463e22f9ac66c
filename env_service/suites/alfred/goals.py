"""Goal conditions of the seven task types: which objects they mean, whether they are met, and how
they are worded.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from env_service.domain.episode import GoalCondition
from env_service.suites.alfred.metadata_view import AlfredView
from env_service.suites.alfred.object_words import words_of
from env_service.suites.alfred.rules import EXACT, Rules
from env_service.suites.alfred.skills.steps import Marks
from env_service.suites.alfred.task import Goal, TaskType
from env_service.worlds.ai2thor_api.metadata_view import ThorObject

# --- Which objects of a scene a goal means (docs/alfred-rules.md, "Scores")

SLICED = "Sliced"
"""Behind a type's name it makes that of its slices."""


class Instances:
    """The objects that a goal means in a scene, each list in the order of the metadata. What was
    sliced, and is listed on though its slices stand for it, is none."""

    def __init__(self, goal: Goal, view: AlfredView, rules: Rules) -> None:
        self._view, self._rules = view, rules
        kind = goal.object + SLICED if goal.sliced else goal.object
        self.targets = self._named(kind, "pickupable")
        self.parents = self._named(goal.parent, "receptacle")
        self.movables = self._named(goal.movable, "receptacle")
        self.lamps = self._named(goal.toggle, "toggleable")

    def is_target(self, item: ThorObject | None) -> bool:
        """Whether an object is one of the targets."""
        return item is not None and any(
            each["objectId"] == item["objectId"] for each in self.targets
        )

    def inside(self, container: ThorObject, items: Sequence[ThorObject]) -> Iterator[ThorObject]:
        """Those of some objects that lie directly in or on a container."""
        ids = {each["objectId"] for each in self._view.contents(container)}
        return (each for each in items if each["objectId"] in ids)

    def placed(self) -> Iterator[ThorObject]:
        """Targets in or on a parent, once for each."""
        return (each for parent in self.parents for each in self.inside(parent, self.targets))

    def _named(self, kind: str, able: str) -> Sequence[ThorObject]:
        if not kind:
            return ()
        return [
            each
            for each in self._view.objects
            if each[able] and not each["isSliced"] and self._is(each, kind)
        ]

    def _is(self, item: ThorObject, kind: str) -> bool:
        if self._rules.substring_goals:
            return kind in str(item["objectId"])
        return bool(item["objectType"] == kind)


# --- The wording of goal conditions


class Phrases:
    """The parts of a goal in words: "an apple", "slice of bread", "in or on a counter top"."""

    def __init__(self, goal: Goal) -> None:
        self.kind = words_of(goal.object)
        self.whole = with_article(self.kind)
        self.object = f"slice of {self.kind}" if goal.sliced else self.kind
        self.an_object = with_article(self.object)
        self.parent = words_of(goal.parent)
        self.at_parent = f"in or on {with_article(self.parent)}"
        self.a_movable = with_article(words_of(goal.movable))
        self.a_toggle = with_article(words_of(goal.toggle))


def with_article(words: str) -> str:
    """With "a", or "an" before a vowel's letter, as in the skills (docs/alfred-rules.md,
    "Skills")."""
    return f"{'an' if words[:1].lower() in set('aeiou') else 'a'} {words}"


# --- Whether a goal is met: the conditions of the seven task types (docs/alfred-rules.md, "Scores")

Conditions = Iterator[tuple[str, bool]]
"""What is to be true, in words, and whether it is."""


def evaluate(
    goal: Goal, view: AlfredView, marks: Marks, rules: Rules = EXACT
) -> tuple[GoalCondition, ...]:
    """The goal's conditions, in a fixed order: as many, and with the same names, whatever the
    house. ``goal`` names types as they are called in this house (`Prepared.goal`)."""
    found = Instances(goal, view, rules)
    states = [*_CONDITIONS[goal.type](goal, found, view, marks)]
    if goal.sliced:
        states += _slices(goal, found)
    return tuple(GoalCondition(name, met) for name, met in states)


def count_met(conditions: Sequence[GoalCondition]) -> int:
    """How many of the conditions hold."""
    return sum(each.met for each in conditions)


def _simple(goal: Goal, found: Instances, view: AlfredView, marks: Marks) -> Conditions:
    del view, marks
    words = Phrases(goal)
    yield f"{words.an_object} is {words.at_parent}", any(found.placed())


def _two(goal: Goal, found: Instances, view: AlfredView, marks: Marks) -> Conditions:
    del view, marks
    words = Phrases(goal)
    counts = [len(list(found.inside(each, found.targets))) for each in found.parents]
    most = max(counts, default=0)
    yield f"{words.an_object} is {words.at_parent}", most >= 1
    yield f"another {words.object} is in or on the same {words.parent}", most >= 2


def _look(goal: Goal, found: Instances, view: AlfredView, marks: Marks) -> Conditions:
    del marks
    words = Phrases(goal)
    yield f"{words.an_object} is in the hand", found.is_target(view.held)
    lit = any(each["isToggled"] and each["visible"] for each in found.lamps)
    yield f"{words.a_toggle} is on and in view", lit


def _treated(goal: Goal, found: Instances, view: AlfredView, marks: Marks) -> Conditions:
    del view
    words = Phrases(goal)
    name, ids = _treatment(goal.type, marks)
    placed = {each["objectId"] for each in found.placed()}
    marked = {each["objectId"] for each in found.targets} & ids
    yield f"{words.an_object} is {words.at_parent}", bool(placed)
    yield f"{words.an_object} was {name}", bool(marked)
    yield f"{words.an_object} that was {name} is {words.at_parent}", bool(placed & marked)


def _movable(goal: Goal, found: Instances, view: AlfredView, marks: Marks) -> Conditions:
    del view, marks
    words = Phrases(goal)
    movables = found.movables
    filled = {m["objectId"] for m in movables if any(found.inside(m, found.targets))}
    placed = {m["objectId"] for each in found.parents for m in found.inside(each, movables)}
    yield f"{words.an_object} is in or on {words.a_movable}", bool(filled)
    yield f"{words.a_movable} is {words.at_parent}", bool(placed)
    yield f"{words.a_movable} with {words.an_object} is {words.at_parent}", bool(filled & placed)


def _slices(goal: Goal, found: Instances) -> Conditions:
    words = Phrases(goal)
    count = len(found.targets)
    yield f"{words.whole} is sliced", count >= 1
    if goal.type is TaskType.TWO:
        yield f"there are two slices of {words.kind}", count >= 2


def _treatment(kind: TaskType, marks: Marks) -> tuple[str, frozenset[str]]:
    return {
        TaskType.HEAT: ("heated", marks.heated),
        TaskType.COOL: ("cooled", marks.cooled),
        TaskType.CLEAN: ("cleaned", marks.cleaned),
    }[kind]


_CONDITIONS: Mapping[TaskType, Callable[[Goal, Instances, AlfredView, Marks], Conditions]] = {
    TaskType.SIMPLE: _simple,
    TaskType.TWO: _two,
    TaskType.LOOK: _look,
    TaskType.CLEAN: _treated,
    TaskType.HEAT: _treated,
    TaskType.COOL: _treated,
    TaskType.MOVABLE: _movable,
}
