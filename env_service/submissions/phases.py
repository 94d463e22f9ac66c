"""``phases.toml``: the tasks of submissions, their limits, and secret seeds."""

from __future__ import annotations

import fcntl
import json
import re
import secrets
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from env_service.domain.data_node import DataNode
from env_service.domain.names import UnknownNameError
from env_service.sandbox.options import DOCKER, KINDS, PROCESS
from env_service.storage.atomic_files import write_atomically
from env_service.storage.plain_files import read_plain_text
from env_service.submissions.failures import PhasesError
from env_service.submissions.manifest import (
    MOST_CPUS,
    MOST_GPUS,
    SUITE_PATH,
    read_settings,
    read_size,
    read_words,
)
from env_service.submissions.resource_grants import ResourceCeiling
from env_service.suites.registry import suite_names

FILE = "phases.toml"
BEST, LATEST = RANKINGS = ("best", "latest")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_NUMBER = re.compile(r"\d+")
MOST_SECONDS = 30 * 86400
"""Upper limit for the duration of a container, a step or an episode: 30 days."""

EXAMPLE = """\
# The phases, one table each. Only `suite` is required. To set another key, remove the # before
# it, and replace words in capitals by names that the suite defines.

[minival]
suite = "SUITE"
# task_sets = ["TASK-SET"]      # `houseguest suites SUITE` lists them; default: the suite's first
per_day = 10                    # submissions of a team per UTC day

[test]
suite = "SUITE"
# task_sets = ["TASK-SET-{secret}"]  # {secret}: a number drawn once and kept private
# world = "WORLD"               # default: the task set's first
# condition = "CONDITION"
# settings = {SETTING = "VALUE"}     # override the condition's settings
repeats = 1
seed = 0
parallel = 2                    # agents at once
per_day = 2
total = 10                      # submissions of a team in total
hidden = true                   # publish results as totals only
closes = 2030-12-31T23:59:59Z
ranking = "best"                # or "latest": which of a team's submissions counts
check = true                    # run `houseguest submit check` first

[test.limits]                   # limits of one container
memory = "8g"
cpus = 2
gpus = 0
seconds = 14400                 # lifetime of the container
step_seconds = 60               # agent time per decision
episode_seconds = 1800          # agent time per episode
"""
"""A valid file once ``SUITE`` is replaced by an installed suite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """One phase.

    ``per_day`` and ``total`` limit a team's submissions; 0 means no limit. ``closes`` is the time
    after which no submissions are accepted; None means never. ``task_sets`` may contain
    placeholders for secret seeds, which make a phase ``hidden``.
    """

    name: str
    suite: str
    task_sets: tuple[str, ...] = ("",)
    world: str = ""
    condition: Mapping[str, str] = field(default_factory=dict)
    repeats: int = 1
    seed: int = 0
    parallel: int = 1
    per_day: int = 0
    total: int = 0
    hidden: bool = False
    closes: datetime | None = None
    ranking: str = BEST
    check: bool = True
    sandbox: str = DOCKER
    ceiling: ResourceCeiling = field(default_factory=ResourceCeiling)
    step_budget: float = 600.0
    episode_budget: float = 3600.0

    def to_json(self) -> dict[str, Any]:
        """The public data of a phase. It does not include the tasks of a hidden phase."""
        return {
            "phase": self.name,
            "suite": self.suite,
            "task_sets": None if self.hidden else list(self.task_sets),
            "world": self.world,
            "condition": dict(self.condition),
            "repeats": self.repeats,
            "per_day": self.per_day,
            "total": self.total,
            "hidden": self.hidden,
            "closes": None if self.closes is None else self.closes.isoformat(),
            "ranking": self.ranking,
            "limits": {
                "memory_bytes": self.ceiling.memory,
                "cpus": self.ceiling.cpus,
                "gpus": self.ceiling.gpus,
                "seconds": self.ceiling.seconds,
                "step_seconds": self.step_budget,
                "episode_seconds": self.episode_budget,
            },
        }


def read_phases(path: Path) -> dict[str, Phase]:
    """Reads the phases by name, in the file's order.

    If a phase is hidden, the file becomes readable by its owner only. Raises PhasesError, which
    names the phase, the key and the remedy.
    """
    try:
        tables = tomllib.loads(read_plain_text(path))
    except FileNotFoundError as error:
        hint = f"write one: mkdir -p {path.parent}; houseguest queue phases --example > {path}"
        raise PhasesError(f"{path} does not exist: {hint}") from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PhasesError(f"{path}: {error}") from error
    phases: dict[str, Phase] = {}
    for name, table in tables.items():
        if not isinstance(table, dict) or not _NAME.fullmatch(name):
            raise PhasesError(
                f"{path}: {name!r} must be a table such as [minival], with a name of letters,"
                " digits, '.', '_' and '-'"
            )
        phases[name] = _read_phase(name, DataNode(table, f"{path}, [{name}]", kind=PhasesError))
    if not phases:
        raise PhasesError(f"{path}: the file defines no phase")
    if any(phase.hidden for phase in phases.values()) and path.stat().st_mode & 0o077:
        # The file may name hidden tasks.
        path.chmod(0o600)
    return phases


def pick_phase(phases: Mapping[str, Phase], name: str) -> Phase:
    """The phase of that name. Raises UnknownNameError."""
    if name not in phases:
        raise UnknownNameError("phase", name, phases)
    return phases[name]


def _read_phase(name: str, keys: DataNode) -> Phase:
    plain = Phase(name=name, suite="")
    limits = keys.get("limits", {})
    task_sets = read_words(keys.get("task_sets", []))
    phase = Phase(
        name=name,
        suite=_suite(keys["suite"]),
        task_sets=task_sets or plain.task_sets,
        world=keys.get("world", "").line(100),
        condition=_condition(keys),
        repeats=keys.get("repeats", 1).whole(1, 10_000),
        seed=keys.get("seed", 0).whole(0, 2**63 - 1),
        parallel=keys.get("parallel", 1).whole(1, 1024),
        per_day=keys.get("per_day", 0).whole(0, 10**6),
        total=keys.get("total", 0).whole(0, 10**6),
        hidden=keys.get("hidden", default=False).flag() or any(map(find_secrets, task_sets)),
        closes=_moment(keys.optional("closes")),
        ranking=keys.get("ranking", RANKINGS[0]).one_of("ranking", RANKINGS),
        check=keys.get("check", default=True).flag(),
        sandbox=keys.get("sandbox", KINDS[0]).one_of("sandbox", KINDS),
        ceiling=_ceiling(limits),
        step_budget=limits.get("step_seconds", plain.step_budget).number(0.1, MOST_SECONDS),
        episode_budget=limits.get("episode_seconds", plain.episode_budget).number(
            0.1, MOST_SECONDS
        ),
    )
    limits.check_keys()
    keys.check_keys()
    _check_hidden(phase, keys)
    return phase


def _check_hidden(phase: Phase, keys: DataNode) -> None:
    """Checks that agents receive nothing that reveals a hidden task set."""
    if not phase.hidden:
        return
    if phase.sandbox == PROCESS:
        raise keys["sandbox"].error(
            f"is {PROCESS!r}; a plain process can read the hidden tasks: use docker or bwrap"
        )
    for task_set in phase.task_sets:
        if str(phase.seed) in _NUMBER.findall(task_set) and phase.seed:
            raise keys["seed"].error(
                f"is {phase.seed}; agents receive it, and {task_set!r} contains it:"
                " choose another seed"
            )


def _suite(node: DataNode) -> str:
    suite = node.title(200)
    return suite if SUITE_PATH.fullmatch(suite) else node.chosen(suite, "suite", suite_names())


def _condition(keys: DataNode) -> dict[str, str]:
    """The settings and the name of the condition, in the form that ``settle_condition`` takes."""
    name = keys.get("condition", "").line(100)
    settings = {key: str(value) for key, value in read_settings(keys.get("settings", {})).items()}
    return {**({"condition": name} if name else {}), **settings}


def _ceiling(keys: DataNode) -> ResourceCeiling:
    plain = ResourceCeiling()
    seconds = keys.optional("seconds")
    return ResourceCeiling(
        memory=read_size(keys.get("memory", plain.memory)),
        cpus=keys.get("cpus", plain.cpus).number(0.1, MOST_CPUS),
        gpus=keys.get("gpus", plain.gpus).whole(0, MOST_GPUS),
        pids=keys.get("pids", plain.pids).whole(8, 2**22),
        seconds=None if seconds is None else seconds.number(1, MOST_SECONDS),
        scratch=read_size(keys.get("scratch", plain.scratch)),
    )


def _moment(node: DataNode | None) -> datetime | None:
    if node is None:
        return None
    if not isinstance(node.value, datetime) or node.value.tzinfo is None:
        raise node.error(
            f"is {str(node.value)!r:.60}; it must be a time with a time zone, such as"
            " 2030-12-31T23:59:59Z"
        )
    return node.value.astimezone(UTC)


# --- Task sets with secret seeds

HIGHEST = 999_999_999
"""The highest seed that the task sets of all suites accept."""
MOST = 1000
_PLACE = re.compile(r"\{secret(?:\*([1-9]\d{0,3}))?\}")


def find_secrets(task_set: str) -> int:
    """The number of secret seeds that a name with ``{secret}`` or ``{secret*20}`` needs.

    Raises PhasesError for other words in braces.
    """
    rest = _PLACE.sub("", task_set)
    if "{" in rest or "}" in rest:
        raise PhasesError(
            f"the task set {task_set!r}: braces may contain only {{secret}}, or {{secret*N}} for N"
            " numbers separated by commas"
        )
    needed = sum(int(found[1] or 1) for found in _PLACE.finditer(task_set))
    if needed > MOST:
        raise PhasesError(
            f"the task set {task_set!r} needs {needed} secrets, but at most {MOST} are allowed"
        )
    return needed


class SecretSeeds:
    """Seeds that are drawn once and stored in a file that only the organiser can read."""

    def __init__(self, path: Path) -> None:
        """Reads and writes nothing yet."""
        self._path = path

    def fill_in(self, phase: str, task_sets: Sequence[str]) -> tuple[str, ...]:
        """Replaces the placeholders in the names by seeds, the same ones on every call."""
        if not any(map(find_secrets, task_sets)):
            return tuple(task_sets)
        with self._path.with_suffix(".lock").open("w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return tuple(self._fill(f"{phase} {task_set}", task_set) for task_set in task_sets)

    def _fill(self, key: str, task_set: str) -> str:
        known: dict[str, list[int]] = {}
        if self._path.exists():
            known = json.loads(self._path.read_text(encoding="utf-8"))
        if key not in known:
            known[key] = _draw(find_secrets(task_set))
            write_atomically(self._path, json.dumps(known, indent=2).encode())
            self._path.chmod(0o600)
        numbers = iter(known[key])

        def put(found: re.Match[str]) -> str:
            return ",".join(str(next(numbers)) for _ in range(int(found[1] or 1)))

        return _PLACE.sub(put, task_set)


def _draw(count: int) -> list[int]:
    drawn: dict[int, None] = {}
    while len(drawn) < count:
        # At least a million: an agent that guesses would try small seeds first.
        drawn[secrets.randbelow(HIGHEST - 10**6) + 10**6] = None
    return list(drawn)
