"""The folder that captured scenes are written into: each of them whole, or not at all."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from env_service.worlds.ai2thor_api.capture.recording import Recording
from env_service.worlds.ai2thor_api.capture.sidecar import (
    FORMAT,
    SCHEMA,
    SUFFIX,
    NewerSchemaError,
    digest,
    json_bytes,
    read_sidecar,
    sidecar_path,
)

_LOCK, _DRAFT = ".capture.lock", ".draft-"


class FolderBusyError(ValueError):
    """Another capture writes into the folder at this moment."""


@dataclass(frozen=True)
class Captured:
    """A captured scene in a folder: its name, its sidecar's content, and what is wrong with it
    ("" if nothing is)."""

    name: str
    sidecar: Mapping[str, Any]
    damage: str = ""


class CaptureFolder:
    """Captured scenes: `NAME.json`, `NAME.capture.json` and `NAME/000.png` and so on."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keeps other captures out of the folder, which is made if it is not there.

        Raises:
            FolderBusyError: another one is at work in it.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        with (self.path / _LOCK).open("wb") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise FolderBusyError(
                    f"another capture writes into {self.path}; wait for it, or give another folder"
                ) from None
            for draft in self.path.glob(f"{_DRAFT}*"):
                shutil.rmtree(draft)
            yield

    def names(self) -> list[str]:
        """The scenes that have a sidecar, in alphabetical order."""
        return sorted(path.name.removesuffix(SUFFIX) for path in self.path.glob(f"*{SUFFIX}"))

    def look(self, name: str) -> Captured | None:
        """A scene as it lies here, all of its files compared with their digests; None for one
        that is not here."""
        objects = self.path / f"{name}.json"
        try:
            sidecar = read_sidecar(sidecar_path(objects))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            return Captured(name, {}, str(error))
        return Captured(name, sidecar, self._damage(sidecar))

    def check(self, name: str) -> None:
        """Looks whether a scene of a name may be written here.

        Raises:
            ValueError: what lies here under the name was not captured, or by a later version.
        """
        objects = self.path / f"{name}.json"
        try:
            read_sidecar(sidecar_path(objects))
        except NewerSchemaError as error:
            raise ValueError(f"{error}; or give another folder") from error
        except FileNotFoundError:
            if objects.exists() or (self.path / name).exists():
                raise ValueError(
                    f"{self.path} holds a {name} that no capture wrote; give another folder"
                ) from None
        except ValueError:
            return

    def finished(self, name: str, request: Mapping[str, Any]) -> bool:
        """Whether the folder holds an undamaged capture of a scene with the present settings.

        Raises:
            ValueError: its undamaged capture was made with other settings.
        """
        found = self.look(name)
        if found is None or found.damage:
            return False
        before = found.sidecar.get("request")
        if before == request:
            return True
        old = before if isinstance(before, dict) else {}
        differing = [key for key in request if old.get(key) != request[key]]
        entry = "; ".join(f"{key} was {old.get(key)!r}, now {request[key]!r}" for key in differing)
        raise ValueError(
            f"{name} was captured into {self.path} with other settings ({entry}); give another "
            "folder, or --fresh to capture it again"
        )

    def write(self, name: str, recording: Recording, about: Mapping[str, Any]) -> None:
        """Writes a scene, replacing an earlier one of that name. An interruption leaves nothing of
        the scene, or a draft that the next capture removes.

        ``about`` holds the sidecar's keys in addition to those of the recording.
        """
        draft = self.path / f"{_DRAFT}{name}"
        shutil.rmtree(draft, ignore_errors=True)
        (draft / name).mkdir(parents=True)
        for number, png in enumerate(recording.pictures):
            _write(draft / name / f"{number:03}.png", png)
        _write(draft / f"{name}.json", recording.objects)
        _write(draft / f"{name}{SUFFIX}", json_bytes(_document(name, recording, about)))
        self.remove(name)
        # a sidecar says whose the rest is, and nothing is a scene without its objects
        (draft / f"{name}{SUFFIX}").rename(self.path / f"{name}{SUFFIX}")
        if recording.pictures:
            (draft / name).rename(self.path / name)
        (draft / f"{name}.json").rename(self.path / f"{name}.json")
        shutil.rmtree(draft)

    def remove(self, name: str) -> None:
        """Takes a scene away, in the order opposite to that of writing."""
        (self.path / f"{name}.json").unlink(missing_ok=True)
        if (self.path / name).is_dir():
            shutil.rmtree(self.path / name)
        (self.path / f"{name}{SUFFIX}").unlink(missing_ok=True)

    def _damage(self, sidecar: Mapping[str, Any]) -> str:
        try:
            files = [sidecar["objects"], *sidecar["frames"]]
            for each in files:
                if digest((self.path / each["file"]).read_bytes()) != each["sha256"]:
                    return f"{each['file']} was changed after it was written"
        except FileNotFoundError as error:
            return f"{Path(error.filename).relative_to(self.path)} is missing"
        except (KeyError, TypeError) as error:
            return f"the sidecar lacks {error}"
        return ""


def _document(name: str, recording: Recording, about: Mapping[str, Any]) -> dict[str, Any]:
    facts = dict(recording.facts)
    frames = [
        {"file": f"{name}/{number:03}.png", **entry} for number, entry in enumerate(facts["frames"])
    ]
    objects = {
        "file": f"{name}.json",
        "sha256": digest(recording.objects),
        "count": recording.count,
    }
    head = {"format": FORMAT, "schema": SCHEMA, "scene": name}
    return {**head, **about, "objects": objects, **facts, "frames": frames}


def _write(path: Path, content: bytes) -> None:
    """Writes a file that outlives a loss of power once it was renamed."""
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
