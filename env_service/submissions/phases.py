"""``phases.toml``: what an organiser has submissions play, how often, and on which secret tasks."""

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

from env_service.domain.names import UnknownNameError
from env_service.sandbox.options import DOCKER, KINDS, PROCESS
from env_service.storage.atomic_files import write_atomically
from env_service.storage.plain_files import read_plain_text
from env_service.submissions.failures import PhasesError
from env_service.submissions.resource_grants import ResourceCeiling
from env_service.submissions.untrusted_fields import UntrustedFields
from env_service.suites.registry import suite_names

FILE = "phases.toml"
BEST, LATEST = RANKINGS = ("best", "latest")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_SUITE_PATH = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_NUMBER = re.compile(r"\d+")

EXAMPLE = """\
# What submissions play. Every phase is a table; only `suite` has to be there.

[minival]
suite = "SUITE"                 # `houseguest suites` lists them
task_sets = ["TASK-SET"]        # default: the suite's first
per_day = 10                    # submissions of one team in one UTC day

[test]
suite = "SUITE"
task_sets = ["TASK-SET-{secret}"]     # {secret}: a number that is drawn once, and kept private
world = "WORLD"                 # default: the task set's first
condition = "CONDITION"
settings = {SETTING = "VALUE"}  # go before what the condition says
repeats = 1
seed = 0
parallel = 2                    # guests at once
per_day = 2
total = 10                      # submissions of one team in all
hidden = true                   # results are published as totals only
closes = 2030-12-31T23:59:59Z
ranking = "best"                # or "latest": which of a team's submissions counts
check = true                    # `houseguest submit check` comes first

[test.limits]                   # the most that one container gets
memory = "8g"
cpus = 2
gpus = 0
seconds = 14400                 # its whole life
step_seconds = 60               # agent time for one decision
episode_seconds = 1800          # and for an episode
"""
"""Words in capitals stand for what a suite that is installed has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """One phase.

    ``per_day`` and ``total`` bound a team's submissions, 0: unbounded; ``closes`` is when no more
    are taken, None: never. ``task_sets`` may hold placeholders of secret seeds, which make a phase
    ``hidden``.
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
        """What everybody may know of a phase: of a hidden one not which tasks it has."""
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
    """The phases by name, in the file's order; a file with a hidden one becomes its owner's alone.

    Raises PhasesError naming phase, key and remedy.
    """
    try:
        tables = tomllib.loads(read_plain_text(path))
    except FileNotFoundError as error:
        hint = f"write it: houseguest queue phases --example > {path}"
        raise PhasesError(f"there is no {path}: {hint}") from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PhasesError(f"{path}: {error}") from error
    phases: dict[str, Phase] = {}
    for name, table in tables.items():
        if not isinstance(table, dict) or not _NAME.fullmatch(name):
            raise PhasesError(
                f"{path}: {name!r} has to be a table like [minival], its name made of letters,"
                " digits, '.', '_' and '-'"
            )
        phases[name] = _read_phase(
            name, UntrustedFields(table, f"{path}, [{name}]", kind=PhasesError)
        )
    if not phases:
        raise PhasesError(f"{path}: there is no phase in it")
    if any(phase.hidden for phase in phases.values()) and path.stat().st_mode & 0o077:
        # It may name the hidden tasks.
        path.chmod(0o600)
    return phases


def pick_phase(phases: Mapping[str, Phase], name: str) -> Phase:
    """The phase of that name. Raises UnknownNameError."""
    if name not in phases:
        raise UnknownNameError("phase", name, phases)
    return phases[name]


def _read_phase(name: str, keys: UntrustedFields) -> Phase:
    plain = Phase(name=name, suite="")
    limits = keys.mapping("limits")
    phase = Phase(
        name=name,
        suite=_suite(keys),
        task_sets=keys.words("task_sets") or plain.task_sets,
        world=keys.line("world", most=100, required=False),
        condition=_condition(keys),
        repeats=keys.whole("repeats", least=1, most=10_000, default=1),
        seed=keys.whole("seed", least=0, most=2**63 - 1, default=0),
        parallel=keys.whole("parallel", least=1, most=1024, default=1),
        per_day=keys.whole("per_day", least=0, most=10**6, default=0),
        total=keys.whole("total", least=0, most=10**6, default=0),
        hidden=keys.switch("hidden") or any(map(find_secrets, keys.words("task_sets"))),
        closes=_moment(keys, "closes"),
        ranking=_choice(keys, "ranking", RANKINGS),
        check=keys.switch("check", default=True),
        sandbox=_choice(keys, "sandbox", KINDS),
        ceiling=_ceiling(limits),
        step_budget=_seconds(limits, "step_seconds", plain.step_budget),
        episode_budget=_seconds(limits, "episode_seconds", plain.episode_budget),
    )
    for read in filter(None, (limits, keys)):
        read.check_keys()
    _check_hidden(phase, keys)
    return phase


