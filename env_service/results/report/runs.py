"""The runs of a report: how they are told apart, which of them can be pooled, and which
compared.
"""

from __future__ import annotations

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

# --- By what the episodes of several runs belong together: by their tasks, or where a condition
# makes several tasks of one, by a label that all of them share


@dataclass(frozen=True, slots=True)
class Pairing:
    """``label`` is what episodes are paired by; None: their tasks."""

    label: Label | None = None

    def of(self, record: EpisodeRecord) -> str:
        """What the episode is paired by; its task where it lacks the label."""
        if self.label is None:
            return record.task_id
        return record.labels.get(self.label.name, record.task_id)

    @property
    def averaged(self) -> bool:
        """Whether several episodes of a run may stand against one of another."""
        return self.label is not None

    def scored(self, text: RunContents) -> set[str]:
        """All of which the run has scored an episode."""
        return {self.of(record) for record in text.episodes if record.fault is None}

    def scores(self, text: RunContents, among: Collection[str] | None = None) -> Scores:
        """The run's scored episodes, ``among`` these alone if given, for the statistics: the mean
        success of those of one repeat that belong together."""
        together: dict[tuple[str, int], list[EpisodeRecord]] = {}
        for record in text.episodes:
            if record.fault is None and (among is None or self.of(record) in among):
                together.setdefault((self.of(record), record.repeat), []).append(record)
        return Scores(
            [name for name, _ in together],
            [repeat for _, repeat in together],
            [sum(each.success for each in own) / len(own) for own in together.values()],
            [own[0].cluster for own in together.values()],
        )


BY_TASK = Pairing()


def splits(text: RunContents, label: Label) -> bool:
    """Whether a run plays a task as several that share the label."""
    return any(Pairing(label).of(record) != record.task_id for record in text.episodes)


def pairing(texts: Sequence[RunContents], label: Label | None) -> Pairing:
    """How runs are paired of a suite whose design has that label as `paired_by`: by tasks, as long
    as all have the same ones."""
    digests = {text.manifest.task_set_digest for text in texts}
    return Pairing(label if len(digests) > 1 else None)


BUILD = "build of the world"
"""The name under which a world's build stands in what makes a family."""
TASK_SET = "task set"
"""That of the task set."""
PairedBy = Callable[[Manifest], Label | None]
"""What the design for a run says of tasks that are played as several."""
_DIGEST = re.compile(r"\bsha256:([0-9a-f]{4})[0-9a-f]*")
_LONGEST_NAME = 72
_LONG_NAME = 36
"""Letters from which names leave out what most runs have in common."""


@dataclass(frozen=True, slots=True)
class ReportedRun:
    """A run and its numbers.

    ``mark`` is unique in its family: a letter, or the name itself of a run that is alone.
    ``name`` is the mark, and what the run differs in from the others; where that is long, from
    most of them.
    """

    text: RunContents
    summary: Summary
    mark: str
    name: str

    @property
    def manifest(self) -> Manifest:
        """What the run is."""
        return self.text.manifest


@dataclass(frozen=True, slots=True)
class Family:
    """Runs of one suite, rules, task set, world, its build and data: their numbers may stand
    together. ``pairing`` says which of their episodes do."""

    runs: tuple[ReportedRun, ...]
    pairing: Pairing = BY_TASK

    @property
    def manifest(self) -> Manifest:
        """The first run's: all agree in what makes them a family."""
        return self.runs[0].manifest

    @property
    def asked_models(self) -> bool:
        """Whether any of the agents asked a model (`asked_model`)."""
        return any(asked_model(run.text) for run in self.runs)


def asked_model(text: RunContents) -> bool:
    """Whether the run's agent asked a model, by its own word: it declared one, or told of calls."""
    if any(declaration.get("model") for declaration in text.manifest.declared):
        return True
    return any(record.usage for record in text.episodes)


def make_family(texts: Sequence[RunContents], paired_by: Label | None = None) -> Family:
    """Names the runs by what they differ in; all of them have to be of one family.

    ``paired_by`` is what their design says.
    """
    names = _names([text.manifest for text in texts])
    return Family(
        tuple(
            ReportedRun(text, text.summary, mark, name)
            for text, (mark, name) in zip(texts, names, strict=True)
        ),
        pairing(texts, paired_by),
    )


