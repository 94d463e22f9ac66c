"""The sidecar of a captured scene: everything but its objects, in a file next to theirs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from env_service.storage.plain_files import read_plain_text
from env_service.worlds.ai2thor_api.controller import ThorStart

FORMAT = "houseguest-scene-capture"
SCHEMA = 1
SUFFIX = ".capture.json"

_KINDS: dict[str, type] = {
    "world": dict,
    "request": dict,
    "objects": dict,
    "frames": list,
    "notes": list,
    "reachablePositions": list,
}


class NewerSchemaError(ValueError):
    """A later version wrote a file, in a way that this one does not know."""


@dataclass(frozen=True)
class CaptureRequest:
    """What every scene of a capture is asked for.

    ``world`` is one of `worlds.ai2thor_api.world_registry.thor_worlds`; ``frames`` is how many
    pictures to take of each scene, 0 for none.
    """

    world: str
    start: ThorStart
    frames: int

    def document(self, subject: Subject) -> dict[str, Any]:
        """As the sidecar holds it: captures with equal ones need not be made again."""
        return {
            "world": self.world,
            "width": self.start.width,
            "height": self.start.height,
            "quality": self.start.quality,
            "initialization": dict(self.start.initialization),
            "frames": self.frames,
            "houseSha256": subject.house.digest() if subject.house else None,
        }


def sidecar_path(objects_file: Path) -> Path:
    """Where the sidecar of an objects' file lies."""
    return objects_file.with_name(objects_file.stem + SUFFIX)


def read_sidecar(path: Path) -> dict[str, Any]:
    """A sidecar's content.

    Raises:
        ValueError: the file is not a sidecar; the text says how to mend it.
        NewerSchemaError: the file has a newer schema.
        OSError: the file cannot be read.
    """
    try:
        content: Any = json.loads(read_plain_text(path))
    except ValueError as error:
        raise ValueError(
            f"{path.name} is not JSON text: {error}; capture the scene again"
        ) from error
    found = content.get("schema") if isinstance(content, dict) else None
    if not isinstance(found, int) or isinstance(found, bool) or content.get("format") != FORMAT:
        raise ValueError(f"{path.name} does not say that it is a {FORMAT}; capture the scene again")
    if found > SCHEMA:
        raise NewerSchemaError(
            f"{path.name} has schema {found}, and this houseguest reads up to {SCHEMA}: a newer "
            "one captured it; update houseguest, or capture the scene again"
        )
    for key, kind in _KINDS.items():
        if not isinstance(content.get(key, kind()), kind):
            wanted = "JSON object" if kind is dict else "list"
            raise ValueError(f"{path.name}: {key} is not a {wanted}; capture the scene again")
    sidecar: dict[str, Any] = content
    return sidecar


def digest(content: bytes) -> str:
    """SHA-256, hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def json_bytes(document: Mapping[str, Any]) -> bytes:
    """A file's bytes, in the published dumps' layout.

    Raises:
        ValueError: a number is not finite, or a value cannot be written as JSON.
    """
    try:
        text = json.dumps(document, indent=4, allow_nan=False, default=_plain)
    except ValueError as error:
        raise ValueError(f"the simulator's answer cannot be written down: {error}") from error
    return (text + "\n").encode()


def _plain(value: Any) -> Any:
    """NumPy's numbers and arrays as Python's."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    raise ValueError(f"{type(value).__name__} is not a JSON value")


# --- What to capture: a scene that the simulator has by name, or a house that it builds


class HouseSource(Protocol):
    """A source of a house's description."""

    def load(self) -> Mapping[str, Any]:
        """The house, as input for AI2-THOR's CreateHouse. Raises ValueError for another form."""
        ...

    def digest(self) -> str:
        """SHA-256 of its text, hexadecimal."""
        ...


@dataclass(frozen=True)
class Subject:
    """One scene to capture. ``name`` can serve as a file name; ``house`` is None for a scene that
    the simulator has by this name."""

    name: str
    house: HouseSource | None = None
