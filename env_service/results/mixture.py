"""Whether one run holds the results of several agents, and what tells them apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from env_service.domain.printable import safe
from env_service.results.manifest import Manifest

_WITH_REPLIES = frozenset({"usage"})
"""What model agents know from their model's first reply on: where it lacks, nothing is said."""
_LISTED = 8
"""Names that are listed one by one."""


def mixture(manifest: Manifest) -> tuple[str, ...]:
    """Why the run is a mixture of agents, a sentence each; none where one agent played it all.

    It is one where the agent was changed and the run gone on with all the same, and where the
    agent's sessions did not all declare the same version and configuration.
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
        found.append(f"its agents did not all declare the same: {names} differ")
    return tuple(found)


def changed_parts(
    before: Mapping[str, Any], after: Mapping[str, Any], agent: str = ""
) -> tuple[str, ...]:
    """What differs between two records of what an agent is made of, in words; ``agent`` is the
    specification of a record that names none."""
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
            yield f"{name} is gone"
        else:
            yield f"{name} {edited or f'{was} → {now}'}"


def _texts(record: Mapping[str, Any], name: str) -> Mapping[str, str]:
    found = record.get(name)
    return {str(k): str(v) for k, v in found.items()} if isinstance(found, Mapping) else {}


def configured(declaration: Mapping[str, Any]) -> Mapping[str, Any]:
    """The configuration in what an agent said of itself; empty where there is none."""
    configuration = declaration.get("configuration")
    return configuration if isinstance(configuration, Mapping) else {}


def _differing(declared: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The names under which declarations of one run disagree, a configuration's entries apart."""
    flat = [{**item, **configured(item)} for item in declared]
    names = dict.fromkeys(name for item in flat for name in item if name != "configuration")
    return tuple(safe(name) for name in names if _disagree(name, flat))


def _disagree(name: str, flat: Sequence[Mapping[str, Any]]) -> bool:
    told = [item.get(name) for item in flat if name in item or name not in _WITH_REPLIES]
    return any(each != told[0] for each in told)
