"""Plans for activities: goal by goal, with the executor as the judge of what works.

A goal is first taken apart into facts (`ways`), which are then brought about in an order that
respects tools and containers. A plan that is given out reaches the goal strictly, keeps the
activity's assertions, and violates no precondition of the profile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from env_service.suites.actplan.activity import Activity, Assertion, AssertionKind, Pattern
from env_service.suites.actplan.planner.aims import Aims, Judge
from env_service.suites.actplan.planner.carrying import carried_out
from env_service.suites.actplan.planner.manner import Manner
from env_service.suites.actplan.planner.saying import said
from env_service.suites.actplan.planner.ways import Ways
from env_service.suites.actplan.planner.worker import StuckError, Worker
from env_service.worlds.activity.bddl.evaluation import evaluate
from env_service.worlds.activity.bddl.expressions import And, Expression
from env_service.worlds.activity.holding import Reading
from env_service.worlds.activity.house import Phantom
from env_service.worlds.activity.profile import PROFILES, Profile
from env_service.worlds.activity.world import ActivityWorld

TRIES = 24
"""Ways to a goal that are tried."""


@dataclass(frozen=True, slots=True)
class Means:
    """What a plan may build on.

    Attributes:
        reading: how the goal is read.
        fixtures: whether there are a sink and a stove where the definition lists none: every home
            has them.
    """

    reading: Reading = Reading.STRICT
    fixtures: bool = False


MEANS = (
    Means(),
    Means(Reading.RELAXED),
    Means(Reading.STRICT, fixtures=True),
    Means(Reading.RELAXED, fixtures=True),
)
"""In the order in which they are tried."""


def plan_for(activity: Activity, profile: Profile | None = None) -> tuple[str, ...] | None:
    """A plan as text, one step each: "place_inside(cabinet_1, plate_2)"; None where none was found.

    It reaches the goal as stated or, where that cannot be, by the other `MEANS`.

    ``profile``: which preconditions it has to respect; None: the default of `PROFILES`.
    """
    for means in MEANS:
        plan = plan_by(activity, means, profile)
        if plan is not None:
            return plan
    return None


def plan_by(
    activity: Activity, means: Means, profile: Profile | None = None
) -> tuple[str, ...] | None:
    """A plan by certain means; None where none was found."""
    if activity.defects:
        return None
    fixtures = tuple(_fixtures(activity)) if means.fixtures else ()
    world = ActivityWorld(activity.problem, profile or next(iter(PROFILES.values())), fixtures)
    judge = Judge(world, nested=means.reading is Reading.RELAXED)
    ways = Ways(activity.problem.objects, judge).to(_whole_goal(activity), Aims())
    for aims in islice(ways, TRIES):
        for manner in _manners(activity):
            worker = _tried(activity, world, aims, manner)
            if worker is not None and _reaches(activity, worker, means.reading):
                return tuple(said(deed, world.house.categories) for deed, _ in worker.done)
    return None


def _fixtures(activity: Activity) -> Iterator[Phantom]:
    """A sink and a stove, if there is none: in the kitchen, or where the agent is."""
    problem = activity.problem
    house = ActivityWorld(problem).house
    room = KITCHEN if KITCHEN in house.room_names else ActivityWorld(problem).room
    for category in FIXTURES:
        if category not in problem.objects.values():
            yield f"{category}_1", category, room


KITCHEN = "kitchen"
FIXTURES = ("sink.n.01", "stove.n.01")


def _whole_goal(activity: Activity) -> Expression:
    """The goal, and what assertions ask of the end."""
    more = [each.goal for each in activity.assertions if each.goal is not None]
    return And((activity.problem.goal, *more)) if more else activity.problem.goal


def _manners(activity: Activity) -> Sequence[Manner]:
    """What assertions name is used before anything else."""
    wanted = [each.first for each in activity.assertions if each.kind is AssertionKind.DOES]
    names = tuple(name for each in wanted if each for name in (*each.tools, *each.targets))
    return (
        Manner(names, machines=bool(names)),
        Manner(names, machines=not names),
        Manner(names, soap=True),
    )


def _tried(activity: Activity, world: ActivityWorld, aims: Aims, manner: Manner) -> Worker | None:
    """Who went one way, where it works; what assertions still miss is done first."""
    first: tuple[Pattern, ...] = ()
    for _ in range(len(activity.assertions) + 1):
        worker = Worker(world.fork(), _forbidden(activity))
        try:
            carried_out(worker, aims, manner, first)
        except StuckError:
            return None
        missing = _missing(activity.assertions, worker)
        if not missing:
            return worker
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


def _reaches(activity: Activity, worker: Worker, reading: Reading) -> bool:
    goal, objects = _whole_goal(activity), activity.problem.objects
    return evaluate(goal, objects, worker.world.reader(reading))


def _missing(assertions: Sequence[Assertion], worker: Worker) -> tuple[Pattern, ...]:
    """What the assertions want done that is not, or too late."""
    found = []
    for each in assertions:
        first = _place(each.first, worker)
        second = _place(each.second, worker) if each.kind is AssertionKind.BEFORE else None
        late = second is not None and (first is None or first > second)
        if each.first and (late or (each.kind is AssertionKind.DOES and first is None)):
            found.append(each.first)
    return tuple(found)


def _place(pattern: Pattern | None, worker: Worker) -> int | None:
    """Where the first deed of a kind stands."""
    return next(worker.did(pattern), None) if pattern is not None else None
