"""YAML from strangers: plain values only, bounded in size and depth."""

from __future__ import annotations

from typing import Any

import yaml
from yaml.constructor import ConstructorError
from yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent, DocumentStartEvent
from yaml.nodes import MappingNode

from env_service.submissions.errors import ManifestError

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
