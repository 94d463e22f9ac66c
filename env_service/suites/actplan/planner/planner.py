"""Plans for activities: the desired states that satisfy a goal, and the order of the actions that
reach one. The executor decides what works.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, islice

from env_service.suites.actplan.activity import Activity, Assertion, AssertionKind, Pattern
from env_service.suites.actplan.planner.desired_state import (
    IMPOSSIBLE,
    DesiredState,
    StatePredictor,
)
from env_service.suites.actplan.planner.plan_builder import (
    CookingSteps,
    PlacementSteps,
    PlanBuilder,
    PlanningOptions,
    StuckError,
    WaterSteps,
)
from env_service.worlds.activity.actions import ActivityAction, Verb
from env_service.worlds.activity.bddl.expressions import (
    And,
    Atom,
    Bound,
    Exists,
    Expression,
    ForAll,
    ForN,
    ForNPairs,
    ForPairs,
    Imply,
    Not,
    Or,
    evaluate,
    renamed,
)
from env_service.worlds.activity.commonsense import PROFILES, CommonsenseProfile
from env_service.worlds.activity.observation import label
from env_service.worlds.activity.scene import Phantom
from env_service.worlds.activity.state import Reading
from env_service.worlds.activity.world import ActivityWorld

MOST_ALTERNATIVES = 24
"""Desired states that are tried for one goal."""


@dataclass(frozen=True, slots=True)
class PlanningAssumptions:
    """What a plan may assume.

    Attributes:
        reading: how the goal is read.
        fixtures: whether there are a sink and a stove where the definition lists none: every home
            has them.
    """

    reading: Reading = Reading.STRICT
    fixtures: bool = False


ASSUMPTIONS = (
    PlanningAssumptions(),
    PlanningAssumptions(Reading.RELAXED),
    PlanningAssumptions(Reading.STRICT, fixtures=True),
    PlanningAssumptions(Reading.RELAXED, fixtures=True),
)
"""In the order in which they are tried."""


def plan_for(
    activity: Activity, profile: CommonsenseProfile | None = None
) -> tuple[str, ...] | None:
    """A plan as text, one step each: "place_inside(cabinet_1, plate_2)"; None where none was found.

    It reaches the goal as stated or, where that cannot be, under the other `ASSUMPTIONS`.

    ``profile``: which preconditions it has to respect; None: the default of `PROFILES`.
    """
    for assumptions in ASSUMPTIONS:
        plan = plan_under(activity, assumptions, profile)
        if plan is not None:
            return plan
    return None


def plan_under(
    activity: Activity, assumptions: PlanningAssumptions, profile: CommonsenseProfile | None = None
) -> tuple[str, ...] | None:
    """A plan under certain assumptions; None where none was found."""
    if activity.defects:
        return None
    fixtures = tuple(_fixtures(activity)) if assumptions.fixtures else ()
    world = ActivityWorld(activity.problem, profile or next(iter(PROFILES.values())), fixtures)
    predictor = StatePredictor(world, nested=assumptions.reading is Reading.RELAXED)
    alternatives = GoalSearch(activity.problem.objects, predictor).alternatives(
        _whole_goal(activity), DesiredState()
    )
    for desired in islice(alternatives, MOST_ALTERNATIVES):
        for options in _option_sets(activity):
            builder = _attempt(activity, world, desired, options)
            if builder is not None and _reaches(activity, builder, assumptions.reading):
                return tuple(
                    action_as_step(action, world.scene.categories) for action, _ in builder.done
                )
    return None


def _fixtures(activity: Activity) -> Iterator[Phantom]:
    """A sink and a stove, if there is none: in the kitchen, or where the agent is."""
    problem = activity.problem
    scene = ActivityWorld(problem).scene
    room = KITCHEN if KITCHEN in scene.room_names else ActivityWorld(problem).room
    for category in FIXTURES:
        if category not in problem.objects.values():
            yield f"{category}_1", category, room


KITCHEN = "kitchen"
FIXTURES = ("sink.n.01", "stove.n.01")


def _whole_goal(activity: Activity) -> Expression:
    """The goal, and what assertions ask of the end."""
    more = [each.goal for each in activity.assertions if each.goal is not None]
    return And((activity.problem.goal, *more)) if more else activity.problem.goal


def _option_sets(activity: Activity) -> Sequence[PlanningOptions]:
    """What assertions name is used before anything else."""
    wanted = [each.first for each in activity.assertions if each.kind is AssertionKind.DOES]
    names = tuple(name for each in wanted if each for name in (*each.tools, *each.targets))
    return (
        PlanningOptions(names, machines=bool(names)),
        PlanningOptions(names, machines=not names),
        PlanningOptions(names, soap=True),
    )


def _attempt(
    activity: Activity, world: ActivityWorld, desired: DesiredState, options: PlanningOptions
) -> PlanBuilder | None:
    """The plan that reaches a desired state, where it works; what assertions still miss is done
    first."""
    first: tuple[Pattern, ...] = ()
    for _ in range(len(activity.assertions) + 1):
        builder = PlanBuilder(world.fork(), _forbidden(activity))
        try:
            build_plan(builder, desired, options, first)
        except StuckError:
            return None
        missing = _missing(activity.assertions, builder)
        if not missing:
            return builder
        if set(missing) <= set(first):
            return None
        first = (*first, *missing)
    return None


def _forbidden(activity: Activity) -> tuple[Pattern, ...]:
    return tuple(
        each.first
        for each in activity.assertions
        if each.kind is AssertionKind.NEVER and each.first is not None
    )


def _reaches(activity: Activity, builder: PlanBuilder, reading: Reading) -> bool:
    goal, objects = _whole_goal(activity), activity.problem.objects
    return evaluate(goal, objects, builder.world.reader(reading))


def _missing(assertions: Sequence[Assertion], builder: PlanBuilder) -> tuple[Pattern, ...]:
    """What the assertions want done that is not, or too late."""
    found = []
    for each in assertions:
        first = _place(each.first, builder)
        second = _place(each.second, builder) if each.kind is AssertionKind.BEFORE else None
        late = second is not None and (first is None or first > second)
        if each.first and (late or (each.kind is AssertionKind.DOES and first is None)):
            found.append(each.first)
    return tuple(found)


def _place(pattern: Pattern | None, builder: PlanBuilder) -> int | None:
    """The position of the first action of a kind."""
    return next(builder.positions_of(pattern), None) if pattern is not None else None


# --- The desired states that satisfy a goal: how instances are matched

MOST_FACTS = 20_000
"""How many facts are looked at before the search ends."""
MOST_CHOICES = 400
"""Of so many sets of instances, where a number of them is asked for, one is tried at most."""


class GoalSearch:
    """Finds the desired states that satisfy a goal, likely ones first, each once; there may be
    none, or very many."""

    def __init__(self, objects: Mapping[str, str], predictor: StatePredictor) -> None:
        """``objects``: instance to category."""
        self._objects, self._predictor = objects, predictor
        self._left = MOST_FACTS

    def alternatives(self, goal: Expression, desired: DesiredState) -> Iterator[DesiredState]:
        """The states that extend ``desired`` and satisfy the goal."""
        yield from self._alternatives(_negated(goal) if isinstance(goal, Not) else goal, desired)

    def _alternatives(self, goal: Expression, desired: DesiredState) -> Iterator[DesiredState]:
        match goal:
            case Atom():
                yield from self._fact(goal, desired, positive=True)
            case Not(Atom() as atom):
                yield from self._fact(atom, desired, positive=False)
            case And(parts):
                yield from self._all(parts, desired)
            case Or(parts):
                yield from self._any(parts, desired)
            case ForAll(bound, body):
                yield from self._all(self._instances(bound, body), desired)
            case Exists(bound, body):
                yield from self._any(self._instances(bound, body), desired)
            case ForN(count, bound, body):
                yield from self._exactly(count, self._instances(bound, body), desired)
            case ForPairs(first, second, body):
                sizes = (len(self._of(each.category)) for each in (first, second))
                yield from self._pairs(min(sizes), first, second, body, desired)
            case ForNPairs(count, first, second, body):
                yield from self._pairs(count, first, second, body, desired)
            case _:
                # a negated number or pairing: not planned for, and the goal is checked anyway
                yield from (
                    self.alternatives(_negated(goal), desired) if _splits(goal) else (desired,)
                )

    def _fact(self, atom: Atom, desired: DesiredState, *, positive: bool) -> Iterator[DesiredState]:
        self._left -= 1
        if self._left < 0 or self._predictor.cost(atom, desired, positive=positive) >= IMPOSSIBLE:
            return
        found = self._predictor.with_fact(desired, atom, positive=positive)
        if found is not None:
            yield found

    def _all(self, parts: Sequence[Expression], desired: DesiredState) -> Iterator[DesiredState]:
        if not parts:
            yield desired
            return
        for found in self.alternatives(parts[0], desired):
            yield from self._all(parts[1:], found)

    def _any(self, parts: Sequence[Expression], desired: DesiredState) -> Iterator[DesiredState]:
        for part in self._by_cost(parts, desired):
            yield from self.alternatives(part, desired)

    def _exactly(
        self, count: int, parts: Sequence[Expression], desired: DesiredState
    ) -> Iterator[DesiredState]:
        ordered = self._by_cost(parts, desired)
        for number, chosen in enumerate(combinations(range(len(ordered)), count)):
            if number >= MOST_CHOICES:
                return
            wanted = [part if k in chosen else Not(part) for k, part in enumerate(ordered)]
            yield from self._all(sorted(wanted, key=lambda each: isinstance(each, Not)), desired)

    def _pairs(
        self, count: int, first: Bound, second: Bound, body: Expression, desired: DesiredState
    ) -> Iterator[DesiredState]:
        table = {
            (one, other): renamed(body, {first.variable: one, second.variable: other})
            for one in self._of(first.category)
            for other in self._of(second.category)
            if one != other
        }
        yield from self._matched(count, table, desired)

    def _matched(
        self, count: int, table: Mapping[tuple[str, str], Expression], desired: DesiredState
    ) -> Iterator[DesiredState]:
        """``count`` cells of different rows and columns."""
        if count == 0:
            yield desired
            return
        costs = {pair: self.cost(part, desired) for pair, part in table.items()}
        rows = list(dict.fromkeys(one for one, _ in table))
        best = min(rows, key=lambda row: min(costs[p] for p in table if p[0] == row), default=None)
        if best is None:
            return
        for pair in sorted((p for p in table if p[0] == best), key=lambda p: costs[p]):
            left = {p: part for p, part in table.items() if p[0] != pair[0] and p[1] != pair[1]}
            for found in self.alternatives(table[pair], desired):
                yield from self._matched(count - 1, left, found)
        if len(rows) > count:
            left = {p: part for p, part in table.items() if p[0] != best}
            yield from self._matched(count, left, desired)

    def cost(self, goal: Expression, desired: DesiredState) -> float:
        """What a goal will take, roughly, beyond what is desired already."""
        match goal:
            case Atom():
                return self._predictor.cost(goal, desired, positive=True)
            case Not(Atom() as atom):
                return self._predictor.cost(atom, desired, positive=False)
            case And(parts):
                return sum(self.cost(part, desired) for part in parts)
            case Or(parts):
                return min((self.cost(part, desired) for part in parts), default=IMPOSSIBLE)
            case ForAll(bound, body):
                return sum(self.cost(part, desired) for part in self._instances(bound, body))
            case Exists(bound, body):
                parts = self._instances(bound, body)
                return min((self.cost(part, desired) for part in parts), default=IMPOSSIBLE)
            case ForN(count, bound, body):
                costs = sorted(self.cost(part, desired) for part in self._instances(bound, body))
                return sum(costs[:count])
            case _:
                return self.cost(_negated(goal), desired) if _splits(goal) else 1.0

    def _by_cost(self, parts: Sequence[Expression], desired: DesiredState) -> list[Expression]:
        return sorted(parts, key=lambda part: self.cost(part, desired))

    def _instances(self, bound: Bound, body: Expression) -> tuple[Expression, ...]:
        return tuple(renamed(body, {bound.variable: each}) for each in self._of(bound.category))

    def _of(self, category: str) -> list[str]:
        return [name for name, kind in self._objects.items() if kind == category]


def _splits(goal: Expression) -> bool:
    """Whether a negation can be pushed inwards, or an implication read otherwise."""
    inner = goal.body if isinstance(goal, Not) else goal
    return isinstance(inner, Imply | Not | And | Or | ForAll | Exists)


def _negated(goal: Expression) -> Expression:
    """A negated condition with the negation inside; an implication as an alternative."""
    match goal:
        case Imply(premise, conclusion):
            return Or((Not(premise), conclusion))
        case Not(Not(body)):
            return body
        case Not(And(parts)):
            return Or(tuple(Not(part) for part in parts))
        case Not(Or(parts)):
            return And(tuple(Not(part) for part in parts))
        case Not(ForAll(bound, body)):
            return Exists(bound, Not(body))
        case Not(Exists(bound, body)):
            return ForAll(bound, Not(body))
        case Not(Imply(premise, conclusion)):
            return And((premise, Not(conclusion)))
    return goal


# --- The order of what reaches a desired state


def build_plan(
    builder: PlanBuilder,
    desired: DesiredState,
    options: PlanningOptions,
    first: Sequence[Pattern] = (),
) -> None:
    """Reaches a desired state: first some action of each kind in ``first``, then what changes
    things, then what brings them to their places, then switches and doors.

    Raises:
        StuckError: something cannot be done.
    """
    for pattern in first:
        _do_any(builder, pattern)
    _PlanStages(builder, desired, options).do()


class _PlanStages:
    def __init__(
        self, builder: PlanBuilder, desired: DesiredState, options: PlanningOptions
    ) -> None:
        self._builder, self._desired, self._options = builder, desired, options
        self._water = WaterSteps(builder, options, desired.places)
        self._cooking = CookingSteps(builder, options, self._water)

    def do(self) -> None:
        self._change()
        PlacementSteps(self._builder, self._desired).place_all()
        for thing in self._open("cooked", wanted=True):
            self._cooking.cook(thing, self._stay_on())
        self._finish()

    def _change(self) -> None:
        """What is done to things before they go anywhere."""
        for thing in self._open("frozen", wanted=False):
            self._cooking.thaw(thing)
        dirty = dict.fromkeys(
            (*self._open("dusty", wanted=False), *self._open("stained", wanted=False))
        )
        if dirty:
            self._water.clean(tuple(dirty))
        sliced = tuple(self._open("sliced", wanted=True))
        if sliced:
            self._cooking.slice(sliced)
        for thing in self._open("cooked", wanted=True):
            if not self._will_be_heated(thing):
                self._cooking.cook(thing, self._stay_on())
        for thing in self._open("soaked", wanted=True):
            self._water.soak(thing)
        for thing in self._open("soaked", wanted=False):
            self._builder.reach(thing)
            self._builder.do(Verb.DRY, thing)
        for thing in self._open("frozen", wanted=True):
            self._cooking.freeze(thing)

    def _finish(self) -> None:
        """Switches, doors and lids."""
        builder = self._builder
        for predicate, wanted, verb in (
            ("toggled_on", True, Verb.SWITCH_ON),
            ("toggled_on", False, Verb.SWITCH_OFF),
        ):
            for thing in self._open(predicate, wanted=wanted):
                builder.reach(thing)
                builder.do(verb, thing)
        for thing in self._open("open", wanted=False):
            builder.close(thing)
        if self._options.closes:
            for thing in reversed(builder.opened.copy()):
                self._close(thing)
        for thing in self._open("open", wanted=True):
            builder.reach(thing)
            builder.do(Verb.OPEN, thing)

    def _close(self, container: str) -> None:
        """Closes what was opened, unless it is to stay open, or cannot be reached."""
        if self._desired.facts.get(("open", container)) is True:
            return
        self._builder.try_in_order(partial(self._builder.close, container), lambda: None)

    def _open(self, predicate: str, *, wanted: bool) -> Iterator[str]:
        """The things of which a fact is still to be brought about, or undone."""
        for (name, thing), value in self._desired.facts.items():
            if (
                name == predicate
                and value == wanted
                and self._builder.has_state(name, thing) != wanted
            ):
                yield thing

    def _stay_on(self) -> tuple[str, ...]:
        facts = self._desired.facts.items()
        return tuple(thing for (name, thing), value in facts if name == "toggled_on" and value)

    def _will_be_heated(self, thing: str) -> bool:
        """Whether a thing's last place is in or on something that cooks."""
        places, heat = self._desired.places, self._builder.world.scene.heat
        for _ in range(len(places)):
            if thing not in places:
                return False
            thing = places[thing][1]
            if thing in heat:
                return True
        return False


