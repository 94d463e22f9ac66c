"""The runs of a report: their names, which of them can be pooled, and which compared."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from env_service.domain.text import safe
from env_service.results.manifest import Manifest, build_facts, configured
from env_service.results.records import EpisodeRecord
from env_service.results.report.number_format import squeezed
from env_service.results.run_reader import RunContents
from env_service.results.statistics import EpisodeIndex as Scores
from env_service.results.summary import Summary
from env_service.storage.canonical_json import canonical, writable
from env_service.suites.reporting import Label

# --- How episodes of several runs are paired: by tasks, or by a shared label where a condition
# turns one task into several


@dataclass(frozen=True, slots=True)
class Pairing:
    """``label`` is the label by which episodes are paired; None: by task."""

    label: Label | None = None

    def of(self, record: EpisodeRecord) -> str:
        """The value by which the episode is paired; its task if it lacks the label."""
        if self.label is None:
            return record.task_id
        return record.labels.get(self.label.name, record.task_id)

    @property
    def averaged(self) -> bool:
        """Whether several episodes of a run may be compared with one of another."""
        return self.label is not None

    def scored(self, run: RunContents) -> set[str]:
        """The tasks, or values of the label, for which the run has a scored episode."""
        return {self.of(record) for record in run.episodes if record.fault is None}

    def scores(self, run: RunContents, among: Collection[str] | None = None) -> Scores:
        """The run's scored episodes for the statistics, limited to ``among`` if given.

        Episodes of one repeat that belong together become one, with their mean success.
        """
        together: dict[tuple[str, int], list[EpisodeRecord]] = {}
        for record in run.episodes:
            if record.fault is None and (among is None or self.of(record) in among):
                together.setdefault((self.of(record), record.repeat), []).append(record)
        return Scores(
            [name for name, _ in together],
            [repeat for _, repeat in together],
            [sum(each.success for each in own) / len(own) for own in together.values()],
            [own[0].cluster for own in together.values()],
        )


BY_TASK = Pairing()


def splits(run: RunContents, label: Label) -> bool:
    """Whether a run plays one task as several that share the label."""
    return any(Pairing(label).of(record) != record.task_id for record in run.episodes)


def pairing(runs: Sequence[RunContents], label: Label | None) -> Pairing:
    """How to pair runs of a suite with this label as `paired_by`: by tasks if all have the same."""
    digests = {run.manifest.task_set_digest for run in runs}
    return Pairing(label if len(digests) > 1 else None)


BUILD = "build of the world"
"""The key of a world's build in a kinship."""
TASK_SET = "task set"
"""The key of the task set in a kinship."""
PairedBy = Callable[[Manifest], Label | None]
"""The label that pairs episodes of a task that a run's suite plays as several."""
_DIGEST = re.compile(r"\bsha256:([0-9a-f]{4})[0-9a-f]*")
_LONGEST_NAME = 72
_LONG_NAME = 36
"""From this many letters on, names leave out what most runs have in common."""


@dataclass(frozen=True, slots=True)
class ReportedRun:
    """A run and its numbers.

    ``mark`` is unique in its family: a letter, or the name of a single run. ``name`` is the mark
    with what distinguishes the run from the others; if that is long, from most of them.
    """

    contents: RunContents
    summary: Summary
    mark: str
    name: str

    @property
    def manifest(self) -> Manifest:
        """The run's manifest."""
        return self.contents.manifest


@dataclass(frozen=True, slots=True)
class Family:
    """Runs that share suite, rules, task set, world, the world's build and data.

    Their numbers can be pooled. ``pairing`` says how their episodes are paired.
    """

    runs: tuple[ReportedRun, ...]
    pairing: Pairing = BY_TASK

    @property
    def manifest(self) -> Manifest:
        """The first run's manifest: all agree in what defines the family."""
        return self.runs[0].manifest

    @property
    def asked_models(self) -> bool:
        """Whether any of the agents used a model (`asked_model`)."""
        return any(asked_model(run.contents) for run in self.runs)


def asked_model(run: RunContents) -> bool:
    """Whether the run's agent reports a model: it declared one, or reported usage."""
    if any(declaration.get("model") for declaration in run.manifest.declared):
        return True
    return any(record.usage for record in run.episodes)


def make_family(runs: Sequence[RunContents], paired_by: Label | None = None) -> Family:
    """Names the runs by their differences; all of them have to be of one family.

    ``paired_by`` is the label of their design.
    """
    names = _names([run.manifest for run in runs])
    return Family(
        tuple(
            ReportedRun(run, run.summary, mark, name)
            for run, (mark, name) in zip(runs, names, strict=True)
        ),
        pairing(runs, paired_by),
    )


def _by_task(_manifest: Manifest) -> None:
    """For a design without `paired_by`."""