def _by_task(_manifest: Manifest) -> None:
    """What a design says that has no `paired_by`."""


def families(texts: Sequence[RunContents], paired_by: PairedBy = _by_task) -> tuple[Family, ...]:
    """Sorts runs into families, in the order in which they were given."""
    found: dict[bytes, list[RunContents]] = {}
    for text, kin in zip(texts, kinships(texts, paired_by), strict=True):
        found.setdefault(canonical(writable(list(kin.values()))), []).append(text)
    return tuple(make_family(own, paired_by(own[0].manifest)) for own in found.values())


def kinships(texts: Sequence[RunContents], paired_by: PairedBy = _by_task) -> list[dict[str, Any]]:
    """The kinship of each run.

    Where runs of one task set, rules and data have other tasks for no other reason than that some
    play each of them as several, all have the task set of the first.
    """
    kin = [kinship(text.manifest) for text in texts]
    together: dict[bytes, list[int]] = {}
    for place, text in enumerate(texts):
        named = {**kin[place], TASK_SET: text.manifest.task_set}
        together.setdefault(canonical(writable(list(named.values()))), []).append(place)
    for places in together.values():
        label = paired_by(texts[places[0]].manifest)
        if label is not None and _differ_by_splitting([texts[place] for place in places], label):
            for place in places:
                kin[place][TASK_SET] = kin[places[0]][TASK_SET]
    return kin


def _differ_by_splitting(texts: Sequence[RunContents], label: Label) -> bool:
    """Whether all that split tasks have the same ones, and all others too."""
    digests: dict[bool, set[str]] = {}
    for text in texts:
        digests.setdefault(splits(text, label), set()).add(text.manifest.task_set_digest)
    return len(digests) == 2 and all(len(each) == 1 for each in digests.values())


def kinship(manifest: Manifest) -> dict[str, Any]:
    """What runs have to agree in for their numbers to stand together, by name."""
    return {
        "suite": manifest.suite,
        "version of the rules": manifest.suite_version,
        TASK_SET: [manifest.task_set, manifest.task_set_digest],
        "world": manifest.world,
        BUILD: build_facts(manifest.known_world()),
        "data": data_identity(manifest),
    }


def data_identity(manifest: Manifest) -> list[Any]:
    """Which data was played with: each pack's origin, and every file that is not as upstream's."""
    keys = ("pack", "commit", "modified")
    return [{key: pack[key] for key in keys if key in pack} or dict(pack) for pack in manifest.data]


def modified_files(pack: Mapping[str, Any]) -> tuple[str, ...]:
    """The files of a data pack, as a manifest describes it, that differ from upstream's."""
    modified = pack.get("modified") or ()
    return tuple(safe(str(file)) for file in modified) if not isinstance(modified, int) else ()


def agent_name(manifest: Manifest) -> str:
    """The agent as it was named, with the models that it declared.

    Options that tell no more than its declaration does are left out: the model, and where
    it is.
    """
    declared = manifest.declared
    models = dict.fromkeys(str(item["model"]) for item in declared if item.get("model"))
    name = manifest.agent
    if name == "external" and declared:
        name = ", ".join(dict.fromkeys(str(item.get("agent_name", "?")) for item in declared))
    told = {*models, *(str(configured(item).get("base_url")) for item in declared)}
    # Of the digest of a content four digits tell files apart as well.
    short = _DIGEST.sub(r"\1", _without(name, told))
    return safe(" · ".join([short, *models]))


def _without(specification: str, told: Collection[str]) -> str:
    """An agent's specification without the options whose values are ``told``."""
    words = specification.split(" ")
    pairs = range(1, len(words) - 1)
    gone = {n for n in pairs if words[n].startswith("--") and words[n + 1] in told}
    return " ".join(w for n, w in enumerate(words) if n not in gone and n - 1 not in gone)


