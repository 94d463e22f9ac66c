"""``houseguest-agent.yaml``, a submission's manifest, and a strict reader for its YAML."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml
from yaml.constructor import ConstructorError
from yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent, DocumentStartEvent
from yaml.nodes import MappingNode

from env_service.domain.data_node import DataNode
from env_service.submissions.failures import ManifestError
from env_service.suites.registry import suite_names

MANIFEST = "houseguest-agent.yaml"
PLACE = f"/{MANIFEST}"
"""The manifest's path in an image, unless the label MANIFEST_LABEL names another."""
MANIFEST_LABEL = "houseguest.manifest"
SCHEMA = 1
"""The newest version of the manifest's format that this service reads."""

MOST_GPUS = 64
MOST_CPUS = 1024
SUITE_PATH = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")

Setting = str | int | float | bool
"""A value of ``configuration``."""


@dataclass(frozen=True, slots=True)
class Hardware:
    """The needs of one container of the agent: GPUs, memory in bytes, and CPU cores."""

    gpus: int = 0
    memory: int = 4 * 2**30
    cpus: float = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionManifest:
    """A team's declaration about its submission. A submission check compares parts of it with the
    agent's Hello.

    ``suites`` lists the suites that the agent can play: names of the registry, or ``module:class``
    paths. The service never imports such a path because a manifest names it. ``model`` is empty if
    the agent declares its model in Hello. ``configuration`` holds the settings that affect how the
    agent plays. If ``shared`` is true, one container plays every session of a run. ``arguments``
    are passed to the image's entry point and replace its command.
    """

    name: str
    version: str
    contact: str
    suites: tuple[str, ...]
    hardware: Hardware = Hardware()
    model: str = ""
    configuration: Mapping[str, Setting] = field(default_factory=dict)
    shared: bool = False
    arguments: tuple[str, ...] = ()
    licence: str = ""
    url: str = ""
    notes: str = ""

    def to_json(self) -> dict[str, Any]:
        """The manifest as a score stores it."""
        hardware = self.hardware
        return {
            "schema": SCHEMA,
            "name": self.name,
            "version": self.version,
            "contact": self.contact,
            "suites": list(self.suites),
            "hardware": {
                "gpus": hardware.gpus,
                "memory_bytes": hardware.memory,
                "cpus": hardware.cpus,
            },
            "model": self.model,
            "configuration": dict(self.configuration),
            "shared": self.shared,
            "arguments": list(self.arguments),
            "licence": self.licence,
            "url": self.url,
            "notes": self.notes,
        }


def parse_manifest(data: bytes, source: str = MANIFEST) -> SubmissionManifest:
    """Reads a manifest.

    Raises ManifestError, which names ``source``, the key, its value and the remedy.
    """
    fields = DataNode(load_mapping(data, source), source, kind=ManifestError)
    schema = fields["schema"]
    if schema.whole(1) > SCHEMA:
        raise schema.error(
            f"is {schema.value!r:.60}, but this service supports at most {SCHEMA}: write schema:"
            f" {SCHEMA}"
        )
    manifest = SubmissionManifest(
        name=fields["name"].title(100),
        version=fields["version"].title(100),
        contact=fields["contact"].title(200),
        suites=_suites(fields["suites"]),
        hardware=_hardware(fields.get("hardware", {})),
        model=fields.get("model", "").line(200),
        configuration=read_settings(fields.get("configuration", {})),
        shared=fields.get("shared", default=False).flag(),
        arguments=read_words(fields.get("arguments", [])),
        licence=fields.get("licence", "").line(200),
        url=_url(fields.get("url", "")),
        notes=fields.get("notes", "").string(10_000),
    )
    fields.check_keys()
    return manifest


def check_suite(manifest: SubmissionManifest, suite: str) -> None:
    """Raises ManifestError if a submission's manifest does not name a suite."""
    if suite not in manifest.suites:
        listed = ", ".join(manifest.suites)
        raise ManifestError(
            f"suites: the manifest of {manifest.name} does not list {suite!r}, only {listed}: add"
            " it there if the agent can play it"
        )


def _suites(node: DataNode) -> tuple[str, ...]:
    suites = read_words(node)
    if not suites:
        raise node.error("is an empty list; it must name at least one suite")
    for suite in suites:
        if not SUITE_PATH.fullmatch(suite):
            node.chosen(suite, "suite", suite_names())
        if suites.count(suite) > 1:
            raise node.error(f"has {suite!r:.60} twice: remove one")
    return suites


def _hardware(fields: DataNode) -> Hardware:
    plain = Hardware()
    hardware = Hardware(
        gpus=fields.get("gpus", plain.gpus).whole(0, MOST_GPUS),
        memory=read_size(fields.get("memory", plain.memory)),
        cpus=fields.get("cpus", plain.cpus).number(0.1, MOST_CPUS),
    )
    fields.check_keys()
    return hardware


def _url(node: DataNode) -> str:
    url = node.line(500)
    if url and not url.startswith(("https://", "http://")):
        raise node.error(f"is {url!r:.60}; it must begin with https:// or http://")
    return url