def _check_hidden(phase: Phase, keys: UntrustedFields) -> None:
    """What guests are told must not give a hidden set away."""
    if not phase.hidden:
        return
    if phase.sandbox == PROCESS:
        remedy = "a plain process can read the hidden tasks: take docker or bwrap"
        raise keys.error("sandbox", phase.sandbox, remedy)
    for task_set in phase.task_sets:
        if str(phase.seed) in _NUMBER.findall(task_set) and phase.seed:
            remedy = f"guests are told it, and it stands in {task_set!r}: take another one"
            raise keys.error("seed", phase.seed, remedy)


def _suite(keys: UntrustedFields) -> str:
    suite = keys.line("suite", most=200)
    if suite not in suite_names() and not _SUITE_PATH.fullmatch(suite):
        raise keys.error("suite", suite, str(UnknownNameError("suite", suite, suite_names())))
    return suite


def _condition(keys: UntrustedFields) -> dict[str, str]:
    """``settings``, and the name of a condition as ``settle_condition`` takes it."""
    name = keys.line("condition", most=100, required=False)
    settings = {key: str(value) for key, value in keys.settings("settings").items()}
    return {**({"condition": name} if name else {}), **settings}


def _ceiling(keys: UntrustedFields | None) -> ResourceCeiling:
    plain = ResourceCeiling()
    if keys is None:
        return plain
    seconds = keys.number("seconds", least=1, most=30 * 86400, default=0)
    return ResourceCeiling(
        memory=keys.memory("memory", default=plain.memory),
        cpus=keys.number("cpus", least=0.1, most=1024, default=plain.cpus),
        gpus=keys.whole("gpus", least=0, most=64, default=plain.gpus),
        pids=keys.whole("pids", least=8, most=2**22, default=plain.pids),
        seconds=seconds or None,
        scratch=keys.memory("scratch", default=plain.scratch),
    )


def _seconds(keys: UntrustedFields | None, key: str, default: float) -> float:
    if keys is None:
        return default
    return keys.number(key, least=0.1, most=30 * 86400, default=default)


def _choice(keys: UntrustedFields, key: str, choices: tuple[str, ...]) -> str:
    text = keys.line(key, most=100, required=False) or choices[0]
    if text not in choices:
        raise keys.error(key, text, f"it has to be one of {', '.join(choices)}")
    return text


def _moment(keys: UntrustedFields, key: str) -> datetime | None:
    value = keys.plain(key)
    if value is None:
        return None
    if not isinstance(value, datetime) or value.tzinfo is None:
        remedy = "it has to be a moment with its time zone, as 2030-12-31T23:59:59Z"
        raise keys.error(key, value, remedy)
    return value.astimezone(UTC)


# --- Task sets that are drawn from numbers nobody needs to know

HIGHEST = 999_999_999
"""The highest seed that every suite's names of task sets take."""
MOST = 1000
_PLACE = re.compile(r"\{secret(?:\*([1-9]\d{0,3}))?\}")


def find_secrets(task_set: str) -> int:
    """How many numbers a name with ``{secret}`` or ``{secret*20}`` needs.

    Raises PhasesError for other words in braces.
    """
    rest = _PLACE.sub("", task_set)
    if "{" in rest or "}" in rest:
        raise PhasesError(
            f"the task set {task_set!r}: only {{secret}}, and {{secret*N}} for N numbers with"
            " commas between, may stand in braces"
        )
    needed = sum(int(found[1] or 1) for found in _PLACE.finditer(task_set))
    if needed > MOST:
        raise PhasesError(f"the task set {task_set!r} needs {needed} secrets; {MOST} is the most")
    return needed


class SecretSeeds:
    """Numbers that are drawn once, and kept in a file that only the organiser can read."""

    def __init__(self, path: Path) -> None:
        """Touches nothing yet."""
        self._path = path

    def fill_in(self, phase: str, task_sets: Sequence[str]) -> tuple[str, ...]:
        """The names with their numbers: the same whenever they are asked for."""
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
        # From a million on: a small seed would be one of those that everybody tries.
        drawn[secrets.randbelow(HIGHEST - 10**6) + 10**6] = None
    return list(drawn)
