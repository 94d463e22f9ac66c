"""Everything that could change a run's score, and the record of agents that changed during it.

That is: agents, tasks, settings, the world's build, versions and hardware.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from env_service.domain.data_node import DataNode, FormatError
from env_service.domain.text import safe
from env_service.results.run_layout import MANIFEST, MOST_MANIFEST
from env_service.storage.atomic_files import document, write_atomically
from env_service.storage.canonical_json import canonical, parse
from env_service.storage.plain_files import read_plain
from env_service.storage.signing_key import SigningKey

SCHEMA_VERSION = 1
"""The version of every file in a run's folder. A reader refuses higher versions."""

MAX_DECLARED = 100
"""How many declarations a manifest keeps."""


class PlannedEpisodes(Collection[tuple[str, int]]):
    """The (task id, repeat) of every episode of a run, in playing order.

    It counts and looks them up without listing them, because a run may have millions.
    """

    def __init__(self, task_ids: Sequence[str], repeats: int) -> None:
        """``task_ids`` are unique, and in playing order."""
        self._places = {task: place for place, task in enumerate(task_ids)}
        self._repeats = repeats

    def __len__(self) -> int:
        return len(self._places) * self._repeats

    def __iter__(self) -> Iterator[tuple[str, int]]:
        return ((task, repeat) for repeat in range(self._repeats) for task in self._places)

    def __contains__(self, episode: object) -> bool:
        if not isinstance(episode, tuple) or len(episode) != 2:
            return False
        task, repeat = episode
        return task in self._places and repeat in range(self._repeats)

    def place(self, episode: tuple[str, int]) -> int:
        """The position of a planned episode, from 0. Raises KeyError for an unplanned one."""
        if episode not in self:
            raise KeyError(episode)
        task, repeat = episode
        return repeat * len(self._places) + self._places[task]

    def in_order(self, episodes: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
        """The planned ones among ``episodes``, each once, in playing order."""
        planned = {episode for episode in episodes if episode in self}
        return sorted(planned, key=lambda episode: (episode[1], self._places[episode[0]]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a run is, and with what it is played.

    ``suite`` is a registered name or a ``module:class`` path. ``task_ids`` are the selected tasks
    in playing order, each played ``repeats`` times (at least 1). ``condition`` has a value for
    every setting. ``budgets`` limit the agent's time, in seconds by name; empty: no limit.
    ``packages`` are the distributions that make up the world, by version. ``world_facts`` are facts
    that the world reports, such as its build; empty if it reports none, or in older manifests.
    ``data`` describes each data pack that the suite reads.

    ``agent`` is the agent's specification as the operator gave it. ``guest`` describes the agent's
    isolation: ``sandbox`` (docker, bwrap or process), ``limits``, and for an image ``runtime``,
    ``engine``, ``network``, ``user`` and ``image`` with its ``reference``, full ``id`` and
    ``repo_digests``. It is empty for an agent that the service did not start, and in older
    manifests.

    ``agents`` lists the files of each agent, as ``AgentFiles.to_json`` gives them. The first is the
    agent that started the run. Each changed agent with which the run was resumed follows, with its
    specification (``agent``), the time (``since``), and the number of episodes that were final by
    then (``after``). It is empty for an agent that the service did not start, and in older
    manifests.

    ``created`` is ISO 8601. ``public_key`` (hex) signs the run's files; the run's folder fills it
    in.

    Three parts grow during the run: ``declared`` (each distinct declaration of an agent),
    ``observations`` (each distinct grant of channels and encodings) and ``resumed`` (other
    versions, hardware, facts of the world or isolation after a resume).
    """

    run_id: str
    suite: str
    suite_version: str
    task_set: str
    task_set_digest: str
    task_ids: tuple[str, ...]
    world: str
    condition: Mapping[str, str]
    repeats: int
    seed: int
    agent: str
    protocol_revision: int
    created: str
    guest: Mapping[str, Any] = field(default_factory=dict)
    budgets: Mapping[str, float] = field(default_factory=dict)
    packages: Mapping[str, str] = field(default_factory=dict)
    world_facts: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    hardware: Mapping[str, Any] = field(default_factory=dict)
    data: tuple[Mapping[str, Any], ...] = ()
    agents: tuple[Mapping[str, Any], ...] = ()
    public_key: str = ""
    declared: tuple[Mapping[str, Any], ...] = ()
    observations: tuple[Mapping[str, Any], ...] = ()
    resumed: tuple[Mapping[str, Any], ...] = ()
    schema_version: int = SCHEMA_VERSION

    def identity(self) -> str:
        """SHA-256 (hex) of what defines the run: equal commands give equal identities.

        It covers the suite, its version, the task set's digest, the selected tasks, world,
        condition, budgets, seed, repeats and the agent's specification, and the agent's files if
        recorded. It does not cover the world's build, so that a run is found wherever it is
        resumed; the run's folder refuses to resume with a different build.
        """
        made_of = [str(each.get("digest", "")) for each in self.agents[:1]]
        return self._hash(self.agent, *made_of)

    def plan_identity(self) -> str:
        """SHA-256 (hex) of the same except the agent's files: of the command that was typed.

        It names the run's folder, so that an edited agent finds the run of its earlier version.
        """
        return self._hash(_unpinned(self.agent) if self.agents else self.agent)

    def _hash(self, *agent: str) -> str:
        defining = [
            self.suite,
            self.suite_version,
            self.task_set,
            self.task_set_digest,
            list(self.task_ids),
            self.world,
            dict(self.condition),
            {name: float(seconds) for name, seconds in self.budgets.items()},
            self.seed,
            self.repeats,
            *agent,
        ]
        return sha256(canonical(defining)).hexdigest()

    def folder_name(self) -> str:
        """``<suite>-<agent>-<first ten digits of the identity>``, valid in a file system.

        Digests in the agent's specification are left out, because the identity covers them.
        """
        suite = self.suite.rpartition(":")[2]
        agent = re.sub(r"\bsha256:[0-9a-f]+", "", self.agent)
        return f"{slug(suite)}-{slug(agent)}-{self.plan_identity()[:10]}"

    def episodes(self) -> PlannedEpisodes:
        """Every (task id, repeat) that the run has to play, repeat by repeat."""
        return PlannedEpisodes(self.task_ids, self.repeats)

    def to_json(self) -> dict[str, Any]:
        """The manifest as stored in its file, without the signature."""
        return {
            "kind": "manifest",
            "schema_version": self.schema_version,
            "identity": self.identity(),
            "run_id": self.run_id,
            "suite": self.suite,
            "suite_version": self.suite_version,
            "task_set": self.task_set,
            "task_set_digest": self.task_set_digest,
            "task_ids": list(self.task_ids),
            "world": self.world,
            "condition": dict(self.condition),
            "repeats": self.repeats,
            "seed": self.seed,
            "agent": self.agent,
            "guest": dict(self.guest),
            "protocol_revision": self.protocol_revision,
            "created": self.created,
            "budgets": {name: float(seconds) for name, seconds in self.budgets.items()},
            "packages": dict(self.packages),
            "world_facts": dict(self.world_facts),
            "versions": dict(self.versions),
            "hardware": dict(self.hardware),
            "data": [dict(pack) for pack in self.data],
            **({"agents": [dict(item) for item in self.agents]} if self.agents else {}),
            "public_key": self.public_key,
            "declared": [dict(item) for item in self.declared],
            "observations": [dict(item) for item in self.observations],
            "resumed": [dict(item) for item in self.resumed],
        }

    @staticmethod
    def from_json(value: object) -> Manifest:
        """Reads a manifest. Raises FormatError, which names the error."""
        fields = DataNode(value, "manifest")
        version = fields["schema_version"].whole()
        if version > SCHEMA_VERSION:
            raise FormatError(
                f"schema_version is {version}, but this version reads at most {SCHEMA_VERSION}:"
                " install a newer houseguest"
            )
        return Manifest(
            schema_version=version,
            run_id=fields["run_id"].string(),
            suite=fields["suite"].string(),
            suite_version=fields["suite_version"].string(),
            task_set=fields["task_set"].string(),
            task_set_digest=fields["task_set_digest"].string(),
            task_ids=fields["task_ids"].strings(),
            world=fields["world"].string(),
            condition=fields["condition"].mapped(DataNode.string),
            repeats=fields["repeats"].whole(),
            seed=fields["seed"].whole(),
            agent=fields["agent"].string(),
            guest=fields.get("guest", {}).mapping(),
            protocol_revision=fields["protocol_revision"].whole(),
            created=fields["created"].string(),
            budgets=fields["budgets"].mapped(DataNode.number),
            packages=fields["packages"].mapped(DataNode.string),
            world_facts=fields.get("world_facts", {}).mapped(DataNode.string),
            versions=fields["versions"].mapped(DataNode.string),
            hardware=fields["hardware"].mapping(),
            data=_mappings(fields.get("data", [])),
            agents=_mappings(fields.get("agents", [])),
            public_key=fields["public_key"].string(),
            declared=_mappings(fields["declared"]),
            observations=_mappings(fields["observations"]),
            resumed=_mappings(fields["resumed"]),
        )

    def is_played_by(self, now: Manifest) -> bool:
        """Whether the agent of ``now`` has played this run, as far as both record their agent's
        files."""
        if not self.agents or not now.agents:
            return True
        return _made_of(now.agents[0], now.agent) in [
            _made_of(each, self.agent) for each in self.agents
        ]

    def with_agent(self, now: Manifest, finished: int) -> Manifest:
        """The manifest of a run that a changed agent resumes after so many final episodes.

        With none, the manifest lists the changed agent only.
        """
        if not finished:
            return replace(self, agent=now.agent, agents=now.agents, declared=())
        return self.with_another_agent(now, finished)

    def with_another_agent(self, now: Manifest, finished: int) -> Manifest:
        """The manifest of a mixture: ``now`` has the agent from so many final episodes on."""
        changed = {**now.agents[0], "agent": now.agent, "since": now.created, "after": finished}
        return replace(self, agents=(*self.agents, changed))

    def with_declared(self, declaration: Mapping[str, Any]) -> Manifest:
        """The manifest with one more declaration, unless it has an equal one.

        Keeps the last MAX_DECLARED, because agents must not be able to fill the disk.
        """
        if declaration in self.declared:
            return self
        declared = (*self.declared, dict(declaration))[-MAX_DECLARED:]
        return replace(self, declared=declared)

    def with_observation(self, request: Mapping[str, Any]) -> Manifest:
        """The manifest with one more grant, unless it has an equal one."""
        if request in self.observations:
            return self
        return replace(self, observations=(*self.observations, dict(request)))

    def with_host(self, now: Manifest) -> Manifest:
        """The manifest of a run that is resumed on the machine where ``now`` was made."""
        host = _host(now)
        known = [_host(self), *({key: item.get(key, {}) for key in host} for item in self.resumed)]
        if host in known:
            return self
        return replace(self, resumed=(*self.resumed, {**host, "created": now.created}))

    def known_world(self) -> Mapping[str, str]:
        """The world's facts at the start of the run, or else the first that were recorded."""
        later = (item.get("world_facts") for item in self.resumed)
        return self.world_facts or next((facts for facts in later if facts), {})


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a run's folder. Raises OSError, and FormatError, which names the file."""
    path = folder / MANIFEST
    try:
        return Manifest.from_json(parse(read_plain(path, MOST_MANIFEST, within=folder)))
    except ValueError as error:
        raise FormatError(f"{path}: {error}") from error


def write_manifest(folder: Path, manifest: Manifest, key: SigningKey) -> None:
    """Signs and replaces the manifest of a run's folder."""
    write_atomically(folder / MANIFEST, document(key.sign(manifest.to_json())))


def slug(text: str) -> str:
    """At most 40 of the text's letters and digits, in lower case, joined by hyphens."""
    words = re.findall(r"[a-z0-9]+", text.lower())
    return "-".join(words)[:40].strip("-") or "unnamed"


def _unpinned(agent: str) -> str:
    """An agent's specification without the digest after its name."""
    return re.sub(r"@sha256:[0-9a-f]+", "", agent)


def _made_of(recorded: Mapping[str, Any], agent: str) -> tuple[str, str]:
    return str(recorded.get("agent", agent)), str(recorded.get("digest", ""))


def _mappings(node: DataNode) -> tuple[Mapping[str, Any], ...]:
    return tuple(item.mapping() for item in node.items())


def _host(manifest: Manifest) -> dict[str, Any]:
    return {
        "versions": dict(manifest.versions),
        "hardware": dict(manifest.hardware),
        "world_facts": dict(manifest.world_facts),
        "guest": dict(manifest.guest),
    }


# --- Whether a run mixes the results of several agents, and how they differ

_WITH_REPLIES = frozenset({"usage"})
"""Model agents declare these keys after their model's first reply; a missing one is ignored."""
_LISTED = 8
"""The largest number of names to list one by one."""


def mixture(manifest: Manifest) -> tuple[str, ...]:
    """Why the run is a mixture of agents, a sentence each; empty if one agent played all of it.

    A run is a mixture if it was resumed with a changed agent, or if the agent's sessions declared
    different versions or configurations.
    """
    found = []
    for before, after in zip(manifest.agents, manifest.agents[1:], strict=False):
        count = after.get("after", 0)
        episodes = f"{count} episode{'' if count == 1 else 's'}"
        changed = ", ".join(changed_parts(before, after, manifest.agent))
        found.append(safe(f"the agent was changed after {episodes}: {changed}"))
    if differing := _differing(manifest.declared):
        more = ", …" if len(differing) > _LISTED else ""
        names = ", ".join(differing[:_LISTED]) + more
        found.append(f"its agents declared different values: {names}")
    return tuple(found)


def changed_parts(
    before: Mapping[str, Any], after: Mapping[str, Any], agent: str = ""
) -> tuple[str, ...]:
    """The differences between two records of an agent's files, in words.

    ``agent`` is the specification for a record that has none.
    """
    parts = [
        *_changed(_texts(before, "files"), _texts(after, "files"), "was edited"),
        *_changed(_texts(before, "packages"), _texts(after, "packages")),
    ]
    named = [str(each.get("agent", agent)) for each in (before, after)]
    if not parts and named[0] != named[1]:
        parts = [f"{named[0]} → {named[1]}"]
    more = [f"and {len(parts) - _LISTED} more"] if len(parts) > _LISTED else []
    return (*map(safe, parts[:_LISTED]), *more)


def _changed(
    before: Mapping[str, str], after: Mapping[str, str], edited: str = ""
) -> Iterator[str]:
    for name in sorted({*before, *after}):
        was, now = before.get(name), after.get(name)
        if was == now:
            continue
        if was is None:
            yield f"{name} is new"
        elif now is None:
            yield f"{name} is missing"
        else:
            yield f"{name} {edited or f'{was} → {now}'}"


def _texts(record: Mapping[str, Any], name: str) -> Mapping[str, str]:
    found = record.get(name)
    return {str(k): str(v) for k, v in found.items()} if isinstance(found, Mapping) else {}


def configured(declaration: Mapping[str, Any]) -> Mapping[str, Any]:
    """The configuration in an agent's declaration; empty if it has none."""
    configuration = declaration.get("configuration")
    return configuration if isinstance(configuration, Mapping) else {}


def _differing(declared: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The keys whose values differ between declarations of one run; a configuration's entries count
    singly."""
    flat = [{**item, **configured(item)} for item in declared]
    names = dict.fromkeys(name for item in flat for name in item if name != "configuration")
    return tuple(safe(name) for name in names if _disagree(name, flat))


def _disagree(name: str, flat: Sequence[Mapping[str, Any]]) -> bool:
    values = [item.get(name) for item in flat if name in item or name not in _WITH_REPLIES]
    return any(each != values[0] for each in values)


# --- The build of a world, from a manifest

MACHINE_FACTS = frozenset({"driver", "gpus", "display"})
"""Facts that another machine may change: noted, but they do not prevent a resume. All others
identify a build.
"""


def build_facts(facts: Mapping[str, str]) -> dict[str, str]:
    """The facts that identify a world's build; another build would make the run a mixture of two
    worlds."""
    return {name: value for name, value in facts.items() if name not in MACHINE_FACTS}


def machine_facts(facts: Mapping[str, str]) -> dict[str, str]:
    """The facts that identify the machine that rendered a world."""
    return {name: value for name, value in facts.items() if name in MACHINE_FACTS}


def build_changes(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    """``platform Linux64 → CloudRendering; …``, the differences between two builds; empty if equal.

    Nothing can be compared if one side has no facts, as in older manifests.
    """
    was, is_now = build_facts(before), build_facts(now)
    if not was or not is_now:
        return ""
    return "; ".join(
        f"{name} {was.get(name, 'unknown')} → {is_now.get(name, 'unknown')}"
        for name in dict.fromkeys([*was, *is_now])
        if was.get(name) != is_now.get(name)
    )


# --- The versions and hardware that play a run


def package_versions(names: Iterable[str]) -> dict[str, str]:
    """The installed version of each distribution, or "not installed"."""
    return {name: _version(name) for name in names}


def host_versions() -> dict[str, str]:
    """The versions of the service, Python and the platform."""
    return {
        "houseguest": _version("houseguest"),
        "python": platform.python_version(),
        "platform": platform.platform(),
    }


def hardware() -> dict[str, Any]:
    """The processor's model, the cores this process may use, and the memory in bytes."""
    return {
        "cpu": _cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _cpu_model() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    for line in text.splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            return value.strip()
    return platform.machine()