def families(runs: Sequence[RunContents], paired_by: PairedBy = _by_task) -> tuple[Family, ...]:
    """Sorts runs into families, in the given order."""
    found: dict[bytes, list[RunContents]] = {}
    for run, kin in zip(runs, kinships(runs, paired_by), strict=True):
        found.setdefault(canonical(writable(list(kin.values()))), []).append(run)
    return tuple(make_family(own, paired_by(own[0].manifest)) for own in found.values())


def kinships(runs: Sequence[RunContents], paired_by: PairedBy = _by_task) -> list[dict[str, Any]]:
    """The kinship of each run.

    Runs of one task set, rules and data may differ in their tasks only because some play each task
    as several. All of these get the task set of the first.
    """
    kin = [kinship(run.manifest) for run in runs]
    together: dict[bytes, list[int]] = {}
    for place, run in enumerate(runs):
        named = {**kin[place], TASK_SET: run.manifest.task_set}
        together.setdefault(canonical(writable(list(named.values()))), []).append(place)
    for places in together.values():
        label = paired_by(runs[places[0]].manifest)
        if label is not None and _differ_by_splitting([runs[place] for place in places], label):
            for place in places:
                kin[place][TASK_SET] = kin[places[0]][TASK_SET]
    return kin


def _differ_by_splitting(runs: Sequence[RunContents], label: Label) -> bool:
    """Whether all runs that split tasks have the same tasks, and all others too."""
    digests: dict[bool, set[str]] = {}
    for run in runs:
        digests.setdefault(splits(run, label), set()).add(run.manifest.task_set_digest)
    return len(digests) == 2 and all(len(each) == 1 for each in digests.values())


def kinship(manifest: Manifest) -> dict[str, Any]:
    """What runs have to agree in before their numbers can be pooled, by name."""
    return {
        "suite": manifest.suite,
        "version of the rules": manifest.suite_version,
        TASK_SET: [manifest.task_set, manifest.task_set_digest],
        "world": manifest.world,
        BUILD: build_facts(manifest.known_world()),
        "data": data_identity(manifest),
    }


def data_identity(manifest: Manifest) -> list[Any]:
    """The data of a run: each pack's origin, and every file that differs from upstream's."""
    keys = ("pack", "commit", "modified")
    return [{key: pack[key] for key in keys if key in pack} or dict(pack) for pack in manifest.data]


def modified_files(pack: Mapping[str, Any]) -> tuple[str, ...]:
    """The files of a data pack, as a manifest describes it, that differ from upstream's."""
    modified = pack.get("modified") or ()
    return tuple(safe(str(file)) for file in modified) if not isinstance(modified, int) else ()


def agent_name(manifest: Manifest) -> str:
    """The agent's name, with the models that it declared.

    Options that repeat its declaration (the model and its address) are left out.
    """
    declared = manifest.declared
    models = dict.fromkeys(str(item["model"]) for item in declared if item.get("model"))
    name = manifest.agent
    if name == "external" and declared:
        name = ", ".join(dict.fromkeys(str(item.get("agent_name", "?")) for item in declared))
    declared_values = {*models, *(str(configured(item).get("base_url")) for item in declared)}
    # Four digits of a content's digest distinguish files well enough.
    short = _DIGEST.sub(r"\1", _without(name, declared_values))
    return safe(" · ".join([short, *models]))


def _without(specification: str, declared: Collection[str]) -> str:
    """An agent's specification without the options whose values are ``declared``."""
    words = specification.split(" ")
    pairs = range(1, len(words) - 1)
    dropped = {n for n in pairs if words[n].startswith("--") and words[n + 1] in declared}
    return " ".join(w for n, w in enumerate(words) if n not in dropped and n - 1 not in dropped)


def _names(manifests: Sequence[Manifest]) -> list[tuple[str, str]]:
    """The mark and the name of each run."""
    if len(manifests) == 1:
        alone = _shortened(agent_name(manifests[0]))
        return [(alone, alone)]
    facts = [_facts(manifest) for manifest in manifests]
    _add_editions(facts, manifests)
    keys = dict.fromkeys(key for fact in facts for key in fact)
    apart = [key for key in keys if len({fact.get(key) for fact in facts}) > 1] or ["agent"]
    if len(apart) > 1:
        # A long command must not push out other differences between runs.
        facts = [{**fact, "agent": squeezed(fact["agent"], _LONG_NAME)} for fact in facts]
    marks = [_letter(place) for place in range(len(facts))]
    names = [", ".join(fact[key] for key in apart if key in fact) for fact in facts]
    if max(map(len, names)) > _LONG_NAME:
        names = [_unusual(fact, apart, facts) for fact in facts]
    return [(mark, f"{mark} {_shortened(name)}") for mark, name in zip(marks, names, strict=True)]


def _facts(manifest: Manifest) -> dict[str, str]:
    """The facts that may distinguish a run in its family, in words."""
    settings = {
        f"condition {name}": safe(f"{name} {value}") for name, value in manifest.condition.items()
    }
    return {
        "agent": agent_name(manifest),
        **settings,
        "seed": f"seed {manifest.seed}",
        "repeats": f"{manifest.repeats} repeat{'s' * (manifest.repeats > 1)}",
        "tasks": f"{len(manifest.task_ids)} task{'s' * (len(manifest.task_ids) > 1)}",
    }


