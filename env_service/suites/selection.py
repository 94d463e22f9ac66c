"""Turns what a user asked for into tasks and a full condition of a suite."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase

from env_service.datasets.errors import DataPackError, DataPackMissingError
from env_service.datasets.pack import Pack, open_pack
from env_service.domain.episode import Episode
from env_service.domain.names import UnknownNameError
from env_service.domain.observation import ObservationOffer, ObservationRequest
from env_service.domain.outcome import Disclosure
from env_service.domain.task import Task, TaskSet
from env_service.suites.base import Condition, EpisodeOrder, Suite
from env_service.suites.registry import check_whole, wrong_value

NAMED = "condition"
"""The key of a whole condition's name in a condition's mapping; no setting has this name."""


def pick_task_set(suite: Suite, name: str = "") -> TaskSet:
    """The suite's task set of that name; the default for an empty one.

    ``suite/name`` is accepted too. Raises UnknownNameError.
    """
    task_sets = suite.task_sets()
    if not isinstance(task_sets, Mapping) or not task_sets:
        wanted = "a mapping with at least one task set"
        raise wrong_value(suite.name, "task_sets()", wanted, task_sets)
    name = name.removeprefix(f"{suite.name}/") or next(iter(task_sets))
    if name not in task_sets:
        raise UnknownNameError(f"task set of suite {suite.name!r}", name, task_sets)
    with _offering_others(suite):
        return task_sets[name]


@contextmanager
def _offering_others(suite: Suite) -> Iterator[None]:
    """Has the error about missing data name a task set of the suite that needs none."""
    try:
        yield
    except DataPackMissingError as error:
        free = (
            name
            for name in suite.task_sets()
            if not any(suite.data(name, world) for world in suite.worlds_of(name)[:1])
        )
        if found := next(free, ""):
            error.instead = f"play `--task-set {found}`, which needs no data"
        raise


@dataclass(frozen=True, slots=True)
class Selected:
    """A task set under a condition, and the selected tasks of it."""

    task_set: TaskSet
    tasks: tuple[Task, ...]


def pick_tasks(
    suite: Suite, name: str, patterns: Sequence[str], limit: int, condition: Condition
) -> Selected:
    """The task set of that name (`pick_task_set`) under a settled condition, and `select_tasks` of
    it. Where no name is given, the first pattern may be one: ``valid_seen/lota``.

    Raises UnknownNameError.
    """
    name, patterns = named_first(suite, name, patterns)
    with _offering_others(suite):
        task_set = suite.under(pick_task_set(suite, name), condition)
    _check_first(suite, name, task_set, patterns)
    return Selected(task_set, tuple(select_tasks(task_set, patterns, limit)))


def _check_first(suite: Suite, name: str, task_set: TaskSet, patterns: Sequence[str]) -> None:
    """Where no task set is named, a first pattern that names nothing may be meant for one: the
    error proposes those too."""
    if name or not patterns or any(_names(patterns[0], task) for task in task_set.tasks):
        return
    kind = f"task set of suite {suite.name!r}, nor task or group of its {task_set.name!r},"
    raise UnknownNameError(kind, patterns[0], [*suite.task_sets(), *_handles(task_set.tasks)])


def named_first(suite: Suite, name: str, patterns: Sequence[str]) -> tuple[str, Sequence[str]]:
    """The name of a task set, and patterns of its tasks: without a name the first pattern is one,
    where it is a task set's."""
    if not name and patterns and patterns[0].removeprefix(f"{suite.name}/") in suite.task_sets():
        return patterns[0], patterns[1:]
    return name, patterns


@dataclass(frozen=True, slots=True)
class FoundTaskSet:
    """A task set by its name; None, with the reason in words, where its data are not here or it
    was not drawn up."""

    name: str
    task_set: TaskSet | None
    problem: str = ""


def find_task_sets(suite: Suite) -> Iterator[FoundTaskSet]:
    """All of a suite's task sets, the default first. Raises nothing for data that are missing.

    Those that take long to draw up are named only.
    """
    task_sets = suite.task_sets()
    for name in task_sets:
        how = f"generated on request: houseguest tasks --suite {suite.name} --task-set {name}"
        drawn = FoundTaskSet(name, None, how)
        yield drawn if name in suite.drawn else _found(task_sets, name)


def find_task_set(suite: Suite, name: str, condition: Condition) -> FoundTaskSet:
    """A task set under a settled condition, made on demand if need be; also answers for a name that
    the suite does not have."""
    task_sets = suite.task_sets()
    if name not in task_sets:
        return FoundTaskSet(name, None, f"unknown task set {name!r}")
    found = _found(task_sets, name)
    if found.task_set is None:
        return found
    return FoundTaskSet(name, suite.under(found.task_set, condition))


def _found(task_sets: Mapping[str, TaskSet], name: str) -> FoundTaskSet:
    try:
        return FoundTaskSet(name, task_sets[name])
    except DataPackMissingError as error:
        problem = f"needs data: houseguest data fetch {error.pack}"
        return FoundTaskSet(name, None, problem)
    except DataPackError as error:
        return FoundTaskSet(name, None, str(error))


def pick_world(suite: Suite, task_set: str, name: str = "") -> str:
    """The world of that name; the task set's default for an empty one.

    Raises UnknownNameError, also for a world that other task sets of the suite are played in.
    """
    worlds = suite.worlds_of(task_set)
    if not worlds:
        raise wrong_value(suite.name, f"worlds_of({task_set!r})", "at least one world", worlds)
    name = name or worlds[0]
    if name not in worlds:
        raise UnknownNameError(f"world of task set '{suite.name}/{task_set}'", name, worlds)
    return name