# --- Readers of values, shared by manifests and phases

LEAST_MEMORY, MOST_MEMORY = 16 * 2**20, 16 * 2**40
MOST_WORDS, MOST_SETTINGS, LONGEST_WORD = 64, 64, 1000
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,6})?)\s*(?:([kmgt])i?)?b?", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def read_words(node: DataNode) -> tuple[str, ...]:
    """Reads a list of at most MOST_WORDS texts, each at most LONGEST_WORD characters without
    NUL."""
    items = node.items(MOST_WORDS)
    for item in items:
        if "\0" in item.string(LONGEST_WORD):
            raise item.error(f"is {item.value!r:.60}, which contains a NUL character: remove it")
    return tuple(item.value for item in items)


def read_settings(node: DataNode) -> dict[str, Setting]:
    """Reads a mapping of names to at most MOST_SETTINGS texts, numbers and booleans."""
    if len(node.mapping()) > MOST_SETTINGS:
        raise node.error(f"has {len(node.mapping())} keys; at most {MOST_SETTINGS} are allowed")
    return node.mapped(_setting)


def _setting(node: DataNode) -> Setting:
    value: Setting = node.value
    if isinstance(value, float):
        return node.number()
    if not isinstance(value, str | int):
        raise node.error(f"is {value!r:.60}, not a text, a number, true or false")
    if len(str(value)) > LONGEST_WORD:
        raise node.error(f"is longer than {LONGEST_WORD} characters: shorten it")
    return value


def read_size(node: DataNode) -> int:
    """Reads a size in bytes: 512m, 32g, 4GiB, or a number; units are powers of 1024."""
    value = node.value
    size = value if isinstance(value, int) and not isinstance(value, bool) else _bytes(value)
    if size is None or not LEAST_MEMORY <= size <= MOST_MEMORY:
        raise node.error(
            f"is {value!r:.60}; it must be a size from 16m to 16t, such as 512m or 32g"
        )
    return size


def _bytes(value: object) -> int | None:
    found = _SIZE.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        return None
    power: int = _POWERS[(found[2] or "").lower()]
    return int(float(found[1]) * 2.0 ** (10 * power))


# --- YAML of unknown origin: plain values only, bounded in size and depth

MOST_BYTES = 64 * 1024
DEEPEST = 6
"""Maximum depth of nested collections. A manifest needs two."""


def load_mapping(data: bytes, source: str) -> dict[str, Any]:
    """Reads a document that is one mapping with texts as keys.

    Raises ManifestError, which names ``source`` and the line, for anything else: more than
    MOST_BYTES, invalid UTF-8, tags, anchors, aliases, nesting deeper than DEEPEST, duplicate keys,
    or several documents.
    """
    if len(data) > MOST_BYTES:
        raise ManifestError(
            f"{source}: {len(data)} bytes, but at most {MOST_BYTES} are allowed: shorten it"
        )
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise ManifestError(
            f"{source}: not UTF-8 at byte {error.start}: save it as UTF-8"
        ) from error
    try:
        _check_events(text, source)
        value = yaml.load(text, Loader=_PlainLoader)  # noqa: S506 - stricter than SafeLoader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = "" if mark is None else f", line {mark.line + 1}"
        problem = " ".join(f"{error.problem or error.context}".split())
        raise ManifestError(f"{source}{place}: {problem}") from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        if isinstance(error, ManifestError):
            raise
        raise ManifestError(f"{source}: {' '.join(str(error).split())}") from error
    if not isinstance(value, dict):
        raise ManifestError(f"{source}: must be a mapping with one `key: value` per line")
    return value


def _check_events(text: str, source: str) -> None:
    """Rejects anything but plain values before the loader builds a value."""
    depth = documents = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        mark = event.start_mark
        place = source if mark is None else f"{source}, line {mark.line + 1}"
        if isinstance(event, AliasEvent) or getattr(event, "anchor", None):
            raise ManifestError(f"{place}: anchors and aliases are not allowed: write values out")
        if tag := getattr(event, "tag", None):
            raise ManifestError(f"{place}: the tag {tag!r} is not allowed: write a plain value")
        documents += isinstance(event, DocumentStartEvent)
        depth += isinstance(event, CollectionStartEvent)
        depth -= isinstance(event, CollectionEndEvent)
        if documents > 1:
            raise ManifestError(f"{place}: a second document begins: only one is allowed")
        if depth > DEEPEST:
            raise ManifestError(f"{place}: nested more than {DEEPEST} levels deep")


class _PlainLoader(yaml.SafeLoader):
    """A SafeLoader whose mappings have unique texts as keys."""

    def construct_mapping(self, node: MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002 - the signature of PyYAML
        seen: set[str] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str):
                problem = f"the key {key!r} is not a text: put it in quotes"
                raise ConstructorError(None, None, problem, key_node.start_mark)
            if key in seen:
                problem = f"the key {key!r} is given twice"
                raise ConstructorError(None, None, problem, key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep=deep)
