"""Which runs can be compared, and on what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from env_service.domain.printable import safe
from env_service.results.manifest import Manifest
from env_service.results.reading import RunText
from env_service.results.report.pairing import BY_TASK, Pairing
from env_service.results.report.runs import BUILD, TASK_SET, PairedBy, kinship, kinships


class NotComparableError(Exception):
    """Runs cannot be compared; the message says what differs."""


def differences(texts: Sequence[RunText], paired_by: PairedBy = lambda _: None) -> tuple[str, ...]:
    """In what the runs differ that makes their scores mean different things; none: comparable.

    Each is the name of it with every run's value: ``world (ai2thor; household)``.
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
    texts: Sequence[RunText], paired_by: PairedBy = lambda _: None, *, force: bool
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


def on_common_tasks(texts: Sequence[RunText], pairing: Pairing = BY_TASK) -> list[RunText]:
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


def _check_clusters(texts: Sequence[RunText], pairing: Pairing) -> None:
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