def _do_any(builder: PlanBuilder, pattern: Pattern) -> None:
    """Does one action of a kind, with what it takes."""
    scene = builder.world.scene

    def of(kinds: tuple[str, ...]) -> list[str]:
        return [each for each, kind in scene.categories.items() if kind in kinds]

    actions = [
        ActivityAction(verb, target, item, (tool,) if tool else ())
        for verb in pattern.verbs or (_LIKELY if pattern.tools else _TAKING)
        for target in of(pattern.targets) or list(scene.categories)
        for item in of(pattern.items) or [""]
        for tool in of(pattern.tools) or [""]
    ]
    builder.try_in_order(*(partial(_do, builder, pattern, each) for each in actions))


_LIKELY = (Verb.CLEAN, Verb.OPEN, Verb.DEFROST, Verb.GRAB, Verb.WALK_TO)
"""Actions that are tried where any with a tool will do."""
_TAKING = (Verb.GRAB, Verb.OPEN, Verb.WALK_TO)
"""Actions that are tried where any will do that makes use of a thing."""
_WIELDING = (Verb.CLEAN, Verb.DEFROST, Verb.SLICE)
"""Actions that name their tools; for others it is enough to hold them."""


def _do(builder: PlanBuilder, pattern: Pattern, action: ActivityAction) -> None:
    origins = {each: builder.place_of(each) for each in action.tools}
    for each in (*action.tools, *([action.item] if action.item else [])):
        builder.fetch(each)
    builder.reach(action.target)
    if action.verb is Verb.PLACE_INSIDE and builder.world.is_shut(action.target):
        builder.open(action.target)
    builder.do(
        action.verb, action.target, action.item, action.tools if action.verb in _WIELDING else ()
    )
    if not pattern.matches(*builder.done[-1], builder.world.scene.categories):
        raise StuckError("that is not what was asked for")
    for tool, origin in origins.items():
        if origin is not None:
            builder.try_in_order(partial(builder.put, tool, *origin), lambda: None)


# --- Actions as the steps of a plan


def action_as_step(action: ActivityAction, objects: Mapping[str, str]) -> str:
    """An action as a step: "place_inside(cabinet_1, plate_2)". ``objects``: instance to
    category."""
    names = (name for name in (action.target, action.item, *action.tools) if name)
    arguments = (label(name, objects[name]) if name in objects else name for name in names)
    return f"{action.verb.value}({', '.join(arguments)})"
