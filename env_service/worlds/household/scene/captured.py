"""What a capture tells of a scene besides its objects, read for the household world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from env_service.plain_files import MOST_GIVEN, read_plain
from env_service.worlds.ai2thor_api.capture.sidecar import digest, read_sidecar, sidecar_path
from env_service.worlds.household.scene.spec import Survey
from env_service.worlds.household.scene.thor_records import read_point


@dataclass(frozen=True)
class Capture:
    """AI2-THOR's metadata of the agent and the scene's bounds at the start, where the agent can
    go, and the ProcTHOR house that the scene was built from, if it was."""

    agent: Mapping[str, Any] | None = None
    scene_bounds: Mapping[str, Any] | None = None
    survey: Survey | None = None
    house: Mapping[str, Any] | None = None


NOTHING = Capture()


def capture_of(objects_file: Path) -> Capture:
    """What was captured with an objects' file: nothing more, as with a published dump, where no
    sidecar lies beside it.

    Raises:
        ValueError: the sidecar is broken, of a newer schema, or of other objects. The text names
            the file and the mend.
    """
    path = sidecar_path(objects_file)
    if not path.is_file():
        return NOTHING
    sidecar = read_sidecar(path)
    listed = sidecar.get("objects")
    written = listed.get("sha256") if isinstance(listed, Mapping) else None
    if written != digest(read_plain(objects_file, MOST_GIVEN)):
        raise ValueError(
            f"{path.name} does not belong to {objects_file.name}, which was changed since it was "
            "captured; capture the scene again, or delete the former to go by the objects alone"
        )
    for key in ("agent", "sceneBounds", "house"):
        if not isinstance(sidecar.get(key), Mapping | None):
            raise ValueError(f"{path.name}: {key} is no JSON object; capture the scene again")
    return Capture(
        sidecar.get("agent"),
        sidecar.get("sceneBounds"),
        _survey(path.name, sidecar),
        sidecar.get("house"),
    )


def _survey(name: str, sidecar: Mapping[str, Any]) -> Survey | None:
    """Where the agent can go; None if the capture says nothing of it."""
    listed, size = sidecar.get("reachablePositions"), sidecar.get("gridSize")
    if not listed:
        return None
    number = isinstance(size, int | float) and not isinstance(size, bool)
    if not isinstance(listed, Sequence) or not number or not 0 < float(size or 0) < 10:
        raise ValueError(
            f"{name}: gridSize ({size!r}) and reachablePositions are not metres and a list; "
            "capture the scene again"
        )
    try:
        return Survey(float(size or 0), tuple(read_point(point) for point in listed))
    except ValueError as error:
        raise ValueError(f"{name}: reachablePositions: {error}; capture it again") from error