def _names(manifests: Sequence[Manifest]) -> list[tuple[str, str]]:
    """The mark and the name of each run."""
    if len(manifests) == 1:
        alone = _shortened(agent_name(manifests[0]))
        return [(alone, alone)]
    facts = [_telling(manifest) for manifest in manifests]
    _tell_edited_apart(facts, manifests)
    keys = dict.fromkeys(key for fact in facts for key in fact)
    apart = [key for key in keys if len({fact.get(key) for fact in facts}) > 1] or ["agent"]
    if len(apart) > 1:
        # A long command must not push out what else tells runs apart.
        facts = [{**fact, "agent": squeezed(fact["agent"], _LONG_NAME)} for fact in facts]
    marks = [_letter(place) for place in range(len(facts))]
    told = [", ".join(fact[key] for key in apart if key in fact) for fact in facts]
    if max(map(len, told)) > _LONG_NAME:
        told = [_unusual(fact, apart, facts) for fact in facts]
    return [(mark, f"{mark} {_shortened(text)}") for mark, text in zip(marks, told, strict=True)]


def _telling(manifest: Manifest) -> dict[str, str]:
    """What could tell a run from another one of its family, in words."""
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


def _tell_edited_apart(facts: Sequence[dict[str, str]], manifests: Sequence[Manifest]) -> None:
    """Adds the digest of what each agent is made of, where agents of one name differ in it."""
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
    """What the run has and at most half of the runs have, in words; else its agent."""
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


# --- Which runs can be compared, and on what


class NotComparableError(Exception):
    """Runs cannot be compared; the message says what differs."""


def differences(
    texts: Sequence[RunContents], paired_by: PairedBy = lambda _: None
) -> tuple[str, ...]:
    """In what the runs differ that makes their scores mean different things; none: comparable.

    Each is the name of it with every run's value: ``world (one; another)``.
    """
    kin = kinships(texts, paired_by)
    worlds = {text.manifest.world for text in texts}
    found = []
    for name in kin[0]:
        values = [each[name] for each in kin]
        # Different worlds have different builds: that needs no telling.
        implied = name == BUILD and len(worlds) > 1
        if not implied and any(value != values[0] for value in values):
            shown = "; ".join(dict.fromkeys(_shown(name, text.manifest) for text in texts))
            found.append(f"{name} ({shown})")
    return tuple(found)


def check_comparable(
    texts: Sequence[RunContents], paired_by: PairedBy = lambda _: None, *, force: bool
) -> str:
    """The label that every output has to carry: empty where the runs can be compared.

    Raises NotComparableError where they cannot, unless ``force``.
    """
    found = differences(texts, paired_by)
    if not found:
        return ""
    if not force:
        raise NotComparableError(
            f"These runs cannot be compared: they differ in {', in '.join(found)}. Their scores"
            " mean different things; --force compares them all the same, and labels it."
        )
    return f"not comparable: the runs differ in {', in '.join(found)}"


def on_common_tasks(texts: Sequence[RunContents], pairing: Pairing = BY_TASK) -> list[RunContents]:
    """The runs with their scored episodes of those tasks alone that all of them have scored, or of
    what else they are paired by.

    Raises NotComparableError where there is no such task, or one belongs to several clusters.
    """
    scored = [pairing.scored(text) for text in texts]
    common = set.intersection(*scored)
    if not common:
        counts = "; ".join(
            f"{safe(text.path.name)}: {len(tasks)}"
            for text, tasks in zip(texts, scored, strict=True)
        )
        raise NotComparableError(
            f"These runs have no scored task in common, so there is nothing to compare ({counts})."
        )
    found = [
        replace(
            text,
            episodes=tuple(
                record
                for record in text.episodes
                if record.fault is None and pairing.of(record) in common
            ),
        )
        for text in texts
    ]
    _check_clusters(found, pairing)
    return found


def _check_clusters(texts: Sequence[RunContents], pairing: Pairing) -> None:
    """Forced comparisons may meet tasks that share no more than their names."""
    homes: dict[str, str] = {}
    for record in (record for text in texts for record in text.episodes):
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
        return safe(", ".join(f"{key} {told}" for key, told in value.items()) or "not recorded")
    if name == "data":
        return "; ".join(_pack(pack) for pack in value) or "none"
    return safe(str(value))


def _pack(pack: dict[str, Any]) -> str:
    return safe(", ".join(f"{key} {value}" for key, value in pack.items()))
