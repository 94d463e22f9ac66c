"""``houseguest-agent.yaml``: what a submission says of itself, and the reader of such YAML."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml
from yaml.constructor import ConstructorError
from yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent, DocumentStartEvent
from yaml.nodes import MappingNode

from env_service.domain.names import nearest
from env_service.submissions.failures import ManifestError
from env_service.submissions.untrusted_fields import UntrustedFields
from env_service.suites.registry import suite_names

MANIFEST = "houseguest-agent.yaml"
PLACE = f"/{MANIFEST}"
"""Where an image has its manifest, unless its label MANIFEST_LABEL names another place."""
MANIFEST_LABEL = "houseguest.manifest"
SCHEMA = 1
"""The newest version of the manifest's form that is known here."""

MOST_GPUS = 64
MOST_CPUS = 1024
_SUITE_PATH = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")

Setting = str | int | float | bool
"""A value of ``configuration``."""


@dataclass(frozen=True, slots=True)
class Hardware:
    """What one container of the agent needs: GPUs, bytes of memory, cores."""

    gpus: int = 0
    memory: int = 4 * 2**30
    cpus: float = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionManifest:
    """What a submission says of itself. Nothing of it is verified but what a check compares.

    ``suites`` are the benchmarks that it can play: names of the registry, or ``module:class``
    paths, which are never followed because a manifest says so. ``model`` is declared, empty where
    the agent declares it by itself when it plays. ``configuration`` holds what shapes its play.
    ``shared``: one container plays every seat of a run. ``arguments`` follow the image's entry
    point, in place of its command.
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
        """The manifest as a score holds it."""
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

    Raises ManifestError naming ``source``, the key, its value and the remedy.
    """
    fields = UntrustedFields(load_mapping(data, source), source)
    schema = fields.whole("schema", least=1, most=10**6)
    if schema > SCHEMA:
        raise fields.error(
            "schema", schema, f"{SCHEMA} is the newest known here: write schema: {SCHEMA}"
        )
    manifest = SubmissionManifest(
        name=fields.line("name", most=100),
        version=fields.line("version", most=100),
        contact=fields.line("contact", most=200),
        suites=_suites(fields),
        hardware=_hardware(fields.mapping("hardware")),
        model=fields.line("model", most=200, required=False),
        configuration=fields.settings("configuration"),
        shared=fields.switch("shared"),
        arguments=fields.words("arguments"),
        licence=fields.line("licence", most=200, required=False),
        url=_url(fields),
        notes=fields.text("notes", most=10_000),
    )
    fields.check_keys()
    return manifest


def check_suite(manifest: SubmissionManifest, suite: str) -> None:
    """Raises ManifestError where a submission does not say that it can play a suite."""
    if suite not in manifest.suites:
        listed = ", ".join(manifest.suites)
        raise ManifestError(
            f"suites: {suite!r} is none of those that the manifest of {manifest.name} names"
            f" ({listed}): add it there, if the agent can play it"
        )


def _suites(fields: UntrustedFields) -> tuple[str, ...]:
    suites = fields.words("suites", required=True)
    for suite in suites:
        if suite not in suite_names() and not _SUITE_PATH.fullmatch(suite):
            guess = nearest(suite, suite_names())
            hint = f"did you mean {guess!r}? " if guess else ""
            raise fields.error("suites", suite, f"{hint}known are {', '.join(suite_names())}")
        if suites.count(suite) > 1:
            raise fields.error("suites", suite, "it stands there twice: leave one out")
    return suites


def _hardware(fields: UntrustedFields | None) -> Hardware:
    if fields is None:
        return Hardware()
    plain = Hardware()
    hardware = Hardware(
        gpus=fields.whole("gpus", least=0, most=MOST_GPUS, default=plain.gpus),
        memory=fields.memory("memory", default=plain.memory),
        cpus=fields.number("cpus", least=0.1, most=MOST_CPUS, default=plain.cpus),
    )
    fields.check_keys()
    return hardware


def _url(fields: UntrustedFields) -> str:
    url = fields.line("url", most=500, required=False)
    if url and not url.startswith(("https://", "http://")):
        raise fields.error("url", url, "it has to begin with https:// or http://")
    return url


# --- YAML from strangers: plain values only, bounded in size and depth

MOST_BYTES = 64 * 1024
DEEPEST = 6
"""Collections within collections. A manifest needs two."""


def load_mapping(data: bytes, source: str) -> dict[str, Any]:
    """The one mapping that a document holds, with texts as its keys.

    Raises ManifestError naming ``source`` and the line for anything else: more than MOST_BYTES,
    no UTF-8, tags, anchors and aliases, nesting deeper than DEEPEST, keys given twice, several
    documents.
    """
    if len(data) > MOST_BYTES:
        raise ManifestError(f"{source}: {len(data)} bytes are more than {MOST_BYTES}: shorten it")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise ManifestError(
            f"{source}: not UTF-8 at byte {error.start}: save it as UTF-8"
        ) from error
    try:
        _check_events(text, source)
        value = yaml.load(text, Loader=_PlainLoader)  # noqa: S506 - a SafeLoader that takes less
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
        raise ManifestError(f"{source}: has to be a mapping, one `key: value` a line")
    return value


def _check_events(text: str, source: str) -> None:
    """Refuses what would be more than plain values, before anything is made of it."""
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
            raise ManifestError(f"{place}: a second document begins: there may be one only")
        if depth > DEEPEST:
            raise ManifestError(f"{place}: nested more than {DEEPEST} deep")


class _PlainLoader(yaml.SafeLoader):
    """A SafeLoader whose mappings have texts as keys, each once."""

    def construct_mapping(self, node: MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002 - the signature of PyYAML
        seen: set[str] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str):
                problem = f"the key {key!r} is no text: put it in quotes"
                raise ConstructorError(None, None, problem, key_node.start_mark)
            if key in seen:
                problem = f"the key {key!r} is given twice"
                raise ConstructorError(None, None, problem, key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep=deep)