def settle_condition(suite: Suite, given: Mapping[str, str]) -> dict[str, str]:
    """A value for each of the suite's settings, by name: the given one, or the default.

    ``given`` may hold the name of one of the suite's conditions under NAMED, or as the value of a
    setting that this condition changes; other settings in it go before what that one says.

    Raises UnknownNameError for a condition, a setting or a value that the suite does not have,
    ConditionError for settings that do not go together.
    """
    given = _spelled_out(suite, given)
    settings = {setting.name: setting for setting in suite.settings}
    for name, value in given.items():
        if name not in settings:
            raise UnknownNameError(f"setting of suite {suite.name!r}", name, settings)
        if value not in settings[name].values:
            raise UnknownNameError(f"value of setting {name!r}", value, settings[name].values)
    # By name, as files hold them: what is read back from one is in the same order.
    settled = {name: given.get(name, settings[name].default) for name in sorted(settings)}
    suite.offer(settled)
    return settled


def require_data(suite: Suite, task_set: str, world: str) -> Sequence[Pack]:
    """The data packs that playing these tasks reads. Raises DataPackError where any of their files
    is missing or not sound."""
    packs = []
    for name, patterns in suite.data(task_set, world).items():
        packs.append(open_pack(name))
        with _offering_others(suite):
            packs[-1].require(patterns)
    return packs


def check_playable(suite: Suite, task: Task, world: str, condition: Condition) -> None:
    """Raises ConditionError where a task cannot be played in a world under a settled condition,
    and SuiteLoadError for an episode that lacks something or a member that gives something else
    than it has to. Loads nothing."""
    offer, disclosure = suite.offer(condition), suite.disclosure(condition)
    if not isinstance(offer, ObservationOffer):
        raise wrong_value(suite.name, "offer(condition)", "an ObservationOffer", offer)
    if not isinstance(disclosure, Disclosure):
        raise wrong_value(suite.name, "disclosure(condition)", "a Disclosure", disclosure)
    for member, number in (
        ("episodes_per_worker(world)", suite.episodes_per_worker(world)),
        ("skills_per_step(condition)", suite.skills_per_step(condition)),
    ):
        if not isinstance(number, int) or number < 1:
            raise wrong_value(suite.name, member, "a number of at least 1", number)
    request = offer.grant(ObservationRequest())
    episode = suite.open_episode(EpisodeOrder(task, world, condition, request, seed=0))
    check_whole(episode, Episode, f"the episode that suite {suite.name} opens")
    episode.close()


def _spelled_out(suite: Suite, given: Mapping[str, str]) -> Mapping[str, str]:
    given = _with_name(suite, given)
    name = given.get(NAMED)
    if name is None:
        return given
    if name not in suite.conditions:
        raise UnknownNameError(f"condition of suite {suite.name!r}", name, suite.conditions)
    others = {setting: value for setting, value in given.items() if setting != NAMED}
    return {**suite.conditions[name], **others}


def _with_name(suite: Suite, given: Mapping[str, str]) -> Mapping[str, str]:
    """``given`` with a condition's name under NAMED, where a setting was given that name as its
    value: "wording=C-interactive" for a condition that changes the wording and more. If the name of
    another condition is given too, it stays, and the value is refused."""
    settings = {setting.name: setting for setting in suite.settings}
    for name, value in given.items():
        if NAMED in given or name not in settings or value in settings[name].values:
            continue
        if name in suite.conditions.get(value, {}):
            others = {each: other for each, other in given.items() if each != name}
            return {NAMED: value, **others}
    return given


def select_tasks(task_set: TaskSet, patterns: Sequence[str] = (), limit: int = 0) -> list[Task]:
    """The tasks that any of ``patterns`` names, in the set's order, the first ``limit`` of them.

    A pattern is a task id, a group, or a shell pattern (``GoTo*/2``). No patterns: all; limit
    0: no limit. Raises UnknownNameError for a pattern that names nothing.
    """
    chosen = [*task_set.tasks] if not patterns else _named(task_set, patterns)
    return chosen[:limit] if limit else chosen


def _named(task_set: TaskSet, patterns: Sequence[str]) -> list[Task]:
    """Ids and groups are looked up: a request may name thousands of a set's thousands of tasks."""
    handles = {task.id for task in task_set.tasks} | {task.group for task in task_set.tasks}
    plain = handles.intersection(patterns)
    shell = [pattern for pattern in dict.fromkeys(patterns) if pattern not in plain]
    for pattern in shell:
        if not any(fnmatchcase(task.id, pattern) for task in task_set.tasks):
            raise UnknownNameError(
                f"task or group of task set {task_set.name!r}", pattern, _handles(task_set.tasks)
            )
    return [
        task
        for task in task_set.tasks
        if task.id in plain
        or task.group in plain
        or any(fnmatchcase(task.id, pattern) for pattern in shell)
    ]


def _names(pattern: str, task: Task) -> bool:
    return pattern in (task.id, task.group) or fnmatchcase(task.id, pattern)


def _handles(tasks: Iterable[Task]) -> list[str]:
    groups = dict.fromkeys(task.group for task in tasks)
    return [*groups, *(task.id for task in tasks)]