def _add_editions(facts: Sequence[dict[str, str]], manifests: Sequence[Manifest]) -> None:
    """Adds the digest of the agent's files if agents with the same name differ in it."""
    made_of = [
        str(each.agents[0].get("digest", ""))[:8] if each.agents else "" for each in manifests
    ]
    versions: dict[str, set[str]] = {}
    for fact, digest in zip(facts, made_of, strict=True):
        versions.setdefault(fact["agent"], set()).add(digest)
    for fact, digest in zip(facts, made_of, strict=True):
        if digest and len(versions[fact["agent"]]) > 1:
            fact["edition"] = f"files {safe(digest)}"


def _unusual(
    fact: Mapping[str, str], apart: Sequence[str], facts: Sequence[Mapping[str, str]]
) -> str:
    """The facts that at most half of the runs share, in words; else the agent."""
    counts = Counter(item for each in facts for item in each.items())
    rare = [fact[key] for key in apart if key in fact and counts[key, fact[key]] <= len(facts) / 2]
    return ", ".join(rare) or fact["agent"]


def _letter(place: int) -> str:
    """A … Z, AA, AB, …"""
    text = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        text = chr(ord("A") + rest) + text
    return text


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_NAME else text[: _LONGEST_NAME - 1].rstrip() + "…"


# --- Which runs can be compared, and on which tasks


class NotComparableError(Exception):
    """Runs cannot be compared; the message says what differs."""


def differences(
    runs: Sequence[RunContents], paired_by: PairedBy = lambda _: None
) -> tuple[str, ...]:
    """The differences that give the runs' scores different meanings; empty: comparable.

    Each has a name and every run's value: ``world (one; another)``.
    """
    kin = kinships(runs, paired_by)
    worlds = {run.manifest.world for run in runs}
    found = []
    for name in kin[0]:
        values = [each[name] for each in kin]
        # Different worlds always have different builds.
        implied = name == BUILD and len(worlds) > 1
        if not implied and any(value != values[0] for value in values):
            shown = "; ".join(dict.fromkeys(_shown(name, run.manifest) for run in runs))
            found.append(f"{name} ({shown})")
    return tuple(found)


def check_comparable(
    runs: Sequence[RunContents], paired_by: PairedBy = lambda _: None, *, force: bool
) -> str:
    """The label that every output has to carry; empty if the runs can be compared.

    Raises NotComparableError if they cannot, unless ``force``.
    """
    found = differences(runs, paired_by)
    if not found:
        return ""
    if not force:
        raise NotComparableError(
            f"These runs cannot be compared: they differ in {', in '.join(found)}. Their scores"
            " mean different things; --force compares them anyway, and labels the result."
        )
    return f"not comparable: the runs differ in {', in '.join(found)}"


def on_common_tasks(runs: Sequence[RunContents], pairing: Pairing = BY_TASK) -> list[RunContents]:
    """The runs, with only the scored episodes of the tasks that all of them have scored.

    With another pairing, its values take the place of tasks. Raises NotComparableError if there is
    no common task, or if one belongs to several clusters.
    """
    scored = [pairing.scored(run) for run in runs]
    common = set.intersection(*scored)
    if not common:
        counts = "; ".join(
            f"{safe(run.path.name)}: {len(tasks)}" for run, tasks in zip(runs, scored, strict=True)
        )
        raise NotComparableError(
            f"These runs have no scored task in common (scored tasks: {counts}). Name runs"
            " of the same tasks: houseguest compare RUN RUN."
        )
    found = [
        replace(
            run,
            episodes=tuple(
                record
                for record in run.episodes
                if record.fault is None and pairing.of(record) in common
            ),
        )
        for run in runs
    ]
    _check_clusters(found, pairing)
    return found


def _check_clusters(runs: Sequence[RunContents], pairing: Pairing) -> None:
    """Forced comparisons may combine different tasks that have the same name."""
    homes: dict[str, str] = {}
    for record in (record for run in runs for record in run.episodes):
        if homes.setdefault(pairing.of(record), record.cluster) != record.cluster:
            both = f"{homes[pairing.of(record)]!r} and {record.cluster!r}"
            raise NotComparableError(
                f"Task {safe(record.task_id)!r} is of two clusters in these runs, {safe(both)}:"
                " it is not the same task in both."
            )


def _shown(name: str, manifest: Manifest) -> str:
    value: Any = kinship(manifest)[name]
    if name == TASK_SET:
        return safe(f"{manifest.task_set} {manifest.task_set_digest[:12]}")
    if name == BUILD:
        return safe(", ".join(f"{key} {each}" for key, each in value.items()) or "not recorded")
    if name == "data":
        return "; ".join(_pack(pack) for pack in value) or "none"
    return safe(str(value))


def _pack(pack: dict[str, Any]) -> str:
    return safe(", ".join(f"{key} {value}" for key, value in pack.items()))
